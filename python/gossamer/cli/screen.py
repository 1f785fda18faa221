"""Tables on the screen: as wide as they are off a terminal, and on one with the columns that it has room for."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console

UNBOUNDED = 400
"""Columns off a terminal, where no edge makes a table fold."""
GAP = 2


def console() -> Console:
    """Standard output, taking text as it is: a name with brackets in it is no colour."""
    if Console().is_terminal:
        return Console(markup=False, highlight=False, emoji=False)
    return Console(markup=False, highlight=False, emoji=False, width=UNBOUNDED, color_system=None)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of numbers or words."""

    heading: str
    cells: Sequence[str]
    rank: int = 0
    """The column with the highest rank goes first where there is no room; one of rank 0 stays."""
    left: bool = False
    """Words stand at the left, numbers at the right."""

    @property
    def least(self) -> int:
        """The width it needs: a heading may break between words, a cell may not."""
        return max(map(len, [*self.heading.split(), *self.cells]))

    def lines(self, width: int, heading_lines: int) -> list[str]:
        """Heading and cells, each filled up to `width`; the heading stands on the lowest of its lines."""
        words = textwrap.wrap(self.heading, width, break_long_words=False)
        words = [""] * (heading_lines - len(words)) + words
        return [text.ljust(width) if self.left else text.rjust(width) for text in (*words, *self.cells)]


def show(screen: Console, columns: Sequence[Column]) -> None:
    """Print columns side by side, without those for which there is no room, and say which those are."""
    shown = fitting(columns, screen.width)
    widths = widened(shown, screen.width)
    heading_lines = max(
        len(textwrap.wrap(column.heading, width, break_long_words=False))
        for column, width in zip(shown, widths, strict=True)
    )
    drawn = [column.lines(width, heading_lines) for column, width in zip(shown, widths, strict=True)]
    for number, parts in enumerate(zip(*drawn, strict=True)):
        line = (" " * GAP).join(parts).rstrip()
        screen.print(line, style="bold" if number < heading_lines else None, soft_wrap=True)
    left = [column.heading for column in columns if column not in shown]
    if left:
        screen.print(f"(no room for: {', '.join(left)})", soft_wrap=True)


def facts(screen: Console, told: Mapping[str, str]) -> None:
    """Print sentences under their names, folded between words on a terminal."""
    widest = max(map(len, told))
    for name, text in told.items():
        head = f"{name:<{widest}}  "
        room = max(20, screen.width - len(head))
        lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
        screen.print(head + lines[0], soft_wrap=True)
        for line in lines[1:]:
            screen.print(" " * len(head) + line, soft_wrap=True)


def fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns for which there is room, in their order."""
    shown = list(columns)
    while _total([column.least for column in shown]) > width:
        least = max(shown, key=lambda column: column.rank)
        if least.rank == 0:
            break
        shown.remove(least)
    return shown


def widened(columns: Sequence[Column], width: int) -> list[int]:
    """The width of each column: headings get one line as long as there is room."""
    widths = [column.least for column in columns]
    for place, column in enumerate(columns):
        wanted = [*widths[:place], max(widths[place], len(column.heading)), *widths[place + 1 :]]
        if _total(wanted) <= width:
            widths = wanted
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
