"""Quantities for people: numbers with units, in Python and in the expressions that Vega evaluates."""

import math
from dataclasses import dataclass
from typing import Literal

__all__ = ["Kind", "Scale", "axis_expression", "compact", "expression", "log_ticks", "scale", "significant", "text"]

Kind = Literal["ps", "b/s", "B", "fraction", "ratio", "count"]
"""What a number of the tables measures, by its unit there; `ratio` and `count` have none."""

STEPS: dict[Kind, list[tuple[float, str]]] = {
    "ps": [(1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns"), (1, "ps")],
    "b/s": [(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1, "b/s")],
    "B": [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B")],
    "fraction": [(0.01, "%")],
    "ratio": [(1, "")],
    "count": [(1, "")],
}


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit to print a column or an axis in."""

    factor: float
    """Divide a value of the tables by this."""
    unit: str

    def show(self, value: float, kind: Kind) -> str:
        """The number alone, in this unit: three significant digits, or a whole number for a count."""
        if kind == "count":
            return f"{value:,.0f}"
        return compact(value / self.factor)


def scale(largest: float, kind: Kind) -> Scale:
    """The unit in which `largest` is at least one, or the smallest there is."""
    for factor, unit in STEPS[kind]:
        if abs(largest) >= factor:
            return Scale(factor, unit)
    return Scale(*STEPS[kind][-1])


def text(value: float, kind: Kind) -> str:
    """A value of the tables with its unit: `9.31 Gb/s`, `12.3 µs`, `41 %`, `1,234`."""
    best = scale(value, kind)
    shown = best.show(value, kind)
    return f"{shown} {best.unit}" if best.unit else shown


def compact(value: float) -> str:
    """Three significant digits, no exponent, thousands with commas, no trailing zeros."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "—"
    digits = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    shown = f"{rounded:,.{max(0, digits)}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def significant(value: float, digits: int = 4) -> float:
    """`value` to so many significant digits, so that a plot's data stay small."""
    return float(f"{value:.{digits}g}")


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
