"""Settings on the command line of a plan: an option for each common one, `--set` for the others."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from gossamer import types
from gossamer.errors import InputError
from gossamer.plan import Setting

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def common(settings: str, names: Sequence[str]) -> list[click.Parameter]:
    """An option for each of these `settings`, which are JSON as `_native.plan_settings` has it.

    Help, default and what stands for the value are the setting's own documentation; its own reader checks the value.
    """
    documented: list[types.Setting] = json.loads(settings)
    known = {each["name"]: each for each in documented}
    return [option(known[name]) for name in names]


def option(setting: types.Setting) -> click.Option:
    """The option of a setting: `--node-rate RATE`, and what its documentation says."""
    name, default = setting["name"], f"default {setting['default']}"
    meaning = setting["meaning"].removesuffix(".")
    told = f"{meaning[:-1]}; {default})." if meaning.endswith(")") else f"{meaning} ({default})."
    return click.Option([f"--{name.replace('_', '-')}", name], metavar=setting["value"], help=told)


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
