"""Stardust (NSDI 2019): the claims that have an experiment.

How each is set up, and where the paper leaves something open, is in papers/stardust/README.md.
"""

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import stated_interval

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results

LINE_RATE_BPS = 10e9

fig10a = Reproduction(
    "stardust",
    "fig10a-throughput",
    experiment="fig10a-throughput.toml",
    quick={"duration": "60 ms", "warmup": "20 ms", "sweep.seed": [1]},
    not_run={
        "stardust_mean": "the Stardust fabric is not built yet",
        "stardust_gbps_on_96_percent": "the Stardust fabric is not built yet",
        "dcqcn_mean": "DCQCN is not built yet",
        "mptcp_mean": "MPTCP is not built yet",
    },
)


@fig10a.measure
def mean_utilisation(results: "Results") -> Measurement:
    """Mean over all hosts of what they receive, over their links' rate; the mean over the permutations drawn."""
    means = [row["host_utilisation"] for row in results.summary.to_pylist() if row["transport"] == "dctcp"]
    note = ""
    if len(means) > 1:
        note = f"Mean over {len(means)} permutations, which range from {min(means):.3f} to {max(means):.3f}"
    return Measurement({"dctcp_mean": statistics.fmean(means)}, note)


@fig10a.plot
def throughput_by_host(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 10a: the hosts' throughput in increasing order, and the means that the paper states as lines."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, ink
    from gossamer.plots.comparison import Comparison
    from gossamer.plots.throughput import draw_throughput_rank

    canvas = Canvas()
    colour = ink(canvas.theme)
    stated = {"stardust_mean": "Stardust", "mptcp_mean": "MPTCP", "dctcp_mean": "DCTCP", "dcqcn_mean": "DCQCN"}
    lines = [
        # The means of DCTCP and DCQCN are so close that one of them has its name below.
        {
            "goodput": LINE_RATE_BPS * float(claim.rows[row]),
            "text": f"{name} in the paper: {claim.rows[row]:g}",
            "below": row == "dcqcn_mean",
        }
        for row, name in stated.items()
    ]
    paper = alt.Chart(alt.InlineData(values=lines))
    rules = paper.mark_rule(strokeDash=[6, 4], color=colour, opacity=0.6).encode(y="goodput:Q")
    names = [
        paper.transform_filter(f"datum.below === {below}")
        .mark_text(align="left", dx=6, dy=shift, color=colour)
        .encode(y="goodput:Q", x=alt.value(0), text="text:N")
        for below, shift in (("false", -6), ("true", 9))
    ]
    mean = mean_utilisation(results).rows["dctcp_mean"]
    found = {"goodput": LINE_RATE_BPS * mean, "text": f"DCTCP as measured: {mean:.3f} of the line rate"}
    measured = alt.Chart(alt.InlineData(values=[found]))
    rule = measured.mark_rule(strokeWidth=1.5, color=colour).encode(y="goodput:Q")
    away = -7 if mean > float(claim.rows["dctcp_mean"]) else 10  # from the line that the paper states
    name = measured.mark_text(align="right", dx=-6, dy=away, fontWeight="bold", color=colour).encode(
        y="goodput:Q", x=alt.value("width"), text="text:N"
    )
    drawing = draw_throughput_rank(Comparison.of(results), canvas)
    return replace(
        drawing,
        chart=drawing.chart + rules + names[0] + names[1] + rule + name,
        title="Stardust Fig. 10a: throughput under a random permutation of 432 hosts",
        subtitle=f"Level lines are means; dashed: as the paper states them. {drawing.subtitle}",
    ).finish(canvas)


ecmp = Reproduction(
    "stardust",
    "ecmp-utilisation",
    experiment="ecmp-utilisation.toml",
    quick={"duration": "40 ms", "sweep.seed": [1, 2]},
)


@ecmp.measure
def bisection_use(results: "Results") -> Measurement:
    """Share of the full bisection that permutations use, by size of the tree; the mean over the permutations."""
    by_hosts: dict[int, list[float]] = {}
    for row in results.summary.to_pylist():
        by_hosts.setdefault(row["hosts"], []).append(row["host_utilisation"])
    rows = {f"{hosts} hosts": statistics.fmean(shares) for hosts, shares in sorted(by_hosts.items())}
    every = [share for shares in by_hosts.values() for share in shares]
    return Measurement(
        rows,
        f"Means over permutations, by size of the tree; the {len(every)} permutations by themselves range from "
        f"{min(every):.3f} to {max(every):.3f}",
    )


@ecmp.plot
def use_by_size(results: "Results", claim: "Claim") -> "AnyChart":
    """Every permutation as a point, with the band that the paper states."""
    import altair as alt

    from gossamer.plots.canvas import Canvas, Drawing, axis, ink

    canvas = Canvas()
    low, high = stated_interval(claim) or (0.0, 1.0)
    band = (
        alt.Chart(alt.InlineData(values=[{"low": low, "high": high}]))
        .mark_rect(opacity=0.12, color=ink(canvas.theme))
        .encode(y=alt.Y("low:Q"), y2="high:Q")
    )
    points = results.summary.select(["hosts", "seed", "host_utilisation"]).to_pylist()
    marks = (
        alt.Chart(alt.InlineData(values=points))
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("hosts:O", title="Hosts in the fat-tree", axis=alt.Axis(labelAngle=0)),
            y=alt.Y(
                "host_utilisation:Q",
                title="Share of the bisection in use",
                axis=axis("fraction"),
                scale=alt.Scale(domain=[0, 1]),
            ),
        )
    )
    return Drawing(
        band + marks,
        "Stardust §5.3: what flow hashing leaves of the bisection",
        f"NewReno under random permutations, a point each. Shaded: {low:.0%} to {high:.0%}, as the paper states.",
    ).finish(canvas)
