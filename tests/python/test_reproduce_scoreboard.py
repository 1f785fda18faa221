"""The generated page of what has been reproduced."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from gossamer.reproduce import papers, scoreboard
from gossamer.reproduce.claims import Claim, Paper
from gossamer.reproduce.outcome import Check, Outcome, requirements, verdict_of
from gossamer.reproduce.registry import Measurement
from gossamer.reproduce.verdict import Requirement, Verdict, stated_interval

TABLE = Claim("example", "table", "2", "two rows", "approx", {"a": 0.5, "b": 2.0}, tol=0.1, unit="Gb/s")
SHAPE = Claim("example", "shape", "3", "an interval", "shape", [0.4, 0.8])
INPUT = Claim("example", "input", "4", "an input", "given", 320, unit="ns")
LATER = Claim("example", "later", "5", "not yet", "le", 13.0, unit="us")
PAPER = Paper("example", Path("papers/example"), "An Example", (TABLE, SHAPE, INPUT, LATER))

A, B = (Requirement("approx", value, 0.1) for value in (0.5, 2.0))
CHECKS = (Check("a", A, 0.52), Check("b", B, None, why_not="needs MPTCP"), Check("c", None, 7.0))
PARTIAL = Outcome(TABLE, Verdict.IN_PART, CHECKS, 12.3456, "1 of 2 rows run (a); not run yet: b (needs MPTCP)")
BETWEEN = Requirement("between", (0.4, 0.8))
DEVIATING = Outcome(
    SHAPE,
    Verdict.DEVIATES,
    (Check("16 hosts", BETWEEN, 0.81), Check("it falls with hosts", None, measured=True, trend=True)),
    3.0,
    "Five permutations",
)


def records() -> list[dict[str, Any]]:
    return [PARTIAL.as_json(), DEVIATING.as_json()]


def test_the_record_of_a_script() -> None:
    assert PARTIAL.as_json() == {
        "paper": "example",
        "claim": "table",
        "section": "2",
        "expected": {"a": 0.5, "b": 2.0},
        "measured": {"a": 0.52, "b": None, "c": 7.0},
        "unit": "Gb/s",
        "verdict": "reproduced-in-part",
        "checks": [
            {
                "name": "a",
                "relation": "approx",
                "value": 0.5,
                "tolerance": 0.1,
                "required": "0.5 within 10 %",
                "measured": 0.52,
                "off": pytest.approx(0.04),
                "verdict": "reproduced",
            },
            {
                "name": "b",
                "relation": "approx",
                "value": 2.0,
                "tolerance": 0.1,
                "required": "2 within 10 %",
                "measured": None,
                "off": None,
                "verdict": None,
            },
            {
                "name": "c",
                "relation": None,
                "value": None,
                "tolerance": None,
                "required": None,
                "measured": 7.0,
                "off": None,
                "verdict": None,
            },
        ],
        "core_seconds": 12.346,
        "note": "1 of 2 rows run (a); not run yet: b (needs MPTCP)",
    }
    assert DEVIATING.as_json()["measured"] == {"16 hosts": 0.81}
    assert DEVIATING.as_json()["checks"][1]["relation"] == "trend"


def test_the_lines_of_a_person() -> None:
    assert PARTIAL.lines() == [
        "reproduced in part  table (§2)",
        "  a  0.52     0.5 within 10 %  +4.0 %  reproduced",
        "  b  not run  2 within 10 %",
        "  c  7        not compared",
    ]
    assert DEVIATING.lines() == [
        "deviates            shape (§3)",
        "  16 hosts  0.81  0.4 to 0.8  +1.2 %  deviates",
        "  it falls with hosts: yes",
    ]
    failed = Outcome(TABLE, Verdict.FAILED, note="run seed=1: stalled: flow 3 waits for an acknowledgement")
    assert failed.lines() == ["failed              table: run seed=1: stalled: flow 3 waits for an acknowledgement"]


def test_the_page_lists_every_claim() -> None:
    page = scoreboard.page({"example": PAPER}, records(), lambda _: ())
    assert page.startswith(scoreboard.HEAD)
    assert page[len(scoreboard.HEAD) :] == (
        "\n## An Example\n\n"
        "4 claims: 1 reproduced in part, 1 deviates, 1 given, 1 with no experiment yet. "
        "How: [papers/example](../papers/example/README.md).\n\n"
        "| claim | section | paper | compared | also measured | verdict | core-s |\n|---|---|---|---|---|---|---|\n"
        "| `table` | 2 | a: 0.5<br>b: 2 Gb/s | a: **0.52**, 0.5 within 10 %, off +4.0 %<br>b: not run, 2 within 10 % "
        "| c: 7 | reproduced in part (2 of 3 numbers) | 12 |\n"
        "| `shape` | 3 | 0.4, 0.8 | 16 hosts: **0.81**, 0.4 to 0.8, off +1.2 %: **deviates**<br>"
        "it falls with hosts: **seen** |  | deviates | 3 |\n"
        "| `input` | 4 | 320 ns |  |  | given |  |\n"
        "| `later` | 5 | 13 us |  |  | no experiment yet |  |\n\n"
        "- `table`: 1 of 2 rows run (a); not run yet: b (needs MPTCP).\n"
        "- `shape`: Five permutations.\n"
    )


def kept() -> list[dict[str, Any]]:
    return scoreboard.read(ROOT / "docs")


@pytest.mark.parametrize("record", kept(), ids=lambda record: f"{record['paper']}-{record['claim']}")
def test_every_verdict_follows_from_what_is_displayed(record: dict[str, Any]) -> None:
    """From the numbers and words of the page alone, read back as a reader would."""
    shown: list[Check] = []
    for each in record["checks"]:
        check = Check.from_json(each)
        measured, must, _ = check.texts()
        if check.required is not None and isinstance(check.measured, float):
            check = Check(check.name, Requirement.from_json(each), float(measured))
        if check.required is not None:
            assert must == each["required"]
        shown.append(check)
        assert each["verdict"] == (None if check.verdict is None else str(check.verdict))
    assert verdict_of(shown) == record["verdict"]


@pytest.mark.parametrize("record", kept(), ids=lambda record: f"{record['paper']}-{record['claim']}")
def test_what_is_displayed_is_what_the_paper_s_claim_asks(record: dict[str, Any]) -> None:
    claim = papers()[record["paper"]].claim(record["claim"])
    unneeded = (None, "trend", "given")
    rows = {each["name"]: each["measured"] for each in record["checks"] if each["relation"] not in unneeded}
    shown = {each["name"]: each for each in record["checks"]}
    if isinstance(claim.value, list) and stated_interval(claim) is None:
        rows = dict(list(rows.items())[: len(claim.value)])
    if record["verdict"] == "not-comparable" and not rows:
        return
    nested = isinstance(claim.value, dict) and not claim.rows
    if nested or isinstance(claim.value, str) or claim.value is None:
        return  # the measurement names each number of a table
    for name, must in requirements(claim, Measurement(rows)).items():
        assert Requirement.from_json(shown[name]) == must, name


def test_new_records_take_the_place_of_old_ones(tmp_path: Path) -> None:
    scoreboard.write(tmp_path, {"example": PAPER}, records(), lambda _: ())
    again = Outcome(SHAPE, Verdict.REPRODUCED, (Check("16 hosts", BETWEEN, 0.6),), 2.0)
    files = scoreboard.write(tmp_path, {"example": PAPER}, [again.as_json()], lambda _: ())
    assert files == [tmp_path / "reproduction.md", tmp_path / "reproduction.json"]
    kept = json.loads((tmp_path / "reproduction.json").read_text())
    assert [(record["claim"], record["verdict"]) for record in kept] == [
        ("table", "reproduced-in-part"),
        ("shape", "reproduced"),
    ]
    page = scoreboard.page({"example": PAPER}, scoreboard.read(tmp_path), lambda _: ())
    assert (tmp_path / "reproduction.md").read_text() == page


@pytest.mark.parametrize(
    ("claim", "record", "state"),
    [
        (LATER, None, "no experiment yet"),
        (INPUT, None, "given"),
        (LATER, {"note": "no experiment yet", "measured": None, "verdict": "not-comparable"}, "no experiment yet"),
        (LATER, {"note": "the trace is not public", "measured": None, "verdict": "not-comparable"}, "not comparable"),
        (TABLE, {"note": "", "verdict": "reproduced"}, "reproduced"),
        (TABLE, {"note": "", "verdict": "reproduced-in-part"}, "reproduced in part"),
        (TABLE, {"note": "", "verdict": "deviates"}, "deviates"),
    ],
)
def test_states(claim: Claim, record: dict[str, Any] | None, state: str) -> None:
    assert scoreboard.state(claim, record, ()) == state


def test_a_claim_with_an_experiment_that_was_not_run_says_so() -> None:
    from gossamer.reproduce import packages, paper

    shoal = paper("shoal")
    claims, checkable = {claim.id: claim for claim in shoal.claims}, packages.methods(shoal)
    assert scoreboard.state(claims["fig17-failures"], None, checkable) == "not run yet"
    assert scoreboard.state(claims["fig17-failures"], None, ()) == "no experiment yet"


def test_a_tally_is_english() -> None:
    states = ["reproduced"] * 3 + ["deviates"] * 2 + ["not comparable", "no experiment yet"]
    assert scoreboard.tally(states) == "3 reproduced, 2 deviate, 1 not comparable, 1 with no experiment yet"
    assert scoreboard.tally(["deviates"]) == "1 deviates"
