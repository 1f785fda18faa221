"""`gossamer compare`: results folders side by side."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from gossamer.analysis.changes import chosen, known, sentences, share, shown
from gossamer.analysis.folders import Difference, Folders, Match
from gossamer.cli import completion, exits, page, screen
from gossamer.cli.screen import Column
from gossamer.errors import InputError

RUNS = 8
"""Runs that differ and are listed on the screen; the rest are in the report."""
SETTINGS = 12
"""Keys that differ and are listed on the screen."""


@click.command(context_settings=page.SETTINGS, short_help="Compare results folders, run by run.")
@click.argument(
    "folders",
    metavar="DIR...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    shell_complete=completion.results,
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    default=Path("comparison.html"),
    help="Where the report goes, a name that ends in .html; by default comparison.html, replaced if it is there.",
)
@click.option("--no-report", is_flag=True, help="Write no report; only print.")
@page.as_json
def compare(folders: tuple[Path, ...], out: Path, no_report: bool, as_json: bool) -> int:
    """Compare the results folders DIR, the first of which is what the others are compared with.

    Before and after a change, one seed and another, yours and a colleague's: runs of the same name are set side by
    side, with absolute and relative differences. Runs that differ in nothing but their seed are pooled. Also told are
    runs that only one folder has, the keys in which the experiments differ, different versions, and runs whose tables
    are the same to the byte. The report has the folders as the lines of every figure.

    A run that did not end as it should, or whose tables are damaged, is named and not compared; nor are lower bounds
    and percentiles of too few flows.

    \b
    Examples:
      gossamer compare results/before results/after
      gossamer compare results/quickstart results/quickstart-2 results/quickstart-3 --out seeds.html
      gossamer compare results/before results/after --no-report --json | jq '.runs[].identical'

    Exit status: 0 compared, 1 a run is not whole and so not compared, or no two runs have the same name, 2 bad input or
    a report that could not be written.
    """
    if out.suffix != ".html":
        raise InputError(f"--out {out}: expected the name of an HTML file, such as {out.with_suffix('.html')}")
    found = Folders.of(folders)
    report = None
    if not no_report:
        # Loading the drawing libraries takes longer than the rest.
        from gossamer.report import write_comparison

        report = write_comparison(found, out)
    if as_json:
        print(json.dumps(outcome(found, report), indent=2))
    else:
        show(found)
        if report is not None:
            print(f"report:  {report}")
    return exits.DONE if found.matches and all(_whole(match) for match in found.matches) else exits.FAILED


def _whole(match: Match) -> bool:
    return not any(side.broken for side in match.sides)


def show(folders: Folders) -> None:
    """Print what differs, shortly."""
    console = screen.console()
    for line in sentences(folders):
        console.print(line, soft_wrap=True)
    differing = [match for match in folders.matches if match.comparable and not match.identical]
    if differing:
        screen.show(console, _columns(folders, differing[:RUNS]))
    if len(differing) > RUNS:
        console.print(f"and {len(differing) - RUNS} more runs that differ", soft_wrap=True)
    for line in [*_told(folders), *folders.troubles]:
        console.print(line, soft_wrap=True)


def _columns(folders: Folders, matches: list[Match]) -> list[Column]:
    """A line for each of the few numbers that sum up a run."""
    keys: dict[str, None] = {}
    for place in range(1, len(folders.labels)):
        keys.update(dict.fromkeys(chosen(matches, place)))
    lines = [(match, number) for match in matches for key in keys if (number := match.number(key))]
    columns = [
        Column("Run", [match.name for match, _ in lines], left=True),
        Column("Number", [number.metric.title for _, number in lines], left=True),
        Column(folders.labels[0], [shown(number, 0) for _, number in lines], 1),
    ]
    for place, label in enumerate(folders.labels[1:], 1):
        differences = [(number.difference(place), number.metric.kind) for _, number in lines]
        columns += [
            Column(label, [shown(number, place) for _, number in lines], 1),
            Column("Difference", [known(difference, kind) for difference, kind in differences], 2),
            Column("Relative", [share(difference) for difference, _ in differences]),
        ]
    return columns


def _told(folders: Folders) -> Iterator[str]:
    """What else differs."""
    for label, names in folders.alone.items():
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        yield f"only in {label}: {', '.join(names[:4])}{more}"
    settings = folders.settings
    if settings is None:
        yield "settings: not known, as a folder has no experiment file that can be read"
    elif not settings:
        yield "settings: the same"
    else:
        for setting in settings[:SETTINGS]:
            values = " -> ".join("not set" if value is None else value for value in setting.values)
            yield f"setting {setting.key}: {values}"
        if len(settings) > SETTINGS:
            yield f"and {len(settings) - SETTINGS} more settings that differ"
    for name in folders.inputs:
        yield f"file {name}: not the same"
    if len(set(folders.versions)) > 1:
        yield f"version of Gossamer: {' -> '.join(folders.versions)}"


def outcome(folders: Folders, report: Path | None) -> dict[str, Any]:
    """What `--json` prints."""
    settings = folders.settings
    return {
        "report": None if report is None else str(report),
        "folders": [
            {
                "label": label,
                "path": str(results.path),
                "gossamer": results.manifest.gossamer,
                "status": results.manifest.status,
                "warnings": results.warnings,
                "only_here": list(folders.alone.get(label, ())),
            }
            for label, results in zip(folders.labels, folders.results, strict=True)
        ],
        "settings": None
        if settings is None
        else [{"key": setting.key, "values": list(setting.values)} for setting in settings],
        "inputs": folders.inputs,
        "runs": [_entry(match) for match in folders.matches],
    }


def _entry(match: Match) -> dict[str, Any]:
    """A match, with a member for each folder in every list."""
    places = range(len(match.sides))
    return {
        "name": match.name,
        "runs": [[run.name for run in side.group.runs] if side.group else [] for side in match.sides],
        "not_whole": [side.broken or None for side in match.sides],
        "identical": match.identical,
        "differing_tables": [None if place == 0 else match.differing_tables(place) for place in places],
        "metrics": {
            number.metric.key: {
                "values": [None if spread is None else spread.mean for spread in number.spreads],
                "half_widths": [None if spread is None else spread.half for spread in number.spreads],
                "not_compared": [why or None for why in number.weak],
                "differences": [_difference(number.difference(place)) if place else None for place in places],
            }
            for number in match.numbers
        },
    }


def _difference(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "absolute": difference.absolute,
        "relative": difference.relative,
        "within_spread_over_seeds": difference.noise,
    }
