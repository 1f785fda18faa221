"""A rack that gateways join to an outside network: TCP from end to end, and what is counted on the way."""

from itertools import pairwise

import pytest

import gossamer as library
from conftest import Command
from gossamer.results import Results

JOINED = """\
seed = 1
duration = "20 ms"

[topology]
kind = "star"
hosts = 8
rate = "100 Gb/s"
delay = "5 ns"

[topology.outside]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
gateways = 2

[topology.links.gateway-uplink]
rate = "10 Gb/s"

[fabric]
kind = "shoal"

[fabric.gateways]
buffer = "60 KB"

[transport]
kind = "newreno"
min_rto = "1 ms"

[[workload]]
name = "out"
kind = "permutation"
size = "2 MB"
pairs = [[2, 8], [3, 9], [4, 10], [0, 11]]

[[workload]]
name = "in"
kind = "permutation"
size = "2 MB"
pairs = [[8, 5], [9, 6], [10, 7], [11, 1]]

[[variant]]
name = "newreno"

[[variant]]
name = "dctcp"
transport.kind = "dctcp"
fabric.gateways.ecn_threshold = "20 KB"

[[variant]]
name = "one-fails"
fault = [{ at = "500 us", node = "gateway-1" }]
fabric.gateways.failover = "100 us"
fabric.outside.convergence = "100 us"
"""


@pytest.fixture(scope="module")
def joined() -> Results:
    """Results of the experiment above."""
    return library.run(library.Experiment.from_toml(JOINED))


def counted(results: Results, run: str) -> dict[str, float]:
    """A run's counters by name."""
    return {row["counter"]: row["value"] for row in results[run].counters.to_pylist()}


@pytest.mark.parametrize("run", ["newreno", "dctcp"])
def test_every_byte_crosses(joined: Results, run: str) -> None:
    flows = joined[run].flows.to_pylist()
    assert len(flows) == 8
    assert all(flow["end_ps"] is not None for flow in flows)
    # What no gateway sends or receives itself is passed on by one, 1460 B at a time; so are acknowledgements.
    least = 3 * 2_000_000 / 1460
    assert counted(joined, run)["passed out of the rack"] > least
    assert counted(joined, run)["passed into the rack"] > least


def test_newreno_fills_the_buffer_before_slow_uplinks(joined: Results) -> None:
    counters = counted(joined, "newreno")
    assert counters["dropped before the outside"] > 0
    assert 58_500 < counters["longest queue before the outside"] <= 60_000
    assert counters["marked before the outside"] == 0
    rows = joined["newreno"].links.to_pylist()
    uplinks = [row for row in rows if row["class"] == "gateway-uplink" and row["source"].startswith("gateway-")]
    assert len(uplinks) == 2
    assert sum(row["dropped_frames"] for row in uplinks) == counters["dropped before the outside"]
    assert max(row["max_queue_bytes"] for row in uplinks) == counters["longest queue before the outside"]


def test_dctcp_keeps_it_short(joined: Results) -> None:
    counters = counted(joined, "dctcp")
    assert counters["marked before the outside"] > 0
    assert counters["longest queue before the outside"] <= 60_000
    waits = {"newreno": 0.0, "dctcp": 0.0}
    for run in waits:
        rows = joined[run].histograms.to_pylist()
        bins = [row for row in rows if row["histogram"] == "wait at gateways for the outside"]
        assert bins
        assert all(a["upper"] <= b["lower"] for a, b in pairwise(bins))
        count = sum(row["count"] for row in bins)
        waits[run] = sum(row["lower"] * row["count"] for row in bins) / count
    assert waits["dctcp"] < waits["newreno"]


def test_flows_take_the_gateway_that_is_left(joined: Results) -> None:
    ends = {(row["src"], row["dst"]): row["end_ps"] for row in joined["one-fails"].flows.to_pylist()}
    # Those of the gateway itself have nobody; all others get through.
    assert {pair for pair, end in ends.items() if end is None} == {(11, 1)}
    assert joined["one-fails"].summary.column("lost_frames")[0].as_py() > 0
    assert joined["newreno"].summary.column("lost_frames")[0].as_py() == 0


def test_check_says_what_is_joined(gossamer: Command, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("joined") / "joined.toml"
    file.write_text(JOINED)
    ended = gossamer("check", str(file))
    assert ended.status == 0
    assert "star and outside leaf-spine, 2 leaves with 2 hosts each, 2 spines: 12 hosts, 5 switches" in ended.out
