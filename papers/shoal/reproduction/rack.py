"""Shoal (NSDI 2019): permutations and incasts in the rack of §7.2 and in the prototype of §6.2 (Figs. 9, 10, 12, 13).

Readings of the paper: papers/shoal/README.md.
"""

import statistics
from itertools import pairwise
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .plan import rack

if TYPE_CHECKING:
    from gossamer.analysis.quantities import Kind
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

PLAN = rack()
"""The rack of §7.2 in closed form."""
NODES: int = PLAN["input"]["nodes"]
CELL = PLAN["timing"]["cell_bytes"]
PEAK_BPS = PLAN["throughput"]["cells_bps"]
"""What a node can send: a cell a slot on each channel."""
EPOCH_S = next(each["epoch_ps"] for each in PLAN["timing"]["schedules"] if each["order"] == "rearranged") / 1e12
"""In whole slots."""

throughput = Reproduction(
    "shoal",
    "worst-case-throughput",
    experiment="fig12-throughput.toml",
    quick={"sweep.workload.0.pairs": [1, 256, 512], "duration": "200 us", "warmup": "100 us"},
)
incast = Reproduction(
    "shoal",
    "fig13-incast",
    experiment="fig13-incast.toml",
    quick={"sweep.workload.0.senders": [1, 100]},
)
bounds = Reproduction(
    "shoal", "queue-bound", experiment="fig13-incast.toml", quick={"sweep.workload.0.senders": [1, 100]}
)
prototype_incast = Reproduction(
    "shoal", "prototype-incast", experiment="prototype-incast.toml", quick={"duration": "50 us"}
)
prototype = Reproduction(
    "shoal",
    "prototype-throughput",
    experiment="prototype-throughput.toml",
    quick={"duration": "1 ms", "warmup": "500 us"},
)


def counted(run: "Run", counter: str) -> float:
    """One of the rack's counters."""
    return {row["counter"]: float(row["value"]) for row in run.counters.to_pylist()}[counter]


def measured_s(run: "Run") -> float:
    """The time that was measured, without the warm-up."""
    return float(run.summary.column("measured_ps")[0].as_py()) / 1e12


def by_pairs(results: "Results") -> dict[int, float]:
    """Mean rate in b/s at which a destination receives cells of its own, by the number of pairs."""
    found = {}
    for run in results:
        pairs = int(str(run.sweep["workload.0.pairs"]))
        found[pairs] = counted(run, "cells delivered") * CELL * 8 / measured_s(run) / pairs
    return found


@throughput.measure
def half_of_the_peak(results: "Results") -> Measurement:
    """What is left to each destination when all nodes send, of what one pair alone gets; and whether it only falls."""
    found = by_pairs(results)
    rates = [found[pairs] for pairs in sorted(found)]
    falls = all(later < earlier for earlier, later in pairwise(rates))
    most, all_send = min(found), max(found)
    note = (
        f"{most} pair: {found[most] / 1e9:.1f} Gb/s, of {PEAK_BPS / 1e9:.1f} that slots and guard band leave; "
        f"{all_send}: {found[all_send] / 1e9:.1f}. It {'falls' if falls else 'does not fall'} with every step between. "
        "N / (2 (N-1)) = 0.501 is what a permutation of all leaves (README.md)"
    )
    return Measurement(
        {"": found[all_send] / found[most]}, note, trends={"throughput falls with every step to more pairs": falls}
    )


@throughput.plot
def by_size(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 12: what a destination receives, by how many pairs there are."""
    found = by_pairs(results)
    rows: list[Bar] = [
        {"place": f"{pairs}", "label": "Shoal", "value": found[pairs], "expected": None} for pairs in sorted(found)
    ]
    return drawn(
        rows,
        "Shoal Fig. 12: a destination's throughput, by the size of a permutation",
        "b/s",
        f"§{claim.section}: from the peak to half of it. Cells of its own, headers included.",
    )


def drawn(rows: "list[Bar]", title: str, unit: "Kind", told: str) -> "AnyChart":
    """Bars by place."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import draw_bars

    canvas = Canvas()
    return Drawing(draw_bars(rows, canvas, unit, None, "", "system"), title, told).finish(canvas)


def completions(run: "Run") -> list[float]:
    """Completion times of all flows, in seconds."""
    return [flow["fct_ps"] / 1e12 for flow in run.flows.to_pylist()]


def optimum_s(senders: int, cells: int) -> float:
    """Least time for so many cells from each sender: in an epoch one comes from each other node."""
    return senders * cells / (NODES - 1) * EPOCH_S


CELLS = PLAN["incast"]["cells"]
"""Of 130 KB (§7.2)."""


@incast.measure
def mean_and_slowest(results: "Results") -> Measurement:
    """Mean over slowest completion of the largest incast; against the least time that there can be."""
    parts = []
    for run in results:
        senders = int(str(run.sweep["workload.0.senders"]))
        times = completions(run)
        parts.append(f"{senders}: {max(times) * 1e3:.3f} ms ({max(times) / optimum_s(senders, CELLS):.2f})")
    largest = completions(list(results)[-1])
    note = (
        "Slowest of each number of senders, and in how many times the least time in which the receiver's slots bring "
        f"so many cells: {', '.join(parts)}. One sender alone is bound by its own slots and by feedback"
    )
    over_least = max(largest) / optimum_s(len(largest), CELLS)
    return Measurement(
        {"mean_over_slowest": statistics.fmean(largest) / max(largest), "slowest_over_least": over_least},
        note,
        required={"slowest_over_least": Requirement("le", 1.1)},
    )


@incast.plot
def by_senders(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 13: slowest and mean completion by the number of senders, and the optimum."""
    rows: list[Bar] = []
    for run in results:
        senders = int(str(run.sweep["workload.0.senders"]))
        times, least = completions(run), optimum_s(senders, CELLS)
        for label, value in (("slowest", max(times)), ("mean", statistics.fmean(times))):
            rows.append({"place": f"{senders}", "label": label, "value": value * 1e12, "expected": least * 1e12})
    return drawn(
        rows,
        "Shoal Fig. 13: completion of an incast of 130 KB, by senders",
        "ps",
        f"§{claim.section}: the slowest is optimal (marks), and the mean close to it.",
    )


@bounds.measure
def longest_queues(results: "Results") -> Measurement:
    """Whether the longest queue of every incast is within Eq. 5."""
    rows, bounds = {}, {}
    for run in results:
        senders = int(str(run.sweep["workload.0.senders"]))
        name = f"{senders} sender{'' if senders == 1 else 's'}"
        rows[name] = counted(run, "longest queue")
        bounds[name] = Requirement("le", 1 + senders)
    note = (
        "Longest queue, in cells; Eq. 5 allows one more than there are senders. Debug builds check "
        "Eqs. 3 to 5, and one cell a subflow in each of its queues, when one joins (crates/shoal/src/rack.rs)"
    )
    return Measurement(rows, note, required=bounds)


@bounds.plot
def longest_by_senders(results: "Results", claim: "Claim") -> "AnyChart":
    """The longest queue by the number of senders, and Eq. 5's bound."""
    rows: list[Bar] = []
    for run in results:
        senders = int(str(run.sweep["workload.0.senders"]))
        longest = counted(run, "longest queue")
        rows.append({"place": f"{senders}", "label": "longest queue", "value": longest, "expected": 1.0 + senders})
    title, told = "Shoal Eq. 5: the longest queue of an incast, by senders", "Cells; marks are the bound."
    return drawn(rows, title, "count", f"§{claim.section}. {told}")


@prototype_incast.measure
def seven_to_one(results: "Results") -> Measurement:
    """First and last completion, and the longest queue."""
    (run,) = results
    times = sorted(completions(run))
    rows = {"first_us": times[0] * 1e6, "last_us": times[-1] * 1e6, "queue": counted(run, "longest queue")}
    note = (
        "Times are of the slot by whose beginning the last cell has come. The longest queue is 6: the seventh cell for "
        "the receiver comes to a node after the first has left"
    )
    return Measurement(rows, note)


@prototype_incast.plot
def completion_times(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 10: the seven completion times."""
    (run,) = results
    rows: list[Bar] = [
        {"place": f"{number}", "label": "Shoal", "value": time * 1e12, "expected": None}
        for number, time in enumerate(sorted(completions(run)), 1)
    ]
    return drawn(
        rows,
        "Shoal Fig. 10: seven flows of 448 B to one node of the prototype",
        "ps",
        f"§{claim.section}: from {claim.rows['first_us']:g} to {claim.rows['last_us']:g} us in the paper.",
    )


def shares(results: "Results") -> dict[str, float]:
    """Cells of its own that a destination of the prototype receives, over those that a link can carry."""
    found = {}
    for run in results:
        cell = float(str(run.sweep["fabric.cell"]).split()[0])
        slot = 6.4e-9 + (24 + cell) * 8 / 10e9
        found[f"{cell:.0f} B"] = counted(run, "cells delivered") / 8 / measured_s(run) * slot
    return found


@prototype.measure
def longer_slots(results: "Results") -> Measurement:
    """Throughput by the length of the slot: far below a half for short ones, a half for long ones."""
    found = shares(results)
    first, *_, last = found
    parts = ", ".join(f"{cell} {share:.3f}" for cell, share in found.items())
    note = (
        f"Of the cells that a link could carry, by the size of a cell: {parts}. Between them are steps: feedback "
        "comes in time for one epoch more or less. Direct subflows share their link with nobody, so that "
        "N / (2 (N-1)) = 0.571 of 8 nodes' cells could arrive"
    )
    return Measurement(
        dict(found), note, required={first: Requirement("le", 0.25), last: Requirement("approx", 0.5, 0.1)}
    )


@prototype.plot
def by_slot(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 9: throughput by the size of a cell."""
    rows: list[Bar] = [
        {"place": cell, "label": "Shoal", "value": share * 10e9, "expected": None}
        for cell, share in shares(results).items()
    ]
    return drawn(
        rows,
        "Shoal Fig. 9: throughput of the prototype, by the size of a cell",
        "b/s",
        f"§{claim.section}: far below a half for short slots, close to a half for long ones.",
    )
