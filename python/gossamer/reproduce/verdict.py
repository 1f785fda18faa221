"""What a measurement says about a claim: requirements on numbers, and the verdicts that follow from them.

`eq`       the number that the paper prints, to the digits that it prints, whether it rounded them or cut them off
`approx`   within the tolerance, relative; where the paper says 0, within it, absolute
`le`, `ge` at most, at least
`between`  from the one to the other, both included
`given`    an input of the paper, not a result: nothing to compare
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from gossamer.reproduce.claims import Claim, Number

Relation = Literal["eq", "approx", "le", "ge", "between", "given"]
"""How a measured number must relate to the one that is stated."""


class Verdict(StrEnum):
    """The outcome of a claim, or of one of its numbers."""

    REPRODUCED = "reproduced"
    IN_PART = "reproduced-in-part"
    """All that was measured is reproduced, but the claim has numbers that were not measured. Only of a whole claim."""
    DEVIATES = "deviates"
    NOT_COMPARABLE = "not-comparable"
    """Nothing to compare: an input, data that nobody can have, or no experiment yet. The note says which."""
    FAILED = "failed"
    """The experiment did not run to its end."""

    @property
    def words(self) -> str:
        """As a person reads it."""
        return self.replace("-", " ")


@dataclass(frozen=True, slots=True)
class Requirement:
    """What one number must be. A verdict follows from this and the measured number, and from nothing else."""

    relation: Relation
    value: Number | tuple[float, float]
    """The stated number; for `between` both ends."""
    tolerance: float | None = None
    """Of `approx`: how far off it may be, as a fraction of the stated number."""

    def judge(self, measured: Number) -> Verdict:
        """Whether a measured number is what it must be."""
        if self.relation == "given":
            return Verdict.NOT_COMPARABLE
        if isinstance(self.value, tuple):
            low, high = self.value
            return _finite(measured, lambda number: low <= number <= high)
        expected = self.value
        if isinstance(expected, bool | str) or isinstance(measured, bool | str):
            return _verdict(expected == measured and type(expected) is type(measured))
        match self.relation:
            case "eq":
                return _finite(measured, lambda number: equal(number, expected))
            case "approx":
                allowed = (self.tolerance or 0.0) * (abs(expected) or 1.0) * (1 + 1e-12)
                return _finite(measured, lambda number: abs(number - expected) <= allowed)
            case "le":
                return _finite(measured, lambda number: number <= expected)
            case "ge":
                return _finite(measured, lambda number: number >= expected)
            case "between":
                raise ValueError("an interval has two ends")

    def text(self) -> str:
        """`0.94 within 5 %`, `at most 13`, `0.4 to 0.8`."""
        if isinstance(self.value, tuple):
            return " to ".join(map(printed, self.value))
        stated = printed(self.value)
        if isinstance(self.value, bool | str) and self.relation != "given":
            return f"exactly {stated}"
        match self.relation:
            case "approx":
                tolerance = self.tolerance or 0.0
                return f"{stated} within {100 * tolerance:.4g} %" if self.value else f"{stated} within {tolerance:g}"
            case "le":
                return f"at most {stated}"
            case "ge":
                return f"at least {stated}"
            case "eq":
                return f"{stated} to the last digit" if isinstance(self.value, float) else f"exactly {stated}"
            case "given" | "between":
                return f"{stated} (an input)"

    def off(self, measured: Number) -> float | None:
        """By how much a number differs from the stated one, as a fraction of it; from the nearer end of an interval.

        None if it is not a number, and where the paper says 0.
        """
        if isinstance(measured, bool | str) or isinstance(self.value, bool | str):
            return None
        if isinstance(self.value, tuple):
            low, high = self.value
            nearest = min(max(measured, low), high)
        else:
            nearest = self.value
        return measured / nearest - 1 if nearest else None

    def shown(self, measured: Number) -> str:
        """A measured number with as many digits as it takes to see the verdict: four, or more where it is close."""
        if isinstance(measured, bool) or not isinstance(measured, float):
            return printed(measured)
        verdict = self.judge(measured)
        texts = (f"{measured:.{digits}g}" for digits in range(4, 18))
        return next(text for text in texts if self.judge(float(text)) is verdict)

    def as_json(self) -> dict[str, Any]:
        """For a record."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {"relation": self.relation, "value": value, "tolerance": self.tolerance, "required": self.text()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Requirement":
        """What `as_json` gave."""
        value = tuple(record["value"]) if isinstance(record["value"], list) else record["value"]
        return cls(record["relation"], value, record["tolerance"])


def required(claim: Claim, stated: Number) -> Requirement:
    """What a claim asks of one of its numbers.

    Raises:
        ValueError: The claim describes a shape; what it asks of numbers is said with the measurement.
    """
    if claim.relation == "shape":
        raise ValueError(f"claim {claim.id!r} describes a shape: say what its numbers must be")
    return Requirement(claim.relation, stated, claim.tol if claim.relation == "approx" else None)


def overall(verdicts: Sequence[Verdict], *, missing: bool = False) -> Verdict:
    """The verdict on a claim of several numbers: the worst of them; none at all cannot be compared.

    Args:
        verdicts: Of the numbers and trends that were compared.
        missing: There are numbers that were not measured, so that it is reproduced in part at most.
    """
    for worst in (Verdict.FAILED, Verdict.DEVIATES):
        if worst in verdicts:
            return worst
    if Verdict.REPRODUCED in verdicts:
        return Verdict.IN_PART if missing else Verdict.REPRODUCED
    return Verdict.NOT_COMPARABLE


def equal(measured: float, printed: float) -> bool:
    """Whether a number is the printed one: rounded, or cut off (19.0476 is 19.047 in one paper, and 19.05)."""
    return abs(measured - printed) <= half_a_digit(printed) or cut(measured, printed)


def half_a_digit(printed: float) -> float:
    """Half of the last digit in which a number is printed: 5.797 stands for 5.7965 to 5.7975."""
    digits = repr(printed)
    if "e" in digits or "." not in digits:
        return 0.0 if isinstance(printed, int) else abs(printed) * 1e-9
    return 0.5 * 10.0 ** -len(digits.split(".")[1]) * (1 + 1e-9)


def cut(measured: float, printed: float) -> bool:
    """Whether cutting digits off gives the printed number."""
    beyond = measured - printed if printed >= 0 else printed - measured
    return 0 <= beyond < 2 * half_a_digit(printed)


def stated_interval(claim: Claim) -> tuple[float, float] | None:
    """The interval that a shape's value gives, where it gives one."""
    value = claim.value
    if isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(end, int | float) for end in value):
        return float(value[0]), float(value[1])
    return None


def printed(value: Number) -> str:
    """A number as the paper prints it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _finite(measured: Number, holds: Callable[[float], bool]) -> Verdict:
    """Anything but a finite number means that the experiment did not produce one."""
    if isinstance(measured, bool | str) or not math.isfinite(measured):
        return Verdict.FAILED
    return _verdict(holds(measured))


def _verdict(holds: bool) -> Verdict:
    return Verdict.REPRODUCED if holds else Verdict.DEVIATES
