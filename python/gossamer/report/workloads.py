"""Each workload by itself, its runs side by side."""

from collections.abc import Callable, Mapping, Sequence

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison
from gossamer.analysis.metrics import Spread
from gossamer.analysis.quantities import Kind, Scale, scale
from gossamer.analysis.workloads import WorkloadNumbers, workloads_of
from gossamer.report.table import ABSENT, COMPLETED, Cell, Heading, Table, completed_cell, row_of, side_by_side

__all__ = ["workload_tables"]

UNFINISHED = "a lower bound: flows had not finished when the run ended, and could raise it"
COLUMNS: tuple[tuple[str, str, Kind, Callable[[WorkloadNumbers], Spread | None], str], ...] = (
    (
        "",
        "Throughput",
        "b/s",
        lambda numbers: numbers.throughput,
        "Of all its flows together, over the measured window.",
    ),
    ("", "Fairness", "ratio", lambda numbers: numbers.fairness, "Jain's index of its endless flows' throughput."),
    ("FCT", "p50", "ps", lambda numbers: numbers.fct.get(500), "Median completion time of its measured flows."),
    ("FCT", "p99", "ps", lambda numbers: numbers.fct.get(990), "99 % of its measured flows took at most this."),
    ("Slowdown", "p50", "ratio", lambda numbers: numbers.slowdown.get(500), "Median slowdown of its measured flows."),
    (
        "Slowdown",
        "p99",
        "ratio",
        lambda numbers: numbers.slowdown.get(990),
        "99 % of them were slowed down at most so.",
    ),
)


def workload_tables(comparison: Comparison) -> list[Table]:
    """A table for each workload; none where there is just one, of which the comparison of all runs tells."""
    found = [workloads_of(group) for group in comparison.groups]
    names = dict.fromkeys(name for by_name in found for name in by_name)
    return [_table(comparison, found, name) for name in names] if len(names) > 1 else []


def _table(comparison: Comparison, found: Sequence[Mapping[str, WorkloadNumbers]], name: str) -> Table:
    present = [
        (group, by_name[name]) for group, by_name in zip(comparison.groups, found, strict=True) if name in by_name
    ]
    columns = [[of(numbers) for _, numbers in present] for *_, of, _ in COLUMNS]
    shown = [place for place, column in enumerate(columns) if any(value is not None for value in column)]
    units = {
        place: _unit([columns[other] for other in shown if _beside(place, other)], COLUMNS[place][2]) for place in shown
    }
    sized = any(numbers.flows for _, numbers in present)
    rows = []
    for number, (group, numbers) in enumerate(present):
        cells = [completed_cell(numbers.flows)] if sized else []
        cells += [_cell(columns[place][number], units[place], COLUMNS[place][2]) for place in shown]
        rows.append(row_of(comparison, group, cells))
    headings = [Heading(COMPLETED, "", "Of its measured flows that have an end.")] if sized else []
    headings += [Heading(COLUMNS[place][1], units[place].unit, COLUMNS[place][4], COLUMNS[place][0]) for place in shown]
    return side_by_side(comparison, headings, rows, name)


def _beside(one: int, other: int) -> bool:
    """They share a heading, and so a unit."""
    return one == other or COLUMNS[one][0] == COLUMNS[other][0] != ""


def _unit(columns: Sequence[Sequence[Spread | None]], kind: Kind) -> Scale:
    values = sorted(number.mean for column in columns for number in column if number and number.mean)
    return scale(values[len(values) // 2] if values else 0.0, kind)


def _cell(number: Spread | None, unit: Scale, kind: Kind) -> Cell:
    if number is None:
        return Cell(ABSENT, None)
    if number.bound:
        return Cell(number.text(unit, kind), number.mean, note=UNFINISHED, weak=True, bound=True)
    return Cell(number.text(unit, kind), number.mean, note=confidence.told(number.seeds), seeds=number.seeds)
