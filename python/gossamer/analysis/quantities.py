"""Quantities for people: numbers with units. How Vega prints them is in `plots.expressions`."""

import math
from dataclasses import dataclass
from typing import Literal

__all__ = ["Kind", "Scale", "around", "compact", "scale", "significant", "text"]

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

    def around(self, mean: float, half: float | None, kind: Kind) -> str:
        """A mean and half of its confidence interval, in this unit: `2.73 ± 0.28`; the mean alone without one.

        Half an interval has no more decimals than its mean, and is not rounded down to nothing.
        """
        shown = self.show(mean, kind)
        if half is None:
            return shown
        decimals = 0 if kind == "count" else _decimals(mean / self.factor)
        return f"{shown} ± {compact(_no_finer(half / self.factor, decimals))}"


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


def around(mean: float, half: float | None, kind: Kind) -> str:
    """A mean with its unit, and half of its confidence interval if it has one: `9.31 ± 0.2 Gb/s`, `41 ± 3 %`."""
    best = scale(mean, kind)
    shown = best.around(mean, half, kind)
    return f"{shown} {best.unit}" if best.unit else shown


def _decimals(value: float) -> int:
    """How many decimals three significant digits have; two of nought."""
    return max(0, 2 - math.floor(math.log10(abs(value)))) if value else 2


def _no_finer(value: float, decimals: int) -> float:
    """Rounded to so many decimals, but up to the last of them instead of down to nought."""
    return max(round(value, decimals), 10.0**-decimals) if value > 0 else 0.0


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
