"""Operations: collectives and rounds, as tables have them."""

import pytest

import gossamer
from gossamer import Experiment

RING = """
seed = 1
duration = "50 ms"
[topology]
kind = "star"
hosts = 4
rate = "10 Gb/s"
[fabric]
kind = "fluid"
[transport]
kind = "direct"
[[workload]]
name = "job"
kind = "ring-all-reduce"
bytes = "1 MB"
repeat = 3
"""


def test_a_collective_has_a_row_each_time_and_the_summary_its_mean() -> None:
    results = gossamer.run(Experiment.from_toml(RING))
    rows = results.operations.to_pylist()
    assert [(row["operation"], row["round"], row["kind"], row["ranks"], row["flows"]) for row in rows] == [
        (number, number, "all-reduce (ring)", 4, 24) for number in range(3)
    ]
    for row in rows:
        assert row["duration_ps"] == row["end_ps"] - row["start_ps"]
        assert row["algorithm_bandwidth_bps"] == pytest.approx(8e6 / (row["duration_ps"] * 1e-12))
        assert row["bus_bandwidth_bps"] == pytest.approx(row["algorithm_bandwidth_bps"] * 1.5)
    (summary,) = results.summary.to_pylist()
    assert (summary["operations_started"], summary["operations_completed"]) == (3, 3)
    assert summary["operation_mean_ps"] == pytest.approx(sum(row["duration_ps"] for row in rows) / 3)
    assert summary["operation_max_ps"] == max(row["duration_ps"] for row in rows)
    assert summary["max_held_bytes"] is None  # an ideal network has no buffers
    assert results[0].status == "done"


def test_a_dead_run_is_no_success() -> None:
    stardust = RING.replace('kind = "fluid"', 'kind = "stardust"\nbuffer = "100 KB"')
    stardust = stardust.replace(
        'kind = "star"\nhosts = 4', 'kind = "leaf-spine"\nleaves = 2\nspines = 1\nhosts_per_leaf = 2'
    )
    stardust = stardust.replace("ring-all-reduce", "tree-all-reduce").replace('"1 MB"', '"10 MB"')
    run = gossamer.run(Experiment.from_toml(stardust))[0]
    assert run.status == "stalled"
    assert run.message is not None
    assert "job: all-reduce (tree), round 0, which began at 0 ps, waits" in run.message
    assert run.summary.column("dropped_frames")[0].as_py() > 0
    healed = stardust.replace('buffer = "100 KB"', 'buffer = "100 KB"\npause_threshold = "50 KB"')
    assert gossamer.run(Experiment.from_toml(healed.replace("50 ms", "500 ms")))[0].status == "done"
