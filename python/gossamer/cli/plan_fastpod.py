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


ROWS: tuple[tuple[str, Callable[[FastpodDesign], str]], ...] = (
    ("Switches", lambda of: f"{of['switches']:,}"),
    ("  ToR", lambda of: switches(of["tors"])),
    ("  aggregation", lambda of: switches(of["aggregations"])),
    ("  core, buffered", lambda of: switches(of["cores"])),
    ("Links to hosts", lambda of: f"{of['links']['hosts']:,}"),
    ("Links between switches", lambda of: f"{of['links']['racks'] + of['links']['cores']:,}"),
    ("Links to arbiters", lambda of: f"{of['links']['arbiters']:,}"),
    ("Transceivers", lambda of: f"{of['transceivers']:,}"),
    ("Silicon, as of buffered", lambda of: quantity(of["area_tbps"] * 1e12, "b/s")),
    ("Power", lambda of: "not known" if of["power"] is None else watts(of["power"]["total_w"])),
    ("  of the switches", lambda of: "not known" if of["power"] is None else watts(of["power"]["switches_w"])),
    ("Cost", lambda of: dollars(of, "total_usd")),
    ("  of the switches", lambda of: dollars(of, "switches_usd")),
)
"""Lines of the table: what they are called, and how a network fills them."""


def switches(of: FastpodSwitches) -> str:
    """Switches of one kind, and what each has."""
    return f"{of['count']:,} of {of['ports']} ports" if of["count"] else "0"


def dollars(of: FastpodDesign, part: str) -> str:
    """A part of what a network costs, where it is known."""
    return "not known" if of["cost"] is None else f"{count(dict(of['cost'])[part])} USD"


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
    shared = "" if slot["upward_share"] == 1 else f", as a rack has uplinks for {part(slot['upward_share'])} of its hosts"
    return {
        "Slot": f"{quantity(slot['slot_ps'], 'ps')}: {packets} of {given['packet']} that take "
        f"{quantity(slot['data_ps'], 'ps')} each, 2 control packets of {given['control']} that take "
        f"{quantity(slot['control_ps'], 'ps')}, 3 guard bands of {quantity(slot['guard_ps'], 'ps')}",
        "Efficiency": f"data has {part(slot['data_share'])} of a link, control packets {part(slot['control_share'])}, "
        f"guard bands {part(slot['guard_share'])}; a host can send {quantity(slot['payload_bps'], 'b/s')} of "
        f"payload{shared}",
        "Clocks": f"off by {quantity(clocks['off_ps'], 'ps')} at most, for which guard bands have to be "
        f"{quantity(clocks['needed_guard_ps'], 'ps')}; these absorb {quantity(clocks['absorbed_ps'], 'ps')}, and each "
        f"nanosecond more costs {part(clocks['share_per_ns'])} of a link; a slot has room for "
        f"{quantity(clocks['largest_guard_ps'], 'ps')}, which absorb {quantity(clocks['most_absorbed_ps'], 'ps')}",
    }


def part(share: float) -> str:
    """A share in percent."""
    return quantity(share, "fraction")


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
    sums = ", ".join(f"{quantity(ps, 'ps')} {what}" for what, ps in steps.items())
    ahead = latency["ahead_slots"]
    missing = "a slot's request is" if suspicion == 1 else f"the requests of {suspicion} slots are"
    return {
        "Handed out": f"{ahead:,} slots ahead of the request ({quantity(ahead * found['slot']['slot_ps'], 'ps')}); to the "
        f"arbiter and back is {latency['round_trip_slots']:.1f} slots ({quantity(latency['round_trip_ps'], 'ps')})",
        "Latency": f"in a pod that is otherwise idle {quantity(latency['optimistic_ps'], 'ps')} for a packet that is sent "
        f"at once; for one that is scheduled {quantity(latency['least_ps'], 'ps')} at the best, "
        f"{quantity(latency['mean_ps'], 'ps')} on average, {quantity(latency['most_ps'], 'ps')} at the worst",
        "The average": sums,
        "Failure": f"a host's link is known to be broken after {quantity(latency['failure_ps'], 'ps')} at most, when "
        f"{missing} missing",
    }


def arbiter(found: FastpodPlan) -> dict[str, str]:
    """What an arbiter has to do, and how many cores it takes."""
    arbiter, given = found["arbiter"], found["input"]
    work, largest = arbiter["work"], arbiter["largest"]
    keeps = "enough" if arbiter["keeps_up"] else "too few"
    size = "no pod of a fat-tree" if largest is None else f"{largest['hosts']:,} hosts ({largest['ports']}-port switches)"
    return {
        "Arbiter": f"{arbiter['ports']:,} ports, one to each ToR switch, with {quantity(arbiter['port_bps'], 'b/s')} of "
        f"control packets each way ({part(arbiter['port_share'])}); {count(arbiter['requests_per_second'])} requests a "
        f"second and as many answers; at a load of {part(given['load'])} {count(arbiter['allocations_per_second'])} "
        f"allocations a second, {quantity(arbiter['allocated_bps'], 'b/s')} of data",
        "Cores": f"{quantity(work['slots_ps'], 'ps')} for the pairs of a slot and {quantity(work['paths_ps'], 'ps')} for "
        f"their paths: {work['busy_cores']:.2f} cores' work, for which it takes {work['cores']:,} ({arbiter['cores']:,} "
        f"are {keeps}); {quantity(arbiter['core_bps'], 'b/s')} of data for each core's work",
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
    left_out = "" if given["price_arbiter"] is not None else "; arbiters are left out (price_arbiter, arbiter_power_w)"
    return {
        "Round robin": f"without an arbiter, an epoch of {given['epoch_hosts']:,} servers with {given['epoch_channels']} "
        f"channels lasts {quantity(epoch['epoch_ps'], 'ps')}, of the hosts here {quantity(epoch['own_epoch_ps'], 'ps')}: "
        f"so long may a packet wait",
        "Chip": f"{part(chip['memory'])} memory, {part(chip['processing'])} packet processing, {part(chip['serial_io'])} "
        f"serial I/O; without buffers and tables it has {part(chip['area'])} of the area and draws "
        f"{part(chip['power'])}, or has {chip['bandwidth']:.3g} times the bandwidth in the same area",
        "Prices": f"the paper has none: a switch without buffers is taken at {part(given['price_zero_buffer_ratio'])} of a "
        f"buffered one's price, in proportion to bandwidth where the book has no switch of that size{left_out}",
    }


def core(of: FastpodCore) -> str:
    """Core switches and their buffers."""
    return (
        f"{of['switches']:,} with buffers of {quantity(of['buffer_bytes'], 'B')} each, "
        f"{quantity(of['all_buffers_bytes'], 'B')} in all: {quantity(of['stop_bytes'], 'B')} above the mark at which one "
        f"says stop, as every pod can go on for {of['stop_slots']:,} slots, and {quantity(of['wait_bytes'], 'B')} that "
        f"wait for at least {of['wait_slots']:,} slots until they are told when to go on"
    )
