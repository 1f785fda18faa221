"""Topologies of a rack compared under one workload: XFabric, OSA, a torus and a random graph."""

import json
from typing import cast

from gossamer import _native
from gossamer.errors import InputError
from gossamer.plan import Setting
from gossamer.types import XFabricStudyRow as Row


def study(**settings: Setting) -> list[Row]:
    """Compare topologies under a workload.

    Args:
        settings: The rack, the workload and what to measure, as docs/topology.md names it; what is left out has its
            default.

    Raises:
        InputError: There is no such setting, or a value cannot be.
    """
    return cast("list[Row]", json.loads(_native.xfabric_study(written(settings))))


def seconds(rounds: int = 1, **settings: Setting) -> dict[str, float]:
    """Seconds of one core that it takes to find each topology of a study; the least of `rounds`.

    XFabric's forwarding tables are in its time, the graph alone is in the others'.

    Raises:
        InputError: As `study`.
    """
    return cast("dict[str, float]", json.loads(_native.xfabric_seconds(written(settings), max(1, rounds))))


def written(settings: dict[str, Setting]) -> str:
    """Settings as JSON."""
    try:
        return json.dumps(settings, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"settings of a topology must be numbers, strings, or lists of them: {error}") from None
