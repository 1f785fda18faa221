"""The busiest links, the longest queues and the most drops, by name."""

from gossamer.analysis.comparison import Comparison, Group
from gossamer.analysis.links import MEASURES, columns_of, links_of
from gossamer.analysis.quantities import text
from gossamer.report.table import ABSENT, Cell, Heading, Row, Table, row_of, side_by_side

__all__ = ["hottest_links"]

PLACES = ("First", "Second", "Third")
TITLES = {"utilisation": "Busiest links", "longest queue": "Longest link queues", "drops": "Most drops"}
MEANINGS = {
    "utilisation": "Share of the measured window in which the link was sending.",
    "longest queue": "The most bytes that waited for the link at once, within the measured window.",
    "drops": "Frames that the link's queue refused, within the measured window.",
}
MOST_ROWS = 40


def hottest_links(comparison: Comparison) -> list[Table]:
    """For each measure a table with the three highest links of each group; none where all is zero."""
    found = []
    for measure, title in TITLES.items():
        rows = [row for group in comparison.groups[:MOST_ROWS] if (row := _row(comparison, group, measure))]
        if any(cell.value for row in rows for cell in row.cells):
            headings = tuple(Heading(place, "", MEANINGS[measure]) for place in PLACES)
            found.append(side_by_side(comparison, headings, rows, title))
    return found


def _row(comparison: Comparison, group: Group, measure: str) -> Row | None:
    links = links_of(group).num_rows
    if not links:
        return None
    column, kind = MEASURES[measure]
    numbers, sources, targets = (columns_of(group)[name] for name in (column, "source", "target"))
    order = sorted(range(links), key=lambda place: -numbers[place])[: len(PLACES)]
    cells = [
        Cell(f"{sources[place]} → {targets[place]}: {text(numbers[place], kind)}", float(numbers[place]))
        if numbers[place]
        else Cell(ABSENT, None)
        for place in order
    ]
    cells += [Cell(ABSENT, None)] * (len(PLACES) - len(cells))
    return row_of(comparison, group, cells)
