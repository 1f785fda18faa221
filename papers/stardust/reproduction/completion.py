"""Stardust (NSDI 2019): how long flows take (Figs. 10b and 10c).

Readings of the paper: papers/stardust/README.md.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .push_pull import lost

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.reproduce.registry import Charts
    from gossamer.results import Results

    from .completion_by_size import Completion
    from .first_last import FirstLast

SENDERS = "workload.responses.senders"
LINE_RATE_BPS = 10e9
SAME = 0.1
"""How far apart two curves of Fig. 10c may be and look the same: its axis reaches to 300 ms and is 3 cm high."""

fig10c = Reproduction(
    "stardust", "fig10c-incast", experiment="fig10c-incast.toml", quick={f"sweep.{SENDERS}": [10, 50]}
)


def first_and_last(results: "Results") -> "list[FirstLast]":
    """First and last completion of each run. Raises ValueError if a response is not complete."""
    found: list[FirstLast] = []
    for run in results:
        times = [flow["fct_ps"] for flow in run.flows.to_pylist()]
        if None in times:
            raise ValueError(f"run {run.name} left responses unfinished")
        senders = run.sweep[SENDERS]
        found.append(
            {"label": str(run.variant), "senders": int(senders), "first_ps": min(times), "last_ps": max(times)}
        )
    return found


@fig10c.measure
def fairness_of_an_incast(results: "Results") -> Measurement:
    """Last completion over DCTCP's, and the spread between first and last over DCTCP's, by number of senders."""
    found = {(each["label"], each["senders"]): each for each in first_and_last(results)}
    counts = sorted({senders for _, senders in found})
    rows: dict[str, float] = {}
    for senders in counts:
        stardust, dctcp = found["stardust", senders], found["dctcp", senders]
        rows[f"last over DCTCP's, {senders} senders"] = stardust["last_ps"] / dctcp["last_ps"]
    spreads = {key: (each["last_ps"] - each["first_ps"]) / each["last_ps"] for key, each in found.items()}
    dropped = lost(results, "stardust")
    alike = dict.fromkeys(rows, Requirement("approx", 1.0, SAME))
    rows["cells or packets lost"] = dropped
    fairer = all(spreads["stardust", senders] < spreads["dctcp", senders] for senders in counts)
    most = max(counts)
    spread = {name: spreads[name, most] for name in ("stardust", "dctcp")}
    ideal = most * 450_000 * 8 / LINE_RATE_BPS * 1e12
    timeouts = sum(row["timeouts"] for row in results.summary.to_pylist() if row["variant"] == "dctcp")
    over = {name: found[name, most]["last_ps"] / ideal - 1 for name in ("stardust", "dctcp")}
    note = (
        f"Stardust's last response of {most} is complete {over['stardust']:.1%} later than the receiver's link allows, "
        f"DCTCP's {over['dctcp']:.0%}: it waits for timeouts ({timeouts} in all). From the first to the last it is "
        f"{spread['stardust']:.0%} of the time of the last with Stardust and {spread['dctcp']:.0%} with DCTCP; "
        f"Stardust's is the smaller {'for every number of senders' if fairer else 'not for every number of senders'}. "
        f"{dropped:.0f} cells or packets are lost over Stardust. MPTCP is not built yet"
    )
    return Measurement(
        rows,
        note,
        required={**alike, "cells or packets lost": Requirement("eq", 0)},
        trends={"Stardust's spread is the smaller for every number of senders": fairer},
    )


@fig10c.plot
def incast_by_senders(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 10c: first and last completion against the number of senders."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .first_last import draw_first_last

    canvas = Canvas()
    return Drawing(
        draw_first_last(first_and_last(results), canvas),
        "Stardust Fig. 10c: incast, first and last completion",
        f"§{claim.section}: responses of 450 KB from random hosts of a fat-tree of 432, all at once, to one.",
    ).finish(canvas)


fig10b = Reproduction(
    "stardust",
    "fig10b-fct",
    experiment="fig10b-fct.toml",
    quick={
        "duration": "20 ms",
        "warmup": "5 ms",
        "workload.web.start": "5 ms",
        "variant.stardust.duration": "8 ms",
        "workload.web.gap": "10 us",
    },
)
LARGE = 1_000_000
"""Bytes of the flows that the claim is about."""


def completions(results: "Results", variant: str, size: int) -> list[float]:
    """Completion times of the pair's flows of a size that ended, in increasing order, milliseconds."""
    flows = results[variant].flows.to_pylist()
    times = [
        flow["fct_ps"] / 1e9 for flow in flows if flow["group"] == "web" and flow["bytes"] == size and flow["fct_ps"]
    ]
    return sorted(times)


@fig10b.measure
def completion_of_large_flows(results: "Results") -> Measurement:
    """How long flows of 1 MB between the pair take over Stardust: the slowest."""
    found = {variant: completions(results, variant, LARGE) for variant in ("stardust", "dctcp", "newreno")}
    parts = []
    for variant, times in found.items():
        if times:
            under, middle = sum(time < 1 for time in times), times[len(times) // 2]
            parts.append(
                f"{variant}: {under} of {len(times)} in less than 1 ms, median {middle:.2f} ms, "
                f"slowest {times[-1]:.2f} ms"
            )
    sizes = sorted({flow["bytes"] for flow in results["stardust"].flows.to_pylist() if flow["group"] == "web"})
    ahead = all(
        ours[len(ours) // 2] <= theirs[len(theirs) // 2]
        for size in sizes
        for other in ("dctcp", "newreno")
        if (ours := completions(results, "stardust", size)) and (theirs := completions(results, other, size))
    )
    first = "for every size" if ahead else "but not for every size"
    note = (
        f"The slowest of all flows of 1 MB. {'; '.join(parts)}. Stardust's median is the shortest, {first}. "
        "MPTCP and DCQCN are not built yet"
    )
    stardust = found["stardust"]
    return Measurement({"": stardust[-1] if stardust else float("nan")}, note)


@fig10b.plot
def completion_times(results: "Results", claim: "Claim") -> "Charts":
    """Fig. 10b: the distribution of completion times, and their medians by size."""
    from gossamer.plots.canvas import Canvas

    from .completion_by_size import draw_by_size, draw_share

    canvas = Canvas()
    rows: list[Completion] = [
        {"label": str(run.variant), "bytes": flow["bytes"], "fct_ps": flow["fct_ps"]}
        for run in results
        for flow in run.flows.to_pylist()
        if flow["group"] == "web" and flow["fct_ps"]
    ]
    told = (
        "Flows between one pair, one after the other, of the ten sizes of NDP's package; every other host keeps four "
        f"endless flows going. The paper: even flows of 1 MB take less than {claim.rows['']:g} ms over Stardust."
    )
    share, by_size = draw_share(rows, canvas), draw_by_size(rows, canvas)
    return {
        "share": replace(share, title="Stardust Fig. 10b: completion times beside long flows", subtitle=told).finish(
            canvas
        ),
        "size": replace(by_size, title="Stardust Fig. 10b: completion times by size", subtitle=told).finish(canvas),
    }
