"""XFabric's plans: from Python and on the command line."""

import pytest

import gossamer as package
from conftest import Command, assert_snapshot
from test_plan import documented_settings, written


def test_every_setting_is_documented_with_its_default() -> None:
    documented = documented_settings("XFabric")
    assert documented == {key: written(value) for key, value in package.plan("xfabric")["input"].items()}
    planned = dict(package.plan("xfabric"))
    assert {**package.plan("xfabric", **documented), "prices": planned["prices"]} == planned


def test_the_table_reads_as_kept(gossamer: Command) -> None:
    result = gossamer("plan", "xfabric", "--socs", "256", "--uplinks", "4")
    assert (result.status, result.err) == (0, "")
    assert_snapshot("plan-xfabric", result.out)


def test_help_reads_as_kept(gossamer: Command) -> None:
    page = gossamer("plan", "xfabric", "--help")
    assert page.status == 0
    assert max(map(len, page.out.splitlines())) <= 100
    assert_snapshot("plan-xfabric-help", page.out)


def test_a_crosspoint_that_is_no_single_asic_is_refused_and_one_for_uplinks_is_a_warning(gossamer: Command) -> None:
    result = gossamer("plan", "xfabric", "--socs", "512", "--json")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "error: socs = 512: an internal crosspoint has a port for every SoC and is one ASIC of at most asic_ports "
        "= 350: plan fewer SoCs, or raise `asic_ports`\n"
    )
    assert gossamer("plan", "xfabric").err == (
        "warning: the uplink crosspoint has 351 ports and an ASIC has 350: it takes several, and what joins them "
        "is not counted\n"
    )


def test_price_and_power_of_a_port_are_dated() -> None:
    prices = package.plan("xfabric")["prices"]
    assert [(used["part"], used["unit"], used["value"], used["date"]) for used in prices] == [
        ("crosspoint-port", "usd", 3.0, "2016-03"),
        ("crosspoint-port", "w", 0.28, "2016-03"),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--socs", "1"], "error: socs = 1: expected a whole number from 2 to 16384\n"),
        (["--set", "port_us=6"], "error: port_us: no such setting; did you mean port_usd?\n"),
        (["--set", "socs"], "error: --set socs: expected KEY=VALUE, such as --set clos_factor=6\n"),
    ],
)
def test_bad_input_is_answered(gossamer: Command, words: list[str], message: str) -> None:
    result = gossamer("plan", "xfabric", *words)
    assert (result.status, result.out, result.err) == (2, "", message)
