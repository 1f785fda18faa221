"""Operations in figures and tables, and the drawing of the topology, against numbers worked out by hand."""

import random
from pathlib import Path
from typing import Any

import pytest

from gossamer import plots
from gossamer.analysis.comparison import Comparison
from gossamer.analysis.links import links_of
from gossamer.plots import NoData
from gossamer.plots.canvas import Canvas
from gossamer.plots.expressions import log_ticks
from gossamer.plots.operations import draw_bandwidth, draw_times
from gossamer.plots.sweeps import draw_sweep_map
from gossamer.plots.tiers import draw_topology, tiers_of
from gossamer.report.links import hottest_links
from gossamer.report.operations import operations_tables
from gossamer.results import Results
from synthetic_results import fat_tree_links, operations, record, table, write_folder


def compared(folder: Path, *runs: dict[str, Any]) -> Comparison:
    return Comparison.of(Results.open(write_folder(folder, runs)))


def rows(drawing: Any) -> list[dict[str, Any]]:
    return max(drawing.finish(Canvas()).to_dict()["datasets"].values(), key=len)


def two(folder: Path) -> Comparison:
    """A ring whose last all-reduce never ended, and a tree half as fast."""
    ring = operations(4, 1e9)
    never = {"end_ps": None, "duration_ps": None, "algorithm_bandwidth_bps": None, "bus_bandwidth_bps": None}
    ring[3] |= never
    early = operations(1, 9e9, measured=False)
    return compared(
        folder,
        record("ring", tables={"operations": [*early, *ring]}),
        record("tree", tables={"operations": operations(4, 2e9)}),
    )


def test_each_operation_has_a_point_in_its_order(tmp_path: Path) -> None:
    found = rows(draw_times(two(tmp_path), Canvas()))
    assert [(row["label"], row["place"], row["value"]) for row in found if row["label"] == "ring"] == [
        ("ring", 1, 0.001),
        ("ring", 2, 0.0011),
        ("ring", 3, 0.00121),
    ]
    bandwidth = rows(draw_bandwidth(two(tmp_path / "again"), Canvas()))
    # 64 MB in 1 ms are 512 Gb/s; among 16 ranks an all-reduce moves 30/16 of that.
    assert bandwidth[0]["value"] == 960e9


def test_operations_side_by_side(tmp_path: Path) -> None:
    (found,) = operations_tables(two(tmp_path))
    assert found.name == "gradients"
    bands = {band.name: (band.unit, [heading.name for heading in band.headings]) for band in found.bands if band.name}
    assert bands == {
        "Completion time": ("ms", ["mean", "slowest"]),
        "Algorithm bandwidth": ("Gb/s", ["mean", "lowest"]),
        "Bus bandwidth": ("Gb/s", ["mean", "lowest"]),
    }
    ring, tree = ([cell.text for cell in row.cells] for row in found.rows)
    assert ring[:6] == ["all-reduce (ring)", "16", "64 MB", "3 of 4", "1.1", "1.21"]
    assert tree[3:6] == ["4 of 4", "2.32", "2.66"]
    # An operation that never ended is missing from the mean, so the ring is not called best.
    assert not any(cell.best for row in found.rows for cell in row.cells)


def test_operations_of_seeds_are_means_with_their_intervals(tmp_path: Path) -> None:
    """First ones of 1 and 2 ms: 1.5 +- 12.706 times 0.5, cut off at 0; slowest of 1.1 and 2.2 ms: 1.65 +- 6.99."""
    runs = [
        record(f"seed={n}", variant=None, sweep={"seed": n}, seed=n, tables={"operations": operations(2, n * 1e9)})
        for n in (1, 2)
    ]
    drawing = draw_times(compared(tmp_path, *runs), Canvas())
    assert [(row["place"], row["value"], row["low"], row["high"]) for row in rows(drawing)] == [
        (1, 0.0015, 0, 0.007853),
        (2, 0.00165, 0, 0.008638),
    ]
    assert "Means over seeds, in bands of their confidence intervals: 2 seeds, 95 % confidence." in drawing.subtitle
    (found,) = operations_tables(compared(tmp_path / "again", *runs))
    assert [cell.text for cell in found.rows[0].cells][3:6] == ["4 of 4", "1.57 ± 6.67", "1.65 ± 6.99"]
    assert "Mean ± half of its confidence interval: 2 seeds, 95 % confidence." in found.caption


def test_without_operations_there_is_no_figure_and_no_table(tmp_path: Path) -> None:
    found = compared(tmp_path, record("a", tables={"flows": []}))
    assert operations_tables(found) == []
    with pytest.raises(NoData, match=r"^no workload here has operations: "):
        draw_times(found, Canvas())
    assert found.results.operations.num_rows == 0
    assert found.results[0].operations.num_rows == 0


def test_tiers_follow_from_the_links_alone() -> None:
    tiers = tiers_of(table("links", fat_tree_links(4, 0.5, random.Random(1))).to_pydict())
    assert tiers.count == 4
    heights = {name.split("-")[0]: tier for name, (_, tier) in tiers.place.items()}
    assert heights == {"host": 0, "edge": 1, "aggregation": 2, "core": 3}
    hosts = [place for name, (place, tier) in tiers.place.items() if tier == 0]
    assert len(hosts) == len(set(hosts)) == 16
    # Hosts of a switch lie beside each other, below it.
    edge = tiers.place["edge-3"][0]
    assert [tiers.place[f"host-{number}"][0] for number in (6, 7)] == pytest.approx([edge - 1 / 32, edge + 1 / 32])


def test_a_cable_shows_its_busier_direction(tmp_path: Path) -> None:
    links = fat_tree_links(4, 0.2, random.Random(1))
    links[1] |= {"utilisation": 0.99, "max_queue_bytes": 5_000_000, "dropped_frames": 12}
    found = rows(draw_topology(compared(tmp_path, record("a", tables={"links": links})), Canvas()))
    assert len(found) == len(links) // 2
    hottest = max(found, key=lambda row: row["utilisation"])
    assert hottest["ends"] == f"{links[1]['source']} → {links[1]['target']}"
    assert (hottest["utilisation"], hottest["longest queue"], hottest["drops"]) == (0.99, 5_000_000, 12)


def test_a_thicket_is_not_drawn(tmp_path: Path) -> None:
    links = fat_tree_links(12, 0.2, random.Random(1))
    with pytest.raises(NoData, match=r"are too many for a drawing; the link map shows them$"):
        draw_topology(compared(tmp_path, record("a", tables={"links": links})), Canvas())


def test_the_hottest_links_are_named(tmp_path: Path) -> None:
    links = fat_tree_links(4, 0.2, random.Random(1))
    links[7] |= {"utilisation": 0.99, "dropped_frames": 12}
    found = compared(tmp_path, record("a", tables={"links": links}))
    tables = {each.name: each.rows[0].cells for each in hottest_links(found)}
    ends = f"{links[7]['source']} → {links[7]['target']}"
    assert tables["Busiest links"][0].text == f"{ends}: 99 %"
    assert [cell.text for cell in tables["Most drops"]] == [f"{ends}: 12", "–", "–"]  # noqa: RUF001  an en dash
    assert links_of(found.groups[0]).num_rows == len(links)


@pytest.mark.parametrize(("low", "high"), [(1.1e-6, 1.9e-6), (3.1e-6, 3.2e-6), (1e-6, 1.001e-6), (2e-9, 7e-3), (6, 9)])
def test_every_log_axis_has_ticks(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 10
    assert all(low * 0.998 <= tick <= high * 1.002 for tick in ticks)


def test_queues_that_would_be_hidden_get_a_symmetric_log_axis(tmp_path: Path) -> None:
    def drawn(largest: float, folder: Path) -> str:
        samples = {
            name: [
                {"time_ps": step, "series": "queue", "scope": "leaf up", "unit": "B", "value": top * step}
                for step in range(1, 9)
            ]
            for name, top in (("a", 1000.0), ("b", largest))
        }
        runs = [record(name, tables={"series": each}) for name, each in samples.items()]
        chart = plots.time_series(Results.open(write_folder(folder, runs)), "queue").to_dict()
        return str(chart["layer"][0]["encoding"]["y"]["scale"].get("type"))

    assert drawn(5e3, tmp_path / "near") == "None"
    assert drawn(5e6, tmp_path / "far") == "symlog"


def test_two_axes_are_a_heat_map_and_curves(tmp_path: Path) -> None:
    runs = [
        record(
            f"load={load},k={k}",
            variant=None,
            sweep={"workload.0.load": load, "topology.k": k},
            tables={"summary": [{"run": "x", "slowdown_p99": load * k, "slowdown_p99_is_bound": k == 8}]},
        )
        for load in (0.2, 0.8)
        for k in (4, 8)
    ]
    found = compared(tmp_path, *runs)
    cells = [row for row in rows(draw_sweep_map(found, Canvas())) if row["measure"] == "99th-percentile slowdown"]
    assert [(row["x"], row["y"], row["text"]) for row in cells] == [
        ("0.2", "4", "0.8"),
        ("0.2", "8", "≥ 1.6"),
        ("0.8", "4", "3.2"),
        ("0.8", "8", "≥ 6.4"),
    ]
    assert (cells[0]["shade"], cells[-1]["shade"]) == (0, 1)
    curves = max(plots.sweep(found.results).to_dict()["datasets"].values(), key=len)
    assert [(row["label"], row["swept"], row["bound"]) for row in curves] == [
        ("k=4", 0.2, False),
        ("k=8", 0.2, True),
        ("k=4", 0.8, False),
        ("k=8", 0.8, True),
    ]
