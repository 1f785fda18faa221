"""An experiment in Python."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gossamer
from conftest import SMALL
from gossamer import Experiment, InputError

SWEPT = """\
seed = 1
[fabric]
queue = "100 packets"
mtu = "9000 B"
[[workload]]
kind = "poisson"
load = 0.5
[[workload]]
kind = "incast"
name = "burst"
[sweep]
"workload.0.load" = [0.2, 0.8]
seed = [1, 2, 3]
"""


def swept() -> Experiment:
    return Experiment.from_toml(SWEPT, "folder/swept.toml")


def test_text_and_name_are_kept_to_the_letter(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text("# a comment\n" + SMALL)
    experiment = Experiment.from_file(file)
    assert experiment.text == experiment.to_toml() == "# a comment\n" + SMALL
    assert (experiment.file, experiment.name) == (str(file), "small")
    assert repr(experiment) == f"Experiment({str(file)!r}, {len(SMALL.splitlines()) + 1} lines)"


@pytest.mark.parametrize(
    ("key", "value", "where"),
    [
        ("seed", 7, lambda tables: tables["seed"]),
        ("fabric.queue", "50 packets", lambda tables: tables["fabric"]["queue"]),
        ("workload.0.load", 0.9, lambda tables: tables["workload"][0]["load"]),
        ("workload.poisson.load", 0.9, lambda tables: tables["workload"][0]["load"]),
        ("workload.burst.fan_in", 12, lambda tables: tables["workload"][1]["fan_in"]),
        ("sweep.seed", [4], lambda tables: tables["sweep"]["seed"]),
        ("sweep.workload.0.load", [0.1], lambda tables: tables["sweep"]["workload.0.load"]),
        ("topology.kind", "star", lambda tables: tables["topology"]["kind"]),
    ],
)
def test_with_changes_one_key_of_a_copy(key: str, value: object, where: Callable[[Any], Any]) -> None:
    before = swept()
    after = before.with_({key: value})
    assert where(after.to_dict()) == value
    assert before == swept()
    assert after.file == before.file
    assert after.with_({key: value}) == after


def test_a_dict_is_merged_and_none_removes() -> None:
    merged = swept().with_(fabric={"queue": None, "framing": "0 B"}, sweep=None).to_dict()
    assert merged["fabric"] == {"mtu": "9000 B", "framing": "0 B"}
    assert "sweep" not in merged


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("workload.7.load", "key 'workload.7.load': there is no member 7; members are 0 to 1"),
        ("workload.brust.load", "key 'workload.brust.load': nothing is named 'brust'; did you mean 'burst'?"),
        ("workload.x.load", "key 'workload.x.load': nothing is named 'x'; expected one of poisson and burst"),
        ("seed.first", "key 'seed.first': 'seed' is a value, not a table"),
        ("fabric..queue", "key 'fabric..queue': a part between dots is empty"),
    ],
)
def test_a_key_that_leads_nowhere_is_named(key: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        swept().with_({key: 1})
    assert str(caught.value) == message


def test_tables_become_an_experiment_and_come_back() -> None:
    tables = {
        "seed": 3,
        "topology": {"kind": "file", "path": Path("graph.json")},
        "sweep": {"a.b": (1, 2)},
        "x": [True],
    }
    experiment = Experiment.from_dict(tables)
    assert experiment.to_dict() == {
        "seed": 3,
        "topology": {"kind": "file", "path": "graph.json"},
        "sweep": {"a.b": [1, 2]},
        "x": [True],
    }


def test_numbers_of_numpy_are_taken_for_what_they_are() -> None:
    numpy = pytest.importorskip("numpy")
    loads = Experiment.from_dict({"sweep": {"workload.0.load": numpy.array([0.25, 0.5])}, "seed": numpy.int64(4)})
    assert loads.to_dict() == {"sweep": {"workload.0.load": [0.25, 0.5]}, "seed": 4}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"a": {"b": None}}, "key 'a.b': None is a NoneType, which an experiment file cannot hold"),
        ({"a": [1, {2}]}, "key 'a.1': {2} is a set, which an experiment file cannot hold"),
        ({"a": {1: 2}}, "key a.1: keys must be strings, not int"),
    ],
)
def test_what_toml_cannot_hold_is_named(tables: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Experiment.from_dict(tables)
    assert str(caught.value) == message


def test_text_that_is_no_toml_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"^broken\.toml: not a TOML file: "):
        Experiment.from_toml("seed = ", "broken.toml").to_dict()


def test_what_run_takes() -> None:
    experiment = swept()
    assert Experiment.of(experiment) is experiment
    assert Experiment.of({"seed": 1}).to_dict() == {"seed": 1}
    with pytest.raises(InputError, match="no such file"):
        Experiment.of("nothing.toml")
    assert issubclass(gossamer.InputError, Exception)
