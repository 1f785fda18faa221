"""`gossamer plan compare`: every system for the same hosts, and the check of its bisection."""

import io
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Command, assert_snapshot
from gossamer import plan
from gossamer.cli import plan_compare, screen
from gossamer.plan import Setting, sweep
from gossamer.plan.comparison import QUANTITIES, Asked, Configured, Network, asked, judged
from gossamer.plan.networks import an3, compare, fastpod, shoal, tree
from gossamer.plan.networks.bill import priced

SMALL: dict[str, Setting] = {"hosts": 150, "rate": "10 Gb/s"}
"""What all systems fit."""

SWITCHES: dict[str, Callable[[Any], int]] = {
    "fat-tree": lambda found: found["designs"][1]["devices"],
    "Stardust": lambda found: found["designs"][0]["devices"],
    "Fastpod": lambda found: found["fastpod"]["switches"],
    "Shoal": lambda found: found["shoal"]["network"]["switches"],
    "AN3": lambda found: found["an3"]["l1"],
    "XFabric": lambda found: found["xfabric"]["asics"] + found["uplinks"]["asics"],
}
"""Switches of a system in its own plan."""

BOOK = """\
[[entry]]
part = "an3-switch"
usd = 66000
w = 900
date = "2026-11"
source = "quotation"
[[entry]]
part = "an3-switch-design"
usd = 1
date = "2026-11"
source = "quotation"
[[entry]]
part = "an3-asic-nic"
usd = 100
w = 30
date = "2026-11"
source = "quotation"
[[entry]]
part = "an3-asic-nic-design"
usd = 1
date = "2026-11"
source = "quotation"
[[entry]]
part = "sata-cable"
usd = 5
date = "2026-11"
source = "quotation"
[[entry]]
part = "optical-port"
usd = 500
date = "2026-11"
source = "quotation"
"""


def named(**request: Setting) -> dict[str, Network]:
    """Networks of a comparison by their names."""
    return {network["name"]: network for network in compare(**request)["networks"]}


def test_the_table_reads_as_kept(gossamer: Command) -> None:
    large = gossamer("plan", "compare", "--hosts", "10000", "--rate", "100 Gb/s")
    assert large.status == 0
    assert large.err == (
        "warning: Fastpod: one stage of the arbiter takes longer than a slot, so that several cores have to work on "
        "slots of their own: that is Fastpass's pipeline, which the arbiter that was measured does not have\n"
    )
    assert_snapshot("plan-compare", large.out)
    small = gossamer("plan", "compare", "--hosts", "150", "--rate", "10 Gb/s")
    assert (small.status, small.err) == (0, "")
    assert_snapshot("plan-compare-small", small.out)


def test_help_reads_as_kept(gossamer: Command) -> None:
    page = gossamer("plan", "compare", "--help")
    assert page.status == 0
    assert max(map(len, page.out.splitlines())) <= 100
    assert_snapshot("plan-compare-help", page.out)


def test_six_systems_fit_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    console = Console(width=100, file=io.StringIO(), markup=False, highlight=False, color_system=None)
    monkeypatch.setattr(screen, "console", lambda: console)
    plan_compare.show(compare(**SMALL))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(map(len, text.splitlines())) <= 100
    heading = text.splitlines()[1].split()
    assert heading == ["fat-tree", "Stardust", "Fastpod", "Shoal", "AN3", "XFabric"]


def test_json_is_the_comparison(gossamer: Command) -> None:
    result = gossamer("plan", "compare", "--hosts", "150", "--rate", "10 Gb/s", "--json")
    assert (result.status, result.err) == (0, "")
    assert json.loads(result.out) == compare(**SMALL)


@pytest.mark.parametrize(
    "request_",
    [SMALL, {"hosts": 1_000}, {"hosts": 20_000, "oversubscription": 5, "rate": "10 Gb/s"}, {**SMALL, "prices": "none"}],
)
def test_every_quantity_is_given_or_there_is_a_reason(request_: dict[str, Setting]) -> None:
    keys = {quantity.key for quantity in QUANTITIES}
    for network in compare(**request_)["networks"]:
        given, absent = set(network["values"]), network["not_given"]
        assert given | set(absent) == keys
        assert not given & set(absent)
        assert all(absent.values()), network["name"]


@pytest.mark.parametrize("request_", [SMALL, {"hosts": 1_000}, {"hosts": 10_000, "oversubscription": 3}])
def test_what_fits_has_the_bisection_and_the_settings_plan_it_again(request_: dict[str, Setting]) -> None:
    found = compare(**request_)
    wanted = found["asked"]
    assert wanted["bisection_bps"] == -(-wanted["hosts"] * wanted["rate_bps"] // (2 * wanted["oversubscription"]))
    for network in found["networks"]:
        values = network["values"]
        if network["verdict"] == "fits":
            assert values["bisection_bps"] >= wanted["bisection_bps"]
        if network["verdict"] != "does not fit":
            # Plans of these two are refused without prices.
            prices = "paper" if network["name"] in ("Shoal", "XFabric") else "none"
            again = plan(network["system"], **network["settings"], prices=prices)
            assert values["switches"] == SWITCHES[network["name"]](again)


def test_cables_of_stardust_are_a_matter_of_prices() -> None:
    """Without prices its plan has four times as many, one for each serial link."""
    found = named(hosts=1_000)["Stardust"]
    again = plan("stardust", **found["settings"])["designs"][0]
    assert (found["values"]["transceivers"], found["values"]["links_near"]) == (again["transceivers"], again["cables"])
    without = named(hosts=1_000, prices="none")
    reason = "how many serial links share a cable is a matter of prices"
    for key in ("links_near", "links_far", "transceivers"):
        assert without["Stardust"]["not_given"][key] == reason
        assert without["fat-tree"]["values"][key] == named(hosts=1_000)["fat-tree"]["values"][key]


def test_cost_and_power_are_the_planners() -> None:
    found = named(hosts=10_000)
    again = plan("stardust", **found["Stardust"]["settings"])
    for name, design in zip(("Stardust", "fat-tree"), again["designs"], strict=True):
        values, power = found[name]["values"], design["power"]
        assert power is not None
        assert values["cost_usd"] == pytest.approx(design["cost_usd"])
        assert values["power_w"] == pytest.approx(power["network"])
        assert values["power_switches_w"] + values["power_transceivers_w"] == pytest.approx(values["power_w"])
        assert values["power_transceivers_w"] == pytest.approx(design["transceivers"] * 3.5)
    pods = plan("fastpod", **found["Fastpod"]["settings"])["fastpod"]
    assert pods["cost"] is not None
    assert found["Fastpod"]["values"]["cost_usd"] == pytest.approx(pods["cost"]["total_usd"])


def thinner_tree(place: int, **changes: Setting) -> Callable[[Asked], Configured]:
    """The fat-tree or Stardust with other settings than it takes."""

    def configured(wanted: Asked) -> Configured:
        settings = {**tree.configuration(wanted), **changes}
        found, missing = priced("stardust", settings, wanted.prices)
        return tree.tree(wanted, settings, found, missing, found["designs"][place])

    return configured


def fewer_cores(wanted: Asked) -> Configured:
    """Fastpod with half of the core switches that it takes."""
    settings = {**fastpod.fewest(wanted)[1], "cores_per_plane": 10, "rate": wanted.rate}
    found, missing = priced("fastpod", settings, wanted.prices)
    return fastpod.pods(wanted, settings, found, missing)


def slower_nodes(wanted: Asked) -> Configured:
    """Shoal whose nodes have no more than a host's rate, although cells take detours."""
    settings: dict[str, Setting] = {"nodes": wanted.hosts, "node_rate": wanted.rate}
    found, missing = priced("shoal", settings, wanted.prices)
    return shoal.rack(wanted, settings, found, missing)


def fewer_egress_nics(wanted: Asked) -> Configured:
    """AN3 as Table 2 of the paper sizes it, without regard to what lies between L1 switches."""
    settings: dict[str, Setting] = {
        "servers": wanted.hosts,
        "oversubscription": wanted.oversubscription,
        "rate": wanted.rate,
    }
    found, missing = priced("an3", settings, "none")
    return an3.half_racks(wanted, settings, found, missing)


@pytest.mark.parametrize(
    ("request_", "configure", "why"),
    [
        ({}, thinner_tree(1, oversubscription=2), "its bisection is 250.4 Tb/s, and 500 Tb/s are asked"),
        ({}, thinner_tree(0, oversubscription=2), "its bisection is 250.4 Tb/s, and 500 Tb/s are asked"),
        ({}, thinner_tree(1, fabric_oversubscription=3), "its bisection is 166.95 Tb/s, and 500 Tb/s are asked"),
        ({}, fewer_cores, "its bisection is 250 Tb/s, and 500 Tb/s are asked"),
        ({"hosts": 1_024}, slower_nodes, "its bisection is 25.6 Tb/s, and 51.2 Tb/s are asked"),
        (
            {"hosts": 4_096, "oversubscription": 1, "rate": "10 Gb/s"},
            fewer_egress_nics,
            "its bisection is 10.24 Tb/s, and 20.48 Tb/s are asked",
        ),
    ],
)
def test_less_bisection_than_asked_is_refused(
    request_: dict[str, Setting], configure: Callable[[Asked], Configured], why: str
) -> None:
    wanted = asked(**request_)
    network = judged("planted", "planted", wanted, configure(wanted))
    assert (network["verdict"], network["values"]) == ("does not fit", {})
    assert network["why"] is not None
    assert network["why"].endswith(why)


@pytest.mark.parametrize("switches", [1, 2, 3, 4, 5])
def test_the_cut_of_l1_switches_is_the_least_of_all(switches: int) -> None:
    trunk = an3.HALF // (switches - 1) if switches > 1 else 0
    least = an3.HALF * switches
    # Servers of the one half behind each switch, and on which side of the cut each switch is.
    for behind in itertools.product((0, an3.HALF // 2, an3.HALF), repeat=switches):
        if 2 * sum(behind) != an3.HALF * switches:
            continue
        for sides in itertools.product((True, False), repeat=switches):
            low = sum(sides)
            crossing = low * (switches - low) * trunk
            crossing += sum(an3.HALF - of if side else of for of, side in zip(behind, sides, strict=True))
            least = min(least, crossing)
    assert an3.crossing(switches, an3.HALF * switches) == least


def test_the_largest_an3_has_the_bisection_of_its_planner() -> None:
    largest = plan("an3")["largest"]
    switches = 2 * largest["containers"]
    assert an3.cut(switches, an3.HALF * switches) * an3.PAPER_BPS == largest["bisection_bps"]


@pytest.mark.parametrize(
    ("name", "most", "request_", "why"),
    [
        ("Shoal", 2_048, {}, "two stages of switches with 64 ports join no more than 2,048 nodes"),
        (
            "XFabric",
            350,
            {"rate": "10 Gb/s"},
            "a crosspoint has a port for every SoC and is one ASIC of 350 ports at most, so a rack has no more SoCs",
        ),
        (
            "Fastpod",
            63_488,
            {},
            "three tiers of switches with 64 ports of 100 Gb/s join no more than 63,488 hosts: raise switch_bandwidth",
        ),
        (
            "AN3",
            384,
            {"rate": "10 Gb/s"},
            "with 64 ports of an L1 switch to egress NICs and 64 to other L1 switches (§7), and no more than 64 "
            "containers (§2.2), its bisection is 1.92 Tb/s at most, and 1.925 Tb/s are asked",
        ),
    ],
)
def test_one_host_more_than_fits_does_not(name: str, most: int, request_: dict[str, Setting], why: str) -> None:
    assert named(hosts=most, **request_)[name]["verdict"] != "does not fit"
    refused = named(hosts=most + 1, **request_)[name]
    assert (refused["verdict"], refused["why"]) == ("does not fit", why)


def test_faster_hosts_than_a_soc_do_not_fit_and_no_bisection_is_not_checked() -> None:
    slow, fast = named(hosts=100, rate="60 Gb/s")["XFabric"], named(hosts=100, rate="61 Gb/s")["XFabric"]
    assert slow["verdict"] == "not checked"
    assert slow["why"] == "circuits follow the traffic, and the paper has no bound for any traffic"
    assert (fast["verdict"], fast["why"]) == (
        "does not fit",
        "a SoC has 6 ports of 10 Gb/s, which is less than 61 Gb/s",
    )


def test_prices_are_for_the_rate_that_they_are_of(folder: Path) -> None:
    (folder / "book.toml").write_text(BOOK)
    request: dict[str, Setting] = {"hosts": 150, "rate": "100 Gb/s"}
    paper = named(**request)["AN3"]
    assert paper["not_given"]["cost_usd"] == "the paper has prices and power of parts of 10 Gb/s alone"
    own = named(**request, prices="book.toml")["AN3"]
    links = own["values"]["links_near"]
    assert own["values"]["cost_links_usd"] == 1000 * links + 5 * own["values"]["links_rack"]
    assert own["values"]["power_switches_w"] == 900 * own["values"]["switches"]
    assert own["not_given"]["power_w"] == "the paper has no power of optical ends (§6)"


def test_what_has_no_price_leaves_the_rest(folder: Path) -> None:
    found = named(hosts=1_000, rate="10 Gb/s")["fat-tree"]
    assert found["not_given"]["cost_usd"] == "no price known for the cable to a host of 10 Gb/s"
    assert found["values"]["cost_switches_usd"] == 16_200 * found["values"]["switches"]
    assert found["values"]["power_switches_w"] == 310 * found["values"]["switches"]
    assert not any(used["part"] == "host-cable" for used in found["prices"])
    (folder / "book.toml").write_text(
        '[[entry]]\npart = "host-cable"\nusd = 7\ndate = "2026-11"\nsource = "quotation"\n'
    )
    priced_ = named(hosts=1_000, rate="10 Gb/s", prices="book.toml")["fat-tree"]
    assert priced_["values"]["cost_usd"] > 7_000
    none = named(hosts=1_000, rate="10 Gb/s", prices="none")
    for network in none.values():
        assert not any(key.endswith(("_usd", "_w")) for key in network["values"])
        assert network["prices"] == []


def test_plots_have_what_fits_and_is_given(gossamer: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "COMPARED_PER_DECADE", 1)
    assert [each["asked"]["hosts"] for each in sweep.over_all({"hosts": 300})] == [
        100,
        300,
        1_000,
        10_000,
        100_000,
        1_000_000,
    ]
    result = gossamer("plan", "compare", "--hosts", "300", "--rate", "10 Gb/s", "--out", "plots")
    assert result.out.endswith("plots: 4 files in plots\n")
    costs, powers = ((folder / "plots" / f"{name}-of-a-host.svg").read_text() for name in ("cost", "power"))
    # Of hosts of 10 Gb/s AN3 alone has a cost, and XFabric, whose bisection is not checked, no line.
    assert {name for name in SWITCHES if f'label: {name}"' in costs} == {"AN3"}
    assert {name for name in SWITCHES if f'label: {name}"' in powers} == {"fat-tree", "Stardust", "Shoal", "AN3"}
    without = gossamer("plan", "compare", "--prices", "none", "--out", "nothing")
    assert without.out.endswith("plots: 0 files in nothing\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hosts", "0"], "hosts = 0: expected a whole number from 1 to 1000000000"),
        (
            ["--rate", "100G"],
            "rate = 100G: `100G` has the unit `G`; the units are b/s, kb/s, Mb/s, Gb/s, Tb/s: write a rate such as "
            '"100 Gb/s"',
        ),
        (["--oversubscription", "0.5"], "oversubscription = 0.5: expected a number from 1 to 1000"),
        (
            ["--prices", "modem"],
            "prices = modem: no such file; expected paper, modern, none, or a TOML file of prices",
        ),
        (
            ["--switch-bandwidth", "20 Gb/s"],
            "switch_bandwidth = 20 Gb/s: room for too few ports of 1 x 25 Gb/s, 0 where a fabric needs 2: raise it, or "
            "use smaller bundles or links",
        ),
        (
            ["--link-rate", "fast"],
            'link_rate = fast: `fast` does not start with a number; write a rate such as "100 Gb/s"',
        ),
    ],
)
def test_bad_input_is_one_message(gossamer: Command, words: list[str], message: str) -> None:
    result = gossamer("plan", "compare", *words)
    assert (result.status, result.out, result.err) == (2, "", f"error: {message}\n")
