"""Stardust (NSDI 2019): what does not fit into a port stays outside the fabric (Figs. 7 and 12, §5.4).

Readings of the paper: papers/stardust/README.md.
"""

import statistics
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

PORT_BPS = 100e9
FLOWS = {"A from the first": "A", "B from the first": "B", "A from the second": "A"}
"""Workloads, and the port each sends to."""

fig7 = Reproduction("stardust", "push-vs-pull", experiment="push-vs-pull.toml", quick={"sweep.seed": [1]})
fig12 = Reproduction(
    "stardust", "push-vs-pull-classes", experiment="push-vs-pull-classes.toml", quick={"sweep.seed": [1]}
)


def delivered(results: "Results", variant: str) -> dict[str, float]:
    """What each flow delivers in a variant, as a share of a port's rate; the mean over the seeds."""
    rates: dict[str, list[float]] = {name: [] for name in FLOWS}
    for run in results:
        if run.variant == variant:
            for flow in run.flows.to_pylist():
                rates[flow["group"]].append(flow["goodput_bps"] / PORT_BPS)
    return {name: statistics.fmean(each) for name, each in rates.items()}


def by_port(results: "Results", variant: str) -> dict[str, float]:
    """What each port delivers in a variant, as a share of its rate."""
    found = {"A": 0.0, "B": 0.0}
    for name, share in delivered(results, variant).items():
        found[FLOWS[name]] += share
    return found


GONE = (
    "cells lost to faults",
    "cells dropped without a route",
    "cells given up",
    "cells beyond an element's memory",
)
"""An element that finds no room for a cell would drop it."""


def counted(run: "Run", counter: str) -> float:
    """One of a fabric's own counters; 0 for a fabric that keeps none.

    Raises:
        KeyError: The fabric keeps counters, but none of this name: a check of it could not fail.
    """
    kept = {row["counter"]: float(row["value"]) for row in run.counters.to_pylist()}
    return kept[counter] if kept else 0.0


def cells_lost(results: "Results", variant: str) -> float:
    """Cells that a variant loses inside the fabric, in all its runs."""
    every = [run for run in results if run.variant == variant]
    return sum(counted(run, name) for run in every for name in GONE)


def packets_lost(results: "Results", variant: str) -> int:
    """Packets that a variant loses anywhere, in all its runs: before the fabric as well."""
    every = [run.summary.to_pylist()[0] for run in results if run.variant == variant]
    return sum(int(row["total_dropped_frames"]) + int(row["total_lost_frames"]) for row in every)


def lost(results: "Results", variant: str) -> float:
    """All of both."""
    return cells_lost(results, variant) + packets_lost(results, variant)


@fig7.measure
def without_classes(results: "Results") -> Measurement:
    """What ports A and B deliver over either fabric."""
    ethernet, stardust = by_port(results, "ethernet"), by_port(results, "stardust")
    sources = delivered(results, "stardust")
    faster = {name: by_port(results, f"{name}, speed-up") for name in ("ethernet", "stardust")}
    note = (
        f"Ethernet delivers {ethernet['A']:.3f} of A. Over Stardust A's sources get "
        f"{sources['A from the first']:.3f} and {sources['A from the second']:.3f}; "
        f"{cells_lost(results, 'stardust'):.0f} cells are lost; adapters drop what their buffers do not hold of A's "
        "surplus. Over links that are all in use, indications take back some credits; over links 5 % faster "
        f"Stardust delivers {faster['stardust']['A']:.3f} of A and {faster['stardust']['B']:.3f} of B, Ethernet "
        f"{faster['ethernet']['B']:.3f} of B"
    )
    rows = {"ethernet_b": ethernet["B"], "stardust_a": stardust["A"], "stardust_b": stardust["B"]}
    return Measurement(rows, note)


@fig12.measure
def with_classes(results: "Results") -> Measurement:
    """What is left for the low class, and how much more Stardust delivers in all."""
    ethernet, stardust = by_port(results, "ethernet"), by_port(results, "stardust")
    rows = {"ethernet_b": ethernet["B"], "ratio_total": sum(stardust.values()) / sum(ethernet.values())}
    note = (
        f"Stardust delivers {stardust['A']:.3f} of A and {stardust['B']:.3f} of B, Ethernet {ethernet['A']:.3f} of A "
        f"and {ethernet['B']:.3f} of B"
    )
    return Measurement(rows, note)


@fig7.plot
def fig7_bars(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 7 in numbers: what each flow delivers."""
    expected = {
        "ethernet": {"A from the first": 0.5, "B from the first": float(claim.rows["ethernet_b"])},
        "stardust": {"A from the first": 0.5, "B from the first": float(claim.rows["stardust_b"])},
    }
    told = (
        "100 Gb/s from the first device to each of A and B, another 100 Gb/s from the second to A. Marks: the paper; "
        "Ethernet's 66 % is what 200 of 300 Gb/s are."
    )
    return bars(results, expected, "Stardust Fig. 7: push fabric and pull fabric", told)


@fig12.plot
def fig12_bars(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 12 in numbers: what each flow delivers."""
    expected = {
        "ethernet": {"A from the first": 0.5, "B from the first": float(claim.rows["ethernet_b"])},
        "stardust": {"A from the first": 0.5, "B from the first": 1.0},
    }
    told = "As Fig. 7, with A's traffic in the high class and B's in the low one. Marks: the paper."
    return bars(results, expected, "Stardust Fig. 12: push fabric and pull fabric, with classes", told)


def bars(results: "Results", expected: Mapping[str, Mapping[str, float]], title: str, told: str) -> "AnyChart":
    """A bar for each flow and fabric, and marks where the paper says that it ends."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import draw_bars

    canvas = Canvas()
    rows: list[Bar] = [
        {
            "place": name,
            "label": fabric,
            "value": PORT_BPS * share,
            "expected": PORT_BPS * (of["A from the first"] if FLOWS[name] == "A" else of["B from the first"]),
        }
        for fabric, of in expected.items()
        for name, share in delivered(results, fabric).items()
    ]
    chart = draw_bars(rows, canvas, "b/s", None, "Delivered", "fabric")
    return Drawing(chart, title, told).finish(canvas)


incast = Reproduction(
    "stardust", "incast-absorption", experiment="incast-absorption.toml", quick={"variant.stardust.duration": "1 ms"}
)


@incast.measure
def absorbed(results: "Results") -> Measurement:
    """What the fabric admits while 128 adapters send to one port, what each keeps meanwhile, and what is lost."""
    stardust, ethernet = results["stardust"], results["ethernet"]
    kept = counted(stardust, "largest ingress buffer")
    (port,) = [row for row in stardust.links.to_pylist() if row["target"] == "host-0"]
    rows = {
        "admitted_gbps": stardust.summary.column("goodput_bps")[0].as_py() / 1e9,
        "ingress_mb": kept / 1e6,
        "lost": lost(results, "stardust"),
    }
    dropped = ethernet.summary.column("total_dropped_frames")[0].as_py()
    sent = ethernet.summary.column("total_frames")[0].as_py()
    flows = stardust.flows.to_pylist()
    ends = [flow["fct_ps"] for flow in flows if flow["fct_ps"] is not None]
    fair = ""
    if len(ends) == len(flows):
        first, last = min(ends) / 1e9, max(ends) / 1e9
        fair = f". The first response is complete after {first:.2f} ms, the last after {last:.2f} ms"
    note = (
        "The most that an adapter keeps. Before the port the last adapter holds at most "
        f"{port['max_queue_bytes'] / 1e6:.2f} MB{fair}. Ethernet's queue of 32 MB overflows: {dropped / sent:.0%} of "
        "its frames are dropped"
    )
    return Measurement(rows, note)


@incast.plot
def queue_of_the_port(results: "Results", claim: "Claim") -> "AnyChart":
    """What stands before the port that everyone sends to, over time."""
    from gossamer.analysis.comparison import Comparison
    from gossamer.plots.canvas import Canvas, initial
    from gossamer.plots.series import draw_series

    canvas = initial(Canvas(), "scope", "leaf-0 -> host-0")
    drawing = draw_series(Comparison.of(results), canvas, "queue")
    stated = f"The paper: {claim.rows['ingress_mb']:g} MB stay at each of 128 adapters, and nothing is lost."
    return replace(
        drawing,
        title="Stardust §5.4: 1 MB from each of 128 adapters to one port",
        subtitle=f"What waits before the port. {stated} {drawing.subtitle}",
    ).finish(canvas)


everything = Reproduction("stardust", "lossless", experiment="lossless.toml", quick={"workload.0.size": "50 KB"})


@everything.measure
def cells_that_do_not_arrive(results: "Results") -> Measurement:
    """Cells that were sent and not delivered by the time when every flow is complete, over all scenarios."""
    missing, parts = 0.0, []
    for run in results:
        summary = run.summary.to_pylist()[0]
        if summary["flows_completed"] < summary["flows_started"] or summary["total_dropped_frames"]:
            raise ValueError(f"run {run.name} of lossless.toml did not deliver every flow")
        sent = counted(run, "cells sent")
        missing += sent - counted(run, "cells delivered") + sum(counted(run, name) for name in GONE)
        parts.append(
            f"{run.variant}: {sent / 1e6:.2f} M cells, {counted(run, 'cells with congestion indication') / sent:.0%} "
            f"with an indication, inputs paused {counted(run, 'pauses of element inputs'):.0f} times"
        )
    return Measurement(
        {"": missing}, f"{'; '.join(parts)}. No adapter drops a packet either: full ones pause their hosts"
    )


@everything.plot
def times_of_cells(results: "Results", claim: "Claim") -> "AnyChart":
    """What takes the place of loss: the share of cells that take longer than each time through the fabric."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .tails import draw_tails, tail

    canvas = Canvas()
    measured = {str(run.variant): tail(run, "cell latency", 1e12) for run in results}
    chart = draw_tails(measured, {}, canvas, "ps", "Time through the fabric", "cells", 1e-6, "scenario")
    told = f"§{claim.section}: no cell is dropped, whatever happens; those that do not fit wait."
    return Drawing(chart, "Stardust §5.5: every cell arrives, some later", told).finish(canvas)
