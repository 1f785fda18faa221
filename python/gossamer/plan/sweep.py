"""The same plan for many sizes of the network, for curves over the number of hosts."""

from typing import cast

from gossamer.plan import plan
from gossamer.plan.stardust import Setting, StardustPlan

PER_DECADE = 24
LARGEST = 1_000_000
ADAPTERS = 8
"""The smallest network of a curve: with fewer adapters, single devices make steps."""


def over_hosts(settings: dict[str, Setting], least: int | None = None, most: int | None = None) -> list[StardustPlan]:
    """Plans from `least` to `most` hosts at equal steps of the logarithm, and on both sides of every step in tiers.

    Numbers of hosts are rounded up to full adapters, so that curves show the fabric and not a last adapter half full.
    """
    first = plan("stardust", **settings)
    each = cast("int", first["input"]["hosts_per_adapter"])
    low = least or ADAPTERS * each
    high = most or max(LARGEST, cast("int", first["input"]["hosts"]))
    wanted = {low, high}
    number = 0
    while (hosts := low * 10 ** (number / PER_DECADE)) < high:
        wanted.add(-(-int(hosts) // each) * each)
        number += 1
    for design in first["designs"]:
        for limit in design["limits"]:
            wanted |= {limit["hosts"], limit["hosts"] + each}
    return [plan("stardust", **{**settings, "hosts": hosts}) for hosts in sorted(wanted) if low <= hosts <= high]
