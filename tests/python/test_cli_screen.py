"""Tables that fit their screen."""

import io

import pytest
from rich.console import Console

from gossamer.cli import screen
from gossamer.cli.screen import Column

COLUMNS = [
    Column("Run", ["dctcp", "newreno"], left=True),
    Column("Throughput per host", ["3.6 Gb/s", "3.75 Gb/s"], 1),
    Column("Marks", ["1,867,584", "0"], 3),
    Column("Drops", ["0", "263,657"], 2),
]


def shown(width: int) -> list[str]:
    file = io.StringIO()
    screen.show(Console(file=file, width=width, markup=False, highlight=False, color_system=None), COLUMNS)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_off_a_terminal_everything_is_in_one_line() -> None:
    assert shown(screen.UNBOUNDED) == [
        "Run      Throughput per host      Marks    Drops",
        "dctcp               3.6 Gb/s  1,867,584        0",
        "newreno            3.75 Gb/s          0  263,657",
    ]


def test_headings_break_before_columns_go() -> None:
    assert shown(40) == [
        "         Throughput",
        "Run        per host      Marks    Drops",
        "dctcp      3.6 Gb/s  1,867,584        0",
        "newreno   3.75 Gb/s          0  263,657",
    ]


def test_the_least_column_goes_first_and_is_named() -> None:
    assert shown(30) == [
        "         Throughput",
        "Run        per host    Drops",
        "dctcp      3.6 Gb/s        0",
        "newreno   3.75 Gb/s  263,657",
        "(no room for: Marks)",
    ]


@pytest.mark.parametrize(("width", "headings"), [(200, 4), (40, 4), (30, 3), (20, 2), (10, 1), (1, 1)])
def test_fitting(width: int, headings: int) -> None:
    assert len(screen.fitting(COLUMNS, width)) == headings
