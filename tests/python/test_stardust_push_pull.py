"""What does not fit into a port stays outside a Stardust fabric, and enters an Ethernet fabric."""

import re
from pathlib import Path

import pytest

from gossamer import reproduce
from gossamer.reproduce import Outcome

CLAIMS = ("push-vs-pull", "push-vs-pull-classes", "incast-absorption")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    found = reproduce("stardust", CLAIMS, quick=True, out=tmp_path_factory.mktemp("claims"))
    return {outcome.claim.id: outcome for outcome in found}


def test_a_port_that_is_not_congested_is_served_in_full_by_stardust_only(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["push-vs-pull"]
    assert outcome.verdict == "reproduced"
    assert outcome.measured["ethernet_b"] == pytest.approx(2 / 3, abs=0.015)
    assert outcome.measured["stardust_a"] == pytest.approx(outcome.measured["stardust_b"], abs=0.005)
    assert "; 0 cells are lost; adapters drop" in outcome.note
    assert "faster Stardust delivers 1.000 of A and 1.000 of B, Ethernet 0." in outcome.note


def test_the_low_class_gets_nothing_through_ethernet(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["push-vs-pull-classes"]
    assert outcome.verdict == "reproduced"
    assert outcome.measured["ethernet_b"] < 0.02
    assert outcome.measured["ratio_total"] > 1.9


def test_an_incast_waits_at_its_sources(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["incast-absorption"]
    assert outcome.verdict == "reproduced"
    assert outcome.measured["lost"] == 0
    assert outcome.measured["ingress_mb"] == pytest.approx(0.992, abs=0.005)
    assert "Ethernet's queue of 32 MB overflows: 73% of its frames are dropped" in outcome.note


def test_figures_have_the_papers_numbers(outcomes: dict[str, Outcome]) -> None:
    for claim in CLAIMS:
        assert [Path(file).name for file in outcomes[claim].plots] == [f"{claim}.png", f"{claim}.svg"]
    assert "66 %" in Path(outcomes["push-vs-pull"].plots[1]).read_text()
    assert "0.99 MB stay at each of 128 adapters" in Path(outcomes["incast-absorption"].plots[1]).read_text()


def test_every_cell_arrives_even_when_inputs_are_paused(tmp_path: Path) -> None:
    (outcome,) = reproduce("stardust", ["lossless"], quick=True, out=tmp_path)
    assert (outcome.verdict, outcome.measured) == ("reproduced", 0)
    pauses = re.findall(r"paused (\d+) times", outcome.note)
    assert len(pauses) == 5
    assert int(pauses[3]) > 0
