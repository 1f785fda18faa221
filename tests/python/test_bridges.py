"""An AN3 network that bridges of its operations centre join to an outside: TCP, tunnels, and a bridge that fails."""

import pytest

import gossamer as library
from conftest import Command
from gossamer.results import Results

BRIDGED = """\
seed = 1
duration = "400 ms"

[topology]
kind = "an3"
containers = 2
networks = 1

[topology.outside]
kind = "star"
hosts = 4
gateways = 2

[fabric]
kind = "an3"
growth = false

[fabric.gateways]
buffer = "100 KB"

[transport]
kind = "newreno"
min_rto = "10 ms"

[[workload]]
name = "out"
kind = "permutation"
size = "20 KB"
pairs = [[5, 44], [5, 45], [5, 46], [5, 47], [27, 44], [27, 45], [27, 46], [27, 47]]

[[workload]]
name = "in"
kind = "permutation"
size = "20 KB"
pairs = [[44, 5], [45, 5], [46, 5], [47, 5], [44, 27], [45, 27], [46, 27], [47, 27]]

[[variant]]
name = "tunnels"

[[variant]]
name = "circuits"
fabric.tunnels = false

[[variant]]
name = "one-fails"
fault = [{ at = "1 ms", node = "noc-1" }]
"""


@pytest.fixture(scope="module")
def bridged() -> Results:
    """Results of the experiment above."""
    return library.run(library.Experiment.from_toml(BRIDGED))


def counted(results: Results, run: str) -> dict[str, float]:
    """A run's counters by name."""
    return {row["counter"]: row["value"] for row in results[run].counters.to_pylist()}


def over(results: Results, run: str, source: str) -> float:
    """Bytes that a bridge sends to the outside."""
    rows = results[run].links.to_pylist()
    (sent,) = [row["bytes"] for row in rows if row["source"] == source and row["class"] == "gateway-uplink"]
    return float(sent)


@pytest.mark.parametrize("run", ["tunnels", "circuits", "one-fails"])
def test_every_flow_ends(bridged: Results, run: str) -> None:
    flows = bridged[run].flows.to_pylist()
    assert len(flows) == 16
    assert all(flow["end_ps"] is not None for flow in flows)


def test_tunnels_ask_for_fewer_circuits(bridged: Results) -> None:
    tunnels, circuits = (counted(bridged, run) for run in ("tunnels", "circuits"))
    assert tunnels["circuits asked for"] < circuits["circuits asked for"] / 2
    for counters in (tunnels, circuits):
        assert counters["passed out of the rack"] >= 8 * 20_000 / 1460 * 2
        assert 0 < counters["longest queue before the rack"] <= 100_000


def test_hosts_use_the_bridge_of_their_container_and_the_other_when_it_fails(bridged: Results) -> None:
    assert over(bridged, "tunnels", "noc-0") == pytest.approx(over(bridged, "tunnels", "noc-1"), rel=0.1)
    assert over(bridged, "one-fails", "noc-0") > 1.5 * over(bridged, "one-fails", "noc-1")
    assert bridged["one-fails"].summary.column("lost_frames")[0].as_py() > 0
    assert bridged["tunnels"].summary.column("lost_frames")[0].as_py() == 0


def test_check_says_what_is_joined(gossamer: Command, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("bridged") / "bridged.toml"
    file.write_text(BRIDGED)
    ended = gossamer("check", str(file))
    assert ended.status == 0
    assert "AN3, 2 containers of 1 L0 network (fat-tree of 22) and outside star: 48 hosts, 7 switches" in ended.out
