"""What an arbiter, a voter and a load have done, in words, and as text that Prometheus reads."""

from typing import Any

from gossamer.cli import screen
from gossamer.cli.amounts import count, quantity
from gossamer.cli.screen import Column
from gossamer.types import ArbiterLatency, ArbiterLoad, ArbiterMalformed, ArbiterMetrics, VoterMetrics

PERCENTILES = {"p50_ns": "median", "p99_ns": "99 %", "p999_ns": "99.9 %", "max_ns": "longest"}
WRONG: dict[str, str] = {
    "short": "too short",
    "long": "too long",
    "magic": "of another format",
    "version": "of another version",
    "length": "of a wrong length",
    "tag": "forged, damaged or of another key",
    "slot_length": "of other slots",
    "kind": "of no known kind",
    "body": "with a wrong body",
    "value": "with a wrong value",
}


def serve_line(now: ArbiterMetrics, before: ArbiterMetrics, seconds: float) -> str:
    """How an arbiter does: `active, epoch 3: 8,012 allocations/s, ...`."""
    allocations = (now["allocations"] - before["allocations"]) / max(seconds, 1e-9)
    requests = (now["requests"] - before["requests"]) / max(seconds, 1e-9)
    wrong = now["malformed"]
    return (
        f"{now['role']}, epoch {now['epoch']}: {count(allocations)} allocations/s for {count(requests)} requests/s of "
        f"{now['hosts_heard']:,} hosts, 99 % within {duration(now['latency']['p99_ns'])}, {now['slots_lost']:,} slots "
        f"lost, {dropped(wrong):,} datagrams refused"
    )


def voter_line(now: VoterMetrics, _before: VoterMetrics, _seconds: float) -> str:
    """How a voter does."""
    return (
        f"obeys arbiter {now['arbiter']}, epoch {now['epoch']}: {now['granted']:,} leases granted, "
        f"{now['refused']:,} refused, {dropped(now['malformed']):,} datagrams refused"
    )


def load_line(now: ArbiterLoad, before: ArbiterLoad, seconds: float) -> str:
    """How a load does."""
    allocations = (now["allocations"] - before["allocations"]) / max(seconds, 1e-9)
    latency = now["allocation_latency"]
    return (
        f"{quantity(now['elapsed_ns'] * 1000, 'ps')}: {count(allocations)} allocations/s, first allocation after "
        f"{duration(latency['p50_ns'])}, 99 % within {duration(latency['p99_ns'])}; {now['unmet']:,} slots wanted"
    )


def show_serve(done: ArbiterMetrics) -> None:
    """Print what an arbiter has done."""
    console = screen.console()
    screen.facts(
        console,
        {
            "Hosts": f"{done['hosts_heard']:,} of {done['hosts']:,} have asked",
            "Requests": f"{done['requests']:,} in {done['request_datagrams']:,} datagrams; refused: "
            f"{done['refused']['unknown_host']:,} of unknown hosts, {done['refused']['to_itself']:,} to itself, "
            f"{done['refused']['from_the_future']:,} from the future",
            "Allocations": f"{done['allocations']:,}, and {done['resends']:,} sent again, in "
            f"{done['allocation_datagrams']:,} datagrams",
            "Slots": f"{done['slots_lost']:,} lost while in charge; {done['slots_behind']:,} begun late, "
            f"{done['most_slots_behind']:,} at most at once",
            "Charge": f"taken {times(done['times_in_charge'])}, last as epoch {done['epoch']}; "
            f"{done['leases_asked']:,} leases asked for, {done['votes_granted']:,} votes for it, "
            f"{done['votes_refused']:,} against; {done['beats_sent']:,} beats sent, {done['beats_heard']:,} heard",
            "Refused": refused(done["malformed"], done["misplaced"], done["strangers"]),
            "Lost": lost(done["overruns"], done["kernel_drops"], done["send_failures"]),
        },
    )
    latencies({"Request to allocation": done["latency"]})


def show_voter(done: VoterMetrics) -> None:
    """Print what a voter has done."""
    screen.facts(
        screen.console(),
        {
            "Leases": f"{done['granted']:,} granted, {done['refused']:,} refused, {done['unwritten']:,} not answered "
            "because they could not be written down",
            "Obeys": f"arbiter {done['arbiter']}, epoch {done['epoch']}",
            "Refused": refused(done["malformed"], done["misplaced"]),
            "Lost": lost(done["overruns"], done["kernel_drops"], done["send_failures"]),
        },
    )


def show_load(done: ArbiterLoad) -> None:
    """Print what hosts were given."""
    console = screen.console()
    seconds = quantity(done["elapsed_ns"] * 1000, "ps")
    console.print(
        f"{done['hosts']:,} hosts at load {done['load']:g} for {seconds}: {done['slots']:,} slots of "
        f"{quantity(done['slot_ps'], 'ps')}",
        style="bold",
        soft_wrap=True,
    )
    screen.facts(
        console,
        {
            "Demand": f"{done['demands']:,} demands for {done['wanted']:,} slots",
            "Allocations": f"{done['allocations']:,}, {done['allocations_per_s']:,.0f} a second: "
            f"{quantity(done['allocated_bps'], 'b/s')} in slots of this length, "
            f"{quantity(done['packets_bps'], 'b/s')} if each is one packet of 1500 B",
            "Hosts": f"{done['used']:,} slots used, {done['missed']:,} missed; {done['out_of_reach']:,} allocations "
            f"out of reach, {done['repeated']:,} repeated, {done['surplus']:,} beyond what was wanted",
            "Arbiters": f"{done['epochs']:,} in charge one after another; at most {done['longest_gap']:,} slots in a "
            "row without an allocation",
            "Check": f"{done['unmet']:,} slots still wanted, {done['collisions']:,} collisions, "
            f"{done['contradictions']:,} contradictions",
            "Refused": refused(done["malformed"], done["misplaced"]),
            "Lost": lost(done["overruns"], done["kernel_drops"], done["send_failures"]),
        },
    )
    latencies(
        {"Demand to first allocation": done["allocation_latency"], "Demand to last allocation": done["demand_latency"]}
    )


def latencies(measured: dict[str, ArbiterLatency]) -> None:
    """A table of latencies."""
    console = screen.console()
    console.print()
    columns = [
        Column("", list(measured), left=True),
        Column("measured", [f"{each['count']:,}" for each in measured.values()]),
    ]
    for key, heading in PERCENTILES.items():
        told: list[dict[str, Any]] = [dict(each) for each in measured.values()]
        columns.append(Column(heading, [duration(each[key]) for each in told]))
    screen.show(console, columns)


def duration(ns: int | None) -> str:
    """A latency: `1.23 ms`."""
    return "—" if ns is None else quantity(ns * 1000, "ps")


def times(number: int) -> str:
    """How often."""
    return "once" if number == 1 else f"{number:,} times"


def dropped(malformed: ArbiterMalformed) -> int:
    """Datagrams that were refused."""
    return sum(dict(malformed).values())  # type: ignore[arg-type]


def refused(malformed: ArbiterMalformed, misplaced: int, strangers: int = 0) -> str:
    """Datagrams that were refused, by what is wrong with them."""
    counts: dict[str, Any] = dict(malformed)
    found = [f"{number:,} {WRONG[kind]}" for kind, number in counts.items() if number]
    found += [f"{misplaced:,} for somebody else"] if misplaced else []
    found += [f"{strangers:,} from strangers"] if strangers else []
    return f"datagrams: {', '.join(found)}" if found else "no datagrams"


def lost(overruns: int, kernel_drops: int | None, send_failures: int) -> str:
    """Datagrams that were lost on this machine."""
    kernel = "unknown how many" if kernel_drops is None else f"{kernel_drops:,}"
    return f"{overruns:,} datagrams waiting here, {kernel} in the kernel's buffer, {send_failures:,} that were not sent"


def prometheus(report: ArbiterMetrics) -> str:
    """Metrics in Prometheus's text format, one number a line; latencies are a summary in seconds."""
    lines = [f'gossamer_arbiter_role{{role="{report["role"]}"}} 1']
    for name, value in report.items():
        if name == "latency":
            continue
        if isinstance(value, dict):
            lines += [f'gossamer_arbiter_{name}{{kind="{kind}"}} {number}' for kind, number in value.items()]
        elif isinstance(value, int):
            lines.append(f"gossamer_arbiter_{name} {value}")
    latency = report["latency"]
    quantiles = {
        "0.5": latency["p50_ns"],
        "0.99": latency["p99_ns"],
        "0.999": latency["p999_ns"],
        "1": latency["max_ns"],
    }
    for quantile, ns in quantiles.items():
        if ns is not None:
            lines.append(f'gossamer_arbiter_latency_seconds{{quantile="{quantile}"}} {ns / 1e9:.9f}')
    lines.append(f"gossamer_arbiter_latency_seconds_count {latency['count']}")
    return "\n".join(lines) + "\n"
