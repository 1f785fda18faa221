"""Stardust (SIGCOMM 2019): the claims that have an experiment.

How each is set up, and where the paper leaves something open, is in papers/stardust/README.md.
"""

import statistics
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import stated_interval

if TYPE_CHECKING:
    import altair as alt

    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

GBPS = 1e9

fig10a = Reproduction(
    "stardust",
    "fig10a-throughput",
    experiment="fig10a-throughput.toml",
    quick={"duration": "60 ms", "warmup": "20 ms", "sweep": {"seed": [1]}},
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
        note = f"Mean over {len(means)} permutations, from {min(means):.3f} to {max(means):.3f}"
    return Measurement({"dctcp_mean": statistics.fmean(means)}, note)


def goodputs(run: "Run") -> list[float]:
    """What each flow, and so each host, received in the measured window, in b/s."""
    return [float(value) for value in run.flows["goodput_bps"].to_pylist() if value is not None]


@fig10a.plot
def throughput_by_host(results: "Results", claim: "Claim") -> "alt.LayerChart | alt.FacetChart":
    """Fig. 10a: every host's throughput in increasing order, and the means that the paper states as lines."""
    import altair as alt

    stated = {"stardust_mean": "Stardust", "mptcp_mean": "MPTCP", "dctcp_mean": "DCTCP", "dcqcn_mean": "DCQCN"}
    curves = [
        {"host": place, "throughput": goodput / GBPS, "permutation": f"DCTCP, seed {run.record.seed}"}
        for run in results
        for place, goodput in enumerate(sorted(goodputs(run)))
    ]
    lines = [
        {"mean": 10 * float(claim.rows[row]), "paper": f"{name}: {float(claim.rows[row]):g} of 10 Gb/s"}
        for row, name in stated.items()
    ]
    measured = (
        alt.Chart(alt.InlineData(values=curves))
        .mark_line()
        .encode(
            x=alt.X("host:Q", title="host, in order of throughput"),
            y=alt.Y("throughput:Q", title="throughput [Gb/s]", scale=alt.Scale(domain=[0, 10])),
            color=alt.Color("permutation:N", title="measured"),
        )
    )
    paper = alt.Chart(alt.InlineData(values=lines))
    rules = paper.mark_rule(strokeDash=[6, 4], color="#777").encode(y="mean:Q")
    labels = paper.mark_text(align="left", dx=4, dy=-5, color="#555").encode(y="mean:Q", x=alt.value(0), text="paper:N")
    return alt.layer(measured, rules, labels).properties(
        width=560,
        height=340,
        title=alt.Title(
            "Throughput of each host under a random permutation, 432-host fat-tree",
            subtitle="Stardust Fig. 10a. Dashed: the means that the paper states",
        ),
    )


ecmp = Reproduction(
    "stardust",
    "ecmp-utilisation",
    experiment="ecmp-utilisation.toml",
    quick={"duration": "40 ms", "sweep": {"seed": [1, 2]}},
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
        f"Mean over permutations by size of the tree; the {len(every)} permutations by themselves use "
        f"{min(every):.2f} to {max(every):.2f}",
    )


@ecmp.plot
def use_by_size(results: "Results", claim: "Claim") -> "alt.LayerChart | alt.FacetChart":
    """Every permutation as a point, with the band that the paper states."""
    import altair as alt

    points = results.summary.select(["hosts", "seed", "host_utilisation"]).to_pylist()
    low, high = stated_interval(claim) or (0.0, 1.0)
    band = (
        alt.Chart(alt.InlineData(values=[{"low": low, "high": high}]))
        .mark_rect(opacity=0.15, color="#777")
        .encode(y=alt.Y("low:Q"), y2="high:Q")
    )
    marks = (
        alt.Chart(alt.InlineData(values=points))
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("hosts:O", title="hosts in the fat-tree"),
            y=alt.Y("host_utilisation:Q", title="share of the bisection in use", scale=alt.Scale(domain=[0, 1])),
            tooltip=["hosts:O", "seed:N", "host_utilisation:Q"],
        )
    )
    return alt.layer(band, marks).properties(
        width=360,
        height=340,
        title=alt.Title(
            "Random permutations over flow-hashed Ethernet",
            subtitle=f"Stardust §5.3. Shaded: the paper's {100 * low:.0f} % to {100 * high:.0f} %",
        ),
    )
