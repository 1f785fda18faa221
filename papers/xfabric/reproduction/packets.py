"""XFabric (NSDI 2016): the prototype of 27 servers, packet by packet (§6.5, Fig. 5).

How it is read: papers/xfabric/README.md.
"""

import math
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement, Verdict

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

    from .spread import Spread

PERIODS = {
    "100-ms": 0.1,
    "300-ms": 0.3,
    "1-s": 1.0,
    "3-s": 3.0,
    "10-s": 10.0,
    "30-s": 30.0,
    "120-s": 120.0,
    "480-s": 480.0,
}
"""Seconds from one topology to the next, by variant."""
SECOND, OFTEN, TORUS = "1-s", "100-ms", "torus"
QUICK = {
    "workload.0.flows": 2_000,
    "warmup": "1 s",
    "fabric.reconfigure_from": "1 s",
}
"""A few seconds of traffic: periods above that are those of a rack that is reconfigured once."""

paths = Reproduction("xfabric", "fig5a-period", experiment="fig5a-period.toml", quick=QUICK)
completion = Reproduction("xfabric", "fig5b-completion", experiment="fig5a-period.toml", quick=QUICK)
clusters = Reproduction(
    "xfabric",
    "fig5c-clusters",
    experiment="fig5c-clusters.toml",
    quick={
        "sweep.workload.trace.pattern.clusters": [2, 27],
        "warmup": "1 s",
        "fabric.reconfigure_from": "1 s",
        "duration": "3 s",
    },
)


def counted(run: "Run", counter: str) -> float:
    """One of the rack's counters."""
    return {row["counter"]: float(row["value"]) for row in run.counters.to_pylist()}[counter]


def hops(run: "Run") -> float:
    """Circuits that a packet passed on average, of those that arrived while circuits might change."""
    return counted(run, "mean path length")


def by_period(results: "Results") -> "dict[str, Run]":
    """Runs by variant."""
    return {str(run.variant): run for run in results}


def seconds(period: str) -> str:
    """A variant of the experiment in words."""
    return period.replace("-", " ")


@paths.measure
def shorter_paths(results: "Results") -> Measurement:
    """Mean paths as a torus and at a second; whether 30 s and less are at least a quarter shorter."""
    runs = by_period(results)
    torus = hops(runs[TORUS])
    gains = {period: 1 - hops(runs[period]) / torus for period in PERIODS}
    often = [gains[period] for period, length in PERIODS.items() if length <= 30]
    parts = ", ".join(f"{seconds(period)} {hops(runs[period]):.2f} ({gains[period]:.0%} shorter)" for period in PERIODS)
    note = (
        f"Hops by period: {parts}. At 30 s or less the path is {min(often):.0%} shorter or more; the paper has 25 %. "
        "A controller generates a topology when it begins, so even the longest period has one. The matrix is that of "
        "the stand-in for the production cluster (production-27.csv)"
    )
    rows = {"torus": torus, "at_1s": hops(runs[SECOND]), "shorter at 30 s or less": min(often)}
    return Measurement(rows, note, required={"shorter at 30 s or less": Requirement("ge", 0.25)})


def completed_s(run: "Run") -> float:
    """Seconds from the end of the warm-up until the last flow had ended; not a number if one had not."""
    (row,) = run.summary.to_pylist()
    ended = row["flows_completed"] == row["flows_started"]
    return float(row["measured_ps"]) / 1e12 if ended else math.nan


@completion.measure
def sooner_done(results: "Results") -> Measurement:
    """Time to the end of the trace at a second over that of the torus; whether it is longer at 100 ms."""
    runs = by_period(results)
    times = {period: completed_s(run) for period, run in runs.items()}
    relative = {period: time / times[TORUS] for period, time in times.items()}
    parts = ", ".join(f"{seconds(period)} {relative[period]:.2f}" for period in PERIODS)
    lost = ", ".join(
        f"{seconds(period)} {run.summary.column('timeouts')[0].as_py():,}"
        for period, run in runs.items()
        if period in (TORUS, SECOND, OFTEN)
    )
    worse = relative[OFTEN] > relative[SECOND]
    note = (
        f"The torus takes {times[TORUS]:.0f} s from when circuits may change until the last flow has ended. Of this, "
        f"by period: {parts}. At 100 ms it takes {'longer' if worse else 'no longer'} than at 1 s. TCP's "
        f"timeouts: {lost}"
    )
    return Measurement({"": relative[SECOND]}, note, trends={"longer at 100 ms than at 1 s": worse})


CLUSTERS = "workload.trace.pattern.clusters"
MICE = "xfabric-mice"


def by_size(results: "Results") -> dict[str, dict[int, float]]:
    """Mean paths by variant and SoCs of a cluster."""
    found: dict[str, dict[int, float]] = {}
    for run in results:
        found.setdefault(str(run.variant), {})[int(str(run.sweep[CLUSTERS]))] = hops(run)
    return found


@clusters.measure
def by_skew(results: "Results") -> Measurement:
    """Mean path in clusters of two, gain over the torus with uniform traffic, and that without elephants."""
    found = by_size(results)
    fewest, all_socs = min(found["xfabric"]), max(found["xfabric"])
    torus = found[TORUS][all_socs]
    mice = found[MICE][all_socs] / torus
    parts = "; ".join(
        f"{size}: torus {found[TORUS][size]:.2f}, XFabric {found['xfabric'][size]:.2f}, without elephants "
        f"{found[MICE][size]:.2f}"
        for size in sorted(found["xfabric"])
    )
    alike = Requirement("approx", 1.0, 0.1)
    back = alike.judge(mice) is Verdict.REPRODUCED
    note = (
        f"Hops by SoCs of a cluster: {parts}. Without elephants uniform traffic has {mice:.2f} times the torus's path, "
        f"which is {'' if back else 'not '}within 10 % of it"
    )
    rows = {"clusters_of_2": found["xfabric"][fewest], "uniform_gain": 1 - found["xfabric"][all_socs] / torus}
    name = "without elephants, over the torus"
    return Measurement({**rows, name: mice}, note, required={name: alike})


def point(place: float, label: str, value: float) -> "Spread":
    """One run of a figure."""
    return {"place": place, "label": label, "mean": value, "low": value, "high": value, "expected": None}


def curves(points: "list[Spread]", x: str, y: str, title: str, told: str) -> "AnyChart":
    """A figure of lines over a logarithmic axis."""
    from gossamer.plots.canvas import Canvas, Drawing

    from .spread import draw_curves

    canvas = Canvas()
    return Drawing(draw_curves(points, canvas, "ratio", x, y, "topology"), title, told).finish(canvas)


@paths.plot
def fig_5a(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 5a, with what the text says of it."""
    runs = by_period(results)
    at_second, torus = float(claim.rows["at_1s"]), float(claim.rows["torus"])
    points = [point(length, "XFabric", hops(runs[period])) for period, length in PERIODS.items()]
    points += [point(length, "3D torus", hops(runs[TORUS])) for length in PERIODS.values()]
    points += [point(length, "XFabric in the paper", at_second) for length in PERIODS.values() if length <= 1]
    points += [point(length, "3D torus in the paper", torus) for length in PERIODS.values()]
    told = f"§{claim.section}. 27 SoCs, 1 Gb/s, TCP. The paper gives lengths for periods of up to a second."
    return curves(points, "Reconfiguration period, s", "Hops", "XFabric Fig. 5a: mean path length", told)


@completion.plot
def fig_5b(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 5b, relative to the torus."""
    runs = by_period(results)
    torus = completed_s(runs[TORUS])
    points = [point(length, "XFabric", completed_s(runs[period]) / torus) for period, length in PERIODS.items()]
    points += [point(length, "3D torus", 1.0) for length in PERIODS.values()]
    points.append(point(PERIODS[SECOND], "XFabric in the paper", float(claim.rows[""])))
    told = f"§{claim.section}. From when circuits may change until the last flow has ended, over the torus's time."
    return curves(
        points, "Reconfiguration period, s", "Time over the torus's", "XFabric Fig. 5b: completion of the trace", told
    )


@clusters.plot
def fig_5c(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 5c, with the text's two numbers."""
    found = by_size(results)
    words = {"xfabric": "XFabric", MICE: "XFabric, no elephants", TORUS: "3D torus"}
    points = [
        point(size, word, found[variant][size]) for variant, word in words.items() for size in sorted(found[variant])
    ]
    uniform = (1 - float(claim.rows["uniform_gain"])) * found[TORUS][max(found[TORUS])]
    stated = {2: float(claim.rows["clusters_of_2"]), 27: uniform}
    points += [point(size, "XFabric in the paper", value) for size, value in stated.items()]
    told = f"§{claim.section}. 27 SoCs, a new topology every second. The paper's are those of its text, with elephants."
    return curves(points, "SoCs of a cluster", "Hops", "XFabric Fig. 5c: mean path length by skew", told)
