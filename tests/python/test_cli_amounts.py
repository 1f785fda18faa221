"""Quantities on the screen."""

import pytest

from gossamer.cli import amounts


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (7, "7"), (9999, "9999"), (10_000, "10 k"), (12_345, "12.3 k"), (2e6, "2 M"), (3.21e9, "3.21 G")],
)
def test_count(number: float, text: str) -> None:
    assert amounts.count(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "under 0.1 s"),
        (0.06, "0.1 s"),
        (8.25, "8.2 s"),
        (42.4, "42 s"),
        (59.4, "59 s"),
        (59.96, "1 min"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
    ],
)
def test_wall(seconds: float, text: str) -> None:
    assert amounts.wall(seconds) == text


def test_quantities_are_those_of_the_report() -> None:
    assert amounts.quantity(9.44e9, "b/s") == "9.44 Gb/s"
    assert amounts.quantity(20_000_000_000, "ps") == "20 ms"
    assert amounts.quantity(0.492, "fraction") == "49.2 %"
    assert amounts.quantity(1_710_000, "B") == "1.71 MB"
