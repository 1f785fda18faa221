"""Topologies of a rack compared under one workload: XFabric, OSA, a torus and a random graph."""

import json
from typing import TypedDict, cast

from gossamer import _native
from gossamer.errors import InputError
from gossamer.plan import Setting


class Row(TypedDict):
    """How one topology carries the workload. Means are over bytes; None without such traffic, or if not asked for."""

    topology: str
    """`xfabric`, `osa`, `torus` or `random`."""
    path_length: float | None
    """Hops between SoCs."""
    uplink_path_length: float | None
    """Hops of ingress and egress traffic inside the rack."""
    diameter: int | None
    """The longest shortest path, in hops; None if the topology is not connected."""
    direct: float | None
    """Share of the bytes between SoCs that go over a single circuit."""
    direct_at_most: float | None
    """The most that this share could be with so many ports, whatever joins them."""
    effective_pairs: float | None
    """Pairs of SoCs over which the bytes are spread: so many with equal bytes would be as uneven."""
    disjoint_paths: float | None
    """Shortest paths that share no link."""
    bottleneck: float | None
    """Share of the bytes that go over the most loaded link."""
    total_load: float | None
    """Bytes times links, as a multiple of all bytes."""
    skew: float | None
    """The most loaded link as a multiple of the mean link."""


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
