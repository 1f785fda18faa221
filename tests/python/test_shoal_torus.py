"""Shoal beside a torus with R2C2, on racks of 64 nodes."""

import pytest

from gossamer import Experiment, run
from gossamer.analysis.samples import values
from gossamer.reproduce import paper
from papers.shoal.reproduction import torus, workloads


def test_the_torus_is_measured_by_the_same_flows() -> None:
    changes = {
        "variant.shoal.topology.radix": 16,
        "variant.shoal.topology.leaves": 8,
        "variant.r2c2.topology.sizes": [4, 4, 4],
        "sweep.workload.0.flows_per_second": [0.8e6, 4e6],
        "duration": "1 ms",
    }
    shoal = paper("shoal")
    found = run(Experiment.from_file(shoal.folder / torus.baseline.experiment).with_(changes), out=None)
    assert torus.baseline.measures is not None
    measurement = torus.baseline.measures(found)
    tails, gains = [], []
    for rate in (0.8e6, 4e6):
        runs = {each.variant: each for each in found if each.sweep["workload.0.flows_per_second"] == rate}
        sizes = {name: values(each.flows, "bytes") for name, each in runs.items()}
        assert sorted(sizes["shoal"]) == sorted(sizes["r2c2"])
        times = {name: workloads.short_times(each) for name, each in runs.items()}
        tails.append(workloads.quantile(times["r2c2"], 0.999) / workloads.quantile(times["shoal"], 0.999))
        rates = {name: workloads.mean(workloads.long_rates(each)) for name, each in runs.items()}
        gains.append(rates["shoal"] / rates["r2c2"])
    assert measurement.rows == {"tail_fct": pytest.approx(max(tails)), "goodput": pytest.approx(max(gains))}
    assert "GB" in measurement.note
    assert torus.baseline.plots is not None
    charts = torus.baseline.plots(found, shoal.claim("torus-baseline"))
    assert set(charts) == {"fct", "goodput"}
