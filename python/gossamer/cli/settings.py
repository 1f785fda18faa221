"""Settings on the command line of a plan: an option for each common one, `--set` for the others."""

from collections.abc import Sequence

import click

from gossamer.errors import InputError
from gossamer.plan import Setting


def common(names: Sequence[tuple[str, str, str]]) -> list[click.Option]:
    """An option for each `(setting, metavar, help)`. The setting's own reader checks the value."""
    return [
        click.Option([f"--{name.replace('_', '-')}", name], metavar=metavar, help=text) for name, metavar, text in names
    ]


others = click.option(
    "--set",
    "others",
    metavar="KEY=VALUE",
    multiple=True,
    help="Any other setting; may be given several times: `--set cell='512 B' --set price_switch=9000`.",
)


def gathered(given: dict[str, str | None], written: Sequence[str]) -> dict[str, Setting]:
    """The settings of options and of `--set`; those not given are left out.

    Raises:
        InputError: One is not KEY=VALUE, or is there twice.
    """
    settings: dict[str, Setting] = {name: value for name, value in given.items() if value is not None}
    for each in written:
        key, sign, value = each.partition("=")
        key = key.strip()
        if not sign or not key:
            raise InputError(f"--set {each}: expected KEY=VALUE, such as --set cell='512 B'")
        if key in settings:
            raise InputError(f"--set {each}: {key} is given twice")
        settings[key] = value.strip()
    return settings
