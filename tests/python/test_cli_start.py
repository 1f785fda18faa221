"""What a command loads before it does anything: a second of imports is felt at every call."""

import subprocess
import sys
from pathlib import Path

import pytest

EXPERIMENT = Path(__file__).parents[2] / "experiments" / "permutation.toml"
SLOW = {"altair", "vl_convert", "pandas", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet"}
"""What draws and converts."""


def loaded(arguments: list[str]) -> set[str]:
    """The modules that a command has loaded by its end."""
    program = (
        "import sys; from gossamer.cli import commands; commands(sys.argv[1:], standalone_mode=False); "
        "print(*sys.modules, file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return set(ended.stderr.split())


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["check", str(EXPERIMENT)], ["plan", "shoal"]])
def test_commands_that_draw_nothing_load_nothing_that_draws(arguments: list[str]) -> None:
    assert not SLOW & loaded(arguments)


def test_a_run_without_a_report_loads_nothing_that_draws(tmp_path: Path) -> None:
    short = ["--set", "duration=20 us", "--set", "warmup=0 us", "--no-report", "--out", str(tmp_path / "results")]
    assert not {"altair", "vl_convert"} & loaded(["run", str(EXPERIMENT), *short])


def test_a_comparison_without_a_report_loads_nothing_that_draws(tmp_path: Path) -> None:
    for name in ("before", "after"):
        short = ["--set", "duration=20 us", "--set", "warmup=0 us", "--no-report", "--out", str(tmp_path / name)]
        loaded(["run", str(EXPERIMENT), *short])
    assert not SLOW & loaded(["compare", str(tmp_path / "before"), str(tmp_path / "after"), "--no-report"])
