"""Fastpod §4: links and arbiters that fail.

Readings of the paper: papers/fastpod/README.md.
"""

from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction

from .slots import COLLISIONS, counted

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

failures = Reproduction(
    "fastpod", "failure-detection", experiment="failures.toml", quick={"workload.flows.flows": 1000}
)

NOTHING, HOST, ABOVE, ARBITER = "nothing fails", "a host's link", "a link above a ToR", "the arbiter"
SILENT, SUSPECTED = "hosts taken for dead", "links taken for broken"
RESENT, REFUSED = "slots sent again", "allocations that came too late"
LITTLE = 1.25
"""How many times as long as without a failure all flows may take at most where one link of a ToR's four is gone."""


def by_variant(results: "Results") -> "dict[str, Run]":
    """What fails, and the run in which it does."""
    return {str(run.variant): run for run in results}


def everything_arrives(run: "Run") -> bool:
    """Whether every flow has ended."""
    summary = run.summary.to_pylist()[0]
    return bool(summary["flows_completed"] == summary["flows_started"])


def takes_ms(run: "Run") -> float:
    """Until when all flows have ended, in milliseconds."""
    return float(run.summary.to_pylist()[0]["simulated_ps"]) / 1e9


@failures.measure
def what_is_found(results: "Results") -> Measurement:
    """Who finds out, and whether all arrives in spite of it."""
    found = by_variant(results)
    parts = [f"{name} {takes_ms(run):.2f} ms" for name, run in found.items()]
    return Measurement(
        {},
        f"Until all flows have ended: {', '.join(parts)}. Hosts taken for dead: "
        f"{counted(found[HOST], SILENT):.0f}; links above a ToR that were taken for broken, tried again every "
        f"millisecond: {counted(found[ABOVE], SUSPECTED):.0f}, with {counted(found[ABOVE], RESENT):.0f} slots sent "
        f"again; allocations that came too late: {counted(found[ARBITER], REFUSED):.0f}",
        trends={
            "a host without a link is found": counted(found[HOST], SILENT) >= 1,
            "a link above a ToR is found": counted(found[ABOVE], SUSPECTED) >= 1,
            "it is left out: all flows end nearly as soon": takes_ms(found[ABOVE]) <= LITTLE * takes_ms(found[NOTHING]),
            "every flow arrives, whatever fails": all(map(everything_arrives, found.values())),
            "nothing collides, a takeover included": not any(counted(run, COLLISIONS) for run in found.values()),
        },
    )


@failures.plot
def time_by_failure(results: "Results", claim: "Claim") -> "AnyChart":
    """How long all flows take."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import draw_bars

    canvas = Canvas()
    rows: list[Bar] = [
        {"place": name, "label": "Fastpod", "value": takes_ms(run) / 1e3, "expected": None}
        for name, run in by_variant(results).items()
    ]
    told = f"§{claim.section}: until all flows have ended; what fails, fails after 1 ms."
    chart = draw_bars(rows, canvas, "ps", None, "All flows", "scheme")
    return Drawing(chart, "Fastpod §4: all flows, by what fails", told).finish(canvas)
