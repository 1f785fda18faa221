"""Stardust (NSDI 2019): how long flows take (Figs. 10b and 10c).

Readings of the paper: papers/stardust/README.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .push_pull import lost
from .transports import IN_THE_PAPER, NAMES, OURS_TOLD, paused_share, resent, timeouts

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
    alike = dict.fromkeys(rows, Requirement("approx", 1.0, SAME))
    rows["cells or packets lost"] = lost(results, "stardust")
    spreads = {key: (each["last_ps"] - each["first_ps"]) / each["last_ps"] for key, each in found.items()}
    fairest = all(
        spreads["stardust", senders] < spreads[name, senders] for senders in counts for name in ("dctcp", "mptcp")
    )
    sooner = all(found["stardust", senders]["last_ps"] < found["mptcp", senders]["last_ps"] for senders in counts)
    most = max(counts)
    ideal = most * 450_000 * 8 / LINE_RATE_BPS * 1e12
    told = [
        f"{name} {found[name, most]['last_ps'] / ideal - 1:.1%} and {spreads[name, most]:.0%} "
        f"({timeouts(results, name):,} and {resent(results, name):,})"
        for name in NAMES
    ]
    note = (
        f"The last response of {most} is complete so much later than the receiver's link allows, and from the first to "
        "the last it is so much of the time of the last (timeouts, and packets sent again, for all numbers of senders "
        f"together): {', '.join(told)}. dcqcn is not in the paper's figure either; {OURS_TOLD}"
    )
    return Measurement(
        rows,
        note,
        required={**alike, "cells or packets lost": Requirement("eq", 0)},
        trends={
            "Stardust's last response is sooner than MPTCP's for every number of senders": sooner,
            "Stardust's spread is the smallest for every number of senders": fairest,
        },
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
        "variant.mptcp.duration": "12 ms",
        "variant.dctcp over pfc.duration": "12 ms",
        "variant.ndp.duration": "8 ms",
        "workload.web.gap": "10 us",
    },
)
LARGE = 1_000_000
"""Bytes of the flows that the claim is about."""


def completions(results: "Results") -> dict[str, dict[int, list[float]]]:
    """Completion times of the pair's flows that ended, in increasing order, milliseconds, by variant and size."""
    found: dict[str, dict[int, list[float]]] = {}
    for run in results:
        times = found.setdefault(str(run.variant), {})
        for flow in run.flows.to_pylist():
            if flow["group"] == "web" and flow["fct_ps"]:
                times.setdefault(flow["bytes"], []).append(flow["fct_ps"] / 1e9)
    return {name: {size: sorted(each) for size, each in sorted(times.items())} for name, times in found.items()}


def middle(times: Sequence[float]) -> float:
    """The median of times in increasing order; of two the later one."""
    return times[len(times) // 2]


@fig10b.measure
def completion_of_large_flows(results: "Results") -> Measurement:
    """How long flows of 1 MB between the pair take over Stardust: the slowest."""
    found = completions(results)
    parts = [
        f"{name}: {sum(time < 1 for time in times)} of {len(times)} in less than 1 ms, median {middle(times):.2f} ms, "
        f"slowest {times[-1]:.2f} ms"
        for name, sizes in found.items()
        if (times := sizes.get(LARGE))
    ]
    sooner = {
        name: [
            size
            for size, times in sizes.items()
            if size in found["stardust"] and middle(times) < middle(found["stardust"][size])
        ]
        for name, sizes in found.items()
    }
    told = ", ".join(f"{name} at {', '.join(map(str, sizes))} B" for name, sizes in sooner.items() if sizes)
    note = (
        f"The slowest of all flows of 1 MB. {'; '.join(parts)}. Medians shorter than Stardust's: {told or 'none'}. "
        f"Links were paused for {paused_share(results, 'dcqcn'):.3%} of the time with dcqcn, for "
        f"{paused_share(results, 'dctcp over pfc'):.3%} with dctcp over pfc. {OURS_TOLD}"
    )
    return Measurement(
        {"": found["stardust"].get(LARGE, [float("nan")])[-1]},
        note,
        trends={
            "Stardust's median is the shortest of the paper's schemes for every size": not any(
                sooner[name] for name in IN_THE_PAPER
            )
        },
    )


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
