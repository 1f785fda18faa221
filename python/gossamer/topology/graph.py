"""The hosts, switches and links of an experiment, by name."""

import json
from collections.abc import Iterable
from typing import cast

from gossamer import _native
from gossamer.errors import InputError, cure
from gossamer.experiment import Experiment, Source
from gossamer.types import Graph, Graphs


def graph(experiment: Source, *, run: str | None = None, overrides: Iterable[str] = ()) -> Graph:
    """The graph of one run of an experiment: of the first, unless `run` names one.

    Raises:
        InputError: Something in the experiment is wrong, or no run is called `run`.
    """
    experiment = Experiment.of(experiment)
    told = cast("Graphs", json.loads(_native.topology(experiment.text, experiment.file, list(overrides), run)))
    found = told["graph"]
    if found is None:
        raise InputError(f"{experiment.file} has no run {run!r}: {cure(run or '', told['runs'])}")
    return found
