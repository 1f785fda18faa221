"""Stardust (NSDI 2019): a link fails, and the news travels (§5.9, App. E), simulated beside the closed form.

Readings of the paper: papers/stardust/README.md.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer import api
from gossamer.experiment import Experiment
from gossamer.plan import StardustPlan
from gossamer.reproduce.registry import Measurement

from .plan import recovery_time

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

FOLDER = Path(__file__).resolve().parent.parent
EXPERIMENT = "recovery-simulated.toml"
recovery_time.beside = EXPERIMENT
FAILS_PS = 100_000_000
THRESHOLD = "fabric.reachability.threshold"
HOPS = 3
"""From the element at the failed link to the adapters of other pods, with two tiers: 2n - 1."""
PERIOD_US = 10.0
DELAYS_US = 0.5 + 0.5 + 0.05
BUSY = 0.1
"""A sender spreads a quarter of its link over each of four; requests and reachability messages take less than this."""
SIMULATED, CLOSED_FORM, AFTER_DETECTION = "simulated: last adapter", "App. E", "App. E after the link was missed"


@cache
def simulated() -> "Results":
    """The experiment's runs, in memory: less than a second."""
    return api.run(Experiment.from_file(FOLDER / EXPERIMENT))


def learned_us(run: "Run") -> dict[str, float]:
    """When each sender's adapter used the path over the failed link for the last time, after the failure."""
    last: dict[str, float] = {}
    for row in run.series.to_pylist():
        source, _, target = row["scope"].partition(" -> ")
        doomed = target.removeprefix("aggregation-") == source.removeprefix("edge-")
        if target and doomed and row["value"] > BUSY:
            last[source] = (row["time_ps"] - FAILS_PS) / 1e6
    return last


def by_threshold(results: "Results") -> Mapping[int, tuple[float, float]]:
    """When the first and the last adapter stopped, over all runs that are done, by the number of messages believed."""
    times: dict[int, list[float]] = {}
    for run in results:
        if run.status == "done":
            times.setdefault(int(run.sweep[THRESHOLD]), []).extend(learned_us(run).values())
    return {threshold: (min(each), max(each)) for threshold, each in sorted(times.items()) if each}


def left_out(results: "Results") -> str:
    """Which runs did not end as they should and are not in the figure, in a sentence; nothing if all did."""
    ended = [f"{run.name} ({run.status})" for run in results if run.status != "done"]
    return f"Left out, as they are not done: {', '.join(ended)}." if ended else ""


def closed_form_us(threshold: int) -> float:
    """App. E with one message for the whole table: the news over three links, each told so many times."""
    return threshold * (HOPS * PERIOD_US + DELAYS_US)


def with_detection_us(threshold: int) -> float:
    """The same, after so many messages have been missing on the failed link itself."""
    return closed_form_us(threshold) + threshold * PERIOD_US


def curves(results: "Results") -> list[dict[str, object]]:
    """The figure's points: both closed forms for every threshold, and the simulation where a run is done."""
    last_us = {threshold: last for threshold, (_, last) in by_threshold(results).items()}
    times = [
        (label, threshold, time_us)
        for threshold in sorted({int(run.sweep[THRESHOLD]) for run in results})
        for label, time_us in (
            (SIMULATED, last_us.get(threshold)),
            (CLOSED_FORM, closed_form_us(threshold)),
            (AFTER_DETECTION, with_detection_us(threshold)),
        )
    ]
    return [
        {"label": label, "threshold": threshold, "time": time_us / 1e6}
        for label, threshold, time_us in times
        if time_us is not None
    ]


@recovery_time.measure
def recovery(found: StardustPlan) -> Measurement:
    """The paper prints whole microseconds."""
    becomes = found["fabric"]["recovery"]
    exact = becomes["with_propagation_ps"] / 1e6
    note = (
        f"{exact:g} us to the digit, with two hops over links of the last tier (500 ns) and one over an adapter's "
        "(50 ns). App. E adds a hop's delay to every message of a round, as if one waited for the other to arrive"
    )
    return Measurement(
        {
            "messages": becomes["messages"],
            "one_update_us": becomes["one_update_ps"] / 1e6,
            "three_updates_us": becomes["updates_ps"] / 1e6,
            "with_propagation_us": round(exact),
            "overhead_percent": 100 * becomes["overhead"],
        },
        ". ".join(filter(None, (note, left_out(simulated()).removesuffix(".")))),
    )


@recovery_time.plot
def recovery_by_threshold(found: StardustPlan, claim: "Claim") -> "AnyChart":
    """When the last adapter stops using a failed link, against the threshold, and the closed form beside it."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing, axis, data, lines
    from gossamer.plots.expressions import expression

    canvas = Canvas()
    results = simulated()
    chart = lines(
        data(curves(results)),
        canvas,
        alt.X("threshold:O", title="Messages that must be missing, or say the same", axis=alt.Axis(labelAngle=0)),
        alt.Y("time:Q", title="After the failure", axis=axis("ps", tickCount=6), scale=alt.Scale(zero=True)),
        canvas.colour([SIMULATED, CLOSED_FORM, AFTER_DETECTION], "recovery"),
        {"Recovery": "datum.label", "Messages": "datum.threshold", "After": expression("datum.time", "ps")},
        points=True,
    )
    full = found["fabric"]["recovery"]["with_propagation_ps"] / 1e6
    told = (
        "A silent failure between an adapter and an element of a fat-tree with two tiers and 32 adapters, whose table "
        "is one message every 10 µs. For 32,000 hosts it is seven, and App. E gives "
        f"{full:.0f} µs (paper {claim.rows['with_propagation_us']})."
    )
    told = " ".join(filter(None, (told, left_out(results))))
    return Drawing(chart, "Stardust App. E: when the last adapter has learned of a failed link", told).finish(canvas)
