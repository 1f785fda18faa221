"""How help looks, and parameters that several commands share."""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from gossamer.api import MOST_THREADS
from gossamer.cli import completion
from gossamer.errors import cure

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Every command answers to -h, and its help is a page of at most 100 columns."""

Function = TypeVar("Function", bound=Callable[..., Any])


class Book(click.Group):
    """A group whose commands are listed in the order in which a person meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        """In the order of definition."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise click.UsageError(f"no command {args[0]!r}: {cure(args[0], self.commands)}", ctx)
        return super().resolve_command(ctx, args)


class Names(click.ParamType[tuple[str, ...]]):
    """A list of names with commas between, each one of a few."""

    name = "names"

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - as above
        """What help shows for the value."""
        return ",".join(self.choices)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split and check."""
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in str(value).split(",") if name.strip())
        for name in names:
            if name not in self.choices:
                self.fail(f"no {name!r} here: {cure(name, self.choices)}", param, ctx)
        return names

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """The names that can follow the last comma."""
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{name}") for name in self.choices if name.startswith(last)]


class WallTime(click.ParamType[float]):
    """A length of real time: `90s`, `10m`, `2h`."""

    name = "time"
    seconds = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}  # noqa: RUF012 - never changed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """To seconds."""
        if isinstance(value, float):
            return value
        parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", str(value))
        if parts is None or parts[2] not in self.seconds or float(parts[1]) == 0:
            self.fail(f"{str(value)!r} is not a length of time: write 90s, 10m or 2h", param, ctx)
        return float(parts[1]) * self.seconds[parts[2]]


def overrides(function: Function) -> Function:
    """Add `--set`."""
    return click.option(
        "--set",
        "overrides",
        metavar="KEY=VALUE",
        multiple=True,
        shell_complete=completion.keys,
        help="Change one key of the file, in every run; may be repeated. "
        "Keys are dotted: `--set fabric.queue='50 packets' --set workload.0.load=0.6`.",
    )(function)


def threads(function: Function) -> Function:
    """Add `--threads`."""
    return click.option(
        "--threads",
        type=click.IntRange(1, MOST_THREADS),
        metavar="N",
        help="Number of runs at the same time; all cores by default. Results do not depend on it.",
    )(function)


def memory_limit(function: Function) -> Function:
    """Add `--memory-limit`."""
    return click.option(
        "--memory-limit",
        metavar="SIZE",
        help="Refuse runs whose estimated memory exceeds this, such as 4GB; by default, what the machine has.",
    )(function)


def as_json(function: Function) -> Function:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts and show no progress.")(
        function
    )
