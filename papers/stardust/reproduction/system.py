"""Stardust (NSDI 2019): a system of one tier, adapters without packing (§6.1.2).

Readings of the paper: papers/stardust/README.md.
"""

import statistics
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction

from .push_pull import cells_lost

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results

SYSTEMS = ("960 ports", "1152 ports")
LINE_RATE = 0.99
PORT_BPS = 10e9

system = Reproduction(
    "stardust",
    "single-tier-system",
    experiment="single-tier-system.toml",
    quick={"sweep.fabric.mtu": ["64 B", "256 B", "1518 B"], "duration": "150 us"},
    not_run={
        "line_rate_from_bytes": "it follows from the rate of the adapters' links and from what a packet takes in them "
        "beside itself, and the paper gives neither"
    },
)


def sizes(results: "Results", variant: str) -> dict[str, float]:
    """Mean over the ports of the share of the time in which their links are busy, by the packets' size."""
    return {
        str(run.sweep["fabric.mtu"]): statistics.fmean(
            row["utilisation"]
            for row in run.links.to_pylist()
            if (row["class"], row["direction"]) == ("host-leaf", "down")
        )
        for run in results
        if run.variant == variant
    }


@system.measure
def lossless_at_line_rate(results: "Results") -> Measurement:
    """Cells that are lost inside, at all sizes and with all ports; and which sizes reach line rate."""
    parts = []
    for variant in SYSTEMS:
        found = sizes(results, variant)
        short = [f"{size} {share:.3f}" for size, share in found.items() if share < LINE_RATE]
        parts.append(f"{variant}: {'all sizes but ' + ', '.join(short) if short else 'all sizes'} at line rate")
    note = f"With links 9 % faster than 1152 ports and our own headers, {'; '.join(parts)}"
    return Measurement({"lost": sum(cells_lost(results, variant) for variant in SYSTEMS)}, note)


@system.plot
def rate_by_size(results: "Results", claim: "Claim") -> "AnyChart":
    """What a port delivers, by the packets' size."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import draw_bars

    canvas = Canvas()
    rows: list[Bar] = [
        {"place": size, "label": variant, "value": PORT_BPS * share, "expected": PORT_BPS}
        for variant in SYSTEMS
        for size, share in sizes(results, variant).items()
    ]
    chart = draw_bars(rows, canvas, "b/s", None, "Delivered by a port, framing included", "system")
    told = (
        f"§{claim.section}: 960 ports reach line rate at all sizes, 1152 from "
        f"{claim.rows['line_rate_from_bytes']:.0f} B, with links whose rate the paper does not give."
    )
    return Drawing(chart, "Stardust §6.1.2: one tier, cells without packing", told).finish(canvas)
