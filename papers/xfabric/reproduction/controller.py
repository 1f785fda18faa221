"""XFabric (NSDI 2016): a controller that dies at any point of a reconfiguration (§4.4).

How it is read: papers/xfabric/README.md.
"""

from itertools import groupby
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .packets import counted, hops

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

DIES = "fabric.controller_dies.0"
failure = Reproduction(
    "xfabric",
    "controller-failure",
    experiment="controller-failure.toml",
    quick={f"sweep.{DIES}": ["18 ms", "26.5 ms", "27.25 ms", "29 ms"]},
)

VERSIONS = "versions in force at the end"
WRONG = (
    "SoCs with tables of other circuits at the end",
    "lost in loops, at the hop limit",
    "lost for want of a path",
    "lost on ports without a circuit",
)
"""Counters of which a rack that is at rest has none."""
CHECK = "cargo test -p xfabric --test control_model"


def died_ms(run: "Run") -> float:
    """When the controller died, in milliseconds."""
    return float(str(run.sweep[DIES]).removesuffix("ms"))


def by_variant(results: "Results") -> "Mapping[str, list[Run]]":
    """Runs in the order in which controllers died."""
    found: dict[str, list[Run]] = {}
    for run in results:
        found.setdefault(str(run.variant), []).append(run)
    return {variant: sorted(runs, key=died_ms) for variant, runs in found.items()}


def at_rest(run: "Run") -> bool:
    """Whether all crosspoints and SoCs have one configuration, and no frame is lost for want of one."""
    return counted(run, VERSIONS) == 1 and not any(counted(run, counter) for counter in WRONG)


def lengths(runs: "list[Run]") -> str:
    """Mean paths by when the controller died, those that are alike together."""
    alike = [list(group) for _, group in groupby(runs, key=lambda run: f"{hops(run):.2f}")]
    return ", ".join(
        f"{died_ms(group[0]):g}{f' to {died_ms(group[-1]):g}' if len(group) > 1 else ''} ms: {hops(group[0]):.2f}"
        for group in alike
    )


@failure.measure
def one_configuration(results: "Results") -> Measurement:
    """Whether, some time after the controller's death, the rack has one configuration, wherever that was."""
    runs = list(results)
    good = [run for run in runs if at_rest(run)]
    instants = sorted({died_ms(run) for run in runs})
    bad = "; ".join(f"{run.variant}, {died_ms(run):g} ms" for run in runs if run not in good)
    wrong = f" (not: {bad})" if bad else ""
    parts = "; ".join(f"{variant}, {lengths(of)}" for variant, of in by_variant(results).items())
    note = (
        f"{len(instants)} instants of death from {instants[0]:g} to {instants[-1]:g} ms, of a reconfiguration that "
        f"begins at 10 ms. {len(good)} of {len(runs)} runs end with one version in all crosspoints and SoCs, all "
        f"tables those of the circuits, and no frame in a loop or without a path{wrong}. Mean path then, which "
        f"tells the torus from the new topology: {parts}. Every order of messages, losses and deaths in small "
        f"racks is gone through by a model checker ({CHECK}), with the same devices"
    )
    name = "runs that end with one configuration"
    return Measurement({name: len(good)}, note, required={name: Requirement("eq", len(runs))})


@failure.plot
def path_by_death(results: "Results", claim: "Claim") -> "AnyChart":
    """Mean path after everything, by when the controller has died: the old topology, or the new one."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing, axis, data, lines
    from gossamer.plots.expressions import expression

    canvas = Canvas()
    variants = by_variant(results)
    rows = [
        {"label": variant, "time": died_ms(run) / 1e3, "hops": hops(run), "versions": versions}
        for variant, runs in variants.items()
        for run in runs
        for versions in (counted(run, VERSIONS),)
    ]
    chart = lines(
        data(rows),
        canvas,
        alt.X("time:Q", title="The controller dies", axis=axis("ps", tickCount=8), scale=alt.Scale(zero=False)),
        alt.Y("hops:Q", title="Hops afterwards", axis=axis("ratio", tickCount=6), scale=alt.Scale(domainMin=1)),
        canvas.colour(list(variants), "controller"),
        {
            "Controller": "datum.label",
            "Dies": expression("datum.time", "ps"),
            "Hops": expression("datum.hops", "ratio"),
            "Versions in force": "datum.versions",
        },
        points=True,
    )
    told = (
        f"§{claim.section}. From 80 ms on, of a reconfiguration that begins at 10 ms: the torus has two hops, the new "
        "topology little more than one. All SoCs and crosspoints agree in each run, or the verdict says where not."
    )
    return Drawing(chart, "XFabric §4.4: which topology stays when the controller dies", told).finish(canvas)
