"""`gossamer check`: say what an experiment file would run."""

import json
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from gossamer import api
from gossamer.cli import completion, page, screen
from gossamer.cli.amounts import count, quantity, wall, watts
from gossamer.cli.screen import Column
from gossamer.results import Fault
from gossamer.types import Worth


@click.command(context_settings=page.SETTINGS, short_help="Show what an experiment file would run.")
@click.argument("file", type=click.Path(path_type=Path), shell_complete=completion.experiments)
@page.threads
@page.overrides
@page.memory_limit
@page.as_json
def check(file: Path, threads: int | None, overrides: tuple[str, ...], memory_limit: str | None, as_json: bool) -> None:
    """Show what the experiment FILE would run, without running it.

    One line per run: hosts, links, fabric and transport, flows and the load that they offer to the hosts' links, and
    a rough cost in hops (one frame over one link), in seconds of one core, and in memory. Runs that need more memory
    than the machine has, or than --memory-limit allows, alone or together with those that would run at the same time,
    are refused. A mistake in the file is reported with its line, its key and the nearest valid spelling.

    \b
    Examples:
      gossamer check experiments/quickstart.toml
      gossamer check quickstart.toml --set workload.web.load=0.6
      gossamer check quickstart.toml --json | jq '.runs | length'

    Exit status: 0 the file is valid, 2 it is not.
    """
    plan = api.check(file, overrides=overrides, threads=threads, memory_limit=memory_limit)
    if as_json:
        print(json.dumps(plan, indent=2))
        return
    show(plan)


def show(plan: api.Plan) -> None:
    """Print a plan as a table."""
    console = screen.console()
    if plan["title"]:
        console.print(plan["title"], style="bold")
    runs = plan["runs"]
    screen.show(
        console,
        [
            Column("Run", [run["name"] for run in runs], left=True),
            Column("Hosts", [str(run["hosts"]) for run in runs], 1),
            Column("Links", [str(run["links"]) for run in runs], 7),
            Column("Fabric", [run["fabric"] for run in runs], 6, left=True),
            Column("Transport", [run["transport"] for run in runs], 5, left=True),
            Column("Simulates", [quantity(run["duration_ps"], "ps") for run in runs], 4),
            Column("Flows", [flows(run) for run in runs], 2),
            Column("Offered load", [offered(run) for run in runs], 3),
            Column("Hops", [count(run["estimated_hops"]) for run in runs], 4),
            Column("Core time", [wall(run["estimated_core_s"]) for run in runs], 1),
            Column("Memory", [quantity(run["estimated_memory_bytes"], "B") for run in runs], 2),
        ],
    )
    if any(run.get("worth") for run in runs):
        networks(console, runs)
    for topology in dict.fromkeys(run["topology"] for run in runs):
        console.print(f"topology: {topology}", soft_wrap=True)
    for line in workloads(plan):
        console.print(line, soft_wrap=True)
    for line in faults(plan):
        console.print(line, soft_wrap=True)
    for warning in plan["warnings"]:
        console.print(f"warning: {warning}", soft_wrap=True)


def networks(console: Console, runs: list[api.PlannedRun]) -> None:
    """Print what each network can carry, draws and costs, of a file with `[compare]`."""
    worths = [worth for run in runs if (worth := run.get("worth"))]
    console.print()
    screen.show(
        console,
        [
            Column("Run", [run["name"] for run in runs], left=True),
            Column("Bisection", [bisection(worth) for worth in worths]),
            Column("counted from", [worth["bisection"] for worth in worths], 2, left=True),
            Column("Power", [priced(worth["power_w"], worth["power_switches_w"], watts) for worth in worths], 1),
            Column("Cost", [priced(worth["cost_usd"], worth["cost_switches_usd"], dollars) for worth in worths], 1),
        ],
    )


def bisection(worth: Worth) -> str:
    """What half of the hosts can send to the other half."""
    return "not known" if worth["bisection_bps"] is None else quantity(worth["bisection_bps"], "b/s")


def priced(total: float | None, switches: float | None, show: Callable[[float], str]) -> str:
    """All of it, or that of switches where nothing is known of links."""
    if total is not None:
        return show(total)
    return "not given" if switches is None else f"{show(switches)} for switches"


def dollars(value: float) -> str:
    """A price."""
    return f"{value:,.0f} USD"


def flows(run: api.PlannedRun) -> str:
    """How many flows there are, as far as that is known before the run."""
    known = [workload["flows"] for workload in run["workloads"] if workload["flows"] is not None]
    more = "+" if len(known) < len(run["workloads"]) else ""
    return f"{count(sum(known))}{more}" if known else "unknown"


def offered(run: api.PlannedRun) -> str:
    """The load that is offered to the hosts' links, over all workloads that say one."""
    loads = [workload["offered_load"] for workload in run["workloads"] if workload["offered_load"] is not None]
    return quantity(sum(loads), "fraction") if loads else ""


def faults(plan: api.Plan) -> list[str]:
    """A line for each fault that differs from those before, with its runs where not all have it."""
    having: dict[str, list[str]] = {}
    for run in plan["runs"]:
        for entry in run["faults"]:
            fault = Fault.of(entry)
            until = f" until {quantity(fault.until_ps, 'ps')}" if fault.until_ps is not None else ""
            line = f"fault: {fault.what}, at {quantity(fault.at_ps, 'ps')}{until}"
            having.setdefault(line, []).append(run["name"])
    everywhere = len(plan["runs"])
    return [
        line if len(set(runs)) == everywhere else f"{line} (in {shortened(list(dict.fromkeys(runs)))})"
        for line, runs in having.items()
    ]


def shortened(names: list[str], most: int = 4) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def workloads(plan: api.Plan) -> list[str]:
    """A line for each workload that differs from those before."""
    lines: dict[str, None] = {}
    for run in plan["runs"]:
        transports = {workload["transport"] for workload in run["workloads"]}
        for workload in run["workloads"]:
            facts = [workload["description"]]
            if len(transports) > 1:
                facts.append(f"by {workload['transport']}")
            if workload["kind"] == "trace" and workload["mean_bytes"] is not None:
                facts.append(f"mean {quantity(workload['mean_bytes'], 'B')}")
            if workload["offered_bps"] is not None:
                facts.append(f"offers {quantity(workload['offered_bps'], 'b/s')} in all")
            lines[f"workload {workload['name']}: {', '.join(facts)}"] = None
    return list(lines)
