"""`gossamer arbiter`: a service that is asked over the loopback, stopped, and refused what it cannot do."""

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import Command, assert_snapshot, process
from gossamer.cli.arbiter_words import WRONG, prometheus

if TYPE_CHECKING:
    import subprocess


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """An arbiter that serves 16 hosts, as a process, and its address."""
    started = process(
        "arbiter", "serve", "--listen", "127.0.0.1:0", "--slot", "2 ms", "--metrics", "arbiter.prom", cwd=tmp_path
    )
    assert started.stderr is not None
    first = started.stderr.readline()
    assert first.startswith("listens on 127.0.0.1:"), first
    assert first.endswith(", for 16 hosts\n"), first
    yield started, first.removeprefix("listens on ").split(",")[0]
    started.kill()
    started.communicate(timeout=60)


@pytest.mark.parametrize("role", ["serve", "voter", "load"])
def test_help_reads_as_kept(gossamer: Command, role: str) -> None:
    help_page = gossamer("arbiter", role, "--help")
    assert (help_page.status, help_page.err) == (0, "")
    assert max(map(len, help_page.out.splitlines())) <= 100
    assert_snapshot(f"arbiter-{role}-help", help_page.out)


def test_hosts_are_served_until_it_is_stopped(
    served: tuple["subprocess.Popen[str]", str], gossamer: Command, tmp_path: Path
) -> None:
    serving, address = served
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    host, _, port = address.partition(":")
    sender.sendto(b"no datagram of this format", (host, int(port)))
    sender.close()
    load = gossamer("arbiter", "load", "--arbiters", address, "--slot", "2 ms", "--duration", "500 ms", "--json")
    assert load.status == 0, load
    report = json.loads(load.out)
    assert report["allocations"] == report["wanted"] > 0
    assert (report["unmet"], report["collisions"], report["contradictions"], report["surplus"]) == (0, 0, 0, 0)
    assert sum(each["count"] for each in report["allocation_histogram"]) == report["demands"]
    words = gossamer("arbiter", "load", "--arbiters", address, "--slot", "2 ms", "--duration", "300 ms")
    assert words.status == 0
    assert words.out.startswith("16 hosts at load 0.5 for ")
    assert "Check        0 slots still wanted, 0 collisions, 0 contradictions\n" in words.out
    assert "\nDemand to first allocation" in words.out
    serving.send_signal(signal.SIGTERM)
    out, err = serving.communicate(timeout=60)
    assert serving.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in err
    assert "in charge, epoch 1, from slot " in err
    assert "a datagram begins with the bytes [6e, 6f, 20, 64], not with [47, 73, 41, 72]; it was dropped" in err
    assert "ends when another arbiter has taken over, if there is one (Ctrl-C again ends it at once)\n" in err
    assert out.startswith("Hosts        16 of 16 have asked\n")
    assert "Refused      datagrams: 1 of another format\n" in out
    metrics = (tmp_path / "arbiter.prom").read_text()
    assert 'gossamer_arbiter_malformed{kind="magic"} 1\n' in metrics
    assert "gossamer_arbiter_hosts_heard 16\n" in metrics
    assert 'gossamer_arbiter_latency_seconds{quantile="0.99"} ' in metrics


def test_a_voter_ends_with_what_it_did(tmp_path: Path) -> None:
    started = process("arbiter", "voter", "--listen", "127.0.0.1:0", "--state", "voter", "--json", cwd=tmp_path)
    assert started.stderr is not None
    assert started.stderr.readline().startswith("listens on 127.0.0.1:")
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (128 + signal.SIGINT, "")
    assert json.loads(out)["granted"] == 0
    assert (tmp_path / "voter").read_text() == "gossamer voter 1\nepoch 0\narbiter 0\nfloor 0\nuntil 0\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["serve", "--slot", "1 us", "--hosts-per-rack", "16"],
            "slot = 1 us: too short: 15 packets of 1500 B and 2 of 64 B at 100 Gb/s take 1.81024 us, before any guard "
            "bands",
        ),
        (
            ["serve", "--peers", "127.0.0.1:7201"],
            "peers = 127.0.0.1:7201: arbiters that stand in for each other need the same voters: write voters = "
            "ADDRESS,...",
        ),
        (["serve", "--listen", "192.0.2.1:7200"], "listen = 192.0.2.1:7200: this machine has no such address"),
        (["serve", "--listen", "nobody"], 'listen = nobody: "nobody" is no address and port, such as 127.0.0.1:7200'),
        (["serve", "--key", "none.key"], "key = none.key: No such file or directory (os error 2)"),
        (["serve", "--metrics", "none/file"], "--metrics none/file: No such file or directory"),
        (["voter", "--state", "small.toml"], "small.toml: this is no file of a voter"),
        (["load", "--load", "3"], "load = 3: expected a number from 0 to 2"),
        (["load", "--racks", "1", "--hosts-per-rack", "1"], "hosts_per_rack = 1: a host alone has nobody to send to"),
    ],
)
def test_bad_input_is_one_message(gossamer: Command, words: list[str], message: str) -> None:
    refused = gossamer("arbiter", *words)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == f"error: {message}\n"


def test_an_address_that_is_taken_is_named(served: tuple["subprocess.Popen[str]", str], gossamer: Command) -> None:
    address = served[1]
    refused = gossamer("arbiter", "serve", "--listen", address)
    assert (refused.status, refused.err) == (
        2,
        f"error: listen = {address}: something else listens there already\n",
    )


def test_hosts_that_the_pod_does_not_have_are_refused(
    served: tuple["subprocess.Popen[str]", str], gossamer: Command
) -> None:
    address = served[1]
    words = ["arbiter", "load", "--arbiters", address, "--slot", "2 ms", "--racks", "40", "--load", "1"]
    refused = gossamer(*words)
    assert refused.status == 2
    last = refused.err.splitlines()[-1]
    assert last.startswith(f"error: the arbiter at {address} refuses: host "), refused.err
    assert last.endswith(", but hosts are 0..16 there"), refused.err


def test_every_kind_of_malformed_datagram_has_words() -> None:
    from gossamer import _native

    properties = json.loads(_native.types())["$defs"]["ArbiterMalformed"]["properties"]
    assert set(WRONG) == set(properties)


def test_metrics_are_one_number_a_line() -> None:
    report = {
        "address": "127.0.0.1:1",
        "role": "active",
        "allocations": 5,
        "kernel_drops": None,
        "refused": {"to_itself": 2},
        "latency": {"count": 1, "p50_ns": 1_500_000, "p99_ns": None, "p999_ns": None, "max_ns": None},
    }
    assert prometheus(report) == (  # type: ignore[arg-type]
        'gossamer_arbiter_role{role="active"} 1\n'
        "gossamer_arbiter_allocations 5\n"
        'gossamer_arbiter_refused{kind="to_itself"} 2\n'
        'gossamer_arbiter_latency_seconds{quantile="0.5"} 0.001500000\n'
        "gossamer_arbiter_latency_seconds_count 1\n"
    )
