"""`gossamer arbiter`: the arbiter of a zero-buffer pod as a service for real hosts, its voters, and a load for it."""

import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from gossamer import _native
from gossamer.cli import exits, page, signals
from gossamer.cli.arbiter_words import load_line, serve_line, show_load, show_serve, show_voter, voter_line
from gossamer.cli.settings import common, gathered
from gossamer.errors import InputError

LINE_EVERY_S = 10.0
"""How often a line is printed where there is no terminal to redraw."""
SIGNALS = {signal.SIGINT, signal.SIGTERM}
"""What ends it."""
WRITE_EVERY_S = 1.0
"""How often the file of metrics is written."""

VALUES = {
    **dict.fromkeys(("listen", "voter"), "ADDRESS"),
    **dict.fromkeys(("peers", "voters", "arbiters"), "ADDRESS,..."),
    **dict.fromkeys(("key", "state", "voter_state"), "FILE"),
}
"""What stands for the value of a setting that is a text."""


def options(role: str) -> list[click.Parameter]:
    """An option for each setting of a role."""
    names = [setting["name"] for setting in json.loads(_native.arbiter_settings(role))]
    found = common(_native.arbiter_settings(role), names)
    for option in found:
        option.metavar = VALUES.get(option.name or "", option.metavar)
    return found


@click.group(cls=page.Book, context_settings=page.SETTINGS, short_help="The arbiter as a service for real hosts.")
def arbiter() -> None:
    """Run the arbiter of a zero-buffer pod as a service: over UDP it takes hosts' requests and hands out time slots.

    Several arbiters can stand in for each other; voters see to it that no two of them hand out the same slot.

    \b
    Examples:
      gossamer arbiter serve
      gossamer arbiter load --duration '10 s'
      gossamer arbiter voter --listen 127.0.0.1:7302 --state voter-2

    Wire format, takeover and metrics: docs/arbiter.md.
    """


@arbiter.command(context_settings=page.SETTINGS, short_help="Hand out time slots.", params=options("serve"))
@click.option(
    "--metrics",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the metrics to this file every second, as text that Prometheus reads.",
)
@page.as_json
def serve(metrics: Path | None, as_json: bool, **given: str | None) -> int:
    """Serve the hosts of a pod until it is stopped.

    Without --peers it takes charge at once. With --peers it stands by while another arbiter is in charge, and takes
    over when that one's beats stop. Ctrl-C and SIGTERM have it hand over to another one before it ends; a second Ctrl-C
    ends it at once. Standard error names what happens and which datagrams are refused; metrics follow at the end.

    \b
    Examples:
      gossamer arbiter serve --slot '500 us' --racks 8
      gossamer arbiter serve --listen 10.0.0.1:7200 --key pod.key --metrics arbiter.prom

    \b
    Two arbiters and three voters, one of them on a third machine:
      gossamer arbiter serve --listen 10.0.0.1:7200 --peers 10.0.0.2:7200 --voter 10.0.0.1:7300 \\
        --voters 10.0.0.1:7300,10.0.0.2:7300,10.0.0.3:7300 --voter-state voter
      gossamer arbiter serve --listen 10.0.0.2:7200 --peers 10.0.0.1:7200 --voter 10.0.0.2:7300 \\
        --voters 10.0.0.1:7300,10.0.0.2:7300,10.0.0.3:7300 --voter-state voter --number 1
      gossamer arbiter voter --listen 10.0.0.3:7300 --state voter

    Exit status: 0 done, 2 bad input, 128 + N stopped by signal N (130: Ctrl-C, 143: SIGTERM).
    """
    if metrics is not None:
        write_metrics(metrics, None)
    task = start("serve", given)
    report = json.loads(task.report())
    opening = f"listens on {report['address']}, for {report['hosts']:,} hosts"
    ending = "ends when another arbiter has taken over, if there is one (Ctrl-C again ends it at once)"
    return follow(task, serve_line, show_serve, as_json, opening, ending, metrics)


@arbiter.command(context_settings=page.SETTINGS, short_help="Vote on who may hand out slots.", params=options("voter"))
@page.as_json
def voter(as_json: bool, **given: str | None) -> int:
    """Lease slots to one arbiter at a time, until it is stopped.

    Arbiters ask all voters and need a majority of them. A voter may be slow, and it may die, but it may not forget what
    it has leased: with --state it can begin again.

    \b
    Example:
      gossamer arbiter voter --listen 10.0.0.3:7300 --state voter --key pod.key

    Exit status: 0 done, 2 bad input, 128 + N stopped by signal N (130: Ctrl-C, 143: SIGTERM).
    """
    task = start("voter", given)
    opening = f"listens on {json.loads(task.report())['address']}"
    return follow(task, voter_line, show_voter, as_json, opening, "")


@arbiter.command(
    context_settings=page.SETTINGS, short_help="Ask like the hosts of a pod, and measure.", params=options("load")
)
@page.as_json
def load(as_json: bool, **given: str | None) -> int:
    """Simulate the hosts of a pod: ask running arbiters for slots for a while, and measure what they give.

    Prints allocations a second, the traffic that they are at the rate of a host's link, and how long a demand waits for
    its first allocation: median, 99 %, 99.9 % and longest. Checks that no two allocations of a slot use the same link,
    and that at the end every demand is met.

    \b
    Examples:
      gossamer arbiter load --load 0.8 --duration '60 s'
      gossamer arbiter load --arbiters 10.0.0.1:7200,10.0.0.2:7200 --listen 10.0.0.9:0 --key pod.key
      gossamer arbiter load --json | jq '.allocation_latency'

    Exit status: 0 every demand was met and nothing collides, 1 not so, 2 bad input or no arbiter, 128 + N stopped by
    signal N.
    """
    task, ending = start("load", given), "waits for what is still wanted"
    status = follow(task, load_line, show_load, as_json, "", ending)
    report = json.loads(task.report())
    is_right = report["unmet"] == report["collisions"] == report["contradictions"] == 0
    return status or (exits.DONE if is_right else exits.FAILED)


def start(role: str, given: dict[str, str | None]) -> _native.ArbiterTask:
    """Start it with the settings that were given."""
    return _native.ArbiterTask.start(role, json.dumps(gathered(given, (), "")))


def follow(
    task: _native.ArbiterTask,
    line: Callable[[Any, Any, float], str],
    show: Callable[[Any], None],
    as_json: bool,
    opening: str,
    ending: str,
    metrics: Path | None = None,
) -> int:
    """Watch until it has ended, by itself or because it was stopped; print its report, and return the exit status."""
    stopped = False
    view = View(line, quiet=as_json)
    # A signal that comes while this is printed waits until somebody listens; blocked, it would go to another thread.
    held: list[int] = []
    handlers = {number: signal.signal(number, lambda number, _: held.append(number)) for number in SIGNALS}
    if opening:
        say(opening)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    while True:
        try:
            if held:
                signal.raise_signal(held.pop())
            while not task.wait(0.1):
                view.show(task, metrics)
            break
        except KeyboardInterrupt:
            task.stop()
            if not stopped and ending:
                view.say(ending)
            stopped = True
        except BaseException:
            view.show(task, metrics)
            view.close()
            raise
    view.show(task, metrics, last=True)
    view.close()
    report = json.loads(task.report())
    if as_json:
        print(json.dumps(report, indent=2))
    else:
        show(report)
    return signals.status() if stopped else exits.DONE


class View:
    """What a person sees meanwhile, on standard error: what happens, and how it goes, on a terminal in one line."""

    def __init__(self, line: Callable[[Any, Any, float], str], *, quiet: bool) -> None:
        self._line = line
        self._quiet = quiet
        self._console = Console(stderr=True, markup=False, highlight=False, emoji=False)
        self._status = self._console.status("") if self._console.is_terminal and not quiet else None
        if self._status is not None:
            self._status.start()
        self._before: Any = None
        self._measured = self._written = self._said = time.monotonic()

    def show(self, task: _native.ArbiterTask, metrics: Path | None, *, last: bool = False) -> None:
        """Print what is new, and write the metrics."""
        for line in task.lines():
            self.say(line)
        now = time.monotonic()
        if metrics is not None and (last or now - self._written >= WRITE_EVERY_S):
            self._written = now
            write_metrics(metrics, json.loads(task.report()))
        if self._quiet or now - self._measured < 1:
            return
        report = json.loads(task.report())
        text = self._line(report, self._before or report, now - self._measured)
        self._before, self._measured = report, now
        if self._status is not None:
            self._status.update(text)
        elif now - self._said >= LINE_EVERY_S:
            self._said = now
            say(text)

    def say(self, text: str) -> None:
        """Print a line that stays."""
        if self._status is not None:
            self._console.print(text, soft_wrap=True)
        else:
            say(text)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._status is not None:
            self._status.stop()


def write_metrics(file: Path, report: Any) -> None:
    """Write metrics as text that Prometheus reads, whole or not at all. Without a report: see whether that can be."""
    from gossamer.cli.arbiter_words import prometheus

    new = file.with_name(file.name + ".new")
    try:
        new.write_text("" if report is None else prometheus(report), encoding="utf-8")
        new.replace(file)
    except OSError as error:
        raise InputError(f"--metrics {file}: {error.strerror or error}") from None


def say(text: str) -> None:
    """Print a line for the user, not for scripts: on standard error."""
    print(text, file=sys.stderr, flush=True)
