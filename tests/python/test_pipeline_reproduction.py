"""Stardust's Figs. 3 and 8 from the packet-processing model."""

from pathlib import Path

import pytest

from gossamer import reproduce
from gossamer.reproduce import packages
from gossamer.reproduce.claims import paper
from gossamer.reproduce.outcome import Outcome
from gossamer.reproduce.registry import Computation
from papers.stardust.reproduction import pipeline


@pytest.fixture(scope="module")
def fig8() -> pipeline.Fig8:
    return pipeline.fig8_rows()


@pytest.fixture(scope="module")
def outcomes(fig8: pipeline.Fig8, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("reproduced")
    method = packages.methods(paper("stardust"))["fig8-packing"]
    assert isinstance(method, Computation)
    assert method.computes is pipeline.fig8_rows
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(method, "computes", lambda: fig8)  # computed once for all tests
        both = reproduce("stardust", ["fig3-packing-gain", "fig8-packing"], out=folder)
    return {outcome.claim.id: outcome for outcome in both}


def test_sizes_fill_their_words_or_are_a_byte_longer() -> None:
    sizes = pipeline.sizes(32)
    assert sizes[:4] == [64, 65, 96, 97]
    assert sizes[-3:] == [1504, 1505, 1518]


def test_fig_3_is_the_papers_to_the_digit(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["fig3-packing-gain"]
    assert outcome.verdict == "reproduced"
    assert {size: f"{gain:.2f}" for size, gain in outcome.measured.items()} == {
        "64": "4.00",
        "513": "1.41",
        "1025": "1.18",
    }
    assert "packed cells need at most 6.5" in outcome.note


def test_fig_8_says_what_is_reproduced_and_what_is_not(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["fig8-packing"]
    assert outcome.verdict == "reproduced"
    assert outcome.measured["line_rate_all_sizes"] is True
    for told in (
        "the others lack 15.0, 36.3 and 49.2 points (paper 15, 30, 49)",
        "NDP lacks 29.8 points at 97 B",
        "keeps up at every size from 177 MHz (paper 180 MHz)",
        "At 200 MHz NDP misses 65, 97, 129 B (paper 65, 97, 129 B)",
        "Fig. 8b is not comparable",
    ):
        assert told in outcome.note


def test_packed_cells_are_ahead_for_every_mix(fig8: pipeline.Fig8) -> None:
    for mix in ("database", "web", "hadoop"):
        packed = fig8.share("packed-cells", mix)
        assert packed > fig8.share("reference-switch", mix)
        assert packed > fig8.share("cells", mix)


def test_the_figures_are_drawn(outcomes: dict[str, Outcome]) -> None:
    for outcome, stems in (
        (outcomes["fig3-packing-gain"], ["fig3-packing-gain"]),
        (outcomes["fig8-packing"], ["fig8-packing-a", "fig8-packing-b"]),
    ):
        assert [Path(plot).name for plot in outcome.plots] == [
            f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")
        ]
    svg = Path(outcomes["fig8-packing"].plots[1]).read_text()
    assert "Stardust Fig. 8a" in svg
    assert "non-packed cells" in svg
