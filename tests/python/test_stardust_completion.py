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
    assert "Stardust's last response of 50 is complete 0." in outcome.note
    assert "Stardust's is the smaller for every number of senders. 0 cells or packets are lost" in outcome.note
    assert "Fig. 10c" in (tmp_path / "fig10c-incast.svg").read_text()


def test_large_flows_are_fast_beside_long_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = {"duration": "8 ms", "warmup": "1 ms", "workload.web.start": "1 ms"}
    shorter["variant.stardust.duration"] = "2.5 ms"
    shorten(monkeypatch, "stardust", ["fig10b-fct"], shorter)
    (outcome,) = reproduce("stardust", ["fig10b-fct"], quick=True, out=tmp_path)
    assert outcome.verdict == "reproduced"
    assert 0.8 < outcome.measured < 1
    assert "dctcp: 0 of " in outcome.note
    assert [Path(file).name for file in outcome.plots] == [
        f"fig10b-fct-{name}.{kind}" for name in ("share", "size") for kind in ("png", "svg")
    ]
