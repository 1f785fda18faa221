"""The confidence interval of a mean over seeds.

Seeds make independent samples of one number, and there are few of them, so the interval is Student's: the mean, give or
take `t * s / sqrt(n)`, where `s` is the sample's standard deviation and `t` the 97.5 % quantile of Student's
distribution with `n - 1` degrees of freedom.
"""

from collections.abc import Sequence
from functools import cache
from math import atan, cos, fsum, pi, sin, sqrt

__all__ = ["CONFIDENCE", "WORDS", "around", "half_width", "mean", "told", "within"]

CONFIDENCE = 0.95
"""How often an interval holds the mean over all seeds, if seeds' numbers are normally distributed."""
WORDS = "95 % confidence"


def mean(values: Sequence[float]) -> float:
    """The mean of some values."""
    return fsum(values) / len(values)


def half_width(values: Sequence[float]) -> float | None:
    """Half of the confidence interval of the mean of these values; None of fewer than two, which have no interval."""
    count = len(values)
    if count < 2:
        return None
    middle = mean(values)
    deviation = sqrt(fsum((value - middle) ** 2 for value in values) / (count - 1))
    return quantile(count - 1) * deviation / sqrt(count)


def around(value: float, samples: Sequence[float]) -> tuple[float, float] | None:
    """The confidence interval of `value`, pooled over seeds, from the `samples` that seeds give by themselves.

    No quantity here is below 0, so the interval is not either. None of fewer than two samples.
    """
    half = half_width(samples)
    return None if half is None else (max(0.0, value - half), value + half)


def told(seeds: int) -> str:
    """How a table or a figure of so many seeds is read: `3 seeds, 95 % confidence`; empty of a single one."""
    return f"{seeds} seeds, {WORDS}" if seeds > 1 else ""


@cache
def quantile(degrees: int) -> float:
    """Student's t: between minus this and this lies `CONFIDENCE` of the distribution. To 12 digits."""
    low, high = 0.0, 13.0  # of one degree of freedom it is 12.7
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, degrees) < CONFIDENCE else (low, middle)
    return high


def within(t: float, degrees: int) -> float:
    """Share of Student's distribution with so many degrees of freedom between `-t` and `t`.

    For whole degrees of freedom it is a finite sum: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3
    and 26.7.4.
    """
    angle = atan(t / sqrt(degrees))
    square = cos(angle) ** 2
    odd = degrees % 2
    term = cos(angle) if odd else 1.0
    terms = [term] if degrees > 1 else []
    for number in range(2 if odd else 1, degrees - 2, 2):
        term *= square * number / (number + 1)
        terms.append(term)
    total = sin(angle) * fsum(terms)
    return 2 / pi * (angle + total) if odd else total
