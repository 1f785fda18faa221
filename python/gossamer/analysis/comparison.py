"""What is compared with what: runs gathered by the label that colours them and the swept values they share."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from gossamer.analysis import confidence
from gossamer.results import Results, Run

__all__ = ["COLOURS", "Comparison", "Group", "by_seed", "ended", "once"]

COLOURS = 8
"""Labels that can be told apart by colour alone."""


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that differ in nothing but their seed, and are pooled."""

    label: str
    """What the group is coloured and listed by: its variant, or its swept values where there are no variants."""
    point: str
    """Swept values it shares with the groups it is compared with, such as `load=0.5`; empty without a sweep."""
    runs: tuple[Run, ...]
    kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """What has been computed from the runs, by what computed it: see `once`."""

    @property
    def name(self) -> str:
        """Label and point together: what is unique to the group."""
        return ", ".join(part for part in (self.label, self.point) if part)

    @property
    def done(self) -> bool:
        """Every run of it ended as it should."""
        return all(run.status == "done" for run in self.runs)


Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")


def once(compute: Callable[Concatenate[Group, Arguments], Found]) -> Callable[Concatenate[Group, Arguments], Found]:
    """Keep with a group what `compute` finds out about it, so that every table and figure of a report can ask for it.

    Other arguments have to be hashable. What is found is shared: nobody may change it.
    """

    @wraps(compute)
    def kept(group: Group, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Found:
        key = (compute, args, tuple(kwargs.items()))
        if key not in group.kept:
            group.kept[key] = compute(group, *args, **kwargs)
        found: Found = group.kept[key]
        return found

    return kept


@once
def by_seed(group: Group) -> tuple[Group, ...]:
    """The runs of a group one by one: each is a sample of what the group shows."""
    if len(group.runs) == 1:
        return (group,)
    return tuple(Group(group.label, group.point, (run,)) for run in group.runs)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All groups of an experiment, in the order of its file."""

    results: Results
    groups: tuple[Group, ...]
    label_title: str
    """What the labels are: `variant`, the name of a swept axis, or `run`."""
    axes: Mapping[str, str]
    """Swept axes but the seed: full key and short name."""
    seeds: int
    """The most seeds that any group pools."""

    @staticmethod
    def of(results: Results) -> "Comparison":
        """Gather the runs of `results`.

        Runs are coloured by variant. Where there are no variants, or just one, they are coloured by their swept values,
        as long as there are few enough of those to be told apart.
        """
        axes = {key: short for key, short in results.axes.items() if key != "seed"}
        points = {id(run): point(run, axes) for run in results.runs}
        variants = list(dict.fromkeys(run.variant for run in results.runs))
        by_point = len(variants) <= 1 and 1 < len(set(points.values())) <= COLOURS
        gathered: dict[tuple[str, str], list[Run]] = {}
        for run in results.runs:
            place = points[id(run)]
            label = place if by_point else run.variant or ("all runs" if axes else _plain(run, results))
            gathered.setdefault((label, "" if by_point else place), []).append(run)
        title = (" and ".join(axes.values()) if by_point else "variant") if len(gathered) > 1 else "run"
        groups = tuple(Group(label, place, tuple(runs)) for (label, place), runs in gathered.items())
        return Comparison(results, groups, title, axes, max((len(group.runs) for group in groups), default=0))

    @property
    def labels(self) -> list[str]:
        """Labels in order; the place of one is its colour, in every plot and table."""
        return _unique(group.label for group in self.groups)

    @property
    def points(self) -> list[str]:
        """Swept points in order; a single empty one without a sweep."""
        return _unique(group.point for group in self.groups)

    @property
    def alternatives(self) -> bool:
        """The labels are alternatives for the same work, so that one can be best; not so if they differ in workload."""
        by_point = self.label_title not in ("variant", "run")
        return not (by_point and any(key.split(".")[0] == "workload" for key in self.axes))

    @property
    def pooled(self) -> str:
        """A sentence on the pooling of seeds, empty where nothing is pooled."""
        return f"Runs of {self.seeds} seeds are pooled." if self.seeds > 1 else ""

    @property
    def pooled_in_bands(self) -> str:
        """The same of lines that have bands around them."""
        seeds = confidence.told(self.seeds)
        return f"{self.pooled} In bands of their confidence intervals: {seeds}." if seeds else ""

    def at(self, place: str) -> "list[Group]":
        """The groups at one swept point."""
        return [group for group in self.groups if group.point == place]


def ended(group: Group) -> str:
    """How the runs of a group ended; the number of those that did not end well where there are several."""
    endings = [run.status for run in group.runs]
    if len(set(endings)) == 1:
        return endings[0]
    bad = [ending for ending in endings if ending != "done"]
    return f"{len(bad)} of {len(endings)} {', '.join(dict.fromkeys(bad))}"


def point(run: Run, axes: Mapping[str, str]) -> str:
    """The swept values of `run` on `axes`, as in the name of a run: `load=0.5,k=8`."""
    return ",".join(f"{short}={run.sweep[key]}" for key, short in axes.items() if key in run.sweep)


def _plain(run: Run, results: Results) -> str:
    """The name of a run of an experiment without variants; its seed is no part of it."""
    return run.name if "seed" not in results.axes else "all seeds"


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
