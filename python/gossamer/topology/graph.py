"""The hosts, switches and links of an experiment, by name."""

import json
from collections.abc import Iterable
from typing import TypedDict, cast

from gossamer import _native
from gossamer.errors import InputError, cure
from gossamer.experiment import Experiment, Source


class Node(TypedDict):
    """A host or a switch."""

    name: str
    kind: str
    """`host` or `switch`."""
    tier: int
    """0 for hosts, 1 for switches next to hosts, more above."""
    links: int
    """Links that leave it."""


Link = TypedDict(
    "Link",
    {
        "name": str,
        "source": str,
        "target": str,
        "class": str,
        "direction": str,
        "rate_bps": int,
        "delay_ps": int,
        "queue_bytes": int | None,
    },
)
"""One direction of a cable.

`name` is what faults, `measure.watch` and results call it, `leaf-0 -> spine-1`; `class` is the name under
`[topology.links]`; `direction` is `up`, `down` or `flat`, seen from the hosts; `queue_bytes` is the buffer before it,
where the topology's own file says it.
"""


class Graph(TypedDict):
    """The graph of a run, with the rates and delays that the experiment gives it."""

    run: str
    description: str
    nodes: list[Node]
    links: list[Link]
    node_link: str
    """The same as node-link JSON, for a file that `[topology] kind = "file"` reads."""


def graph(experiment: Source, *, run: str | None = None, overrides: Iterable[str] = ()) -> Graph:
    """The graph of one run of an experiment: of the first, unless `run` names one.

    Raises:
        InputError: Something in the experiment is wrong, or no run is called `run`.
    """
    experiment = Experiment.of(experiment)
    told = json.loads(_native.topology(experiment.text, experiment.file, list(overrides), run))
    found = told["graph"]
    if found is None:
        raise InputError(f"{experiment.file} has no run {run!r}: {cure(run or '', told['runs'])}")
    return cast("Graph", found)
