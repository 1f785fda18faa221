"""Tables on the screen: as wide as the terminal, or as wide as they are where scripts and logs read."""

from rich.console import Console
from rich.table import Table

UNBOUNDED = 400
"""Columns off a terminal, where no edge makes a table fold."""


def console() -> Console:
    """Standard output, taking text as it is: a name with brackets in it is no colour."""
    if Console().is_terminal:
        return Console(markup=False, highlight=False, emoji=False)
    return Console(markup=False, highlight=False, emoji=False, width=UNBOUNDED, color_system=None)


def table(*, header: bool = True) -> Table:
    """A plain table: no lines, two spaces between columns."""
    return Table(box=None, show_header=header, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
