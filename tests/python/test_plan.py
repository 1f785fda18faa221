"""Plans in closed form, from Python."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import gossamer
from conftest import ROOT
from gossamer import InputError
from gossamer.plan import systems
from gossamer.plan.sweep import ADAPTERS, over_hosts


def test_stardust_stands_beside_a_fat_tree_for_each_bundle() -> None:
    found = gossamer.plan("stardust")
    assert [design["name"] for design in found["designs"]] == [
        "Stardust",
        "fat-tree 1 x 25 Gb/s",
        "fat-tree 2 x 25 Gb/s",
        "fat-tree 4 x 25 Gb/s",
    ]


def test_settings_are_numbers_texts_and_lists() -> None:
    found = gossamer.plan(
        "stardust",
        hosts=10_240,
        host_rate="100 Gb/s",
        switch_bandwidth="12.8 Tb/s",
        link_rate="50 Gb/s",
        bundles=(8,),
        price_switch=16_200,
        switch_power_w=310,
        price_transceivers={"50 Gb/s": 280, "400 Gb/s": 2000},
    )
    stardust, fat_tree = found["designs"]
    assert (stardust["tiers"], stardust["elements"], stardust["links"]) == (1, 80, 20_480)
    assert (fat_tree["tiers"], fat_tree["elements"], fat_tree["links"]) == (2, 240, 40_960)
    assert fat_tree["cost"] is not None
    assert fat_tree["cost"]["transceivers_usd"] == 2 * 2000 * 2 * 2560
    assert found["input"]["price_transceivers"] == {"50 Gb/s": 280.0, "400 Gb/s": 2000.0}
    assert [used["source"] for used in found["prices"] if used["value"] == 2000] == ["set with price_transceivers"]


@pytest.mark.parametrize(
    ("system", "settings", "message"),
    [
        ("stardusk", {}, 'no plan for "stardusk": did you mean stardust?'),
        ("stardust", {"host": 3}, "host: no such setting; did you mean hosts?"),
        ("stardust", {"hosts": 1.5}, "hosts = 1.5: expected a whole number from 1 to 1000000000"),
        (
            "stardust",
            {"link_rate": 25},
            'link_rate = 25: `25` has no unit; write a rate such as "100 Gb/s"',
        ),
        (
            "stardust",
            {"hosts": {1, 2}},
            "settings of a plan must be numbers, strings, or lists and dicts of them: Object of type set is not JSON "
            "serializable",
        ),
    ],
)
def test_what_cannot_be_is_answered(system: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        gossamer.plan(system, **settings)
    assert str(caught.value) == message


def documented_settings(system: str) -> dict[str, str]:
    """Settings and defaults in the system's section of the page."""
    page = (ROOT / "docs" / "planner.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {system}\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", section, re.MULTILINE))


def written(value: object) -> str:
    """A default as the page has it."""
    if value is None:
        return "the book's"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value).removesuffix(".0")


def test_every_setting_is_documented_with_its_default() -> None:
    documented = documented_settings("Stardust")
    found = dict(gossamer.plan("stardust")["input"])

    assert documented == {key: written(value) for key, value in found.items()}
    again = gossamer.plan("stardust", **{key: value for key, value in documented.items() if found[key] is not None})
    assert again == gossamer.plan("stardust")


MINE = """\
[[entry]]
part = "host-cable"
rates = ["400 Gb/s"]
usd = 150
date = 2026-11-01
source = "a quote"
"""

TODAY: dict[str, Any] = {
    "hosts": 4096,
    "hosts_per_adapter": 64,
    "host_rate": "400 Gb/s",
    "switch_bandwidth": "51.2 Tb/s",
    "link_rate": "100 Gb/s",
    "bundles": (8,),
}


def test_a_book_of_one_s_own_fills_what_the_planner_s_lacks(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"^no price known for the cable to a host of 400 Gb/s: set price_server_cable=USD"
    ):
        gossamer.plan("stardust", **TODAY, prices="modern")
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    found = gossamer.plan("stardust", **TODAY, prices=str(file))
    stardust, fat_tree = found["designs"]
    assert stardust["cost"] is not None
    assert fat_tree["cost"] is not None
    assert stardust["cost"]["server_cables_usd"] == 4096 * 150
    by_part = {(used["part"], used["rate_bps"], used["unit"]): used for used in found["prices"]}
    quoted = by_part["host-cable", 400_000_000_000, "usd"]
    assert (quoted["value"], quoted["date"], quoted["undated"], quoted["source"]) == (
        150,
        "2026-11-01",
        False,
        "a quote",
    )
    read = by_part["transceiver", 800_000_000_000, "w"]
    assert (read["value"], read["date"], read["undated"]) == (17.0, "2026-11", True)
    assert read["source"].startswith("https://docs.nvidia.com/")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "prices = {file}: no such file; expected paper, modern, none, or a TOML file of prices"),
        ("[[entry]\n", "{file}: Expected ']]' at the end of an array declaration (at line 1, column 8)"),
        ("entry = [1]\n", "{file}: no [[entry]] tables; expected [[entry]] tables as in docs/planner.md"),
        ("", "{file}: no [[entry]] tables; expected [[entry]] tables as in docs/planner.md"),
        (MINE + "[other]\n", "{file}: unknown key 'other'; expected [[entry]] tables as in docs/planner.md"),
        (
            MINE.replace("usd = 150", "usd = -1"),
            "book = the given prices: usd = -1 of the cable to a host of 400 Gb/s: expected a number from 0 to "
            "1000000000; expected [[entry]] tables as in docs/planner.md",
        ),
    ],
)
def test_a_book_that_cannot_be_read_is_answered(tmp_path: Path, text: str | None, message: str) -> None:
    file = tmp_path / "my-prices.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError) as caught:
        gossamer.plan("stardust", prices=str(file))
    assert str(caught.value) == message.format(file=file)


def test_without_prices_there_are_sizes_and_no_cost() -> None:
    found = gossamer.plan("stardust", **TODAY, prices="none")
    for design in found["designs"]:
        assert (design["cost"], design["cost_usd"], design["power"]) == (None, None, None)
        assert design["cost_missing"] is not None
        assert design["devices"] == 64 + 32
    assert found["prices"] == []


def test_systems_are_listed() -> None:
    assert [system["name"] for system in systems()] == ["stardust", "shoal", "xfabric", "fastpod", "an3"]


def test_curves_have_both_sides_of_every_step() -> None:
    plans = over_hosts({"bundles": (4,)})
    hosts = [plan["input"]["hosts"] for plan in plans]
    assert hosts == sorted(set(hosts))
    assert (hosts[0], hosts[-1]) == (40 * ADAPTERS, 1_000_000)
    assert all(number % 40 == 0 for number in hosts)
    for most, design in ((2_560, 1), (10_240, 0), (81_920, 1)):
        tiers = {plan["input"]["hosts"]: plan["designs"][design]["tiers"] for plan in plans}
        assert tiers[most] + 1 == tiers[most + 40]


def test_a_plan_is_plain_json() -> None:
    found = gossamer.plan("stardust", hosts=1_000_000_000, bundles=[1])
    assert json.loads(json.dumps(found)) == found
    assert found["designs"][0]["limits"][3]["hosts"] == 40 * 256 * 128**3
