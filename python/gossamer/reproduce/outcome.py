"""The outcome of one claim, as text and as a record for scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gossamer.reproduce.claims import Claim, Number, Value
from gossamer.reproduce.registry import Measurement, Method
from gossamer.reproduce.verdict import Requirement, Verdict, overall, printed, required, stated_interval

NO_EXPERIMENT = "no experiment yet"
NOT_MEASURED = "not run"
NOT_COMPARED = "not compared"


@dataclass(frozen=True, slots=True)
class Check:
    """One number of a claim, or one trend that it describes in words: what it must be, and what it is."""

    name: str
    """What the claim calls the number; the trend in words. A claim of one number has no name for it."""
    required: Requirement | None
    """None for a number that is reported but not compared, and for a trend."""
    measured: Number | None
    """None where the experiment does not give it. Of a trend, whether it was seen."""
    trend: bool = False
    why_not: str = ""
    """Why it was not measured."""

    @property
    def verdict(self) -> Verdict | None:
        """Follows from what is required and what was measured; None for what is not compared, or not measured."""
        if self.measured is None:
            return None
        if self.trend:
            return Verdict.REPRODUCED if self.measured else Verdict.DEVIATES
        return None if self.required is None else self.required.judge(self.measured)

    @property
    def missing(self) -> bool:
        """Whether it must be something, and was not measured."""
        return self.measured is None

    def texts(self) -> tuple[str, str, str]:
        """Measured, required, and by how much it is off, as a person reads them."""
        if self.trend:
            return ("yes" if self.measured else "no"), "must be seen", ""
        if self.required is None:
            return number(self.measured), NOT_COMPARED, ""
        if self.measured is None:
            return NOT_MEASURED, self.required.text(), ""
        off = self.required.off(self.measured)
        return self.required.shown(self.measured), self.required.text(), "" if off is None else percent(off)

    def as_json(self) -> dict[str, Any]:
        """For the record of a claim."""
        relation: dict[str, Any] = {"relation": None, "value": None, "tolerance": None, "required": None}
        if self.trend:
            relation |= {"relation": "trend", "required": "must be seen"}
        elif self.required is not None:
            relation |= self.required.as_json()
        off = None
        if self.required is not None and self.measured is not None:
            off = self.required.off(self.measured)
        verdict = None if self.verdict is None else str(self.verdict)
        return {"name": self.name, **relation, "measured": self.measured, "off": off, "verdict": verdict}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Check":
        """What `as_json` gave."""
        trend = record["relation"] == "trend"
        requirement = None if trend or record["relation"] is None else Requirement.from_json(record)
        return cls(record["name"], requirement, record["measured"], trend)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One claim, checked or not."""

    claim: Claim
    verdict: Verdict
    checks: tuple[Check, ...] = ()
    core_seconds: float = 0.0
    """Processor time of the runs and of what measures and draws; runs of another claim are not counted."""
    note: str = ""
    plots: tuple[str, ...] = field(default=())
    """Files that the figure was drawn to."""

    @property
    def measured(self) -> Any:
        """The measured numbers in the form of the claim's own value; null for those not measured."""
        numbers = {check.name: check.measured for check in self.checks if not check.trend}
        if not numbers:
            return None
        return numbers[""] if list(numbers) == [""] else numbers

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
            "checks": [check.as_json() for check in self.checks],
            "core_seconds": round(self.core_seconds, 3),
            "note": self.note,
        }

    def lines(self) -> list[str]:
        """For a person: verdict and claim, then a line for each number and trend that decides."""
        head = f"{self.verdict.words:<18}  {self.claim.id}"
        if not self.checks:
            return [f"{head}: {self.note}" if self.note else head]
        return [f"{head} (§{self.claim.section})", *(f"  {line}" for line in table(self.checks, self.claim.unit))]


def table(checks: Sequence[Check], unit: str | None) -> list[str]:
    """A line for each check: its name, what was measured, what it must be, by how much it is off, the verdict.

    Trends come last, in their own words: they are too long for a column.
    """
    rows = []
    for check in checks:
        if not check.trend:
            measured, must, off = check.texts()
            rows.append((check.name or unit or "", measured, must, off, "" if check.verdict is None else check.verdict))
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    lines = ["  ".join([*map(str.ljust, row[:4], widths), row[4].replace("-", " ")]).rstrip() for row in rows]
    lines += [f"{check.name}: {check.texts()[0]}" for check in checks if check.trend]
    return lines


def percent(off: float) -> str:
    """`+1.4 %`; as many digits as it takes to tell which way a number is off."""
    share = 100 * off
    return f"{share:+.1f} %" if abs(share) >= 0.05 else f"{share:+.1g} %" if share else "0 %"


def number(value: Number | None) -> str:
    """A measured number that nothing is compared with: four digits are enough."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return NOT_MEASURED if value is None else printed(value)


def compare(claim: Claim, method: Method, found: Measurement) -> tuple[Verdict, tuple[Check, ...]]:
    """Judge what was found: every number that must be something, and every trend."""
    musts = {**requirements(claim, found), **found.required}
    checks = [
        Check(name, musts.get(name), found.rows.get(name), why_not=method.not_run.get(name, NO_EXPERIMENT))
        for name in dict.fromkeys([*musts, *found.rows])
    ]
    checks += [Check(words, None, seen, trend=True) for words, seen in found.trends.items()]
    return verdict_of(checks), tuple(checks)


def verdict_of(checks: Sequence[Check]) -> Verdict:
    """The verdict on a claim follows from its checks alone."""
    verdicts = [check.verdict for check in checks if check.verdict is not None]
    return overall(verdicts, missing=any(check.missing for check in checks))


def requirements(claim: Claim, found: Measurement) -> dict[str, Requirement]:
    """What the claim asks of its numbers, by the names of the numbers found; nothing where it only describes."""
    interval = stated_interval(claim)
    if found.stated is None and claim.relation == "shape" and interval is not None:
        return {name: Requirement("between", interval) for name in found.rows}
    return {name: required(claim, stated) for name, stated in expectations(claim, found).items()}


def expectations(claim: Claim, found: Measurement) -> Mapping[str, Number]:
    """What the paper says, by the names of the numbers found; nothing where it only describes."""
    if found.stated is not None:
        return found.stated
    if isinstance(claim.value, Sequence) and not isinstance(claim.value, str):
        return dict(zip(found.rows, claim.value, strict=True))
    return {} if claim.relation == "shape" else claim.rows


def missing(checks: Sequence[Check]) -> str:
    """Say which numbers of the claim were not measured: a part is never passed off as the whole."""
    left = [check for check in checks if check.missing]
    if not left:
        return ""
    run = [check.name for check in checks if not check.missing and not check.trend]
    reasons: dict[str, list[str]] = {}
    for check in left:
        reasons.setdefault(check.why_not, []).append(check.name)
    waiting = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
    return f"{len(run)} of {len(run) + len(left)} rows run ({', '.join(run)}); not run yet: {waiting}"


def _plain(value: Value) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
