"""Settings on the command line of a plan: an option for each common one, `--set` for the others."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from gossamer.errors import InputError
from gossamer.plan import Setting

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def common(names: Sequence[tuple[str, str, str]]) -> list[click.Option]:
    """An option for each `(setting, metavar, help)`. The setting's own reader checks the value."""
    return [
        click.Option([f"--{name.replace('_', '-')}", name], metavar=metavar, help=text) for name, metavar, text in names
    ]


def others(first: str, second: str) -> Callable[[Decorated], Decorated]:
    """`--set`, with two settings of the system as examples."""
    return click.option(
        "--set",
        "others",
        metavar="KEY=VALUE",
        multiple=True,
        help=f"Any other setting; may be repeated: `--set {first} --set {second}`.",
    )


def gathered(given: dict[str, str | None], written: Sequence[str], example: str) -> dict[str, Setting]:
    """The settings of options and of `--set`; those not given are left out.

    Raises:
        InputError: One is not KEY=VALUE such as `example`, or is there twice.
    """
    settings: dict[str, Setting] = {name: value for name, value in given.items() if value is not None}
    for each in written:
        key, sign, value = each.partition("=")
        key = key.strip()
        if not sign or not key:
            raise InputError(f"--set {each}: expected KEY=VALUE, such as --set {example}")
        if key in settings:
            raise InputError(f"--set {each}: {key} is given twice")
        settings[key] = value.strip()
    return settings
