"""Shoal (NSDI 2019), §7.3, baseline 1: the rack beside a torus of the same nodes with R2C2.

Readings of the paper: papers/shoal/README.md.
"""

from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction

from .rack import counted, drawn
from .workloads import LONG, RATE, TAIL, load, long_rates, mean, of, quantile, short_times

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

baseline = Reproduction(
    "shoal",
    "torus-baseline",
    experiment="torus-baseline.toml",
    quick={"duration": "0.625 ms"},
)

ANNOUNCED, ANNOUNCEMENT = "packets of announcements", 16
"""What R2C2 counts, and the bytes of each."""


@baseline.measure
def against_torus(results: "Results") -> Measurement:
    """By how much Shoal is better at the load at which it is most: tail of short flows, goodput of long ones."""
    shoal, torus = of(results, "shoal", RATE), of(results, "r2c2", RATE)
    tails, gains, parts = [], [], []
    for rate, run in shoal.items():
        runs = (run, torus[rate])
        times, rates = [short_times(each) for each in runs], [long_rates(each) for each in runs]
        ends = [quantile(each, TAIL) for each in times]
        goodput = [mean(each) for each in rates]
        tails.append(ends[1] / ends[0])
        # Where none of a torus' long flows has ended, there is no ratio.
        gains.extend([goodput[0] / goodput[1]] if rates[1] else [])
        ended = [len(each) / max(1, _long(run)) for each, run in zip(rates, runs, strict=True)]
        parts.append(
            f"{load(rate)}: 99.9 % within {ends[0]:.1f} and {ends[1]:.1f} us, mean {mean(times[0]):.1f} and "
            f"{mean(times[1]):.1f} us, long flows {goodput[0]:.1f} and {goodput[1]:.1f} Gb/s, of which "
            f"{ended[0]:.0%} and {ended[1]:.0%} had ended, announcements "
            f"{counted(torus[rate], ANNOUNCED) * ANNOUNCEMENT / 1e9:.2f} GB"
        )
    rows = {"tail_fct": max(tails), "goodput": max(gains, default=float("nan"))}
    note = f"Shoal and the torus with R2C2, {'; '.join(parts)}. Rows are the largest ratios of all loads"
    return Measurement(rows, note)


def _long(run: "Run") -> int:
    """Long flows that began."""
    return sum(size is not None and size >= LONG for size in run.flows.column("bytes").to_pylist())


@baseline.plot
def by_load(results: "Results", claim: "Claim") -> "Mapping[str, AnyChart]":
    """Completion of short flows and goodput of long ones, by load."""
    tails: list[Bar] = []
    goodput: list[Bar] = []
    for variant in ("shoal", "r2c2"):
        for rate, run in of(results, variant, RATE).items():
            times, rates = short_times(run), long_rates(run)
            tail = quantile(times, TAIL) * 1e6
            tails.append({"place": load(rate), "label": f"{variant}, 99.9 %", "value": tail, "expected": None})
            middle = mean(times) * 1e6
            tails.append({"place": load(rate), "label": f"{variant}, mean", "value": middle, "expected": None})
            if rates:
                goodput.append({"place": load(rate), "label": variant, "value": mean(rates) * 1e9, "expected": None})
    told = f"§{claim.section}: flows of at most 100 KB, and of at least 1 MB."
    charts = {"fct": drawn(tails, "Shoal §7.3: completion of short flows beside a torus", "ps", told)}
    if goodput:
        charts["goodput"] = drawn(goodput, "Shoal §7.3: goodput of long flows beside a torus", "b/s", told)
    return charts
