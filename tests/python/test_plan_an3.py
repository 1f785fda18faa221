"""AN3's plans: from Python and on the command line."""

import json
from pathlib import Path

import pytest

import gossamer as package
from conftest import Command, assert_snapshot
from test_plan import documented_settings, written


def test_every_setting_is_documented_with_its_default() -> None:
    documented = documented_settings("AN3")
    found = dict(package.plan("an3")["input"])
    assert documented == {key: "the book's" if value is None else written(value) for key, value in found.items()}
    set_all = {key: value for key, value in documented.items() if value != "the book's"}
    assert package.plan("an3", **set_all) == package.plan("an3")


def test_the_table_reads_as_kept(gossamer: Command) -> None:
    result = gossamer("plan", "an3")
    assert (result.status, result.err) == (
        0,
        "warning: 125 L1 switches cannot each have a link to every other: 64 ports of each lead to others; counts are "
        "Table 2's, with all ports in use\n",
    )
    assert_snapshot("plan-an3", result.out)
    small = gossamer("plan", "an3", "--servers", "2000", "--nic", "fpga", "--prices", "none")
    assert (small.status, small.err) == (0, "")
    assert_snapshot("plan-an3-small", small.out)


def test_help_reads_as_kept(gossamer: Command) -> None:
    page = gossamer("plan", "an3", "--help")
    assert page.status == 0
    assert max(map(len, page.out.splitlines())) <= 100
    assert_snapshot("plan-an3-help", page.out)


def test_json_is_the_plan(gossamer: Command) -> None:
    result = gossamer("plan", "an3", "--servers", "40000", "--set", "price_l0=25", "--json")
    assert json.loads(result.out) == package.plan("an3", servers=40_000, price_l0=25)


def test_plots_are_written_where_there_are_prices(gossamer: Command, folder: Path) -> None:
    result = gossamer("plan", "an3", "--servers", "30000", "--out", "plots")
    assert result.out.endswith("plots: 4 files in plots\n")
    assert ">30K, 2.5</text>" in (folder / "plots" / "cost-of-a-port.svg").read_text()
    assert ">design</text>" in (folder / "plots" / "breakdown.svg").read_text()
    without = gossamer("plan", "an3", "--prices", "none", "--out", "nothing")
    assert without.out.endswith("plots: 0 files in nothing\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--nic", "gpu"], "nic = gpu: expected one of fpga, asic"),
        (["--discount", "1.5"], "discount = 1.5: expected a number from 0 to 1"),
        (["--set", "server=3"], "server: no such setting; did you mean servers?"),
    ],
)
def test_what_cannot_be_is_answered_by_name(gossamer: Command, words: list[str], message: str) -> None:
    result = gossamer("plan", "an3", *words)
    assert (result.status, result.out, result.err) == (2, "", f"error: {message}\n")
