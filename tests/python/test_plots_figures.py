"""Figures: their numbers against hand-computed ones, how much they carry, and why one is missing."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from gossamer import plots
from gossamer.plots import NoData
from gossamer.plots.canvas import BUDGET, AnyChart
from gossamer.results import Results
from synthetic_results import MICROSECOND, fat_tree_links, flow, lively_run, record, write_folder


def opened(folder: Path, *runs: dict[str, Any]) -> Results:
    return Results.open(write_folder(folder, runs))


def rows(chart: AnyChart) -> list[dict[str, Any]]:
    """The data of a chart: all of its rows, whatever it shows at first."""
    specification = chart.to_dict()
    found = list(specification["datasets"].values())
    return max(found, key=len)


def subtitle(chart: AnyChart) -> str:
    return " ".join(chart.to_dict()["title"]["subtitle"])


def test_slowdown_percentiles_by_size(tmp_path: Path) -> None:
    # 100 flows of 1 KB with slowdowns 1 to 100, then 100 of 1 MB with slowdowns 1.01 to 2.
    small = [flow(number, 1000, 1.0 + number) for number in range(100)]
    large = [flow(100 + number, 1_000_000, 1 + (number + 1) / 100) for number in range(100)]
    chart = plots.fct_slowdown(opened(tmp_path, record("dctcp", tables={"flows": small + large})))
    found = {(row["shown"], row["bytes"]): (row["slowdown"], row["flows"]) for row in rows(chart)}
    assert found == {
        ("p50", 1000): (50, 100),
        ("p50", 1_000_000): (1.5, 100),
        ("p99", 1000): (99, 100),
        ("p99", 1_000_000): (1.99, 100),
    }
    assert "a bin holds at least 50 flows, 100 for p99 and 1000 for p99.9" in subtitle(chart)


def test_p999_is_drawn_where_the_sample_supports_it(tmp_path: Path) -> None:
    many = [flow(number, 1000 + number, 1.0 + number) for number in range(1000)]
    chart = plots.fct_slowdown(opened(tmp_path, record("dctcp", tables={"flows": many})))
    tail = [row for row in rows(chart) if row["shown"] == "p99.9"]
    assert [(row["slowdown"], row["flows"], row["least"], row["most"]) for row in tail] == [(999, 1000, 1000, 1999)]
    assert sum(row["shown"] == "p99" for row in rows(chart)) == 10
    assert sum(row["shown"] == "p50" for row in rows(chart)) == 20


def test_what_is_not_measured_or_not_finished_has_no_slowdown(tmp_path: Path) -> None:
    flows = [
        flow(0, 1000, 5.0),
        flow(5, 2000, 5.0),
        flow(1, 1000, 900.0, measured=False),
        flow(2, 1000, None),
        flow(3, 1000, None),
        flow(4, None, None),
    ]
    chart = plots.fct_slowdown(opened(tmp_path, record("dctcp", tables={"flows": flows})))
    assert [(row["slowdown"], row["flows"]) for row in rows(chart)] == [(5, 2)]
    assert "Flows unfinished when the run ended are left out: dctcp 50 %." in subtitle(chart)


def test_unfinished_flows_keep_the_cdf_below_one(tmp_path: Path) -> None:
    flows = [flow(0, 1000, 2.0), flow(1, 1000, 1.0), flow(2, 1000, 4.0), flow(3, 1000, None)]
    chart = plots.fct_cdf(opened(tmp_path, record("dctcp", tables={"flows": flows})))
    assert [(row["fct"], row["share"]) for row in rows(chart)] == [(1e-6, 0.25), (2e-6, 0.5), (4e-6, 0.75)]


def test_throughput_in_order(tmp_path: Path) -> None:
    flows = [flow(number, None, None, goodput_bps=rate) for number, rate in enumerate([3e9, 1e9, 2e9])]
    flows.append(flow(3, None, None, goodput_bps=9e9, measured=False))
    results = opened(tmp_path, record("dctcp", tables={"flows": flows}))
    assert [(row["place"], row["goodput"]) for row in rows(plots.throughput_rank(results))] == [
        (1, 1e9),
        (2, 2e9),
        (3, 3e9),
    ]
    assert [row["place"] for row in rows(plots.throughput_cdf(results))] == [0.3333, 0.6667, 1]


def bucket(name: str, lower: int, upper: int, count: int) -> dict[str, Any]:
    return {"histogram": name, "unit": "ps", "lower": lower, "upper": upper, "count": count}


def test_latency_is_exact_at_the_bounds(tmp_path: Path) -> None:
    us = MICROSECOND
    buckets = [bucket("latency", 10 * us, 20 * us, 90), bucket("latency", 40 * us, 50 * us, 9)]
    buckets.append(bucket("latency", 50 * us, 60 * us, 1))
    chart = plots.latency(opened(tmp_path, record("dctcp", tables={"histograms": buckets})))
    assert [(row["value"], row["share"]) for row in rows(chart)] == [
        (1e-5, 1),
        (2e-5, 0.1),
        (4e-5, 0.1),  # level where there is no bucket
        (5e-5, 0.01),
    ]


def test_the_deepest_queues_are_shown_first(tmp_path: Path) -> None:
    buckets = [bucket("queue host-leaf up", 0, 10, 5), bucket("queue leaf-spine down", 0, 1000, 5)]
    results = opened(tmp_path, record("dctcp", tables={"histograms": buckets}))
    initial = {each["name"]: each.get("value") for each in plots.queues(results).to_dict()["params"]}
    assert initial["scope"] == "leaf-spine down"
    chosen = plots.queues(results, "host-leaf up")
    assert {each["name"]: each.get("value") for each in chosen.to_dict()["params"]}["scope"] == "host-leaf up"
    assert subtitle(chosen).startswith("Links: host-leaf up. ")


def test_histograms_of_seeds_are_added_up(tmp_path: Path) -> None:
    runs = [
        record(f"seed={seed}", variant=None, sweep={"seed": seed}, seed=seed, tables={"histograms": buckets})
        for seed, buckets in (
            (1, [bucket("latency", 1, 2, 1)]),
            (2, [bucket("latency", 1, 2, 1), bucket("latency", 3, 4, 2)]),
        )
    ]
    chart = plots.latency(opened(tmp_path, *runs))
    assert [row["share"] for row in rows(chart)] == [1, 0.5, 0.5]
    assert "Runs of 2 seeds are pooled." in subtitle(chart)


def sample(time: int, value: float, series: str = "queue", scope: str = "host-leaf up") -> dict[str, Any]:
    return {"time_ps": time, "series": series, "scope": scope, "unit": "B", "value": value}


def test_series_are_thinned_by_their_mean(tmp_path: Path) -> None:
    samples = [sample(MICROSECOND * (step + 1), float(step)) for step in range(2 * BUDGET)]
    chart = plots.time_series(opened(tmp_path, record("dctcp", tables={"series": samples})), "queue")
    found = rows(chart)
    assert len(found) == BUDGET
    assert [(row["time"], row["value"]) for row in found[:2]] == [(1.5e-6, 0.5), (3.5e-6, 2.5)]
    assert "A point is the mean of 2 samples." in subtitle(chart)


def test_series_start_with_all_flows_or_the_busiest_links(tmp_path: Path) -> None:
    samples = [sample(1, 1.0, scope="quiet up"), sample(1, 9.0, scope="busy down")]
    samples += [sample(1, 5.0, "goodput", "web"), sample(1, 9.0, "goodput", "all")]
    results = opened(tmp_path, record("dctcp", tables={"series": samples}))
    assert subtitle(plots.time_series(results, "queue")).startswith("Links: busy down.")
    assert subtitle(plots.time_series(results, "goodput")).startswith("Workload: all.")


def test_the_map_has_a_cell_a_link(tmp_path: Path) -> None:
    links = fat_tree_links(12, 0.5, random.Random(1))
    assert len(links) == 2592
    runs = [record(name, tables={"links": links}) for name in ("a", "b", "c")]
    chart = plots.link_map(opened(tmp_path, *runs))
    found = rows(chart)
    assert len(found) == 3 * 2592
    first = next(row for row in found if row["ends"] == f"{links[0]['source']} → {links[0]['target']}")
    assert first["utilisation"] == pytest.approx(links[0]["utilisation"], abs=5e-4)
    assert first["longest queue"] == 90_000
    assert first["links"] == 1
    assert "share a cell" not in subtitle(chart)


def test_the_map_of_very_many_links_is_gathered(tmp_path: Path) -> None:
    links = fat_tree_links(32, 0.5, random.Random(1))
    assert len(links) == 49_152
    links[777] |= {"utilisation": 1.0, "max_queue_bytes": 123_000_000, "dropped_frames": 41}
    chart = plots.link_map(opened(tmp_path, record("a", tables={"links": links})))
    found = rows(chart)
    assert len(found) <= 3000
    assert sum(row["links"] for row in found) == len(links)
    assert "Neighbouring links share a cell, which shows the highest of them." in subtitle(chart)
    # The one hot link is not hidden by those that it shares a cell with.
    hottest = max(found, key=lambda row: row["utilisation"])
    assert hottest["links"] > 1
    assert (hottest["utilisation"], hottest["longest queue"], hottest["drops"]) == (1.0, 123_000_000, 41)
    assert hottest["ends"] == f"{links[777]['source']} → {links[777]['target']}"


def test_links_of_seeds_are_averaged(tmp_path: Path) -> None:
    runs = [
        record(
            f"seed={seed}",
            variant=None,
            sweep={"seed": seed},
            seed=seed,
            tables={
                "links": [
                    {"link": 0, "source": "host-0", "target": "switch", "class": "host-switch", "direction": "up"}
                    | {"utilisation": busy}
                ]
            },
        )
        for seed, busy in ((1, 0.2), (2, 0.6))
    ]
    results = opened(tmp_path, *runs)
    (ranked,) = [row for row in rows(plots.link_ranks(results)) if "low" in row]
    # 0.2 off the mean: s = 0.2 sqrt(2), and 12.706 of one degree of freedom over sqrt(2), cut off at 0 and 1.
    assert (ranked["utilisation"], ranked["low"], ranked["high"]) == (0.4, 0.0, 1.0)
    (cell,) = [row for row in rows(plots.link_map(results)) if "utilisation half" in row]
    assert (cell["utilisation"], cell["utilisation half"], cell["drops half"]) == (0.4, 2.5, 0.0)
    assert "longest queue half" not in cell


def summary(name: str, slowdown: float) -> list[dict[str, Any]]:
    return [{"run": name, "slowdown_p99": slowdown, "flows_completed": 5000}]


def test_a_sweep_is_the_mean_of_its_seeds(tmp_path: Path) -> None:
    runs = [
        record(
            f"a,load={load},seed={seed}",
            variant="a",
            sweep={"workload.0.load": load, "seed": seed},
            seed=seed,
            tables={"summary": summary("a", 10 * load + seed)},
        )
        for load in (0.2, 0.5)
        for seed in (1, 3)
    ]
    chart = plots.sweep(opened(tmp_path, *runs), "slowdown_p99")
    found = rows(chart)
    assert [(row["swept"], row["value"], row["low"], row["high"], row["seeds"]) for row in found] == [
        # Two seeds, 1 off the mean: s = sqrt(2), and 12.706 of one degree of freedom over sqrt(2).
        (0.2, 4, 0, 16.71, 2),
        (0.5, 7, 0, 19.71, 2),
    ]
    assert "Mean, with a bar over its confidence interval: 2 seeds, 95 % confidence." in subtitle(chart)


def test_series_of_seeds_have_bands(tmp_path: Path) -> None:
    """Goodput of 2, 4 and 6 Gb/s at one instant: mean 4, s = 2, t = 4.303 of two degrees, so 4 +- 4.968."""
    sampled = [(1, 2e9), (2, 4e9), (3, 6e9)]
    runs = [
        record(
            f"seed={seed}",
            variant=None,
            sweep={"seed": seed},
            seed=seed,
            tables={"series": [{"time_ps": 1_000_000, "series": "goodput", "scope": "all", "value": value}]},
        )
        for seed, value in sampled
    ]
    chart = plots.time_series(opened(tmp_path, *runs), "goodput")
    assert [(row["value"], row["low"], row["high"]) for row in rows(chart)] == [(4e9, 0, 8.968e9)]
    assert "3 seeds, 95 % confidence" in subtitle(chart)
    one = plots.time_series(opened(tmp_path / "one", runs[0]), "goodput")
    assert [(row["value"], row["low"], row["high"]) for row in rows(one)] == [(2e9, None, None)]
    assert "confidence" not in subtitle(one)


def test_a_sweep_of_an_axis_that_is_not_there(tmp_path: Path) -> None:
    runs = [record(f"k={k}", sweep={"topology.k": k}, tables={"summary": summary("a", 1.0)}) for k in (4, 8)]
    with pytest.raises(NoData, match=r"^no swept axis is called 'load'; expected k$"):
        plots.sweep(opened(tmp_path, *runs), axis="load")


def test_a_figure_without_data_says_why(tmp_path: Path) -> None:
    endless = [flow(0, None, None)]
    results = opened(
        tmp_path / "a", record("a", tables={"flows": endless, "links": [], "histograms": [], "series": []})
    )
    reasons = {}
    for name in ("fct_slowdown", "fct_cdf", "latency", "queues", "link_map", "link_ranks", "sweep"):
        with pytest.raises(NoData) as told:
            getattr(plots, name)(results)
        reasons[name] = str(told.value)
    with pytest.raises(NoData) as told:
        plots.time_series(results, "queue")
    reasons["time_series"] = str(told.value)
    endless_only = "no measured flow has an end: all are endless, or started before the warm-up was over"
    nothing_counted = "run a has no histograms: no frame arrived and no queue was measured within the measured window"
    no_link = "run a has no links: the topology has no link, or the run ended before its links were written"
    assert reasons == {
        "fct_slowdown": endless_only,
        "fct_cdf": endless_only,
        "latency": nothing_counted,
        "queues": nothing_counted,
        "link_map": no_link,
        "link_ranks": no_link,
        "sweep": "nothing is swept: the experiment file has no [sweep], or sweeps only the seed",
        "time_series": "run a has no series: no sample was taken before the run ended",
    }
    unfinished = opened(tmp_path / "b", record("a", tables={"flows": [flow(0, 10, None)], "series": [sample(1, 1.0)]}))
    with pytest.raises(NoData, match=r"^none of the 1 measured flows completed before the run ended$"):
        plots.fct_slowdown(unfinished)
    with pytest.raises(NoData, match=r"^goodput was not sampled: name it in \[measure\] series to have it$"):
        plots.time_series(unfinished, "goodput")


def test_no_figure_carries_more_than_its_budget(tmp_path: Path) -> None:
    runs = [
        record(
            f"{name},load={load}",
            variant=name,
            sweep={"workload.0.load": load},
            tables=lively_run(name, load, harm, flows=2000),
        )
        for name, harm in (("newreno", 3.0), ("dctcp", 1.2))
        for load in (0.2, 0.5, 0.8)
    ]
    results = opened(tmp_path, *runs)
    charts = [
        plots.fct_slowdown,
        plots.fct_cdf,
        plots.throughput_rank,
        plots.throughput_cdf,
        plots.latency,
        plots.queues,
    ]
    charts += [plots.link_ranks, plots.sweep]
    for draw in charts:
        assert 0 < len(rows(draw(results))) <= BUDGET, draw.__name__
    for series in ("goodput", "queue", "utilisation"):
        assert 0 < len(rows(plots.time_series(results, series))) <= BUDGET


def test_a_colour_belongs_to_a_variant_in_every_figure(tmp_path: Path) -> None:
    tables = lively_run("dctcp", 0.5, 1.0, flows=200)
    runs = [record("newreno", status="stalled"), record("dctcp", tables=tables)]
    results = opened(tmp_path, *runs)
    for draw in (plots.fct_slowdown, plots.throughput_rank, plots.latency, plots.queues, plots.link_ranks):
        scale = draw(results).to_dict()["layer"][0]["encoding"]["color"]["scale"]
        assert scale["domain"] == ["newreno", "dctcp"], draw.__name__


def test_the_specification_of_a_small_figure(tmp_path: Path) -> None:
    """The shape of a figure, but for its data: a change here is a change of every report."""
    flows = [flow(0, 1000, 2.0), flow(1, 3000, 1.0)]
    chart = plots.fct_cdf(opened(tmp_path, record("a", tables={"flows": flows}), record("b", tables={"flows": flows})))
    specification = chart.to_dict()
    line, touch = specification["layer"]
    assert specification["width"] == "container"
    assert specification["title"]["text"] == "Flow completion times"
    assert line["encoding"]["x"]["scale"] == {"domain": [1e-06, 2e-06], "nice": False, "type": "log"}
    assert line["encoding"]["x"]["axis"]["values"] == [1e-06, 1.2e-06, 1.4e-06, 1.6e-06, 1.8e-06, 2e-06]
    assert line["encoding"]["opacity"]["condition"] == {"param": "only", "value": 1.0}
    assert [tip["title"] for tip in touch["encoding"]["tooltip"]] == ["variant", "Completed within", "Share of flows"]
    assert len(json.dumps(specification)) < 8000


def of_seeds(*tables: dict[str, Any]) -> list[dict[str, Any]]:
    """A run for each seed, with these tables."""
    return [
        record(f"seed={seed}", variant=None, sweep={"seed": seed}, seed=seed, tables=each)
        for seed, each in enumerate(tables, 1)
    ]


def test_distributions_of_seeds_have_bands(tmp_path: Path) -> None:
    """Shares above 20 us of 0.5, 0.4 and 0.6: pooled 0.5, s = 0.1, t = 4.303 of two degrees, so 0.5 +- 0.2484."""
    us = MICROSECOND
    runs = of_seeds(
        *(
            {
                "histograms": [
                    bucket("latency", 10 * us, 20 * us, 10 - above),
                    bucket("latency", 20 * us, 30 * us, above),
                ]
            }
            for above in (5, 4, 6)
        )
    )
    chart = plots.latency(opened(tmp_path, *runs))
    assert [(row["share"], row["low"], row["high"]) for row in rows(chart)] == [(1, 1, 1), (0.5, 0.2516, 0.7484)]
    assert subtitle(chart).endswith(
        "Runs of 3 seeds are pooled. In bands of their confidence intervals: 3 seeds, 95 % confidence."
    )
    one = plots.latency(opened(tmp_path / "one", runs[0]))
    assert not any("low" in row for row in rows(one))


def test_a_seed_without_a_value_counts_as_nought(tmp_path: Path) -> None:
    """Only one of two seeds reaches 40 us, with half of its frames: 0.25 +- 12.706 times 0.25, cut off at 0 and 1."""
    us = MICROSECOND
    low, high = bucket("latency", 10 * us, 20 * us, 5), bucket("latency", 40 * us, 50 * us, 5)
    runs = of_seeds({"histograms": [low | {"count": 10}]}, {"histograms": [low, high]})
    found = [(row["share"], row["low"], row["high"]) for row in rows(plots.latency(opened(tmp_path, *runs)))]
    assert found == [(1, 1, 1), (0.25, 0, 1), (0.25, 0, 1)]


def test_completion_times_of_seeds_have_bands(tmp_path: Path) -> None:
    """Within 1 us 1, 2 and 3 of 4 flows: 0.5 of all, s = 0.25, so 0.5 +- 0.621."""
    runs = of_seeds(*({"flows": [flow(n, 1000, 1.0 if n < fast else 9.0) for n in range(4)]} for fast in (1, 2, 3)))
    found = rows(plots.fct_cdf(opened(tmp_path, *runs)))
    first = [row for row in found if row["fct"] == found[0]["fct"]][-1]
    assert (first["share"], first["low"], first["high"]) == (0.5, 0, 1)
    assert (found[-1]["share"], found[-1]["low"], found[-1]["high"]) == (1, 1, 1)


def test_slowdowns_of_seeds_have_bars_where_every_seed_has_enough_flows(tmp_path: Path) -> None:
    """Medians of 2, 3 and 4 in three seeds, pooled 3: s = 1, so 3 +- 2.484; for p99 it takes 100 flows of each."""
    runs = of_seeds(*({"flows": [flow(n, 1000 + n, slowdown) for n in range(60)]} for slowdown in (2.0, 3.0, 4.0)))
    found = {row["shown"]: row for row in rows(plots.fct_slowdown(opened(tmp_path, *runs))) if row["least"] == 1000}
    assert (found["p50"]["slowdown"], found["p50"]["low"], found["p50"]["high"]) == (3, 0.5159, 5.484)
    assert "low" not in found["p99"]
    chart = plots.fct_slowdown(opened(tmp_path / "again", *runs))
    assert "Bars are confidence intervals, where every seed has as many flows: 3 seeds, 95 % confidence." in subtitle(
        chart
    )


def test_a_seed_of_which_nothing_arrived_is_no_sample(tmp_path: Path) -> None:
    """Of two others 0.4 and 0.6 are above 20 us: pooled 0.5, and s = 0.1 times the root of 2, so 0.5 +- 1.27."""
    us = MICROSECOND
    half = [
        {"histograms": [bucket("latency", 10 * us, 20 * us, 10 - n), bucket("latency", 20 * us, 30 * us, n)]}
        for n in (4, 6)
    ]
    two = rows(plots.latency(opened(tmp_path / "two", *of_seeds(*half))))
    three = rows(plots.latency(opened(tmp_path / "three", *of_seeds(*half, {"histograms": []}))))
    assert two == three
    assert (two[1]["share"], two[1]["low"], two[1]["high"]) == (0.5, 0, 1)
