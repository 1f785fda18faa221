"""Inputs that went wrong once: each has one message with its cure, exit status 2, no traceback, and takes no time."""

import os
import signal
import time
from pathlib import Path

import pytest

from conftest import SMALL, Command, process

LIMIT_S = 20.0
"""No answer takes longer, on a busy machine and in a debug build. Most take milliseconds."""


def replaced(old: str, new: str) -> str:
    """`SMALL` with one text in the place of another."""
    assert old in SMALL
    return SMALL.replace(old, new, 1)


def trace(path: str) -> str:
    """`SMALL` with the flows of a file."""
    return replaced('kind = "permutation"', f'kind = "trace"\npath = "{path}"\nformat = "csv"')


ROW = "src,dst,bytes,start\n0,1,1000,0\n"

TABLE: list[tuple[str, str, dict[str, bytes], str]] = [
    # What it is, the experiment, files beside it, the message after "error: ".
    (
        "a delay at the end of 64 bits",
        replaced('delay = "1 us"', 'delay = "18446744073709551615 ps"'),
        {},
        'x.toml:9: topology.delay = "18446744073709551615 ps": must be at most 10 s',
    ),
    (
        "more flows than fit",
        replaced('kind = "permutation"', 'kind = "background"\nflows_per_host = 4294967295'),
        {},
        "x.toml:20: workload.0.flows_per_host = 4294967295: that is 8589934590 flows at once, and the limit is "
        "10000000; write less",
    ),
    (
        "more arrivals than there are instants",
        replaced(
            'kind = "permutation"', 'kind = "poisson"\nsize = "1 KB"\nflows_per_second = 1e300\nallow_overload = true'
        ),
        {},
        "x.toml:21: workload.0.flows_per_second = 1e300: must be above 0 and at most 1000000000000",
    ),
    (
        "a seed twice",
        SMALL + "\n[sweep]\nseed = [1, 1]\n",
        {},
        "x.toml:22: sweep: sweep.seed: has 1 twice: two of its runs would be the same; keep one",
    ),
    (
        "one host",
        replaced('kind = "star"\nhosts = 2', 'kind = "leaf-spine"\nleaves = 1\nspines = 1\nhosts_per_leaf = 1'),
        {},
        "x.toml:9: topology.hosts_per_leaf = 1: makes a network of one host, which has nobody to send to; "
        "a run needs two at least",
    ),
    (
        "semicolons",
        trace("flows.csv"),
        {"flows.csv": ROW.replace(",", ";").encode()},
        'x.toml:20: workload.0.path = "flows.csv": flows.csv, line 1: the columns are apart by semicolons; '
        "write commas between them",
    ),
    (
        "a NUL in a list of flows",
        trace("flows.csv"),
        {"flows.csv": b"src,dst,bytes,start\n0,1,10\x0000,0\n"},
        'x.toml:20: workload.0.path = "flows.csv": flows.csv, line 2: this is not text; is it in another format, '
        "or not saved as UTF-8?",
    ),
    (
        "a NUL in the experiment",
        SMALL + "\0",
        {},
        "x.toml:20:1: not TOML: a NUL byte, which no text has; save the file as plain UTF-8 (not UTF-16)",
    ),
    (
        "an escape sequence",
        replaced('kind = "dctcp"', 'kind = "\\u001b[31mdctcp"'),
        {},
        'x.toml:16: transport.kind = "\\u{1b}[31mdctcp": no such kind; did you mean dctcp?',
    ),
    (
        "a device as a list of flows",
        trace("/dev/zero"),
        {},
        'x.toml:20: workload.0.path = "/dev/zero": can\'t read /dev/zero: it is a device or a pipe; '
        "name a regular file",
    ),
]


@pytest.mark.parametrize(("text", "files", "message"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_is_answered(folder: Path, gossamer: Command, text: str, files: dict[str, bytes], message: str) -> None:
    """By the same words of `check` and `run`, and nothing is written."""
    (folder / "x.toml").write_bytes(text.encode())
    for name, content in files.items():
        (folder / name).write_bytes(content)
    for command in ("check", "run"):
        began = time.monotonic()
        ended = gossamer(command, "x.toml")
        assert (ended.status, ended.err) == (2, f"error: {message}\n")
        assert time.monotonic() - began < LIMIT_S
    assert not (folder / "results").exists()


def test_a_byte_order_mark_is_no_part_of_a_column(folder: Path, gossamer: Command) -> None:
    """Spreadsheets write one."""
    (folder / "x.toml").write_text(trace("flows.csv"))
    (folder / "flows.csv").write_bytes(b"\xef\xbb\xbf" + ROW.encode())
    assert gossamer("check", "x.toml").status == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("as_trace", [True, False])
def test_a_pipe_is_not_waited_for(folder: Path, gossamer: Command, *, as_trace: bool) -> None:
    """Nobody writes to it."""
    os.mkfifo(folder / "pipe")
    (folder / "x.toml").write_text(trace("pipe"))
    ended = gossamer("check", "x.toml" if as_trace else "pipe")
    assert ended.status == 2
    assert "a device or a pipe" in ended.err


def test_memory_is_said_and_refused(folder: Path, gossamer: Command) -> None:
    """By check and run alike: a rack whose cells are a second on their way keeps each of them."""
    rack = replaced('delay = "1 us"', 'delay = "10 s"').replace("hosts = 2", "hosts = 64")
    rack = rack.replace('kind = "ethernet"\necn_threshold = "20 packets"', 'kind = "shoal"').replace("dctcp", "direct")
    (folder / "x.toml").write_text(rack)
    (folder / "small.toml").write_text(SMALL)
    for command in ("check", "run"):
        ended = gossamer(command, "x.toml", "--memory-limit", "8 GB")
        assert ended.status == 2
        assert "run run needs about" in ended.err
        assert "--memory-limit is 8 GB" in ended.err
    assert "Memory" in gossamer("check", "small.toml").out
    wrong = gossamer("check", "small.toml", "--memory-limit", "8")
    assert (wrong.status, wrong.err.splitlines()[0].startswith("error: --memory-limit: `8` has no unit")) == (2, True)


def test_ctrl_c_is_answered_while_plans_are_checked(folder: Path) -> None:
    """Thousands of runs of a large network take many seconds to check; nobody waits for the end of them."""
    seeds = ", ".join(str(seed) for seed in range(5000))
    (folder / "x.toml").write_text(replaced("hosts = 2", "hosts = 20000") + f"\n[sweep]\nseed = [{seeds}]\n")
    check = process("check", "x.toml", cwd=folder)
    time.sleep(3.0)
    assert check.poll() is None, "it is not over so soon"
    check.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, err = check.communicate(timeout=LIMIT_S)
    assert time.monotonic() - began < LIMIT_S / 2
    assert (check.returncode, err.strip()) == (130, "stopped")
