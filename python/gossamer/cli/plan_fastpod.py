"""`gossamer plan fastpod`: pods of switches without buffers and their arbiters, beside buffered switches."""

from collections.abc import Callable

import click

from gossamer import _native
from gossamer.cli import page, screen
from gossamer.cli.amounts import count, quantity, watts
from gossamer.cli.planned import price_list, tell
from gossamer.cli.screen import Column
from gossamer.cli.settings import common, gathered, others
from gossamer.plan import plan
from gossamer.types import FastpodCore, FastpodDesign, FastpodPlan, FastpodSwitches

COMMON = (
    "ports",
    "pods",
    "rate",
    "packet",
    "clock_error",
    "arbiter_delay",
    "arbiter_cores",
    "load",
    "prices",
)
"""Settings with an option of their own."""

EXAMPLE = "racks=16"


@click.command(
    context_settings=page.SETTINGS,
    short_help="Zero-buffer pods compared with buffered ones.",
    params=common(_native.plan_settings("fastpod"), COMMON),
)
@others(EXAMPLE, "arbiter_latency='2 us'")
@page.as_json
def fastpod(others: tuple[str, ...], as_json: bool, **given: str | None) -> None:
    """Plan zero-buffer pods: switches without buffers and an arbiter, compared with the same pods of buffered switches.

    Prints switches, links, silicon, power and cost of both, and what only a zero-buffer pod has: the time slot and its
    parts, guard bands and the clock error that they absorb, how far ahead slots are handed out, latency, what the
    arbiter has to do and how many cores that takes, the largest pod for its cores, and the buffers of core switches
    where several pods are joined. The defaults are the paper's pod: 16 hosts of 100 Gb/s, 8-port switches.

    \b
    Examples:
      gossamer plan fastpod --ports 16 --clock-error '5 ns'
      gossamer plan fastpod --pods 8 --arbiter-delay '500 ns'
      gossamer plan fastpod --set racks=16 --set hosts_per_rack=16 --set uplinks=16 --load 0.5
      gossamer plan fastpod --json | jq '.slot.slot_ps, .arbiter.work.cores'

    All settings: docs/planner.md.

    Exit status: 0 done, 2 bad input.
    """
    found = plan("fastpod", **gathered(given, others, EXAMPLE))
    tell(found, show, as_json)


def span(ps: float) -> str:
    """A time."""
    return quantity(ps, "ps")


def rate(bps: float) -> str:
    """A rate."""
    return quantity(bps, "b/s")


def size(number: float) -> str:
    """A number of bytes."""
    return quantity(number, "B")


def part(share: float) -> str:
    """A share in percent."""
    return quantity(share, "fraction")


ROWS: tuple[tuple[str, Callable[[FastpodDesign], str]], ...] = (
    ("Switches", lambda of: f"{of['switches']:,}"),
    ("  ToR", lambda of: switches(of["tors"])),
    ("  aggregation", lambda of: switches(of["aggregations"])),
    ("  core, buffered", lambda of: switches(of["cores"])),
    ("Links to hosts", lambda of: f"{of['links']['hosts']:,}"),
    ("Links between switches", lambda of: f"{of['links']['racks'] + of['links']['cores']:,}"),
    ("Links to arbiters", lambda of: f"{of['links']['arbiters']:,}"),
    ("Transceivers", lambda of: f"{of['transceivers']:,}"),
    ("Chip area, if buffered", lambda of: rate(of["area_tbps"] * 1e12)),
    ("Power", lambda of: "not known" if of["power"] is None else watts(of["power"]["total_w"])),
    ("  of the switches", lambda of: "not known" if of["power"] is None else watts(of["power"]["switches_w"])),
    ("Cost", lambda of: "not known" if of["cost"] is None else f"{count(of['cost']['total_usd'])} USD"),
    ("  of the switches", lambda of: "not known" if of["cost"] is None else f"{count(of['cost']['switches_usd'])} USD"),
)
"""Lines of the table: what they are called, and how a network fills them."""


def switches(of: FastpodSwitches) -> str:
    """Switches of one kind, and what each has."""
    return f"{of['count']:,} of {of['ports']} ports" if of["count"] else "0"


def show(found: FastpodPlan) -> None:
    """Print both networks, what is a zero-buffer pod's own, and where prices are from."""
    console = screen.console()
    given = found["input"]
    pods = "a pod" if given["pods"] == 1 else f"each of {given['pods']:,} pods"
    console.print(
        f"{found['pod_hosts']:,} hosts of {given['rate']} in {pods}: {given['racks']:,} ToR switches of "
        f"{given['hosts_per_rack']:,} hosts, {given['uplinks']} aggregation switches",
        style="bold",
        soft_wrap=True,
    )
    columns = [Column("", [name for name, _ in ROWS], left=True)]
    for rank, (name, design) in enumerate((("zero-buffer", found["fastpod"]), ("buffered", found["buffered"]))):
        columns.append(Column(name, [cell(design) for _, cell in ROWS], rank))
    screen.show(console, columns)
    console.print()
    facts = {**slots(found), **times(found), **arbiter(found), **beside(found)}
    if found["core"] is not None:
        facts["Core switches"] = core(found["core"])
    screen.facts(console, facts)
    price_list(console, found["prices"])


def slots(found: FastpodPlan) -> dict[str, str]:
    """The slot, what is left of a link, and clocks."""
    slot, clocks, given = found["slot"], found["clocks"], found["input"]
    packets = "1 packet" if slot["packets"] == 1 else f"{slot['packets']:,} packets"
    shared = (
        "" if slot["upward_share"] == 1 else f", as a rack has uplinks for {part(slot['upward_share'])} of its hosts"
    )
    return {
        "Slot": f"{span(slot['slot_ps'])}: {packets} of {given['packet']} that take "
        f"{span(slot['data_ps'])} each, 2 control packets of {given['control']} that take "
        f"{span(slot['control_ps'])}, 3 guard bands of {span(slot['guard_ps'])}",
        "Efficiency": f"data has {part(slot['data_share'])} of a link, control packets {part(slot['control_share'])}, "
        f"guard bands {part(slot['guard_share'])}; a host can send {rate(slot['payload_bps'])} of "
        f"payload{shared}",
        "Clocks": f"off by {span(clocks['off_ps'])} at most, which needs guard bands of "
        f"{span(clocks['needed_guard_ps'])}; those of the slot absorb {span(clocks['absorbed_ps'])}; "
        f"each nanosecond more costs {part(clocks['share_per_ns'])} of a link; the longest for which a slot has room "
        f"are {span(clocks['largest_guard_ps'])} and absorb {span(clocks['most_absorbed_ps'])}",
    }


def times(found: FastpodPlan) -> dict[str, str]:
    """How far ahead slots are handed out, and how long a packet takes."""
    latency, suspicion = found["latency"], found["input"]["suspicion"]
    budget = latency["budget"]
    steps = {
        "until the next request": budget["asking_ps"],
        "to the arbiter and back": budget["round_trip_ps"],
        "at the arbiter": budget["arbiter_ps"],
        "for the slot's other requests, the gap of the answer and the slot that was given": budget["slots_ps"],
        "to the receiver": budget["passage_ps"],
    }
    sums = ", ".join(f"{span(ps)} {what}" for what, ps in steps.items())
    ahead = latency["ahead_slots"]
    missing = "a slot's request is" if suspicion == 1 else f"the requests of {suspicion} slots are"
    return {
        "Handed out": f"{ahead:,} slots ahead of the request ({span(ahead * found['slot']['slot_ps'])}); to the "
        f"arbiter and back is {latency['round_trip_slots']:.1f} slots ({span(latency['round_trip_ps'])})",
        "Latency": f"in a pod that is otherwise idle {span(latency['optimistic_ps'])} for a packet that is sent "
        f"at once, and {span(latency['least_ps'])} to {span(latency['most_ps'])} for one that is "
        "scheduled",
        "Scheduled": f"{span(latency['mean_ps'])} on average: {sums}",
        "Failure": f"a host's link is known to be broken after {span(latency['failure_ps'])} at most, when "
        f"{missing} missing",
    }


def arbiter(found: FastpodPlan) -> dict[str, str]:
    """What an arbiter has to do, and how many cores it takes."""
    arbiter, given = found["arbiter"], found["input"]
    work, largest = arbiter["work"], arbiter["largest"]
    keeps = "enough" if arbiter["keeps_up"] else "too few"
    size = (
        "no pod of a fat-tree" if largest is None else f"{largest['hosts']:,} hosts ({largest['ports']}-port switches)"
    )
    return {
        "Arbiter": f"{arbiter['ports']:,} ports, one to each ToR switch, which has a port more for it; each "
        f"carries {rate(arbiter['port_bps'])} of "
        f"control packets each way ({part(arbiter['port_share'])}); {count(arbiter['requests_per_second'])} requests a "
        f"second and as many answers; at a load of {part(given['load'])} {count(arbiter['allocations_per_second'])} "
        f"allocations a second, {rate(arbiter['allocated_bps'])} of data",
        "Cores": f"{span(work['slots_ps'])} for the pairs of a slot and {span(work['paths_ps'])} for "
        f"their paths: {work['busy_cores']:.2f} cores' work, for which it takes {work['cores']:,} "
        f"({arbiter['cores']:,} are {keeps}); {rate(arbiter['core_bps'])} of data for each core's work",
        "With requests": f"if every host asked in every slot, {arbiter['request_cores']:.3g} cores' work, at "
        f"{arbiter['request_ns']:g} ns a request with its slots and paths",
        "Measured by": measured(found),
        "Largest pod": f"{size} for {arbiter['cores']:,} {'core' if arbiter['cores'] == 1 else 'cores'} at this load, "
        "requests aside",
    }


def measured(found: FastpodPlan) -> str:
    """Where the arbiter's times are from."""
    given, source = found["input"], found["arbiter"]["source"]
    return f"{source}: {given['allocation_ns']:.3g} ns a pair and {given['path_ns']:.3g} ns a path"


def beside(found: FastpodPlan) -> dict[str, str]:
    """What the paper sets it against: a schedule without arbiter, and chips with buffers."""
    given, epoch, chip = found["input"], found["round_robin"], found["silicon"]
    unknown = [key for key in ("price_arbiter", "arbiter_power_w") if dict(given)[key] is None]
    left_out = f"; arbiters are left out (set {' and '.join(unknown)})" if unknown else ""
    return {
        "Round robin": f"without an arbiter, an epoch of {given['epoch_hosts']:,} servers with "
        f"{given['epoch_channels']} channels lasts {span(epoch['epoch_ps'])}, of the hosts here "
        f"{span(epoch['own_epoch_ps'])}: "
        "so long may a packet wait",
        "Chip": f"{part(chip['memory'])} memory, {part(chip['processing'])} packet processing, "
        f"{part(chip['serial_io'])} serial I/O; without buffers and tables it has {part(chip['area'])} of the "
        "area and draws "
        f"{part(chip['power'])}, or has {chip['bandwidth']:.3g} times the bandwidth in the same area",
        "Prices": f"the paper has none: a switch without buffers is taken at {part(given['price_zero_buffer_ratio'])} "
        f"of a buffered one's price, in proportion to bandwidth where the book has no switch of that size{left_out}",
    }


def core(of: FastpodCore) -> str:
    """Core switches and their buffers."""
    return (
        f"{of['switches']:,} with buffers of {size(of['buffer_bytes'])} each, "
        f"{size(of['all_buffers_bytes'])} in all: {size(of['stop_bytes'])} above the mark at which one "
        f"says stop, as every pod can go on for {of['stop_slots']:,} slots, and {size(of['wait_bytes'])} that "
        f"wait for at least {of['wait_slots']:,} slots until they are told when to go on"
    )
