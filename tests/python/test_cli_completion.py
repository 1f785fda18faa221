"""What a shell completes, asked as a shell asks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT, SMALL


def completed(folder: Path, *words: str) -> list[str]:
    """What bash offers in place of the last of these words."""
    environment = {
        "_GOSSAMER_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["gossamer", *words]),
        "COMP_CWORD": str(len(words)),
    }
    program = "import sys; sys.argv = ['gossamer']; from gossamer.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr == ""
    return ended.stdout.splitlines()


def test_experiment_files_and_no_others(folder: Path) -> None:
    (folder / "small.toml").write_text(SMALL)
    (folder / "pyproject.toml").write_text("[project]\n")
    (folder / "notes").mkdir()
    assert completed(folder, "run", "") == ["plain,small.toml", "plain,notes/"]
    assert completed(folder, "check", "no") == ["dir,no"]


def test_results_folders(folder: Path) -> None:
    for name in ("quick", "other"):
        (folder / "results" / name).mkdir(parents=True)
    (folder / "results" / "quick" / "manifest.json").write_text("{}")
    assert completed(folder, "report", "results/q") == ["plain,results/quick"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["rep"], ["plain,report", "plain,reproduce"]),
        (["new", "inc"], ["plain,incast"]),
        (["list", "tra"], ["plain,transports"]),
        (["reproduce", "s"], ["plain,shoal", "plain,stardust"]),
        (["reproduce", "stardust", "fig10a-t"], ["plain,fig10a-throughput"]),
        (["run", "x.toml", "--plots", "png,s"], ["plain,png,svg"]),
        (["check", "x.toml", "--set", "see"], ["plain,seed="]),
        (["check", "x.toml", "--set", "topo"], ["plain,topology."]),
        (["check", "x.toml", "--set", "topology.hos"], ["plain,topology.hosts="]),
    ],
)
def test_names(words: list[str], offered: list[str]) -> None:
    found = completed(ROOT, *words)
    assert set(offered) <= set(found)
    assert all(each.partition(",")[2].startswith(words[-1]) for each in found)
