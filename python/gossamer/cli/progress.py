"""What a person sees while runs go on: bars on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from gossamer import api
from gossamer.cli.amounts import count, quantity, wall

LINE_EVERY_S = 10.0
"""How often the total is printed where there is no terminal to redraw."""


class View(Protocol):
    """Something that shows progress."""

    def show(self, progress: api.Progress) -> None:
        """Show how far the runs are now."""

    def tell(self, line: str) -> None:
        """Say what has happened beside the runs."""


@contextmanager
def view(*, quiet: bool) -> Iterator[View]:
    """The view that fits: none for scripts, bars on a terminal, lines elsewhere. On standard error."""
    console = Console(stderr=True)
    if quiet:
        yield Nothing()
    elif console.is_terminal:
        with Bars(console) as bars:
            yield bars
    else:
        yield Lines()


class Nothing:
    """Shows nothing."""

    def show(self, progress: api.Progress) -> None:
        """Do nothing with it."""

    def tell(self, line: str) -> None:
        """Do nothing with it: a script finds it in the manifest."""


class Lines:
    """A line when a run ends, and one with the total every few seconds."""

    def __init__(self) -> None:
        self._ended: set[str] = set()
        self._said = time.monotonic()

    def show(self, progress: api.Progress) -> None:
        """Print what is new."""
        for run in progress["runs"]:
            if run["status"] not in ("running", "not-started") and run["name"] not in self._ended:
                self._ended.add(run["name"])
                when = " before" if run["earlier"] else ""
                self._line(f"{run['name']}: {run['status']}{when}, {run_position(run)}")
        if time.monotonic() - self._said >= LINE_EVERY_S:
            self._line(f"{100 * fraction(progress):.0f} %, {pace(progress)}, {remaining(progress)}")

    def tell(self, line: str) -> None:
        """Print it."""
        self._line(line)

    def _line(self, text: str) -> None:
        self._said = time.monotonic()
        print(text, file=sys.stderr, flush=True)


class Bars:
    """A bar for each run that is going on, and one for all."""

    def __init__(self, console: Console) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[detail]}"),
            console=console,
            transient=True,
            auto_refresh=False,
            # What commands print goes where it should, which need not be this terminal.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._all = self._bars.add_task("all runs", total=1.0, detail="")
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def show(self, progress: api.Progress) -> None:
        """Redraw."""
        for run in progress["runs"]:
            task = self._tasks.get(run["name"])
            if run["status"] == "running":
                if task is None:
                    task = self._tasks[run["name"]] = self._bars.add_task(run["name"], total=1.0, detail="")
                self._bars.update(task, completed=run_fraction(run), detail=run_position(run))
            elif task is not None:
                self._bars.remove_task(self._tasks.pop(run["name"]))
        runs = progress["runs"]
        ended = sum(run["status"] not in ("running", "not-started") for run in runs)
        detail = f"{ended} of {len(runs)} done, {pace(progress)}, {remaining(progress)}"
        self._bars.update(self._all, completed=fraction(progress), detail=detail)
        self._bars.refresh()

    def tell(self, line: str) -> None:
        """Print it above the bars."""
        self._bars.console.print(line, markup=False, highlight=False, soft_wrap=True)


def run_fraction(run: api.RunProgress) -> float:
    """How much of a run is done: of its simulated time, or of the flows of which it is over once all have ended.

    A run that has ended is done, however early.
    """
    if run["status"] not in ("running", "not-started"):
        return 1.0
    simulated = run["simulated_ps"] / run["duration_ps"] if run["duration_ps"] else 0.0
    flows = run["flows"] / run["expected_flows"] if run["expected_flows"] else 0.0
    return min(1.0, max(simulated, flows))


def fraction(progress: api.Progress) -> float:
    """How much of all runs is done."""
    return _mean_fraction(progress["runs"])


def _mean_fraction(runs: list[api.RunProgress]) -> float:
    return sum(map(run_fraction, runs)) / len(runs) if runs else 1.0


def run_position(run: api.RunProgress) -> str:
    """Where a run is: `9 ms of 20 ms`."""
    simulated, duration = quantity(run["simulated_ps"], "ps"), quantity(run["duration_ps"], "ps")
    return f"{simulated} of {duration} simulated, {count(run['hops'])} hops"


def pace(progress: api.Progress) -> str:
    """How fast it goes, over all threads."""
    hops = sum(run["hops"] for run in progress["runs"] if not run["earlier"])
    return f"{hops / max(progress['elapsed_s'], 1e-9) / 1e6:.1f} M hops/s"


def remaining(progress: api.Progress) -> str:
    """An estimate of the rest: what has passed, scaled by what is left."""
    done = _mean_fraction([run for run in progress["runs"] if not run["earlier"]])
    if done < 0.01:
        return "too early to estimate the time left"
    return f"about {wall(progress['elapsed_s'] * (1 - done) / done)} left"
