"""`gossamer plan`."""

import io
import json
from pathlib import Path

import pytest

from conftest import Command, assert_snapshot


def test_without_a_system_they_are_listed(gossamer: Command) -> None:
    result = gossamer("plan")
    assert result.out == (
        "stardust  cell fabric with Fabric Adapters and Elements, beside fat-trees (NSDI 2019)\n"
        "shoal     rack of circuit switches on a fixed schedule, beside packet switches (NSDI 2019)\n"
        "xfabric   rack that is re-cabled by crosspoint switches, beside one large circuit switch (NSDI 2016)\n"
        "fastpod   pods of switches without buffers and their arbiters, beside buffered switches (Zero-buffer "
        "Datacenter Networks)\n"
        "an3       circuits of time slots over NICs and L1 switches, beside ToR and aggregation switches (AN3)\n"
        "`gossamer plan SYSTEM` plans one, `gossamer plan compare` all for the same hosts\n"
    )
    assert (result.status, result.err) == (0, "")


def test_the_table_reads_as_kept(gossamer: Command) -> None:
    result = gossamer("plan", "stardust", "--hosts", "20000")
    assert (result.status, result.err) == (0, "")
    assert_snapshot("plan-stardust", result.out)


def test_help_of_a_system_reads_as_kept(gossamer: Command) -> None:
    page = gossamer("plan", "stardust", "--help")
    assert page.status == 0
    assert max(map(len, page.out.splitlines())) <= 100
    assert_snapshot("plan-stardust-help", page.out)


def test_options_and_set_are_settings(gossamer: Command) -> None:
    words = [
        "--host-rate",
        "100 Gb/s",
        "--bundles",
        "1,8",
        "--prices",
        "none",
        "--set",
        "switch_bandwidth=12.8 Tb/s",
        "--set",
    ]
    result = gossamer("plan", "stardust", *words, "link_rate=50 Gb/s", "--json")
    found = json.loads(result.out)
    assert found["input"]["bundles"] == [1, 8]
    assert found["designs"][2]["limits"][0]["hosts"] == 1_280
    assert result.err == ""


def test_warnings_go_where_scripts_do_not_read(gossamer: Command) -> None:
    result = gossamer("plan", "stardust", "--set", "credit=1 KB")
    assert result.err == (
        "warning: credit = 1 KB: with less than 1.6 KB the scheduler cannot keep an adapter of 6.4 Tb/s busy (§4.1)\n"
    )
    assert "warning" not in result.out


def test_what_has_no_price_is_refused_by_name_and_planned_without(gossamer: Command) -> None:
    words = ["plan", "stardust", "--link-rate", "50 Gb/s", "--bundles", "4"]
    result = gossamer(*words)
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "error: no price known for a transceiver of 200 Gb/s: set price_transceivers='200 Gb/s: USD', give a book of "
        "your own as `prices`, or leave cost and power out with `prices` none\n"
    )
    assert "not known" in gossamer(*words, "--prices", "none").out
    priced = gossamer(*words, "--set", "price_transceivers=200 Gb/s: 400")
    assert (priced.status, priced.err) == (0, "")
    assert "transceiver of 200 Gb/s" in priced.out
    assert "set with price_transceivers" in priced.out


def test_more_than_fits_is_refused(gossamer: Command) -> None:
    result = gossamer("plan", "stardust", "--host-rate", "400 Gb/s")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "error: adapter_bandwidth = 6.4 Tb/s: 40 x 400 Gb/s to hosts and 640 x 25 Gb/s of uplinks take 32 Tb/s; lower "
        "`hosts_per_adapter` to 8, or raise `switch_bandwidth` or `oversubscription`\n"
    )


@pytest.mark.parametrize("columns", ["80", "120"])
def test_a_plan_folds_between_words_on_a_terminal(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    from rich.console import Console

    from gossamer import plan
    from gossamer.cli import plan_an3, plan_fastpod, plan_shoal, plan_stardust, plan_xfabric, screen

    for show, system in (
        (plan_stardust.show, "stardust"),
        (plan_shoal.show, "shoal"),
        (plan_xfabric.show, "xfabric"),
        (plan_fastpod.show, "fastpod"),
        (plan_an3.show, "an3"),
    ):
        console = Console(width=int(columns), file=io.StringIO(), markup=False, highlight=False, color_system=None)
        monkeypatch.setattr(screen, "console", lambda console=console: console)
        show(plan(system))
        lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
        bold = lines[0]
        assert max(len(line) for line in lines if line != bold) <= int(columns)


def test_one_edge_device_needs_no_fabric(gossamer: Command) -> None:
    result = gossamer("plan", "stardust", "--hosts", "12")
    assert result.status == 0
    rows = {line[:20].strip(): line[20:].split() for line in result.out.splitlines()[1:20]}
    assert (rows["Tiers"], rows["Devices"], rows["Serial links"]) == (["0"] * 4, ["1"] * 4, ["0"] * 4)


def test_plots_are_written(gossamer: Command, folder: Path) -> None:
    result = gossamer("plan", "stardust", "--out", "plots", "--bundles", "4")
    assert result.out.endswith("plots: 12 files in plots\n")
    names = ["area", "cost", "devices", "hosts-by-tiers", "links", "power"]
    assert sorted(file.name for file in (folder / "plots").iterdir()) == [
        f"{name}.{kind}" for name in names for kind in ("png", "svg")
    ]
    assert (folder / "plots" / "cost.png").read_bytes().startswith(b"\x89PNG")
    assert ">Stardust</text>" in (folder / "plots" / "devices.svg").read_text()


def test_a_figure_without_prices_is_left_out(gossamer: Command, folder: Path) -> None:
    words = ["--bundles", "1", "--prices", "none", "--set", "switch_power_w=310", "--set", "transceiver_power_w=1"]
    words += ["--out", "plots", "--json"]
    result = gossamer("plan", "stardust", *words)
    assert result.status == 0
    assert json.loads(result.out)["designs"][0]["cost"] is None
    assert not (folder / "plots" / "cost.png").exists()
    assert (folder / "plots" / "power.png").exists()


def test_a_folder_that_cannot_be_written_is_named(gossamer: Command, folder: Path) -> None:
    (folder / "taken").write_text("")
    result = gossamer("plan", "stardust", "--out", "taken")
    assert (result.status, result.out) == (2, "")
    assert result.err == "error: taken/hosts-by-tiers.png cannot be written: File exists\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["stardusk"], "error: no command 'stardusk': did you mean 'stardust'?\nsee `gossamer plan --help`\n"),
        (["stardust", "--hosts", "0"], "error: hosts = 0: expected a whole number from 1 to 1000000000\n"),
        (["stardust", "--set", "hots=3"], "error: hots: no such setting; did you mean hosts?\n"),
        (["stardust", "--set", "cell"], "error: --set cell: expected KEY=VALUE, such as --set cell='512 B'\n"),
        (
            ["stardust", "--hosts", "3", "--set", "hosts=4"],
            "error: --set hosts=4: hosts is given twice\n",
        ),
        (
            ["stardust", "--set", "counting=exact"],
            "error: counting = exact: expected one of ports, regular\n",
        ),
        (
            ["stardust", "--host", "3"],
            "error: No such option '--host'. (Did you mean one of: '--hosts', '--out', '--set'?)\n"
            "see `gossamer plan stardust --help`\n",
        ),
    ],
)
def test_mistakes_are_answered(gossamer: Command, words: list[str], message: str) -> None:
    result = gossamer("plan", *words)
    assert (result.status, result.out, result.err) == (2, "", message)
