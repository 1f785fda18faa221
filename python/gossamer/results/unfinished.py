"""What flows that had not completed when a run ended do to its statistics, for results that do not say it."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

__all__ = ["PERCENTILES", "with_unfinished"]

PERCENTILES = {"slowdown_p50": 500, "slowdown_p99": 990, "slowdown_p999": 999}
"""Columns of the summary, and the thousandths of flows that are at most so slow."""

PRECISION = 0.004
"""Percentiles of a summary are within this of the true ones."""


def with_unfinished(summary: pa.Table, flows: pa.Table) -> pa.Table:
    """`summary` of a version that counted completed flows only, with what it would say today.

    All flows that are measured and have an end count; one that had not completed when the run ended has the age that it
    had then, so its slowdown is a lower bound. A percentile is a bound if it would rise, by more than percentiles of a
    summary are exact to, were those slowdowns infinite. Without a table of flows, every number is a bound as soon as
    fewer flows completed than started.
    """
    import pyarrow.compute as pc  # only older results need it, and it takes long to load

    row: dict[str, Any] = summary.to_pylist()[0]
    sized = flows.filter(pc.and_(flows.column("measured"), pc.is_valid(flows.column("bytes"))))
    if not flows.num_rows and row["flows_started"]:
        bound = row["flows_completed"] < row["flows_started"]
        found: dict[str, Any] = {f"{name}_is_bound": bound for name in ("slowdown_mean", *PERCENTILES)}
        return _with(summary, found)
    ended = pc.is_valid(sized.column("fct_ps"))
    complete, waiting = sized.filter(ended), sized.filter(pc.invert(ended))
    found = {"flows_measured": sized.num_rows, "flows_measured_completed": complete.num_rows}
    found["slowdown_mean_is_bound"] = waiting.num_rows > 0
    found |= {f"{name}_is_bound": False for name in PERCENTILES}
    if waiting.num_rows:
        ages = [row["simulated_ps"] - start for start in waiting.column("start_ps").to_pylist()]
        ideals = waiting.column("ideal_ps").to_pylist()
        late = [age / ideal for age, ideal in zip(ages, ideals, strict=True) if ideal]
        done = sorted(value for value in complete.column("slowdown").to_pylist() if value is not None)
        found |= _percentiles(done, late)
        times = [*complete.column("fct_ps").to_pylist(), *ages]
        found["fct_mean_ps"] = sum(times) / len(times)
    return _with(summary, found)


def _percentiles(done: Sequence[float], late: Sequence[float]) -> dict[str, Any]:
    """Mean and nearest-rank percentiles of slowdowns, with the lower bounds `late` among them. `done` is in order."""
    every = sorted([*done, *late])
    if not every:
        return {}
    found: dict[str, Any] = {"slowdown_mean": sum(every) / len(every)}
    for name, permille in PERCENTILES.items():
        place = max(0, -(-len(every) * permille // 1000) - 1)
        found[name] = every[place]
        found[f"{name}_is_bound"] = place >= len(done) or done[place] > every[place] * (1 + PRECISION)
    return found


def _with(summary: pa.Table, found: dict[str, Any]) -> pa.Table:
    for name, value in found.items():
        place = summary.column_names.index(name)
        field = summary.schema.field(place)
        summary = summary.set_column(place, field.with_nullable(nullable=True), pa.array([value], field.type))
    return summary
