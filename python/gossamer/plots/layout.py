"""Where each link lies on the link map: a panel a class and direction, a column a switch, a row one of its links."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from gossamer.analysis.samples import values

__all__ = ["Layout", "Panel", "arrange"]

ROWS = 12
"""Most rows of cells in a panel."""
GAP = 1.9
"""Height between panels, in rows: room for a line of text."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The links of one class and direction."""

    name: str
    links: int
    columns: int
    rows: int
    top: float
    """Height at which it begins, in rows from the top of the map."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The place of every link."""

    panels: tuple[Panel, ...]
    panel: list[int]
    """Number of the panel of each link, in the order of the table."""
    column: list[int]
    row: list[int]
    height: float
    """Of the whole map, in rows."""


def arrange(links: pa.Table, cells: int) -> Layout:
    """Lay out the rows of a links table in at most about `cells` cells.

    In a panel, links are gathered in columns by the node they leave, or by the node they reach where every node that
    they leave has just one (hosts), in the order of the table. Where links outnumber cells, neighbours share one.
    """
    kinds = [
        f"{kind} {direction}"
        for kind, direction in zip(_words(links, "class"), _words(links, "direction"), strict=True)
    ]
    names = list(dict.fromkeys(kinds))
    ends = list(zip(_words(links, "source"), _words(links, "target"), strict=True))
    numbers = {name: number for number, name in enumerate(names)}
    panel = [numbers[kind] for kind in kinds]
    column, row = [0] * len(kinds), [0] * len(kinds)
    panels: list[Panel] = []
    top = GAP
    for number, name in enumerate(names):
        members = [place for place, each in enumerate(panel) if each == number]
        by = 0 if max(Counter(ends[place][0] for place in members).values()) > 1 else 1
        nodes: dict[str, int] = {}
        ports: Counter[str] = Counter()
        for place in members:
            node = ends[place][by]
            column[place] = nodes.setdefault(node, len(nodes))
            row[place] = ports[node]
            ports[node] += 1
        tall = max(ports.values())
        rows = min(tall, ROWS)
        columns = min(len(nodes), max(1, cells // len(names) // rows))
        for place in members:
            column[place] = column[place] * columns // len(nodes)
            row[place] = row[place] * rows // tall
        panels.append(Panel(name, len(members), columns, rows, top))
        top += rows + GAP
    return Layout(tuple(panels), panel, column, row, top - GAP)


def _words(links: pa.Table, name: str) -> Sequence[str]:
    return values(links, name)
