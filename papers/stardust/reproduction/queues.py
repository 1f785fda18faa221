"""Stardust (NSDI 2019): latency and queues in a two-tier fabric (Fig. 9).

Readings of the paper: papers/stardust/README.md.
"""

import math
import statistics
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .push_pull import counted, lost

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

    from .tails import Tail

EXPERIMENT = "fig9.toml"
QUICK = {
    "topology.leaves": 32,
    "topology.hosts_per_leaf": 1,
    "topology.uplinks": 16,
    "topology.tiers": [{"switches": 64, "uplinks": 8}, {"switches": 16}],
    "duration": "400 us",
}
"""An eighth of the adapters in as many pods, half of the links each; a port has the same rate, and an adapter one."""
LOADS = ("66 %", "80 %", "92 %", "95 %")
OVERLOAD = "120 %"
LAST = "queue leaf-tier1 down"
"""Queues of the last stage: from first-tier elements to adapters."""
CELL = 256

latency = Reproduction("stardust", "fig9-latency", experiment=EXPERIMENT, quick=QUICK)
queues = Reproduction("stardust", "fig9-queues", experiment=EXPERIMENT, quick=QUICK)
overload = Reproduction("stardust", "fig9-oversubscribed", experiment=EXPERIMENT, quick=QUICK)


def under(results: "Results", load: str) -> "Run":
    """The run at a load."""
    return next(run for run in results if run.variant == load)


def used(run: "Run") -> float:
    """Share of the time in which the links of the last stage are busy: the mean over them."""
    rows = run.links.to_pylist()
    return statistics.fmean(
        row["utilisation"] for row in rows if (row["class"], row["direction"]) == ("leaf-tier1", "down")
    )


def at_most(run: "Run", histogram: str, share: float) -> float:
    """The upper bound of the bucket in which this share of the values is reached."""
    from .tails import buckets  # with what draws, which would slow every command's start

    found = buckets(run, histogram)
    wanted = share * sum(row["count"] for row in found)
    sums = accumulate(row["count"] for row in found)
    return float(next(row["upper"] for row, reached in zip(found, sums, strict=True) if reached >= wanted))


def decay(tail: "Tail", low: float, high: float) -> float:
    """By what the share falls with each cell, between two shares: the slope of a line through its logarithms."""
    points = [(value, math.log(share)) for value, share in tail if low <= share <= high and value > 0]
    if len(points) < 3:
        return math.nan
    return math.exp(statistics.linear_regression(*zip(*points, strict=True)).slope)


@latency.measure
def traversal(results: "Results") -> Measurement:
    """The longest time that any cell takes through the fabric at 95 %, and percentiles at every load."""
    longest = at_most(under(results, "95 %"), "cell latency", 1) / 1e6
    parts = [
        f"{load}: median {at_most(under(results, load), 'cell latency', 0.5) / 1e6:.2f} us, "
        f"99.9 % {at_most(under(results, load), 'cell latency', 0.999) / 1e6:.2f} us, "
        f"longest {at_most(under(results, load), 'cell latency', 1) / 1e6:.2f} us"
        for load in LOADS
    ]
    cells = sum(counted(under(results, load), "cells delivered") for load in LOADS)
    speed = sum(run.record.hops for run in results) / sum(run.record.core_s for run in results) / 1e6
    note = (
        f"{'; '.join(parts)}. {cells / 1e6:.0f} M cells measured; four links and no device take 2 us. "
        f"{sum(run.record.core_s for run in results):.0f} core-seconds, {speed:.1f} M hops each"
    )
    return Measurement({"": longest}, note)


@queues.measure
def tails(results: "Results") -> Measurement:
    """How fast the tails of the last stage's queues fall, beside M/D/1 at the same utilisation."""
    from .tails import tail

    rows, falls, dropped = {}, [], 0.0
    for load in LOADS:
        run = under(results, load)
        rho = used(run)
        measured = decay(tail(run, LAST, CELL), 1e-5, 0.3)
        rows[f"decay a cell at {load}"] = measured
        falls.append(f"{load} (measured {rho:.3f}): {measured:.3f}, M/D/1 {md1_decay(rho):.3f}, fs^-2 {rho**2:.3f}")
        dropped += lost(results, load)
    dropped += lost(results, OVERLOAD)
    values = list(rows.values())
    ordered = all(one < other for one, other in pairwise(values))
    bounded = all(
        measured <= md1_decay(used(under(results, load))) for measured, load in zip(values, LOADS, strict=True)
    )
    note = (
        "What the share of longer queues is multiplied by with each further cell, from a line through the logarithms "
        f"of shares between 0.3 and 0.00001: {'; '.join(falls)}. It {'grows' if ordered else 'does not always grow'} "
        f"with utilisation and is {'at no load' if bounded else 'at some load'} above that of "
        f"M/D/1, which the paper calls the worst case. {dropped:.0f} cells lost, in all five runs"
    )
    rows["cells lost"] = dropped
    return Measurement(
        rows,
        note,
        required={"cells lost": Requirement("eq", 0)},
        trends={"tails grow with utilisation": ordered, "no tail is longer than that of M/D/1": bounded},
    )


@overload.measure
def effective_utilisation(results: "Results") -> Measurement:
    """The share of the last stage's links that is in use when the fabric is offered 120 %."""
    run = under(results, OVERLOAD)
    indicated, cells = counted(run, "cells with congestion indication"), counted(run, "cells sent")
    note = (
        f"{indicated / cells:.1%} of the cells carry an indication; adapters keep at most "
        f"{counted(run, 'largest ingress buffer') / 1e6:.1f} MB and then pause their hosts. "
        f"{lost(results, OVERLOAD):.0f} cells lost, inputs of elements paused "
        f"{counted(run, 'pauses of element inputs'):.0f} times; longest traversal "
        f"{at_most(run, 'cell latency', 1) / 1e6:.1f} us"
    )
    return Measurement({"": used(run)}, note)


def md1(rho: float) -> list[float]:
    """The share of time in which an M/D/1 queue holds at least 0, 1, 2, ... customers, the one in service included."""
    from gossamer.plan import plan

    return list(plan("stardust", utilisation=rho)["fabric"]["queues"]["tail"])


def md1_decay(rho: float) -> float:
    """By what that share falls with each customer, far out."""
    from gossamer.plan import plan

    return float(plan("stardust", utilisation=rho)["fabric"]["queues"]["decay"])


@latency.plot
def latency_distribution(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 9, left: the share of cells that take longer than each time."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .tails import draw_tails, tail

    canvas = Canvas()
    measured = {load: tail(under(results, load), "cell latency", 1e12) for load in (*LOADS, OVERLOAD)}
    chart = draw_tails(measured, {}, canvas, "ps", "Time through the fabric", "cells", 1e-7)
    told = f"From an adapter's queue to the other adapter. The paper: at 95 % at most {claim.rows['']:g} µs."
    return Drawing(chart, "Stardust Fig. 9: latency of the fabric", told).finish(canvas)


@queues.plot
def queue_distribution(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 9, right: the share of the time in which a queue of the last stage is longer than so many cells."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .tails import draw_tails, tail

    canvas = Canvas()
    measured = {load: tail(under(results, load), LAST, CELL) for load in (*LOADS, OVERLOAD)}
    modelled = {load: list(enumerate(md1(used(under(results, load))))) for load in LOADS}
    chart = draw_tails(measured, modelled, canvas, "count", "Cells before a link", "time", 1e-7)
    told = f"Links from first-tier elements to adapters (§{claim.section}). Broken: M/D/1 at the measured utilisation."
    return Drawing(chart, "Stardust Fig. 9: queues of the last stage", told).finish(canvas)


@overload.plot
def overload_latency(results: "Results", claim: "Claim") -> "AnyChart":
    """Utilisation of the last stage against what is offered."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import draw_bars

    canvas = Canvas()
    chart = draw_bars(
        [
            {
                "place": f"{load} offered",
                "label": "links of the last stage",
                "value": used(under(results, load)),
                "expected": float(claim.rows[""]) if load == OVERLOAD else None,
            }
            for load in (*LOADS, OVERLOAD)
        ],
        canvas,
        "fraction",
        None,
        "Links in use",
        "links",
    )
    drawing = Drawing(chart, "Stardust Fig. 9: what a fabric carries that is offered too much", "")
    return replace(drawing, subtitle="Mark: effective utilisation in the paper.").finish(canvas)
