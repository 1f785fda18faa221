"""Charts of AN3's claims."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gossamer.plots.canvas import Canvas, Drawing
from gossamer.reproduce.bars import Bar, draw_bars

if TYPE_CHECKING:
    from gossamer.analysis.quantities import Kind
    from gossamer.plots.canvas import AnyChart


def drawn_bars(rows: Iterable[Bar], kind: "Kind", y: str, label: str, title: str, told: str) -> "AnyChart":
    """A bar for each row, grouped by place."""
    canvas = Canvas()
    return Drawing(draw_bars(list(rows), canvas, kind, None, y, label), title, told).finish(canvas)
