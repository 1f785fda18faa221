"""Distributions from histograms, as the share above each value: frame latency, queue length, what a fabric keeps."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import altair as alt

from gossamer.analysis.comparison import Comparison, Group, by_seed
from gossamer.analysis.histograms import Buckets, buckets_of, mean, of_links, own_buckets, share_above, shares_at
from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.canvas import (
    BUDGET,
    Canvas,
    Choice,
    Drawing,
    NoData,
    data,
    interval,
    lines,
    log_scale,
    points_choice,
    scoped_log_scale,
    value_scale,
    with_bands,
)
from gossamer.plots.expressions import expression

__all__ = ["draw_latency", "draw_own", "draw_queues"]

OWN: dict[Kind, tuple[str, str, float]] = {
    "ps": ("Times inside the fabric", "Time", 1e-12),
    "B": ("Sizes inside the fabric", "Size", 1),
    "count": ("Counts inside the fabric", "Count", 1),
}
"""What fabrics keep by themselves, by what it is measured in: title, axis, and factor to what the axis prints."""


def draw_latency(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Share of data frames that take longer than each latency."""
    found = [group for group in comparison.groups if _named(group, "latency")]
    if not found:
        raise NoData(comparison.results.why_empty("histograms") or "no data frame arrived within the measured window")
    most = max(24, min(200, BUDGET // len(found)))
    rows = [
        row
        for group in found
        for row in _above(group, partial(_named, name="latency"), 1e-12, most)
        if row["value"] > 0
    ]
    if not rows:
        raise NoData("all latencies are zero")
    choices = list(points_choice(canvas, comparison.points))
    chart = _share_above(comparison, canvas, rows, choices, "ps", "Latency", "frames")
    subtitle = (
        "Share of data frames whose latency, from the interface of the sending host to the receiver, is above "
        "the value. "
        "It leaves out what a transport holds back before the interface, so it tells fabrics of one kind apart, "
        "not fabrics "
        "of two. Exact at the bounds of the histogram's buckets."
    )
    return Drawing(
        chart,
        "Frame latency, interface to interface",
        f"{subtitle} {comparison.pooled_in_bands}".strip(),
        tuple(choices),
    )


def draw_queues(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Share of samples in which a queue of a class of links is longer than each length."""
    found = [(group, buckets_of(group)) for group in comparison.groups]
    busiest: dict[str, float] = {}
    for _, histograms in found:
        for name, buckets in histograms.items():
            if of_links(name):
                busiest[_scope(name)] = max(busiest.get(_scope(name), 0.0), mean(buckets))
    if not busiest:
        raise NoData(comparison.results.why_empty("histograms") or "no queue was measured")
    most = max(16, min(200, BUDGET // max(1, len(found) * len(busiest))))
    rows = [
        row | {"scope": _scope(name)}
        for group, histograms in found
        for name in histograms
        if of_links(name)
        for row in _above(group, partial(_named, name=name), 1, most)
    ]
    choices = list(points_choice(canvas, comparison.points))
    deepest = max(busiest, key=lambda scope: busiest[scope])
    choices.append(canvas.choice("scope", "links", list(busiest), deepest))
    chart = _share_above(comparison, canvas, rows, choices, "B", "Queue", "samples")
    subtitle = (
        "Share of the samples in which a link's queue is longer than the value, over all links of one class and "
        "direction, the frame being sent included; virtual output queues are not among them. Exact at the "
        "bounds of the "
        "histogram's buckets."
    )
    return Drawing(chart, "Length of link queues", f"{subtitle} {comparison.pooled_in_bands}".strip(), tuple(choices))


def draw_own(comparison: Comparison, canvas: Canvas, kind: Kind) -> Drawing:
    """Share above each value in the distributions, measured in `kind`, that a kind of fabric keeps by itself."""
    title, name, factor = OWN[kind]
    found = [
        (group, {key: of for key, of in own_buckets(group).items() if _kind(key[1]) == kind})
        for group in comparison.groups
    ]
    keys = list(dict.fromkeys(key for _, histograms in found for key in histograms))
    if not keys:
        raise NoData(comparison.results.why_empty("histograms") or "these fabrics keep no such distribution")
    most = max(16, min(200, BUDGET // max(1, len(found) * len(keys))))
    rows = [
        row | {"scope": _titled(key)}
        for group, histograms in found
        for key in histograms
        for row in _above(group, partial(_own, key=key), factor, most)
        if kind != "ps" or row["value"] > 0  # times are on a log axis
    ]
    scopes = list(dict.fromkeys(row["scope"] for row in rows))
    if not scopes:
        raise NoData(f"all {title.split(maxsplit=1)[0].lower()} that these fabrics kept are zero: nothing waited")
    choices = list(points_choice(canvas, comparison.points))
    choices.append(canvas.choice("scope", "distribution", scopes, scopes[0]))
    chart = _share_above(comparison, canvas, rows, choices, kind, name, "values")
    subtitle = "Share of the values above each value, in the measured window. Exact at the bounds of the buckets."
    return Drawing(chart, title, f"{subtitle} {comparison.pooled_in_bands}".strip(), tuple(choices))


def _share_above(
    comparison: Comparison,
    canvas: Canvas,
    rows: list[dict[str, Any]],
    choices: list[Choice],
    kind: Kind,
    title: str,
    of: str,
) -> alt.LayerChart:
    upright, shares = log_scale("fraction", [1.0, *(row["share"] for row in rows)])
    across, ticks = value_scale(kind, rows)
    domains: list[alt.Parameter] = []
    if kind == "ps" and any(choice.field == "scope" for choice in choices):
        across, ticks, own = scoped_log_scale(kind, rows)
        domains = [own]
    elif kind == "ps":
        across, ticks = log_scale(kind, [row["value"] for row in rows])
    colour = canvas.colour(comparison.labels, comparison.label_title)
    chart = lines(
        data(rows, choices),
        canvas,
        alt.X("value:Q", title=title, axis=ticks, scale=across),
        alt.Y("share:Q", title=f"Share of {of} above", axis=shares, scale=upright),
        colour,
        {
            comparison.label_title: "datum.label",
            title: expression("datum.value", kind),
            f"Share of {of} above": expression("datum.share", "fraction"),
        },
    )
    least = min(row["share"] for row in rows)  # an interval may reach down to 0, which has no place on a log scale
    among = [row | {"low": max(row["low"], least)} for row in rows if "low" in row]
    chart = with_bands(chart, among, choices, canvas, "value", colour)
    return chart.add_params(*domains) if domains else chart


def _kind(unit: str) -> Kind:
    return "ps" if unit == "ps" else "B" if unit == "B" else "count"


def _titled(key: tuple[str, str]) -> str:
    """The name of a distribution, with its unit where the axis does not say it."""
    name, unit = key
    return f"{name} ({unit})" if _kind(unit) == "count" and unit else name


def _named(group: Group, name: str) -> Buckets:
    return buckets_of(group).get(name, {})


def _own(group: Group, key: tuple[str, str]) -> Buckets:
    return own_buckets(group).get(key, {})


def _above(group: Group, of: Callable[[Group], Buckets], factor: float, most: int) -> Iterator[dict[str, Any]]:
    """The points of a curve with their confidence intervals; `of` finds the histogram of a group, or of one seed."""
    points = share_above(of(group), most)
    bounds = [value for value, _ in points]
    seeds = [buckets for one in by_seed(group) if (buckets := of(one))]
    by_point = zip(*(shares_at(buckets, bounds) for buckets in seeds), strict=True)
    for (value, share), shares in zip(points, by_point, strict=True):
        yield {
            "label": group.label,
            "point": group.point,
            "value": significant(value * factor),
            "share": significant(share),
            **interval(share, shares, 1.0),
        }


def _scope(name: str) -> str:
    return name.removeprefix("queue").strip() or "all links"
