"""The table of runs, side by side, that ends `gossamer run`."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gossamer.cli import screen
from gossamer.cli.amounts import count, rate, share, size, span
from gossamer.results import Results


class Column(NamedTuple):
    """One column: the key in the summary table, the heading, and how a value is written."""

    key: str
    heading: str
    text: Callable[[Any], str]


def slowdown(value: float) -> str:
    """How many times longer than alone."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


COLUMNS = (
    Column("goodput_bps", "goodput", rate),
    Column("host_utilisation", "of host rate", share),
    Column("fairness", "fairness", lambda value: f"{value:.3f}"),
    Column("fct_mean_ps", "mean FCT", span),
    Column("slowdown_p50", "slowdown p50", slowdown),
    Column("slowdown_p99", "p99", slowdown),
    Column("latency_p99_ps", "latency p99", span),
    Column("max_queue_bytes", "max queue", size),
    Column("dropped_frames", "dropped", count),
    Column("marked_frames", "marked", count),
    Column("retransmits", "resent", count),
)
"""What tells fabrics and transports apart. All of it, and more, is in the summary table on disk."""


def show(results: Results) -> None:
    """Print one line a run; columns in which no run has a value are left out."""
    rows = {row["run"]: row for row in results.summary.to_pylist()}
    columns = [column for column in COLUMNS if any(row[column.key] is not None for row in rows.values())]
    table = screen.table()
    table.add_column("run", overflow="fold")
    for column in columns:
        table.add_column(column.heading, justify="right")
    if any(run.status != "done" for run in results):
        table.add_column("ended")
    for run in results:
        row = rows.get(run.name)
        cells = [run.name, *(cell(row, column) for column in columns)]
        table.add_row(*cells, *([] if run.status == "done" else [run.status]))
    console = screen.console()
    console.print(table)
    for line in results.warnings:
        console.print(line, soft_wrap=True)


def cell(row: Mapping[str, Any] | None, column: Column) -> str:
    """One value, or nothing where the run has none."""
    value = None if row is None else row[column.key]
    return "" if value is None else column.text(value)
