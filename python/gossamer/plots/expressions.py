"""Quantities in figures: the expressions with which Vega prints them, and the ticks of log axes."""

import math

from gossamer.analysis.quantities import Kind

__all__ = ["axis_expression", "expression", "log_ticks"]


def expression(field: str, kind: Kind) -> str:
    """A Vega expression that prints `field` of a datum with its unit.

    Times of plots are in seconds, since d3's SI prefixes need a base unit.
    """
    if kind == "fraction":
        return f"replace(format({field}, '.3~p'), '%', ' %')"
    if kind == "count":
        return f"format({field}, ',')"
    if kind == "ratio":
        return f"format({field}, ',.3~r')"
    unit = {"ps": "s", "b/s": "b/s", "B": "B"}[kind]
    spaced = f"replace(format({field}, '.3~s'), regexp('([a-zA-Zµ]?)$'), ' $1') + '{unit}'"
    return f"replace({spaced}, 'k', 'K')" if kind == "B" else spaced


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks of a log axis from `low` to `high`: powers of ten, with their doubles and fives where those are few.

    Never fewer than two, however near the ends are to each other.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 2 else (1, 3) if last - first <= 4 else (1,)
    skip = max(1, (last - first) // 8 + 1) if last - first > 8 else 1
    powers = range(first, last + 1, skip)
    ticks = (float(f"{step}e{power}") for power in powers for step in steps)
    found = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
    return found if len(found) > 2 else _even_ticks(low, high)


def _even_ticks(low: float, high: float) -> list[float]:
    """Round ticks at equal steps, three to six of them: for what spans less than a decade."""
    power = math.floor(math.log10(high - low))
    for exponent in (power - 1, power):
        for step in (1, 2, 5):
            first = math.ceil(low * 0.999 / (step * 10.0**exponent))
            last = math.floor(high * 1.001 / (step * 10.0**exponent))
            if last - first < 6:
                return [float(f"{number * step}e{exponent}") for number in range(first, last + 1)]
    return [low, high]


def axis_expression(kind: Kind) -> str:
    """A Vega expression that prints a tick of an axis with its unit."""
    return expression("datum.value", kind)
