"""What differs between the variants, in sentences that are computed.

Only what means the same over every fabric is compared, and no run that did not finish normally, or left flows
unfinished, is called best at completion times.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from gossamer.analysis.comparison import Comparison, Group
from gossamer.analysis.extremes import Extremes, extremes
from gossamer.analysis.metrics import Spread, completed_by, metric, of_group
from gossamer.analysis.quantities import compact, significant, text
from gossamer.report.trend import along

__all__ = ["sentences"]

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TIMES = ("operation_mean_ps", "slowdown_p99", "fct_mean_ps")
"""What the comparison of completion times is made in: the first that at least two groups have."""


def sentences(comparison: Comparison) -> list[str]:
    """A few sentences: the difference that matters most first. Empty where no run left a summary."""
    if len(comparison.points) > 1 or not comparison.alternatives:
        lines = along(comparison)
        if lines:
            return [*lines, *_ended_badly(comparison.groups)]
    point = comparison.points[-1] if comparison.points else ""
    at_point = comparison.at(point)
    groups = [group for group in at_point if of_group(group, "goodput_per_host_bps")]
    whole = [group for group in groups if group.done]
    if not groups:
        return []
    if len(whole) < 2:
        alone = (whole or groups)[0]
        lines = list(_alone(alone, named=len(comparison.groups) > 1))
        if whole and len(at_point) > 1:
            lines.insert(0, f"Only {alone.name} ran to the end, so there is nothing to compare it with.")
        elif not whole and len(at_point) > 1:
            lines.insert(0, "No run finished, so there is nothing to compare.")
        return lines
    at = "at" if comparison.label_title not in ("variant", "run") else "with"
    told = list(_compared(whole, at))
    told.sort(key=lambda each: not each[0])  # differences first, each kind in its order
    lines = [line for _, line in told]
    lines += _ended_badly(at_point)
    if point and lines:
        lines[0] = f"At {point.replace(',', ', ')}: {lines[0][0].lower()}{lines[0][1:]}"
    return lines


def _ended_badly(groups: Sequence[Group]) -> list[str]:
    bad = [group.name for group in groups if not group.done]
    if len(bad) > 4:
        bad = [*bad[:3], f"{len(bad) - 3} more"]
    return [f"{listed(bad)} did not run to the end."] if bad else []


def _alone(group: Group, *, named: bool) -> Iterator[str]:
    """What one group did."""
    carried = of_group(group, "goodput_per_host_bps")
    used = of_group(group, "host_utilisation")
    operation, worst = of_group(group, "operation_mean_ps"), of_group(group, "operation_max_ps")
    slow, dropped = of_group(group, "slowdown_p99"), of_group(group, "dropped_frames")
    if operation and worst:
        an = f"{group.name}: an" if named else "An"
        yield f"{an} operation took {text(operation.mean, 'ps')} on average, the slowest {text(worst.mean, 'ps')}."
    if carried and used:
        each = f"{group.name}: each" if named else "Each"
        share = text(used.mean, "fraction")
        yield f"{each} host received {text(carried.mean, 'b/s')} on average, {share} of the rate of its link."
    share_of = completed_by(group)
    if share_of and share_of.unfinished:
        yield _left(group.name if named else "The run", share_of.unfinished, share_of.started, slow)
    elif slow:
        yield f"99 % of the flows took at most {compact(slow.mean)} times their ideal time."
    if dropped:
        yield "No frame was dropped." if not dropped.mean else f"{_frames(dropped.mean)} dropped."
    lost = of_group(group, "lost_frames")
    if lost and lost.mean:
        yield f"{_frames(lost.mean)} lost to corruption, faults or reconfigurations."


def _left(name: str, unfinished: int, started: int, slow: Spread | None) -> str:
    """That flows were left unfinished, and what that means for the percentile."""
    line = f"{name} left {text(unfinished / started, 'fraction')} of the measured flows unfinished"
    line += f" ({unfinished:,} of {started:,})"
    if slow is None:
        return f"{line}."
    at_least = "at least " if slow.bound else ""
    return f"{line}; the 99th-percentile slowdown is {at_least}{compact(slow.mean)}."


def _compared(groups: list[Group], at: str) -> Iterator[tuple[bool, str]]:
    """Sentences, each with whether it tells of a difference."""
    yield from _times(groups, at)
    carried = extremes(groups, "goodput_per_host_bps")
    if carried:
        yield _throughput(carried, at)
    yield from _drops(groups)
    yield from _losses(groups)
    held = extremes(groups, "max_held_bytes")
    if held:
        yield _told(held, at, "most that the fabric holds at once", partial(text, kind="B"))
    yield from _incomplete(groups)


def _times(groups: list[Group], at: str) -> Iterator[tuple[bool, str]]:
    """How completion times differ between those that finished all flows."""
    whole = [group for group in groups if not _unfinished(group)]
    for key in TIMES:
        found = extremes(whole, key)
        if found:
            measured = metric(key)
            show = compact if measured.kind == "ratio" else partial(text, kind=measured.kind)
            yield _told(found, at, measured.name, show)
            return


def _incomplete(groups: list[Group]) -> Iterator[tuple[bool, str]]:
    """Which groups did not finish all flows, and so are not ranked by completion times."""
    left = sorted((group for group in groups if _unfinished(group)), key=_unfinished, reverse=True)
    if not left:
        return
    shares = [text(_unfinished(group), "fraction") for group in (left[-1], left[0])]
    if len(left) == len(groups):
        span = shares[0] if shares[0] == shares[1] else f"{shares[0]} to {shares[1]}"
        everyone = "Neither" if len(groups) == 2 else "None"
        yield True, f"{everyone} finished all measured flows: {span} were left, so completion times are not ranked."
        return
    shown = [f"{group.label} left {text(_unfinished(group), 'fraction')}{_bounded(group)}" for group in left[:3]]
    more = [f"{len(left) - 3} more left some"] if len(left) > 3 else []
    whole = [group.label for group in groups if group not in left]
    alone = f" Only {whole[0]} finished all." if len(whole) == 1 else ""
    verb = "its" if len(left) == 1 else "their"
    yield (
        True,
        f"Of the measured flows, {listed([*shown, *more])} unfinished, so {verb} completion times are not "
        f"ranked.{alone}",
    )


def _unfinished(group: Group) -> float:
    """The share of the measured flows of a group that had not finished when their run ended."""
    share = completed_by(group)
    return 1 - share.fraction if share else 0.0


def _bounded(group: Group) -> str:
    slow = of_group(group, "slowdown_p99")
    return f" (99th-percentile slowdown ≥ {compact(slow.mean)})" if slow and slow.bound else ""


def _told(found: Extremes, at: str, name: str, show: Callable[[float], str]) -> tuple[bool, str]:
    low, high = found.low_spread.mean, found.high_spread.mean
    if found.same:
        return False, f"The {name} is the same {at} {_all(found)} to within 1 %: about {show(high)}."
    if found.noise:
        return (
            False,
            f"The {name} differs between {_all(found)} by no more than the spread over seeds: about {show(high)}.",
        )
    tail = f", {_more(low, high)}" if low > 0 else ""
    if found.groups == 2:
        return True, (
            f"The {name} is {show(low)} {at} {found.low.label} and {show(high)} {at} {found.high.label}{tail}."
        )
    return True, (
        f"The {name} is lowest {at} {found.low.label} ({show(low)}) and highest {at} {found.high.label} "
        f"({show(high)}{tail})."
    )


def _throughput(found: Extremes, at: str) -> tuple[bool, str]:
    low, high = found.low_spread.mean, found.high_spread.mean
    if found.same:
        return False, f"Throughput is the same {at} {_all(found)} to within 1 %: {text(high, 'b/s')} per host."
    if found.noise:
        rate = f"{text(high, 'b/s')} per host"
        return False, f"Throughput differs between {_all(found)} by no more than the spread over seeds: {rate}."
    used = of_group(found.high, "host_utilisation")
    share = f" ({text(used.mean, 'fraction')} of its link)" if used else ""
    less = f"{significant(100 * (1 - low / high), 2):g} % less"
    return True, (
        f"Throughput is highest {at} {found.high.label}: {text(high, 'b/s')} per host{share}. It is lowest {at} "
        f"{found.low.label}: {text(low, 'b/s')}, {less}."
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
        yield True, f"Frames lost to corruption, faults or reconfigurations: {_shares(counts)}."


def _shares(counts: dict[str, float], verb: str = "") -> str:
    """Which groups have how many, the fewest first, and then those that have none."""
    some = sorted((label for label, count in counts.items() if count), key=lambda label: counts[label])
    none = [label for label, count in counts.items() if not count]
    shown = listed([" ".join(filter(None, (label, verb, text(counts[label], "count")))) for label in some])
    return shown + (f", {listed(none)} none" if none else "")


def _more(low: float, high: float) -> str:
    return (
        f"{significant(high / low, 2):g} times as much"
        if high >= 2 * low
        else f"{significant(100 * (high / low - 1), 2):g} % more"
    )


def _all(found: Extremes) -> str:
    count = found.groups
    return "both" if count == 2 else f"all {WORDS[count] if count < len(WORDS) else count}"


def _frames(count: float) -> str:
    return f"{text(count, 'count')} {'frame was' if count == 1 else 'frames were'}"


def listed(names: list[str]) -> str:
    """Names with commas and a last "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
