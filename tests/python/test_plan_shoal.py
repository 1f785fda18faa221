"""Shoal's plans: from Python, on the command line, and as claims."""

import itertools
import json
import re
from pathlib import Path

import pytest

import gossamer as package
from conftest import Command, assert_snapshot
from gossamer import InputError
from gossamer.plan.sweep import over_nodes, over_prices
from gossamer.reproduce import Outcome, reproduce
from test_plan import documented_settings, written

CLAIMS = (
    "fabric-size",
    "buffer-size",
    "epoch",
    "power",
    "fig11-cost",
    "table1-failed-slots",
    "switch-latency",
)


def test_every_setting_is_documented_with_its_default() -> None:
    documented = documented_settings("Shoal")
    assert documented == {key: written(value) for key, value in package.plan("shoal")["input"].items()}
    planned = dict(package.plan("shoal"))
    assert {**package.plan("shoal", **documented), "prices": planned["prices"]} == planned


def test_curves_are_of_full_leaves() -> None:
    plans = over_nodes({"switch_ports": 8, "nodes": 20, "incast_senders": 3})
    assert [plan["input"]["nodes"] for plan in plans] == [4, 8, 12, 16, 20, 24, 28, 32]
    assert [plan["incast"]["senders"] for plan in plans] == [3, 7, 11, 15, 19, 23, 27, 31]
    assert all(plan["failures_nodes"] == plan["input"]["nodes"] for plan in plans)
    large = over_nodes({"switch_ports": 256})
    assert len(large) < 70
    assert (large[0]["input"]["nodes"], large[-1]["input"]["nodes"]) == (128, 32_768)


def test_costs_are_a_straight_line_of_the_price() -> None:
    costs = [plan["cost"]["designs"][0]["relative"] for plan in over_prices({})]
    steps = [after - before for before, after in itertools.pairwise(costs)]
    assert steps == pytest.approx([48 * 0.6 / 64 / 28] * 64)
    assert costs[0] == pytest.approx(8 / 28)


def test_what_cannot_be_is_answered() -> None:
    with pytest.raises(InputError) as caught:
        package.plan("shoal", nodes=3000)
    assert str(caught.value) == (
        "nodes = 3000: two stages of switches with 64 ports join no more than 2048 nodes (k^2/2): raise `switch_ports`"
    )


def test_the_table_reads_as_kept(gossamer: Command) -> None:
    result = gossamer("plan", "shoal")
    assert (result.status, result.err) == (0, "")
    assert_snapshot("plan-shoal", result.out)


def test_help_reads_as_kept(gossamer: Command) -> None:
    page = gossamer("plan", "shoal", "--help")
    assert page.status == 0
    assert max(map(len, page.out.splitlines())) <= 100
    assert_snapshot("plan-shoal-help", page.out)


def test_warnings_go_where_scripts_do_not_read(gossamer: Command) -> None:
    result = gossamer("plan", "shoal", "--nodes", "1025", "--set", "sequence_bits=30", "--set", "feedback_bits=12")
    assert result.err == (
        "warning: id_bits = 10: 1025 nodes need 11 to name every node; such a header is for 1024 nodes at most\n"
        "warning: slots that failures take are counted for the 1056 nodes of 33 full leaves\n"
    )
    assert "Header   73 bits; of these an id needs 11 of 10" in result.out


def test_dear_networks_say_so(gossamer: Command) -> None:
    result = gossamer("plan", "shoal", "--set", "price_nic=1", "--set", "circuit_switch_w=350")
    assert "Power    101 % more than packet switches\n" in result.out
    assert "; the same at no price, 40 % less at no price\n" in result.out


def test_plots_are_written(gossamer: Command, folder: Path) -> None:
    result = gossamer("plan", "shoal", "--out", "plots", "--switch-ports", "16", "--nodes", "100")
    assert result.status == 0
    assert result.out.endswith("plots: 10 files in plots\n")
    names = ["cost", "failed-slots", "latency", "memory", "power"]
    assert sorted(file.name for file in (folder / "plots").iterdir()) == [
        f"{name}.{kind}" for name in names for kind in ("png", "svg")
    ]
    assert (folder / "plots" / "cost.png").read_bytes().startswith(b"\x89PNG")
    assert "as much as packet switches</text>" in (folder / "plots" / "cost.svg").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--nodes", "1"], "error: nodes = 1: expected a whole number from 2 to 1000000\n"),
        (["--set", "node=3"], "error: node: no such setting; did you mean nodes?\n"),
        (["--set", "nodes"], "error: --set nodes: expected KEY=VALUE, such as --set reconfiguration='6.4 ns'\n"),
        (
            ["--usable-slot", "20.5"],
            'error: usable_slot = 20.5: `20.5` has no unit; write a time such as "10 us"\n',
        ),
        (
            ["--set", "switch_ports=5"],
            "error: switch_ports = 5: half of a leaf's ports go up, so the number must be even\n",
        ),
    ],
)
def test_mistakes_are_answered(gossamer: Command, words: list[str], message: str) -> None:
    result = gossamer("plan", "shoal", *words)
    assert (result.status, result.out, result.err) == (2, "", message)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    found = reproduce("shoal", CLAIMS, out=tmp_path_factory.mktemp("claims"))
    return {outcome.claim.id: outcome for outcome in found}


@pytest.mark.parametrize(
    ("claim", "verdict", "measured"),
    [
        ("fabric-size", "reproduced", {"64": 2048, "4": 8}),
        ("buffer-size", "reproduced", {"node_mb": 16.744448, "on_chip_kb": 32.704}),
        ("epoch", "reproduced", {"epoch_us": 2.970188, "peak_gbps": 88.172043011, "guard_overhead": 2.75 / 23.25}),
        ("power", "reproduced", {"psn_kw": 8.71744, "shoal_kw": 2.54944, "saving": 1 - 2.54944 / 8.71744}),
        (
            "fig11-cost",
            "reproduced",
            {
                "same cost, NIC 3x": 1 / 3,
                "same cost, NIC 2x": 5 / 12,
                "40 % less, NIC 3x": 0.1,
                "40 % less, NIC 2x": 8.8 / 48,
            },
        ),
        ("switch-latency", "not-comparable", 320),
    ],
)
def test_verdicts(outcomes: dict[str, Outcome], claim: str, verdict: str, measured: object) -> None:
    outcome = outcomes[claim]
    assert str(outcome.verdict) == verdict
    assert outcome.measured == pytest.approx(measured)


def test_table_1_has_a_row_that_no_reading_gives(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["table1-failed-slots"]
    assert str(outcome.verdict) == "deviates"
    assert {check.name: str(check.verdict) for check in outcome.checks} == {
        "node": "reproduced",
        "link of a node": "reproduced",
        "leaf": "reproduced",
        "link to a spine": "reproduced",
        "spine": "deviates",
        "link to a spine, both ways": "deviates",
        "spine, both ways": "reproduced",
    }
    assert outcome.measured["spine"] == 1 / 32
    assert outcome.measured["link to a spine"] == pytest.approx(4063 / (2048 * 2047))


def test_notes_compute_what_they_say(outcomes: dict[str, Outcome]) -> None:
    assert "8 nodes take 4 leaves and 2 spines of 4 ports" in outcomes["fabric-size"].note
    assert "c = 1/127.7, 1/127.0, 1/125.5, 1/127.6 in this order" in outcomes["fig11-cost"].note
    assert "an epoch is 128 of them, 2.976 us" in outcomes["epoch"].note
    assert "1.576 us from node to node (§6.2: 1.57)" in outcomes["switch-latency"].note
    assert "7 epochs and two ways, 6.92 us" in outcomes["switch-latency"].note


def test_figures_are_drawn_with_the_paper_s_numbers(outcomes: dict[str, Outcome]) -> None:
    files = {Path(file).name: Path(file) for outcome in outcomes.values() for file in outcome.plots}
    drawn = ("buffer-size", "epoch", "power", "fig11-cost", "table1-failed-slots")
    assert set(files) == {f"{name}.{kind}" for name in drawn for kind in ("png", "svg")}
    assert "16.8 MB in the paper" in files["buffer-size.svg"].read_text()
    assert "epoch of 2.9 us in the paper" in files["epoch.svg"].read_text()
    assert "8.72 kW in the paper" in files["power.svg"].read_text()
    assert len(re.findall("% in the paper", files["fig11-cost.svg"].read_text())) >= 4


def test_the_list_names_what_is_computed_and_what_nothing_checks_yet(gossamer: Command) -> None:
    entries = json.loads(gossamer("reproduce", "shoal", "--list", "--json").out)
    assert len(entries) == 24
    assert [entry["claim"] for entry in entries if entry["computation"] == "gossamer plan shoal"] == sorted(
        CLAIMS, key=[entry["claim"] for entry in entries].index
    )
    listed = gossamer("reproduce", "shoal", "--list").out
    assert "epoch_us: 2.9 within 3 %, and 2 more (§3.4, 7.1; gossamer plan shoal): 512 nodes" in listed
