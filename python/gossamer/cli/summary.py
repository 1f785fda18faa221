"""The table of runs, side by side, that ends `gossamer run`. The report has the same columns."""

from gossamer.cli import screen
from gossamer.cli.amounts import quantity
from gossamer.cli.screen import Column
from gossamer.results import Results

RANKS = (
    "goodput_per_host_bps",
    "slowdown_p99",
    "slowdown_p50",
    "fairness",
    "host_utilisation",
    "latency_p99_ps",
    "dropped_frames",
    "lost_frames",
    "slowdown_p999",
    "max_queue_bytes",
    "retransmits",
    "marked_frames",
    "latency_p50_ps",
)
"""Which columns a narrow screen keeps: the first ones."""


def show(results: Results) -> None:
    """Print one line a run; columns in which no run has a value are left out."""
    from gossamer.plots.metrics import of_interest, of_run

    columns = [Column("Run", [run.name for run in results], left=True)]
    for metric in of_interest(results):
        values = [of_run(run, metric.key) for run in results]
        cells = ["" if value is None else quantity(value, metric.kind) for value in values]
        rank = RANKS.index(metric.key) + 1 if metric.key in RANKS else len(RANKS) + 1
        columns.append(Column(metric.short, cells, rank))
    if any(run.status != "done" for run in results):
        columns.append(Column("Ended", [run.status for run in results], left=True))
    console = screen.console()
    screen.show(console, columns)
    for line in results.warnings:
        console.print(line, soft_wrap=True)
