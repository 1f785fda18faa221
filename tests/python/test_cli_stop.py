"""Ctrl-C stops the runs, keeps what they had, and makes the report of that."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import LONG, process
from gossamer import Results


@pytest.fixture(autouse=True)
def _hears_signals() -> Iterator[None]:
    """A shell that starts tests in the background has them, and what they start, ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def running(tmp_path: Path) -> "subprocess.Popen[str]":
    """A run that would go on for hours, at the point where it has left its first tables."""
    (tmp_path / "long.toml").write_text(LONG)
    started = process("run", "long.toml", "--threads", "1", cwd=tmp_path)
    tables = tmp_path / "results" / "long" / "runs"
    deadline = time.monotonic() + 60
    while not list(tables.glob("*/*.arrow")):
        assert started.poll() is None, started.communicate()
        assert time.monotonic() < deadline, "no table was begun"
        time.sleep(0.05)
    time.sleep(0.5)
    return started


def test_one_signal_keeps_what_there_is(running: "subprocess.Popen[str]", tmp_path: Path) -> None:
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "stopping: what there is so far is kept (Ctrl-C again leaves at once)\n" in err
    assert "Traceback" not in err
    assert out.splitlines()[-2:] == ["results: results/long", "report:  results/long/report.html"]
    folder = tmp_path / "results" / "long"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["status"] == "stopped"
    assert manifest["runs"][0]["status"] == "stopped"
    assert 0 < manifest["runs"][0]["simulated_ps"] < 100_000_000_000_000
    results = Results.open(folder)
    assert results.flows.num_rows == 2
    assert results.summary.num_rows == 1
    assert "<html" in (folder / "report.html").read_text()


def test_python_gets_its_keyboard_interrupt(tmp_path: Path) -> None:
    """From Python: the runs stop, what they had is kept in the folder, and Ctrl-C stays what it is."""
    import sys

    (tmp_path / "long.toml").write_text(LONG)
    program = (
        "import gossamer, os, signal, threading\n"
        "threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    gossamer.run('long.toml', out='out')\n"
        "except KeyboardInterrupt:\n"
        "    print(gossamer.load('out')[0].status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert (done.stdout, done.stderr) == ("stopped\n", "")
