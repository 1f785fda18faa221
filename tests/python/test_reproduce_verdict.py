"""What a measurement says about a claim, relation by relation."""

import math

import pytest

from gossamer.reproduce import registry
from gossamer.reproduce.claims import Claim, Number, Relation
from gossamer.reproduce.outcome import Row, compare, missing
from gossamer.reproduce.registry import Computation, Measurement, Reproduction
from gossamer.reproduce.verdict import Verdict, judge, overall, stated_interval, within

R, D, N, F = Verdict.REPRODUCED, Verdict.DEVIATES, Verdict.NOT_COMPARABLE, Verdict.FAILED


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
    assert judge(relation, expected, measured, tol) is verdict


def test_a_shape_without_an_interval_is_not_judged_by_a_number() -> None:
    with pytest.raises(ValueError, match="judged by `within`"):
        judge("shape", 1, 1, None)


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        ({"a": 0.4, "b": 0.8}, R),
        ({"a": 0.39, "b": 0.8}, D),
        ({"a": 0.4, "b": 0.81}, D),
        ({}, F),
        ({"a": math.nan}, F),
    ],
)
def test_within(measured: dict[str, float], verdict: Verdict) -> None:
    assert within(0.4, 0.8, measured) is verdict


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [([R, R], R), ([R, D], D), ([D, F], F), ([N, R], R), ([N], N), ([], N)],
)
def test_overall_is_the_worst(verdicts: list[Verdict], verdict: Verdict) -> None:
    assert overall(verdicts) is verdict


TABLE = Claim("paper", "claim", "1", "", "approx", {"a": 1.0, "b": 2.0, "c": 3.0}, tol=0.1)


def reproduction(monkeypatch: pytest.MonkeyPatch) -> Reproduction:
    monkeypatch.setattr(registry, "REPRODUCTIONS", {})
    return Reproduction("paper", "claim", experiment="claim.toml", not_run={"b": "needs MPTCP"})


def test_rows_that_were_not_run_are_listed_and_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, rows = compare(TABLE, reproduction(monkeypatch), Measurement({"a": 1.05}))
    assert verdict is R
    assert rows == (
        Row("a", 1.0, 1.05, R),
        Row("b", 2.0, None, None, "needs MPTCP"),
        Row("c", 3.0, None, None, "no experiment yet"),
    )
    assert missing(rows) == "1 of 3 rows run (a); not run yet: b (needs MPTCP); c (no experiment yet)"


def test_one_row_that_deviates_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, rows = compare(TABLE, reproduction(monkeypatch), Measurement({"a": 1.0, "b": 2.0, "c": 3.5}))
    assert verdict is D
    assert [row.verdict for row in rows] == [R, R, D]
    assert rows[2].deviation() == pytest.approx(1 / 6)
    assert missing(rows) == ""


def test_nothing_measured_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare(TABLE, reproduction(monkeypatch), Measurement({}))[0] is N
    shape = Claim("paper", "claim", "1", "", "shape", (0.4, 0.8))
    assert compare(shape, reproduction(monkeypatch), Measurement({}))[0] is F


def test_a_list_is_compared_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("paper", "claim", "1", "", "eq", [19.047, 5.797])
    verdict, rows = compare(claim, reproduction(monkeypatch), Measurement({"64 B": 19.0476, "256 B": 5.9}))
    assert verdict is D
    assert rows == (Row("64 B", 19.047, 19.0476, R), Row("256 B", 5.797, 5.9, D))
    with pytest.raises(ValueError, match="is longer than"):
        compare(claim, reproduction(monkeypatch), Measurement({"64 B": 19.0476}))


def test_a_table_of_the_paper_is_stated_by_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("paper", "claim", "1", "", "eq")
    found = Measurement({"1 tier": 1.0, "2 tiers": 0.5}, stated={"1 tier": 1.0, "2 tiers": 1.0})
    verdict, rows = compare(claim, reproduction(monkeypatch), found)
    assert verdict is D
    assert rows == (Row("1 tier", 1.0, 1.0, R), Row("2 tiers", 1.0, 0.5, D))


@pytest.mark.parametrize(("holds", "verdict"), [(True, R), (False, D), (None, N)])
def test_a_trend_holds_or_not(monkeypatch: pytest.MonkeyPatch, holds: bool | None, verdict: Verdict) -> None:
    claim = Claim("paper", "claim", "1", "", "shape")
    found = Measurement({"slope": -0.2}, holds=holds)
    assert compare(claim, reproduction(monkeypatch), found) == (verdict, (Row("slope", None, -0.2, verdict),))


@pytest.mark.parametrize(("holds", "verdict"), [(True, R), (False, D), (None, R)])
def test_a_trend_beside_numbers_must_hold_too(
    monkeypatch: pytest.MonkeyPatch, holds: bool | None, verdict: Verdict
) -> None:
    found = Measurement({"a": 1.0}, holds=holds)
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
