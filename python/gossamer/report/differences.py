"""How networks differ that carry the same traffic, in sentences that are computed: for files with `[compare]`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from gossamer.analysis.comparison import Comparison, Group, by_seed
from gossamer.analysis.metrics import Spread, completed_by
from gossamer.analysis.networks import (
    built,
    hosts_of,
    lost,
    of_seeds,
    operation_mean,
    over_seeds,
    reference_of,
    times_of,
    traffic_of,
    worth_of,
)
from gossamer.analysis.quantities import compact, text

__all__ = ["differences"]


def _times(value: float) -> str:
    return f"{compact(value)} times"


def _time(value: float) -> str:
    return text(value, "ps")


def _rate(value: float) -> str:
    return text(value, "b/s")


def _dollars(value: float) -> str:
    return f"{compact(value)} USD"


def _watts(value: float) -> str:
    return f"{compact(value)} W"


EQUAL: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "bisection": ("bisection_bps", _rate),
    "cost": ("cost_usd", _dollars),
    "power": ("power_w", _watts),
}
"""What networks can have alike: where it stands, and how it is told."""


def differences(comparison: Comparison, groups: Sequence[Group]) -> Iterator[str]:
    """Sentences on what differs between `groups`, which are all at one swept point, and what does not."""
    whole = [group for group in groups if group.done and not ((share := completed_by(group)) and share.unfinished)]
    yield from _equal(comparison, groups)
    traffic, reference = traffic_of(comparison.results), reference_of(comparison)
    for name in traffic.flows:
        slow = [
            (of_seeds([times_of(one, name, reference).slow(990) for one in by_seed(group)]), group) for group in whole
        ]
        yield from _ranked(f"{name}: one flow in a hundred is slowed down at least", slow, _times)
    for name in traffic.messages:
        took = [
            (of_seeds([times_of(one, name, reference).fct(990) for one in by_seed(group)]), group) for group in whole
        ]
        yield from _ranked(f"{name}: one message in a hundred takes at least", took, _time)
    for name in traffic.operations:
        mean = [(over_seeds(group, partial(operation_mean, workload=name)), group) for group in whole]
        yield from _ranked(f"{name}: an operation takes", mean, _time)
    yield from _lost(groups)
    cost = [(of_seeds([_of_host(group, "cost_usd")]), group) for group in groups]
    yield from _ranked("A host's share of switches and links costs", cost, _dollars)
    missing = [group.label for group in groups if built(group) and worth_of(group).get("cost_usd") is None]
    if missing:
        yield f"Of {listed(missing)} no price of everything is given: the table says why."
    bad = [group.label for group in groups if group not in whole]
    if bad:
        yield f"{listed(bad)} left flows unfinished or did not run to the end, and {_are(bad)} not ranked by times."


def _equal(comparison: Comparison, groups: Sequence[Group]) -> Iterator[str]:
    """What all have alike, as it was checked."""
    compare = comparison.results.manifest.compare or {}
    if compare.get("equal") not in EQUAL:
        return
    what = compare["equal"]
    key, show = EQUAL[what]
    known = [worth[key] for group in groups if (worth := worth_of(group)).get(key) is not None]
    unknown = [group.label for group in groups if built(group) and worth_of(group).get(key) is None]
    if not known:
        return
    low, high = show(min(known)), show(max(known))
    span = low if low == high else f"{low} to {high}"
    hosts = hosts_of(groups[0])
    at = f"At {groups[0].point.replace(',', ', ')}, the" if groups[0].point else "The"
    line = f"{at} same {hosts:,} hosts and the same traffic over networks of equal {what}: {span}"
    yield f"{line}, not known of {listed(unknown)}." if unknown else f"{line}."


def _ranked(begins: str, values: Sequence[tuple[Spread | None, Group]], show: Callable[[float], str]) -> Iterator[str]:
    """Which of those that can be built is lowest and which is highest, beside the ideal ones."""
    found = [(measured, group) for measured, group in values if measured is not None]
    real = sorted((each for each in found if built(each[1])), key=lambda each: each[0].mean)
    if len(real) < 2:
        return
    (low, best), (high, worst) = real[0], real[-1]
    beside = listed([f"{show(measured.mean)} with {group.label}" for measured, group in found if not built(group)])
    line = f"{begins} {show(low.mean)} with {best.label} and {show(high.mean)} with {worst.label}"
    if low.overlaps(high):
        line += ", which is within the spread over seeds"
    yield f"{line[0].upper()}{line[1:]}{f' ({beside})' if beside else ''}."


def _lost(groups: Sequence[Group]) -> Iterator[str]:
    found = {group.label: count for group in groups if built(group) and (count := lost(group)[0]) is not None}
    none = [label for label, count in found.items() if not count]
    some = sorted((label for label, count in found.items() if count), key=lambda label: found[label])
    told = listed([f"{label} {text(found[label], 'count')}" for label in some])
    if not some:
        yield "No network loses a packet."
    elif none:
        yield f"Packets lost: with {told}, with {listed(none)} none."
    else:
        yield f"Packets lost: with {told}."


def _of_host(group: Group, key: str) -> float | None:
    total, hosts = worth_of(group).get(key), hosts_of(group)
    return None if total is None or not hosts else float(total) / hosts


def _are(labels: Sequence[str]) -> str:
    return "is" if len(labels) == 1 else "are"


def listed(names: Sequence[str]) -> str:
    """Names with a last "and"; semicolons, as names may have commas."""
    if not names:
        return ""
    between = "; " if any(", " in name for name in names) else ", "
    return names[0] if len(names) == 1 else f"{between.join(names[:-1])} and {names[-1]}"
