"""XFabric (NSDI 2016): path length by size of the rack (Fig. 4a) and by skew of the traffic (Fig. 3); time (Fig. 6a).

How it is read: papers/xfabric/README.md.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from gossamer.reproduce.registry import Measurement, Study
from gossamer.reproduce.verdict import Requirement
from gossamer.topology.study import seconds

from .seeds import NAMES, SEEDS, SOURCE, Studied, around, mean, spread, studied, values

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim

    from .spread import Spread

CUBES = (27, 64, 125, 216, 343, 512)


def by_size(seeds: int = SEEDS, sizes: tuple[int, ...] = CUBES, threads: int | None = None) -> Mapping[int, Studied]:
    """The production stand-in on racks of several sizes."""
    kept = "xfabric,torus,random"
    return {
        socs: studied(seeds, threads, workload="production", socs=socs, topologies=kept, uplinks=min(8, socs))
        for socs in sizes
    }


scale = Study("xfabric", "fig4a-scale", SOURCE, computes=by_size, quick={"seeds": 2, "sizes": (27, 216, 512)})


@scale.measure
def longest_mean(found: Mapping[int, Studied]) -> Measurement:
    """XFabric's mean path in the largest rack, and whether that is the worst."""
    means = {socs: mean(rows, "xfabric", "path_length") for socs, rows in found.items()}
    largest = max(found)
    parts = ", ".join(f"{socs}: {around(values(rows, 'xfabric', 'path_length'))}" for socs, rows in found.items())
    note = (
        f"Hops by SoCs, mean and 95 % confidence of {len(found[largest])} seeds: {parts}. Above 339 SoCs servers are "
        "there twice"
    )
    worst = max(means.values()) == means[largest]
    return Measurement({"": means[largest]}, note, trends={"no smaller rack has a longer path": worst})


@scale.plot
def fig_4a(found: Mapping[int, Studied], claim: "Claim") -> "AnyChart":
    """Fig. 4a."""
    spreads = [
        spread(rows, name, "path_length", socs)
        for name in ("xfabric", "random", "torus")
        for socs, rows in found.items()
    ]
    told = (
        f"§{claim.section}. At most {claim.value} hops in the paper. Lines across are 95 % confidence intervals over "
        "seeds."
    )
    return curves(spreads, "SoCs", "Hops", "XFabric Fig. 4a: mean path length by size of the rack", told)


def curves(spreads: "list[Spread]", x: str, y: str, title: str, told: str, *, log_y: bool = False) -> "AnyChart":
    """A figure of lines."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .spread import draw_curves

    canvas = Canvas()
    return Drawing(draw_curves(spreads, canvas, "ratio", x, y, "topology", log_y=log_y), title, told).finish(canvas)


CLUSTERS = (2, 4, 7, 12, 20, 35, 60, 110, 200, 343)
DESTINATIONS = (1, 2, 3, 4, 6, 10, 20, 50, 120, 342)
ALIKE = 1.15
"""OSA and XFabric are alike if neither is longer than the other by more than the claim's tolerance."""


class Skews(NamedTuple):
    """Fig. 3: by size of clusters, and by random destinations."""

    clusters: Mapping[int, Studied]
    destinations: Mapping[int, Studied]


def by_skew(
    seeds: int = 3,
    clusters: tuple[int, ...] = CLUSTERS,
    destinations: tuple[int, ...] = DESTINATIONS,
    threads: int | None = None,
) -> Skews:
    """343 SoCs, everybody to everybody of a cluster, or to so many random others."""
    return Skews(
        {size: studied(seeds, threads, workload="clustered", cluster=size) for size in clusters},
        {many: studied(seeds, threads, workload="random-destinations", destinations=many) for many in destinations},
    )


skew = Study(
    "xfabric",
    "fig3-skew",
    SOURCE,
    computes=by_skew,
    quick={"seeds": 1, "clusters": (2, 20, 343), "destinations": (1, 6, 342)},
)


@skew.measure
def up_to(found: Skews) -> Measurement:
    """How many times shorter than the random graph at the highest skew, and what becomes of it."""

    def ratios(rows: Mapping[int, Studied], static: str) -> dict[int, float]:
        return {
            key: mean(each, static, "path_length") / mean(each, "xfabric", "path_length") for key, each in rows.items()
        }

    clusters, spreads = ratios(found.clusters, "random"), ratios(found.destinations, "random")
    torus = ratios(found.clusters, "torus")
    osa = {
        (kind, key): mean(each, "osa", "path_length") / mean(each, "xfabric", "path_length")
        for kind, rows in (("clusters of", found.clusters), ("destinations:", found.destinations))
        for key, each in rows.items()
    }
    farthest = max(osa, key=lambda key: max(osa[key], 1 / osa[key]))
    alike = all(1 / ALIKE <= ratio <= ALIKE for ratio in osa.values())
    tends = all(abs(last[max(last)] - 1) < 0.05 for last in (clusters, spreads))
    first = min(clusters)
    least = min(spreads)
    note = (
        f"Clusters of {first}: random {clusters[first]:.2f} and the torus {torus[first]:.2f} times longer; {least} "
        f"random destination: random {spreads[least]:.2f}. All to all: {clusters[max(clusters)]:.2f}. OSA's "
        f"mean is {min(osa.values()):.2f} to {max(osa.values()):.2f} of XFabric's, farthest from it at {farthest[0]} "
        f"{farthest[1]}. With 6 ports, clusters of up to 7 take one hop; so do 3 random destinations, which make 6 "
        "partners on average, if every wanted pair can be joined, and one switch for all ports joins more of them"
    )
    trends = {
        "OSA's mean path is XFabric's within 15 %": alike,
        "without skew XFabric's path is the random graph's within 5 %": tends,
    }
    return Measurement({"": clusters[first]}, note, trends=trends)


@skew.plot
def fig_3(found: Skews, claim: "Claim") -> "dict[str, AnyChart]":
    """Figs. 3a and 3b."""
    told = (
        f"§{claim.section}. Up to {claim.value} times shorter in the paper. 343 SoCs. Lines across are 95 % confidence "
        "intervals over seeds."
    )
    title = "XFabric Fig. 3{}: mean path length by {}"
    return {
        part: curves(
            [spread(each, name, "path_length", key) for name in NAMES for key, each in rows.items()],
            axis,
            "Hops",
            title.format(part, of),
            told,
        )
        for part, rows, axis, of in (
            ("a", found.clusters, "SoCs of a cluster", "size of clusters"),
            ("b", found.destinations, "Destinations of a SoC", "number of random destinations"),
        )
    }


MEASURED = (27, 64, 125, 216, 343, 512, 1024)


def by_time(
    rounds: int = 5, sizes: tuple[int, ...] = MEASURED, threads: int | None = None
) -> Mapping[int, Mapping[str, float]]:
    """Seconds of one core, by size: XFabric's circuits and forwarding tables, OSA's graph. One after the other."""
    del threads  # times are taken alone
    found = {}
    for socs in sizes:
        xfabric = seconds(rounds, socs=socs, topologies="xfabric", uplinks=min(8, socs))
        osa = seconds(1, socs=socs, topologies="osa", uplinks=min(8, socs))
        found[socs] = {**xfabric, **osa}
    return found


speed = Study(
    "xfabric",
    "fig6a-speed",
    "gossamer.topology.seconds",
    computes=by_time,
    quick={"rounds": 1, "sizes": (27, 125, 216)},
)
speed.not_run = {"512": "left out by --quick", "1024": "left out by --quick", "osa_1024": "left out by --quick"}


@speed.measure
def times(found: Mapping[int, Mapping[str, float]]) -> Measurement:
    """The times that the paper states, and OSA's over XFabric's."""
    rows = {str(socs): found[socs]["xfabric"] for socs in (512, 1024) if socs in found}
    if 1024 in found:
        rows["osa_1024"] = found[1024]["osa"]
    parts = ", ".join(
        f"{socs}: {1e3 * each['xfabric']:.3g} ms, OSA {each['osa'] / each['xfabric']:.0f} times"
        for socs, each in found.items()
    )
    note = (
        "XFabric on one core, forwarding tables included, the least of several rounds, and OSA in the same run: "
        f"{parts}. The paper's OSA is over 6 times slower at 1024. Ours finds six maximum-weight matchings of general "
        "graphs, one after another; the paper's used another library"
    )
    slower = all(each["osa"] > each["xfabric"] for each in found.values())
    largest = max(found)
    rows["osa_over_xfabric"] = found[largest]["osa"] / found[largest]["xfabric"]
    return Measurement(
        rows,
        note,
        required={"osa_over_xfabric": Requirement("ge", 6)},
        trends={"OSA takes longer at every size": slower},
    )


@speed.plot
def fig_6a(found: Mapping[int, Mapping[str, float]], claim: "Claim") -> "AnyChart":
    """Fig. 6a, as times."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .spread import Spread, draw_curves

    spreads: list[Spread] = [
        {"place": socs, "label": NAMES[name], "mean": time, "low": time, "high": time, "expected": None}
        for name in ("xfabric", "osa")
        for socs, each in found.items()
        for time in (each[name],)
    ]
    canvas = Canvas()
    chart = draw_curves(spreads, canvas, "ps", "SoCs", "Time on one core", "topology", log_y=True)
    told = f"§{claim.section}. In the paper 0.7 s at 512 and 3 s at 1024 SoCs, OSA 20.5 s."
    return Drawing(chart, "XFabric Fig. 6a: time to find a topology", told).finish(canvas)
