"""Reproducing Stardust's claims, the quick way."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import altair as alt
import pytest

from conftest import Command, shorten
from gossamer import InputError, reproduce
from gossamer.plots.canvas import AnyChart
from gossamer.reproduce import packages
from gossamer.reproduce.claims import Claim, paper
from gossamer.reproduce.registry import REPRODUCTIONS, Computation, Measurement, Method, Reproduction

KEYS = {"paper", "claim", "section", "expected", "measured", "unit", "verdict", "checks", "core_seconds", "note"}
REPORT = f"report: {Path('results') / 'reproduce' / 'stardust' / 'index.html'}\n"


@pytest.fixture(autouse=True)
def stardust() -> Mapping[str, Method]:
    """How its claims are checked: what tests change has to be loaded before."""
    return packages.methods(paper("stardust"))


def test_both_claims_as_json(gossamer: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = {"duration": "20 ms", "warmup": "8 ms"}
    for variant, duration, warmup in (
        ("stardust", "1.2 ms", "0.6 ms"),
        ("ndp", "1.2 ms", "0.6 ms"),
        ("dcqcn", "20 ms", "8 ms"),
        ("mptcp", "12 ms", "8 ms"),
        ("dctcp over pfc", "8 ms", "4 ms"),
    ):
        shorter |= {f"variant.{variant}.duration": duration, f"variant.{variant}.warmup": warmup}
    # With timers of 10 ms MPTCP is at rest from 25 ms on.
    shorter |= {f"variant.mptcp.transport.{timer}": "1 ms" for timer in ("min_rto", "initial_rto")}
    shorten(monkeypatch, "stardust", ["fig10a-throughput"], shorter)
    shorten(monkeypatch, "stardust", ["ecmp-utilisation"], {"duration": "16 ms", "warmup": "6 ms"})
    result = gossamer("reproduce", "stardust", "fig10a-throughput", "ecmp-utilisation", "--quick", "--json")
    assert result.err == ""
    first, second = json.loads(result.out)
    assert set(first) == set(second) == KEYS
    assert (first["claim"], second["claim"]) == ("fig10a-throughput", "ecmp-utilisation")
    assert first["expected"]["dctcp_mean"] == 0.49
    measured = first["measured"]
    assert set(measured) == set(first["expected"]) | {"dctcp over pfc, mean", "ndp, mean"}
    for one_path in ("dctcp_mean", "dctcp over pfc, mean"):
        assert 0.3 < measured[one_path] < 0.7
    assert 0.2 < measured["dcqcn_mean"] < 0.5, "all begin at their links' rates, and take 45 ms to come back"
    assert 0.7 < measured["mptcp_mean"] < 1
    assert 0.88 < measured["ndp, mean"] < 0.97
    assert 0.9 < measured["stardust_mean"] < 0.97
    assert 8.5 < measured["stardust_gbps_on_96_percent"] < 9.6
    assert "0 with dctcp, " in first["note"]
    assert "% with dcqcn, " in first["note"]
    assert "Quick run with duration = 20 ms" in first["note"]
    assert set(second["measured"]) == {"16 hosts", "128 hosts", "432 hosts"}
    verdicts = {first["verdict"], second["verdict"]}
    assert first["verdict"] in ("reproduced", "deviates")
    assert second["verdict"] in ("reproduced", "deviates")
    assert result.status == (1 if "deviates" in verdicts else 0)
    for claim in ("fig10a-throughput", "ecmp-utilisation"):
        place = folder / "results" / "reproduce" / "stardust"
        assert (place / f"{claim}.png").read_bytes().startswith(b"\x89PNG")
        assert "in the paper" in (place / "fig10a-throughput.svg").read_text()
        assert (place / claim / "manifest.json").exists()


def test_a_claim_without_an_experiment_is_not_reproduced(gossamer: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(REPRODUCTIONS, ("stardust", "min-credit"), raising=False)
    result = gossamer("reproduce", "stardust", "min-credit")
    assert result.out == f"not comparable      min-credit: no experiment yet\n1 not comparable\n{REPORT}"
    assert result.status == 0
    (record,) = json.loads(gossamer("reproduce", "stardust", "min-credit", "--json").out)
    assert (record["verdict"], record["measured"], record["note"]) == ("not-comparable", None, "no experiment yet")
    assert "exactly 2000 B (§4.1; no experiment yet): 10 Tb/s" in gossamer("reproduce", "stardust", "--list").out


def test_the_list_names_every_claim(gossamer: Command, stardust: Mapping[str, Method]) -> None:
    entries = json.loads(gossamer("reproduce", "stardust", "--list", "--json").out)
    assert len(entries) == 25
    checked = {entry["claim"] for entry in entries if entry["experiment"] or entry["computation"]}
    assert checked == set(stardust)
    listed = gossamer("reproduce", "stardust", "--list").out.splitlines()
    assert len(listed) == 26, "a line for each claim, and how to check one"
    ecmp = next(line for line in listed if line.startswith("ecmp-utilisation"))
    assert "0.4 to 0.8 (§5.3; ecmp-utilisation.toml): flow-hashed Ethernet" in ecmp


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Computation[int]]:
    """The smallest credit, by a method of its own."""
    monkeypatch.delitem(REPRODUCTIONS, ("stardust", "min-credit"), raising=False)
    method = Computation("stardust", "min-credit", "a model of it", computes=lambda: 2000)
    yield method
    del REPRODUCTIONS["stardust", "min-credit"]  # before what was there comes back


def test_a_claim_is_computed(gossamer: Command, folder: Path, computed: Computation[int]) -> None:
    computed.measure(lambda found: Measurement({"": found}, "By hand"))

    def draw(found: int, claim: Claim) -> Mapping[str, AnyChart]:
        point = alt.Chart(alt.InlineData(values=[{"credit": found}])).mark_point().encode(x="credit:Q")
        return {"left": point, "right": point.properties(title=claim.id)}

    computed.plot(draw)
    result = gossamer("reproduce", "stardust", "min-credit")
    place = Path("results") / "reproduce" / "stardust"
    assert result.out == (
        "reproduced          min-credit (§4.1)\n"
        "  B  2000  exactly 2000  0 %  reproduced\n"
        "  By hand\n"
        f"  figure: {place / 'min-credit-left.png'}\n"
        f"1 reproduced\n{REPORT}"
    )
    page = (folder / place / "index.html").read_text(encoding="utf-8")
    assert '<span class="verdict reproduced">reproduced</span></h2>' in page
    assert '<td class="number compared">2000</td><td>exactly 2000</td><td class="number">0 %</td>' in page
    assert page.count("data:image/svg+xml;base64,") == 2
    assert "<script" not in page
    assert sorted(file.name for file in (folder / place).iterdir()) == [
        "index.html",
        "min-credit-left.png",
        "min-credit-left.svg",
        "min-credit-right.png",
        "min-credit-right.svg",
    ]
    assert "exactly 2000 B (§4.1; a model of it): 10 Tb/s" in gossamer("reproduce", "stardust", "--list").out


def test_a_computation_that_is_refused_fails_its_claim(gossamer: Command, computed: Computation[int]) -> None:
    def refuse() -> int:
        raise InputError("clocks = 0: at least one is needed")

    computed.computes = refuse
    result = gossamer("reproduce", "stardust", "min-credit")
    assert result.out == f"failed              min-credit: clocks = 0: at least one is needed\n1 failed\n{REPORT}"
    assert result.status == 1


def test_an_experiment_that_fails_fails_its_claim(gossamer: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduction = REPRODUCTIONS["stardust", "ecmp-utilisation"]
    assert isinstance(reproduction, Reproduction)
    monkeypatch.setattr(reproduction, "quick", {"topology.kind": "fat-treee"})
    result = gossamer("reproduce", "stardust", "ecmp-utilisation", "--quick")
    assert result.status == 1
    assert result.out.startswith("failed              ecmp-utilisation: ")
    assert "fat-tree" in result.out
    assert result.out.endswith(f"1 failed\n{REPORT}")


def test_a_number_that_is_off_deviates(gossamer: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """One host to one other over an idle star uses its whole link: far from what hashing leaves."""
    reproduction = REPRODUCTIONS["stardust", "ecmp-utilisation"]
    assert isinstance(reproduction, Reproduction)
    monkeypatch.setattr(
        reproduction,
        "quick",
        {"topology": {"kind": "star", "hosts": 4}, "sweep": None, "duration": "20 ms", "warmup": "5 ms"},
    )
    result = gossamer("reproduce", "stardust", "ecmp-utilisation", "--quick")
    assert result.status == 1
    assert result.out.startswith("deviates            ecmp-utilisation (§5.3)\n  4 hosts  0.9")
    assert "  0.4 to 0.8  +" in result.out.splitlines()[1]


def test_from_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(REPRODUCTIONS, ("stardust", "lossless"), raising=False)
    (outcome,) = reproduce("stardust", ["lossless"], out=folder)
    assert (outcome.claim.id, outcome.measured, outcome.note) == ("lossless", None, "no experiment yet")
