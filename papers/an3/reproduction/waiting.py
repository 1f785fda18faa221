"""AN3 §8.4, Figs. 16 to 18: how long nodes wait for circuits under uneven load. How it is read: ../README.md."""

from collections import Counter, defaultdict
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from gossamer.reproduce.registry import Measurement, Reproduction

from .sort import by_variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

waiting = Reproduction(
    "an3",
    "fig17-waiting",
    experiment="waiting.toml",
    quick={"topology.networks": 8, "workload.trace.flows_per_second": 174_100},
)

HOSTS = 22
"""NICs of an L0 network."""
CHAIN_PS = 1_000_000
"""§8.4: requests of a node within 1 us are a chain."""
SHORT = 40
"""§8.4: 99 % of chains are shorter."""
CHAINS = ((1, 1), (2, 2), (3, 9), (10, 19), (20, 39), (40, 79), (80, 200))
"""Sizes of chains that Fig. 18 is drawn for, from and to."""


class Request(NamedTuple):
    """A flow's request for its first circuit."""

    host: int
    waited_us: float
    chain: int
    """How many flows its host asked for within a microsecond, itself among them."""
    place: int
    """Its place among them, from 0."""


def requests(run: "Run") -> "list[Request]":
    """Of all flows between L0 networks."""
    return chains_of(run.flows.to_pylist())


def chains_of(flows: "Iterable[Mapping[str, Any]]") -> "list[Request]":
    """Requests of flows, by host and time; flows within an L0 network need no slot of an egress NIC (§8.1).

    Raises `ValueError` if one was never let send.
    """
    by_host: dict[int, list[tuple[int, int]]] = defaultdict(list)
    unanswered = 0
    for flow in flows:
        if flow["src"] // HOSTS == flow["dst"] // HOSTS:
            continue
        if flow["waited_ps"] is None:
            unanswered += 1
            continue
        by_host[flow["src"]].append((flow["start_ps"], flow["waited_ps"]))
    if unanswered:
        raise ValueError(f"{unanswered} flows were never let send")
    found = []
    for host, asked in sorted(by_host.items()):
        asked.sort()
        chain: list[tuple[int, int]] = []
        for start, waited in [*asked, (2**63, 0)]:
            if chain and start - chain[0][0] > CHAIN_PS:
                found += [Request(host, wait / 1e6, len(chain), place) for place, (_, wait) in enumerate(chain)]
                chain = []
            chain.append((start, waited))
    return found


def loads(found: "Sequence[Request]") -> dict[int, int]:
    """By L0 network, its load beside that of the one with most requests, in tenths, rounded up."""
    counts = Counter(request.host // HOSTS for request in found)
    most = max(counts.values())
    return {network: -(-10 * count // most) for network, count in counts.items()}


def first_and_all(found: "Sequence[Request]") -> "dict[int, tuple[float, float]]":
    """Fig. 17: mean waiting time of first requests and of all, by load of their L0 network, in us."""
    of = loads(found)
    firsts, everything = defaultdict(list), defaultdict(list)
    for request in found:
        load = of[request.host // HOSTS]
        everything[load].append(request.waited_us)
        if request.place == 0:
            firsts[load].append(request.waited_us)
    return {load: (fmean(firsts[load]), fmean(everything[load])) for load in sorted(everything)}


def by_chain(found: "Sequence[Request]") -> "dict[tuple[int, int], float]":
    """Fig. 18: mean waiting time in us by size of chain."""
    sizes = {
        (least, most): [request.waited_us for request in found if least <= request.chain <= most]
        for least, most in CHAINS
    }
    return {size: fmean(waits) for size, waits in sizes.items() if waits}


def at(values: "Iterable[float]", part: float) -> float:
    """The value below which this part of them is."""
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


@waiting.measure
def waits(results: "Results") -> Measurement:
    """The longest mean wait of first requests for any load of an L0 network, and of any size of chain below 40.

    Of the run whose sizes leave the hosts a load that they could have had at the time; the others are told beside.
    """
    runs = by_variant(results)
    found = {name: requests(run) for name, run in runs.items()}
    main, *others = runs
    rates = flow_rates(runs[main])
    by_load, chains = first_and_all(found[main]), by_chain(found[main])
    light = {host for host, rate in rates.items() if rate < fmean(rates.values()) / 2}
    first = [request.waited_us for request in found[main] if request.place == 0]
    told_loads = ", ".join(f"{load / 10:g} {wait:.2f} and {every:.2f}" for load, (wait, every) in by_load.items())
    told_chains = ", ".join(f"{least} to {most} {wait:.1f}" for (least, most), wait in chains.items())
    longer = "; ".join(
        f"{name}: {longest_first(found[name]):.1f} and {longest_short(found[name]):.1f}" for name in others
    )
    return Measurement(
        {"first_request_us": longest_first(found[main]), "chain_40_us": longest_short(found[main])},
        f"Flows of {main}, {len(found[main]):,} of them between L0 networks, by hosts of which half start fewer than "
        f"{median(rates.values()):.0f} a second and one in a hundred more than {at(rates.values(), 0.99):.0f}. Mean us "
        f"of first requests and of all, by load of the L0 network beside that of the busiest: {told_loads}. 99 % of "
        f"first requests wait less than {at(first, 0.99):.1f} us, 99.9 % less than {at(first, 0.999):.1f}. By size of "
        f"chain: {told_chains}. Nodes with less than half of the mean rate wait "
        f"{fmean(r.waited_us for r in found[main] if r.host in light):.1f} us on average, all nodes "
        f"{fmean(r.waited_us for r in found[main]):.1f}. The two numbers with larger flows, for which busy L0 networks "
        f"have no slots left: {longer}",
        trends={
            "nodes in lightly loaded L0 networks wait less": by_load[min(by_load)][1] < by_load[max(by_load)][1],
            "longer chains wait longer": list(chains.values()) == sorted(chains.values()),
        },
    )


def longest_first(found: "Sequence[Request]") -> float:
    """Mean wait of first requests in us, where it is longest by load of the L0 network."""
    return max(first for first, _ in first_and_all(found).values())


def longest_short(found: "Sequence[Request]") -> float:
    """Mean wait in us of requests in chains below 40, of the size of chain for which it is longest."""
    return max(wait for (_, most), wait in by_chain(found).items() if most < SHORT)


def flow_rates(run: "Run") -> dict[int, float]:
    """Flows that each host starts, a second; hosts that start none are left out, as in Fig. 16."""
    flows = run.flows.to_pylist()
    seconds = (max(flow["start_ps"] for flow in flows) - min(flow["start_ps"] for flow in flows)) / 1e12
    return {host: count / seconds for host, count in Counter(flow["src"] for flow in flows).items()}


@waiting.plot
def figures(results: "Results", claim: "Claim") -> "dict[str, AnyChart]":
    """Figs. 16, 17 and 18."""
    run = next(iter(by_variant(results).values()))
    found = requests(run)
    ordered = sorted(flow_rates(run).values())
    rates = {
        "hosts": [(rate, (place + 1) / len(ordered)) for place, rate in enumerate(ordered)][:: len(ordered) // 400 + 1]
    }
    by_load = first_and_all(found)
    waits = {
        "first requests": [(load / 10, first) for load, (first, _) in by_load.items()],
        "all requests": [(load / 10, every) for load, (_, every) in by_load.items()],
    }
    lengths = {"all requests": [((least + most) / 2, wait) for (least, most), wait in by_chain(found).items()]}
    told = f"§{claim.section}. A synthetic trace with the rates and chains that the paper states."
    return {
        "load": drawn(
            waits, ("Load of the L0 network", "fraction"), "AN3 Fig. 17: waiting for a circuit, by load", told
        ),
        "rates": drawn(
            rates, ("Flows a second", "count"), "AN3 Fig. 16: how often hosts start flows", told, share=True
        ),
        "chains": drawn(lengths, ("Requests at once", "count"), "AN3 Fig. 18: waiting for a circuit, by chain", told),
    }


def drawn(
    found: "Mapping[str, Sequence[tuple[float, float]]]",
    across: "tuple[str, str]",
    title: str,
    told: str,
    *,
    share: bool = False,
) -> "AnyChart":
    """A line for each label: waiting times in us over `across`, or shares of hosts."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing, axis, data, lines, log_scale
    from gossamer.plots.expressions import expression

    canvas = Canvas()
    name, kind = across
    rows = [
        {"label": label, "x": x, "y": y if share else y / 1e6} for label, points in found.items() for x, y in points
    ]
    if kind == "count":
        scale, ticks = log_scale("count", [row["x"] for row in rows])  # type: ignore[misc]
    else:
        scale, ticks = alt.Scale(domain=[0, 1]), axis("fraction", tickCount=5)
    title_y, kind_y = ("Hosts", "fraction") if share else ("Mean wait", "ps")
    chart = lines(
        data(rows),
        canvas,
        alt.X("x:Q", title=name, axis=ticks, scale=scale),
        alt.Y("y:Q", title=title_y, axis=axis(kind_y, tickCount=6), scale=alt.Scale(domainMin=0)),  # type: ignore[arg-type]
        canvas.colour(list(found), "requests"),
        {
            "Of": "datum.label",
            name: expression("datum.x", kind),  # type: ignore[arg-type]
            title_y: expression("datum.y", kind_y),  # type: ignore[arg-type]
        },
        points=not share,
    )
    return Drawing(chart, title, told).finish(canvas)
