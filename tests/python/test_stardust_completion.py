"""How long flows take over Stardust, the quick way."""

from pathlib import Path

import pytest

from conftest import shorten
from gossamer import reproduce


def test_incast_over_stardust_ends_when_the_link_has_carried_it(tmp_path: Path) -> None:
    (outcome,) = reproduce("stardust", ["fig10c-incast"], quick=True, out=tmp_path)
    assert outcome.verdict in ("reproduced", "deviates")
    ratios = ["last over DCTCP's, 10 senders", "last over DCTCP's, 50 senders"]
    assert list(outcome.measured) == [*ratios, "cells or packets lost"]
    assert all(0.5 < outcome.measured[name] < 1.05 for name in ratios)
    trends = {check.name: check.measured for check in outcome.checks if check.trend}
    assert trends == {
        "Stardust's last response is sooner than MPTCP's for every number of senders": True,
        "Stardust's spread is the smallest for every number of senders": True,
    }
    assert outcome.measured["cells or packets lost"] == 0
    for name in ("stardust 0.", "dctcp ", "mptcp ", "dcqcn ", "dctcp over pfc ", "ndp "):
        assert name in outcome.note
    assert "Fig. 10c" in (tmp_path / "fig10c-incast.svg").read_text()


def test_large_flows_are_fast_beside_long_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = {"duration": "8 ms", "warmup": "1 ms", "workload.web.start": "1 ms"}
    shorter["variant.stardust.duration"] = "2.5 ms"
    for variant in ("mptcp", "dctcp over pfc", "ndp"):
        shorter[f"variant.{variant}.duration"] = "4 ms"
    shorten(monkeypatch, "stardust", ["fig10b-fct"], shorter)
    (outcome,) = reproduce("stardust", ["fig10b-fct"], quick=True, out=tmp_path)
    slowest, first = outcome.checks
    assert (slowest.verdict, first.name) == (
        "reproduced",
        "Stardust's median is the shortest of the paper's schemes for every size",
    )
    assert 0.8 < outcome.measured < 1
    assert "dctcp: 0 of " in outcome.note
    assert [Path(file).name for file in outcome.plots] == [
        f"fig10b-fct-{name}.{kind}" for name in ("share", "size") for kind in ("png", "svg")
    ]
