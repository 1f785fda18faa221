"""A failed link of a Stardust fabric, simulated: when adapters far away stop using it."""

from pathlib import Path

import altair as alt
import pytest

from gossamer.reproduce.claims import paper
from gossamer.results import Results
from papers.stardust.reproduction import recovery
from papers.stardust.reproduction.plan import table_4
from synthetic_results import write_folder


def test_the_last_adapter_learns_after_four_hops_of_messages() -> None:
    found = recovery.by_threshold(recovery.simulated())
    assert list(found) == [1, 2, 3, 5]
    for threshold, (first, last) in found.items():
        assert first <= last
        # Messages come at their own times on each link, up to a period apart.
        assert last == pytest.approx(recovery.with_detection_us(threshold), rel=0.03)
        assert last > recovery.closed_form_us(threshold)


def test_figure_and_note_say_which_runs_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that failed has series up to there, which say nothing of when adapters have learned of the failure."""
    way = "edge-4 -> aggregation-4"
    runs = [
        {
            "name": f"threshold={threshold}-seed={seed}",
            "status": status,
            "sweep": {recovery.THRESHOLD: threshold, "seed": seed},
            "tables": {"series": [{"time_ps": time_ps, "series": "utilisation", "scope": way, "value": 0.2}]},
        }
        for threshold, seed, status, time_ps in (
            (1, 3, "failed", 60_000_000),
            (2, 1, "done", 180_000_000),
            (2, 2, "stopped", 140_000_000),
        )
    ]
    results = Results.open(write_folder(tmp_path, runs))
    assert recovery.by_threshold(results) == {2: (80.0, 80.0)}
    drawn = {(row["label"], row["threshold"]) for row in recovery.curves(results)}
    assert {threshold for label, threshold in drawn if label == recovery.SIMULATED} == {2}
    assert {threshold for label, threshold in drawn if label == recovery.CLOSED_FORM} == {1, 2}

    monkeypatch.setattr(recovery, "simulated", lambda: results)
    claim = next(claim for claim in paper("stardust").claims if claim.id == "recovery-time")
    chart = recovery.recovery_by_threshold(table_4(), claim)
    assert isinstance(chart, alt.Chart | alt.LayerChart)
    told = " ".join(chart.to_dict()["title"]["subtitle"])
    assert "Left out, as they are not done: threshold=1-seed=3 (failed), threshold=2-seed=2 (stopped)." in told
    note = recovery.recovery(table_4()).note
    assert note.endswith(". Left out, as they are not done: threshold=1-seed=3 (failed), threshold=2-seed=2 (stopped)")
    assert recovery.left_out(Results.open(write_folder(tmp_path / "done", runs[1:2]))) == ""
