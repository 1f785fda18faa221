"""Fastpod §5: a pod under load beside pFabric, DCTCP and Fastpass (Fig. 5).

Readings of the paper: papers/fastpod/README.md.
"""

import math
import statistics
from typing import TYPE_CHECKING, Any

from gossamer.reproduce.registry import Measurement, Reproduction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

    from .charts import AtLoad

EXPERIMENT = "fig5.toml"
LOAD = "workload.flows.load"
QUICK: dict[str, Any] = {f"sweep.{LOAD}": [0.4867, 0.9733], "workload.flows.flows": 2000}

slowdown = Reproduction("fastpod", "fig5a-slowdown", experiment=EXPERIMENT, quick=QUICK)
goodput = Reproduction("fastpod", "fig5b-goodput", experiment=EXPERIMENT, quick=QUICK)
latency = Reproduction("fastpod", "fig5c-latency", experiment=EXPERIMENT, quick=QUICK)

FASTPOD, NEAR_OPTIMAL = "fastpod", "pfabric"
FAR = ("dctcp", "fastpass")
"""What the paper finds far behind Fastpod and pFabric."""
PACKET, PAYLOAD = 1500, 1460
"""Bytes of a packet, and those of them that load counts in an experiment file (YAPS counts all of them)."""
HOSTS_PER_TOR = 4
SHORT = 10_000
"""§5: short flows are below 10 KB."""
HIGH = 0.8
"""Up to this load pFabric's tail is to stay near 1 (its paper's Fig. 8 ends there): 1.5 at most."""
NEAR = 1.5
FAR_HIGHER, ABOUT_AS, FROM = 1.5, 1.5, 0.5
"""How words are read, at every load from the third on: far higher is by the first factor or more, about the same by the
second or less."""
LINK_PS = 1_000_000
"""What a link is long, in time."""
SIMILAR = 0.1
"""Goodputs are similar that differ by no more than this share."""
INSIDE = "in-network latency"


def at_load(run: "Run") -> float:
    """What the paper calls the load: the links' share that packets take, headers included."""
    return round(float(str(run.sweep[LOAD])) * PACKET / PAYLOAD, 2)


def by_scheme(results: "Results") -> "dict[str, dict[float, Run]]":
    """The runs of each scheme by load, in the order of the file."""
    found: dict[str, dict[float, Run]] = {}
    for run in results:
        found.setdefault(str(run.variant), {})[at_load(run)] = run
    return found


def percentile(values: "Sequence[float]", share: float) -> float:
    """The value that this share of the values, in increasing order, does not exceed."""
    return values[min(int(len(values) * share), len(values) - 1)]


def short_flows(run: "Run") -> "list[dict[str, Any]]":
    """Flows below 10 KB: their time, and links from one end to the other where a flow takes the nearest switch."""
    flows = run.flows.select(["id", "src", "dst", "bytes", "fct_ps"]).to_pylist()
    return [
        {
            "id": flow["id"],
            "links": 2 if flow["src"] // HOSTS_PER_TOR == flow["dst"] // HOSTS_PER_TOR else 4,
            "took": math.inf if flow["fct_ps"] is None else flow["fct_ps"],
        }
        for flow in flows
        if flow["bytes"] < SHORT
    ]


def times_alone(run: "Run") -> dict[int, int]:
    """How long each flow takes alone, by flow."""
    return {flow["id"]: flow["ideal_ps"] for flow in run.flows.select(["id", "ideal_ps"]).to_pylist()}


def tails(results: "Results", *, back: bool = True, across: bool = False) -> dict[str, dict[float, float]]:
    """The 99th percentile of short flows' slowdown, by scheme and load. What has not ended never does.

    With `back`, both times have the way of the last acknowledgement in them, as YAPS counts; `across`: of flows between
    ToRs alone. What a flow takes alone is that of pFabric's network for all schemes: the same flows over links of the
    same rates and lengths, without an arbiter to ask.
    """
    runs = by_scheme(results)
    alone = {load: times_alone(run) for load, run in runs[NEAR_OPTIMAL].items()}

    def tail(run: "Run", load: float) -> float:
        flows = [flow for flow in short_flows(run) if flow["links"] == 4 or not across]
        added = [flow["links"] * LINK_PS if back else 0 for flow in flows]
        found = ((flow["took"] + way) / (alone[load][flow["id"]] + way) for flow, way in zip(flows, added, strict=True))
        return percentile(sorted(found), 0.99)

    return {scheme: {load: tail(run, load) for load, run in at.items()} for scheme, at in runs.items()}


def of(tail: "Mapping[float, float]") -> str:
    """Tails by load, in words."""
    return ", ".join(f"{value:.2f}" for value in tail.values())


@slowdown.measure
def short_flows_at_the_tail(results: "Results") -> Measurement:
    """Fastpod's largest tail of all loads; who is near whom."""
    found = tails(results)
    own, near = found[FASTPOD], found[NEAR_OPTIMAL]
    loads = [load for load in near if load >= FROM]
    highest = max(near)
    rows = {"": max(own.values()), **{f"{scheme}, load {highest:g}": at[highest] for scheme, at in found.items()}}
    trends = {
        f"pFabric's is at most {NEAR} up to a load of {HIGH} (its own paper)": all(
            tail <= NEAR for load, tail in near.items() if load <= HIGH
        ),
        "Fastpod's is about pFabric's": all(own[load] <= ABOUT_AS * near[load] for load in loads),
    }
    for scheme in (each for each in FAR if each in found):
        trends[f"{scheme}'s is far higher"] = all(found[scheme][load] >= FAR_HIGHER * own[load] for load in loads)
    each = "; ".join(f"{scheme} {of(at)}" for scheme, at in found.items())
    until = "; ".join(f"{scheme} {of(at)}" for scheme, at in tails(results, back=False).items())
    across = of(tails(results, back=False, across=True)[FASTPOD])
    note = (
        f"Of flows below 10 KB, at loads of {', '.join(f'{load:g}' for load in near)}, with the way of the last "
        f"acknowledgement in both times, as YAPS counts: {each}. Until the receiver has everything: {until}; of "
        f"Fastpod's between ToRs {across}: under one ToR a flow alone takes two links where Fastpod takes four, and "
        "the way to the arbiter and back comes on top"
    )
    return Measurement(rows, note, trends=trends)


@slowdown.plot
def fig_5a(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 5a."""
    from .charts import drawn_by_load

    rows: list[AtLoad] = [
        {"label": scheme, "load": load, "value": tail}
        for scheme, at in tails(results).items()
        for load, tail in at.items()
    ]
    told = f"§{claim.section}: flows below 10 KB; the paper has Fastpod at {claim.value} at most."
    return drawn_by_load(rows, "Fastpod Fig. 5a: 99th percentile of slowdown", "Slowdown", "ratio", told)


def arrivals_end(run: "Run") -> int:
    """When the last flow begins, in picoseconds."""
    return max(int(flow["start_ps"]) for flow in run.flows.select(["start_ps"]).to_pylist())


def goodput_of(run: "Run") -> float:
    """Payload that a host gets a second while flows arrive, in Gb/s."""
    end, hosts = arrivals_end(run), int(run.summary.to_pylist()[0]["hosts"])
    samples = [row["value"] for row in run.series.to_pylist() if row["series"] == "goodput" and row["time_ps"] <= end]
    return statistics.fmean(samples) / hosts / 1e9


def offered_to(run: "Run") -> float:
    """Payload that flows bring a host a second, in Gb/s."""
    brought = sum(size for size in run.flows.column("bytes").to_pylist() if size is not None)
    return float(brought * 8e3 / arrivals_end(run) / run.summary.to_pylist()[0]["hosts"])


@goodput.measure
def goodput_by_load(results: "Results") -> Measurement:
    """Payload a host and second while flows arrive; whether Fastpod's is like the others'."""
    runs = by_scheme(results)
    found = {scheme: {load: goodput_of(run) for load, run in at.items()} for scheme, at in runs.items()}
    rows = {f"{scheme}, load {load:g}": at[load] for scheme, at in found.items() for load in at if load == max(at)}
    like = found[FASTPOD]
    trends = {
        f"Fastpod's differs from {scheme}'s by at most {SIMILAR:.0%} at every load": all(
            abs(goodput / like[load] - 1) <= SIMILAR for load, goodput in at.items()
        )
        for scheme, at in found.items()
        if scheme != FASTPOD
    }
    each = (f"{scheme} {', '.join(f'{rate:.1f}' for rate in at.values())}" for scheme, at in found.items())
    note = (
        f"Gb/s of payload a host until the last flow begins, at loads of {', '.join(f'{load:g}' for load in like)}: "
        f"{'; '.join(each)}; flows bring {', '.join(f'{offered_to(run):.1f}' for run in runs[FASTPOD].values())}"
    )
    return Measurement(rows, note, trends=trends)


@goodput.plot
def fig_5b(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 5b."""
    from .charts import drawn_by_load

    rows: list[AtLoad] = [
        {"label": scheme, "load": load, "value": goodput_of(run) * 1e9}
        for scheme, at in by_scheme(results).items()
        for load, run in at.items()
    ]
    told = f"§{claim.section}: payload a host, until the last flow begins."
    return drawn_by_load(rows, "Fastpod Fig. 5b: average goodput", "Goodput", "b/s", told)


def at_full_load(results: "Results") -> "dict[str, Run]":
    """The run of each scheme at the highest load."""
    return {scheme: at[max(at)] for scheme, at in by_scheme(results).items()}


def latencies(run: "Run") -> list[tuple[int, int, int]]:
    """The distribution of data packets' latency from leaving their host on: bounds of buckets in ps, and packets."""
    rows = [row for row in run.histograms.to_pylist() if row["histogram"] == INSIDE and row["count"]]
    return sorted((row["lower"], row["upper"], row["count"]) for row in rows)


def share_of_one_tor(run: "Run") -> float:
    """Share of packets whose source and destination are under the same ToR."""
    inside, total = 0, 0
    for flow in run.flows.select(["src", "dst", "bytes"]).to_pylist():
        packets = -(-flow["bytes"] // PAYLOAD)
        total += packets
        inside += packets if flow["src"] // HOSTS_PER_TOR == flow["dst"] // HOSTS_PER_TOR else 0
    return inside / total


def share_faster(buckets: "Sequence[tuple[int, int, int]]", latency_ps: int) -> float:
    """Share of packets whose latency is below this: where the curves of Fig. 5c cross."""
    return sum(count for _, high, count in buckets if high <= latency_ps) / sum(count for *_, count in buckets)


@latency.measure
def latency_inside(results: "Results") -> Measurement:
    """Fastpod's jitter, and the share of its packets that take longer than those of the other schemes."""
    found = {scheme: latencies(run) for scheme, run in at_full_load(results).items()}
    own = found[FASTPOD]
    faster = {scheme: share_faster(buckets, own[0][0]) for scheme, buckets in found.items() if scheme != FASTPOD}
    rows: dict[str, float] = {"jitter": (own[-1][0] - own[0][0]) / 1e6, "longer_fraction": max(faster.values())}
    trends = {}
    parts = []
    for scheme, buckets in found.items():
        median, tail = (at_rank(buckets, share) / 1e6 for share in (0.5, 0.99))
        parts.append(f"{scheme} {median:.2f} us, {tail:.2f} us and {buckets[-1][0] / 1e6:.2f} us")
        if scheme != FASTPOD:
            trends[f"packets of {scheme} wait at switches"] = tail > median
    shorter = ", ".join(f"{scheme}'s {share:.1%}" for scheme, share in faster.items())
    note = (
        "From a packet's leaving its host to its arrival, at the highest load, median, 99 % and most, to 0.4 %: "
        f"{'; '.join(parts)}. Faster than Fastpod's are, of {shorter}; the row is the largest. "
        f"{share_of_one_tor(at_full_load(results)[FASTPOD]):.1%} of the packets stay under one ToR, where two links "
        "are enough; some of them wait at the port of their host. Jitter in us"
    )
    return Measurement(rows, note, trends=trends)


def at_rank(buckets: "Sequence[tuple[int, int, int]]", share: float) -> int:
    """The lower bound of the bucket in which this share of the values is reached."""
    below, total = 0, sum(count for *_, count in buckets)
    for low, _, count in buckets:
        below += count
        if below >= share * total:
            return low
    raise ValueError("no packet arrived")


@latency.plot
def fig_5c(results: "Results", claim: "Claim") -> "AnyChart":
    """Fig. 5c."""
    from .charts import drawn_as_shares

    distributions = {scheme: latencies(run) for scheme, run in at_full_load(results).items()}
    told = f"§{claim.section}: data packets, from leaving their host to their arrival, at the highest load."
    return drawn_as_shares(distributions, "Fastpod Fig. 5c: latency of packets", told)
