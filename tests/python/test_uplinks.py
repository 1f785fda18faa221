"""An XFabric rack with uplinks to an outside network: they move to the traffic, and links count what they carry."""

import pytest

import gossamer as library
from conftest import Command
from gossamer.results import Results

UPLINKS = """\
seed = 1
duration = "60 ms"

[topology]
kind = "planes"
hosts = 12
planes = 6
rate = "1 Gb/s"

[topology.outside]
kind = "star"
hosts = 4
uplinks = 2

[fabric]
kind = "xfabric"
start = "uniform"
period = "30 ms"
reconfigure_from = "1 ms"
control_message = "100 us"

[fabric.uplinks]
buffer = "60 KB"

[transport]
kind = "newreno"
min_rto = "5 ms"

[measure]
sample = "5 ms"

[[workload]]
name = "out"
kind = "permutation"
pairs = [[7, 12], [8, 13]]

[[workload]]
name = "in"
kind = "permutation"
pairs = [[14, 7], [15, 8]]

[[workload]]
name = "inside"
kind = "permutation"
size = "20 KB"
rounds = 100
pairs = [[0, 3], [4, 9]]

[[variant]]
name = "xfabric"

[[variant]]
name = "still"
fabric.reconfigure = false
"""

PATH = "mean path length to uplinks"


@pytest.fixture(scope="module")
def results() -> Results:
    """Results of the experiment above."""
    return library.run(library.Experiment.from_toml(UPLINKS))


def counted(results: Results, run: str) -> dict[str, float]:
    """A run's counters by name."""
    return {row["counter"]: row["value"] for row in results[run].counters.to_pylist()}


def carried(results: Results, run: str, source: str, target: str) -> int:
    """Bytes over links between nodes whose names begin so."""
    rows = results[run].links.to_pylist()
    ends = [row for row in rows if row["source"].startswith(source) and row["target"].startswith(target)]
    assert ends
    return sum(int(row["bytes"]) for row in ends)


def test_uplinks_move_to_the_socs_that_need_them(results: Results) -> None:
    moved, still = counted(results, "xfabric"), counted(results, "still")
    assert moved["uplinks that were moved"] == 2
    assert still["uplinks that were moved"] == 0
    # Only until the first topology packets went a circuit or more inside.
    assert moved[PATH] < 0.3 < 0.9 < still[PATH]
    series = [row for row in results["xfabric"].series.to_pylist() if row["series"] == PATH]
    assert series[-1]["value"] == 0.0
    assert moved["SoCs with tables of other circuits at the end"] == 0


@pytest.mark.parametrize("run", ["xfabric", "still"])
def test_everybody_is_served(results: Results, run: str) -> None:
    counters = counted(results, run)
    assert counters["packets out by uplinks"] > 1000
    assert counters["packets in by uplinks"] > 1000
    flows = results[run].flows.to_pylist()
    # At 1 Gb/s 60 ms are 7.5 MB, and acknowledgements go the other way.
    endless = [row for row in flows if row["bytes"] is None]
    assert len(endless) == 4
    assert all(row["delivered_bytes"] > 1_500_000 for row in endless)
    # The small flows of each round go on beside them.
    assert sum(row["end_ps"] is not None and row["group"] == "inside" for row in flows) > 20


@pytest.mark.parametrize("run", ["xfabric", "still"])
def test_links_have_what_uplinks_carry(results: Results, run: str) -> None:
    out = carried(results, run, "uplink-crosspoint", "uplink-")
    counters = counted(results, run)
    # Packets of 1500 B and acknowledgements, each with 38 B of framing.
    assert 78 * counters["packets out by uplinks"] <= out <= 1538 * counters["packets out by uplinks"]
    assert carried(results, run, "uplink-", "uplink-crosspoint") > 0
    # Those that leave came over the uplink ports of SoCs; a few were cut.
    sent = carried(results, run, "host-", "uplink-crosspoint")
    assert out <= sent <= 1.05 * out + 100_000


def test_check_says_what_is_joined(gossamer: Command, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("uplinks") / "uplinks.toml"
    file.write_text(UPLINKS)
    ended = gossamer("check", str(file))
    assert ended.status == 0
    assert "6 planes with uplinks to star: 16 hosts, 10 switches" in ended.out
    refused = gossamer("check", str(file), "--set", "topology.outside.uplinks=10")
    assert refused.status == 2
    why = "10 uplinks for 9 SoCs that can have one; those that can run the controller have none (§3)"
    assert refused.err == f"error: --set topology.outside.uplinks=10: does not make an XFabric rack: {why}\n"
