"""What the tests of the command line share: commands in this process, small experiments, kept texts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gossamer import Running
from gossamer.cli import commands
from gossamer.cli.exits import ended
from gossamer.reproduce import packages
from gossamer.reproduce.claims import paper
from gossamer.reproduce.registry import Reproduction

ROOT = Path(__file__).resolve().parent.parent.parent
SNAPSHOTS = Path(__file__).resolve().parent / "snapshots"

SMALL = """\
title = "Two hosts and a switch"
seed = 1
duration = "200 us"

[topology]
kind = "star"
hosts = 2
rate = "10 Gb/s"
delay = "1 us"

[fabric]
kind = "ethernet"
ecn_threshold = "20 packets"

[transport]
kind = "dctcp"

[[workload]]
kind = "permutation"
"""
"""An experiment that is over in milliseconds."""

LONG = SMALL.replace('"200 us"', '"100 s"')
"""The same for so long that it never ends by itself in a test."""


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture(autouse=True, scope="session")
def _hears_signals() -> None:
    """A shell that starts tests in the background has them, and what they start, ignore Ctrl-C, and nohup SIGHUP."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the test works."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def gossamer(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Carry out a command of `gossamer` in this process, in an empty folder with `small.toml` in it."""
    monkeypatch.setenv("COLUMNS", "100")
    (folder / "small.toml").write_text(SMALL)

    def call(*arguments: str | Path) -> Ended:
        capfd.readouterr()
        status = ended(commands, [str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Ended(status, out, err)

    return call


def process(*arguments: str, cwd: Path, environment: dict[str, str] | None = None) -> "subprocess.Popen[str]":
    """Start `gossamer` as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "gossamer", *arguments],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def shorten(monkeypatch: pytest.MonkeyPatch, name: str, claims: Sequence[str], changes: Mapping[str, Any]) -> None:
    """Shorten the quick runs of a paper's claims further: a test needs fewer samples of them than a person."""
    known = packages.methods(paper(name))
    for claim in claims:
        method = known[claim]
        assert isinstance(method, Reproduction)
        monkeypatch.setattr(method, "quick", {**method.quick, **changes})


def await_hops(running: Running) -> None:
    """Wait until a run has moved frames: one that is stopped earlier ends as `not-started`, not as `stopped`."""
    deadline = time.monotonic() + 60
    while running.progress()["hops"] == 0:
        assert time.monotonic() < deadline, "no frame has moved"
        time.sleep(0.005)


def assert_snapshot(name: str, text: str) -> None:
    """Compare with the kept text; `UPDATE_SNAPSHOTS=1 pytest` keeps a new one."""
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        SNAPSHOTS.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"if the new text is right: UPDATE_SNAPSHOTS=1 pytest, {file.name}"
