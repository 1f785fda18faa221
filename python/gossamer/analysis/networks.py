"""What tells different networks apart that carry the same traffic: for files with `[compare]`.

Slowdowns here are over what a flow would take alone in one and the same network, the reference, so that a network in
which a flow alone is slow, or fast, shows it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gossamer.analysis.comparison import Comparison, Group, by_seed, once
from gossamer.analysis.counters import mean_counters
from gossamer.analysis.metrics import Spread, fabric_of, of_group
from gossamer.analysis.operations import operations_of
from gossamer.analysis.samples import gather, percentile, values
from gossamer.results import Results

__all__ = [
    "BUFFERS",
    "IDEAL",
    "Times",
    "Traffic",
    "built",
    "fullest_buffer",
    "hosts_of",
    "lost",
    "of_seeds",
    "operation_mean",
    "over_seeds",
    "reference_of",
    "throughput",
    "times_of",
    "traffic_of",
    "worth_of",
]

IDEAL = ("fluid", "ideal-switch")
"""Kinds of fabrics that nobody builds: what others are measured against."""
PACKET = 1500
"""Messages of no more bytes than this are short: what counts is how long they take."""
COLUMNS = ("group", "src", "dst", "bytes", "fct_ps", "ideal_ps", "measured")

BUFFERS: Mapping[str, tuple[str, str, float]] = {
    "stardust": ("largest ingress buffer", "of a Fabric Adapter, where packets wait for credits", 1),
    "shoal": ("most cells that a node passes on", "of a node, for cells of others", 64),
}
"""Where the fullest buffer of a kind of fabric is counted: its counter, what it is of, and bytes of one."""
ELSEWHERE: Mapping[str, str] = {
    "fastpod": "its switches have none",
    "an3": "cells keep their time slot, and wait nowhere",
    "fluid": "it has no packets",
}
"""Why kinds of fabrics have no buffer in the network."""


def built(group: Group) -> bool:
    """Whether somebody could build its network."""
    return fabric_of(group) not in IDEAL


def worth_of(group: Group) -> Mapping[str, Any]:
    """What its network can carry, draws and costs; empty if the file has no `[compare]`."""
    return next((run.record.worth for run in group.runs if run.record.worth), {})


def hosts_of(group: Group) -> int:
    """Hosts of its network; 0 where no run of it left a summary."""
    rows = (run.summary.column("hosts")[0].as_py() for run in group.runs if run.summary.num_rows)
    return next((int(each) for each in rows if each), 0)


def of_seeds(samples: Sequence[float | None]) -> Spread | None:
    """The mean of what seeds have, with its confidence interval; None where one of them has nothing."""
    known = [sample for sample in samples if sample is not None]
    if not known or len(known) < len(samples):
        return None
    return Spread.of(known)


def over_seeds(group: Group, of: Callable[[Group], float | None]) -> Spread | None:
    """The same of what `of` finds in each seed of a group."""
    return of_seeds([of(one) for one in by_seed(group)])


Key = tuple[str, int, int, int]
"""Workload, source, destination and size: what a flow would take alone depends on nothing else."""


References = Mapping[str, Mapping[Key, int]]
"""What each flow would take alone in the network of the reference, in ps, by swept point."""


def reference_of(comparison: Comparison) -> References:
    """The reference at each swept point; empty if the file names none."""
    name = (comparison.results.manifest.compare or {}).get("reference")
    found: dict[str, dict[Key, int]] = {}
    for group in comparison.groups:
        if name is not None and group.runs[0].variant == name:
            flows = gather(group.runs, "flows", COLUMNS)
            columns = (values(flows, column) for column in ("group", "src", "dst", "bytes", "ideal_ps"))
            alone = {(workload, *pair): ideal for workload, *pair, ideal in zip(*columns, strict=True)}
            found.setdefault(group.point, {}).update(alone)
    return found


@dataclass(frozen=True, slots=True)
class Traffic:
    """The workloads of an experiment by what is asked of them."""

    messages: tuple[str, ...]
    """Those of short messages, of a packet at most."""
    flows: tuple[str, ...]
    """Those of flows that nobody waits for together: their slowdown counts."""
    operations: tuple[str, ...]
    """Those of operations: how long one takes."""
    widest: str
    """The operations among the most hosts that send to the most others; empty if there are none."""


def traffic_of(results: Results) -> Traffic:
    """The workloads of `results`, in the order in which they began."""
    largest: dict[str, int] = {}
    pairs: dict[str, set[tuple[int, int]]] = {}
    operations: set[str] = set()
    for run in results.runs:
        flows = run.flows
        columns = (values(flows, column) for column in ("group", "src", "dst", "bytes"))
        for name, source, destination, size in zip(*columns, strict=True):
            largest[name] = max(largest.get(name, 0), PACKET + 1 if size is None else size)
            pairs.setdefault(name, set()).add((source, destination))
        operations |= set(values(run.operations, "group")) if run.operations.num_rows else set()
    single = [name for name in largest if name not in operations]
    together = [name for name in largest if name in operations]
    return Traffic(
        tuple(name for name in single if largest[name] <= PACKET),
        tuple(name for name in single if largest[name] > PACKET),
        tuple(together),
        max(together, key=lambda name: len(pairs[name]), default=""),
    )


@dataclass(frozen=True, slots=True)
class Times:
    """Measured flows of a workload, in increasing order."""

    fct_ps: Sequence[int]
    """Completion times."""
    slowdown: Sequence[float]
    """Over what each would take alone in the reference, or in its own network if there is none."""
    unfinished: int
    """Flows that had not finished, and are in neither."""

    def fct(self, permille: int) -> float | None:
        """A percentile of completion times; None without flows, or where one that had not finished could raise it."""
        return percentile(self.fct_ps, permille) if self.fct_ps and not self.unfinished else None

    def slow(self, permille: int) -> float | None:
        """A percentile of slowdowns, likewise."""
        return percentile(self.slowdown, permille) if self.slowdown and not self.unfinished else None


def times_of(group: Group, workload: str, references: References) -> Times:
    """How long the flows of a workload took."""
    reference = references.get(group.point, {})
    flows = gather(group.runs, "flows", COLUMNS)
    fct: list[int] = []
    slowdown: list[float] = []
    unfinished = 0
    columns = (values(flows, column) for column in COLUMNS)
    for name, source, destination, size, took, ideal, measured in zip(*columns, strict=True):
        if name != workload or not measured or size is None:
            continue
        if took is None:
            unfinished += 1
            continue
        fct.append(took)
        slowdown.append(took / reference.get((name, source, destination, size), ideal))
    return Times(sorted(fct), sorted(slowdown), unfinished)


def operation_mean(group: Group, workload: str) -> float | None:
    """How long an operation of a workload took on average, in ps; None if one did not end."""
    rows = operations_of(group).get(workload, ())
    lasted = [row["duration_ps"] for row in rows]
    return sum(lasted) / len(lasted) if lasted and None not in lasted else None


def throughput(group: Group, workload: str) -> float | None:
    """What each participant of an operation sent a second while it lasted, in b/s: its bus bandwidth."""
    rates = [row["bus_bandwidth_bps"] for row in operations_of(group).get(workload, ())]
    return sum(rates) / len(rates) if rates and None not in rates else None


@once
def fullest_buffer(group: Group) -> tuple[float | None, str]:
    """The most bytes that a buffer of the network held at once, and which buffer that is or why there is none."""
    kind = fabric_of(group)
    counters = {name: value.mean for (name, _), value in mean_counters(group).items()}
    if kind in ELSEWHERE:
        return None, ELSEWHERE[kind]
    if "largest use of shared memory" in counters:
        return counters["largest use of shared memory"], "of a switch, whose ports share it"
    if kind in BUFFERS:
        name, whose, size = BUFFERS[kind]
        return (size * counters[name], whose) if name in counters else (None, "it was not counted")
    longest = of_group(group, "max_queue_bytes")
    return (longest.mean, "of a port, the frame being sent included") if longest else (None, "it was not counted")


@once
def lost(group: Group) -> tuple[float | None, str]:
    """Packets that the network lost, and how if that is not a full queue."""
    if fabric_of(group) == "fastpod":
        met = mean_counters(group).get(("of these, dropped", "packets"))
        return (
            None if met is None else met.mean,
            "sent without being scheduled, and dropped where they met something; they come again",
        )
    dropped, gone = of_group(group, "dropped_frames"), of_group(group, "lost_frames")
    if dropped is None:
        return None, ""
    more = gone.mean if gone else 0.0
    return dropped.mean + more, f"{more:,.0f} of them not in full queues" if more else ""
