"""The table of runs, side by side, that ends `gossamer run`. The report has the same columns."""

from gossamer.cli import screen
from gossamer.cli.amounts import quantity
from gossamer.results import Results


def show(results: Results) -> None:
    """Print one line a run; columns in which no run has a value are left out."""
    from gossamer.plots.metrics import METRICS, of_run

    metrics = [metric for metric in METRICS if any(of_run(run, metric.key) is not None for run in results)]
    partial = any(run.status != "done" for run in results)
    table = screen.table()
    table.add_column("Run", overflow="fold")
    for metric in metrics:
        table.add_column(metric.short, justify="right")
    if partial:
        table.add_column("Ended")
    for run in results:
        values = [(metric, of_run(run, metric.key)) for metric in metrics]
        cells = ["" if value is None else quantity(value, metric.kind) for metric, value in values]
        table.add_row(run.name, *cells, *([run.status] if partial else []))
    console = screen.console()
    console.print(table)
    for line in results.warnings:
        console.print(line, soft_wrap=True)
