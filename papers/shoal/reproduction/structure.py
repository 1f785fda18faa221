"""Shoal (NSDI 2019): the schedule, its switches and the cell header (§3.2, §3.5, App. A; Figs. 2 to 5 and 19).

Readings of the paper: papers/shoal/README.md.
"""

import random
from typing import TYPE_CHECKING, cast

from gossamer.reproduce.registry import Computation, Measurement

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.shoal import Examination

MOST = 64
"""All numbers of nodes up to this are gone through."""

SOURCE = "gossamer.shoal.examine"


def all_fabrics() -> "dict[tuple[int, int, int], Examination]":
    """By nodes, ports and channels: every fabric of up to 64 nodes that switches of 2, 4, 6, ... ports join."""
    from gossamer.shoal import examine

    found = {}
    for nodes in range(2, MOST + 1):
        for ports in range(2, 2 * MOST + 1, 2):
            if ports * ports // 2 < nodes or (ports - 2) // 2 >= nodes:
                continue  # too few for the nodes, or more than one leaf needs
            for channels in (1, 4):
                found[nodes, ports, channels] = examine(nodes, channels, ports)
    found[512, 64, 4] = examine(512, 4, 64)
    return found


decomposition = Computation("shoal", "schedule-decomposition", SOURCE, computes=all_fabrics)


@decomposition.measure
def contention_free(found: "dict[tuple[int, int, int], Examination]") -> Measurement:
    """Whether all of them join each pair once, over switches that never send two cells out of one port."""
    good = [each["each_pair_once"] and each["decomposes"] for each in found.values()]
    return Measurement(
        {},
        f"{sum(good)} of {len(good)} fabrics: every number of nodes up to {MOST}, every number of ports that joins "
        "them, 1 and 4 channels; and 512 nodes on 64 ports with 4 channels. In each, every slot of an epoch was gone "
        "through switch by switch",
        trends={"every fabric joins each pair once, without contention": all(good)},
    )


@decomposition.plot
def who_meets_when(found: "dict[tuple[int, int, int], Examination]", claim: "Claim") -> "AnyChart":
    """How long an epoch is, by nodes."""
    return drawn(found, "epoch", "Shoal §3.2: slots of an epoch", f"§{claim.section}: every ordered pair meets once.")


def drawn(found: "dict[tuple[int, int, int], Examination]", key: str, title: str, told: str) -> "AnyChart":
    """A number of each fabric against its nodes, for one channel and four."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing

    rows = {
        (nodes, channels): {"nodes": nodes, "channels": f"{channels} channels", "value": int(each[key])}  # type: ignore[literal-required]
        for (nodes, _, channels), each in found.items()
        if nodes <= MOST
    }
    chart = (
        alt.Chart(alt.InlineData(values=list(rows.values())))
        .mark_line(interpolate="step")
        .encode(
            x=alt.X("nodes:Q", title="nodes"),
            y=alt.Y("value:Q", title="slots"),
            color=alt.Color("channels:N", title=None),
        )
    )
    return Drawing(chart, title, told).finish(Canvas())


propagation = Computation("shoal", "propagation-schedule", SOURCE, computes=lambda: one_channel())


def one_channel() -> "dict[tuple[int, int, int], Examination]":
    """The rearranged schedules of 3 to 64 nodes, on one channel."""
    from gossamer.shoal import examine

    return {(nodes, 64, 1): examine(nodes, 1, 64) for nodes in range(3, MOST + 1)}


@propagation.measure
def half_an_epoch(found: "dict[tuple[int, int, int], Examination]") -> Measurement:
    """Whether both directions of each pair are as far apart as App. A says, and what it costs."""
    odd = all(
        each["least_distance"] == each["most_distance"] == (nodes - 1) // 2 and each["idle_turns"] == 0
        for (nodes, _, _), each in found.items()
        if nodes % 2 == 1
    )
    even = all(
        each["least_distance"] == each["most_distance"] == nodes // 2 and each["idle_turns"] == 1
        for (nodes, _, _), each in found.items()
        if nodes % 2 == 0
    )
    once = all(each["each_pair_once"] for each in found.values())
    return Measurement(
        {},
        f"3 to {MOST} nodes. Odd: an epoch has N-1 slots, (N-1)/2 of them from i to j until j to i, and the way back "
        "takes as many. Even: one turn of a node in N is empty, and both ways are N/2 slots apart",
        trends={
            "each pair once": once,
            "odd numbers of nodes: (N-1)/2 slots apart, and no turn empty": odd,
            "even numbers of nodes: N/2 slots apart, and one turn empty": even,
        },
    )


@propagation.plot
def distances(found: "dict[tuple[int, int, int], Examination]", claim: "Claim") -> "AnyChart":
    """Least distance against nodes."""
    title = "Shoal App. A: slots between the two directions of a pair"
    return drawn(found, "least_distance", title, f"{claim.section}: k slots are kept for any k below this.")


header = Computation("shoal", "header", "gossamer.shoal.Header", computes=lambda: coded())


def coded() -> dict[str, int]:
    """Bits of the fields; how many of 1000 random headers come back as they were, and are refused with a bit wrong."""
    from gossamer.shoal import Header, widths

    chance, bits = random.Random(5), cast("dict[str, int]", widths(512))
    back = refused = 0
    for _ in range(1000):
        numbers = [chance.getrandbits(bits[name]) for name in ("source", "destination", "sequence", "feedback")]
        start, end, last_dropped = (chance.random() < 0.5 for _ in range(3))
        source, destination, sequence, feedback = numbers
        given = Header(source, destination, sequence, feedback, start, end, last_dropped)
        payload = chance.randbytes(56)
        wire = given.encode(payload)
        back += Header.decode(wire, payload) == given
        wrong = bytearray(wire + payload)
        wrong[chance.randrange(64)] ^= 1 << chance.randrange(8)
        refused += Header.decode(bytes(wrong[:8]), bytes(wrong[8:])) is None
    return {**bits, "on the wire": 8 * len(wire), "back": back, "refused": refused}


@header.measure
def sixty_four_bits(found: dict[str, int]) -> Measurement:
    """Bits of an encoded header; the widths of Fig. 5 are in the note."""
    fields = ("source", "destination", "sequence", "feedback", "start", "end", "last_dropped", "crc")
    told = ", ".join(f"{name.replace('_', ' ')} {found[name]}" for name in fields)
    return Measurement(
        {"": found["on the wire"]},
        f"{told}. Of 1000 random headers {found['back']} were read as they were written, and {found['refused']} "
        "refused when a bit of the cell was wrong",
        trends={
            "fields are as wide as in Fig. 5": [found[name] for name in fields] == [10, 10, 22, 11, 1, 1, 1, 8],
            "every header is read as it was written": found["back"] == 1000,
            "every header with a wrong bit is refused": found["refused"] == 1000,
        },
    )


@header.plot
def fields(found: dict[str, int], claim: "Claim") -> "AnyChart":
    """The fields, one after the other."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing

    names = ("source", "destination", "sequence", "feedback", "start", "end", "last_dropped", "crc")
    rows = [
        {"field": f"{name.replace('_', ' ')}, {found[name]}", "bits": found[name], "order": order}
        for order, name in enumerate(names)
    ]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("bits:Q", title="bits", scale=alt.Scale(domain=[0, 64])),
            color=alt.Color("field:N", title=None, sort=[str(row["field"]) for row in rows]),
            order="order:Q",
        )
        .properties(height=60)
    )
    return Drawing(chart, "Shoal Fig. 5: a cell's header", f"§{claim.section}: {claim.value} bits").finish(Canvas())
