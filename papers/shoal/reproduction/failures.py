"""Shoal (NSDI 2019): nodes that have failed (Fig. 17), and cells that are dropped or wrong (App. C, App. D).

Readings of the paper: papers/shoal/README.md.
"""

from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction

from .rack import NODES, counted, drawn
from .workloads import TAIL, long_rates, mean, of, quantile, short_times

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

FAILED = "fault.0.count"

failures = Reproduction(
    "shoal",
    "fig17-failures",
    experiment="fig17-failures.toml",
    quick={f"sweep.{FAILED}": [1, 256], "duration": "0.625 ms"},
)
classes = Reproduction(
    "shoal",
    "qos-and-corruption",
    experiment="qos-and-corruption.toml",
    quick={"sweep.fault.0.bit_error_rate": [1e-6]},
)

PAPER, LEFT_OUT = "as the paper", "left out of the schedule"
ROWS = {"goodput_50": "256", "fct_20": "102", "fct_40": "205"}
"""Nodes that have failed, by row of the claim: 50, 20 and 40 % of 512."""


def by_failed(results: "Results", variant: str) -> "dict[str, tuple[float, float]]":
    """Tail of short flows in microseconds and mean goodput of long ones in Gb/s, by how many nodes have failed."""
    runs = of(results, variant, FAILED)
    return {count: (quantile(short_times(run), TAIL), mean(long_rates(run))) for count, run in runs.items()}


def told(found: "dict[str, tuple[float, float]]") -> str:
    """Each number of failed nodes, its tail and its goodput, in words."""
    parts = [f"{int(count) / NODES:.0%}: {tail:.0f} us, {rate:.1f} Gb/s" for count, (tail, rate) in found.items()]
    return "; ".join(parts)


@failures.measure
def goodput_and_tails(results: "Results") -> Measurement:
    """Goodput and completion times with failed nodes, over those with one of 512."""
    found = by_failed(results, PAPER)
    tail, rate = next(iter(found.values()))
    rows = {}
    for row, count in ROWS.items():
        if count in found:
            rows[row] = found[count][1] / rate if row == "goodput_50" else found[count][0] / tail
    note = (
        f"99.9 % of short flows within, and mean goodput of long ones, by share of failed nodes. {PAPER.capitalize()}: "
        f"{told(found)}. {LEFT_OUT.capitalize()}: {told(by_failed(results, LEFT_OUT))}. Flows that had ended when the "
        "run did, between nodes that work"
    )
    return Measurement(rows, note)


@failures.plot
def by_share(results: "Results", claim: "Claim") -> "Mapping[str, AnyChart]":
    """Fig. 17: both by the share of nodes that have failed."""
    tails: list[Bar] = []
    goodput: list[Bar] = []
    for variant in (PAPER, LEFT_OUT):
        for count, (tail, rate) in by_failed(results, variant).items():
            place = f"{int(count) / NODES:.0%}"
            tails.append({"place": place, "label": variant, "value": tail * 1e6, "expected": None})
            goodput.append({"place": place, "label": variant, "value": rate * 1e9, "expected": None})
    words = f"§{claim.section}: by share of nodes that have failed."
    return {
        "fct": drawn(tails, "Shoal Fig. 17: 99.9 % of short flows", "ps", words),
        "goodput": drawn(goodput, "Shoal Fig. 17: goodput of long flows", "b/s", words),
    }


def unfinished(run: "Run") -> int:
    """Flows that have not ended."""
    return sum(time is None for time in run.flows.column("fct_ps").to_pylist())


@classes.measure
def nothing_is_lost(results: "Results") -> Measurement:
    """Cells lost, of all runs, and flows that never ended."""
    lost = sum(counted(run, "cells lost") for run in results)
    left = sum(unfinished(run) for run in results)
    parts = [
        f"{run.sweep['fault.0.bit_error_rate']}: {counted(run, 'cells received wrong'):.0f} wrong, "
        f"{counted(run, 'cells dropped for want of room'):.0f} dropped, "
        f"{counted(run, 'cells sent again'):.0f} sent again, "
        f"{counted(run, 'wrong cells not found'):.0f} wrong ones passed by the CRC"
        for run in results
    ]
    note = (
        f"Cells, by bit error rate: {'; '.join(parts)}. {left} flows did not end. The CRC of 8 bits finds all single "
        "errors; of more it misses some, which only a check end to end could find"
    )
    return Measurement({"": lost}, note, trends={"every flow ends": left == 0})


@classes.plot
def by_class(results: "Results", claim: "Claim") -> "AnyChart":
    """99th percentile of completion of each class, by bit error rate."""
    rows: list[Bar] = []
    for run in results:
        groups = run.flows.column("group").to_pylist()
        times = run.flows.column("fct_ps").to_pylist()
        for group in dict.fromkeys(groups):
            of_group = sorted(
                time for name, time in zip(groups, times, strict=True) if name == group and time is not None
            )
            place = f"{run.sweep['fault.0.bit_error_rate']}"
            if of_group:
                rows.append({"place": place, "label": str(group), "value": quantile(of_group, 0.99), "expected": None})
    title = "Shoal App. C and D: completion of three classes, by bit error rate"
    return drawn(rows, title, "ps", f"{claim.section}: 99 % of flows of each class within.")
