"""What `check` says a run would cost, beside what it does: ready-made experiments, cut short."""

import pytest

import gossamer
from conftest import ROOT

FACTOR = 3.0
"""An estimate is at most so many times too high or too low."""


@pytest.mark.parametrize(
    ("name", "duration"),
    [
        ("all-reduce", "1 ms"),
        ("leaf-spine", "500 us"),
        ("load-sweep", "1 ms"),
        ("oversubscription", "500 us"),
        ("stardust-vs-ethernet", "200 us"),
    ],
)
def test_hops_are_those_that_runs_make(name: str, duration: str) -> None:
    """However little of the traffic fits into the time. A tree, most of whose hosts wait, is the one exception."""
    file = ROOT / "experiments" / f"{name}.toml"
    overrides = [f"duration={duration}", "warmup=0 us"]
    said = gossamer.check(file, overrides=overrides)["runs"]
    made = gossamer.run(file, overrides=overrides).manifest.runs
    ratios = {plan["name"]: plan["estimated_hops"] / run.hops for plan, run in zip(said, made, strict=True)}
    ratios.pop("tree", None)
    assert {run: ratio for run, ratio in ratios.items() if not 1 / FACTOR < ratio < FACTOR} == {}
