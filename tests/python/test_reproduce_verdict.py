"""What a measurement says about a claim, relation by relation."""

import math

import pytest

from gossamer.reproduce import registry
from gossamer.reproduce.claims import Claim, Number
from gossamer.reproduce.outcome import Check, compare, missing
from gossamer.reproduce.registry import Computation, Measurement, Reproduction
from gossamer.reproduce.verdict import Relation, Requirement, Verdict, overall, required, stated_interval

R, D, N, F = Verdict.REPRODUCED, Verdict.DEVIATES, Verdict.NOT_COMPARABLE, Verdict.FAILED
P = Verdict.IN_PART


@pytest.mark.parametrize(
    ("relation", "expected", "measured", "tol", "verdict"),
    [
        ("eq", 10240, 10240, None, R),
        ("eq", 10240, 10241, None, D),
        ("eq", 10240, 10240.4, None, D),
        ("eq", 5.797, 5.7971, None, R),
        ("eq", 5.797, 5.7979, None, R),
        ("eq", 5.797, 5.7981, None, D),
        ("eq", 5.797, 5.7964, None, D),
        ("eq", -5.797, -5.7979, None, R),
        ("eq", -5.797, -5.7964, None, D),
        ("eq", 19.047, 19.0465, None, R),
        ("eq", 19.047, 12800 / 672, None, R),
        ("eq", True, True, None, R),
        ("eq", True, False, None, D),
        ("eq", True, 1, None, D),
        ("eq", "1/N", "1/N", None, R),
        ("approx", 0.49, 0.5145, 0.05, R),
        ("approx", 0.49, 0.4655, 0.05, R),
        ("approx", 0.49, 0.5146, 0.05, D),
        ("approx", 0.49, 0.4654, 0.05, D),
        ("approx", 0.0, 0.05, 0.05, R),
        ("approx", 0.0, 0.051, 0.05, D),
        ("approx", 3.0, 3.0, None, R),
        ("approx", 3.0, 3.001, None, D),
        ("le", 13.0, 13.0, None, R),
        ("le", 13.0, 13.01, None, D),
        ("ge", 12, 12, None, R),
        ("ge", 12, 11.99, None, D),
        ("given", 320, 320, None, N),
        ("given", 320, 1, None, N),
        ("approx", 0.49, math.nan, 0.05, F),
        ("le", 13.0, math.inf, None, F),
    ],
)
def test_judge(relation: Relation, expected: Number, measured: Number, tol: float | None, verdict: Verdict) -> None:
    assert Requirement(relation, expected, tol).judge(measured) is verdict


def test_a_shape_without_an_interval_is_not_judged_by_a_number() -> None:
    with pytest.raises(ValueError, match="say what its numbers must be"):
        required(Claim("paper", "claim", "1", "", "shape", 1), 1)


@pytest.mark.parametrize(
    ("measured", "verdict"), [(0.4, R), (0.8, R), (0.6, R), (0.39, D), (0.81, D), (math.nan, F), (True, F)]
)
def test_an_interval_has_both_its_ends(measured: float, verdict: Verdict) -> None:
    assert Requirement("between", (0.4, 0.8)).judge(measured) is verdict


@pytest.mark.parametrize(
    ("verdicts", "verdict", "in_part"),
    [([R, R], R, P), ([R, D], D, D), ([D, F], F, F), ([N, R], R, P), ([N], N, N), ([], N, N)],
)
def test_overall_is_the_worst(verdicts: list[Verdict], verdict: Verdict, in_part: Verdict) -> None:
    assert overall(verdicts) is verdict
    assert overall(verdicts, missing=True) is in_part


@pytest.mark.parametrize(
    ("must", "measured", "texts"),
    [
        (Requirement("approx", 0.94, 0.05), 0.9423, ("0.9423", "0.94 within 5 %", "+0.2 %")),
        (Requirement("approx", 0.0, 0.05), 0.0085, ("0.0085", "0 within 0.05", "")),
        (Requirement("eq", 8.72), 8.71744, ("8.717", "8.72 to the last digit", "-0.03 %")),
        (Requirement("eq", 10240), 10240, ("10240", "exactly 10240", "0 %")),
        (Requirement("eq", value=True), False, ("no", "exactly yes", "")),
        (Requirement("le", 13.0), 13.00004, ("13.00004", "at most 13", "+0.0003 %")),
        (Requirement("ge", 0.99), 0.9802, ("0.9802", "at least 0.99", "-1.0 %")),
        (Requirement("between", (0.4, 0.8)), 0.5341, ("0.5341", "0.4 to 0.8", "0 %")),
        (Requirement("between", (0.4, 0.8)), 0.88, ("0.88", "0.4 to 0.8", "+10.0 %")),
        (Requirement("given", 320), 320, ("320", "320 (an input)", "0 %")),
    ],
)
def test_what_is_shown_says_what_is_compared(must: Requirement, measured: Number, texts: tuple[str, str, str]) -> None:
    check = Check("", must, measured)
    assert check.texts() == texts
    assert Requirement.from_json(must.as_json()) == must
    if isinstance(measured, float):
        assert must.judge(float(texts[0])) is must.judge(measured), "as many digits as it takes to see the verdict"


TABLE = Claim("paper", "claim", "1", "", "approx", {"a": 1.0, "b": 2.0, "c": 3.0}, tol=0.1)


def reproduction(monkeypatch: pytest.MonkeyPatch) -> Reproduction:
    monkeypatch.setattr(registry, "REPRODUCTIONS", {})
    return Reproduction("paper", "claim", experiment="claim.toml", not_run={"b": "needs MPTCP"})


def within_a_tenth(value: float) -> Requirement:
    return Requirement("approx", value, 0.1)


def test_rows_that_were_not_run_are_listed_and_the_claim_is_reproduced_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, checks = compare(TABLE, reproduction(monkeypatch), Measurement({"a": 1.05}))
    assert verdict is P
    assert [(check.name, check.required, check.measured, check.verdict) for check in checks] == [
        ("a", within_a_tenth(1.0), 1.05, R),
        ("b", within_a_tenth(2.0), None, None),
        ("c", within_a_tenth(3.0), None, None),
    ]
    assert missing(checks) == "1 of 3 rows run (a); not run yet: b (needs MPTCP); c (no experiment yet)"


def test_one_row_that_deviates_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, checks = compare(TABLE, reproduction(monkeypatch), Measurement({"a": 1.0, "b": 2.0, "c": 3.5}))
    assert verdict is D
    assert [check.verdict for check in checks] == [R, R, D]
    assert checks[2].as_json()["off"] == pytest.approx(1 / 6)
    assert missing(checks) == ""
    assert compare(TABLE, reproduction(monkeypatch), Measurement({"a": 2.0}))[0] is D, "also where others are missing"


def test_nothing_measured_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare(TABLE, reproduction(monkeypatch), Measurement({}))[0] is N
    shape = Claim("paper", "claim", "1", "", "shape", (0.4, 0.8))
    assert compare(shape, reproduction(monkeypatch), Measurement({}))[0] is N


def test_a_list_is_compared_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("paper", "claim", "1", "", "eq", [19.047, 5.797])
    verdict, checks = compare(claim, reproduction(monkeypatch), Measurement({"64 B": 19.0476, "256 B": 5.9}))
    assert verdict is D
    assert [(check.name, check.verdict) for check in checks] == [("64 B", R), ("256 B", D)]
    with pytest.raises(ValueError, match="is longer than"):
        compare(claim, reproduction(monkeypatch), Measurement({"64 B": 19.0476}))


def test_a_table_of_the_paper_is_stated_by_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("paper", "claim", "1", "", "eq")
    found = Measurement({"1 tier": 1.0, "2 tiers": 0.5}, stated={"1 tier": 1.0, "2 tiers": 1.0})
    verdict, checks = compare(claim, reproduction(monkeypatch), found)
    assert verdict is D
    assert [check.verdict for check in checks] == [R, D]


def test_numbers_of_a_described_claim_are_compared_where_it_is_said_what_they_must_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim = Claim("paper", "claim", "1", "", "shape", 0.5)
    found = Measurement({"short": 0.3, "middle": 0.4, "long": 0.5}, required={"short": Requirement("le", 0.25)})
    verdict, checks = compare(claim, reproduction(monkeypatch), found)
    assert verdict is D
    assert {check.name: check.verdict for check in checks} == {"short": D, "middle": None, "long": None}


@pytest.mark.parametrize(("seen", "verdict"), [(True, R), (False, D), (None, N)])
def test_a_trend_is_seen_or_not(monkeypatch: pytest.MonkeyPatch, seen: bool | None, verdict: Verdict) -> None:
    claim = Claim("paper", "claim", "1", "", "shape")
    found = Measurement({"slope": -0.2}, trends={} if seen is None else {"it falls": seen})
    assert compare(claim, reproduction(monkeypatch), found)[0] is verdict


@pytest.mark.parametrize(("seen", "verdict"), [(True, P), (False, D)])
def test_a_trend_beside_numbers_must_be_seen_too(monkeypatch: pytest.MonkeyPatch, seen: bool, verdict: Verdict) -> None:
    found = Measurement({"a": 1.0}, trends={"it falls": seen})
    assert compare(TABLE, reproduction(monkeypatch), found)[0] is verdict


def test_an_interval_is_two_numbers() -> None:
    def interval(value: object) -> object:
        return stated_interval(Claim("paper", "claim", "1", "", "shape", value))  # type: ignore[arg-type]

    assert interval([0.4, 0.8]) == (0.4, 0.8)
    assert interval([1, 2, 3]) is None
    assert interval(None) is None
    assert interval({"a": 1}) is None


def test_a_claim_is_registered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reproduction(monkeypatch)
    with pytest.raises(ValueError, match="registered twice"):
        Reproduction("paper", "claim", experiment="other.toml")
    with pytest.raises(ValueError, match="registered twice"):
        Computation("paper", "claim", "a model", computes=lambda: 1)
