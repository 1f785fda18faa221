"""Flows of a group: which of them have an end, how many finished, their throughput."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from gossamer.analysis.comparison import Comparison, Group, by_seed, once
from gossamer.analysis.samples import gather, values
from gossamer.results import Run

__all__ = ["finite", "having", "rates", "sized", "times", "unfinished_shares"]


@once
def sized(group: Group) -> pa.Table:
    """The measured flows of a group that have an end."""
    if len(group.runs) > 1:
        return pa.concat_tables([sized(one) for one in by_seed(group)])
    flows = gather(group.runs, "flows", ["bytes", "fct_ps", "slowdown", "measured"])
    return flows.filter(pc.and_(flows.column("measured"), pc.is_valid(flows.column("bytes"))))


def having(flows: pa.Table, column: str) -> pa.Table:
    """Those of `flows` that have a value in a column which only flows that finished have."""
    return flows.filter(pc.is_valid(flows.column(column)))


@once
def times(group: Group) -> Sequence[int]:
    """Completion times of a group's measured flows in picoseconds, in increasing order."""
    return values(having(sized(group), "fct_ps").sort_by("fct_ps"), "fct_ps")


@once
def rates(group: Group) -> Sequence[float]:
    """Throughput of a group's measured flows in b/s, in increasing order."""
    if len(group.runs) > 1:
        return sorted(rate for one in by_seed(group) for rate in rates(one))
    flows = gather(group.runs, "flows", ["goodput_bps", "measured"])
    active = flows.filter(pc.and_(flows.column("measured"), pc.is_valid(flows.column("goodput_bps"))))
    return values(active.sort_by("goodput_bps"), "goodput_bps")


def unfinished_shares(comparison: Comparison) -> dict[str, float]:
    """The share of the measured flows of each label that had not finished; only labels that left any."""
    started: dict[str, int] = dict.fromkeys(comparison.labels, 0)
    unfinished = dict(started)
    for group in comparison.groups:
        started[group.label] += sized(group).num_rows
        unfinished[group.label] += sized(group).column("fct_ps").null_count
    return {label: count / started[label] for label, count in unfinished.items() if count}


def finite(run: Run) -> tuple[int, int]:
    """How many flows of a size the run has not finished, and of how many that it started.

    Without a table of flows (`[measure] flows = false`) these are the measured ones.
    """
    if run.flows.num_rows == 0 and run.summary.num_rows:
        (row,) = run.summary.to_pylist()
        started = row.get("flows_measured") or 0
        return started - (row.get("flows_measured_completed") or 0), started
    with_size = run.flows.filter(pc.is_valid(run.flows.column("bytes")))
    return with_size.column("end_ps").null_count, with_size.num_rows
