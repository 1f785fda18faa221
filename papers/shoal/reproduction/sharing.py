"""Shoal (NSDI 2019): how flows share the rack, and what the latency optimisations do for short ones (§7.2, Fig. 14).

Readings of the paper: papers/shoal/README.md.
"""

from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .rack import drawn
from .workloads import quantile

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

fairness = Reproduction(
    "shoal",
    "max-min-fairness",
    experiment="max-min-fairness.toml",
    quick={"sweep.workload.0.flows": [50, 256], "duration": "1 ms"},
)
detour = Reproduction("shoal", "fig14-detour", experiment="fig14-detour.toml", quick={"duration": "0.625 ms"})

NEAR = 0.1
"""§7.2: within 10 % of the ideal rate."""


def rates(run: "Run") -> dict[tuple[int, int], float]:
    """The rate of each flow in b/s. A flow is all that goes from one node to another (§3.3.2)."""
    found: dict[tuple[int, int], float] = {}
    columns = (run.flows.column(name).to_pylist() for name in ("src", "dst", "goodput_bps"))
    for source, destination, rate in zip(*columns, strict=True):
        found[source, destination] = found.get((source, destination), 0.0) + rate
    return found


def relative(results: "Results") -> dict[int, list[float]]:
    """By the number of flows: each one's rate over its max-min fair rate, in increasing order."""
    runs: dict[str, dict[int, Run]] = {"shoal": {}, "ideal": {}}
    for run in results:
        runs[str(run.variant)][int(str(run.sweep["workload.0.flows"]))] = run
    found = {}
    for number, run in sorted(runs["shoal"].items()):
        measured, ideal = rates(run), rates(runs["ideal"][number])
        found[number] = sorted(measured[pair] / ideal[pair] for pair in ideal)
    return found


def near(ratios: list[float]) -> float:
    """The share of flows that are within a tenth of their ideal rate."""
    return sum(abs(ratio - 1) <= NEAR for ratio in ratios) / len(ratios)


@fairness.measure
def share_of_fair_flows(results: "Results") -> Measurement:
    """The share of all flows, of all numbers of them together, that have their max-min fair rate within a tenth."""
    found = relative(results)
    every = [ratio for ratios in found.values() for ratio in ratios]
    parts = [
        f"{number}: {100 * near(ratios):.1f} %, from {ratios[0]:.2f} to {ratios[-1]:.2f}"
        for number, ratios in found.items()
    ]
    note = (
        "Share of flows within 10 %, and lowest and highest of their rates over the ideal, by the number of flows: "
        f"{'; '.join(parts)}. Ideal: water-filling over the virtual links between nodes, where each flow has a subflow "
        "over every other node; what a node can send is a cell's payload to each other one an epoch (README.md)"
    )
    return Measurement({"": near(every)}, note)


@fairness.plot
def share_by_flows(results: "Results", claim: "Claim") -> "AnyChart":
    """The share of flows that are within a tenth of their ideal rate, by how many there are."""
    rows: list[Bar] = [
        {"place": f"{number}", "label": "Shoal", "value": near(ratios), "expected": claim.rows[""]}
        for number, ratios in relative(results).items()
        if isinstance(claim.rows[""], float)
    ]
    return drawn(
        rows,
        "Shoal §7.2: flows within a tenth of their max-min fair rate",
        "fraction",
        f"§{claim.section}: 99 % (marks). By the number of flows between random nodes.",
    )


def short(run: "Run") -> list[float]:
    """Completion times of the flows from node to node, in increasing order, microseconds."""
    columns = (run.flows.column(name).to_pylist() for name in ("group", "fct_ps"))
    return sorted(time / 1e6 for group, time in zip(*columns, strict=True) if group == "short" and time is not None)


@detour.measure
def short_flows(results: "Results") -> Measurement:
    """Whether the optimisations make the short flows faster, and narrow their spread, by a large factor."""
    found = {run.variant: short(run) for run in results}
    rows, parts = {}, []
    for variant, times in found.items():
        middle, late = quantile(times, 0.5), quantile(times, 0.99)
        rows[f"{variant}, p99"] = late
        parts.append(f"{variant}: {middle:.1f} in the middle, {late:.1f} at 99 %, {times[-1]:.1f} at most")
    both, neither = found["both"], found["neither"]
    spread = [quantile(times, 0.99) - quantile(times, 0.01) for times in (both, neither)]
    slower = quantile(neither, 0.99) / quantile(both, 0.99)
    rows |= {"p99, neither over both": slower, "spread, neither over both": spread[1] / spread[0]}
    note = (
        f"Microseconds of {len(both)} flows of 20 KB: {'; '.join(parts)}. Without either, 99 % take {slower:.2f} "
        f"times as long, and are spread over {spread[1]:.1f} us in place of {spread[0]:.1f}. A large factor is "
        f"taken to be {LARGE:g}: the paper has a figure without numbers in the text"
    )
    large = Requirement("ge", LARGE)
    return Measurement(rows, note, required={"p99, neither over both": large, "spread, neither over both": large})


LARGE = 2.0
"""What counts as much smaller, of completion and of spread; decided before the first run."""


@detour.plot
def completion_by_variant(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 14: middle and tail of the short flows' completion times with and without the optimisations."""
    rows: list[Bar] = []
    for run in results:
        times = short(run)
        for label, share in (("median", 0.5), ("99 %", 0.99), ("99.9 %", 0.999)):
            value = quantile(times, share) * 1e6
            rows.append({"place": str(run.variant), "label": label, "value": value, "expected": None})
    return drawn(
        rows,
        "Shoal Fig. 14: flows of 20 KB, by which optimisations are on",
        "ps",
        f"§{claim.section}: with both, completion is short and predictable.",
    )
