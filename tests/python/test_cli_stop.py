"""Ctrl-C and its like stop the runs, keep what they had, and make the report of that. SIGKILL keeps the rows so far."""

import json
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

import gossamer
from conftest import LONG, process
from gossamer import Results

SAVED = Path("runs/run/series.arrow.tail")
"""Only the loop of events saves rows: a run that has this is under way, and one that is stopped earlier not started."""


@pytest.fixture
def running(tmp_path: Path) -> "subprocess.Popen[str]":
    """A run that would go on for a minute, at the point where it has saved its first rows."""
    (tmp_path / "long.toml").write_text(LONG)
    started = process("run", "long.toml", "--threads", "1", cwd=tmp_path)
    saved = tmp_path / "results" / "long" / SAVED
    deadline = time.monotonic() + 60
    while not saved.exists():
        assert started.poll() is None, started.communicate()
        assert time.monotonic() < deadline, "no rows were saved"
        time.sleep(0.05)
    return started


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_keeps_what_there_is(
    running: "subprocess.Popen[str]", tmp_path: Path, number: signal.Signals
) -> None:
    running.send_signal(number)
    if number != signal.SIGINT:
        running.send_signal(number)  # as `timeout` does: once to the process and once to its group
    out, err = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "stopping; results so far are kept (Ctrl-C again quits at once)\n" in err
    assert "Traceback" not in err
    assert out.splitlines()[-3:] == [
        "results: results/long",
        "report:  results/long/report.html",
        "resume:  gossamer run long.toml --threads 1 --resume results/long",
    ]
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
        "import gossamer, os, signal, threading, time\n"
        "def interrupt():\n"
        f"    while not os.path.exists('out/{SAVED}'):\n"
        "        time.sleep(0.05)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
        "try:\n"
        "    gossamer.run('long.toml', out='out')\n"
        "except KeyboardInterrupt:\n"
        "    print(gossamer.load('out')[0].status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def test_the_line_that_goes_on_is_for_a_shell(tmp_path: Path) -> None:
    (tmp_path / "long one.toml").write_text(LONG)
    arguments = ["run", "long one.toml", "--set", "fabric.queue='50 packets'", "--set", "seed=3", "--no-report"]
    ended = process(*arguments, "--wall-limit", "200ms", cwd=tmp_path)
    out, err = ended.communicate(timeout=60)
    assert ended.returncode == 1, err
    label, _, line = out.splitlines()[-1].partition(" ")
    assert label == "resume:"
    words = shlex.split(line)
    assert words == ["gossamer", *arguments[:-1], "--wall-limit", "0.2s", "--no-report", "--resume", "results/long one"]
    again = process(*words[1:], cwd=tmp_path)
    assert again.communicate(timeout=60)[0].splitlines()[-1] == out.splitlines()[-1]


def test_a_killed_run_leaves_its_rows(running: "subprocess.Popen[str]", tmp_path: Path) -> None:
    """Rows that fill no batch yet are saved beside their table, so that nothing but the last seconds is lost."""
    folder = tmp_path / "results" / "long"
    running.kill()
    running.communicate(timeout=60)
    results = Results.open(folder)
    assert results[0].status == "running"
    assert results.series.num_rows > 0
    times = [row["time_ps"] for row in results.series.to_pylist() if row["series"] == "goodput"]
    assert times == sorted(set(times)), "no row is there twice"
    again = process("report", "results/long", cwd=tmp_path)
    out, err = again.communicate(timeout=60)
    assert (again.returncode, err) == (0, "")
    assert "run run was still going on, or was killed" in out


LARGE = """
seed = 1
duration = "1 ms"
[topology]
kind = "fat-tree"
k = 64
[fabric]
kind = "fluid"
[transport]
kind = "direct"
[[workload]]
kind = "permutation"
size = "10 KB"
"""
"""Its check, and then its build, take seconds."""


def test_a_check_that_is_interrupted_computes_no_more(tmp_path: Path) -> None:
    """Its thread ends as well, within a second of processor time."""
    import sys

    (tmp_path / "large.toml").write_text(LARGE)
    program = (
        "import gossamer, os, signal, threading, time\n"
        "def threads():\n"
        "    return len(os.listdir('/proc/self/task'))\n"
        "before = threads()\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    gossamer.check('large.toml')\n"
        "except KeyboardInterrupt:\n"
        "    used = time.process_time()\n"
        "    while threads() > before:\n"
        "        time.sleep(0.01)\n"
        "    print(time.process_time() - used < 1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_run_that_is_stopped_while_it_is_built_was_not_started(tmp_path: Path) -> None:
    """What was done before is kept, and the manifest says the truth about both."""
    small = '[[variant]]\nname = "small"\ntopology.k = 4\n'
    (tmp_path / "large.toml").write_text(LARGE + small + '[[variant]]\nname = "large"\nfabric.sharing = "ecmp-paths"\n')
    running = gossamer.start(tmp_path / "large.toml", out=tmp_path / "out", threads=1)
    deadline = time.monotonic() + 60
    while running.progress()["runs"][1]["status"] != "running":
        assert time.monotonic() < deadline, "the large run was never begun"
        time.sleep(0.005)
    running.stop()
    assert running.wait(60)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    small, large = manifest["runs"]
    message = "it was stopped before its network and its workload were built"
    assert (manifest["status"], small["status"], small["message"]) == ("stopped", "done", None)
    assert (large["status"], large["message"], large["simulated_ps"], large["tables"]) == (
        "not-started",
        message,
        0,
        {},
    )
    results = Results.open(tmp_path / "out")
    assert results.flows.num_rows == 16
    assert results["large"].why_empty("flows") == f"run large was not started ({message})"
