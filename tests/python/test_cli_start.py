"""What a command loads before it does anything: a second of imports is felt at every call."""

import subprocess
import sys
from pathlib import Path

import pytest

EXPERIMENT = Path(__file__).parents[2] / "experiments" / "permutation.toml"
SLOW = {"altair", "vl_convert", "pandas", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet"}
"""What draws and converts."""


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["check", str(EXPERIMENT)], ["plan", "shoal"]])
def test_commands_that_draw_nothing_load_nothing_that_draws(arguments: list[str]) -> None:
    program = (
        "import sys; from gossamer.cli import commands; commands(sys.argv[1:], standalone_mode=False); "
        "print(*sys.modules, file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert not SLOW & set(ended.stderr.split())
