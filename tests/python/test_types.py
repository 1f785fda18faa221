"""What the core hands out as JSON, against `gossamer.types`."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from conftest import ROOT, SMALL
from gossamer import _native, types

sys.path.insert(0, str(ROOT / "tools"))
import python_types

RETURNED: dict[str, Any] = json.loads(_native.types())["properties"]

FAULTY = f"""{SMALL}
[[workload]]
name = "later"
kind = "incast"
senders = 1
size = "10 KB"

[[fault]]
link = "host-0 -> switch-0"
at = "10 us"
until = "20 us"

[[fault]]
link = "host-1 -> switch-0"
at = "100 us"

[sweep]
"topology.delay" = ["1 us", "2 us"]
"""

DATA_PATH = {"design": "cells", "mix": [{"from": 64, "to": 65, "weight": 1}], "warmup_clocks": 100, "clocks": 1000}

DEMAND = "source,destination,bytes\na,b,9000\nb,c,40\nc,a,70\na,uplink,600\n"


def planned() -> _native.Planned:
    return _native.Planned.read(FAULTY, "faulty.toml", [], 1, None)


def job(folder: Path | None) -> _native.Job:
    started = planned().start(None if folder is None else str(folder), resume=False, threads=1, wall_limit_s=None)
    while not started.wait(1.0):
        pass
    return started


def graphs() -> Iterator[str]:
    for wanted in (None, "no such run"):
        yield _native.topology(FAULTY, "faulty.toml", [], wanted)


def plans() -> Iterator[str]:
    yield _native.plan("shoal", "{}")
    yield _native.plan("xfabric", "{}")
    yield _native.plan("fastpod", "{}")
    yield _native.plan("fastpod", json.dumps({"pods": 4, "prices": "none", "price_transceivers": {"100 Gb/s": 100}}))
    yield _native.plan("fastpod", json.dumps({"rate": "100 Tb/s", "prices": "none", "transceiver_power_w": 2}))
    yield _native.plan("an3", "{}")
    yield _native.plan("an3", json.dumps({"prices": "none", "price_l0": 5, "nic": "fpga"}))
    yield _native.plan("stardust", "{}")
    yield _native.plan("stardust", json.dumps({"prices": "none", "hosts": 1_000_000}))
    yield _native.plan("stardust", json.dumps({"price_transceivers": {"25 Gb/s": 100}, "transceiver_power_w": 2}))


def configurations() -> Iterator[str]:
    first = _native.xfabric_configure(("demand", DEMAND), None, None, [], '{"soc_ports": 3, "uplinks": 1}')
    yield first
    yield _native.xfabric_configure(("demand", DEMAND), None, ("first", first), ["b:1"], "{}")


def arbiters() -> Iterator[str]:
    """Of an arbiter, a voter and hosts that have begun, and of hosts that have ended."""
    serving = _native.ArbiterTask.start("serve", '{"listen": "127.0.0.1:0", "slot": "2 ms"}')
    yield serving.report()
    yield _native.ArbiterTask.start("voter", '{"listen": "127.0.0.1:0"}').report()
    settings = {"arbiters": json.loads(serving.report())["address"], "slot": "2 ms", "duration": "200 ms"}
    load = _native.ArbiterTask.start("load", json.dumps(settings))
    yield load.report()
    while not load.wait(1.0):
        pass
    yield load.report()
    serving.stop()
    while not serving.wait(1.0):
        pass
    yield serving.report()


CALLS: dict[str, Callable[[Path], Iterator[str]]] = {
    "Planned.check": lambda _: iter([planned().check()]),
    "Job.progress": lambda _: iter([job(None).progress()]),
    "Job.manifest": lambda folder: iter([job(None).manifest(), job(folder / "results").manifest()]),
    "ArbiterTask.report": lambda _: arbiters(),
    "arbiter_settings": lambda _: iter([_native.arbiter_settings(role) for role in ("serve", "voter", "load")]),
    "catalogue": lambda _: iter([_native.catalogue()]),
    "topology": lambda _: graphs(),
    "pipeline_run": lambda _: iter([_native.pipeline_run(json.dumps([DATA_PATH]), 1)]),
    "pipeline_mixes": lambda _: iter([_native.pipeline_mixes()]),
    "plans": lambda _: iter([_native.plans()]),
    "plan": lambda _: plans(),
    "plan_settings": lambda _: iter(
        [_native.plan_settings(system) for system in ("stardust", "shoal", "xfabric", "fastpod", "an3")]
    ),
    "shoal_examine": lambda _: iter([_native.shoal_examine(8, 1, 4, "cyclic")]),
    "shoal_header_widths": lambda _: iter([_native.shoal_header_widths(512)]),
    "xfabric_configure": lambda _: configurations(),
    "xfabric_configure_settings": lambda _: iter([_native.xfabric_configure_settings()]),
    "xfabric_study_settings": lambda _: iter([_native.xfabric_study_settings()]),
    "xfabric_study": lambda _: iter([_native.xfabric_study('{"socs": 27, "subflows": 2}')]),
    "xfabric_seconds": lambda _: iter([_native.xfabric_seconds('{"socs": 27, "topologies": "torus"}', 1)]),
}


def wrong(value: Any, kind: Any, where: str) -> Iterator[str]:
    """Where a value from JSON is not of the type that it is said to have."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        if not (isinstance(value, dict) and kind.__required_keys__ <= set(value) <= set(hints)):
            yield f"{where}: {value!r:.200} has not the keys of {kind.__name__}"
            return
        for key in value:
            yield from wrong(value[key], hints[key], f"{where}.{key}")
    elif origin is list and isinstance(value, list):
        for index, each in enumerate(value):
            yield from wrong(each, arguments[0], f"{where}.{index}")
    elif origin is dict and isinstance(value, dict):
        for key, each in value.items():
            yield from wrong(each, arguments[1], f"{where}.{key}")
    elif origin is UnionType:
        found = [list(wrong(value, each, where)) for each in arguments]
        if all(found):
            yield min(found, key=len)[0]
    elif origin is Literal:
        if value not in arguments:
            yield f"{where}: {value!r:.200} is none of {arguments}"
    elif kind is not Any and type(value) is not (type(None) if kind is None else kind):
        yield f"{where}: {value!r:.200} is not of type {kind}"


def test_a_wrong_value_is_found() -> None:
    level: Any = {"elements": 1, "bundles": 2, "links": 3, "cables": 4.5, "far": None}
    assert list(wrong(level, types.StardustLevel, "level")) == [
        "level.cables: 4.5 is not of type <class 'int'>",
        "level.far: None is not of type <class 'bool'>",
    ]
    assert list(wrong([{"tiers": 1}], list[types.StardustLimit], "limits")) == [
        "limits.0: {'tiers': 1} has not the keys of StardustLimit"
    ]
    assert list(wrong({"a": "b"}, dict[str, int | None], "numbers")) == ["numbers.a: 'b' is not of type <class 'int'>"]


def test_everything_that_has_a_type_is_tried() -> None:
    assert set(RETURNED) == set(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_what_is_handed_out_has_its_type(call: str, tmp_path: Path) -> None:
    kind = eval(python_types.annotation(RETURNED[call]), vars(types))
    for text in CALLS[call](tmp_path):
        assert list(wrong(json.loads(text), kind, call)) == []
