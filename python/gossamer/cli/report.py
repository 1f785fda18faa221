"""`gossamer report`: remake the report and the plots of a results folder."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gossamer import api
from gossamer.cli import completion, exits, page, summary
from gossamer.cli.run import FORMATS, PLOTS, finish
from gossamer.errors import InputError
from gossamer.results import Results

if TYPE_CHECKING:
    from gossamer.plots.export import Format

WIDEST = 40.0
"""Inches: beyond this, somebody meant another unit."""


class Width(click.ParamType[float]):
    """The width of a figure: a paper's column by name, or inches."""

    name = "width"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - the signature is click's
        """What help shows for the value."""
        return "single|double|INCHES"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """To inches."""
        from gossamer.plots.export import COLUMN

        if isinstance(value, float):
            return value
        try:
            inches = COLUMN.get(str(value)) or float(str(value).removesuffix("in"))
        except ValueError:
            inches = 0.0
        if not 1.0 <= inches <= WIDEST:
            self.fail(
                f"{str(value)!r} is not a width: write single, double, or inches from 1 to {WIDEST:g}", param, ctx
            )
        return inches


@click.command(context_settings=page.SETTINGS, short_help="Remake the report of a results folder.")
@click.argument("results", type=click.Path(path_type=Path), shell_complete=completion.results)
@click.option(
    "--format", "formats", type=page.Names(FORMATS), default=(), help="Also write the tables in these formats."
)
@click.option(
    "--plots", type=page.Names(PLOTS), default=(), help="Also write the report's plots as images in these formats."
)
@click.option(
    "--figure",
    "figures",
    metavar="NAME",
    multiple=True,
    help="Write only this plot, sized for a paper, without title or caption, as PDF or in the formats of --plots; "
    "may be repeated. The report stays as it is.",
)
@click.option(
    "--width", type=Width(), default="single", help="Width of --figure: 3.3 inches, 7 inches, or a number of inches."
)
@click.option(
    "--choose",
    "chosen",
    metavar="LIST=ENTRY",
    multiple=True,
    help="Entry that --figure shows where the report has a list to choose from: `--choose links='host-leaf down'`.",
)
@click.option("--figures", "listing", is_flag=True, help="List the plots by name, and write nothing.")
def report(
    results: Path,
    formats: tuple[str, ...],
    plots: "tuple[Format, ...]",
    figures: tuple[str, ...],
    width: float,
    chosen: tuple[str, ...],
    listing: bool,
) -> int:
    """Remake the report of the results folder RESULTS.

    It is made from the tables and the manifest in the folder alone, even if the runs were stopped. report.html and
    plots/ are replaced; the tables stay as they are.

    \b
    Examples:
      gossamer report results/quickstart
      gossamer report results/quickstart --plots png,svg,pdf
      gossamer report results/quickstart --figures
      gossamer report results/quickstart --figure fct-cdf --width single --plots svg
      gossamer report results/quickstart --format csv

    Exit status: 0 done, 1 a table is damaged or truncated (the report covers the rest), 2 bad input or a report that
    could not be written.
    """
    loaded = api.load(results)
    if listing:
        list_figures(loaded)
        return exits.DONE
    if figures:
        for path in write_figures(loaded, results / "plots", figures, plots or ("pdf",), width, chosen):
            print(path)
        return exits.DONE
    summary.show(loaded)
    made = finish(loaded, results, formats=formats, plots=plots, report=True)
    if plots:
        print(f"plots:   {results / 'plots'}")
    print(f"report:  {made}")
    return exits.FAILED if any(run.damaged for run in loaded) else exits.DONE


def list_figures(results: Results) -> None:
    """Print each plot's name and title, with the names of its lists, or why it has no data."""
    from gossamer.analysis.comparison import Comparison
    from gossamer.plots.canvas import Canvas
    from gossamer.plots.figures import Drawn, draw_all

    for each in draw_all(Comparison.of(results), Canvas()):
        told = each.figure.title
        if isinstance(each, Drawn):
            lists = [f"{choice.title}: {', '.join(choice.options)}" for choice in each.drawing.choices]
            told += f" ({'; '.join(lists)})" if lists else ""
        else:
            told += f": none, {each.reason}"
        print(f"{each.figure.name:21} {told}")


def write_figures(
    results: Results,
    folder: Path,
    names: tuple[str, ...],
    formats: "tuple[Format, ...]",
    width: float,
    chosen: tuple[str, ...],
) -> list[Path]:
    """Write plots for a paper; the paths written."""
    from gossamer.plots import NoData
    from gossamer.plots.export import save_figure

    choose = {}
    for entry in chosen:
        name, equals, value = entry.partition("=")
        if not equals:
            raise InputError(f"--choose {entry}: expected LIST=ENTRY, as in --choose links='host-leaf down'")
        choose[name.strip()] = value.strip()
    written = []
    for name in names:
        try:
            written.extend(save_figure(results, name, folder, formats, width=width, choose=choose))
        except NoData as reason:
            raise InputError(f"--figure {name}: {reason}") from None
    return written
