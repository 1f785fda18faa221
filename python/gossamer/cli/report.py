"""`gossamer report`: make the report and the plots of a results folder again."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gossamer import api
from gossamer.cli import completion, exits, page, summary
from gossamer.cli.run import FORMATS, PLOTS, finish

if TYPE_CHECKING:
    from gossamer.plots.export import Format


@click.command(context_settings=page.SETTINGS, short_help="Make the report of a results folder again.")
@click.argument("results", type=click.Path(path_type=Path), shell_complete=completion.results)
@click.option("--format", "formats", type=page.Names(FORMATS), default=(), help="Write the tables in these forms too.")
@click.option("--plots", type=page.Names(PLOTS), default=(), help="Write the report's plots as files of these kinds.")
def report(results: Path, formats: tuple[str, ...], plots: "tuple[Format, ...]") -> int:
    """Make the report of the folder RESULTS again.

    Everything comes from the tables and the manifest in the folder, also of a run that was stopped. report.html and
    plots/ are made anew; the tables stay as they are.

    \b
    Examples:
      gossamer report results/quickstart
      gossamer report results/quickstart --plots png,svg,pdf
      gossamer report results/quickstart --format csv

    Exit status: 0 done, 1 a table is damaged or cut (the report is of the rest), 2 bad input, or the report could not
    be written.
    """
    loaded = api.load(results)
    summary.show(loaded)
    made = finish(loaded, results, formats=formats, plots=plots, report=True)
    if plots:
        print(f"plots:   {results / 'plots'}")
    print(f"report:  {made}")
    return exits.FAILED if any(run.damaged for run in loaded) else exits.DONE
