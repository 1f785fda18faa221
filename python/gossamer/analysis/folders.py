"""Results folders side by side: which runs they share, what differs between these, and what cannot be compared.

Only a run that ended as it should and whose tables are what it wrote is compared. Anything else is named, with the
reason, and no difference is computed from it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gossamer.analysis.comparison import COLOURS, Comparison, Group
from gossamer.analysis.metrics import METRICS, Metric, Spread, details, fabric_of, of_group, of_interest
from gossamer.analysis.settings import Setting, differing_inputs, differing_settings
from gossamer.analysis.weakness import weakness, why_bound
from gossamer.errors import InputError
from gossamer.results import Results, Run
from gossamer.results.collection import ENDINGS

__all__ = ["Difference", "Folders", "Match", "Number", "Side"]


NAMED = 4
"""Runs that are named before the rest are only counted."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one folder has of a match."""

    group: Group | None
    """Its runs, of all seeds; None where it has none."""
    broken: str = ""
    """Why they are not compared, as a predicate; empty if they are whole."""

    @property
    def whole(self) -> Group | None:
        """Its runs if all of them ended as they should and left all of their tables."""
        return None if self.broken else self.group


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much a number differs from that of the first folder."""

    absolute: float
    relative: float | None
    """As a share of the first folder's number; None where that is 0."""
    noise: bool
    """Both are means over seeds, and their confidence intervals overlap."""


@dataclass(frozen=True, slots=True)
class Number:
    """A metric of a match, in each folder."""

    metric: Metric
    spreads: tuple[Spread | None, ...]
    """Mean over seeds; None where a folder has no such number."""
    weak: tuple[str, ...]
    """Why a folder's number must not be compared; empty where it may be."""

    def difference(self, place: int) -> Difference | None:
        """Of folder `place` from the first folder; None where either has no number that can be compared."""
        first, other = self.spreads[0], self.spreads[place]
        if first is None or other is None or self.weak[0] or self.weak[place]:
            return None
        absolute = other.mean - first.mean
        relative = absolute / abs(first.mean) if first.mean else (0.0 if not absolute else None)
        return Difference(absolute, relative, first.overlaps(other))


@dataclass(frozen=True)
class Match:
    """Runs of the same name in several folders. Those that differ in nothing but their seed are pooled."""

    name: str
    """The name of the runs, without the seed."""
    sides: tuple[Side, ...]
    """One for each folder."""

    @property
    def comparable(self) -> bool:
        """At least two folders have it whole."""
        return sum(side.whole is not None for side in self.sides) > 1

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """What all fabrics have in common, and what means the same if all are of one kind."""
        groups = [side.whole for side in self.sides]
        present = [group for group in groups if group is not None]
        kinds = {fabric_of(group) for group in present}
        among = [*METRICS, *(details(next(iter(kinds))) if len(kinds) == 1 else [])]
        runs = [run for group in present for run in group.runs]
        return tuple(self._number(groups, metric) for metric in of_interest(runs, among))

    @staticmethod
    def _number(groups: Sequence[Group | None], metric: Metric) -> Number:
        spreads = tuple(None if group is None else of_group(group, metric.key) for group in groups)
        weak = tuple(
            ""
            if group is None or spread is None
            else why_bound(group, metric)
            if spread.bound
            else weakness(group, metric)
            for group, spread in zip(groups, spreads, strict=True)
        )
        return Number(metric, spreads, weak)

    def number(self, key: str) -> Number | None:
        """The number of summary column `key`."""
        return next((each for each in self.numbers if each.metric.key == key), None)

    def differing_tables(self, place: int) -> list[str] | None:
        """Tables of folder `place` that are not the first folder's to the byte; None where that is not known.

        The digests are those of the manifests, against which every table has been checked.
        """
        first, other = self.sides[0].whole, self.sides[place].whole
        if first is None or other is None:
            return None
        before, after = ({run.name: run.record.tables for run in group.runs} for group in (first, other))
        if set(before) != set(after):
            return None  # not the same seeds
        pairs = [(before[name], after[name]) for name in before]
        if not all(one and two for one, two in pairs):
            return None  # an older version kept no digests
        tables = dict.fromkeys(table for pair in pairs for digests in pair for table in digests)
        return [table for table in tables if any(one.get(table) != two.get(table) for one, two in pairs)]

    @property
    def identical(self) -> bool:
        """Every folder has it, whole, and with the same bytes in all tables."""
        return all(self.differing_tables(place) == [] for place in range(1, len(self.sides)))


@dataclass(frozen=True)
class Folders:
    """Several results folders, the first of which the others are compared with."""

    labels: tuple[str, ...]
    """What each folder is called: its name, or its path where names are not enough."""
    results: tuple[Results, ...]

    @staticmethod
    def of(paths: Sequence[Path]) -> "Folders":
        """Open results folders, finished or not.

        Raises:
            InputError: there are fewer than two or more than colours, or one is named twice.
            ResultsError: one is not a results folder.
        """
        if len(paths) < 2:
            raise InputError(f"compare needs at least two results folders, not {len(paths)}")
        if len(paths) > COLOURS:
            raise InputError(
                f"compare takes at most {COLOURS} results folders, not {len(paths)}: more could not be told apart"
            )
        opened = tuple(Results.open(path) for path in paths)
        real = [path.resolve() for path in paths]
        for number, path in enumerate(real):
            if path in real[:number]:
                raise InputError(f"{paths[number]}: is named twice; compare needs different results folders")
        return Folders(labels_of(paths), opened)

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """Runs that at least two folders have, in the order of the folders."""
        return tuple(match for match in self._all if sum(side.group is not None for side in match.sides) > 1)

    @cached_property
    def alone(self) -> Mapping[str, tuple[str, ...]]:
        """Names of runs that only one folder has, by its label."""
        found: dict[str, list[str]] = {}
        for match in self._all:
            having = [label for label, side in zip(self.labels, match.sides, strict=True) if side.group is not None]
            if len(having) == 1:
                found.setdefault(having[0], []).append(match.name)
        return {label: tuple(names) for label, names in found.items()}

    @cached_property
    def _all(self) -> tuple[Match, ...]:
        pooled = [_pooled(results) for results in self.results]
        names = dict.fromkeys(name for each in pooled for name in each)
        return tuple(
            Match(
                name,
                tuple(_side(label, name, each.get(name, [])) for label, each in zip(self.labels, pooled, strict=True)),
            )
            for name in names
        )

    @cached_property
    def settings(self) -> list[Setting] | None:
        """Keys of the experiment files that differ; None where a folder has no experiment file that can be read."""
        return differing_settings(self.results)

    @cached_property
    def inputs(self) -> list[str]:
        """Other files that the experiments read and that differ."""
        return differing_inputs(self.results)

    @property
    def versions(self) -> tuple[str, ...]:
        """The version of Gossamer that made each folder."""
        return tuple(results.manifest.gossamer or "unknown" for results in self.results)

    @property
    def troubles(self) -> list[str]:
        """What a reader must know before trusting the numbers: what is not whole, in which folder."""
        return list(self._troubles())

    def _troubles(self) -> Iterator[str]:
        for place, (label, results) in enumerate(zip(self.labels, self.results, strict=True)):
            for line in results.warnings:
                yield f"{label}: {line}"
            broken = [match.name for match in self.matches if match.sides[place].broken]
            if broken:
                more = f" and {len(broken) - NAMED} more" if len(broken) > NAMED else ""
                yield f"{label}: not compared, since not whole: {', '.join(broken[:NAMED])}{more}"

    def drawn(self) -> Comparison:
        """What figures show: each match that can be compared, with the folders as labels."""
        groups = tuple(
            side.whole for match in self.matches if match.comparable for side in match.sides if side.whole is not None
        )
        runs = [run for group in groups for run in group.runs]
        together = Results(runs, self.results[0].manifest)
        return Comparison(together, groups, "folder", {}, max((len(group.runs) for group in groups), default=0))


def labels_of(paths: Sequence[Path]) -> tuple[str, ...]:
    """Names of folders, or as much of the end of their paths as tells them apart."""
    parts = [path.resolve().parts for path in paths]
    length = 1
    while len({each[-length:] for each in parts}) < len(parts) and length < max(map(len, parts)):
        length += 1
    return tuple("/".join(each[-length:]).replace("//", "/") for each in parts)


def _pooled(results: Results) -> dict[str, list[Run]]:
    """Runs by their names without the seed."""
    found: dict[str, list[Run]] = {}
    for run in results:
        seed = f"seed={run.sweep.get('seed')}"
        parts = run.name.split(",")
        kept = [part for part in parts if part != seed] if "seed" in run.sweep else parts
        found.setdefault(",".join(kept) or "all seeds", []).append(run)
    return found


def _side(label: str, name: str, runs: Sequence[Run]) -> Side:
    if not runs:
        return Side(None)
    reasons = [(run, reason) for run in runs if (reason := _broken(run))]
    group = Group(label, name, tuple(runs))
    if not reasons:
        return Side(group)
    run, reason = reasons[0]
    if len(runs) == 1:
        return Side(group, reason)
    more = f", and {len(reasons) - 1} more of its runs are not whole" if len(reasons) > 1 else ""
    return Side(group, f"has a run that {reason} ({run.name}){more}")


def _broken(run: Run) -> str:
    """Why a run is not whole, as a predicate; empty if it is."""
    if run.status != "done":
        return ENDINGS.get(run.status, f"ended as {run.status}")
    if run.damaged:
        return "has damaged tables"
    return "" if run.summary.num_rows else "left no summary"
