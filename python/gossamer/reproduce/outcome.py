"""What has become of one claim, as one line for a person and one record for a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gossamer.reproduce.claims import Claim, Number, Value
from gossamer.reproduce.registry import Computation, Measurement, Reproduction
from gossamer.reproduce.verdict import Verdict, judge, overall, stated_interval, within

NO_EXPERIMENT = "no experiment yet"


@dataclass(frozen=True, slots=True)
class Row:
    """One number of a claim. `measured` and `verdict` are None where the experiment does not give it yet."""

    name: str
    expected: Number | None
    measured: float | bool | None
    verdict: Verdict | None
    note: str = ""

    def deviation(self) -> float | None:
        """How far the measured number is from the stated one, as a fraction of it."""
        if self.measured is None or self.expected is None or isinstance(self.expected, str | bool) or not self.expected:
            return None
        return self.measured / self.expected - 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """One claim, checked or not."""

    claim: Claim
    verdict: Verdict
    rows: tuple[Row, ...] = ()
    seconds: float = 0.0
    note: str = ""
    plots: tuple[str, ...] = field(default=())
    """Files that the figure was drawn to."""

    @property
    def measured(self) -> Any:
        """The measured numbers in the form of the claim's own value; null for those not measured."""
        if not self.rows:
            return None
        if [row.name for row in self.rows] == [""]:
            return self.rows[0].measured
        return {row.name: row.measured for row in self.rows}

    @property
    def run_rows(self) -> int:
        """How many of the claim's numbers the experiment gave."""
        return sum(row.measured is not None for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """The record of `gossamer reproduce --json`."""
        return {
            "paper": self.claim.paper,
            "claim": self.claim.id,
            "section": self.claim.section,
            "expected": _plain(self.claim.value),
            "measured": self.measured,
            "unit": self.claim.unit,
            "verdict": str(self.verdict),
            "seconds": round(self.seconds, 3),
            "note": self.note,
        }

    def line(self) -> str:
        """One line for a person: verdict, claim, what was said and found."""
        return f"{self.verdict:<14}  {self.claim.id}: {self.summary()}"

    def summary(self) -> str:
        """What the paper says and what was measured, in a few words."""
        if not self.rows:
            return self.note
        parts = [describe(row) for row in self.rows if row.measured is not None]
        interval = stated_interval(self.claim)
        if self.claim.relation == "shape" and interval is not None:
            parts.append(f"paper {interval[0]:g} to {interval[1]:g}")
        return ", ".join(parts)


def describe(row: Row) -> str:
    """`dctcp_mean 0.497 (paper 0.49, +1.4 %)`."""
    text = f"{row.name} {number(row.measured)}".strip()
    if row.expected is None:
        return text
    deviation = row.deviation()
    by = "" if deviation is None else f", {100 * deviation:+.1f} %"
    return f"{text} (paper {printed(row.expected)}{by})"


def number(value: Number | None) -> str:
    """A measured number: four digits are more than any claim needs."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def printed(value: Number) -> str:
    """A number as the paper prints it."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def compare(claim: Claim, way: Reproduction | Computation[Any], found: Measurement) -> tuple[Verdict, tuple[Row, ...]]:
    """Judge every number that was found, and list those that were not."""
    interval = stated_interval(claim)
    if claim.relation == "shape" and interval is not None:
        verdict = within(*interval, found.rows)
        rows = [Row(name, None, value, within(*interval, {name: value})) for name, value in found.rows.items()]
        return verdict, tuple(rows)
    stated = expectations(claim, found)
    if not stated:
        verdict = Verdict.NOT_COMPARABLE
        if found.holds is not None:
            verdict = Verdict.REPRODUCED if found.holds else Verdict.DEVIATES
        return verdict, tuple(Row(name, None, value, verdict) for name, value in found.rows.items())
    rows = []
    for name, expected in stated.items():
        if name in found.rows:
            measured = found.rows[name]
            rows.append(Row(name, expected, measured, judge(claim.relation, expected, measured, claim.tol)))
        else:
            rows.append(Row(name, expected, None, None, way.not_run.get(name, NO_EXPERIMENT)))
    verdict = overall([row.verdict for row in rows if row.verdict is not None])
    if found.holds is False and verdict is Verdict.REPRODUCED:
        verdict = Verdict.DEVIATES
    return verdict, tuple(rows)


def expectations(claim: Claim, found: Measurement) -> Mapping[str, Number]:
    """What the paper says, by the names of the numbers found; nothing where it only describes."""
    if found.stated is not None:
        return found.stated
    if isinstance(claim.value, Sequence) and not isinstance(claim.value, str):
        return dict(zip(found.rows, claim.value, strict=True))
    return claim.rows


def missing(rows: tuple[Row, ...]) -> str:
    """Say which numbers of the claim were not measured: a part is never passed off as the whole."""
    left = [row for row in rows if row.measured is None]
    if not left:
        return ""
    run = [row.name for row in rows if row.measured is not None]
    reasons: dict[str, list[str]] = {}
    for row in left:
        reasons.setdefault(row.note, []).append(row.name)
    waiting = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
    return f"{len(run)} of {len(rows)} rows run ({', '.join(run)}); not run yet: {waiting}"


def _plain(value: Value) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
