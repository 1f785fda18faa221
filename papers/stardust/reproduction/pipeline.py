"""Stardust (NSDI 2019): Figs. 3 and 8, what a packet-processing data path needs for every packet size.

Readings of the paper, sources of cycle counts and what is not comparable: papers/stardust/README.md.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Computation, Measurement

if TYPE_CHECKING:
    from gossamer.pipeline import Row
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.reproduce.registry import Charts

BIGGEST = 1518
"""The largest Ethernet frame without a tag."""


def sizes(word: int) -> list[int]:
    """From the smallest frame to the largest: those that fill their words of the data path, and those a byte longer."""
    full = range(64, BIGGEST, word)
    return sorted({size for whole in full for size in (whole, whole + 1)} | {BIGGEST})


def fig3_rows() -> "list[Row]":
    """Fig. 3: 12.8 Tb/s, a data path of 256 B at 1 GHz, one look-up a clock; cells as wide as the data path."""
    from gossamer import pipeline

    return pipeline.throughput(
        ["reference-switch", "packed-cells"],
        sizes(64),
        lines="packets",
        pauses=True,  # what is needed is asked of packets as they come, not of those that found room
        ports=8,
        line_rate="1.6 Tb/s",
        width="256 B",
        clock_hz=1e9,
        lookup_clocks=1,
        cell="256 B",
        credit="4 KiB",
        clocks=50_000,
    )


fig3 = Computation("stardust", "fig3-packing-gain", "gossamer.pipeline", computes=fig3_rows)


@fig3.measure
def packing_gain(rows: "list[Row]") -> Measurement:
    """Data paths that a standard switch needs, over those that packed cells need."""
    needed = {(row["design"], row["size"]): row["pipelines_needed"] for row in rows}
    gains = {size: needed["reference-switch", size] / needed["packed-cells", size] for size in (64, 513, 1025)}
    most = max(needed["packed-cells", row["size"]] for row in rows)
    return Measurement(
        {str(size): gain for size, gain in gains.items()},
        "Credits of 4 KiB release whole packets, packed into cells of 256 B without a header; only a credit's last "
        f"cell has room left. 64 B need {needed['reference-switch', 64]:.2f} data paths in a standard switch; packed "
        f"cells need at most {most:.2f} at any size",
    )


@fig3.plot
def needed_by_size(rows: "list[Row]", claim: "Claim") -> "AnyChart":
    """Fig. 3, with the paper's gains in the subtitle."""
    from gossamer.plots.canvas import Canvas

    from .pipeline_figures import draw_needed

    canvas = Canvas()
    gains = packing_gain(rows).rows
    told = ", ".join(f"{gains[size]:.2f} at {size} B (paper {claim.rows[size]:g})" for size in gains)
    return draw_needed(
        rows,
        canvas,
        "Stardust Fig. 3: data paths needed for 12.8 Tb/s",
        f"256 B wide, 1 GHz, clock by clock. Standard switch over packed cells: {told}.",
    ).finish(canvas)


OTHERS = {"over_reference": "reference-switch", "over_ndp": "ndp-switch", "over_nonpacked": "cells"}
"""Rows of the claim, and the design that packed cells are compared with."""
TRACED = ("reference-switch", "cells", "packed-cells")
"""Designs of Fig. 8b: NDP is left out, as in the paper."""


@dataclass(frozen=True, slots=True)
class Fig8:
    """What Fig. 8 and the text around it need."""

    by_size: "list[Row]"
    by_mix: "list[Row]"
    reference_hz: int | None
    """The lowest clock at which the Reference Switch keeps up at every size."""
    missed_by_ndp: list[int]
    """Sizes that fill their words or are a byte longer, at which NDP's switch does not keep up at 200 MHz."""

    def share(self, design: str, size: int | str) -> float:
        """A design's throughput at a size or for a mix."""
        both = [*self.by_size, *self.by_mix]
        return next(row["throughput"] for row in both if (row["design"], row["size"]) == (design, size))


def fig8_rows() -> Fig8:
    """Fig. 8: NetFPGA SUME with 4 x 10GE at 150 MHz."""
    from gossamer import pipeline

    every = sizes(32)
    at_200 = pipeline.throughput("ndp-switch", every, clock_hz=200e6, port_buffer="5 KB", clocks=400_000)
    return Fig8(
        pipeline.throughput(pipeline.DESIGNS, every),
        pipeline.throughput(TRACED, pipeline.MIXES, clocks=400_000),
        pipeline.lowest_clock_hz("reference-switch", every),
        [int(row["size"]) for row in at_200 if not row["keeps_up"]],
    )


fig8 = Computation("stardust", "fig8-packing", "gossamer.pipeline", computes=fig8_rows)


def best(found: Fig8, other: str) -> tuple[float, int]:
    """Most points of the line rate by which packed cells are ahead of another design, and at which size."""
    ahead = [
        (found.share("packed-cells", row["size"]) - row["throughput"], int(row["size"]))
        for row in found.by_size
        if row["design"] == other
    ]
    return max(ahead)


@fig8.measure
def advantage(found: Fig8) -> Measurement:
    """Whether packed cells keep up with the lines at every size, and how far they are ahead of the other designs."""
    keeps_up = all(row["keeps_up"] for row in found.by_size if row["design"] == "packed-cells")
    ahead = {name: best(found, other) for name, other in OTHERS.items()}
    full = {
        other: 100 * (1 - min(row["throughput"] for row in found.by_size if row["design"] == other))
        for other in OTHERS.values()
    }
    ratios = {
        name: max(
            found.share("packed-cells", row["size"]) / row["throughput"]
            for row in found.by_size
            if row["design"] == other
        )
        for name, other in OTHERS.items()
    }
    least = min(row["throughput"] for row in found.by_size if row["design"] == "packed-cells")
    where = ", ".join(f"{name} at {size} B" for name, (_, size) in ahead.items())
    notes = [
        f"1 and the most points of the line rate, in hundredths, by which packed cells are ahead: {where}",
        f"Cells keep their lines full at every size; padding at the end of a credit leaves {100 * least:.1f} % of that "
        f"at least. Against full lines the others lack {full['reference-switch']:.1f}, {full['ndp-switch']:.1f} and "
        f"{full['cells']:.1f} points (paper 15, 30, 49)",
        "As ratios the gains would be " + ", ".join(f"{ratio:.2f}" for ratio in ratios.values()),
        f"NDP lacks {100 * (1 - found.share('ndp-switch', 97)):.1f} points at 97 B",
        f"The Reference Switch keeps up at every size from {_mhz(found.reference_hz)} (paper 180 MHz)",
        f"At 200 MHz NDP misses {', '.join(map(str, found.missed_by_ndp))} B (paper 65, 97, 129 B)",
        "Fig. 8b is not comparable, the traces are not public; with mixes made from what is published, "
        + "; ".join(_told(found, mix) for mix in dict.fromkeys(str(row["size"]) for row in found.by_mix)),
    ]
    rows: dict[str, float | bool] = {name: 1 + points for name, (points, _) in ahead.items()}
    return Measurement({"line_rate_all_sizes": keeps_up, **rows}, ". ".join(notes))


def _mhz(clock_hz: int | None) -> str:
    return "no clock up to 1 GHz" if clock_hz is None else f"{clock_hz / 1e6:g} MHz"


def _told(found: Fig8, mix: str) -> str:
    reference, padded, packed = (100 * found.share(design, mix) for design in TRACED)
    return f"{mix}: packed {packed:.1f} %, Reference Switch {reference:.1f} %, non-packed {padded:.1f} %"


@fig8.plot
def throughput_by_size_and_mix(found: Fig8, claim: "Claim") -> "Charts":
    """Figs. 8a and 8b."""
    from gossamer.plots.canvas import Canvas

    from .pipeline_figures import draw_by_mix, draw_by_size

    canvas = Canvas()
    said = ", ".join(f"{100 * (float(claim.rows[name]) - 1):.0f}" for name in OTHERS)
    points = ", ".join(f"{100 * best(found, other)[0]:.1f}" for other in OTHERS.values())
    by_size = draw_by_size(
        found.by_size,
        canvas,
        "Stardust Fig. 8a: throughput at 150 MHz by packet size",
        "4 x 10GE, 32 B wide, clock by clock; sizes that fill their words, and those a byte longer. Packed cells are "
        f"ahead by at most {points} points of Reference Switch, NDP and non-packed cells (paper {said}).",
    )
    by_mix = draw_by_mix(
        found.by_mix,
        canvas,
        "Stardust Fig. 8b: throughput at 150 MHz by mix of packet sizes",
        "The paper's traces are not public: the mixes have the published shares of full-size packets and medians, the "
        "rest of them is ours. Not to be compared with the paper's bars.",
    )
    return {"a": by_size.finish(canvas), "b": by_mix.finish(canvas)}
