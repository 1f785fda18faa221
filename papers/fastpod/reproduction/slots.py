"""Fastpod §3.2, §4 and §5: what of a slot is what, packets that never meet, and clocks.

Readings of the paper: papers/fastpod/README.md.
"""

from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .pod import LOAD, PACKET, PAYLOAD, at_load

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

    from .charts import AtLoad

collision_free = Reproduction(
    "fastpod",
    "collision-free",
    experiment="collision-free.toml",
    quick={f"sweep.{LOAD}": [0.9733], "workload.flows.flows": 2000},
)
slot_format = Reproduction(
    "fastpod", "slot-format", experiment="slot-format.toml", quick={"duration": "300 us", "warmup": "100 us"}
)
time_sync = Reproduction("fastpod", "time-sync", experiment="time-sync.toml", quick={"duration": "300 us"})

COLLISIONS, SCHEDULED, GIVEN = "collisions of scheduled packets", "scheduled packets", "slots given"
CONTROL = ("requests", "answers")
DATA_NS, CONTROL_NS = PACKET * 8 / 100, 64 * 8 / 100
"""§5: how long data packets and control packets take at 100 Gb/s."""


def counted(run: "Run", counter: str) -> float:
    """What the pod has counted."""
    return next(float(row["value"]) for row in run.counters.to_pylist() if row["counter"] == counter)


def occupied(run: "Run") -> dict[str, float]:
    """The share of the time in which the ports of switches are busy, on average, by where they lead."""
    sums: dict[str, list[float]] = {}
    for link in run.links.select(["source", "class", "direction", "utilisation"]).to_pylist():
        if not link["source"].startswith("host"):
            name = {"host-leaf down": "to hosts", "leaf-spine up": "up", "leaf-spine down": "down"}
            sums.setdefault(name[f"{link['class']} {link['direction']}"], []).append(link["utilisation"])
    return {name: sum(each) / len(each) for name, each in sums.items()}


@collision_free.measure
def overlaps(results: "Results") -> Measurement:
    """Packets that met another at a port, of all runs."""
    parts, ended = [], []
    for run in results:
        summary = run.summary.to_pylist()[0]
        ended.append(summary["flows_completed"] == summary["flows_started"])
        control = sum(counted(run, each) for each in CONTROL)
        parts.append(
            f"at a load of {at_load(run):g} {counted(run, SCHEDULED):,.0f} data and {control:,.0f} control packets, "
            f"ports to hosts busy {occupied(run)['to hosts']:.0%} of the time"
        )
    return Measurement(
        {"": sum(counted(run, COLLISIONS) for run in results)},
        f"Of everything that was scheduled, control packets included: {'; '.join(parts)}",
        trends={"every flow arrives": all(ended)},
    )


@collision_free.plot
def ports_by_load(results: "Results", claim: "Claim") -> "AnyChart":
    """How busy the switches' ports are."""
    from .charts import drawn_by_load

    rows: list[AtLoad] = [
        {"label": name, "load": at_load(run), "value": share}
        for run in results
        for name, share in occupied(run).items()
    ]
    told = (
        f"§{claim.section}: the time in which a port sends, control packets included; none sends two packets at once."
    )
    return drawn_by_load(rows, "Fastpod §5: switches' ports that are busy", "Busy", "fraction", told)


SHAPES = {
    "as the paper": (4, 0),
    "guard bands of 20 ns": (4, 20),
    "16-port switches": (8, 0),
    "32-port switches": (16, 0),
}
"""Hosts under a ToR and guard bands in ns, by variant."""


def slot_ns(hosts: int, guard: float) -> float:
    """§3.2, §4: N - 1 data packets, two control packets and three guard bands."""
    return (hosts - 1) * DATA_NS + 2 * CONTROL_NS + 3 * guard


def rate_of(run: "Run") -> float:
    """Payload that a host gets a second in full slots, in Gb/s."""
    window = run.summary.to_pylist()[0]
    return counted(run, SCHEDULED) * PAYLOAD * 8e3 / float(window["measured_ps"]) / int(window["hosts"])


@slot_format.measure
def packets_of_a_slot(results: "Results") -> Measurement:
    """Data and control packets of a slot that is used, and what a host gets, beside what follows from the format."""
    rows: dict[str, float] = {}
    required = {}
    for run in results:
        hosts, guard = SHAPES[str(run.variant)]
        given = counted(run, GIVEN)
        expected = (hosts - 1) * PAYLOAD * 8 / slot_ns(hosts, guard)
        for name, value, must in (
            ("data packets a slot", counted(run, SCHEDULED) / given, hosts - 1),
            ("control packets a slot", sum(counted(run, each) for each in CONTROL) / given, 2),
            ("Gb/s a host", rate_of(run), expected),
        ):
            rows[f"{run.variant}, {name}"] = value
            required[f"{run.variant}, {name}"] = Requirement("approx", must, 0.01)
    collisions = sum(counted(run, COLLISIONS) for run in results)
    note = (
        "Every host sends to one other without a break. Expected: N - 1 data packets of 1500 B with 1460 B of payload "
        f"and two control packets of 64 B a slot, N = 4, 8 and 16, and three guard bands; {collisions:.0f} collisions"
    )
    return Measurement(rows, note, required=required)


@slot_format.plot
def payload_by_format(results: "Results", claim: "Claim") -> "AnyChart":
    """What a host gets, and what follows from the format."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import draw_bars

    canvas = Canvas()
    rows: list[Bar] = []
    for run in results:
        hosts, guard = SHAPES[str(run.variant)]
        expected = (hosts - 1) * PAYLOAD * 8e9 / slot_ns(hosts, guard)
        bar: Bar = {"place": str(run.variant), "label": "Fastpod", "value": rate_of(run) * 1e9, "expected": expected}
        rows.append(bar)
    told = f"§{claim.section}: payload that a host gets in full slots; marks are what the format leaves."
    chart = draw_bars(rows, canvas, "b/s", None, "Payload", "scheme")
    return Drawing(chart, "Fastpod §3.2: payload by the format of the slot", told).finish(canvas)


WITHIN = ("error of 0", "error of 5 ns", "error of 10 ns")
BEYOND = ("error of 15 ns", "error of 30 ns")
FREE, TRACKED = "drift, free", "drift, tracked"


def share_of_collisions(run: "Run") -> float:
    """Of all data packets that were scheduled, the share that met something."""
    return counted(run, COLLISIONS) / counted(run, SCHEDULED)


@time_sync.measure
def collisions_by_error(results: "Results") -> Measurement:
    """Where collisions begin."""
    found = {str(run.variant): share_of_collisions(run) for run in results}
    off = {str(run.variant): run for run in results}
    parts = [f"{variant} {share:.1%}" for variant, share in found.items()]
    largest = {name: counted(off[name], "largest error of a clock") / 1e3 for name in (FREE, TRACKED)}
    return Measurement(
        {},
        f"Packets that met another, of those that were scheduled, with guard bands of 20 ns: {', '.join(parts)}. Half "
        "a guard band lies on either side of a packet. Clocks that drift by up to 100 parts per million are off by "
        f"{largest[FREE]:.1f} ns at the end, and by at most {largest[TRACKED]:.2f} ns if they are set in every slot",
        trends={
            "no collision while the error is at most half of a guard band": not any(found[each] for each in WITHIN),
            "collisions beyond that": all(found[each] > 0 for each in BEYOND),
            "clocks that drift collide": found[FREE] > 0,
            "not if they are set by the arbiter's answers": found[TRACKED] == 0,
        },
    )


@time_sync.plot
def by_error(results: "Results", claim: "Claim") -> "AnyChart":
    """The share of packets that met another."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import draw_bars

    canvas = Canvas()
    rows: list[Bar] = [
        {
            "place": str(run.variant),
            "label": "Fastpod",
            "value": share_of_collisions(run),
            "expected": 0.0 if run.variant in (*WITHIN, TRACKED) else None,
        }
        for run in results
    ]
    told = (
        f"§{claim.section}: scheduled packets that met another, with guard bands of 20 ns; marks: there should be none."
    )
    chart = draw_bars(rows, canvas, "fraction", None, "Collided", "scheme")
    return Drawing(chart, "Fastpod §4: collisions by what clocks are off", told).finish(canvas)
