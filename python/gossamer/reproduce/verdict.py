"""What a measurement says about a claim.

`eq`       the number that the paper prints, to the digits that it prints, whether it rounded them or cut them off
`approx`   within the claim's tolerance, relative; where the paper says 0, within it, absolute
`le`, `ge` at most, at least
`shape`    every measured number in the interval that the paper states; without one, what the reproduction finds
`given`    an input of the paper, not a result: nothing to compare
"""

import math
from collections.abc import Mapping
from enum import StrEnum

from gossamer.reproduce.claims import Claim, Number, Relation


class Verdict(StrEnum):
    """What has become of a claim."""

    REPRODUCED = "reproduced"
    DEVIATES = "deviates"
    NOT_COMPARABLE = "not-comparable"
    """Nothing to compare: an input, data that nobody can have, or no experiment yet. The note says which."""
    FAILED = "failed"
    """The experiment did not run to its end."""


def judge(relation: Relation, expected: Number, measured: Number, tol: float | None) -> Verdict:
    """Compare one number with the one that the paper states. For `shape`, see `within`."""
    if relation == "given":
        return Verdict.NOT_COMPARABLE
    if isinstance(expected, bool | str) or isinstance(measured, bool | str):
        return _verdict(expected == measured and type(expected) is type(measured))
    if not math.isfinite(measured):
        return Verdict.FAILED
    match relation:
        case "eq":
            return _verdict(abs(measured - expected) <= half_a_digit(expected) or cut(measured, expected))
        case "approx":
            allowed = tol or 0.0
            return _verdict(abs(measured - expected) <= allowed * (abs(expected) or 1.0) * (1 + 1e-12))
        case "le":
            return _verdict(measured <= expected)
        case "ge":
            return _verdict(measured >= expected)
        case "shape":
            raise ValueError("a shape is judged by `within`, or by the reproduction itself")


def within(low: float, high: float, measured: Mapping[str, float]) -> Verdict:
    """Whether all numbers lie in the stated interval. No number at all is a failure, not a success."""
    if not measured or not all(map(math.isfinite, measured.values())):
        return Verdict.FAILED
    return _verdict(all(low <= number <= high for number in measured.values()))


def overall(verdicts: list[Verdict]) -> Verdict:
    """The verdict on a claim of several numbers: the worst of them; none at all cannot be compared."""
    for worst in (Verdict.FAILED, Verdict.DEVIATES, Verdict.REPRODUCED):
        if worst in verdicts:
            return worst
    return Verdict.NOT_COMPARABLE


def half_a_digit(printed: float) -> float:
    """Half of the last digit in which a number is printed: 5.797 stands for 5.7965 to 5.7975."""
    digits = repr(printed)
    if "e" in digits or "." not in digits:
        return 0.0 if isinstance(printed, int) else abs(printed) * 1e-9
    return 0.5 * 10.0 ** -len(digits.split(".")[1]) * (1 + 1e-9)


def cut(measured: float, printed: float) -> bool:
    """Whether cutting digits off gives the printed number: 19.0476 is printed as 19.047 in one paper, and as 19.05."""
    beyond = measured - printed if printed >= 0 else printed - measured
    return 0 <= beyond < 2 * half_a_digit(printed)


def stated_interval(claim: Claim) -> tuple[float, float] | None:
    """The interval that a shape's value gives, where it gives one."""
    value = claim.value
    if isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(end, int | float) for end in value):
        return float(value[0]), float(value[1])
    return None


def _verdict(holds: bool) -> Verdict:
    return Verdict.REPRODUCED if holds else Verdict.DEVIATES
