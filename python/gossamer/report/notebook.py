"""Results as text for terminals and as HTML for notebooks."""

import html
from typing import TYPE_CHECKING

from gossamer.analysis.comparison import Comparison
from gossamer.plots import NoData, fct_slowdown, throughput_rank
from gossamer.plots.canvas import unchecked
from gossamer.plots.export import svg
from gossamer.plots.themes import THEMES
from gossamer.report.table import Table, table_of

if TYPE_CHECKING:
    from gossamer.results import Results

__all__ = ["as_html", "as_text"]

ROWS = 20
"""Most groups that are listed."""
COLUMNS = ("Completed flows", "Throughput per host", "Operation mean", "Slowdown p50", "Slowdown p99", "Drops")
"""What fits a terminal of 100 columns."""
WIDTH = 560


def as_text(results: "Results") -> str:
    """A line on what the results are, and a table with a line a group."""
    heading = _heading(results)
    if not results.runs:
        return heading
    grid = _grid(table_of(Comparison.of(results)))
    widths = [max(len(row[place]) for row in grid) for place in range(len(grid[0]))]
    lines = [
        "  ".join(word.ljust(width) if place == 0 else word.rjust(width) for place, (word, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in grid[: ROWS + 1])
    ]
    hidden = len(grid) - 1 - ROWS
    more = [f"... and {hidden} more"] if hidden > 0 else []
    return "\n".join([heading, *(line.rstrip() for line in lines), *more, *results.warnings])


def as_html(results: "Results") -> str:
    """The same table, and one figure as an image: it needs no script, so it shows wherever the notebook does."""
    parts = [f"<p><strong>{html.escape(_heading(results))}</strong></p>"]
    if results.runs:
        head, *rows = _grid(table_of(Comparison.of(results)))
        cells = "".join(f"<th style='text-align:right'>{html.escape(word)}</th>" for word in head)
        lines = [f"<tr>{cells}</tr>"]
        for row in rows[:ROWS]:
            first = f"<th scope='row' style='text-align:left'>{html.escape(row[0])}</th>"
            rest = "".join(f"<td style='text-align:right'>{html.escape(word)}</td>" for word in row[1:])
            lines.append(f"<tr>{first}{rest}</tr>")
        parts.append(f"<table style='font-variant-numeric:tabular-nums'>{''.join(lines)}</table>")
    parts.extend(f"<p>{html.escape(line)}</p>" for line in results.warnings)
    paper = THEMES["light"].paper
    for draw in (fct_slowdown, throughput_rank):
        try:
            with unchecked():
                image = svg(draw(results), WIDTH)
        except NoData:
            continue
        parts.append(f"<div style='max-width:{WIDTH + 40}px;background:{paper}'>{image}</div>")
        break
    return "".join(parts)


def _heading(results: "Results") -> str:
    count = len(results.runs)
    where = f"{results.path}" if results.path else "in memory"
    title = results.manifest.title or results.manifest.file or "Results"
    return f"{title}: {count} {'run' if count == 1 else 'runs'} ({where})"


def _grid(table: Table) -> list[list[str]]:
    """Words of the table, headings first; only the columns that fit."""
    kept = [place for place, heading in enumerate(table.headings) if heading.title in COLUMNS]
    head = [table.label_title, *table.axes]
    for place in kept:
        heading = table.headings[place]
        head.append(f"{heading.title} ({heading.unit})" if heading.unit else heading.title)
    rows = [[row.label, *row.swept, *(row.cells[place].text for place in kept), row.status] for row in table.rows]
    return [[*head, "status"], *rows]
