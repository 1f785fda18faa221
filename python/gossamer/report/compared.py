"""The report on several results folders side by side: one HTML file, as the report of one is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gossamer.analysis import confidence
from gossamer.analysis.changes import ABSENT, by, known, order, sentences, share, shown
from gossamer.analysis.folders import Folders, Match, Number
from gossamer.analysis.metrics import METRICS, completed_by
from gossamer.report.page import Figures, joined, template

__all__ = ["render"]

OPEN = 6
"""Runs that differ and whose numbers are unfolded at first; a reader unfolds the others."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as it is printed, and what it is sorted by."""

    text: str
    value: float | None = None
    note: str = ""
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of numbers: what it is of, and its cells."""

    name: str
    definition: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the table of changes: a match in one of the folders that come after the first."""

    name: str
    label: str
    colour: int
    cells: tuple[Cell, ...]
    tables: str
    """Whether its tables are those of the first folder, or why it is not compared."""
    which: str
    """The tables that differ."""
    bad: bool
    """It is not compared, since a folder does not have it whole."""


@dataclass(frozen=True, slots=True)
class Block:
    """All numbers of one match."""

    name: str
    lines: tuple[Line, ...]
    note: str
    unfolded: bool


def render(folders: Folders) -> str:
    """The report as HTML."""
    comparison = folders.drawn()
    differing = [match.name for match in folders.matches if match.comparable and not match.identical]
    point = differing[0] if differing else (comparison.points or [""])[0]
    columns = [each for each in METRICS if any(match.number(each.key) for match in folders.matches)]
    return template("compare.html.jinja").render(
        title=" and ".join(folders.labels) if len(folders.labels) == 2 else ", ".join(folders.labels),
        folders=folders,
        first=folders.labels[0],
        lines=[joined(line) for line in sentences(folders)],
        troubles=folders.troubles,
        columns=columns,
        changes=list(_changes(folders, [each.key for each in columns])),
        blocks=list(_blocks(folders.matches)),
        made=list(_made(folders)),
        comparison=comparison,
        point=point,
        **Figures.of(comparison, point).in_page(),
    )


def _changes(folders: Folders, keys: Sequence[str]) -> Iterator[Change]:
    for match in folders.matches:
        for place, label in enumerate(folders.labels[1:], 1):
            if match.sides[place].group is None or match.sides[0].group is None:
                continue
            cells = tuple(_change(match.number(key), place, folders.labels) for key in keys)
            yield Change(match.name, label, place, cells, *_tables(match, place, folders.labels))


def _tables(match: Match, place: int, labels: Sequence[str]) -> tuple[str, str, bool]:
    """How the tables of a folder stand to those of the first, which differ, and whether it cannot be compared."""
    for each in (0, place):
        if match.sides[each].broken:
            return f"not compared: it {match.sides[each].broken} in {labels[each]}", "", True
    differing = match.differing_tables(place)
    if differing is None:
        return "not known", "the manifest of an older version has no digests, or the seeds are not the same", False
    return ("differ", ", ".join(differing), False) if differing else ("same to the byte", "", False)


def _change(number: Number | None, place: int, labels: Sequence[str]) -> Cell:
    if number is None:
        return Cell(ABSENT)
    difference = number.difference(place)
    both = f"{labels[0]}: {shown(number, 0)}, {labels[place]}: {shown(number, place)}"
    if difference is None:
        why = number.weak[0] or number.weak[place]
        return Cell(ABSENT, note=f"{both}; {why}" if why else both, weak=True)
    if difference.noise:
        return Cell(by(difference, number.metric.kind), order(difference), f"{both}; {NOISE}", weak=True)
    return Cell(by(difference, number.metric.kind), order(difference), both)


NOISE = "the confidence intervals overlap"


def _blocks(matches: Sequence[Match]) -> Iterator[Block]:
    unfolded = [match.name for match in matches if match.comparable and not match.identical][:OPEN]
    for match in matches:
        if any(side.whole for side in match.sides):
            yield _block(match, unfolded=match.name in unfolded)


def _block(match: Match, *, unfolded: bool) -> Block:
    shares = [None if side.whole is None else completed_by(side.whole) for side in match.sides]
    told = [ABSENT if each is None else f"{each.completed:,} of {each.started:,}" for each in shares]
    cells = [Cell(told[0])]
    for place, each in enumerate(shares[1:], 1):
        gained = None if each is None or shares[0] is None else each.completed - shares[0].completed
        cells += [Cell(told[place]), Cell(ABSENT if gained is None else f"{gained:+,}" if gained else "0"), Cell("")]
    definition = "Measured flows that completed before the run ended, of all measured flows that have an end."
    lines = [Line("Completed flows", definition, tuple(cells))] if any(shares) else []
    lines += [Line(each.metric.title, each.metric.definition, tuple(_cells(each))) for each in match.numbers]
    seeds = max(len(side.group.runs) if side.group else 0 for side in match.sides)
    caption = f"Means ± half of their confidence intervals: {confidence.told(seeds)}." if seeds > 1 else ""
    return Block(match.name, tuple(lines), caption, unfolded)


def _cells(number: Number) -> Iterator[Cell]:
    for place, spread in enumerate(number.spreads):
        weak = number.weak[place]
        note = weak
        if spread is not None and spread.seeds > 1 and not weak:
            note = confidence.told(spread.seeds)
        yield Cell(shown(number, place), None, note, weak=bool(weak))
        if place:
            difference = number.difference(place)
            noise = difference is not None and difference.noise
            why = NOISE if noise else ""
            yield Cell(known(difference, number.metric.kind), note=why, weak=noise)
            yield Cell(share(difference), note=why, weak=noise)


def _made(folders: Folders) -> Iterator[tuple[str, list[str]]]:
    """What identifies the runs of each folder."""
    manifests = [results.manifest for results in folders.results]
    yield "Folder", [str(results.path) for results in folders.results]
    yield "Title", [manifest.title or "untitled" for manifest in manifests]
    yield "Gossamer", [manifest.gossamer or "unknown version" for manifest in manifests]
    yield "Experiment file", [manifest.file or "unknown" for manifest in manifests]
    yield "Changes with --set", [", ".join(manifest.overrides) or "none" for manifest in manifests]
    yield "Started", [(manifest.started or "unknown").replace("T", " ").removesuffix("Z") for manifest in manifests]
    yield "Machine", [str(manifest.machine.get("cpu") or "unknown") for manifest in manifests]
    yield "Runs", [str(len(manifest.runs)) for manifest in manifests]
    yield "Status", [manifest.status for manifest in manifests]
