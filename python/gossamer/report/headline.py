"""What differs between the variants, in sentences that are computed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gossamer.plots.comparison import Comparison, Group
from gossamer.plots.metrics import SURVIVORS, Spread, completed_share, metric, of_group
from gossamer.plots.quantities import compact, significant, text

__all__ = ["sentences"]

ALIKE = 0.01
"""Relative difference below which two numbers are called the same."""
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Extremes:
    """The groups with the lowest and the highest value of a metric."""

    low: Group
    high: Group
    low_spread: Spread
    high_spread: Spread
    groups: int

    @property
    def same(self) -> bool:
        """They differ by less than a hundredth."""
        return self.high_spread.mean - self.low_spread.mean <= ALIKE * abs(self.high_spread.mean)

    @property
    def noise(self) -> bool:
        """They differ by no more than seeds do."""
        return self.low_spread.seeds > 1 and self.low_spread.high >= self.high_spread.low


def sentences(comparison: Comparison) -> list[str]:
    """A few sentences: the difference that matters most first. Empty where no run left a summary."""
    point = comparison.points[-1] if comparison.points else ""
    groups = [group for group in comparison.at(point) if of_group(group, "goodput_per_host_bps")]
    whole = [group for group in groups if group.done]
    if not groups:
        return []
    at_point = comparison.at(point)
    if len(whole) < 2:
        alone = (whole or groups)[0]
        lines = list(_alone(alone, named=len(comparison.groups) > 1))
        if whole and len(at_point) > 1:
            lines.insert(0, f"Only {alone.name} ran to the end, so there is nothing to compare it with.")
        return lines
    if not comparison.rivals:
        return list(_along(whole[0], whole[-1]))
    at = "at" if comparison.label_title not in ("variant", "run") else "with"
    told = list(_compared(whole, at))
    told.sort(key=lambda each: not each[0])  # differences first, each kind in its order
    lines = [line for _, line in told]
    if len(whole) < len(at_point):
        lines.append(f"{_listed([group.label for group in at_point if group not in whole])} did not run to the end.")
    if point and lines:
        lines[0] = f"At {point.replace(',', ', ')}: {lines[0][0].lower()}{lines[0][1:]}"
    return lines


def _alone(group: Group, *, named: bool) -> Iterator[str]:
    """What one group did."""
    carried = of_group(group, "goodput_per_host_bps")
    used = of_group(group, "host_utilisation")
    slow, late, dropped = (of_group(group, key) for key in ("slowdown_p99", "latency_p99_ps", "dropped_frames"))
    if carried and used:
        which = f"{group.name}: each" if named else "Each"
        share = text(used.mean, "fraction")
        yield f"{which} host received {text(carried.mean, 'b/s')} on average, {share} of the rate of its link."
    if slow:
        yield f"99 % of the completed flows took at most {compact(slow.mean)} times their ideal time."
    if late:
        yield f"99 % of the frames arrived within {text(late.mean, 'ps')}."
    if dropped:
        yield "No frame was dropped." if not dropped.mean else f"{_frames(dropped.mean)} dropped."
    lost = of_group(group, "lost_frames")
    if lost and lost.mean:
        yield f"{_frames(lost.mean)} lost on the wire, or to what broke or was switched."


def _along(first: Group, last: Group) -> Iterator[str]:
    """What a swept workload does, from its first point to its last."""
    shown: dict[str, Callable[[float], str]] = {
        "slowdown_p99": compact,
        "goodput_per_host_bps": lambda value: text(value, "b/s"),
        "latency_p99_ps": lambda value: text(value, "ps"),
        "dropped_frames": lambda value: text(value, "count"),
    }
    begin = f"From {first.label} to {last.label}: the"
    for key, show in shown.items():
        low, high = of_group(first, key), of_group(last, key)
        if low and high:
            moves = "stays at" if show(low.mean) == show(high.mean) else f"goes from {show(low.mean)} to"
            name = "number of dropped frames" if key == "dropped_frames" else metric(key).name
            yield f"{begin} {name} {moves} {show(high.mean)}."
            begin = "The"


def _compared(groups: list[Group], at: str) -> Iterator[tuple[bool, str]]:
    """Sentences, each with whether it tells of a difference."""
    shares = {group.label: share for group in groups if (share := completed_share(group)) is not None}
    slow = _extremes(groups, "slowdown_p99")
    if slow and max(shares.values()) - min(shares.values()) > SURVIVORS:
        most, fewest = max(shares, key=lambda label: shares[label]), min(shares, key=lambda label: shares[label])
        yield (
            True,
            f"Of the flows that started, {text(shares[fewest], 'fraction')} completed {at} {fewest} and "
            f"{text(shares[most], 'fraction')} {at} {most}; slowdowns are of completed flows only.",
        )
    if slow:
        yield _told(slow, at, "99th-percentile slowdown", compact)
    carried = _extremes(groups, "goodput_per_host_bps")
    if carried:
        yield _throughput(carried, at)
    late = _extremes(groups, "latency_p99_ps")
    if late:
        yield _told(late, at, "99th-percentile frame latency", lambda value: text(value, "ps"))
    yield from _drops(groups)
    yield from _losses(groups)


def _told(extremes: Extremes, at: str, name: str, show: Callable[[float], str]) -> tuple[bool, str]:
    low, high = extremes.low_spread.mean, extremes.high_spread.mean
    if extremes.same:
        return False, f"The {name} is the same {at} {_all(extremes)} to within 1 %: about {show(high)}."
    if extremes.noise:
        return False, f"The {name} differs between {_all(extremes)} by no more than between seeds: about {show(high)}."
    tail = f", {_more(low, high)}" if low > 0 else ""
    if extremes.groups == 2:
        return True, (
            f"The {name} is {show(low)} {at} {extremes.low.label} and {show(high)} {at} {extremes.high.label}{tail}."
        )
    return True, (
        f"The {name} is lowest {at} {extremes.low.label} ({show(low)}) and highest {at} {extremes.high.label} "
        f"({show(high)}{tail})."
    )


def _throughput(extremes: Extremes, at: str) -> tuple[bool, str]:
    low, high = extremes.low_spread.mean, extremes.high_spread.mean
    if extremes.same:
        return False, f"Throughput is the same {at} {_all(extremes)} to within 1 %: {text(high, 'b/s')} a host."
    if extremes.noise:
        line = f"Throughput differs between {_all(extremes)} by no more than between seeds: {text(high, 'b/s')} a host."
        return False, line
    used = of_group(extremes.high, "host_utilisation")
    share = f" ({text(used.mean, 'fraction')} of its link)" if used else ""
    less = f"{significant(100 * (1 - low / high), 2):g} % less"
    return True, (
        f"Throughput is highest {at} {extremes.high.label}: {text(high, 'b/s')} a host{share}. It is lowest {at} "
        f"{extremes.low.label}: {text(low, 'b/s')}, {less}."
    )


def _drops(groups: list[Group]) -> Iterator[tuple[bool, str]]:
    counts = {group.label: spread.mean for group in groups if (spread := of_group(group, "dropped_frames"))}
    if counts and not any(counts.values()):
        yield False, "No frame is dropped."
    elif counts:
        yield True, f"Of all frames, {_shares(counts, 'drops')}."


def _losses(groups: list[Group]) -> Iterator[tuple[bool, str]]:
    counts = {group.label: spread.mean for group in groups if (spread := of_group(group, "lost_frames"))}
    if any(counts.values()):
        yield True, f"On the wire, or to what broke or was switched, {_shares(counts, 'loses')}."


def _shares(counts: dict[str, float], verb: str) -> str:
    """Who has how many, the fewest first, and then who has none."""
    some = sorted((label for label, count in counts.items() if count), key=lambda label: counts[label])
    none = [label for label, count in counts.items() if not count]
    shown = _listed([f"{label} {verb} {text(counts[label], 'count')}" for label in some])
    return shown + (f", {_listed(none)} none" if none else "")


def _extremes(groups: list[Group], key: str) -> Extremes | None:
    """Lowest and highest of the groups that have the metric; None where fewer than two have it."""
    spreads = [(group, spread) for group in groups if (spread := of_group(group, metric(key).key))]
    if len(spreads) < 2:
        return None
    low = min(spreads, key=lambda each: each[1].mean)
    high = max(spreads, key=lambda each: each[1].mean)
    return Extremes(low[0], high[0], low[1], high[1], len(spreads))


def _more(low: float, high: float) -> str:
    return (
        f"{significant(high / low, 2):g} times as much"
        if high >= 2 * low
        else f"{significant(100 * (high / low - 1), 2):g} % more"
    )


def _all(extremes: Extremes) -> str:
    count = extremes.groups
    return "both" if count == 2 else f"all {WORDS[count] if count < len(WORDS) else count}"


def _frames(count: float) -> str:
    return f"{text(count, 'count')} {'frame was' if count == 1 else 'frames were'}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
