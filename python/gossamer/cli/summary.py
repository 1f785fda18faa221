"""The table of runs, side by side, that ends `gossamer run`. The report has the same columns."""

from typing import TYPE_CHECKING

from gossamer.cli import screen
from gossamer.cli.amounts import quantity
from gossamer.cli.screen import Column
from gossamer.results import Results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.analysis.comparison import Group
    from gossamer.analysis.metrics import Metric

RANKS = (
    "goodput_per_host_bps",
    "operation_mean_ps",
    "slowdown_p99",
    "slowdown_p50",
    "operation_max_ps",
    "fairness",
    "host_utilisation",
    "dropped_frames",
    "lost_frames",
    "slowdown_p999",
    "latency_p99_ps",
    "max_held_bytes",
    "fct_mean_ps",
    "retransmits",
    "max_queue_bytes",
    "marked_frames",
    "latency_p50_ps",
)
"""Which columns a narrow screen keeps: the first ones."""


def show(results: Results) -> None:
    """Print one line a run, or one for all seeds; columns in which no run has a value are left out.

    What means different things over different fabrics has columns only where all runs have the same kind.
    """
    from gossamer.analysis import confidence
    from gossamer.analysis.comparison import Comparison, Group, ended
    from gossamer.analysis.metrics import METRICS, details, of_interest

    if results.manifest.compare is not None and _networks(results):
        return
    comparison = Comparison.of(results)
    several = comparison.seeds > 1
    groups = list(comparison.groups) if several else [Group(run.name, "", (run,)) for run in results]
    columns = [Column("Run", [group.name for group in groups], left=True), _completed(groups)]
    kinds = {run.summary.column("fabric")[0].as_py() for run in results if run.summary.num_rows}
    among = [*METRICS, *(details(next(iter(kinds))) if len(kinds) == 1 else [])]
    for metric in of_interest(results, among):
        rank = RANKS.index(metric.key) + 2 if metric.key in RANKS else len(RANKS) + 2
        columns.append(Column(_heading(metric), [_cell(group, metric) for group in groups], rank))
    if any(run.status != "done" for run in results):
        columns.append(Column("Ended", [ended(group) for group in groups], left=True))
    console = screen.console()
    screen.show(console, columns)
    if several:
        told = confidence.told(comparison.seeds)
        console.print(f"means ± half of their confidence intervals: {told}", soft_wrap=True)
    line = unfinished(results)
    if line:
        console.print(line, soft_wrap=True)
    for line in results.warnings:
        console.print(line, soft_wrap=True)


def _networks(results: Results) -> bool:
    """Print the table that leads the report of a file with `[compare]`, and what differs; whether there is one."""
    from gossamer.analysis.comparison import Comparison
    from gossamer.report.networks import networks_of

    networks = networks_of(Comparison.of(results))
    if networks is None:
        return False
    table = networks.table
    axes = [Column(axis, [row.swept[place] for row in table.rows], 1) for place, axis in enumerate(table.axes)]
    columns = [Column(table.label_title.capitalize(), [row.label for row in table.rows], left=True), *axes]
    for place, heading in enumerate(table.headings):
        title = f"{heading.title}, {heading.unit}" if heading.unit else heading.title
        columns.append(Column(title, [row.cells[place].text for row in table.rows], NETWORK_RANKS.get(heading.name, 3)))
    console = screen.console()
    screen.show(console, columns)
    for line in [*networks.lines, unfinished(results), *results.warnings]:
        if line:
            console.print(line, soft_wrap=True)
    return True


NETWORK_RANKS = {"p99": 1, "Lost": 1, "Cost": 1, "Power": 2, "p50": 2, "Bisection": 9, "Fullest buffer": 4}
"""Which columns of networks a narrow screen keeps: those with the lowest numbers. A column without one comes third."""


def _completed(groups: "Sequence[Group]") -> Column:
    """Measured flows that completed, of how many; its place is beside the name, since all else depends on it."""
    from gossamer.analysis.metrics import completed_by

    shares = [completed_by(group) for group in groups]
    cells = ["" if share is None else f"{share.completed:,} of {share.started:,}" for share in shares]
    return Column("Completed flows", cells, 1)


def _heading(metric: "Metric") -> str:
    return "Latency " + metric.short if metric.key.startswith("latency") else metric.title


def _cell(group: "Group", metric: "Metric") -> str:
    from gossamer.analysis.metrics import of_group
    from gossamer.analysis.quantities import around

    spread = of_group(group, metric.key)
    if spread is None:
        return ""
    if spread.bound:
        return f"≥ {quantity(spread.mean, metric.kind)}"
    return around(spread.mean, spread.half, metric.kind)


NAMED = 4
"""Runs that are named before the rest are only counted."""


def unfinished(results: Results) -> str | None:
    """Which runs ended before their flows did, in one line; endless flows do not count."""
    from gossamer.analysis.flows import finite

    found = [(run.name, left, of) for run in results for left, of in (finite(run),) if left]
    if not found:
        return None
    named = ", ".join(f"{name} ({left} of {of})" for name, left, of in found[:NAMED])
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    runs = "the run" if len(results) == 1 else f"{len(found)} of {len(results)} runs"
    return f"{runs} ended with unfinished flows: {named}{more}"
