"""What the report says: headline, table, facts."""

from pathlib import Path
from typing import Any

import pytest

from gossamer.analysis.comparison import Comparison
from gossamer.report.facts import facts_of
from gossamer.report.headline import sentences
from gossamer.report.table import details_of, table_of
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
        "simulated_ps": 20_000_000_000,
        "flows_started": 4100,
        "flows_completed": 4000,
        "flows_measured": 4000,
        "flows_measured_completed": 4000,
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
    slow[0] |= {"max_held_bytes": 18_300_000}
    fast = summary(max_held_bytes=600_000)
    found = compared(tmp_path, record("newreno", tables={"summary": slow}), record("dctcp", tables={"summary": fast}))
    assert sentences(found) == [
        "The 99th-percentile slowdown is 3 with dctcp and 8.4 with newreno, 2.8 times as much.",
        "Throughput is highest with dctcp: 9 Gb/s per host (90 % of its link). It is lowest with newreno: 7.2 Gb/s, "
        "20 % less.",
        "Of all frames, newreno drops 2,000, dctcp none.",
        "The most that the fabric holds at once is 600 KB with dctcp and 18.3 MB with newreno, 30 times as much.",
    ]


def test_losses_are_told_apart_from_drops(tmp_path: Path) -> None:
    lossy = record("broken", tables={"summary": summary(lost_frames=12)})
    sound = record("sound", tables={"summary": summary(lost_frames=0)})
    found = sentences(compared(tmp_path / "two", lossy, sound))
    assert found[0] == "Frames lost to corruption, faults or reconfigurations: broken 12, sound none."
    assert found[-1] == "No frame is dropped."
    assert (
        sentences(compared(tmp_path / "one", lossy))[-1]
        == "12 frames were lost to corruption, faults or reconfigurations."
    )


def test_three_variants_name_the_ends(tmp_path: Path) -> None:
    runs = [
        record(name, tables={"summary": summary(slowdown_p99=value)}) for name, value in (("a", 3), ("b", 4), ("c", 5))
    ]
    assert sentences(compared(tmp_path, *runs)) == [
        "The 99th-percentile slowdown is lowest with a (3) and highest with c (5, 67 % more).",
        "Throughput is the same with all three to within 1 %: 9 Gb/s per host.",
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
    assert (
        "The 99th-percentile slowdown differs between both by no more than the spread over seeds: about 3.85."
        in sentences(compared(tmp_path, *runs))
    )


def swept(folder: Path, numbers: dict[tuple[str | None, float], dict[str, Any]]) -> Comparison:
    runs = [
        record(
            f"{name},load={load}",
            variant=name,
            sweep={"workload.0.load": load},
            tables={"summary": summary(**values)},
        )
        for (name, load), values in numbers.items()
    ]
    return compared(folder, *runs)


def test_of_a_sweep_the_trend(tmp_path: Path) -> None:
    slow = {"a": (2, 3, 8), "b": (4, 9, 16)}
    loads = (0.2, 0.5, 0.8)
    found = swept(
        tmp_path,
        {
            (name, load): {"slowdown_p99": value, "goodput_per_host_bps": 1e10 * load}
            for name, values in slow.items()
            for load, value in zip(loads, values, strict=True)
        },
    )
    assert sentences(found) == [
        "As load goes from 0.2 to 0.8, the 99th-percentile slowdown rises from 2 to 8 with a and from 4 to 16 "
        "with b. It is lowest with a everywhere.",
        "The throughput per host rises from 2 Gb/s to 8 Gb/s with a and from 2 Gb/s to 8 Gb/s with b.",
        "No frame is dropped at any point.",
    ]


def test_of_a_sweep_whose_last_points_are_bounds(tmp_path: Path) -> None:
    """Where flows are left, the percentile is no part of the trend, and nobody is called best for it."""
    left = {"flows_measured_completed": 3000, "slowdown_p99_is_bound": True}
    found = swept(
        tmp_path,
        {
            ("a", 0.2): {"slowdown_p99": 2.0},
            ("a", 0.5): {"slowdown_p99": 6.0},
            ("a", 0.8): {"slowdown_p99": 1.0} | left,
            ("b", 0.2): {"slowdown_p99": 3.0},
            ("b", 0.5): {"slowdown_p99": 3.0},
            ("b", 0.8): {"slowdown_p99": 9.0},
        },
    )
    lines = sentences(found)
    assert lines[0] == (
        "As load goes from 0.2 to 0.8, the 99th-percentile slowdown rises from 2 to 6 (between 0.2 and 0.5) with a and "
        "from 3 to 9 with b. It is lowest with a at 1 of 2 points."
    )
    assert lines[-1] == (
        "Measured flows were left unfinished, so completion times are lower bounds and not ranked: a at 0.8 "
        "(up to 25 %)."
    )


def test_of_a_swept_workload_alone_from_end_to_end(tmp_path: Path) -> None:
    found = swept(
        tmp_path,
        {
            (None, load): {"slowdown_p99": value, "goodput_per_host_bps": 1e10 * load}
            for load, value in ((0.2, 2.0), (0.5, 9.0), (0.8, 8.0))
        },
    )
    assert sentences(found) == [
        "As load goes from 0.2 to 0.8, the 99th-percentile slowdown goes from 2 to 8 with a peak of 9 at 0.5.",
        "The throughput per host rises from 2 Gb/s to 8 Gb/s.",
        "No frame is dropped at any point.",
    ]


def test_a_single_run(tmp_path: Path) -> None:
    found = compared(tmp_path, record("dctcp", variant=None, tables={"summary": summary(dropped_frames=1)}))
    assert sentences(found) == [
        "Each host received 9 Gb/s on average, 90 % of the rate of its link.",
        "99 % of the flows took at most 3 times their ideal time.",
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
    headings = {heading.title: (place, heading.unit) for place, heading in enumerate(found.headings)}
    assert headings["Throughput per host"][1] == "Gb/s"
    assert headings["Utilisation"][1] == "%"
    assert "Fairness" not in headings  # no run has any

    def column(name: str) -> list[tuple[str, bool]]:
        return [(row.cells[headings[name][0]].text, row.cells[headings[name][0]].best) for row in found.rows]

    assert "Frame latency, interface to interface p99" not in headings
    assert column("Slowdown p99") == [("2", True), ("4", False)]
    assert column("Throughput per host") == [("9", False), ("9", False)]  # alike as printed
    assert column("Drops") == [("0", True), ("3", False)]
    assert column("Completed flows") == [("4,000 of 4,000", False)] * 2
    assert found.caption == "Best values are in bold. Choose a heading to sort by it."


def test_a_percentile_of_too_few_flows_is_weak_and_never_best(tmp_path: Path) -> None:
    few = summary(flows_measured=500, flows_measured_completed=500, slowdown_p999=1.0)
    found = table_of(
        compared(tmp_path, record("a", tables={"summary": few}), record("b", tables={"summary": summary()}))
    )
    place = [heading.title for heading in found.headings].index("Slowdown p99.9")
    cell = found.rows[0].cells[place]
    assert (cell.text, cell.weak, cell.best) == ("1", True, False)
    assert cell.note == "of fewer than 1000 flows: this is the slowest of them"
    assert "Grey values are not compared: point at one to see why." in found.caption


def test_a_run_that_did_not_end_is_never_best(tmp_path: Path) -> None:
    stopped = record("a", status="stopped", tables={"summary": summary(slowdown_p99=1.0)})
    rest = [record(name, tables={"summary": summary(slowdown_p99=value)}) for name, value in (("b", 2.0), ("c", 3.0))]
    found = table_of(compared(tmp_path, stopped, *rest))
    place = [heading.title for heading in found.headings].index("Slowdown p99")
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
    place = [heading.title for heading in found.headings].index("Slowdown p99")
    assert "Mean ± half of its confidence interval: 2 seeds, 95 % confidence." in found.caption
    assert [(row.label, row.cells[place].text, row.cells[place].note) for row in found.rows] == [
        ("all seeds", "3 ± 12.7", "2 seeds, 95 % confidence")
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


LEFT: dict[str, Any] = {"flows_measured_completed": 2600, "slowdown_p50": 1.1, "slowdown_p50_is_bound": True}


def test_a_bound_is_marked_and_never_best(tmp_path: Path) -> None:
    lossy = record("direct", tables={"summary": summary(**LEFT)})
    found = compared(tmp_path, lossy, record("dctcp", tables={"summary": summary()}))
    table = table_of(found)
    place = [heading.title for heading in table.headings].index("Slowdown p50")
    cells = [row.cells[place] for row in table.rows]
    assert [(cell.text, cell.weak, cell.best) for cell in cells] == [("≥ 1.1", True, False), ("1.5", False, False)]
    assert cells[0].note == "a lower bound: 1,400 flows had not finished when the run ended, and could raise it"
    assert [row.cells[0].text for row in table.rows] == ["2,600 of 4,000", "4,000 of 4,000"]
    assert "≥: a lower bound, since flows had not finished when the run ended." in table.caption


def test_who_left_flows_unfinished_is_not_ranked(tmp_path: Path) -> None:
    whole = [
        record(name, tables={"summary": summary(slowdown_p99=value)})
        for name, value in (("dctcp", 4.0), ("swift", 5.0))
    ]
    lossy = record("direct", tables={"summary": summary(**LEFT, slowdown_p99=2.0, slowdown_p99_is_bound=True)})
    lines = sentences(compared(tmp_path / "one", *whole, lossy))
    assert lines[0] == "The 99th-percentile slowdown is 4 with dctcp and 5 with swift, 25 % more."
    assert lines[1] == (
        "Of the measured flows, direct left 35 % (99th-percentile slowdown ≥ 2) unfinished, so its completion times "
        "are not ranked."
    )
    # Not even where the unfinished flows could not change the percentile.
    lucky = record("direct", tables={"summary": summary(flows_measured_completed=3999, slowdown_p99=2.0)})
    table = table_of(compared(tmp_path / "two", *whole, lucky))
    place = [heading.title for heading in table.headings].index("Slowdown p99")
    assert [row.cells[place].best for row in table.rows] == [True, False, False]
    both = [record(name, tables={"summary": summary(**LEFT)}) for name in ("a", "b")]
    assert sentences(compared(tmp_path / "three", *both))[0] == (
        "Neither finished all measured flows: 35 % were left, so completion times are not ranked."
    )


def test_operations_come_before_slowdowns(tmp_path: Path) -> None:
    numbers = {"ring": (4e9, 5_000_000_000), "tree": (6e9, 8_000_000_000)}
    runs = [
        record(
            name,
            tables={
                "summary": summary(
                    operations_started=3, operations_completed=3, operation_mean_ps=mean, operation_max_ps=worst
                )
            },
        )
        for name, (mean, worst) in numbers.items()
    ]
    found = compared(tmp_path, *runs)
    assert sentences(found)[0] == (
        "The mean completion time of an operation is 4 ms with ring and 6 ms with tree, 50 % more."
    )
    table = table_of(found)
    bands = {band.name: (band.unit, [heading.name for heading in band.headings]) for band in table.bands if band.name}
    assert bands == {"Operation": ("ms", ["mean", "slowest"]), "Slowdown": ("", ["p50", "p99", "p99.9"])}


def test_only_runs_over_one_kind_of_fabric_share_a_table_of_details(tmp_path: Path) -> None:
    runs = [
        record("a", tables={"summary": summary(marked_frames=7, latency_p99_ps=1_000_000)}),
        record("b", tables={"summary": summary(marked_frames=8)}),
        record("c", tables={"summary": summary(fabric="stardust", marked_frames=9, latency_p99_ps=100)}),
    ]
    found = compared(tmp_path, *runs)
    tables = details_of(found)
    assert [(table.name, [row.label for row in table.rows]) for table in tables] == [
        ("ethernet", ["a", "b"]),
        ("stardust", ["c"]),
    ]
    titles = [[heading.title for heading in table.headings] for table in tables]
    assert titles[0] == ["Frame latency, interface to interface p99", "Longest link queue", "ECN marks"]
    assert titles[1][-1] == "Cells with FCI"
    assert [cell.best for row in tables[0].rows for cell in row.cells] == [True, False, False, False, False, False]
    assert not any("latency" in line for line in sentences(found))


def test_how_long_was_simulated_where_runs_ended_early(tmp_path: Path) -> None:
    runs = [
        record(name, tables={"summary": summary(simulated_ps=reached)})
        for name, reached in (("a", 6_300_000_000), ("b", 20_000_000_000))
    ]
    assert facts_of(compared(tmp_path, *runs)).setting.endswith("· 6.3 ms to 20 ms of 20 ms simulated")
