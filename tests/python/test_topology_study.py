"""Topologies compared under a workload, from Python."""

from typing import Any

import pytest

from gossamer import InputError, topology


def test_a_study_has_a_row_for_each_topology() -> None:
    rows = topology.study(socs=27, uplinks=4, subflows=5)
    assert [row["topology"] for row in rows] == ["xfabric", "osa", "torus", "random"]
    xfabric, _, torus, _ = rows
    assert xfabric["path_length"] is not None
    assert torus["path_length"] is not None
    assert 1 <= xfabric["path_length"] < torus["path_length"]


def test_the_same_settings_give_the_same_rows() -> None:
    settings: dict[str, Any] = {"socs": 64, "workload": "random-destinations", "destinations": 3, "seed": 5}
    assert topology.study(**settings) == topology.study(**settings)
    assert topology.study(**settings) != topology.study(**{**settings, "seed": 6})


def test_times_are_those_of_the_topologies_asked_for() -> None:
    found = topology.seconds(2, socs=27, topologies="xfabric,osa")
    assert set(found) == {"osa", "xfabric"}
    assert all(0 < time < 5 for time in found.values())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"workload": "socail"}, "workload = socail: did you mean social?"),
        ({"soc": 64}, "soc: no such setting; did you mean socs?"),
        (
            {"socs": {64}},
            "settings of a topology must be numbers, strings, or lists of them: Object of type set is not JSON "
            "serializable",
        ),
    ],
)
def test_what_cannot_be_is_answered(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        topology.study(**settings)
    assert str(caught.value) == message
