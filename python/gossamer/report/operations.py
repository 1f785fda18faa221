"""The operations of each workload, side by side: completion time, algorithm and bus bandwidth."""

from collections.abc import Callable, Sequence
from typing import Any

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison, Group, by_seed
from gossamer.analysis.metrics import Spread, best_of
from gossamer.analysis.operations import Operations, operations_of
from gossamer.analysis.quantities import Kind, Scale, scale, text
from gossamer.report.table import ABSENT, Cell, Heading, Table, row_of, side_by_side

__all__ = ["operations_tables"]

COLUMNS: tuple[tuple[str, str, str, Kind, Callable[[Sequence[float]], float], str], ...] = (
    ("duration_ps", "Completion time", "mean", "ps", confidence.mean, "low"),
    ("duration_ps", "Completion time", "slowest", "ps", max, "low"),
    ("algorithm_bandwidth_bps", "Algorithm bandwidth", "mean", "b/s", confidence.mean, "high"),
    ("algorithm_bandwidth_bps", "Algorithm bandwidth", "lowest", "b/s", min, "high"),
    ("bus_bandwidth_bps", "Bus bandwidth", "mean", "b/s", confidence.mean, "high"),
    ("bus_bandwidth_bps", "Bus bandwidth", "lowest", "b/s", min, "high"),
)
MEANINGS = {
    "Completion time": "From the start of an operation to the end of its last flow.",
    "Algorithm bandwidth": "Size of an operation over its completion time, as nccl-tests define it.",
    "Bus bandwidth": "Algorithm bandwidth times nccl-tests' factor, by which it can be compared with the rate "
    "of a link: "
    "2(n-1)/n for an all-reduce among n ranks, (n-1)/n for all-to-all, all-gather and reduce-scatter.",
}


def operations_tables(comparison: Comparison) -> list[Table]:
    """A table for each workload that has operations."""
    found = [operations_of(group) for group in comparison.groups]
    names = dict.fromkeys(name for by_name in found for name in by_name)
    return [_table(comparison, [by_name.get(name, []) for by_name in found], name) for name in names]


def _table(comparison: Comparison, found: Sequence[Operations], name: str) -> Table:
    numbers = [[_number(group, name, column, of) for group in comparison.groups] for column, _, _, _, of, _ in COLUMNS]
    shown = [place for place, values in enumerate(numbers) if any(value is not None for value in values)]
    units = {
        place: _unit([numbers[other] for other in shown if COLUMNS[other][0] == COLUMNS[place][0]], place)
        for place in shown
    }
    best = {place: _best(comparison, found, numbers[place], place) for place in shown}
    rows = []
    for number, (group, operations) in enumerate(zip(comparison.groups, found, strict=True)):
        if not operations:
            continue
        done = sum(row["duration_ps"] is not None for row in operations)
        whole = done == len(operations)
        cells = [
            Cell(_kinds(operations), None),
            Cell(_range([row["ranks"] for row in operations], "count"), float(operations[0]["ranks"])),
            Cell(_range([row["bytes"] for row in operations], "B"), float(operations[0]["bytes"])),
            Cell(f"{done:,} of {len(operations):,}", done / len(operations), weak=not whole),
        ]
        for place in shown:
            value = numbers[place][number]
            cells.append(_cell(value, units[place], COLUMNS[place][3], best=number in best[place]))
        rows.append(row_of(comparison, group, cells))
    headings = [
        Heading("Kind", "", "What the operation is."),
        Heading("Ranks", "", "Hosts that take part."),
        Heading("Size", "", "Bytes of one rank's buffer; of an incast, all that the receiver gets."),
        Heading("Completed", "", "Measured operations that completed, of all that started."),
    ]
    headings += [
        Heading(COLUMNS[place][2], units[place].unit, MEANINGS[COLUMNS[place][1]], COLUMNS[place][1]) for place in shown
    ]
    return side_by_side(comparison, headings, rows, name)


def _number(group: Group, name: str, column: str, of: Callable[[Sequence[float]], float]) -> Spread | None:
    """The mean over seeds of what `of` makes of each seed's operations; None where none has completed."""
    by_run = [[row[column] for row in operations_of(one).get(name, ())] for one in by_seed(group)]
    samples = [of(done) for values in by_run if (done := [value for value in values if value is not None])]
    return Spread.of(samples) if samples else None


def _unit(columns: Sequence[Sequence[Spread | None]], place: int) -> Scale:
    values = sorted(number.mean for column in columns for number in column if number)
    return scale(values[len(values) // 2] if values else 0.0, COLUMNS[place][3])


def _cell(number: Spread | None, unit: Scale, kind: Kind, *, best: bool) -> Cell:
    if number is None:
        return Cell(ABSENT, None)
    return Cell(number.text(unit, kind), number.mean, best, confidence.told(number.seeds), seeds=number.seeds)


def _best(
    comparison: Comparison, found: Sequence[Operations], numbers: Sequence[Spread | None], place: int
) -> set[int]:
    """Places of the best at each swept point, among groups whose runs ended well and whose operations all completed."""
    if not comparison.alternatives:
        return set()
    kind, better = COLUMNS[place][3], COLUMNS[place][5]
    winners: set[int] = set()
    for point in comparison.points:
        among = {
            row: number
            for row, (group, number) in enumerate(zip(comparison.groups, numbers, strict=True))
            if number is not None
            and group.point == point
            and group.done
            and all(each["duration_ps"] is not None for each in found[row])
        }
        winners |= best_of(among, better, lambda value: text(value, kind))
    return winners


def _kinds(rows: Operations) -> str:
    return ", ".join(dict.fromkeys(row["kind"] for row in rows))


def _range(values: Sequence[Any], kind: Kind) -> str:
    low, high = min(values), max(values)
    return text(low, kind) if low == high else f"{text(low, kind)} to {text(high, kind)}"
