"""Networks side by side that carry the same traffic: the table that leads the report of a file with `[compare]`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison, Group, by_seed
from gossamer.analysis.metrics import Spread, best_of
from gossamer.analysis.networks import (
    Times,
    built,
    fullest_buffer,
    hosts_of,
    lost,
    of_seeds,
    operation_mean,
    over_seeds,
    reference_of,
    throughput,
    times_of,
    traffic_of,
    worth_of,
)
from gossamer.analysis.quantities import Kind, Scale, scale
from gossamer.analysis.samples import least_sample
from gossamer.report.differences import differences
from gossamer.report.reasons import reasons
from gossamer.report.table import ABSENT, IN_THE_SPREAD, Cell, Heading, Table, row_of, side_by_side

__all__ = ["Networks", "networks_of"]


@dataclass(frozen=True, slots=True)
class Value:
    """A number of a network."""

    value: float | None
    note: str = ""
    """What it is of, or why it is not there."""
    weak: bool = False
    """It is not compared: the note says why."""
    least: bool = False
    """It is only a part."""
    absent: str = ABSENT
    """What stands there if there is no number."""
    half: float | None = None
    """Half of the confidence interval of a mean over seeds; None of a single one."""

    @staticmethod
    def of(spread: Spread | None, note: str = "", *, weak: bool = False, absent: str = ABSENT) -> "Value":
        """A mean over seeds."""
        if spread is None:
            return Value(None, note, weak=weak, absent=absent)
        return Value(spread.mean, note, weak=weak, absent=absent, half=spread.half)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table."""

    heading: Heading
    kind: Kind
    better: str
    """Which of several is best: `low` or `high`; empty where neither is."""
    values: tuple[Value, ...]
    unit: Scale | None = None


@dataclass(frozen=True, slots=True)
class Networks:
    """The table, how to read it, and what there is to say of it."""

    table: Table
    caption: str
    lines: tuple[str, ...]
    """What differs, in sentences; what matters most first."""
    reasons: tuple[tuple[str, str], ...]
    """Why, for each network."""
    counted: tuple[tuple[str, str], ...]
    """What bisection, power and cost of each network are of."""
    prices: tuple[str, ...]
    """Prices and powers that were used."""


def networks_of(comparison: Comparison) -> Networks | None:
    """The table of the networks of `comparison`; None if its file has no `[compare]`."""
    manifest = comparison.results.manifest
    if manifest.compare is None:
        return None
    found = [group for group in comparison.groups if any(run.summary.num_rows for run in group.runs)]
    if not found:
        return None
    columns = _columns(comparison, found)
    units = _units(columns)
    cells = [_cells(comparison, found, column, unit) for column, unit in zip(columns, units, strict=True)]
    rows = [row_of(comparison, group, [each[place] for each in cells]) for place, group in enumerate(found)]
    headings = [
        Heading(column.heading.name, unit.unit, column.heading.definition, column.heading.band)
        for column, unit in zip(columns, units, strict=True)
    ]
    told = {
        group.label: f"bisection of {worth['bisection']}; power and cost of {worth['counted']}"
        for group in found
        if (worth := worth_of(group))
    }
    prices = dict.fromkeys(line for group in found for line in worth_of(group).get("prices", ()))
    return Networks(
        side_by_side(comparison, headings, rows),
        _caption(comparison, columns),
        tuple(differences(comparison, [group for group in found if group.point == comparison.points[-1]])),
        tuple((group.name, line) for group in found if (line := reasons(group))),
        tuple(told.items()),
        tuple(prices),
    )


def _columns(comparison: Comparison, groups: Sequence[Group]) -> list[Column]:
    traffic, reference = traffic_of(comparison.results), reference_of(comparison)
    columns = []
    if traffic.widest:
        heading = Heading(
            f"Throughput, {traffic.widest}",
            "",
            f"Payload that a host sends a second while `{traffic.widest}` lasts, on average.",
        )
        values = tuple(Value.of(over_seeds(group, partial(throughput, workload=traffic.widest))) for group in groups)
        columns.append(Column(heading, "b/s", "high", values))
    over = f"in the network of {_named(comparison)}" if reference else "in its own network"
    for name in traffic.flows:
        times = [[times_of(one, name, reference) for one in by_seed(group)] for group in groups]
        for permille, short in ((500, "p50"), (990, "p99"), (999, "p99.9")):
            definition = f"Completion time of a flow of `{name}` over what it would take alone {over}, {short}."
            values = tuple(_slowdown(each, permille) for each in times)
            columns.append(Column(Heading(short, "", definition, f"Slowdown, {name}"), "ratio", "low", values))
    for name in traffic.messages:
        times = [[times_of(one, name, reference) for one in by_seed(group)] for group in groups]
        for permille, short in ((500, "p50"), (990, "p99")):
            definition = f"From the start of a message of `{name}` to the arrival of its last byte, {short}."
            values = tuple(Value.of(of_seeds([one.fct(permille) for one in each])) for each in times)
            columns.append(Column(Heading(short, "", definition, f"Latency, {name}"), "ps", "low", values))
    for name in traffic.operations:
        definition = f"From the start of an operation of `{name}` to the end of its last flow, on average."
        values = tuple(Value.of(over_seeds(group, partial(operation_mean, workload=name))) for group in groups)
        columns.append(Column(Heading(name, "", definition, "Time taken"), "ps", "low", values))
    return [*columns, *_inside(groups), *_worth(groups)]


def _named(comparison: Comparison) -> str:
    return str((comparison.results.manifest.compare or {}).get("reference"))


def _slowdown(seeds: Sequence[Times], permille: int) -> Value:
    fewest = min(len(times.slowdown) for times in seeds)
    short = fewest < least_sample(permille)
    note = f"of {fewest:,} flows: this is the slowest of them" if short else ""
    return Value.of(of_seeds([times.slow(permille) for times in seeds]), note, weak=short)


def _inside(groups: Sequence[Group]) -> list[Column]:
    """What waits in the network, and what is lost in it."""
    buffer = Heading(
        "Fullest buffer",
        "",
        "The most bytes that a buffer of the network held at once; point at a number to see which.",
    )
    packets = Heading(
        "Lost",
        "packets",
        "Packets that the network dropped or lost, of all traffic. What is cut to its header is not lost.",
    )
    return [
        Column(buffer, "B", "", tuple(_counted(group, fullest_buffer, "none") for group in groups)),
        Column(packets, "count", "", tuple(_counted(group, lost) for group in groups), Scale(1, "packets")),
    ]


def _counted(group: Group, of: Callable[[Group], tuple[float | None, str]], absent: str = ABSENT) -> Value:
    """What a fabric counted, and what it is of."""
    return Value.of(over_seeds(group, lambda one: of(one)[0]), of(group)[1], absent=absent)


def _worth(groups: Sequence[Group]) -> list[Column]:
    """What a network draws, costs and can carry."""
    bisection = Heading("Bisection", "", "What half of the hosts can send to the other half at once, over all links.")
    rates = [Value(worth_of(group).get("bisection_bps"), worth_of(group).get("bisection", "")) for group in groups]
    power = Heading("Power", "W a host", "Switches and transceivers, NICs aside, for each host.")
    cost = Heading("Cost", "USD a host", "Switches and links, NICs aside, for each host, at the papers' prices.")
    return [
        Column(power, "ratio", "low", tuple(_priced(group, "power", "w") for group in groups), Scale(1, power.unit)),
        Column(cost, "ratio", "low", tuple(_priced(group, "cost", "usd") for group in groups), Scale(1, cost.unit)),
        Column(bisection, "b/s", "", tuple(rates)),
    ]


def _priced(group: Group, what: str, unit: str) -> Value:
    """Power or cost of each host; that of switches alone where nothing is known of links."""
    worth, hosts = worth_of(group), hosts_of(group)
    if not worth or not hosts:
        return Value(None)
    why = worth[f"{what}_not_given"]
    if worth[f"{what}_{unit}"] is not None:
        return Value(worth[f"{what}_{unit}"] / hosts, worth["counted"])
    if worth[f"{what}_switches_{unit}"] is not None:
        return Value(worth[f"{what}_switches_{unit}"] / hosts, f"switches alone: {why}", weak=True, least=True)
    return Value(None, f"not given: {why}")


def _units(columns: Sequence[Column]) -> list[Scale]:
    """One unit for a column, or for a band of them: that of the middle, on a log scale, of its values."""
    units = []
    for column in columns:
        band = column.heading.band
        beside = [other for other in columns if other is column or (band and other.heading.band == band)]
        positive = [each.value for other in beside for each in other.values if each.value]
        units.append(column.unit or scale(sqrt(min(positive) * max(positive)) if positive else 0.0, column.kind))
    return units


def _cells(comparison: Comparison, groups: Sequence[Group], column: Column, unit: Scale) -> list[Cell]:
    compared = {
        place: Spread(each.value, each.half, comparison.seeds)
        for place, (group, each) in enumerate(zip(groups, column.values, strict=True))
        if each.value is not None and not each.weak and built(group) and group.done
    }
    best = best_of(compared, column.better, lambda value: unit.show(value, column.kind)) if column.better else set()
    cells = []
    for place, each in enumerate(column.values):
        if each.value is None:
            cells.append(Cell(each.absent, None, note=each.note))
            continue
        shown = unit.show(each.value, column.kind)
        text = f"≥ {shown}" if each.least else unit.around(each.value, each.half, column.kind)
        cells.append(Cell(text, each.value, place in best, each.note, each.weak))
    return cells


def _caption(comparison: Comparison, columns: Sequence[Column]) -> str:
    spread = IN_THE_SPREAD if comparison.seeds > 1 else ""
    lines = [f"Best values of networks that can be built are in bold{spread}."]
    if any(each.least for column in columns for each in column.values):
        lines.append("≥: switches alone, as nothing is known of links.")
    if any(each.note for column in columns for each in column.values):
        lines.append("Point at a number to see what it is of, or why it is missing.")
    if comparison.seeds > 1:
        lines.append(f"Mean ± half of its confidence interval: {confidence.told(comparison.seeds)}.")
    return " ".join(lines)
