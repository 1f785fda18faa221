"""Which group has the lowest value of a metric, which the highest, and whether the difference means anything."""

from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.analysis.comparison import Group
from gossamer.analysis.metrics import Spread, of_group

__all__ = ["Extremes", "extremes"]

ALIKE = 0.01
"""Relative difference below which two numbers are called the same."""


@dataclass(frozen=True, slots=True)
class Extremes:
    """The groups with the lowest and the highest value of a metric."""

    low: Group
    high: Group
    low_spread: Spread
    high_spread: Spread
    groups: int
    """How many groups were compared."""

    @property
    def same(self) -> bool:
        """They differ by less than a hundredth."""
        return self.high_spread.mean - self.low_spread.mean <= ALIKE * abs(self.high_spread.mean)

    @property
    def noise(self) -> bool:
        """They differ by no more than seeds do: their confidence intervals overlap."""
        return self.low_spread.overlaps(self.high_spread)


def extremes(groups: Sequence[Group], key: str) -> Extremes | None:
    """Lowest and highest of the groups that have the metric and not just a bound; None where fewer than two do."""
    spreads = [(group, spread) for group in groups if (spread := of_group(group, key)) and not spread.bound]
    if len(spreads) < 2:
        return None
    low = min(spreads, key=lambda each: each[1].mean)
    high = max(spreads, key=lambda each: each[1].mean)
    return Extremes(low[0], high[0], low[1], high[1], len(spreads))
