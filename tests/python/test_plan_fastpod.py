"""Fastpod's plans: from Python and on the command line."""

import json

import pytest

import gossamer as package
from conftest import Command, assert_snapshot
from test_plan import documented_settings, written

FOLLOW = {
    "racks": "k/2",
    "hosts_per_rack": "k/2",
    "uplinks": "k/2",
    "cores_per_plane": "k/2",
    "guard": "what clocks and paths need",
    "allocation_ns": "by measurement",
    "path_ns": "by measurement",
    "arbiter_latency": "that of finding slots and paths",
    "arbiter_power_w": "left out",
    "price_arbiter": "left out",
}
"""Settings whose default follows from others, and what the page says of it."""


def test_every_setting_is_documented_with_its_default() -> None:
    documented = documented_settings("Fastpod")
    found = dict(package.plan("fastpod")["input"])
    assert documented == {key: FOLLOW.get(key, written(value)) for key, value in found.items()}
    set_all = {key: value for key, value in documented.items() if key not in FOLLOW and value != "the book's"}
    assert package.plan("fastpod", **set_all) == package.plan("fastpod")


def test_the_table_reads_as_kept(gossamer: Command) -> None:
    result = gossamer("plan", "fastpod", "--ports", "16", "--clock-error", "5 ns", "--load", "0.5")
    assert result.status == 0
    assert_snapshot("plan-fastpod", result.out)
    several = gossamer("plan", "fastpod", "--pods", "8", "--set", "suspicion=1", "--prices", "none")
    assert (several.status, several.err) == (0, "")
    assert_snapshot("plan-fastpod-pods", several.out)


def test_help_reads_as_kept(gossamer: Command) -> None:
    page = gossamer("plan", "fastpod", "--help")
    assert page.status == 0
    assert max(map(len, page.out.splitlines())) <= 100
    assert_snapshot("plan-fastpod-help", page.out)


def test_numbers_of_the_paper() -> None:
    found = package.plan("fastpod")
    assert found["arbiter"]["ports"] == 4
    assert found["round_robin"]["epoch_ps"] == pytest.approx(500e6, rel=0.05)
    assert (found["silicon"]["area"], found["silicon"]["bandwidth"]) == (0.5, 2.0)
    assert found["slot"]["slot_ps"] == (3 * 1500 + 2 * 64) * 80
    assert found["core"] is None


def test_json_is_the_plan(gossamer: Command) -> None:
    result = gossamer("plan", "fastpod", "--pods", "4", "--set", "rack_delay=50 ns", "--json")
    assert result.err == ""
    assert json.loads(result.out) == package.plan("fastpod", pods=4, rack_delay="50 ns")


def test_warnings_go_where_scripts_do_not_read(gossamer: Command) -> None:
    result = gossamer("plan", "fastpod", "--clock-error", "5 ns", "--set", "guard=4 ns")
    assert result.err == (
        "warning: guard = 4 ns: clocks that are off by 5 ns need guard bands of 10 ns, or scheduled packets collide\n"
    )
    assert "warning" not in result.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ports", "9"], "error: ports = 9: expected an even number: half of a switch's ports go up\n"),
        (["--rate", "100"], 'error: rate = 100: `100` has no unit; write a rate such as "100 Gb/s"\n'),
        (["--rate", "200 Tb/s"], "error: rate = 200 Tb/s: expected at most 100 Tb/s\n"),
        (["--load", "1"], "error: load = 1: expected a number from 0.01 to 0.99\n"),
        (["--set", "rack=16"], "error: rack: no such setting; did you mean racks?\n"),
        (["--set", "racks"], "error: --set racks: expected KEY=VALUE, such as --set racks=16\n"),
        (
            ["--clock-error", "30 ns"],
            "error: clock_error = 30 ns: clocks that are off by 30 ns and paths that differ by 0 ps need guard bands "
            "of 60 ns, and 54.88 ns is the most for which a slot has room: lower it, or lengthen `packet`\n",
        ),
        (
            ["--rate", "400 Gb/s"],
            "error: no price known for the cable to a host of 400 Gb/s: set price_server_cable=USD, give a book of "
            "your own as `prices`, or leave cost and power out with `prices` none\n",
        ),
    ],
)
def test_bad_input_is_answered(gossamer: Command, words: list[str], message: str) -> None:
    result = gossamer("plan", "fastpod", *words)
    assert (result.status, result.out, result.err) == (2, "", message)
