"""Shoal's fairness, Figs. 14 to 16 and 18, and epoch sizes, on racks of 64 nodes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gossamer import Experiment, Results, run
from gossamer.reproduce import paper
from gossamer.reproduce.registry import Measurement, Reproduction
from papers.shoal.reproduction import sharing, workloads

RACK = {"topology.radix": 16, "topology.leaves": 8}
CLOS = {"variant.dctcp.topology.hosts_per_leaf": 8, "variant.dctcp.topology.uplinks": 8}
CLOSES = {
    f"variant.{variant}.topology.{key}": 8
    for variant in workloads.PACKET_SWITCHES
    for key in ("hosts_per_leaf", "uplinks")
}
EPOCH_S = 16 * 23.25e-9
"""64 nodes, 4 channels."""


def results(reproduction: Reproduction, changes: Mapping[str, Any]) -> Results:
    file = paper("shoal").folder / reproduction.experiment
    return run(Experiment.from_file(file).with_({**RACK, **changes}), out=None)


def measured(reproduction: Reproduction, found: Results) -> Measurement:
    assert reproduction.measures is not None
    return reproduction.measures(found)


def draws(reproduction: Reproduction, found: Results) -> int:
    """How many figures a claim has."""
    assert reproduction.plots is not None
    charts = reproduction.plots(found, paper("shoal").claim(reproduction.claim))
    return len(charts) if isinstance(charts, Mapping) else 1


@pytest.fixture(scope="module")
def flows() -> Results:
    changes = {**CLOSES, "duration": "2 ms", "sweep.workload.0.flows_per_second": [0.8e6, 4e6]}
    return results(workloads.workload, changes)


def test_flows_of_a_small_rack_have_their_max_min_fair_rates() -> None:
    # 56 B of payload to each of 63 others in an epoch.
    rate = f"{56 * 8 * 63 / EPOCH_S / 1e9:.4f} Gb/s"
    changes = {"variant.ideal.topology.rate": rate, "sweep.workload.0.flows": [10, 40], "duration": "1 ms"}
    found = results(sharing.fairness, changes)
    ratios = sharing.relative(found)
    assert list(ratios) == [10, 40]
    assert all(0.97 < ratio < 1.03 for ratio in ratios[10])
    assert sharing.near(ratios[40]) > 0.9
    measurement = measured(sharing.fairness, found)
    assert 0.9 < measurement.rows[""] <= 1
    assert "10: 100.0 %, from" in measurement.note
    assert draws(sharing.fairness, found) == 1


def test_the_optimisations_shorten_short_flows() -> None:
    changes = {
        "duration": "1 ms",
        "workload.short.pairs": [[63, 62]],
        "workload.others.pattern.hosts": "first 62",
        "workload.others.flows_per_second": 4e6,
    }
    found = results(sharing.detour, changes)
    measurement = measured(sharing.detour, found)
    times = [f"{name}, p99" for name in ("both", "no age rule", "no ready queue", "neither")]
    assert list(measurement.rows) == [*times, "p99, neither over both", "spread, neither over both"]
    assert measurement.rows["both, p99"] < measurement.rows["neither, p99"]
    both = next(run for run in found if run.variant == "both")
    assert len(sharing.short(both)) > 30
    assert draws(sharing.detour, found) == 1


def test_tails_are_those_of_flows_of_at_most_100_kilobytes(flows: Results) -> None:
    measurement = measured(workloads.workload, flows)
    ours = {f"tail over {name}, {which}" for name in ("dcqcn", "dctcp over pfc") for which in ("low", "high")}
    assert set(measurement.rows) == set(paper("shoal").claim("fig15-workload").rows) | ours
    high = {run.variant: run for run in flows if run.sweep["workload.0.flows_per_second"] == 4e6}
    tails = {}
    for variant, each in high.items():
        rows = [flow for flow in each.flows.to_pylist() if flow["bytes"] <= 100_000 and flow["end_ps"] is not None]
        times = sorted(flow["end_ps"] - flow["start_ps"] for flow in rows)
        tails[variant] = times[int(len(times) * 0.999)]
    for variant in ("dctcp", "ndp"):
        assert measurement.rows[f"tail_over_{variant}_high"] == pytest.approx(tails[variant] / tails["shoal"])
    assert measurement.rows["tail over dcqcn, high"] == pytest.approx(tails["dcqcn"] / tails["shoal"])
    # Twice the bandwidth a node.
    assert measurement.rows["goodput_gain"] > 1
    assert draws(workloads.workload, flows) == 2


def test_queues_are_those_of_the_fullest_run(flows: Results) -> None:
    measurement = measured(workloads.queues, flows)
    loads = [workloads.largest([run]) for run in flows if run.variant == "shoal"]
    assert measurement.rows == {row: max(load[row] for load in loads) for row in loads[0]}
    assert measurement.rows["queue_cells"] >= 2
    assert draws(workloads.queues, flows) == 3


def test_longer_epochs_lengthen_tails() -> None:
    changes = {"duration": "1.5 ms", "variant.1024 nodes.topology.leaves": 16}
    found = results(workloads.epoch, changes)
    measurement = measured(workloads.epoch, found)
    assert measurement.stated is not None
    assert list(measurement.rows) == list(measurement.stated)
    ratios = [ratio for variant in workloads.growth(found).values() for ratio in variant]
    assert list(measurement.rows.values()) == ratios
    # In so small a rack the longest wait behind long flows; the middle shows the epoch.
    for load in (0.04862, 0.2431):
        runs = {run.variant: run for run in found if run.sweep["workload.0.load"] == load}
        middle = {name: workloads.quantile(workloads.short_times(run), 0.5) for name, run in runs.items()}
        assert 1.05 < middle["2 channels"] / middle["as it is"] < 2
        assert 1.1 < middle["1024 nodes"] / middle["as it is"] < 2
    assert draws(workloads.epoch, found) == 1


def test_applications_gain_in_tail_and_goodput() -> None:
    paths = [f"disaggregated/{name}.txt" for name in ("batch-sort", "relational")]
    changes = {
        **CLOS,
        "workload.flows.flows_per_second": 8e6,
        "workload.flows.pattern.hosts": "random 21",
        "workload.flows.stop": "500 us",
        "duration": "2 ms",
        "sweep.workload.0.size.path": paths,
    }
    found = results(workloads.disaggregated, changes)
    measurement = measured(workloads.disaggregated, found)
    assert list(workloads.gains(found)) == ["batch-sort", "relational"]
    assert measurement.rows["goodput"] > 1.2
    assert measurement.rows["queue_cells"] >= 2
    assert draws(workloads.disaggregated, found) == 1


def test_quantiles_are_values() -> None:
    assert workloads.quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 3
    assert workloads.quantile([1.0], 0.999) == 1
    assert workloads.load("32000000.0") == "L = 1"


def test_the_sizes_of_applications_are_stated() -> None:
    folder = paper("shoal").folder
    assert sorted(file.stem for file in Path(folder / "disaggregated").glob("*.txt")) == [
        "batch-count",
        "batch-sort",
        "graph-filtering",
        "graph-ranking",
        "interactive",
        "relational",
    ]
