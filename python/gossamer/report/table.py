"""The groups of an experiment side by side: a row each, a column a metric."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from gossamer.plots.comparison import Comparison, Group
from gossamer.plots.metrics import SURVIVORS, Metric, completed_share, of_group, of_interest, of_run
from gossamer.plots.quantities import Scale, compact, scale

__all__ = ["Cell", "Heading", "Row", "Table", "table_of"]

ABSENT = "–"  # noqa: RUF001  an en dash is how a table says "nothing here"


@dataclass(frozen=True, slots=True)
class Heading:
    """Head of a column."""

    name: str
    unit: str
    definition: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as it is printed, and what it is sorted by."""

    text: str
    value: float | None
    best: bool = False
    """The best of the groups it is compared with."""
    note: str = ""
    """The spread over seeds, or why the number is weak."""
    weak: bool = False
    """It must not be compared: the note says why."""


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
    """All groups."""

    label_title: str
    axes: tuple[str, ...]
    """Swept axes that have a column of their own."""
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]

    @property
    def caption(self) -> str:
        """How to read it."""
        cells = [cell for row in self.rows for cell in row.cells]
        told = {
            "Best values are in bold.": any(cell.best for cell in cells),
            "Grey values rest on too few flows to be compared.": any(cell.weak for cell in cells),
            "Choose a heading to sort by it.": len(self.rows) > 1,
        }
        return " ".join(line for line, said in told.items() if said)


def table_of(comparison: Comparison) -> Table:
    """The groups of `comparison` with every metric that any of them has."""
    metrics = of_interest(run for group in comparison.groups for run in group.runs)
    scales = {each.key: _scale(comparison, each) for each in metrics}
    best = {each.key: set(_best(comparison, each, scales[each.key])) for each in metrics}
    own_axes = len(comparison.points) > 1
    rows = []
    for number, group in enumerate(comparison.groups):
        cells = [_cell(comparison, group, each, scales[each.key], best=number in best[each.key]) for each in metrics]
        swept = tuple(str(group.runs[0].sweep.get(key, "")) for key in comparison.axes) if own_axes else ()
        place = comparison.labels.index(group.label)
        rows.append(Row(group.label, place, swept, (*cells, _completed(group)), _status(group)))
    headings = [Heading(each.short, scales[each.key].unit, each.definition) for each in metrics]
    headings.append(
        Heading(
            "Completed flows", "", "Flows that completed before the run ended, of all that started, in the whole run."
        )
    )
    axes = tuple(comparison.axes.values()) if own_axes else ()
    return Table(comparison.label_title, axes, tuple(headings), tuple(rows))


def _scale(comparison: Comparison, metric: Metric) -> Scale:
    """One unit for a column: that of the middle, on a log scale, of its values."""
    means = [spread.mean for group in comparison.groups if (spread := of_group(group, metric.key))]
    positive = [mean for mean in means if mean > 0]
    return scale(sqrt(min(positive) * max(positive)) if positive else 0.0, metric.kind)


def _cell(comparison: Comparison, group: Group, metric: Metric, unit: Scale, *, best: bool) -> Cell:
    spread = of_group(group, metric.key)
    if spread is None:
        return Cell(ABSENT, None)
    note = ""
    weakness = _weakness(comparison, group, metric)
    if weakness:
        return Cell(unit.show(spread.mean, metric.kind), spread.mean, note=weakness, weak=True)
    if spread.seeds > 1:
        low, high = unit.show(spread.low, metric.kind), unit.show(spread.high, metric.kind)
        note = f"mean of {spread.seeds} seeds, from {low} to {high}"
    return Cell(unit.show(spread.mean, metric.kind), spread.mean, best, note)


def _weakness(comparison: Comparison, group: Group, metric: Metric) -> str:
    """Why a number must not be compared with those of other groups, empty if it may be."""
    if not metric.least_flows:
        return ""
    if any((of_run(run, "flows_completed") or 0) < metric.least_flows for run in group.runs):
        return f"fewer than {metric.least_flows} flows completed: this is the slowest of them"
    shares = [share for other in comparison.at(group.point) if (share := completed_share(other)) is not None]
    own = completed_share(group)
    if own is not None and own < max(shares) - SURVIVORS:
        return f"only {compact(100 * own)} % of the flows completed, and the slowest are missing from this number"
    return ""


def _best(comparison: Comparison, metric: Metric, unit: Scale) -> Iterator[int]:
    """Places of the groups that are best at their swept point; none where all print alike."""
    if metric.better is None or not comparison.rivals:
        return
    choose = max if metric.better == "high" else min
    for point in comparison.points:
        means = {
            number: spread.mean
            for number, group in enumerate(comparison.groups)
            if group.point == point
            and group.done
            and not _weakness(comparison, group, metric)
            and (spread := of_group(group, metric.key))
        }
        if len(means) < 2:
            continue
        shown = {number: unit.show(mean, metric.kind) for number, mean in means.items()}
        if len(set(shown.values())) > 1:
            winner = unit.show(choose(means.values()), metric.kind)
            yield from (number for number, each in shown.items() if each == winner)


def _completed(group: Group) -> Cell:
    share = completed_share(group)
    if share is None:
        return Cell(ABSENT, None)
    started, completed = (
        sum(of_run(run, key) or 0 for run in group.runs) for key in ("flows_started", "flows_completed")
    )
    return Cell(f"{completed:,.0f} of {started:,.0f}", share, note=f"{compact(100 * share)} %")


def _status(group: Group) -> str:
    """How the runs of a group ended; the number of those that did not end well where there are several."""
    endings = [run.status for run in group.runs]
    if len(set(endings)) == 1:
        return endings[0]
    bad = [ending for ending in endings if ending != "done"]
    return f"{len(bad)} of {len(endings)} {', '.join(dict.fromkeys(bad))}"
