"""Files with `[compare]`: networks that are held to the same, and the table that leads their report."""

import json
from pathlib import Path

import pyarrow.compute as pc
import pytest

import gossamer
from conftest import Command
from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison
from gossamer.analysis.samples import percentile
from gossamer.report import write_report
from gossamer.report.networks import Networks, networks_of
from gossamer.results import Results

EXPERIMENT = """\
title = "Which of four?"
seed = 1
duration = "100 ms"

[topology]
kind = "leaf-spine"
leaves = 4
spines = 4
hosts_per_leaf = 4
rate = "10 Gb/s"

[[workload]]
name = "flows"
kind = "poisson"
flows_per_second = 20_000
size = { kind = "uniform", min = "2 KB", max = "200 KB" }
stop = "10 ms"

[[workload]]
name = "short"
kind = "poisson"
flows_per_second = 20_000
size = "1 KB"
stop = "10 ms"

[[workload]]
name = "exchange"
kind = "all-to-all"
size = "20 KB"
start = "40 ms"

[compare]
equal = "bisection"
reference = "ideal"

[[variant]]
name = "Ethernet"
fabric = { kind = "ethernet", queue = "100 packets", ecn_threshold = "20 packets" }
transport.kind = "dctcp"

[[variant]]
name = "Fastpod"
fabric = { kind = "fastpod", mtu = "1 GB" }
transport = { kind = "direct", header = "0 B" }

[[variant]]
name = "Shoal"
topology = { kind = "star", hosts = 16, rate = "20 Gb/s", delay = "2.5 ns" }
fabric = { kind = "shoal", mtu = "1 GB", channels = 1 }
transport = { kind = "direct", header = "0 B" }

[[variant]]
name = "ideal"
fabric.kind = "fluid"
transport = { kind = "direct", header = "0 B" }
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("networks")
    (folder / "which.toml").write_text(EXPERIMENT)
    return gossamer.run(folder / "which.toml", out=folder / "results")


@pytest.fixture(scope="module")
def networks(results: Results) -> Networks:
    found = networks_of(Comparison.of(results))
    assert found is not None
    return found


def cells(networks: Networks, column: str) -> dict[str, str]:
    """The texts of a column, by network."""
    titles = [heading.title for heading in networks.table.headings]
    place = titles.index(column)
    return {row.label: row.cells[place].text for row in networks.table.rows}


def note(networks: Networks, label: str, column: str) -> str:
    titles = [heading.title for heading in networks.table.headings]
    (row,) = (row for row in networks.table.rows if row.label == label)
    return row.cells[titles.index(column)].note


def test_the_table_has_what_each_workload_is_about(networks: Networks) -> None:
    assert [f"{heading.title}, {heading.unit}".removesuffix(", ") for heading in networks.table.headings] == [
        "Throughput, exchange, Gb/s",
        "Slowdown, flows p50",
        "Slowdown, flows p99",
        "Slowdown, flows p99.9",
        "Latency, short p50, µs",
        "Latency, short p99, µs",
        "Time taken exchange, µs",
        "Fullest buffer, KB",
        "Lost, packets",
        "Power, W a host",
        "Cost, USD a host",
        "Bisection, Gb/s",
    ]


def test_slowdowns_are_over_the_reference(results: Results, networks: Networks) -> None:
    alone = {
        (flow["src"], flow["dst"], flow["bytes"]): flow["ideal_ps"]
        for flow in results["ideal"].flows.to_pylist()
        if flow["group"] == "flows"
    }
    flows = [flow for flow in results["Shoal"].flows.to_pylist() if flow["group"] == "flows"]
    slow = sorted(flow["fct_ps"] / alone[flow["src"], flow["dst"], flow["bytes"]] for flow in flows)
    assert float(cells(networks, "Slowdown, flows p50")["Shoal"]) == pytest.approx(percentile(slow, 500), rel=0.005)
    # A node of 20 Gb/s alone is faster than a host of 10 Gb/s alone, so that Shoal's own slowdowns are larger.
    own = pc.mean(results["Shoal"].flows.filter(pc.field("group") == "flows").column("slowdown")).as_py()
    assert own > 1.2 * sum(slow) / len(slow)
    few = f"of {len(flows)} flows: this is the slowest of them"
    assert note(networks, "Shoal", "Slowdown, flows p99.9") == few


def test_power_and_cost_are_of_the_parts(networks: Networks) -> None:
    # 4 leaves of 8 ports, 4 spines of 4: 480 Gb/s of 6.4 Tb/s. 16 cables to hosts and 16 between switches, at 10/25 of
    # the price of 25 Gb/s.
    ethernet = (0.075 * 16_200 + 16 * 84 * 0.4 + 16 * (2 * 125 * 0.4 + 8)) / 16
    fastpod = ethernet - 0.5 * 0.075 * 16_200 / 16
    assert cells(networks, "Cost") == {
        "Ethernet": f"{ethernet:.0f}",
        "Fastpod": f"{fastpod:.0f}",
        "Shoal": "–",  # noqa: RUF001
        "ideal": "–",  # noqa: RUF001
    }
    assert cells(networks, "Power")["Shoal"] == f"≥ {0.32 / 3.2 * 38.5 / 16:.3f}"
    assert (
        note(networks, "Shoal", "Power") == "switches alone: the paper has none of what is between nodes and switches"
    )
    assert note(networks, "Shoal", "Cost").startswith("not given: the paper counts cost in packet switches")
    assert set(cells(networks, "Bisection").values()) == {"80"}
    assert cells(networks, "Fullest buffer")["Fastpod"] == "none"
    assert any("in proportion to 6.4 Tb/s: Stardust" in line for line in networks.prices)


def test_it_is_said_what_differs_and_why(networks: Networks, results: Results) -> None:
    assert networks.lines[0] == "The same 16 hosts and the same traffic over networks of equal bisection: 80 Gb/s."
    assert any(line.startswith("Exchange: an operation takes ") and " with ideal)" in line for line in networks.lines)
    assert networks.lines[-1] == "Of Shoal no price of everything is given: the table says why."
    why = dict(networks.reasons)
    detours = {row["counter"]: row["value"] for row in results["Shoal"].counters.to_pylist()}
    share = 100 * (1 - detours["of these, straight from their source"] / detours["cells delivered"])
    assert why["Shoal"].startswith(f"{share:.3g} % of all cells took a detour over another node; ")
    assert why["Fastpod"].startswith("The arbiter gave ")
    assert why["ideal"] == "Nothing waits, and nothing is lost: flows share links at max-min fair rates."


def test_the_report_leads_with_it(results: Results, tmp_path: Path) -> None:
    page = write_report(results, tmp_path / "report.html").read_text()
    assert page.index("Which network?") < page.index("What differs") < page.index("All traffic together")
    assert "bisection of half of all links, as cells cross the rack twice (Shoal, §3.3.1)" in page


def test_check_counts_and_refuses(gossamer: Command, tmp_path: Path) -> None:
    file = tmp_path / "which.toml"
    file.write_text(EXPERIMENT)
    plan = json.loads(gossamer("check", str(file), "--json").out)
    assert [run["worth"]["bisection_bps"] for run in plan["runs"]] == [80_000_000_000] * 4
    shown = gossamer("check", str(file)).out
    assert "half of all links, as cells cross the rack twice" in shown
    assert "W for switches" in shown
    assert "not given" in shown
    refused = gossamer("check", str(file), "--set", "variant.Shoal.topology.rate=10 Gb/s")
    assert refused.status == 2
    assert refused.err == (
        f'error: {file}:33: compare.equal = "bisection": run Shoal has 40 Gb/s and run ideal 80 Gb/s, 50 % less, and '
        "within = 0.01 allows 1 %: change the number or the rate of links of one of them, or write within = 0.5\n"
    )


def test_a_run_prints_it(gossamer: Command, results: Results, networks: Networks, tmp_path: Path) -> None:
    assert results.manifest.compare == {"equal": "bisection", "within": 0.01, "reference": "ideal"}
    file = tmp_path / "which.toml"
    file.write_text(EXPERIMENT)
    shown = gossamer("run", str(file), "--out", str(tmp_path / "results"), "--no-report")
    assert shown.status == 0
    text = shown.out + shown.err
    assert all(line in text for line in networks.lines)
    assert "Lost, packets" in text


def test_without_it_nothing_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "plain.toml"
    file.write_text(
        EXPERIMENT.split("[compare]")[0]
        + '[[variant]]\nname = "one"\nfabric.kind = "fluid"\ntransport.kind = "direct"\n'
    )
    plain = gossamer.run(file, out=tmp_path / "results")
    assert networks_of(Comparison.of(plain)) is None
    assert plain.manifest.compare is None
    assert plain.runs[0].record.worth is None


def test_a_sweep_is_told_at_its_last_point(tmp_path: Path) -> None:
    file = tmp_path / "swept.toml"
    sweep = '[sweep]\n"workload.flows.flows_per_second" = [10_000, 20_000]\n'
    file.write_text(EXPERIMENT.replace("[compare]", f"{sweep}\n[compare]"))
    swept = gossamer.run(file, out=tmp_path / "results")
    found = networks_of(Comparison.of(swept))
    assert found is not None
    assert len(found.table.rows) == 8
    assert found.table.axes == ("flows_per_second",)
    begins = (
        "At flows_per_second=20000, the same 16 hosts and the same traffic over networks of equal bisection: 80 Gb/s."
    )
    assert found.lines[0] == begins


def test_seeds_are_means_with_their_intervals(tmp_path: Path) -> None:
    (tmp_path / "which.toml").write_text(EXPERIMENT + "\n[sweep]\nseed = [1, 2, 3]\n")
    comparison = Comparison.of(gossamer.run(tmp_path / "which.toml"))
    found = networks_of(comparison)
    assert found is not None
    assert "Mean ± half of its confidence interval: 3 seeds, 95 % confidence." in found.caption
    medians = []
    for seed in (1, 2, 3):
        of_one = networks_of(Comparison.of(gossamer.run(tmp_path / "which.toml", overrides=[f"sweep.seed=[{seed}]"])))
        assert of_one is not None
        medians.append(float(cells(of_one, "Slowdown, flows p50")["Ethernet"]))
    mean, half = map(float, cells(found, "Slowdown, flows p50")["Ethernet"].split(" ± "))
    assert mean == pytest.approx(confidence.mean(medians), rel=0.01)
    assert half == pytest.approx(confidence.half_width(medians), abs=0.06)
    # What is the same for every seed has no interval.
    assert "±" not in "".join(cells(found, "Cost").values())
    assert cells(found, "Lost")["Shoal"] == "0 ± 0"
