"""The groups of an experiment side by side: a row each, a column a metric.

What means the same over every fabric is in one table; what does not, in a table for each kind of fabric.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison, Group, ended
from gossamer.analysis.metrics import (
    METRICS,
    Metric,
    Share,
    best_of,
    completed_by,
    details,
    fabric_of,
    of_group,
    of_interest,
)
from gossamer.analysis.quantities import Scale, compact, scale
from gossamer.analysis.weakness import weakness, why_bound

__all__ = [
    "Band",
    "Cell",
    "Heading",
    "Row",
    "Table",
    "completed_cell",
    "details_of",
    "row_of",
    "side_by_side",
    "table_of",
]

ABSENT = "–"  # noqa: RUF001  an en dash is how a table says "nothing here"
COMPLETED = "Completed flows"
IN_THE_SPREAD = ", with those whose confidence intervals overlap theirs"
"""How the caption of bold values goes on where there are several seeds."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Head of a column."""

    name: str
    """Under a band, what tells it from its neighbours."""
    unit: str
    definition: str
    band: str = ""

    @property
    def title(self) -> str:
        """The whole of it, for a list without bands."""
        return f"{self.band} {self.name}" if self.band else self.name


@dataclass(frozen=True, slots=True)
class Band:
    """A heading over neighbours that share it, with the unit that they share; empty over one that stands alone."""

    name: str
    unit: str
    headings: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as it is printed, and what it is sorted by."""

    text: str
    value: float | None
    best: bool = False
    """The best of the groups it is compared with."""
    note: str = ""
    """Of how many seeds it is the mean, or why the number is weak."""
    weak: bool = False
    """It must not be compared: the note says why."""
    bound: bool = False
    """It is a lower bound."""
    seeds: int = 1
    """So many are averaged, with a confidence interval."""


@dataclass(frozen=True, slots=True)
class Row:
    """A group: its label, its swept values, its numbers and how its runs ended."""

    label: str
    colour: int
    """Place of the label among all labels."""
    swept: tuple[str, ...]
    cells: tuple[Cell, ...]
    status: str


@dataclass(frozen=True, slots=True)
class Table:
    """Groups side by side."""

    label_title: str
    axes: tuple[str, ...]
    """Swept axes that have a column of their own."""
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]
    name: str = ""

    @property
    def bands(self) -> list[Band]:
        """The upper line of headings."""
        found = []
        for name, among in groupby(self.headings, key=lambda heading: heading.band or heading):
            headings = tuple(among)
            found.append(Band(name if isinstance(name, str) else "", headings[0].unit, headings))
        return found

    @property
    def caption(self) -> str:
        """How to read it."""
        cells = [cell for row in self.rows for cell in row.cells]
        seeds = max((cell.seeds for cell in cells), default=1)
        told = {
            f"Best values are in bold{IN_THE_SPREAD if seeds > 1 else ''}.": any(cell.best for cell in cells),
            "≥: a lower bound, since flows had not finished when the run ended.": any(cell.bound for cell in cells),
            "Grey values are not compared: point at one to see why.": any(cell.weak for cell in cells),
            f"Mean ± half of its confidence interval: {confidence.told(seeds)}.": seeds > 1,
            "Choose a heading to sort by it.": len(self.rows) > 1,
        }
        return " ".join(line for line, said in told.items() if said)


def table_of(comparison: Comparison) -> Table:
    """The groups of `comparison` with every metric that means the same for all and that any of them has."""
    metrics = of_interest((run for group in comparison.groups for run in group.runs), METRICS)
    table = _table(comparison, comparison.groups, metrics)
    rows = [
        Row(row.label, row.colour, row.swept, (completed_cell(completed_by(group)), *row.cells), row.status)
        for row, group in zip(table.rows, comparison.groups, strict=True)
    ]
    heading = Heading(
        COMPLETED, "", "Measured flows that completed before the run ended, of all measured flows that have an end."
    )
    return Table(table.label_title, table.axes, (heading, *table.headings), tuple(rows))


def details_of(comparison: Comparison) -> list[Table]:
    """For each kind of fabric, what is compared only among runs over it."""
    kinds = {id(group): fabric_of(group) for group in comparison.groups}
    found = []
    for kind in dict.fromkeys(kind for kind in kinds.values() if kind):
        groups = [group for group in comparison.groups if kinds[id(group)] == kind]
        metrics = of_interest((run for group in groups for run in group.runs), details(kind))
        if metrics:
            table = _table(comparison, groups, metrics)
            found.append(Table(table.label_title, table.axes, table.headings, table.rows, kind))
    return found


def _table(comparison: Comparison, groups: Sequence[Group], metrics: Sequence[Metric]) -> Table:
    scales = {each.key: _scale(groups, [other for other in metrics if _beside(each, other)]) for each in metrics}
    best = {each.key: set(_best(comparison, groups, each, scales[each.key])) for each in metrics}
    rows = []
    for number, group in enumerate(groups):
        cells = [_cell(group, each, scales[each.key], best=number in best[each.key]) for each in metrics]
        rows.append(row_of(comparison, group, cells))
    headings = [Heading(each.short, scales[each.key].unit, each.definition, each.band) for each in metrics]
    return side_by_side(comparison, headings, rows)


def _beside(one: Metric, other: Metric) -> bool:
    """They share a heading, and so a unit."""
    return one is other or (one.band != "" and one.band == other.band)


def _scale(groups: Sequence[Group], metrics: Sequence[Metric]) -> Scale:
    """One unit for a column, or a band of them: that of the middle, on a log scale, of its values."""
    means = [spread.mean for each in metrics for group in groups if (spread := of_group(group, each.key))]
    positive = [mean for mean in means if mean > 0]
    return scale(sqrt(min(positive) * max(positive)) if positive else 0.0, metrics[0].kind)


def _cell(group: Group, metric: Metric, unit: Scale, *, best: bool) -> Cell:
    spread = of_group(group, metric.key)
    if spread is None:
        return Cell(ABSENT, None)
    shown = spread.text(unit, metric.kind)
    if spread.bound:
        return Cell(shown, spread.mean, note=why_bound(group, metric), weak=True, bound=True)
    weak = weakness(group, metric)
    if weak:
        return Cell(shown, spread.mean, note=weak, weak=True, seeds=spread.seeds)
    return Cell(shown, spread.mean, best, confidence.told(spread.seeds), seeds=spread.seeds)


def _best(comparison: Comparison, groups: Sequence[Group], metric: Metric, unit: Scale) -> Iterator[int]:
    """Places of the groups that are best at their swept point; none where all print alike or seeds tell none apart.

    Only runs that ended well are compared, and in completion times only those that left no flow unfinished.
    """
    if metric.better is None or not comparison.alternatives:
        return
    for point in comparison.points:
        spreads = {
            number: spread
            for number, group in enumerate(groups)
            if group.point == point
            and group.done
            and not weakness(group, metric)
            and (spread := of_group(group, metric.key))
            and not spread.bound
            and not (metric.completion and (share := completed_by(group)) and share.unfinished)
        }
        yield from best_of(spreads, metric.better, lambda value: unit.show(value, metric.kind))


def row_of(comparison: Comparison, group: Group, cells: Sequence[Cell]) -> Row:
    """The row of a group."""
    swept = tuple(str(group.runs[0].sweep.get(key, "")) for key in _own_axes(comparison))
    return Row(group.label, comparison.labels.index(group.label), swept, tuple(cells), ended(group))


def side_by_side(comparison: Comparison, headings: Sequence[Heading], rows: Sequence[Row], name: str = "") -> Table:
    """A table of such rows."""
    axes = tuple(_own_axes(comparison).values())
    return Table(comparison.label_title, axes, tuple(headings), tuple(rows), name)


def _own_axes(comparison: Comparison) -> Mapping[str, str]:
    """Swept axes that have a column of their own."""
    return comparison.axes if len(comparison.points) > 1 else {}


def completed_cell(share: Share | None) -> Cell:
    """How many flows completed, of how many."""
    if share is None:
        return Cell(ABSENT, None)
    note = "all" if not share.unfinished else f"{compact(100 * share.fraction)} %; {share.unfinished:,} unfinished"
    return Cell(f"{share.completed:,} of {share.started:,}", share.fraction, note=note, weak=share.unfinished > 0)
