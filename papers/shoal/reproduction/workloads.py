"""Shoal (NSDI 2019): data-centre and disaggregated workloads over the rack and over packet switches (Figs. 15, 16, 18).

§7.3 and §7.4. Readings of the paper: papers/shoal/README.md.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .rack import CELL, counted, drawn

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim, Number
    from gossamer.results import Results, Run

    from .by_load import AtLoad

QUICK = {"duration": "0.625 ms"}
"""20,000 flows at L = 1."""

workload = Reproduction("shoal", "fig15-workload", experiment="fig15-workload.toml", quick=QUICK)
queues = Reproduction("shoal", "fig16-queues", experiment="fig15-workload.toml", quick=QUICK)
epoch = Reproduction("shoal", "epoch-size", experiment="epoch-size.toml", quick=QUICK)
disaggregated = Reproduction(
    "shoal",
    "fig18-disaggregated",
    experiment="fig18-disaggregated.toml",
    quick={"workload.flows.stop": "253 us", "duration": "1 ms"},
)

BASELINES = ("dctcp", "dcqcn", "ndp")
"""§7.3's three over packet switches."""
LOSSLESS = ("dcqcn", "dctcp over pfc")
PACKET_SWITCHES = (*BASELINES, "dctcp over pfc")
FULL_LOAD = 50e9 * 512 / (8 * 100_000)
"""Flows a second at L = 1, if R is 50 Gb/s."""
LEAST_TIMEOUT = "10 ms"
"""Of TCP, where an experiment says nothing else."""
SHORT, LONG = 100_000, 1_000_000
"""§7.3: short flows have at most, long ones at least so many bytes."""
TAIL = 0.999
"""Fig. 17 has the 99.9th percentile; the text says tail."""


def quantile(values: Sequence[float], share: float) -> float:
    """The value that so large a share of the values, which are in increasing order, does not exceed."""
    return values[min(int(len(values) * share), len(values) - 1)]


def short_times(run: "Run") -> list[float]:
    """Completion times of short flows that have ended, in increasing order, microseconds."""
    return sorted(time / 1e6 for size, time in ended(run) if size <= SHORT)


def punctual_times(run: "Run") -> list[float]:
    """Those of `short_times` that did not wait for a retransmission timeout."""
    columns = (run.flows.column(name).to_pylist() for name in ("bytes", "fct_ps", "timeouts"))
    return sorted(
        time / 1e6
        for size, time, timeouts in zip(*columns, strict=True)
        if size is not None and time is not None and size <= SHORT and not timeouts
    )


def long_rates(run: "Run") -> list[float]:
    """Bytes over completion time of long flows that have ended, in Gb/s."""
    return [size * 8e3 / time for size, time in ended(run) if size >= LONG]


def ended(run: "Run") -> list[tuple[int, int]]:
    """Size and completion time in picoseconds of the flows that have ended."""
    sizes, times = (run.flows.column(name).to_pylist() for name in ("bytes", "fct_ps"))
    return [(size, time) for size, time in zip(sizes, times, strict=True) if size is not None and time is not None]


def mean(values: Sequence[float]) -> float:
    """The mean, and no number if there are no values."""
    return statistics.fmean(values) if values else float("nan")


def of(results: "Results", variant: str, axis: str) -> dict[str, "Run"]:
    """A variant's runs by what is swept, in the order of the file."""
    return {str(run.sweep[axis]): run for run in results if run.variant == variant}


RATE = "workload.0.flows_per_second"


def load(rate: str) -> str:
    """What the paper calls the load, from flows a second."""
    return f"L = {float(rate) / FULL_LOAD:.2g}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What Fig. 15 shows of one run, and what of it timeouts explain."""

    tail_us: float
    mean_us: float
    goodput_gbps: float
    waited: float
    """Share of short flows that waited for a retransmission timeout."""
    punctual_us: float
    """The tail of those that did not."""

    @classmethod
    def of(cls, run: "Run") -> "Seen":
        """Looks at a run's flows that have ended."""
        short, punctual = short_times(run), punctual_times(run)
        waited = 1 - len(punctual) / len(short)
        return cls(quantile(short, TAIL), mean(short), mean(long_rates(run)), waited, quantile(punctual, TAIL))


def seen(results: "Results") -> dict[str, dict[str, Seen]]:
    """By variant and flows a second."""
    return {
        variant: {rate: Seen.of(run) for rate, run in of(results, variant, RATE).items()}
        for variant in ("shoal", *PACKET_SWITCHES)
    }


@workload.measure
def against_packet_switches(results: "Results") -> Measurement:
    """Tails of short flows over Shoal's, at the lowest load and the highest; and the least gain in goodput."""
    found = seen(results)
    rates = list(found["shoal"])
    ends = {"low": rates[0], "high": rates[-1]}
    shoal = found["shoal"]
    over = {
        (name, which): found[name][rate].tail_us / shoal[rate].tail_us
        for name in PACKET_SWITCHES
        for which, rate in ends.items()
    }
    gains = {
        name: shoal[ends["high"]].goodput_gbps / found[name][ends["high"]].goodput_gbps for name in PACKET_SWITCHES
    }
    rows = {
        **{f"tail_over_{name}_{which}": over[name, which] for name in ("dctcp", "ndp") for which in ends},
        "goodput_gain": min(gains[name] for name in BASELINES),
        **{f"tail over {name}, {which}": over[name, which] for name in LOSSLESS for which in ends},
    }
    told = []
    for rate in rates:
        each = (
            f"{name} {runs[rate].tail_us:.1f} us, {runs[rate].mean_us:.1f} us, {runs[rate].goodput_gbps:.1f} Gb/s"
            for name, runs in found.items()
        )
        told.append(f"{load(rate)}: {'; '.join(each)}")
    last = {name: found[name][ends["high"]] for name in PACKET_SWITCHES}
    waits = ", ".join(f"{run.waited:.3%} with {name}" for name, run in last.items())
    punctual = last["dctcp"].punctual_us
    pauses = ", and ".join(f"{counts(results, name, 'pauses sent')} with {name}" for name in LOSSLESS)
    over_shoal = punctual / shoal[ends["high"]].tail_us
    gained = ", ".join(f"{gain:.2f} over {name}" for name, gain in gains.items())
    note = (
        "99.9 % of short flows within, their mean, and goodput of long flows: "
        f"{'. '.join(told)}. Short flows that wait for a timeout at {load(ends['high'])}: {waits}; DCTCP's is at least "
        f"{LEAST_TIMEOUT}, as in htsim, and 99.9 % of its others end within {punctual:.1f} us, {over_shoal:.2f} times "
        f"Shoal's. Gains in goodput at the highest load (§7.3: even at high load): {gained}; the row is the least over "
        f"the paper's three. Packets trimmed, by load: {counts(results, 'ndp', 'trimmed to headers')}; pauses sent: "
        f"{pauses}. dctcp over pfc is what the simulator behind the paper's baselines takes for DCQCN. Of flows that "
        "had ended when the run did. Load with R = 50 Gb/s; DCTCP marks from 30 packets on"
    )
    stated = {"low": 3.0, "high": 2.0}
    asked = {f"tail over dcqcn, {which}": Requirement("approx", stated[which], 0.3) for which in ends}
    return Measurement(rows, note, required=asked)


def counts(results: "Results", variant: str, counter: str) -> str:
    """A counter of a variant's runs, by load; 0 where a run does not have it, as nothing was counted."""
    runs = of(results, variant, RATE).values()
    found = [{row["counter"]: row["value"] for row in run.counters.to_pylist()}.get(counter, 0) for run in runs]
    return ", ".join(f"{count:,.0f}" for count in found)


@workload.plot
def by_load(results: "Results", claim: "Claim") -> "Mapping[str, AnyChart]":
    """Fig. 15: completion of short flows and goodput of long ones, by load."""
    from .by_load import drawn_by_load

    times: list[AtLoad] = []
    goodput: list[AtLoad] = []
    for variant, runs in seen(results).items():
        for rate, run in runs.items():
            at = float(rate) / FULL_LOAD
            times.append({"label": variant, "which": "99.9 %", "load": at, "value": run.tail_us * 1e6})
            times.append({"label": variant, "which": "mean", "load": at, "value": run.mean_us * 1e6})
            if run.goodput_gbps == run.goodput_gbps:
                goodput.append({"label": variant, "which": "mean", "load": at, "value": run.goodput_gbps * 1e9})
    told = f"§{claim.section}: flows of at most 100 KB, and of at least 1 MB."
    charts = {"fct": drawn_by_load(times, "Shoal Fig. 15a: completion of short flows", "Completion time", "ps", told)}
    if goodput:
        charts["goodput"] = drawn_by_load(goodput, "Shoal Fig. 15b: goodput of long flows", "Goodput", "b/s", told)
    return charts


QUEUES = {"queue_cells": "longest queue", "node_cells": "fullest node"}
PASSED_ON = "most cells that a node passes on"
REORDERED = "most cells of a flow out of order"


def largest(runs: Sequence["Run"]) -> dict[str, float]:
    """Largest queue, largest sum of a node's queues, and most kilobytes out of order, of all these runs."""
    found = {row: max(counted(run, counter) for run in runs) for row, counter in QUEUES.items()}
    return {**found, "reorder_kb": max(counted(run, REORDERED) for run in runs) * CELL / 1000}


@queues.measure
def queues_and_reordering(results: "Results") -> Measurement:
    """The largest of each, over all loads."""
    runs = of(results, "shoal", RATE)
    parts = []
    for rate, run in runs.items():
        row, passed_on = largest([run]), counted(run, PASSED_ON)
        parts.append(
            f"{load(rate)}: {row['queue_cells']:.0f}, {row['node_cells']:.0f} ({passed_on:.0f}) cells, "
            f"{row['reorder_kb']:.0f} KB"
        )
    note = (
        f"Largest queue, largest sum of a node's queues, and reordering in whole cells: {'; '.join(parts)}. In "
        "brackets the sum without a node's own cells"
    )
    return Measurement(largest(list(runs.values())), note)


@queues.plot
def queues_by_load(results: "Results", claim: "Claim") -> "Mapping[str, AnyChart]":
    """Fig. 16: queues and reordering by load."""
    charts = {}
    kinds: dict[str, tuple[str, Number]] = {
        "queue_cells": ("cells of the longest queue", claim.rows["queue_cells"]),
        "node_cells": ("cells of a node", claim.rows["node_cells"]),
        "reorder_kb": ("kilobytes out of order", claim.rows["reorder_kb"]),
    }
    for row, (title, stated) in kinds.items():
        bars: list[Bar] = [
            {"place": load(rate), "label": "Shoal", "value": largest([run])[row], "expected": float(stated)}
            for rate, run in of(results, "shoal", RATE).items()
        ]
        name = row.split("_")[0]
        charts[name] = drawn(bars, f"Shoal Fig. 16: most {title}", "count", f"§{claim.section}: marks are the paper's.")
    return charts


def growth(results: "Results") -> dict[str, list[float]]:
    """How many times the tail is that of the rack as it is, with longer epochs, at the low load and the high one."""
    tails = {
        variant: [quantile(short_times(run), TAIL) for run in of(results, variant, "workload.0.load").values()]
        for variant in ("as it is", "2 channels", "1024 nodes")
    }
    return {
        variant: [long / usual for long, usual in zip(tails[variant], tails["as it is"], strict=True)]
        for variant in ("2 channels", "1024 nodes")
    }


@epoch.measure
def longer_epochs(results: "Results") -> Measurement:
    """How the tail of short flows grows when the epoch is twice as long."""
    rows, stated = {}, {}
    paper = {"2 channels": (1.26, 1.15), "1024 nodes": (1.28, 1.2)}
    for variant, ratios in growth(results).items():
        for which, ratio, printed in zip(("low", "high"), ratios, paper[variant], strict=True):
            rows[f"{variant}, {which} load"], stated[f"{variant}, {which} load"] = ratio, printed
    base = of(results, "as it is", "workload.0.load").values()
    tails = " and ".join(f"{quantile(short_times(run), TAIL):.1f}" for run in base)
    note = f"Of 99.9 % of short flows, over the rack as it is: {tails} us at L = 0.2 and L = 1, with R = 50 Gb/s"
    return Measurement(rows, note, stated=stated)


@epoch.plot
def growth_by_variant(results: "Results", claim: "Claim") -> "AnyChart":
    """How the tail of short flows grows, and what the paper says."""
    paper = {"2 channels": (1.26, 1.15), "1024 nodes": (1.28, 1.2)}
    rows: list[Bar] = [
        {"place": variant, "label": which, "value": ratio, "expected": printed}
        for variant, ratios in growth(results).items()
        for which, ratio, printed in zip(("low load", "high load"), ratios, paper[variant], strict=True)
    ]
    told = f"§{claim.section}: times that with 4 channels and 512 nodes; marks are the paper's."
    return drawn(rows, "Shoal §7.3: the tail of short flows with epochs twice as long", "ratio", told)


APPLICATION = "workload.0.size.path"


def application(path: str) -> str:
    """What the application is called, from the file of its sizes."""
    return path.rsplit("/", 1)[-1].removesuffix(".txt")


def gains(results: "Results") -> dict[str, tuple[float, float]]:
    """By application: DCTCP's tail over Shoal's, and Shoal's goodput over DCTCP's."""
    shoal, dctcp = of(results, "shoal", APPLICATION), of(results, "dctcp", APPLICATION)
    return {
        application(path): (
            quantile(short_times(dctcp[path]), TAIL) / quantile(short_times(run), TAIL),
            mean(long_rates(run)) / mean(long_rates(dctcp[path])),
        )
        for path, run in shoal.items()
    }


def first_times(run: "Run") -> list[float]:
    """Those of `short_times` that found no larger flow of the same two nodes under way."""
    columns = (run.flows.column(name).to_pylist() for name in ("start_ps", "bytes", "fct_ps", "src", "dst"))
    busy_until: dict[tuple[int, int], float] = {}
    times = []
    for start, size, time, source, destination in sorted(zip(*columns, strict=True), key=lambda flow: int(flow[0])):
        pair = (source, destination)
        if size > SHORT:
            end = math.inf if time is None else start + time
            busy_until[pair] = max(end, busy_until.get(pair, 0))
        elif time is not None and busy_until.get(pair, 0) <= start:
            times.append(time / 1e6)
    return sorted(times)


@disaggregated.measure
def applications(results: "Results") -> Measurement:
    """The least gain in tail and goodput of all applications, and the largest queue."""
    found = gains(results)
    shoal = of(results, "shoal", APPLICATION)
    parts = [f"{name} {tail:.2f} and {goodput:.2f}" for name, (tail, goodput) in found.items()]
    goodputs = [goodput for _, goodput in found.values() if goodput == goodput]
    rows = {
        "tail": min(tail for tail, _ in found.values()),
        "goodput": mean(goodputs),
        "queue_cells": largest(list(shoal.values()))["queue_cells"],
    }
    dctcp = of(results, "dctcp", APPLICATION)
    first = [quantile(first_times(dctcp[path]), TAIL) / quantile(first_times(run), TAIL) for path, run in shoal.items()]
    note = (
        "DCTCP's tail of short flows over Shoal's, and Shoal's goodput of long flows over DCTCP's: "
        f"{', '.join(parts)}. Tails of those that found no larger flow of the same two nodes under way: "
        f"{', '.join(f'{tail:.2f}' for tail in first)} in this order; all that two nodes exchange has one flow's share "
        "of Shoal, in which messages take turns. The rows are the least tail, the mean goodput, the largest queue of "
        "all. The sizes are ours, since the traces are not public (README.md)"
    )
    return Measurement(rows, note)


@disaggregated.plot
def gains_by_application(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 18, as ratios: tail and goodput of each application, over DCTCP's."""
    stated = (float(claim.rows["tail"]), float(claim.rows["goodput"]))
    rows: list[Bar] = [
        {"place": name, "label": label, "value": value, "expected": expected}
        for name, pair in gains(results).items()
        for label, value, expected in zip(("tail", "goodput"), pair, stated, strict=True)
        if value == value
    ]
    told = f"§{claim.section}: times better than DCTCP over packet switches; marks are the paper's."
    return drawn(rows, "Shoal Fig. 18: disaggregated applications", "ratio", told)
