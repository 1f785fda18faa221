"""XFabric's plans: from Python and on the command line."""

import json

import pytest

import gossamer as package
from conftest import Command, assert_snapshot
from gossamer.plan import xfabric
from test_plan import documented_settings


def test_a_plan_has_what_its_type_says() -> None:
    found = package.plan("xfabric")
    assert set(found) == set(xfabric.XFabricPlan.__annotations__)
    for fabric in (found["xfabric"], found["uplinks"], found["clos"]):
        assert set(fabric) == set(xfabric.Switches.__annotations__)
    assert set(found["loss"]) == set(xfabric.Loss.__annotations__)


def test_every_setting_is_documented_with_its_default() -> None:
    documented = documented_settings("XFabric")
    assert documented == {key: str(value) for key, value in package.plan("xfabric")["input"].items()}
    assert package.plan("xfabric", **documented) == package.plan("xfabric")


def test_the_table_reads_as_kept(gossamer: Command) -> None:
    result = gossamer("plan", "xfabric", "--socs", "256", "--uplinks", "4")
    assert (result.status, result.err) == (0, "")
    assert_snapshot("plan-xfabric", result.out)


def test_help_reads_as_kept(gossamer: Command) -> None:
    page = gossamer("plan", "xfabric", "--help")
    assert page.status == 0
    assert max(map(len, page.out.splitlines())) <= 100
    assert_snapshot("plan-xfabric-help", page.out)


def test_a_crosspoint_that_is_no_single_asic_is_a_warning(gossamer: Command) -> None:
    result = gossamer("plan", "xfabric", "--socs", "512", "--json")
    tail = "it is no single ASIC, and the count of ports leaves out what joins several"
    assert json.loads(result.out)["warnings"] == [
        f"an internal crosspoint has 512 ports and an ASIC 350: {tail}",
        f"the uplink crosspoint has 520 ports and an ASIC 350: {tail}",
    ]
    assert gossamer("plan", "xfabric").err == (
        f"warning: the uplink crosspoint has 351 ports and an ASIC 350: {tail}\n"
    )


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
