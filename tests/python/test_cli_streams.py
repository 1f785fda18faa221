"""Outputs that are closed, left or cannot say everything: the work goes on, and the exit status is the work's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SMALL, Command, process

COMMAND = f"{sys.executable} -m gossamer"
SAMPLED = SMALL.replace('delay = "1 us"', 'delay = "12 us"').replace("seed = 1", 'seed = 1\nwarmup = "7 us"')


def shell(line: str, folder: Path, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Carry out a line of a shell in which `gossamer` stands for the command."""
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    return subprocess.run(
        ["bash", "-c", line.replace("gossamer", COMMAND)],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_readers_that_leave_stop_nothing(folder: Path) -> None:
    (folder / "small.toml").write_text(SMALL)
    running = process("run", "small.toml", cwd=folder)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    running.stderr.close()
    assert running.wait(60) == 0
    assert (folder / "results" / "small" / "report.html").exists()


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_from_the_beginning(folder: Path, closed: str) -> None:
    ended = shell(f"gossamer run small.toml {closed}", folder)
    assert ended.returncode == 0
    assert b"Traceback" not in ended.stderr + ended.stdout
    assert (folder / "results" / "small" / "report.html").read_text(encoding="utf-8").startswith("<!")
    for table in (folder / "results").rglob("*.arrow"):
        assert table.read_bytes().startswith(b"\xff\xff\xff\xff"), "what was said went into a table"


def test_what_cannot_be_said_is_said_in_ascii(folder: Path) -> None:
    environment = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = shell("gossamer check small.toml", folder, **environment)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"200 us" in ended.stdout
    assert shell("gossamer run small.toml", folder, **environment).returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have only UTF-8 names")
@pytest.mark.parametrize("line", ["gossamer run caf\\xe9.toml", "gossamer run small.toml --out caf\\xe9"])
def test_names_that_are_not_utf_8(folder: Path, line: str) -> None:
    (folder / os.fsdecode(b"caf\xe9.toml")).write_text(SMALL)
    ended = shell(line.replace("caf\\xe9", "$'caf\\xe9'"), folder)
    name = "caf\\xe9.toml" if "toml --out" not in line else "caf\\xe9"
    assert ended.returncode == 2
    assert ended.stderr.decode() == f"error: {name}: is not UTF-8 text: rename the file or folder\n"


def test_more_threads_than_any_machine_has(gossamer: Command) -> None:
    for number in ("5000", str(2**70)):
        result = gossamer("run", "small.toml", "--threads", number)
        assert result.status == 2
        assert f"{number} is not in the range 1<=x<=4096." in result.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_is_no_regular_file(gossamer: Command, folder: Path) -> None:
    os.mkfifo(folder / "pipe.toml")
    for name in ("pipe.toml", "/dev/zero"):
        for command in ("check", "run"):
            result = gossamer(command, name)
            assert (result.status, result.err) == (
                2,
                f"error: {name}: is a device or a pipe, not a regular file; write it to a file first\n",
            )


def test_without_a_command_there_is_help(gossamer: Command) -> None:
    result = gossamer()
    assert (result.status, result.err) == (0, "")
    assert result.out == gossamer("--help").out
