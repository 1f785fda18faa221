"""Fastpod §3.4: pods around core switches with buffers, and traffic that is scheduled twice.

Readings of the paper: papers/fastpod/README.md.
"""

from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction

from .failures import by_variant, everything_arrives
from .slots import COLLISIONS, counted

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

EVERYWHERE, WANTED, SMALL, BOTH = "everywhere", "one pod is wanted", "small buffers", "both kinds"

inter_pod = Reproduction(
    "fastpod",
    "inter-pod",
    experiment="inter-pod.toml",
    quick={f"variant.{name}.workload.flows.flows": 1000 for name in (EVERYWHERE, WANTED, SMALL)},
)

FULL, BETWEEN = "packets that found no room in a core switch", "packets between pods"
HELD, HELD_FOR_ONE = "most that a core switch held", "of these, for one pod"
STOPS, PORT_STOPS = "requests of core switches that said stop", "of others, for some pods"
FAIR = 1.1
"""How many times as long one kind of traffic may take as the other where both want the same."""


def lost(run: "Run") -> float:
    """Packets that a core switch had no room for, and messages that did not come."""
    summary = run.summary.to_pylist()[0]
    return counted(run, FULL) + float(summary["total_dropped_frames"]) + float(summary["total_lost_frames"])


def takes_us(run: "Run") -> dict[str, float]:
    """How long flows take on average, in microseconds, by workload."""
    times: dict[str, list[float]] = {}
    for flow in run.flows.select(["group", "fct_ps"]).to_pylist():
        times.setdefault(str(flow["group"]), []).append(float(flow["fct_ps"]) / 1e6)
    return {name: sum(each) / len(each) for name, each in times.items()}


@inter_pod.measure
def what_goes_wrong(results: "Results") -> Measurement:
    """Collisions and losses, of all runs; and that backpressure of both kinds was needed."""
    found = by_variant(results)
    parts = [
        f"{name}: {counted(run, BETWEEN):,.0f} packets between pods, a core switch held up to {counted(run, HELD):,.0f}"
        f", up to {counted(run, HELD_FOR_ONE):,.0f} for one pod"
        for name, run in found.items()
    ]
    takes = takes_us(found[BOTH])
    apart = max(takes.values()) / min(takes.values())
    return Measurement(
        {"": sum(counted(run, COLLISIONS) + lost(run) for run in results)},
        f"{'; '.join(parts)}. Core switches told all pods to stop {counted(found[SMALL], STOPS):,.0f} times with small "
        f"buffers, and {counted(found[WANTED], PORT_STOPS):,.0f} times what is for one pod without. Of 1 MB each, "
        f"those between pods take {takes['between']:.1f} us and those within {takes['within']:.1f} us on average",
        trends={
            "every flow arrives": all(map(everything_arrives, found.values())),
            "core switches say stop when their buffer is about to overflow": counted(found[SMALL], STOPS) > 0,
            "and for one pod when its queue is long": counted(found[WANTED], PORT_STOPS) > 0,
            "traffic within a pod and between pods is served alike": apart <= FAIR,
        },
    )


@inter_pod.plot
def held_by_variant(results: "Results", claim: "Claim") -> "AnyChart":
    """The most that a core switch held."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import draw_bars

    canvas = Canvas()
    rows: list[Bar] = [
        {"place": name, "label": "Fastpod", "value": counted(run, HELD) * 1500, "expected": None}
        for name, run in by_variant(results).items()
    ]
    told = f"§{claim.section}: packets of 1500 B that wait, or of which it is not known that they have come."
    chart = draw_bars(rows, canvas, "B", None, "Held", "scheme")
    return Drawing(chart, "Fastpod §3.4: the most that a core switch held", told).finish(canvas)
