"""Reproducing Stardust's claims, the quick way."""

import json
from pathlib import Path

import pytest

from conftest import Command
from gossamer import reproduce
from gossamer.reproduce.registry import REPRODUCTIONS

KEYS = {"paper", "claim", "section", "expected", "measured", "unit", "verdict", "seconds", "note"}


def test_both_claims_as_json(gossamer: Command, folder: Path) -> None:
    result = gossamer("reproduce", "stardust", "fig10a-throughput", "ecmp-utilisation", "--quick", "--json")
    assert result.err == ""
    first, second = json.loads(result.out)
    assert set(first) == set(second) == KEYS
    assert (first["claim"], second["claim"]) == ("fig10a-throughput", "ecmp-utilisation")
    assert first["expected"]["dctcp_mean"] == 0.49
    assert [row for row, value in first["measured"].items() if value is not None] == ["dctcp_mean"]
    assert 0.3 < first["measured"]["dctcp_mean"] < 0.7
    assert "not run yet: stardust_mean" in first["note"]
    assert "Quick run with duration = 60 ms" in first["note"]
    assert set(second["measured"]) == {"16 hosts", "128 hosts", "432 hosts"}
    verdicts = {first["verdict"], second["verdict"]}
    assert verdicts <= {"reproduced", "deviates"}
    assert result.status == (1 if "deviates" in verdicts else 0)
    for claim in ("fig10a-throughput", "ecmp-utilisation"):
        place = folder / "results" / "reproduce" / "stardust"
        assert (place / f"{claim}.png").read_bytes().startswith(b"\x89PNG")
        assert "in the paper" in (place / "fig10a-throughput.svg").read_text()
        assert (place / claim / "manifest.json").exists()


def test_a_claim_without_an_experiment_is_not_reproduced(gossamer: Command) -> None:
    result = gossamer("reproduce", "stardust", "min-credit")
    assert result.out == "not-comparable  min-credit: no experiment yet\n1 not-comparable\n"
    assert result.status == 0
    (record,) = json.loads(gossamer("reproduce", "stardust", "min-credit", "--json").out)
    assert (record["verdict"], record["measured"], record["note"]) == ("not-comparable", None, "no experiment yet")


def test_the_list_names_every_claim(gossamer: Command) -> None:
    entries = json.loads(gossamer("reproduce", "stardust", "--list", "--json").out)
    assert len(entries) == 25
    with_experiment = {entry["claim"] for entry in entries if entry["experiment"]}
    assert with_experiment == {claim for paper, claim in REPRODUCTIONS if paper == "stardust"}
    assert "fig8-packing (§6.1.1, Fig 8a): no experiment yet\n" in gossamer("reproduce", "stardust", "--list").out


def test_an_experiment_that_fails_fails_its_claim(gossamer: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduction = REPRODUCTIONS["stardust", "ecmp-utilisation"]
    monkeypatch.setattr(reproduction, "quick", {"topology.kind": "fat-treee"})
    result = gossamer("reproduce", "stardust", "ecmp-utilisation", "--quick")
    assert result.status == 1
    assert result.out.startswith("failed          ecmp-utilisation: ")
    assert "fat-tree" in result.out
    assert result.out.endswith("1 failed\n")


def test_a_number_that_is_off_deviates(gossamer: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """One host to one other over an idle star uses its whole link: far from what hashing leaves."""
    reproduction = REPRODUCTIONS["stardust", "ecmp-utilisation"]
    monkeypatch.setattr(
        reproduction,
        "quick",
        {"topology": {"kind": "star", "hosts": 4}, "sweep": None, "duration": "20 ms", "warmup": "5 ms"},
    )
    result = gossamer("reproduce", "stardust", "ecmp-utilisation", "--quick")
    assert result.status == 1
    assert result.out.startswith("deviates        ecmp-utilisation: 4 hosts 0.9")


def test_from_python(folder: Path) -> None:
    (outcome,) = reproduce("stardust", ["lossless"], out=folder)
    assert (outcome.claim.id, outcome.measured, outcome.note) == ("lossless", None, "no experiment yet")
