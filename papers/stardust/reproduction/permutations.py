"""Stardust (NSDI 2019): what permutations get out of a fabric, and how long it takes to compute.

How each claim is set up, and where the paper leaves something open, is in papers/stardust/README.md.
"""

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import stated_interval

from .transports import NAMES, OURS, OURS_TOLD, paused_share, resent

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results

LINE_RATE_BPS = 10e9

fig10a = Reproduction(
    "stardust",
    "fig10a-throughput",
    experiment="fig10a-throughput.toml",
    quick={
        "duration": "60 ms",
        "warmup": "20 ms",
        "variant.stardust.duration": "4 ms",
        "variant.stardust.warmup": "2 ms",
        "variant.dcqcn.warmup": "40 ms",
        "variant.mptcp.duration": "35 ms",
        "variant.mptcp.warmup": "25 ms",
        "variant.dctcp over pfc.duration": "30 ms",
        "variant.ndp.duration": "4 ms",
        "variant.ndp.warmup": "2 ms",
        "sweep.seed": [1],
    },
)


@fig10a.measure
def mean_utilisation(results: "Results") -> Measurement:
    """Mean over all hosts of what they receive, over their links' rate; the mean over the permutations drawn."""
    means = {name: [share for share, _ in by_run(results, name)] for name in NAMES}
    reached = [rate for _, rate in by_run(results, "stardust")]
    rows = {
        "stardust_mean": statistics.fmean(means["stardust"]),
        "stardust_gbps_on_96_percent": statistics.fmean(reached),
        **{f"{name}_mean": statistics.fmean(means[name]) for name in ("dctcp", "dcqcn", "mptcp")},
        **{f"{name}, mean": statistics.fmean(means[name]) for name in OURS},
    }
    notes = ["9.44 Gb/s on 96 % of the flows is read as what 96 % of the flows reach or exceed"]
    if len(reached) > 1:
        spans = ", ".join(f"{name} from {min(each):.3f} to {max(each):.3f}" for name, each in means.items())
        notes.append(f"Means over {len(reached)} permutations, which range with {spans}")
    again = ", ".join(f"{resent(results, name):,} with {name}" for name in ("dctcp", "mptcp", "ndp"))
    paused = ", ".join(f"{paused_share(results, name):.3%} with {name}" for name in ("dcqcn", "dctcp over pfc"))
    notes += [
        f"Packets sent again in the measured time, all permutations together: {again}; links were paused for {paused} "
        "of it",
        OURS_TOLD,
    ]
    return Measurement(rows, ". ".join(notes))


def by_run(results: "Results", variant: str) -> list[tuple[float, float]]:
    """Of each run of a variant: the mean goodput as a share of the line rate, and the Gb/s that 96 % of flows reach."""
    found = []
    for run in results:
        if run.variant == variant:
            rates = sorted(float(flow["goodput_bps"]) for flow in run.flows.to_pylist())
            found.append((statistics.fmean(rates) / LINE_RATE_BPS, rates[len(rates) * 4 // 100] / 1e9))
    return found


@fig10a.plot
def throughput_by_host(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 10a: the hosts' throughput in increasing order, and the means that the paper states as lines."""
    import altair as alt

    from gossamer.analysis.comparison import Comparison
    from gossamer.plots.canvas import Canvas, ink
    from gossamer.plots.throughput import draw_throughput_rank

    canvas = Canvas()
    colour = ink(canvas.theme)
    stated = {"stardust_mean": "Stardust", "mptcp_mean": "MPTCP", "dctcp_mean": "DCTCP", "dcqcn_mean": "DCQCN"}
    lines = [
        # Of means that are close, or that the curve lies on, one has its name below.
        {
            "goodput": LINE_RATE_BPS * float(claim.rows[row]),
            "text": f"{name} in the paper: {claim.rows[row]:g}",
            "below": row in ("dcqcn_mean", "mptcp_mean"),
        }
        for row, name in stated.items()
    ]
    paper = alt.Chart(alt.InlineData(values=lines))
    rules = paper.mark_rule(strokeDash=[6, 4], color=colour, opacity=0.6).encode(y="goodput:Q")
    names = [
        paper.transform_filter(f"datum.below === {below}")
        .mark_text(align="left", dx=6, dy=shift, color=colour)
        .encode(y="goodput:Q", x=alt.value(0), text="text:N")
        for below, shift in (("false", -6), ("true", 9))
    ]
    means = ", ".join(f"{name} {statistics.fmean(share for share, _ in by_run(results, name)):.3f}" for name in NAMES)
    drawing = draw_throughput_rank(Comparison.of(results), canvas)
    return replace(
        drawing,
        chart=drawing.chart + rules + names[0] + names[1],
        title="Stardust Fig. 10a: throughput under a random permutation of 432 hosts",
        subtitle=(
            f"Measured means, as shares of the line rate: {means}. Broken lines are the means that the paper states. "
            f"{drawing.subtitle}"
        ),
    ).finish(canvas)


run_time = Reproduction(
    "stardust",
    "paper-run-time",
    experiment="paper-run-time.toml",
    quick={"duration": "2 ms", "warmup": "1 ms"},
)
PAPER_HOURS = 12


@run_time.measure
def run_time_of_a_permutation(results: "Results") -> Measurement:
    """What the permutation that took the paper's simulator twelve hours takes here."""
    (run,) = results
    record = run.record
    counters = {row["counter"]: row["value"] for row in run.counters.to_pylist()}
    rows = {
        "simulated_ms": record.simulated_ps / 1e9,
        "core_seconds": record.core_s,
        "cells_measured": counters["cells sent"],
        "hops": float(record.hops),
    }
    times = PAPER_HOURS * 3600 / record.core_s
    note = (
        f"Twelve hours on the authors' machine are {times:,.0f} times as long as this took. The paper does not say how "
        "much time it simulated, so speeds cannot be compared"
    )
    return Measurement(rows, note, stated={})


@run_time.plot
def throughput_with_small_cells(results: "Results", claim: "Claim") -> "AnyChart":
    """The hosts' throughput in increasing order, as in Fig. 10a."""
    from gossamer.analysis.comparison import Comparison
    from gossamer.plots.canvas import Canvas
    from gossamer.plots.throughput import draw_throughput_rank

    canvas = Canvas()
    drawing = draw_throughput_rank(Comparison.of(results), canvas)
    (run,) = results
    return replace(
        drawing,
        title="Stardust App. G: the permutation of Fig. 10a with cells of 256 B and credits of 2 KB",
        subtitle=(
            f"{run.record.core_s:.0f} seconds of one core; the paper: {claim.rows['']} h. How much time it simulated "
            f"is not said. {drawing.subtitle}"
        ),
    ).finish(canvas)


ecmp = Reproduction(
    "stardust",
    "ecmp-utilisation",
    experiment="ecmp-utilisation.toml",
    quick={"duration": "40 ms", "sweep.seed": [1, 2]},
)


@ecmp.measure
def bisection_use(results: "Results") -> Measurement:
    """Share of the full bisection that permutations use, by size of the tree; the mean over the permutations."""
    by_hosts: dict[int, list[float]] = {}
    for row in results.summary.to_pylist():
        by_hosts.setdefault(row["hosts"], []).append(row["host_utilisation"])
    rows = {f"{hosts} hosts": statistics.fmean(shares) for hosts, shares in sorted(by_hosts.items())}
    every = [share for shares in by_hosts.values() for share in shares]
    return Measurement(
        rows,
        f"Means over permutations, by size of the tree; the {len(every)} permutations by themselves range from "
        f"{min(every):.3f} to {max(every):.3f}",
    )


@ecmp.plot
def use_by_size(results: "Results", claim: "Claim") -> "AnyChart":
    """Every permutation as a point, with the band that the paper states."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing, axis, ink

    canvas = Canvas()
    low, high = stated_interval(claim) or (0.0, 1.0)
    band = (
        alt.Chart(alt.InlineData(values=[{"low": low, "high": high}]))
        .mark_rect(opacity=0.12, color=ink(canvas.theme))
        .encode(y=alt.Y("low:Q"), y2="high:Q")
    )
    points = results.summary.select(["hosts", "seed", "host_utilisation"]).to_pylist()
    marks = (
        alt.Chart(alt.InlineData(values=points))
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("hosts:O", title="Hosts in the fat-tree", axis=alt.Axis(labelAngle=0)),
            y=alt.Y(
                "host_utilisation:Q",
                title="Share of the bisection in use",
                axis=axis("fraction"),
                scale=alt.Scale(domain=[0, 1]),
            ),
        )
    )
    return Drawing(
        band + marks,
        "Stardust §5.3: what flow hashing leaves of the bisection",
        f"NewReno under random permutations, a point each. Shaded: {low:.0%} to {high:.0%}, as the paper states.",
    ).finish(canvas)
