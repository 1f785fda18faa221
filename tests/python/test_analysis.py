"""Percentiles, bins and groups, against numbers worked out by hand; and that each is worked out once."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from gossamer.analysis import flows, histograms, operations, quantities, series, workloads
from gossamer.analysis import links as analysis_links
from gossamer.analysis.comparison import Comparison, Group, once
from gossamer.analysis.metrics import Share, Spread
from gossamer.analysis.quantities import compact, text
from gossamer.analysis.samples import distribution_ranks, equal_count_bins, gather, least_sample, percentile
from gossamer.plots.expressions import log_ticks
from gossamer.plots.layout import arrange
from gossamer.report import page
from gossamer.report.workloads import workload_tables
from gossamer.results import Results, Run
from synthetic_results import MICROSECOND, flow, lively_run, record, write_folder


@pytest.mark.parametrize(
    ("count", "permille", "rank"),
    [(1, 500, 1), (2, 500, 1), (3, 500, 2), (10, 990, 10), (100, 990, 99), (101, 990, 100), (1000, 999, 999)],
)
def test_percentiles_are_nearest_rank(count: int, permille: int, rank: int) -> None:
    assert percentile(range(1, count + 1), permille) == rank


def test_the_least_sample_has_one_value_above_the_percentile() -> None:
    assert [least_sample(permille) for permille in (500, 990, 999)] == [2, 100, 1000]


def bins(sizes: list[int], least: int, most: int) -> list[tuple[float, float, float, int]]:
    rows = pa.table({"bytes": sizes, "slowdown": [float(size) for size in sizes]})
    found = equal_count_bins(rows, "bytes", "slowdown", least, most)
    return [(each.low, each.high, each.middle, len(each.ordered)) for each in found]


def test_bins_hold_equal_counts() -> None:
    assert bins(list(range(1, 13)), 3, 20) == [(1, 3, 2, 3), (4, 6, 5, 3), (7, 9, 8, 3), (10, 12, 11, 3)]
    assert bins(list(range(1, 13)), 3, 2) == [(1, 6, 3, 6), (7, 12, 9, 6)]
    assert bins([5, 1, 4, 2, 3], 2, 20) == [(1, 2, 1, 2), (3, 5, 4, 3)]


def test_flows_of_one_size_are_never_parted() -> None:
    assert bins([1] * 7 + [2] * 2 + [3] * 3, 3, 20) == [(1, 1, 1, 7), (2, 3, 3, 5)]
    assert bins([7] * 500, 50, 20) == [(7, 7, 7, 500)]


def test_too_few_rows_make_one_bin() -> None:
    assert bins([1, 2, 3], 50, 20) == [(1, 3, 2, 3)]
    assert bins([], 50, 20) == []


def test_values_in_a_bin_are_in_order() -> None:
    rows = pa.table({"bytes": [1, 1, 1, 1], "slowdown": [4.0, 2.0, 3.0, 1.0]})
    assert equal_count_bins(rows, "bytes", "slowdown", 2, 5)[0].ordered == [1.0, 2.0, 3.0, 4.0]


def test_ranks_keep_both_ends() -> None:
    assert distribution_ranks(4, 10) == [0, 1, 2, 3]
    assert distribution_ranks(1001, 5) == [0, 250, 500, 750, 1000]
    assert distribution_ranks(0, 5) == []


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (9.312e9, "b/s", "9.31 Gb/s"),
        (12_345_000, "ps", "12.3 µs"),
        (999, "ps", "999 ps"),
        (90_000, "B", "90 KB"),
        (0.931, "fraction", "93.1 %"),
        (1234567, "count", "1,234,567"),
        (3.14159, "ratio", "3.14"),
        (0, "ps", "0 ps"),
    ],
)
def test_quantities_are_printed_with_their_unit(value: float, kind: Any, shown: str) -> None:
    assert text(value, kind) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1234567, "1,230,000"), (0.0123456, "0.0123"), (7.0, "7"), (99.96, "100"), (-2.5, "-2.5")],
)
def test_three_significant_digits(value: float, shown: str) -> None:
    assert compact(value) == shown


def test_ticks_of_a_log_axis_are_few_and_round() -> None:
    assert log_ticks(1, 100) == [1, 2, 5, 10, 20, 50, 100]
    assert log_ticks(200, 9_000_000) == [1000, 10_000, 100_000, 1_000_000]
    assert len(log_ticks(1e-12, 1)) <= 9


def groups(folder: Path, *runs: dict[str, Any]) -> Comparison:
    return Comparison.of(Results.open(write_folder(folder, runs)))


def test_seeds_of_a_variant_are_pooled(tmp_path: Path) -> None:
    runs = [
        record(f"{name},seed={seed}", variant=name, sweep={"seed": seed}, seed=seed) for name in "ab" for seed in (1, 2)
    ]
    found = groups(tmp_path, *runs)
    assert [(group.label, group.point, len(group.runs)) for group in found.groups] == [("a", "", 2), ("b", "", 2)]
    assert (found.labels, found.points, found.seeds, found.label_title) == (["a", "b"], [""], 2, "variant")
    assert found.pooled == "Runs of 2 seeds are pooled."


def test_variants_are_compared_at_each_swept_point(tmp_path: Path) -> None:
    runs = [
        record(f"{name},load={load}", variant=name, sweep={"workload.0.load": load})
        for name in "ab"
        for load in (0.2, 0.8)
    ]
    found = groups(tmp_path, *runs)
    assert found.points == ["load=0.2", "load=0.8"]
    assert [group.label for group in found.at("load=0.8")] == ["a", "b"]
    assert [group.name for group in found.groups][:2] == ["a, load=0.2", "a, load=0.8"]
    assert found.alternatives


def test_without_variants_the_swept_values_are_compared(tmp_path: Path) -> None:
    runs = [record(f"k={k}", variant=None, sweep={"topology.k": k}) for k in (4, 8)]
    found = groups(tmp_path / "k", *runs)
    assert (found.labels, found.points, found.label_title, found.alternatives) == (["k=4", "k=8"], [""], "k", True)
    runs = [record(f"load={load}", variant=None, sweep={"workload.0.load": load}) for load in (0.1, 0.2)]
    assert not groups(tmp_path / "load", *runs).alternatives
    runs = [record(f"k={k}", variant=None, sweep={"topology.k": k}) for k in range(4, 24, 2)]
    found = groups(tmp_path / "many", *runs)
    assert (found.labels, len(found.points)) == (["all runs"], 10)


def links(*rows: tuple[str, str, str, str]) -> pa.Table:
    columns = ("class", "direction", "source", "target")
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(columns)})


def test_links_lie_in_columns_by_switch() -> None:
    hosts = [("host-edge", "up", f"host-{number}", f"edge-{number // 2}") for number in range(4)]
    cores = [("edge-core", "up", f"edge-{number // 2}", f"core-{number % 2}") for number in range(4)]
    layout = arrange(links(*hosts, *cores), 1000)
    assert [(panel.name, panel.links, panel.columns, panel.rows) for panel in layout.panels] == [
        ("host-edge up", 4, 2, 2),
        ("edge-core up", 4, 2, 2),
    ]
    assert layout.panel == [0] * 4 + [1] * 4
    assert layout.column == [0, 0, 1, 1] * 2  # hosts by the switch they reach, switches by themselves
    assert layout.row == [0, 1, 0, 1] * 2


def test_many_links_share_cells() -> None:
    rows = [("leaf-spine", "up", f"leaf-{number // 64}", f"spine-{number % 64}") for number in range(64 * 64)]
    layout = arrange(links(*rows), 600)
    cells = set(zip(layout.panel, layout.column, layout.row, strict=True))
    assert len(cells) <= 600
    assert max(layout.row) + 1 == layout.panels[0].rows == 12
    assert max(layout.column) + 1 == layout.panels[0].columns == 50


def test_each_workload_of_a_group_has_numbers_of_its_own(tmp_path: Path) -> None:
    """A window of 10 us in a run of 20 us. Flow i began at i ns; slowdowns are completion times in microseconds."""
    queries = [flow(number, 1000, 1.0 + number, group="queries") for number in range(99)]
    # Two that did not finish, with the ages of 19.9 and 2 us.
    late = [flow(100, 1000, None, group="queries"), flow(18_000, 1000, None, group="queries")]
    unmeasured = flow(200, 5000, 500.0, group="queries", measured=False)
    endless = [
        flow(number, None, None, group="backup", goodput_bps=rate, window_bytes=bytes_)
        for number, (rate, bytes_) in enumerate([(1e9, 1250), (3e9, 3750)], 300)
    ]
    summary = {"measured_ps": 10 * MICROSECOND, "simulated_ps": 20 * MICROSECOND}
    tables = {"flows": [*queries, *late, unmeasured, *endless], "summary": [summary]}
    comparison = groups(tmp_path, record("a", tables=tables))
    found = workloads.workloads_of(comparison.groups[0])
    assert list(found) == ["queries", "backup"]
    queried, backup = found.values()
    assert queried.flows == Share(99, 101)
    assert queried.throughput == Spread(8 * (101 * 1000 + 5000) / 10e-6, None, 1)
    assert queried.fairness is None
    # Of 101 the median is the 51st: 49 us, for the two ages come before it. Had they never finished it would be 51 us.
    assert queried.fct == {500: Spread(49e6, None, 1, bound=True), 990: Spread(98e6, None, 1, bound=True)}
    assert queried.slowdown == {500: Spread(49.0, None, 1, bound=True), 990: Spread(98.0, None, 1, bound=True)}
    assert (backup.flows, backup.throughput.mean, backup.fairness) == (None, 4e9, Spread(0.8, None, 1))
    assert (backup.fct, backup.slowdown) == ({}, {})
    queries_table, backup_table = workload_tables(comparison)
    assert [heading.title for heading in queries_table.headings] == [
        "Completed flows",
        "Throughput",
        "FCT p50",
        "FCT p99",
        "Slowdown p50",
        "Slowdown p99",
    ]
    assert [cell.text for cell in queries_table.rows[0].cells] == ["99 of 101", "84.8", "≥ 49", "≥ 98", "≥ 49", "≥ 98"]
    assert [heading.title for heading in backup_table.headings] == ["Throughput", "Fairness"]


def test_a_single_workload_has_no_table_of_its_own(tmp_path: Path) -> None:
    tables = {"flows": [flow(1, 1000, 2.0)], "summary": [{"measured_ps": 10, "simulated_ps": 20}]}
    assert workload_tables(groups(tmp_path, record("a", tables=tables))) == []


def test_what_is_known_of_a_group_is_computed_once(tmp_path: Path) -> None:
    calls = []

    @once
    def status(group: Group, key: str) -> str:
        """How it ended."""
        calls.append((group.label, key))
        return f"{key} {group.runs[0].status}"

    a, b = groups(tmp_path, *(record(name, variant=name) for name in "ab")).groups
    assert [status(a, "x"), status(a, "x"), status(b, "x"), status(a, "y")] == ["x done", "x done", "x done", "y done"]
    assert calls == [("a", "x"), ("b", "x"), ("a", "y")]
    assert status.__doc__ == "How it ended."
    assert a == Group(a.label, a.point, a.runs), "what is kept is no part of what a group is"


def test_percentiles_of_a_workload_are_means_over_seeds(tmp_path: Path) -> None:
    """Medians of 2 and 4 us: 3 +- 12.706 times 1, in a group of two seeds; with unfinished flows a bound."""
    summary = {"measured_ps": 10 * MICROSECOND, "simulated_ps": 20 * MICROSECOND}
    runs = [
        record(
            f"seed={seed}",
            variant=None,
            sweep={"seed": seed},
            seed=seed,
            tables={"flows": [flow(n, 1000, 2.0 * seed, group="web") for n in range(5)], "summary": [summary]},
        )
        for seed in (1, 2)
    ]
    (web,) = workloads.workloads_of(groups(tmp_path, *runs).groups[0]).values()
    median = web.fct[500]
    assert (median.mean, median.seeds, median.bound) == (3e6, 2, False)
    assert median.half == pytest.approx(12.7062e6)
    runs[1]["tables"]["flows"] = [flow(n, 1000, None, group="web") for n in range(5)]
    (web,) = workloads.workloads_of(groups(tmp_path / "again", *runs).groups[0]).values()
    assert web.fct[500].bound
    assert web.flows == Share(5, 10)


def test_a_report_reads_each_table_of_a_group_once_for_a_purpose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many tables and figures show it: flows by size, rate, workload."""
    read: Counter[str] = Counter()

    def counted(runs: Sequence[Run], table: str, columns: Sequence[str]) -> pa.Table:
        read[table] += 1
        return gather(runs, table, columns)

    for module in (flows, histograms, analysis_links, operations, series, workloads):
        monkeypatch.setattr(module, "gather", counted)
    results = Results.open(
        write_folder(tmp_path, [record(name, tables=lively_run(name, 0.5, 1.0, flows=300)) for name in "ab"])
    )
    page.render(results)
    assert read == {"flows": 3 * 2, "histograms": 2, "links": 2, "operations": 2, "series": 2}


@pytest.mark.parametrize(
    ("mean", "half", "kind", "shown"),
    [
        (9.31e9, 904e6, "b/s", "9.31 ± 0.9 Gb/s"),
        (10.3e9, 2.33e9, "ps", "10.3 ± 2.3 ms"),
        (3.0, 12.706, "ratio", "3 ± 12.7"),
        (1.73e9, 761.0, "ps", "1.73 ± 0.01 ms"),  # not nothing
        (1.73e9, 0.0, "ps", "1.73 ± 0 ms"),
        (1.73e9, None, "ps", "1.73 ms"),
        (676.0, 12.2, "count", "676 ± 12"),
        (0.401, 0.0904, "fraction", "40.1 ± 9 %"),
    ],
)
def test_half_an_interval_has_no_more_decimals_than_its_mean(
    mean: float, half: float | None, kind: quantities.Kind, shown: str
) -> None:
    assert quantities.around(mean, half, kind) == shown
