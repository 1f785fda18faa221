"""XFabric (NSDI 2016): how long a reconfiguration takes (Fig. 6b) and what it costs in frames (§6.6).

How it is read: papers/xfabric/README.md.
"""

from itertools import accumulate
from typing import TYPE_CHECKING

from gossamer.plan import plan
from gossamer.reproduce.registry import Measurement, Reproduction

from .packets import QUICK, SECOND, by_period, counted

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

TABLES = "new tables after the first crosspoint"
OF_LINK = "lost by a full-duplex link in a reconfiguration"

latency = Reproduction(
    "xfabric",
    "fig6b-latency",
    experiment="fig6b-latency.toml",
    quick={
        "duration": "300 ms",
        "warmup": "200 ms",
        "fabric.reconfigure_from": "200 ms",
        "measure.sample": "10 ms",
    },
)
loss = Reproduction("xfabric", "reconfiguration-loss", experiment="fig5a-period.toml", quick=QUICK)


def buckets(run: "Run", histogram: str) -> list[tuple[int, int]]:
    """Values of a distribution that has one in each bucket, and how often each came."""
    rows = [row for row in run.histograms.to_pylist() if row["histogram"] == histogram and row["count"]]
    return sorted((int(row["lower"]), int(row["count"])) for row in rows)


@latency.measure
def last_server(results: "Results") -> Measurement:
    """When the last SoC has its new tables, after the first crosspoint."""
    (run,) = results
    delays = buckets(run, TABLES)
    socs = sum(count for _, count in delays)
    last = delays[-1][0] + 1
    looped = counted(run, "lost in loops, at the hop limit")
    note = (
        f"{socs} SoCs within {last} us, the first after {delays[0][0]} us. They do not wait for the flood, which "
        "begins when all crosspoints have answered: the first frame from a new neighbour makes a SoC change its tables "
        "and tell all others (§4.4), over circuits that take microseconds. By the flood alone it is 6.3 ms "
        "(docs/xfabric-control.md), about the time from the prototype's first crosspoint to its last, 8 ms; and a SoC "
        "here changes tables at once, where the prototype has a process that does. Until the last crosspoint has "
        f"changed, tables are ahead of circuits: {looped:.0f} frames went in circles and were discarded"
    )
    every = socs == run.summary.column("hosts")[0].as_py()
    return Measurement({"": last / 1e3}, note, trends={"every SoC gets new tables": every})


@latency.plot
def fig_6b(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 6b: the share of servers that have new tables so long after the first crosspoint has changed."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing, axis, data, lines
    from gossamer.plots.expressions import expression

    (run,) = results
    delays = buckets(run, TABLES)
    total = sum(count for _, count in delays)
    reached = accumulate(count for _, count in delays)
    rows = [{"label": "SoCs", "time": 0.0, "share": 0.0}] + [
        {"label": "SoCs", "time": delay / 1e6, "share": upto / total}
        for (delay, _), upto in zip(delays, reached, strict=True)
    ]
    canvas = Canvas()
    chart = lines(
        data(rows),
        canvas,
        alt.X("time:Q", title="After the first crosspoint has changed", axis=axis("ps", tickCount=8)),
        alt.Y("share:Q", title="SoCs with new tables", axis=axis("fraction", tickCount=5)),
        canvas.colour(["SoCs"], "device"),
        {"After": expression("datum.time", "ps"), "SoCs": expression("datum.share", "fraction")},
        interpolate="step-after",
        points=True,
    )
    told = f"§{claim.section}. In the paper the last of 27 has them within {claim.value} ms."
    return Drawing(chart, "XFabric Fig. 6b: from the first crosspoint to new tables", told, isolates=False).finish(
        canvas
    )


def of_link(run: "Run") -> tuple[float, int, int]:
    """Frames lost by a full-duplex link in a reconfiguration: mean and most; and of how many links."""
    found = buckets(run, OF_LINK)
    links = sum(count for _, count in found)
    return sum(lost * count for lost, count in found) / links, found[-1][0], links


@loss.measure
def frames(results: "Results") -> Measurement:
    """Frames that a link loses at a period of a second; beside them, what one switching time can hit."""
    run = by_period(results)[SECOND]
    mean, worst, links = of_link(run)
    slow, usual, fast = (plan("xfabric", port_rate=rate)["loss"] for rate in ("1 Gb/s", "10 Gb/s", "100 Gb/s"))
    cut, nowhere, looped = (
        counted(run, f"lost {where}")
        for where in ("on circuits that changed", "on ports without a circuit", "in loops, at the hop limit")
    )
    times = counted(run, "reconfigurations")
    note = (
        f"{links:,} links in {times:.0f} reconfigurations: {cut:,.0f} frames cut, {nowhere:,.0f} sent by ports without "
        f"a circuit; {looped:,.0f} more went in circles between old and new tables, which no link has lost. A change "
        "cuts a frame in each direction of a circuit that is in use. In closed form (gossamer plan xfabric) "
        f"{slow['bytes']} B at 1 Gb/s and {usual['bytes']} B at 10 Gb/s pass in 20 ns, less than a frame of 64 B: at "
        f"most two in each direction, {usual['worst_frames']} in all, as the paper has it. At 100 Gb/s {fast['bytes']} "
        f"B and {fast['worst_frames']} frames. A crosspoint that loses its receiver's lock loses more than these "
        "(preambles are not counted either)"
    )
    return Measurement({"mean": mean, "worst": worst}, note)


@loss.plot
def loss_by_link(results: "Results", claim: "Claim") -> "AnyChart":
    """How often a link loses how many frames."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import Bar, draw_bars

    run = by_period(results)[SECOND]
    found = buckets(run, OF_LINK)
    mean, _, links = of_link(run)
    bars: list[Bar] = [
        {"place": f"{lost}", "label": "links", "value": count / links, "expected": None} for lost, count in found
    ]
    canvas = Canvas()
    chart = draw_bars(bars, canvas, "fraction", "Frames lost in a reconfiguration", "Share of links", "links")
    told = (
        f"§{claim.section}. {mean:.2f} frames on average. In the paper {claim.rows['mean']:g}, and "
        f"{claim.rows['worst']:g} at worst."
    )
    return Drawing(chart, "XFabric §6.6: frames that a full-duplex link loses", told, isolates=False).finish(canvas)
