"""Flow completion times: slowdown against size, and their distribution."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

import altair as alt

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison, Group, by_seed
from gossamer.analysis.flows import having, sized, times, unfinished_shares
from gossamer.analysis.quantities import compact, significant, text
from gossamer.analysis.samples import distribution_ranks, equal_count_bins, least_sample, percentile, values
from gossamer.plots.canvas import (
    BUDGET,
    Canvas,
    Drawing,
    NoData,
    axis,
    bars,
    data,
    interval,
    lines,
    log_scale,
    points_choice,
    with_bands,
)
from gossamer.plots.expressions import expression

__all__ = ["draw_fct_cdf", "draw_slowdown"]

PERCENTILES = {"p50": 500, "p99": 990, "p99.9": 999}
LEAST_IN_BIN = 50
MOST_BINS = 20
ALL = "all"
ENDS = [expression(f"datum.{end}", "ratio") for end in ("low", "high")]
INTERVAL = f"!isValid(datum.low) ? 'too few flows of a seed' : {ENDS[0]} + ' to ' + {ENDS[1]}"


def draw_slowdown(comparison: Comparison, canvas: Canvas) -> Drawing:
    """FCT slowdown against flow size at p50, p99 and p99.9.

    Each percentile has bins of its own: of equal count, at most 20, of at least 50 flows and as many as it takes for
    one flow to be expected above the percentile. So a percentile that the sample does not support is not drawn.
    """
    rows = [row for group in comparison.groups for row in _slowdown_rows(group)]
    if not rows:
        raise NoData(_no_completions(comparison))
    sizes = {size for row in rows for size in (row["least"], row["most"])}
    if len(sizes) == 1:
        raise NoData(f"all flows have one size, {text(sizes.pop(), 'B')}: their completion times show the same")
    choices = list(points_choice(canvas, comparison.points))
    several = len(comparison.labels) > 3
    choices.append(canvas.choice("percentile", "percentile", [ALL, *PERCENTILES], "p99" if several else ALL))
    across, ticks = log_scale("B", [row["bytes"] for row in rows])
    slowdowns = [1.0, *(row["slowdown"] for row in rows), *(row["high"] for row in rows if "high" in row)]
    upright, steps = log_scale("ratio", slowdowns)
    if max(slowdowns) < 8:
        upright, steps = alt.Scale(domainMin=min(slowdowns), zero=False), axis("ratio", tickCount=6)
    base = data(rows, choices[:-1]).transform_filter(f"percentile === {ALL!r} || datum.shown === percentile")
    colour = canvas.colour(comparison.labels, comparison.label_title)
    x = alt.X("bytes:Q", title="Flow size", scale=across, axis=ticks)
    y = alt.Y("slowdown:Q", title="Slowdown (FCT over ideal FCT)", scale=upright, axis=steps)
    chart = lines(
        base,
        canvas,
        x,
        y,
        colour,
        {
            comparison.label_title: "datum.label",
            "Percentile": "datum.shown",
            "Slowdown": expression("datum.slowdown", "ratio"),
            "Flow size": f"{expression('datum.least', 'B')} + ' to ' + {expression('datum.most', 'B')}",
            "Flows in the bin": expression("datum.flows", "count"),
            **({} if comparison.seeds < 2 else {"Confidence interval": INTERVAL}),
        },
        dash=alt.StrokeDash(
            "shown:N",
            title="percentile",
            scale=alt.Scale(domain=list(PERCENTILES), range=[[1, 0], [6, 3], [1.5, 2.5]]),
            legend=alt.Legend(symbolStrokeWidth=2),
        ),
        points=True,
    )
    if comparison.seeds > 1:
        chart += bars(base.transform_filter("isValid(datum.low)"), canvas, x, colour)
    rule = (
        f"Flows that completed, in bins of equal count by size; a bin holds at least {LEAST_IN_BIN} flows, "
        f"{least_sample(990)} for p99 and {least_sample(999)} for p99.9, and a percentile without such a sample is not "
        "drawn (p50 always is)."
    )
    subtitle = " ".join(part for part in (rule, _left_out(comparison), _pooled(comparison)) if part)
    return Drawing(chart, "FCT slowdown against flow size", subtitle, tuple(choices), 340)


def draw_fct_cdf(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Distribution of flow completion times, unfinished flows counted in: a curve ends at the share that completed."""
    share = max(20, min(250, BUDGET // max(1, len(comparison.groups))))
    rows = [row for group in comparison.groups for row in _cdf_rows(group, share)]
    if not rows:
        raise NoData(_no_completions(comparison))
    choices = list(points_choice(canvas, comparison.points))
    across, ticks = log_scale("ps", [row["fct"] for row in rows])
    colour = canvas.colour(comparison.labels, comparison.label_title)
    chart = lines(
        data(rows, choices),
        canvas,
        alt.X("fct:Q", title="Flow completion time", scale=across, axis=ticks),
        alt.Y("share:Q", title="Share of flows", scale=alt.Scale(domain=[0, 1]), axis=axis("fraction", tickCount=5)),
        colour,
        {
            comparison.label_title: "datum.label",
            "Completed within": expression("datum.fct", "ps"),
            "Share of flows": expression("datum.share", "fraction"),
        },
        interpolate="step-after",
    )
    chart = with_bands(chart, rows, choices, canvas, "fct", colour, interpolate="step-after")
    subtitle = (
        "Measured flows that have an end. One that had not completed when the run ended counts as slower than all."
    )
    return Drawing(chart, "Flow completion times", f"{subtitle} {comparison.pooled_in_bands}".strip(), tuple(choices))


def _slowdown_rows(group: Group) -> Iterator[dict[str, Any]]:
    flows = having(sized(group), "slowdown")
    by_size = [having(sized(one), "slowdown").sort_by("bytes") for one in by_seed(group)]
    seeds = [(values(those, "bytes"), values(those, "slowdown")) for those in by_size]
    for name, permille in PERCENTILES.items():
        needed = least_sample(permille)
        for each in equal_count_bins(flows, "bytes", "slowdown", max(LEAST_IN_BIN, needed), MOST_BINS):
            if len(each.ordered) >= needed or name == "p50":
                shown = percentile(each.ordered, permille)
                samples = [
                    sorted(of[bisect_left(sizes, each.low) : bisect_right(sizes, each.high)]) for sizes, of in seeds
                ]
                enough = all(len(sample) >= needed for sample in samples)
                yield {
                    "label": group.label,
                    "point": group.point,
                    "shown": name,
                    "bytes": each.middle,
                    "least": each.low,
                    "most": each.high,
                    "flows": len(each.ordered),
                    "slowdown": significant(shown),
                    **interval(shown, [percentile(sample, permille) for sample in samples] if enough else []),
                }


def _cdf_rows(group: Group, most: int) -> Iterator[dict[str, Any]]:
    ordered, flows = times(group), sized(group).num_rows
    seeds = [(times(one), sized(one).num_rows) for one in by_seed(group) if sized(one).num_rows]
    for rank in distribution_ranks(len(ordered), most):
        share = (rank + 1) / flows
        yield {
            "label": group.label,
            "point": group.point,
            "fct": significant(ordered[rank] / 1e12),
            "share": significant(share),
            **interval(share, [bisect_right(those, ordered[rank]) / count for those, count in seeds], 1.0),
        }


def _no_completions(comparison: Comparison) -> str:
    why = comparison.results.why_empty("flows")
    if why:
        return why
    measured = sum(sized(group).num_rows for group in comparison.groups)
    if not measured:
        return "no measured flow has an end: all are endless, or started before the warm-up was over"
    return f"none of the {measured:,} measured flows completed before the run ended"


def _pooled(comparison: Comparison) -> str:
    """How seeds are shown."""
    seeds = confidence.told(comparison.seeds)
    bars = f"Bars are confidence intervals, where every seed has as many flows: {seeds}."
    return f"{comparison.pooled} {bars}" if seeds else ""


def _left_out(comparison: Comparison) -> str:
    """Which flows are missing from the slowdowns, if any are."""
    shares = [f"{label} {compact(100 * share)} %" for label, share in unfinished_shares(comparison).items()]
    return f"Flows unfinished when the run ended are left out: {', '.join(shares)}." if shares else ""
