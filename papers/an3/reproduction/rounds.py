"""AN3 §8.3, Figs. 13 and 14: the rounds of a sort, frame by frame. How they are counted is in papers/an3/README.md."""

from typing import TYPE_CHECKING, NamedTuple

from gossamer.reproduce.registry import Measurement, Reproduction

from .sort import SMALLER, by_variant, total_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

rounds = Reproduction("an3", "fig13-rounds", experiment="sort-rounds.toml", quick=SMALLER)

UP = "l0-l1 up"
SLOTS = 128
GBPS = 10.0
DEPTH = 0.05
"""A dip is as deep as this at least, of what the links can carry, on either side."""
SHORT = 8
"""Frames (§8.3): gaps between rounds are shorter."""
CONTROL = {
    "requests": "requests to L1 switches",
    "acknowledged": "requests acknowledged by L1 switches",
    "refused": "requests refused beyond egress NICs",
    "data ACKs": "data ACKs from L1 switches",
}


class Dip(NamedTuple):
    """Less traffic for a while, in frames."""

    lowest: int
    frames: int
    """For so long less than half-way between the lowest frame and the lower of the highest frames beside it."""


def utilisation(run: "Run") -> list[float]:
    """Of the links from egress NICs to L1 switches, frame by frame."""
    rows = run.series.to_pylist()
    return [float(row["value"]) for row in rows if (row["series"], row["scope"]) == ("utilisation", UP)]


def dips(values: "Sequence[float]") -> list[Dip]:
    """Every local minimum from which it rises by DEPTH on either side before it falls below it again."""
    found: list[Dip] = []
    high = low = 0
    """Places of the highest value since the last dip, and of the lowest since that."""
    for at, value in enumerate(values):
        if value >= values[high] and values[high] - values[low] < DEPTH:
            high = low = at
        elif value < values[low]:
            low = at
        elif value - values[low] >= DEPTH and values[high] - values[low] >= DEPTH:
            after = at
            while after + 1 < len(values) and values[after + 1] >= values[after]:
                after += 1
            half = (values[low] + min(values[high], values[after])) / 2
            found.append(Dip(low, sum(1 for each in values[high : after + 1] if each < half)))
            high = low = at
    return found


@rounds.measure
def counted_dips(results: "Results") -> Measurement:
    """How often the links between egress NICs and switches carry less for a while, before they are idle for good."""
    runs = by_variant(results)
    single, grown = runs["one circuit a file"], runs["growth"]
    values = utilisation(single)
    found = dips(values)
    full = sorted(values)[len(values) * 9 // 10]
    frames = [dip.frames for dip in found]
    ends = {name: total_ms(run) for name, run in runs.items()}
    at = ", ".join(str(dip.lowest) for dip in found)
    return Measurement(
        {"": len(found)},
        f"Most data ACKs in frames {' and '.join(map(str, peaks(single)))}, where the paper has 136 and 294. Dips at "
        f"frames {at or '-'}, {', '.join(map(str, frames)) or '-'} frames long. One frame in ten has a utilisation "
        f"above {full:.3f}, which is {full * GBPS:.2f} Gb/s with control cells. All flows have ended after "
        f"{ends['one circuit a file']:.2f} ms, with growth after {ends['growth']:.2f} ms; in the last tenth of the "
        f"former the links carry {last_tenth(values):.0%} of what they can, in that of the latter "
        f"{last_tenth(utilisation(grown)):.0%}",
        trends={
            "links are nearly full": full > 0.95,
            f"gaps are shorter than {SHORT} frames": all(length < SHORT for length in frames),
            "growth helps in the last round": last_tenth(utilisation(grown)) > last_tenth(values)
            and ends["growth"] <= ends["one circuit a file"],
        },
    )


def peaks(run: "Run") -> list[int]:
    """In which frames most data ACKs come, in the first two rounds, which are 162 frames long."""
    counted = [float(row["value"]) for row in run.series.to_pylist() if row["series"] == CONTROL["data ACKs"]]
    return [max(range(first, first + 162), key=counted.__getitem__) for first in (0, 162)]


def last_tenth(values: "Sequence[float]") -> float:
    """Mean of the last tenth of the frames in which anything was sent."""
    sent = [at for at, value in enumerate(values) if value > 0]
    busy = values[: sent[-1] + 1]
    part = busy[len(busy) * 9 // 10 :]
    return sum(part) / len(part)


@rounds.plot
def throughput(results: "Results", claim: "Claim") -> "dict[str, AnyChart]":
    """Fig. 13, and Fig. 14 beside it."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing, axis, data, lines
    from gossamer.plots.expressions import expression

    frame_s = SLOTS * 72 * 8 / 10e9
    canvas = Canvas()
    runs = by_variant(results)
    rows = [
        {"label": name, "time": number * frame_s, "rate": value * GBPS * 1e9}
        for name, run in runs.items()
        for number, value in enumerate(utilisation(run))
    ]
    chart = lines(
        data(rows),
        canvas,
        alt.X("time:Q", title="Time", axis=axis("ps", tickCount=8)),
        alt.Y("rate:Q", title="Throughput of a link", axis=axis("b/s", tickCount=6), scale=alt.Scale(domainMin=0)),
        canvas.colour(list(runs), "circuits"),
        {
            "Circuits": "datum.label",
            "Time": expression("datum.time", "ps"),
            "Throughput": expression("datum.rate", "b/s"),
        },
    )
    told = (
        f"§{claim.section}. Mean of the links from egress NICs to L1 switches, frame by frame; control cells included."
    )
    first = Drawing(chart, "AN3 Fig. 13: rounds of an all-to-all of 110 hosts", told).finish(canvas)
    return {"throughput": first, "cells": cells(runs["one circuit a file"], claim)}


def cells(run: "Run", claim: "Claim") -> "AnyChart":
    """Fig. 14: data and control cells of the first two rounds."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing, axis, data, lines
    from gossamer.plots.expressions import expression

    canvas = Canvas()
    links = sum(1 for row in run.links.to_pylist() if (row["class"], row["direction"]) == ("l0-l1", "up"))
    shown = 2 * 160
    values: dict[str, list[float]] = {"data": [value * SLOTS for value in utilisation(run)]}
    series = run.series.to_pylist()
    for label, name in CONTROL.items():
        values[label] = [float(row["value"]) / links for row in series if row["series"] == name]
    rows = [
        {"label": label, "frame": number, "cells": value}
        for label, counted in values.items()
        for number, value in enumerate(counted[:shown])
    ]
    chart = lines(
        data(rows),
        canvas,
        alt.X("frame:Q", title="Frame", axis=axis("count", tickCount=8)),
        alt.Y("cells:Q", title="Cells of a link in a frame", axis=axis("count", tickCount=6)),
        canvas.colour(list(values), "cells"),
        {
            "Cells": "datum.label",
            "Frame": expression("datum.frame", "count"),
            "In a frame": expression("datum.cells", "ratio"),
        },
    )
    told = f"§{claim.section}. Means of egress NICs' links: data and requests to L1 switches, and what comes back."
    return Drawing(chart, "AN3 Fig. 14: cells of the first two rounds", told).finish(canvas)
