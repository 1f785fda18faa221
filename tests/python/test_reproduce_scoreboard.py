"""The generated page of what has been reproduced."""

import json
from pathlib import Path
from typing import Any

import pytest

from gossamer.reproduce import scoreboard
from gossamer.reproduce.claims import Claim, Paper
from gossamer.reproduce.outcome import Outcome, Row
from gossamer.reproduce.verdict import Verdict

TABLE = Claim("example", "table", "2", "two rows", "approx", {"a": 0.5, "b": 2.0}, tol=0.1, unit="Gb/s")
SHAPE = Claim("example", "shape", "3", "an interval", "shape", [0.4, 0.8])
INPUT = Claim("example", "input", "4", "an input", "given", 320, unit="ns")
LATER = Claim("example", "later", "5", "not yet", "le", 13.0, unit="us")
PAPER = Paper("example", Path("papers/example"), "An Example", (TABLE, SHAPE, INPUT, LATER))

ROWS = (Row("a", 0.5, 0.52, Verdict.REPRODUCED), Row("b", 2.0, None, None, "needs MPTCP"))
PARTIAL = Outcome(TABLE, Verdict.REPRODUCED, ROWS, 12.3456, "1 of 2 rows run (a); not run yet: b: needs MPTCP")
DEVIATING = Outcome(SHAPE, Verdict.DEVIATES, (Row("16 hosts", None, 0.81, Verdict.DEVIATES),), 3.0, "Five permutations")


def records() -> list[dict[str, Any]]:
    return [PARTIAL.as_json(), DEVIATING.as_json()]


def test_the_record_of_a_script() -> None:
    assert PARTIAL.as_json() == {
        "paper": "example",
        "claim": "table",
        "section": "2",
        "expected": {"a": 0.5, "b": 2.0},
        "measured": {"a": 0.52, "b": None},
        "unit": "Gb/s",
        "verdict": "reproduced",
        "seconds": 12.346,
        "note": "1 of 2 rows run (a); not run yet: b: needs MPTCP",
    }
    assert DEVIATING.as_json()["measured"] == {"16 hosts": 0.81}


def test_the_line_of_a_person() -> None:
    assert PARTIAL.line() == "reproduced      table: a 0.52 (paper 0.5, +4.0 %)"
    assert DEVIATING.line() == "deviates        shape: 16 hosts 0.81, paper 0.4 to 0.8"
    failed = Outcome(TABLE, Verdict.FAILED, note="run seed=1: stalled: flow 3 waits for an acknowledgement")
    assert failed.line() == "failed          table: run seed=1: stalled: flow 3 waits for an acknowledgement"


def test_the_page_lists_every_claim() -> None:
    page = scoreboard.page({"example": PAPER}, records())
    assert page.startswith(scoreboard.HEAD)
    assert page[len(scoreboard.HEAD) :] == (
        "\n## An Example\n\n"
        "4 claims: 1 deviates, 1 given, 1 no experiment yet, 1 reproduced in part. "
        "How: [papers/example](../papers/example/README.md).\n\n"
        "| claim | section | paper | measured | verdict | seconds |\n|---|---|---|---|---|---|\n"
        "| `table` | 2 | a: 0.5<br>b: 2 Gb/s | a: 0.52<br>b: not run | reproduced in part (1 of 2 rows) | 12 |\n"
        "| `shape` | 3 | 0.4, 0.8 | 16 hosts: 0.81 | deviates | 3 |\n"
        "| `input` | 4 | 320 ns |  | given |  |\n"
        "| `later` | 5 | 13 us |  | no experiment yet |  |\n\n"
        "- `table`: 1 of 2 rows run (a); not run yet: b: needs MPTCP.\n"
        "- `shape`: Five permutations.\n"
    )


def test_new_records_take_the_place_of_old_ones(tmp_path: Path) -> None:
    scoreboard.write(tmp_path, {"example": PAPER}, records())
    again = Outcome(SHAPE, Verdict.REPRODUCED, (Row("16 hosts", None, 0.6, Verdict.REPRODUCED),), 2.0)
    files = scoreboard.write(tmp_path, {"example": PAPER}, [again.as_json()])
    assert files == [tmp_path / "reproduction.md", tmp_path / "reproduction.json"]
    kept = json.loads((tmp_path / "reproduction.json").read_text())
    assert [(record["claim"], record["verdict"]) for record in kept] == [
        ("table", "reproduced"),
        ("shape", "reproduced"),
    ]
    assert (tmp_path / "reproduction.md").read_text() == scoreboard.page({"example": PAPER}, scoreboard.read(tmp_path))


@pytest.mark.parametrize(
    ("claim", "record", "state"),
    [
        (LATER, None, "no experiment yet"),
        (INPUT, None, "given"),
        (LATER, {"note": "no experiment yet", "measured": None, "verdict": "not-comparable"}, "no experiment yet"),
        (LATER, {"note": "the trace is not public", "measured": None, "verdict": "not-comparable"}, "not comparable"),
        (TABLE, {"note": "", "measured": {"a": 1.0, "b": 2.0}, "verdict": "reproduced"}, "reproduced"),
        (TABLE, {"note": "", "measured": {"a": 1.0, "b": None}, "verdict": "deviates"}, "deviates (1 of 2 rows)"),
    ],
)
def test_states(claim: Claim, record: dict[str, Any] | None, state: str) -> None:
    assert scoreboard.status(claim, record) == state


def test_a_claim_with_an_experiment_that_was_not_run_says_so() -> None:
    from gossamer.reproduce import paper

    claims = {claim.id: claim for claim in paper("shoal").claims}
    assert scoreboard.status(claims["fig17-failures"], None) == "not run yet"
    assert scoreboard.status(claims["torus-baseline"], None) == "no experiment yet"
