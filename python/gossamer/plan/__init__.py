"""Closed forms: what a network is made of, what it costs and how it fails, without running anything.

    found = gossamer.plan("stardust", hosts=20_000, host_rate="50 Gb/s")
    found["designs"][0]["elements"]

What a plan looks like is in `gossamer.types`; settings and their defaults are in docs/planner.md.
"""

import json
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, overload

from gossamer import _native
from gossamer.errors import InputError
from gossamer.plan.book import laid_out
from gossamer.types import An3Plan, FastpodPlan, ShoalPlan, StardustPlan, System, Used, XFabricPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "An3Plan",
    "FastpodPlan",
    "Setting",
    "ShoalPlan",
    "StardustPlan",
    "System",
    "Used",
    "XFabricPlan",
    "plan",
    "systems",
]


Setting: TypeAlias = "int | float | str | Sequence[int] | Mapping[str, float] | Sequence[Mapping[str, object]]"
"""A setting's value: a number, a text such as "25 Gb/s", numbers in a row, or prices by rate."""


def systems() -> list[System]:
    """The systems that can be planned."""
    return cast("list[System]", json.loads(_native.plans()))


@overload
def plan(system: Literal["stardust"], /, **settings: Setting) -> StardustPlan: ...
@overload
def plan(system: Literal["shoal"], /, **settings: Setting) -> ShoalPlan: ...
@overload
def plan(system: Literal["xfabric"], /, **settings: Setting) -> XFabricPlan: ...
@overload
def plan(system: Literal["fastpod"], /, **settings: Setting) -> FastpodPlan: ...
@overload
def plan(system: Literal["an3"], /, **settings: Setting) -> An3Plan: ...
@overload
def plan(system: str, /, **settings: Setting) -> Any: ...
def plan(system: str, /, **settings: Setting) -> Any:
    """Plan a network of `system` in closed form.

    Args:
        system: Which one; `gossamer plan` lists them.
        settings: What is wanted and of what devices, as docs/planner.md names it; what is left out has its default.
            Quantities are texts with a unit, as in an experiment file. `prices` is "paper", "modern", "none" or a file.

    Raises:
        InputError: There is no such system or setting, a value cannot be, the network cannot be built, or a part of it
            has no price or power in the book.
    """
    try:
        text = json.dumps(laid_out(dict(settings)), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"settings of a plan must be numbers, strings, or lists and dicts of them: {error}") from None
    return json.loads(_native.plan(system, text))
