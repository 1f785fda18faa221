"""The claims of Stardust that closed forms settle, with all their numbers."""

import json
from pathlib import Path

import pytest

from conftest import Command
from gossamer.reproduce import Outcome, reproduce

CLAIMS = (
    "fig2a-1tier-l1",
    "fig2a-1tier-l8",
    "fig2a-2tier-l8",
    "packet-rate",
    "min-credit",
    "recovery-time",
    "element-memory",
    "fig10d-area",
    "fig11-cost-power",
    "table2-sizes",
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    found = reproduce("stardust", CLAIMS, out=tmp_path_factory.mktemp("claims"))
    return {outcome.claim.id: outcome for outcome in found}


@pytest.mark.parametrize(
    ("claim", "verdict", "measured"),
    [
        ("fig2a-1tier-l1", "reproduced", 10_240),
        ("fig2a-1tier-l8", "reproduced", 1_280),
        ("fig2a-2tier-l8", "reproduced", 20_480),
        ("packet-rate", "reproduced", {"64 B": 12_800 / 672, "256 B": 12_800 / 2_208}),
        ("min-credit", "deviates", 2_500),
        (
            "recovery-time",
            "reproduced",
            {
                "messages": 7,
                "one_update_us": 210,
                "three_updates_us": 630,
                "with_propagation_us": 652,
                "overhead_percent": 0.0384,
            },
        ),
        ("element-memory", "reproduced", {"memory_mb": 8.388608, "worst_latency_us": 5.24288}),
        ("fig10d-area", "not-comparable", {"area_per_tbps": 0.666}),
        (
            "table2-sizes",
            "deviates",
            {
                "tors": 4,
                "switches": 4,
                "bundles": 3,
                "links_per_tor": 3,
                "tors, row n": 4,
                "switches, row n": 4,
                "bundles, row n": 1,
                "links_per_tor, row n": 1,
            },
        ),
    ],
)
def test_verdicts(outcomes: dict[str, Outcome], claim: str, verdict: str, measured: object) -> None:
    outcome = outcomes[claim]
    assert str(outcome.verdict) == verdict
    assert outcome.measured == pytest.approx(measured)


def test_cost_and_power(outcomes: dict[str, Outcome]) -> None:
    """The paper's extremes come out for the power and not for the cost; by how much is said."""
    outcome = outcomes["fig11-cost-power"]
    assert outcome.measured == pytest.approx(
        {"cost_ratio_min": 0.5884, "power_saving_max": 0.2635, "fabric_power_saving_max": 0.7780}, abs=2e-4
    )
    assert [str(check.verdict) for check in outcome.checks] == ["deviates", "reproduced", "reproduced"]
    assert outcome.note.startswith("Stardust is always the cheapest. ")


def test_what_the_paper_says_twice_is_reported(outcomes: dict[str, Outcome]) -> None:
    assert "App. B prints P = 6.06 for 256 B; its own equation gives 5.797" in outcomes["packet-rate"].note
    assert outcomes["packet-rate"].lines() == [
        "reproduced          packet-rate (§2.3, App B)",
        "  64 B   19.048  19.047 to the last digit  +0.003 %  reproduced",
        "  256 B  5.797   5.797 to the last digit   +0.002 %  reproduced",
    ]
    assert outcomes["min-credit"].note == (
        "The paper's own expression, 10 Tb/s over half of 1 GHz, is 20,000 bits: 2500 B with 8 bits a byte. A credit "
        "of 2000 B goes with 8 Tb/s"
    )


def test_figures_are_drawn_with_the_paper_s_numbers(outcomes: dict[str, Outcome]) -> None:
    names = {Path(file).name for outcome in outcomes.values() for file in outcome.plots}
    wanted = ("fig2a-1tier-l1-fig2a", "fig2a-1tier-l1-fig2b", "fig2a-1tier-l1-fig2c", "fig10d-area", "recovery-time")
    cost_power = ("fig11-cost-power-cost", "fig11-cost-power-power")
    assert names == {f"{name}.{kind}" for name in (*wanted, *cost_power) for kind in ("png", "svg")}
    files = {Path(file).name: Path(file) for outcome in outcomes.values() for file in outcome.plots}
    assert "10240 hosts in the paper" in files["fig2a-1tier-l1-fig2a.svg"].read_text()
    assert "lowest in the paper: 50%" in files["fig11-cost-power-cost.svg"].read_text()
    assert "fabric alone, lowest in the paper: 22%" in files["fig11-cost-power-power.svg"].read_text()


def test_the_list_says_what_computes_a_claim(gossamer: Command) -> None:
    entries = json.loads(gossamer("reproduce", "stardust", "--list", "--json").out)
    computed = [entry["claim"] for entry in entries if entry["computation"] == "gossamer plan stardust"]
    assert sorted(computed) == sorted(CLAIMS)
