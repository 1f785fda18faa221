"""Plans in closed form, from Python."""

import json
import re
from typing import Any

import pytest

import gossamer
from conftest import ROOT
from gossamer import InputError
from gossamer.plan import systems
from gossamer.plan.sweep import ADAPTERS, over_hosts


def test_a_plan_has_what_its_type_says() -> None:
    from gossamer.plan.stardust import Design, Fabric, StardustPlan

    found = gossamer.plan("stardust")
    assert set(found) == set(StardustPlan.__annotations__)
    assert set(found["fabric"]) == set(Fabric.__annotations__)
    for design in found["designs"]:
        assert set(design) == set(Design.__annotations__)
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
        price_transceivers={"50 Gb/s": 280, "400 Gb/s": 2000},
    )
    stardust, fat_tree = found["designs"]
    assert (stardust["tiers"], stardust["elements"], stardust["links"]) == (1, 80, 20_480)
    assert (fat_tree["tiers"], fat_tree["elements"], fat_tree["links"]) == (2, 240, 40_960)
    assert fat_tree["cost"] is not None
    assert fat_tree["cost"]["transceivers_usd"] == 2 * 2000 * 2 * 2560
    assert found["input"]["prices"]["transceivers"] == {"50 Gb/s": 280.0, "400 Gb/s": 2000.0}


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
            "settings of a plan are numbers, texts, lists and dicts of them: Object of type set is not JSON "
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


def test_every_setting_is_documented_with_its_default() -> None:
    documented = documented_settings("Stardust")
    found = dict(gossamer.plan("stardust")["input"])
    prices = {f"price_{key}": value for key, value in found.pop("prices").items()}

    def written(value: Any) -> str:
        if isinstance(value, dict):
            return ", ".join(f"{rate}: {price}" for rate, price in value.items())
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)

    assert documented == {key: written(value) for key, value in {**found, **prices}.items()}
    again = gossamer.plan("stardust", **documented)
    assert again == gossamer.plan("stardust")


def test_systems_are_listed() -> None:
    assert [system["name"] for system in systems()] == ["stardust", "shoal", "xfabric"]


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
