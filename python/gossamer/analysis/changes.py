"""What differs between results folders, in words: signed differences, and the few sentences that sum them up."""

from collections.abc import Iterator, Sequence

from gossamer.analysis.folders import Difference, Folders, Match, Number
from gossamer.analysis.metrics import metric
from gossamer.analysis.quantities import Kind, around, compact, text

__all__ = ["ABSENT", "by", "chosen", "known", "order", "sentences", "share", "shown"]

TIMES = ("operation_mean_ps", "slowdown_p99", "fct_mean_ps")
"""What completion times are compared in: the first that a match has and that can be compared."""
ABSENT = "–"  # noqa: RUF001  an en dash is how a table says "nothing here"


def sentences(folders: Folders) -> list[str]:
    """What a reader wants to know first: whether anything differs, in what, and by how much."""
    if not folders.matches:
        return ["No run of one folder has the name of a run of another, so nothing can be compared."]
    compared = [match for match in folders.matches if match.comparable]
    if not compared:
        return ["No run is whole in two folders, so nothing can be compared."]
    same = [match for match in compared if match.identical]
    lines = []
    if len(same) == len(compared):
        every = "The tables are" if len(same) == 1 else f"The tables of all {len(same)} runs are"
        lines.append(f"{every} the same to the byte.")
    else:
        for place, label in enumerate(folders.labels[1:], 1):
            lines.extend(_ranges(compared, place, label if len(folders.labels) > 2 else ""))
        if same:
            verb = "is" if len(same) == 1 else "are"
            lines.append(f"{len(same)} of {len(compared)} runs {verb} the same to the byte: {_listed(same)}.")
        else:
            lines.append("No run is the same to the byte." if len(compared) > 1 else "The tables are not the same.")
    left = len(folders.matches) - len(compared)
    if left:
        lines.append(
            f"{left} of {len(folders.matches)} runs are not compared, since a folder does not have them whole."
        )
    return lines


def _listed(matches: Sequence[Match]) -> str:
    more = f" and {len(matches) - 4} more" if len(matches) > 4 else ""
    return ", ".join(match.name for match in matches[:4]) + more


def _ranges(matches: Sequence[Match], place: int, label: str) -> Iterator[str]:
    """For throughput, completion times and drops, how far they moved over all matches."""
    for key in chosen(matches, place):
        found = [
            (difference, match.name)
            for match in matches
            if (number := match.number(key)) and (difference := number.difference(place))
        ]
        moved = [each for each in found if each[0].relative is None or abs(each[0].relative) > SAME]
        name = metric(key).name
        what = f"{name[0].upper()}{name[1:]}" + (f" in {label}" if label else "")
        if not moved:
            yield f"{what}: the same."
            continue
        kind = metric(key).kind
        low = min(moved, key=lambda each: order(each[0]))
        high = max(moved, key=lambda each: order(each[0]))
        if len(found) == 1:
            yield f"{what}: {by(low[0], kind)}."
        elif len(moved) == 1:
            yield f"{what}: {by(low[0], kind)} in {low[1]}, and the same in all other runs."
        else:
            ends = [f"{by(each[0], kind)} ({each[1]})" for each in (low, high)]
            yield f"{what}: {ends[0]} to {ends[1]}."


SAME = 0.0005
"""Relative difference that prints as none."""


def order(difference: Difference) -> float:
    """What differences are sorted by: the relative one where there is one."""
    return difference.absolute if difference.relative is None else difference.relative


def chosen(matches: Sequence[Match], place: int) -> list[str]:
    """The few metrics that sum up a comparison: throughput, completion times, drops; those that can be compared."""

    def has(key: str) -> bool:
        return any(number.difference(place) for match in matches if (number := match.number(key)))

    times = next((key for key in TIMES if has(key)), None)
    keys = ("goodput_per_host_bps", times, "dropped_frames")
    return [key for key in keys if key is not None and has(key)]


def shown(number: Number, place: int) -> str:
    """A number of a folder with its unit, and half of its confidence interval over seeds; a lower bound as one."""
    spread = number.spreads[place]
    if spread is None:
        return ABSENT
    if spread.bound:
        return f"≥ {text(spread.mean, number.metric.kind)}"
    return around(spread.mean, spread.half, number.metric.kind)


def known(difference: Difference | None, kind: Kind) -> str:
    """The absolute difference with its sign and unit; `0` where there is none."""
    if difference is None:
        return ABSENT
    if not difference.absolute:
        return "0"
    sign = "+" if difference.absolute > 0 else "-"
    if kind == "fraction":
        return f"{sign}{compact(100 * abs(difference.absolute))} points"
    return f"{sign}{text(abs(difference.absolute), kind)}"


def share(difference: Difference | None) -> str:
    """The relative difference with its sign, in percent."""
    if difference is None or difference.relative is None:
        return ABSENT
    if not difference.relative:
        return "0 %"
    return f"{'+' if difference.relative > 0 else '-'}{compact(100 * abs(difference.relative))} %"


def by(difference: Difference, kind: Kind) -> str:
    """The relative difference, or the absolute one where there is nothing that it could be relative to."""
    return known(difference, kind) if difference.relative is None else share(difference)
