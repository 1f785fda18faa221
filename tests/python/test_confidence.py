"""Confidence intervals of means over seeds."""

import pytest

from gossamer.analysis import confidence


@pytest.mark.parametrize(
    ("degrees", "expected"),
    # NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2, the column for 0.975.
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (6, 2.447), (9, 2.262), (10, 2.228), (100, 1.984)],
)
def test_students_quantiles_are_those_of_the_tables(degrees: int, expected: float) -> None:
    assert confidence.quantile(degrees) == pytest.approx(expected, abs=0.0005)


def test_many_degrees_of_freedom_are_the_normal_distribution() -> None:
    assert confidence.quantile(100_000) == pytest.approx(1.959964, abs=3e-5)


def test_a_distribution_of_one_degree_is_cauchys() -> None:
    assert confidence.within(1.0, 1) == pytest.approx(0.5)
    assert confidence.within(0.0, 5) == 0.0


def test_an_interval_by_hand() -> None:
    # Mean 5, squares 9 + 1 + 1 + 9 = 20, s = sqrt(20 / 3), t = 3.182446 of three degrees.
    assert confidence.mean([2, 4, 6, 8]) == 5
    assert confidence.half_width([2, 4, 6, 8]) == pytest.approx(3.182446 * (20 / 3) ** 0.5 / 2, rel=1e-6)
    assert confidence.half_width([3, 3, 3]) == 0
    assert confidence.half_width([3]) is None


def test_one_seed_has_none() -> None:
    assert confidence.told(1) == ""
    assert confidence.told(3) == "3 seeds, 95 % confidence"
