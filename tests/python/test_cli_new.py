"""`gossamer new`: every kind can be checked and run as it was written, and what it says can be done can be done."""

import re
from pathlib import Path

import pytest

import gossamer as api
from conftest import Command
from gossamer import InputError, _native
from gossamer.cli.new import KINDS


def test_the_kinds_are_those_of_the_core() -> None:
    with pytest.raises(InputError) as caught:
        _native.template("?")
    assert str(caught.value).endswith(f"the templates are {', '.join(KINDS)}")


def test_help_names_every_kind(gossamer: Command) -> None:
    shown = gossamer("new", "--help").out
    listed = shown.split("Kinds:")[1].split("Examples:")[0]
    assert tuple(re.findall(r"^    (\S+)", listed, re.MULTILINE)) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_can_be_run(gossamer: Command, folder: Path, kind: str) -> None:
    written = gossamer("new", kind)
    assert (written.status, written.err) == (0, "")
    hint = re.search(r"`gossamer (check \S+)`", written.out)
    assert hint is not None
    assert gossamer(*hint[1].split()).status == 0
    assert api.check(folder / f"{kind}.toml")["warnings"] == []
    shorter = {"xfabric": "2 ms", "r2c2": "5 ms", "fastpod": "2 ms", "an3": "20 ms", "failures": "10 ms"}.get(
        kind, "100 us"
    )
    results = api.run(folder / f"{kind}.toml", overrides=[f"duration={shorter}", "warmup=0 s"])
    assert {run.status for run in results} == {"done"}
    assert all(row["delivered_bytes"] > 0 for row in results.flows.to_pylist()[:1])


def test_a_trace_comes_with_its_file(gossamer: Command, folder: Path) -> None:
    assert gossamer("new", "trace", "there.toml").out.splitlines()[0] == "wrote flows.csv"
    results = api.run(folder / "there.toml")
    starts = {flow["id"]: (flow["start_ps"], flow["end_ps"]) for flow in results.flows.to_pylist()}
    assert starts[2][0] >= max(starts[0][1], starts[1][1])
    (folder / "flows.csv").write_text("id,src,dst,bytes,start\n0,0,1,1 KB,0 s\n")
    assert gossamer("new", "trace").out.splitlines()[0] == "kept the existing flows.csv"
    assert len(api.run(folder / "trace.toml").flows) == 1
