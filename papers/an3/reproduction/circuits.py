"""AN3 §8.2: how long a circuit takes to set up and to tear down. How it is read is in papers/an3/README.md."""

from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results

RANDOM = "random.toml"
SMALLER = {"topology.networks": 4, "duration": "1 ms"}
TRAFFIC = ("local", "same container", "cross-container", "VLB")
"""§8.2: four kinds of it, from the nearest to the farthest."""

set_up = Reproduction("an3", "fig11-setup-ack", experiment=RANDOM, quick=SMALLER)
efficiency = Reproduction("an3", "fig12-efficiency", experiment=RANDOM, quick=SMALLER)
first_mark = Reproduction("an3", "fig11-first-mark", experiment=RANDOM, quick=SMALLER)

FRAME_US = 128 * 72 * 8 / 10_000
"""A frame of 128 slots of 72 B on a 10 Gb/s port."""
SIZES = {"1KB": (16, 0.69, 0.84), "over10KB": (157, 0.96, 0.98)}
"""Fig. 12: cells, of which a frame carries one, and the least and the most efficient traffic."""
TOLERANCE = 0.05
"""The claim's, at both ends."""


def times(results: "Results", measure: str) -> "dict[str, Sequence[tuple[int, int]]]":
    """Times in ns and how often they came, by kind of traffic; kinds of which there was none are left out."""
    run = next(iter(results))
    found: dict[str, list[tuple[int, int]]] = {}
    for row in run.histograms.to_pylist():
        what, _, traffic = str(row["histogram"]).partition(", ")
        if what == measure:
            found.setdefault(traffic, []).append((int(row["lower"]), int(row["count"])))
    return {traffic: found[traffic] for traffic in TRAFFIC if traffic in found}


def mean_us(bins: "Sequence[tuple[int, int]]") -> float:
    """Mean in us."""
    return sum(time * count for time, count in bins) / sum(count for _, count in bins) / 1e3


def told(found: "dict[str, Sequence[tuple[int, int]]]") -> str:
    """Means and the largest times, in words."""
    parts = (
        f"{traffic} {mean_us(bins):.2f} us, at most {max(bins)[0] / 1e3:.2f} us" for traffic, bins in found.items()
    )
    return "; ".join(parts)


@set_up.measure
def acknowledgement(results: "Results") -> Measurement:
    """From a request to its acknowledgement, on average, for the traffic for which it takes longest."""
    found = times(results, "set-up ACK")
    return Measurement({"": max(mean_us(bins) for bins in found.values())}, f"Mean and most: {told(found)}")


@first_mark.measure
def first_cell(results: "Results") -> Measurement:
    """From a request to the first cell at the destination, on average, for the traffic that goes farthest."""
    found, ends = times(results, "FirstMark"), times(results, "EndMark")
    farther = [mean_us(bins) for bins in found.values()]
    return Measurement(
        {"": farther[-1]},
        f"FirstMark, mean and most: {told(found)}. EndMark: {told(ends)}",
        trends={
            "some flows go over a third container": "VLB" in found,
            "it grows with the path": farther == sorted(farther),
            "EndMark is lower": all(mean_us(ends[traffic]) < mean_us(found[traffic]) for traffic in found),
        },
    )


def efficiencies(results: "Results", cells: int) -> dict[str, float]:
    """Time of a flow's data alone over all of its time, with what set-up and tear-down take on average, by traffic."""
    before, after = times(results, "set-up ACK"), times(results, "EndMark")
    data = cells * FRAME_US
    return {name: data / (mean_us(before[name]) + data + mean_us(after[name])) for name in before if name in after}


@efficiency.measure
def of_sizes(results: "Results") -> Measurement:
    """Efficiency of flows of 1 KB and of 10 KB, for each kind of traffic; each within the paper's least and most."""
    rows, needed = {}, {}
    for size, (cells, least, most) in SIZES.items():
        for traffic, value in efficiencies(results, cells).items():
            rows[f"{size}, {traffic}"] = value
            ends = (least * (1 - TOLERANCE), min(most * (1 + TOLERANCE), 1.0))
            needed[f"{size}, {traffic}"] = Requirement("between", ends)
    return Measurement(
        rows,
        "Mean times to the acknowledgement and from the last cell to the end of the circuit, as in Fig. 11, beside a "
        "frame for each cell. Fig. 12 has no table: 69 % and 84 %, 96 % and 98 % are what the text says of all traffic",
        stated={},
        required=needed,
    )


@efficiency.plot
def by_size(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 12."""
    from .charts import drawn_bars

    rows: list[Bar] = [
        {"place": size, "label": traffic, "value": value, "expected": None}
        for size, (cells, _, _) in SIZES.items()
        for traffic, value in efficiencies(results, cells).items()
    ]
    told = f"§{claim.section}: time of the data alone over all the time of a flow."
    return drawn_bars(rows, "fraction", "Efficiency", "traffic", "AN3 Fig. 12: what set-up and tear-down cost", told)


def drawn_means(results: "Results", claim: "Claim", measures: "Sequence[str]") -> "AnyChart":
    """Mean times by kind of traffic."""
    from .charts import drawn_bars

    rows: list[Bar] = [
        {"place": traffic, "label": measure, "value": mean_us(bins) / 1e6, "expected": None}
        for measure in measures
        for traffic, bins in times(results, measure).items()
    ]
    title = "AN3 Fig. 11: how long circuits take to set up and to tear down"
    return drawn_bars(rows, "ps", "Mean", "time", title, f"§{claim.section}: means, by how far a flow goes.")


@set_up.plot
def acknowledgements(results: "Results", claim: "Claim") -> "AnyChart":
    """Mean times until a request is acknowledged."""
    return drawn_means(results, claim, ["set-up ACK"])


@first_mark.plot
def delays(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 11, all of it."""
    return drawn_means(results, claim, ["set-up ACK", "FirstMark", "EndMark"])
