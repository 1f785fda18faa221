"""XFabric's claims at packet level, over racks that run for milliseconds."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest

from gossamer import api
from gossamer.experiment import Experiment
from gossamer.reproduce import claims
from gossamer.reproduce.registry import Charts
from gossamer.results import Results
from papers.xfabric.reproduction import controller, packets, reconfiguration

PAPER = claims.paper("xfabric")
SHORT: Mapping[str, Any] = {"warmup": "1 ms", "fabric.reconfigure_from": "1 ms", "measure.sample": "1 ms"}


def run(experiment: str, **changes: Any) -> Results:
    return api.run(Experiment.from_file(PAPER.folder / experiment).with_({**SHORT, **changes}))


def text(drawn: Charts) -> str:
    """A single figure as Vega-Lite."""
    assert not isinstance(drawn, Mapping)
    return json.dumps(drawn.to_dict())


@pytest.fixture(scope="module")
def periods() -> Results:
    """The trace, of flows so short that all ends within a fraction of a second."""
    return run("fig5a-period.toml", **{"workload.0.flows": 1_500, "workload.0.size": "200 KB", "duration": "10 s"})


def test_paths_are_those_of_the_torus_and_get_shorter(periods: Results) -> None:
    measured = packets.shorter_paths(periods)
    assert measured.rows["torus"] == pytest.approx(2.02, abs=0.1)
    assert measured.rows["at_1s"] < measured.rows["torus"]
    # One new topology is all that there is time for, and it comes late: no quarter is saved.
    assert measured.rows["shorter at 30 s or less"] < 0.25
    assert measured.note.startswith("Hops by period: 100 ms ")
    assert "the paper has 25 %" in measured.note
    figure = text(packets.fig_5a(periods, PAPER.claim("fig5a-period")))
    assert "XFabric Fig. 5a" in figure
    assert "3D torus in the paper" in figure


def test_completion_is_from_the_end_of_the_warm_up(periods: Results) -> None:
    torus = packets.by_period(periods)["torus"]
    assert packets.completed_s(torus) == pytest.approx(torus.record.simulated_ps / 1e12 - 1e-3)
    measured = packets.sooner_done(periods)
    times = {name: packets.completed_s(each) for name, each in packets.by_period(periods).items()}
    assert measured.rows[""] == times["1-s"] / times["torus"]
    assert measured.trends == {"longer at 100 ms than at 1 s": times["100-ms"] > times["1-s"]}
    assert "timeouts: torus " in measured.note
    assert "XFabric Fig. 5b" in text(packets.fig_5b(periods, PAPER.claim("fig5b-completion")))


def test_a_trace_that_was_cut_has_no_completion() -> None:
    cut = run("fig5a-period.toml", **{"workload.0.size": "200 KB", "duration": "3 ms"})
    assert math.isnan(packets.sooner_done(cut).rows[""])


def test_clusters_with_and_without_elephants() -> None:
    sizes = {"sweep.workload.trace.pattern.clusters": [2, 27], "duration": "60 ms"}
    found = run("fig5c-clusters.toml", **sizes)
    measured = packets.by_skew(found)
    assert 1 <= measured.rows["clusters_of_2"] < 1.6
    assert -0.1 < measured.rows["uniform_gain"] < 0.35
    assert measured.note.startswith("Hops by SoCs of a cluster: 2: torus 2.")
    assert "XFabric, no elephants" in text(packets.fig_5c(found, PAPER.claim("fig5c-clusters")))


def test_all_socs_have_new_tables_within_microseconds() -> None:
    found = run("fig6b-latency.toml", **{"duration": "40 ms", "warmup": "10 ms", "fabric.reconfigure_from": "10 ms"})
    measured = reconfiguration.last_server(found)
    assert measured.trends == {"every SoC gets new tables": True}
    assert 0 < measured.rows[""] < 1
    assert measured.note.startswith("27 SoCs within ")
    figure = text(reconfiguration.fig_6b(found, PAPER.claim("fig6b-latency")))
    assert "within 11 ms" in figure
    early = run("fig6b-latency.toml", **{"duration": "20 ms", "warmup": "10 ms", "fabric.reconfigure_from": "10 ms"})
    with pytest.raises(IndexError):
        reconfiguration.last_server(early)


def test_loss_is_that_of_links_and_beside_it_the_closed_form(periods: Results) -> None:
    measured = reconfiguration.frames(periods)
    second = packets.by_period(periods)["1-s"]
    times = packets.counted(second, "reconfigurations")
    lost = sum(
        packets.counted(second, f"lost on {where}") for where in ("circuits that changed", "ports without a circuit")
    )
    assert times >= 1
    assert lost > 0
    assert measured.rows["mean"] == pytest.approx(lost / 81 / times)
    assert measured.rows["worst"] >= 1
    assert "3 B at 1 Gb/s and 25 B at 10 Gb/s pass in 20 ns" in measured.note
    assert "two in each direction, 4 in all" in measured.note
    assert "In the paper 0.69" in text(reconfiguration.loss_by_link(periods, PAPER.claim("reconfiguration-loss")))


def died(*instants: str, **changes: Any) -> Results:
    file = Experiment.from_file(PAPER.folder / "controller-failure.toml")
    return api.run(file.with_({f"sweep.{controller.DIES}": list(instants), **changes}))


def test_one_configuration_wherever_the_controller_dies() -> None:
    found = died("18 ms", "27 ms", "29 ms")
    measured = controller.one_configuration(found)
    ends = "runs that end with one configuration"
    assert (measured.rows[ends], measured.required[ends].value) == (6, 6), measured.note
    assert measured.note.startswith("3 instants of death from 18 to 29 ms")
    assert "6 of 6 runs end with one version" in measured.note
    assert "cargo test -p xfabric --test control_model" in measured.note
    hops = {name: [packets.hops(each) for each in runs] for name, runs in by_variant(found).items()}
    # Before the command only a second controller changes anything; after it the new topology comes, whoever lives.
    assert hops["nobody takes over"][0] > 1.9 > 1.6 > hops["another takes over"][0]
    assert hops["nobody takes over"][2] < 1.6
    assert "which topology stays" in text(controller.path_by_death(found, PAPER.claim("controller-failure")))


by_variant = controller.by_variant


def test_a_rack_between_two_configurations_is_told() -> None:
    between = {"duration": "27.5 ms", "warmup": "20 ms"}
    measured = controller.one_configuration(died("27 ms", "27.25 ms", **between))
    assert list(measured.rows.values()) == [0]
    assert "0 of 4 runs end with one version" in measured.note
    assert "(not: another takes over, 27 ms; " in measured.note
