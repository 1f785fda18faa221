"""Fastpod's claims, on few flows."""

from collections.abc import Mapping
from typing import Any

import pytest

from gossamer import Experiment, Results, run
from gossamer.reproduce import paper
from gossamer.reproduce.outcome import compare
from gossamer.reproduce.packages import methods
from gossamer.reproduce.registry import Computation, Measurement, Reproduction
from gossamer.reproduce.verdict import Verdict
from papers.fastpod.reproduction import inter_pod, pod, slots


def results(reproduction: Reproduction, changes: Mapping[str, Any]) -> Results:
    file = paper("fastpod").folder / reproduction.experiment
    return run(Experiment.from_file(file).with_(changes), out=None)


def measured(reproduction: Reproduction, found: Results) -> Measurement:
    """What is measured of it, once its figure has been drawn."""
    assert reproduction.plots is not None
    assert reproduction.measures is not None
    assert reproduction.plots(found, paper("fastpod").claim(reproduction.claim))
    return reproduction.measures(found)


@pytest.fixture(scope="module")
def fig_5() -> Results:
    return results(pod.slowdown, {f"sweep.{pod.LOAD}": [0.4867], "workload.flows.flows": 500})


def test_load_counts_headers(fig_5: Results) -> None:
    assert {pod.at_load(run) for run in fig_5} == {0.5}
    assert pod.offered_to(next(iter(fig_5))) == pytest.approx(48.67, rel=0.4)


def test_all_schemes_have_the_same_flows_and_the_same_times_alone(fig_5: Results) -> None:
    columns = ["id", "src", "dst", "bytes", "start_ps"]
    first, *others = ([sorted(flow.values()) for flow in run.flows.select(columns).to_pylist()] for run in fig_5)
    assert all(sorted(other) == sorted(first) for other in others)
    assert not [flow for flow in next(iter(fig_5)).flows.to_pylist() if flow["bytes"] % pod.PAYLOAD]
    alone = pod.times_alone(pod.by_scheme(fig_5)["pfabric"][0.5])
    # A packet under one ToR takes two links of 1 us, 120 ns of its own, and 64 B of it at a switch before that goes on.
    assert min(alone.values()) == 2_000_000 + 120_000 + 5120


def test_the_tail_of_short_flows(fig_5: Results) -> None:
    found = measured(pod.slowdown, fig_5)
    tails = {scheme: at[0.5] for scheme, at in pod.tails(fig_5).items()}
    assert found.rows[""] == tails["fastpod"]
    assert tails["pfabric"] < 1.3 < tails["fastpod"]
    # Under one ToR Fastpod takes four links instead of two, so that flows between ToRs are less behind.
    until, across = pod.tails(fig_5, back=False), pod.tails(fig_5, back=False, across=True)
    assert 1 < across["fastpod"][0.5] < until["fastpod"][0.5]
    # What is added to both times brings them closer to each other.
    assert tails["fastpod"] < until["fastpod"][0.5]


def test_goodput_is_what_arrives_while_flows_come(fig_5: Results) -> None:
    found = measured(pod.goodput, fig_5)
    assert all(0 < rate < 100 for rate in found.rows.values())
    assert list(found.trends) == [
        "Fastpod's differs from pfabric's by at most 10% at every load",
        "Fastpod's differs from dctcp's by at most 10% at every load",
        "Fastpod's differs from fastpass's by at most 10% at every load",
    ]


def test_every_packet_of_fastpod_takes_as_long(fig_5: Results) -> None:
    found = measured(pod.latency, fig_5)
    assert found.rows["jitter"] == 0
    own = pod.latencies(pod.at_full_load(fig_5)["fastpod"])
    assert [low for low, *_ in own] == [4_120_000]  # four links of 1 us, and 120 ns of its own
    assert all(found.trends.values())
    assert 0 < found.rows["longer_fraction"] < 0.6


def test_ranks_of_buckets() -> None:
    buckets = [(10, 11, 1), (20, 21, 98), (30, 31, 1)]
    assert [pod.at_rank(buckets, share) for share in (0.01, 0.5, 0.99, 1.0)] == [10, 20, 20, 30]


def test_packets_never_meet() -> None:
    found = results(slots.collision_free, {f"sweep.{pod.LOAD}": [0.9733], "workload.flows.flows": 300})
    measurement = measured(slots.collision_free, found)
    assert (measurement.rows, measurement.trends) == ({"": 0}, {"every flow arrives": True})
    assert set(slots.occupied(next(iter(found)))) == {"to hosts", "up", "down"}


def test_a_slot_is_what_the_format_says() -> None:
    found = results(slots.slot_format, {"duration": "200 us", "warmup": "100 us"})
    claim = paper("fastpod").claim("slot-format")
    verdict, checks = compare(claim, slots.slot_format, measured(slots.slot_format, found))
    assert (verdict, len(checks)) == (Verdict.REPRODUCED, 12)
    assert slots.slot_ns(4, 0) == pytest.approx(370.24)
    assert slots.slot_ns(4, 20) == pytest.approx(430.24)


def test_guard_bands_absorb_what_clocks_are_off() -> None:
    measurement = measured(slots.time_sync, results(slots.time_sync, {"duration": "300 us"}))
    assert all(measurement.trends.values()), measurement.trends


def test_nothing_collides_and_nothing_is_lost_between_pods() -> None:
    found = results(inter_pod.inter_pod, {})
    measurement = measured(inter_pod.inter_pod, found)
    assert measurement.rows == {"": 0}
    seen = measurement.trends
    assert [name for name, is_seen in seen.items() if not is_seen] == [
        "traffic within a pod and between pods is served alike"
    ]
    held = {str(run.variant): slots.counted(run, inter_pod.HELD) for run in found}
    # 2.3 MB in packets of 1500 B; without that limit more is held.
    assert held[inter_pod.SMALL] <= 1533 < held[inter_pod.WANTED]


def test_what_arithmetic_settles() -> None:
    known = methods(paper("fastpod"))
    found = {}
    for name in ("schedule-less-epoch", "switch-area", "control-links"):
        method = known[name]
        assert isinstance(method, Computation)
        assert method.measures is not None
        found[name] = method.measures(method.computes())
    # 99,999 slots of 64 B at 25 Gb/s over 4 channels.
    assert found["schedule-less-epoch"].rows == {"": pytest.approx(99_999 * 20.48e-3 / 4)}
    assert found["switch-area"].rows == {"": 0.5}
    assert found["control-links"].rows == {"k = 4": 2, "k = 8": 4, "k = 16": 8}
