"""Stardust's Fig. 9 on a small copy of its fabric."""

from pathlib import Path

import pytest

from conftest import shorten
from gossamer import reproduce
from gossamer.reproduce import Outcome
from papers.stardust.reproduction import queues

CLAIMS = ("fig9-latency", "fig9-queues", "fig9-oversubscribed")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        # The durations of variants that are not overloaded: what is throttled takes its time.
        shorten(monkeypatch, "stardust", CLAIMS, {f"variant.{number}.duration": "200 us" for number in range(4)})
        found = reproduce("stardust", CLAIMS, quick=True, out=tmp_path_factory.mktemp("claims"))
    return {outcome.claim.id: outcome for outcome in found}


def test_cells_take_a_few_microseconds(outcomes: dict[str, Outcome]) -> None:
    assert outcomes["fig9-latency"].verdict == "reproduced"
    assert 2 < outcomes["fig9-latency"].measured < 13


def test_tails_are_no_heavier_than_those_of_md1(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["fig9-queues"]
    assert outcome.verdict == "reproduced"
    falls = [value for name, value in outcome.measured.items() if name != "cells lost"]
    assert len(falls) == 4
    assert falls == sorted(falls)
    assert "at no load above that of M/D/1" in outcome.note
    assert "0 cells lost, in all five runs. The runs are those of fig9-latency" in outcome.note


def test_too_much_is_throttled(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["fig9-oversubscribed"]
    assert outcome.verdict == "reproduced"
    assert outcome.measured == pytest.approx(0.9, abs=0.03)
    assert "0 cells lost" in outcome.note


def test_figures_show_the_model_beside_the_queues(outcomes: dict[str, Outcome]) -> None:
    svg = Path(outcomes["fig9-queues"].plots[1]).read_text()
    assert "Broken: M/D/1 at the measured utilisation" in svg


def test_a_tail_falls_by_the_same_factor() -> None:
    tail = [(float(cells), 0.5**cells) for cells in range(1, 12)]
    assert queues.decay(tail, 1e-4, 0.3) == pytest.approx(0.5)
    assert queues.decay(tail, 0.3, 0.4) != queues.decay(tail, 0.3, 0.4)  # too few points: not a number
