"""XFabric (NSDI 2016): four topologies under two workloads (§6.4, Fig. 2), and uplinks (Fig. 4b).

How it is read, and what the workloads are made of: papers/xfabric/README.md.
"""

from typing import TYPE_CHECKING, NamedTuple

from gossamer.reproduce.registry import Measurement, Study

from .seeds import NAMES, SEEDS, SOURCE, Studied, around, mean, spread, studied, values

if TYPE_CHECKING:
    from gossamer.analysis.quantities import Kind
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim

    from .seeds import Column

SUBFLOWS = 64
"""Subflows of each flow. §6.4 wants many more than there are paths, which no number is for opposite corners of a torus
(1680); a link carries hundreds of flows, so that their chances even out."""


class Both(NamedTuple):
    """The two workloads of §6.2."""

    production: Studied
    social: Studied


def both(seeds: int = SEEDS, nodes: int = 200_000, threads: int | None = None) -> Both:
    """343 SoCs, topologies made for the traffic between pairs of SoCs (§6.2: `tm`)."""
    return Both(
        studied(seeds, threads, workload="production", subflows=SUBFLOWS),
        studied(seeds, threads, workload="social", nodes=nodes, subflows=SUBFLOWS),
    )


QUICK = {"seeds": 2, "nodes": 20_000}

path_length = Study("xfabric", "fig2a-path-length", SOURCE, computes=both, quick=QUICK)
diversity = Study("xfabric", "fig2bc-diversity-bottleneck", SOURCE, computes=both, quick=QUICK)


@path_length.measure
def lengths(found: Both) -> Measurement:
    """Mean paths of the production stand-in, how many times longer the static ones are, and the order on the graph."""
    production, social = found
    hops = {name: mean(production, name, "path_length") for name in NAMES}
    graph = {name: mean(social, name, "path_length") for name in NAMES}
    margin = {name: hops[name] / hops["xfabric"] > graph[name] / graph["xfabric"] for name in ("torus", "random")}
    shorter = graph["xfabric"] < min(graph["torus"], graph["random"])
    most = values(production, "xfabric", "direct_at_most")
    bound = 2 - sum(most) / len(most)
    parts = ", ".join(f"{NAMES[name]} {around(values(production, name, 'path_length'))}" for name in NAMES)
    others = ", ".join(f"{NAMES[name]} {around(values(social, name, 'path_length'))}" for name in NAMES)
    note = (
        f"Production stand-in, mean and 95 % confidence of {len(production)} seeds: {parts}. Six ports reach the "
        f"partners of at most {around(most)} of its bytes in one hop, so that no topology has less than {bound:.2f} "
        "hops; for 1.06 it must be 0.94 or more (README.md: clusters that six ports can serve). The paper's torus is "
        "6 x 1.06 = 6.4 hops long and its random graph 3.9, where servers in random places have 5.16 and 3.51 on "
        "average, with standard deviations of 1.8 and 0.7 for a pair: bytes between about ten pairs do that. Ours are "
        "spread over "
        f"{around(values(production, 'xfabric', 'effective_pairs'), 0)}. Graph: {others}. OSA is "
        f"{'' if graph['osa'] > graph['xfabric'] else 'not '}worse than XFabric and the margin "
        f"{'' if all(margin.values()) else 'not '}smaller, but XFabric is {'' if shorter else 'not '}shorter than both "
        f"static ones: six ports reach {mean(social, 'xfabric', 'direct_at_most'):.2f} of this graph's bytes"
    )
    rows = {
        "xfabric_hops": hops["xfabric"],
        "torus_ratio": hops["torus"] / hops["xfabric"],
        "random_ratio": hops["random"] / hops["xfabric"],
    }
    trends = {
        "on the graph the margin is smaller": all(margin.values()),
        "on the graph XFabric is shorter than torus and random graph": shorter,
        "on the graph OSA is worse than XFabric": graph["osa"] > graph["xfabric"],
    }
    return Measurement(rows, note, trends=trends)


@path_length.plot
def fig_2a(found: Both, claim: "Claim") -> "AnyChart":
    """Fig. 2a, with the lengths that the paper's ratios give."""
    xfabric = float(claim.rows["xfabric_hops"])
    stated = {
        "xfabric": xfabric,
        "torus": xfabric * float(claim.rows["torus_ratio"]),
        "random": xfabric * float(claim.rows["random_ratio"]),
    }
    told = f"§{claim.section}. Means over bytes, then over seeds; lines are their 95 % confidence intervals."
    return drawn(found, "path_length", "count", "Hops", "XFabric Fig. 2a: mean path length", told, stated)


def drawn(
    found: Both,
    column: "Column",
    kind: "Kind",
    unit: str,
    title: str,
    told: str,
    stated: dict[str, float] | None = None,
) -> "AnyChart":
    """Both workloads side by side."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .spread import draw_groups

    canvas = Canvas()
    spreads = [
        spread(rows, name, column, place, (stated or {}).get(name) if place == "production stand-in" else None)
        for place, rows in (("production stand-in", found.production), ("social graph", found.social))
        for name in NAMES
    ]
    scale: Kind = "ratio" if kind == "count" else kind
    return Drawing(draw_groups(spreads, canvas, scale, unit, "topology"), title, told, isolates=False).finish(canvas)


@diversity.measure
def disjoint_and_bottleneck(found: Both) -> Measurement:
    """Who has the most disjoint shortest paths and who the fewest; whether the most loaded links are about equal."""
    parts, ordered, equal = [], True, True
    for title, rows in (("production stand-in", found.production), ("graph", found.social)):
        paths = {name: mean(rows, name, "disjoint_paths") for name in NAMES}
        loads = {name: mean(rows, name, "bottleneck") for name in NAMES}
        ordered &= paths["torus"] > paths["random"] > max(paths["xfabric"], paths["osa"])
        others = [loads[name] for name in ("xfabric", "osa", "random")]
        equal &= max(others) <= 1.5 * min(others) and loads["torus"] < min(others)
        parts.append(
            f"{title}: disjoint paths "
            + ", ".join(f"{NAMES[name]} {paths[name]:.2f}" for name in NAMES)
            + "; share of bytes on the most loaded link "
            + ", ".join(f"{NAMES[name]} {100 * loads[name]:.2f} %" for name in NAMES)
            + "; load of the most loaded link over the mean "
            + ", ".join(f"{NAMES[name]} {mean(rows, name, 'skew'):.1f}" for name in NAMES)
        )
    note = (
        ". ".join(parts)
        + f". Disjoint paths {'are' if ordered else 'are not'} in the paper's order. Bottlenecks "
        + ("are" if equal else "are not")
        + " about equal (within half) but for a lower one of the torus: where they are not, it is the graph, on which "
        "circuits follow its places and all other traffic goes over the few that lead far"
    )
    trends = {
        "disjoint shortest paths: torus highest, reconfigurable fabrics lowest": ordered,
        "bottlenecks about equal (within half), and lower for the torus": equal,
    }
    return Measurement({}, note, trends=trends)


@diversity.plot
def fig_2bc(found: Both, claim: "Claim") -> "dict[str, AnyChart]":
    """Figs. 2b and 2c."""
    told = f"§{claim.section}. Means over seeds; lines are their 95 % confidence intervals."
    return {
        "b": drawn(found, "disjoint_paths", "count", "Paths", "XFabric Fig. 2b: disjoint shortest paths", told),
        "c": drawn(found, "bottleneck", "fraction", "Bytes", "XFabric Fig. 2c: share of the most loaded link", told),
    }


class Gateways(NamedTuple):
    """Uplinks placed and assigned by §4.2; and placed so, but each SoC uses the nearest."""

    placed: Studied
    nearest: Studied


def gateways(seeds: int = SEEDS, threads: int | None = None) -> Gateways:
    """343 SoCs and 8 uplinks; topologies made for `dm_all`, what goes to uplinks included."""
    return Gateways(
        studied(seeds, threads, workload="production", with_uplinks=True),
        studied(
            seeds, threads, workload="production", with_uplinks=True, topologies="xfabric", uplink_choice="nearest"
        ),
    )


uplinks = Study("xfabric", "fig4b-uplinks", SOURCE, computes=gateways, quick={"seeds": 2})


@uplinks.measure
def shorter_ways_out(found: Gateways) -> Measurement:
    """How much shorter the path to an uplink is than over a random graph and a torus."""
    hops = {name: mean(found.placed, name, "uplink_path_length") for name in NAMES}
    near = mean(found.nearest, "xfabric", "uplink_path_length")
    parts = ", ".join(f"{NAMES[name]} {around(values(found.placed, name, 'uplink_path_length'))}" for name in NAMES)
    note = (
        f"Hops to uplinks, mean and 95 % confidence of {len(found.placed)} seeds: {parts}. XFabric's SoCs use the "
        "uplink that §4.2 assigns to balance load, wherever it is; the others' the nearest (§6.1). Were XFabric's to "
        f"use the nearest of their uplinks, {around(values(found.nearest, 'xfabric', 'uplink_path_length'))} hops, "
        f"{1 - near / hops['random']:.2f} below random and {1 - near / hops['torus']:.2f} below the torus: the paper "
        "lies between. What leaves the rack is not in the paper; ours is as heavy-tailed as what stays"
    )
    return Measurement({name: 1 - hops["xfabric"] / hops[name] for name in ("random", "torus")}, note)


@uplinks.plot
def fig_4b(found: Gateways, claim: "Claim") -> "AnyChart":
    """Fig. 4b, with the paper's reductions as marks of where XFabric would be."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .spread import draw_groups

    canvas = Canvas()
    random = mean(found.placed, "random", "uplink_path_length")
    wanted = (1 - float(claim.rows["random"])) * random
    spreads = [
        spread(found.placed, name, "uplink_path_length", "uplinks by the paper", wanted if name == "xfabric" else None)
        for name in NAMES
    ]
    spreads.append(spread(found.nearest, "xfabric", "uplink_path_length", "nearest uplink", wanted))
    told = (
        f"§{claim.section}. 8 uplinks; lines are their 95 % confidence intervals, the mark is "
        f"{100 * float(claim.rows['random']):g} % below random."
    )
    chart = draw_groups(spreads, canvas, "ratio", "Hops", "topology")
    return Drawing(chart, "XFabric Fig. 4b: path of ingress and egress traffic", told, isolates=False).finish(canvas)
