"""Why a network did what it did, in a sentence that is made of what it counted."""

from collections.abc import Callable, Mapping

from gossamer.analysis.comparison import Group
from gossamer.analysis.counters import mean_counters
from gossamer.analysis.metrics import fabric_of, of_group
from gossamer.analysis.quantities import compact, text
from gossamer.analysis.samples import values

__all__ = ["reasons"]

Counted = Mapping[str, float]
"""Counters of a group by name."""


def reasons(group: Group) -> str:
    """What tells a network from others, by what happened in it; empty of one that left nothing to tell."""
    counted = {name: value.mean for (name, _), value in mean_counters(group).items()}
    kind = fabric_of(group)
    tell = BY_KIND.get(kind)
    # A run that was stopped has no counters.
    return tell(group, counted) if tell and (counted or kind in UNCOUNTED) else ""


def _ethernet(group: Group, counted: Counted) -> str:
    parts = []
    dropped = of_group(group, "dropped_frames")
    marked = of_group(group, "marked_frames")
    if counted.get("trimmed to headers"):
        parts.append(f"full queues cut {_count(counted['trimmed to headers'])} packets to their headers")
    if counted.get("pauses sent"):
        paused = text(1e12 * counted["time paused, all ports and classes"], "ps")
        parts.append(f"ports paused those that send to them {_count(counted['pauses sent'])} times, {paused} in all")
    if dropped and dropped.mean:
        parts.append(f"full queues dropped {_count(dropped.mean)} packets")
    if marked and marked.mean:
        parts.append(f"{_count(marked.mean)} packets were marked")
    uneven = _uneven(group)
    if uneven:
        parts.append(f"the busiest link up carried {compact(uneven)} times the mean")
    return _sentence(parts)


def _stardust(group: Group, counted: Counted) -> str:
    parts = [f"{_count(counted['credits granted'])} credits let packets into the fabric"]
    parts.append(f"up to {text(counted['largest ingress buffer'], 'B')} waited for theirs at an adapter")
    if counted.get("packets marked at ingress"):
        parts.append(f"{_count(counted['packets marked at ingress'])} packets were marked there")
    uneven = _uneven(group)
    if uneven:
        parts.append(f"the busiest link up carried {compact(uneven)} times the mean")
    return _sentence(parts)


def _shoal(_: Group, counted: Counted) -> str:
    delivered = counted["cells delivered"]
    if not delivered:
        return ""
    detours = 1 - counted["of these, straight from their source"] / delivered
    longest = f"{_count(counted['longest queue'])} cells waited in the longest queue"
    return _sentence([f"{text(detours, 'fraction')} of all cells took a detour over another node", longest])


def _fastpod(_: Group, counted: Counted) -> str:
    parts = [f"the arbiter gave {_count(counted['slots given'])} time slots"]
    sent = counted["unscheduled packets"]
    if sent:
        share = text(counted["of these, dropped"] / sent, "fraction")
        parts.append(
            f"{_count(sent)} packets went before they had one, of which {share} met something and were dropped"
        )
    return _sentence(parts)


def _an3(_: Group, counted: Counted) -> str:
    asked = counted["circuits asked for"]
    if not asked:
        return ""
    refused = counted["refused before they were acknowledged"] + counted["refused after they were acknowledged"]
    shares = [text(of / asked, "fraction") for of in (refused, counted["circuits beside another of their flow"])]
    return _sentence(
        [
            f"of {_count(asked)} circuits that were asked for, {shares[0]} were refused for want of a free time slot",
            f"{shares[1]} were further ones for a flow that had one",
        ]
    )


def _xfabric(_: Group, counted: Counted) -> str:
    parts = [
        f"a packet passed {compact(counted['mean path length'])} circuits on average",
        f"circuits changed {_count(counted['reconfigurations'])} times",
    ]
    loops, cut = counted["lost in loops, at the hop limit"], counted["lost on circuits that changed"]
    if loops or cut:
        parts.append(
            f"meanwhile {_count(loops)} packets were lost in loops between old and new tables, and {_count(cut)} on "
            "circuits that changed"
        )
    return _sentence(parts)


def _ideal_switch(group: Group, _: Counted) -> str:
    dropped = of_group(group, "dropped_frames")
    lost = f", whose queues dropped {_count(dropped.mean)} packets" if dropped and dropped.mean else ""
    return f"Packets wait for nothing but links to hosts{lost}."


def _fluid(_: Group, __: Counted) -> str:
    return "Nothing waits, and nothing is lost: flows share links at max-min fair rates."


BY_KIND: Mapping[str, Callable[[Group, Counted], str]] = {
    "ethernet": _ethernet,
    "stardust": _stardust,
    "shoal": _shoal,
    "fastpod": _fastpod,
    "an3": _an3,
    "xfabric": _xfabric,
    "ideal-switch": _ideal_switch,
    "fluid": _fluid,
}
"""Kinds of fabrics of which there is something to tell."""
UNCOUNTED = ("ethernet", "ideal-switch", "fluid")
"""Those of which there is without counters of their own."""


def _uneven(group: Group) -> float | None:
    """What the busiest link up from a switch sent over what they sent on average; None where there are none."""
    ratios = []
    for run in group.runs:
        columns = (values(run.links, column) for column in ("class", "direction", "utilisation"))
        inside = [used for name, way, used in zip(*columns, strict=True) if "host" not in name and way == "up"]
        if any(inside):
            ratios.append(max(inside) * len(inside) / sum(inside))
    return sum(ratios) / len(ratios) if ratios else None


def _count(number: float) -> str:
    for least, word in ((1e9, " billion"), (1e6, " million")):
        if number >= least:
            return f"{compact(number / least)}{word}"
    return f"{number:,.0f}"


def _sentence(parts: list[str]) -> str:
    joined = "; ".join(part for part in parts if part)
    return f"{joined[0].upper()}{joined[1:]}." if joined else ""
