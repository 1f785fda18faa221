"""What the report says: headline, table, facts."""

from pathlib import Path
from typing import Any

import pytest

from gossamer.plots.comparison import Comparison
from gossamer.report.facts import facts_of
from gossamer.report.headline import sentences
from gossamer.report.table import table_of
from gossamer.results import Results
from synthetic_results import record, write_folder


def summary(name: str = "x", **values: Any) -> list[dict[str, Any]]:
    base = {
        "run": name,
        "fabric": "ethernet",
        "transport": "dctcp",
        "topology": "fat-tree, k = 4",
        "hosts": 16,
        "duration_ps": 20_000_000_000,
        "flows_started": 4000,
        "flows_completed": 3900,
        "goodput_per_host_bps": 9e9,
        "host_utilisation": 0.9,
        "slowdown_p50": 1.5,
        "slowdown_p99": 3.0,
        "slowdown_p999": 5.0,
        "latency_p99_ps": 40_000_000,
        "dropped_frames": 0,
    }
    return [base | values]


def compared(folder: Path, *runs: dict[str, Any], **manifest: Any) -> Comparison:
    return Comparison.of(Results.open(write_folder(folder, runs, **manifest)))


def test_two_variants(tmp_path: Path) -> None:
    slow = summary(slowdown_p99=8.4, goodput_per_host_bps=7.2e9, latency_p99_ps=90_000_000, dropped_frames=2000)
    found = compared(
        tmp_path, record("newreno", tables={"summary": slow}), record("dctcp", tables={"summary": summary()})
    )
    assert sentences(found) == [
        "The 99th-percentile slowdown is 3 with dctcp and 8.4 with newreno, 2.8 times as much.",
        "Throughput is highest with dctcp: 9 Gb/s a host (90 % of its link). It is lowest with newreno: 7.2 Gb/s, "
        "20 % less.",
        "The 99th-percentile frame latency is 40 µs with dctcp and 90 µs with newreno, 2.2 times as much.",
        "Of all frames, newreno drops 2,000, dctcp none.",
    ]


def test_losses_are_told_apart_from_drops(tmp_path: Path) -> None:
    lossy = record("broken", tables={"summary": summary(lost_frames=12)})
    sound = record("sound", tables={"summary": summary(lost_frames=0)})
    found = sentences(compared(tmp_path / "two", lossy, sound))
    assert found[0] == "On the wire, or to what broke or was switched, broken loses 12, sound none."
    assert found[-1] == "No frame is dropped."
    assert (
        sentences(compared(tmp_path / "one", lossy))[-1]
        == "12 frames were lost on the wire, or to what broke or was switched."
    )


def test_three_variants_name_the_ends(tmp_path: Path) -> None:
    runs = [
        record(name, tables={"summary": summary(slowdown_p99=value)}) for name, value in (("a", 3), ("b", 4), ("c", 5))
    ]
    assert sentences(compared(tmp_path, *runs)) == [
        "The 99th-percentile slowdown is lowest with a (3) and highest with c (5, 67 % more).",
        "Throughput is the same with all three to within 1 %: 9 Gb/s a host.",
        "The 99th-percentile frame latency is the same with all three to within 1 %: about 40 µs.",
        "No frame is dropped.",
    ]


def test_differences_come_first(tmp_path: Path) -> None:
    runs = [
        record(name, tables={"summary": summary(goodput_per_host_bps=rate)}) for name, rate in (("a", 9e9), ("b", 6e9))
    ]
    first, *rest = sentences(compared(tmp_path, *runs))
    assert first.startswith("Throughput is highest with a: 9 Gb/s")
    assert rest[0] == "The 99th-percentile slowdown is the same with both to within 1 %: about 3."


def test_what_differs_no_more_than_seeds_is_no_difference(tmp_path: Path) -> None:
    values = {("a", 1): 3.0, ("a", 2): 4.0, ("b", 1): 3.5, ("b", 2): 4.2}
    runs = [
        record(
            f"{name},seed={seed}",
            variant=name,
            sweep={"seed": seed},
            seed=seed,
            tables={"summary": summary(slowdown_p99=value)},
        )
        for (name, seed), value in values.items()
    ]
    assert "The 99th-percentile slowdown differs between both by no more than between seeds: about 3.85." in sentences(
        compared(tmp_path, *runs)
    )


def test_of_a_sweep_the_last_point(tmp_path: Path) -> None:
    runs = [
        record(
            f"{name},load={load}",
            variant=name,
            sweep={"workload.0.load": load},
            tables={"summary": summary(slowdown_p99=harm * load)},
        )
        for name, harm in (("a", 10), ("b", 20))
        for load in (0.2, 0.8)
    ]
    assert sentences(compared(tmp_path, *runs))[0] == (
        "At load=0.8: the 99th-percentile slowdown is 8 with a and 16 with b, 2 times as much."
    )


def test_of_a_swept_workload_alone_from_end_to_end(tmp_path: Path) -> None:
    runs = [
        record(
            f"load={load}",
            variant=None,
            sweep={"workload.0.load": load},
            tables={"summary": summary(slowdown_p99=10 * load, goodput_per_host_bps=1e10 * load)},
        )
        for load in (0.2, 0.5, 0.8)
    ]
    assert sentences(compared(tmp_path, *runs)) == [
        "From load=0.2 to load=0.8: the 99th-percentile slowdown goes from 2 to 8.",
        "The throughput per host goes from 2 Gb/s to 8 Gb/s.",
        "The 99th-percentile frame latency stays at 40 µs.",
        "The number of dropped frames stays at 0.",
    ]


def test_a_single_run(tmp_path: Path) -> None:
    found = compared(tmp_path, record("dctcp", variant=None, tables={"summary": summary(dropped_frames=1)}))
    assert sentences(found) == [
        "Each host received 9 Gb/s on average, 90 % of the rate of its link.",
        "99 % of the completed flows took at most 3 times their ideal time.",
        "99 % of the frames arrived within 40 µs.",
        "1 frame was dropped.",
    ]


def test_runs_that_did_not_end_are_not_compared(tmp_path: Path) -> None:
    runs = [record("a", tables={"summary": summary()}), record("b", tables={"summary": summary()})]
    runs.append(record("c", status="stalled", tables={"summary": summary(slowdown_p99=1.0)}))
    assert sentences(compared(tmp_path / "three", *runs))[-1] == "c did not run to the end."
    assert sentences(compared(tmp_path / "two", runs[0], runs[2]))[:2] == [
        "Only a ran to the end, so there is nothing to compare it with.",
        "a: each host received 9 Gb/s on average, 90 % of the rate of its link.",
    ]
    assert sentences(compared(tmp_path / "none", record("c", status="failed"))) == []


def test_the_table_has_units_in_its_headings_and_marks_the_best(tmp_path: Path) -> None:
    better = summary(slowdown_p99=2.0, latency_p99_ps=900_000, dropped_frames=0)
    worse = summary(slowdown_p99=4.0, latency_p99_ps=40_000_000, dropped_frames=3, goodput_per_host_bps=9.001e9)
    found = table_of(
        compared(tmp_path, record("a", tables={"summary": better}), record("b", tables={"summary": worse}))
    )
    headings = {heading.name: (place, heading.unit) for place, heading in enumerate(found.headings)}
    assert headings["Throughput per host"][1] == "Gb/s"
    assert headings["Utilisation"][1] == "%"
    assert headings["Latency p99"][1] == "µs"
    assert "Fairness" not in headings  # no run has any

    def column(name: str) -> list[tuple[str, bool]]:
        return [(row.cells[headings[name][0]].text, row.cells[headings[name][0]].best) for row in found.rows]

    assert column("Latency p99") == [("0.9", True), ("40", False)]
    assert column("Slowdown p99") == [("2", True), ("4", False)]
    assert column("Throughput per host") == [("9", False), ("9", False)]  # alike as printed
    assert column("Drops") == [("0", True), ("3", False)]
    assert column("Completed flows") == [("3,900 of 4,000", False)] * 2
    assert found.caption == "Best values are in bold. Choose a heading to sort by it."


def test_a_percentile_of_too_few_flows_is_weak_and_never_best(tmp_path: Path) -> None:
    few = summary(flows_completed=500, slowdown_p999=1.0)
    found = table_of(
        compared(tmp_path, record("a", tables={"summary": few}), record("b", tables={"summary": summary()}))
    )
    place = [heading.name for heading in found.headings].index("Slowdown p99.9")
    cell = found.rows[0].cells[place]
    assert (cell.text, cell.weak, cell.best) == ("1", True, False)
    assert cell.note == "fewer than 1000 flows completed: this is the slowest of them"
    assert "Grey values rest on too few flows to be compared." in found.caption


def test_a_run_that_did_not_end_is_never_best(tmp_path: Path) -> None:
    stopped = record("a", status="stopped", tables={"summary": summary(slowdown_p99=1.0)})
    rest = [record(name, tables={"summary": summary(slowdown_p99=value)}) for name, value in (("b", 2.0), ("c", 3.0))]
    found = table_of(compared(tmp_path, stopped, *rest))
    place = [heading.name for heading in found.headings].index("Slowdown p99")
    assert [row.cells[place].best for row in found.rows] == [False, True, False]
    assert [row.status for row in found.rows] == ["stopped", "done", "done"]


def test_seeds_are_averaged_and_their_spread_is_kept(tmp_path: Path) -> None:
    runs = [
        record(
            f"seed={seed}",
            variant=None,
            sweep={"seed": seed},
            seed=seed,
            tables={"summary": summary(slowdown_p99=float(seed))},
        )
        for seed in (2, 4)
    ]
    found = table_of(compared(tmp_path, *runs))
    place = [heading.name for heading in found.headings].index("Slowdown p99")
    assert [(row.label, row.cells[place].text, row.cells[place].note) for row in found.rows] == [
        ("all seeds", "3", "mean of 2 seeds, from 2 to 4")
    ]


@pytest.mark.parametrize(
    ("overrides", "command"),
    [
        ([], "gossamer run synthetic.toml"),
        (["seed=2", "fabric.queue=1 MB"], "gossamer run synthetic.toml --set seed=2 --set 'fabric.queue=1 MB'"),
    ],
)
def test_how_to_make_it_again(tmp_path: Path, overrides: list[str], command: str) -> None:
    found = facts_of(compared(tmp_path, record("a", tables={"summary": summary()}), overrides=overrides))
    assert found.command == command
    assert found.setting == "16 hosts · fat-tree, k = 4 · ethernet · dctcp · 20 ms simulated"
    made = dict(found.made)
    assert made["Machine"] == "Example CPU, Linux"
    assert made["Wall time"] == "12.5 s"
    assert made["Hops a core-second"] == "15 million"
    assert made["Seed"] == "1"
    assert found.started == "2026-01-02 03:04:05"


def test_slowdowns_of_survivors_are_not_compared(tmp_path: Path) -> None:
    lossy = summary(flows_completed=2600, slowdown_p50=1.1)
    found = compared(
        tmp_path, record("direct", tables={"summary": lossy}), record("dctcp", tables={"summary": summary()})
    )
    table = table_of(found)
    place = [heading.name for heading in table.headings].index("Slowdown p50")
    cells = [row.cells[place] for row in table.rows]
    assert [(cell.text, cell.weak, cell.best) for cell in cells] == [("1.1", True, False), ("1.5", False, False)]
    assert cells[0].note == "only 65 % of the flows completed, and the slowest are missing from this number"
    assert sentences(found)[0] == (
        "Of the flows that started, 65 % completed with direct and 97.5 % with dctcp; "
        "slowdowns are of completed flows only."
    )
