"""AN3 §8.3: the two phases of a sort. How they are read is in papers/an3/README.md."""

from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

ALL_TO_ALL, CONTAINER, ALL_TO_MANY = "all-to-all.toml", "all-to-all-1408.toml", "all-to-many.toml"
SMALLER = {"topology.networks": 3}

order = Reproduction("an3", "fig15-order", experiment=ALL_TO_ALL, quick=SMALLER)
losses = Reproduction("an3", "no-loss", experiment=ALL_TO_ALL, quick=SMALLER)
container = Reproduction("an3", "all-to-all-1408", experiment=CONTAINER, quick=SMALLER)
many = Reproduction("an3", "all-to-many", experiment=ALL_TO_MANY, quick=SMALLER)


def by_variant(results: "Results") -> dict[str, "Run"]:
    """Runs by the names of their variants."""
    return {str(run.variant): run for run in results}


def total_ms(run: "Run") -> float:
    """From the first flow's start to the last one's end."""
    flows = run.flows.to_pylist()
    ended = [flow["end_ps"] for flow in flows]
    if None in ended:
        raise ValueError(f"{run.name}: {ended.count(None)} of {len(ended)} flows have not ended")
    return float(max(ended) - min(flow["start_ps"] for flow in flows)) / 1e9


def counted(run: "Run", counter: str) -> float:
    """What the network has counted."""
    return next(float(row["value"]) for row in run.counters.to_pylist() if row["counter"] == counter)


def requests(run: "Run") -> str:
    """What became of requests, in words."""
    asked, refused = counted(run, "circuits asked for"), counted(run, "refused before they were acknowledged")
    return f"{asked:,.0f} requests, {refused / asked:.0%} of them refused"


@order.measure
def same_order(results: "Results") -> Measurement:
    """The time that all files take if all hosts send in the same order, of what it is if each has its own."""
    runs = by_variant(results)
    random, fixed, grown = (runs[name] for name in ("random order", "fixed order", "random order, growth"))
    return Measurement(
        {"": total_ms(fixed) / total_ms(random)},
        f"{total_ms(random):.2f} ms in random order ({requests(random)}), {total_ms(fixed):.2f} ms in the same one "
        f"({requests(fixed)}); with growth {total_ms(grown):.2f} ms",
    )


@losses.measure
def lost(results: "Results") -> Measurement:
    """Chunks that were lost on circuits that reached their destination, and flows that did not come whole and once.

    Cells have no queue that could overflow, so drops are 0 whatever the network does: what congestion could cost is
    data that is sent again. Chunks of circuits that were refused farther on are sent again by design (§3.1); any other
    would be lost to congestion.
    """
    ended = []
    for run in results:
        summary = run.summary.to_pylist()[0]
        ended.append(summary["flows_completed"] == summary["flows_started"])
    lost = sum(counted(run, "of these, after their circuit was whole") for run in results)
    later = sum(counted(run, "refused after they were acknowledged") for run in results)
    again = sum(counted(run, "chunks sent again") for run in results)
    return Measurement(
        {"": lost},
        f"{later:.0f} circuits were refused after their source had begun to send, and {again:.0f} chunks sent again, "
        f"{lost:.0f} of them of circuits that had reached their destination",
        trends={"every flow arrives, once": all(ended)},
    )


@container.measure
def whole_container(results: "Results") -> Measurement:
    """The time that all files take, beside that of their bytes alone over the two links of each L0 network.

    As the paper counts it: all files of 22 NICs, also those that stay in the L0 network, at 10 Gb/s, and no control
    cells.
    """
    run = next(iter(results))
    total, flows = total_ms(run), run.flows.to_pylist()
    hosts = len({flow["src"] for flow in flows})
    pure = sum(int(flow["bytes"]) for flow in flows) * 8 / (hosts / 22 * 2 * 10e9) * 1e3
    return Measurement(
        {"total_ms": total, "pure_ms": pure, "efficiency": pure / total},
        f"{hosts:,} hosts, {len(flows):,} files; {requests(run)}",
    )


@many.measure
def growth(results: "Results") -> Measurement:
    """How many times sooner all copies are there with further circuits for flows that are being sent."""
    runs = by_variant(results)
    single, grown = total_ms(runs["one circuit"]), total_ms(runs["growth"])
    return Measurement(
        {"": single / grown},
        f"{single:.2f} ms with a circuit for each copy, {grown:.2f} ms with further ones: "
        f"{counted(runs['growth'], 'circuits beside another of their flow'):,.0f} were asked for",
    )


def drawn_times(results: "Results", claim: "Claim", title: str) -> "AnyChart":
    """How long all flows of each run take."""
    from .charts import drawn_bars

    rows: list[Bar] = [
        {"place": str(run.variant), "label": "AN3", "value": total_ms(run) / 1e3, "expected": None} for run in results
    ]
    told = f"§{claim.section}: from the first flow's start to the last one's end."
    return drawn_bars(rows, "ps", "All flows", "fabric", title, told)


@container.plot
def time_of_container(results: "Results", claim: "Claim") -> "AnyChart":
    """How long the files of a whole container take."""
    return drawn_times(results, claim, "AN3 §8.3: 10 KB from everybody to everybody, a whole container")


@order.plot
def times_by_order(results: "Results", claim: "Claim") -> "AnyChart":
    """How long the sort's files take."""
    return drawn_times(results, claim, "AN3 §8.3: 10 KB from everybody to everybody")


@losses.plot
def requests_by_order(results: "Results", claim: "Claim") -> "AnyChart":
    """Requests, and those that were refused: what a network of circuits does where others drop."""
    from .charts import drawn_bars

    counters = {"asked for": "circuits asked for", "refused": "refused before they were acknowledged"}
    rows: list[Bar] = [
        {"place": str(run.variant), "label": label, "value": counted(run, counter), "expected": None}
        for run in results
        for label, counter in counters.items()
    ]
    told = f"§{claim.section}: requests for circuits. Nothing that has a circuit is dropped."
    return drawn_bars(rows, "count", "Requests", "requests", "AN3 §8.3: requests that are refused", told)


@many.plot
def times_by_growth(results: "Results", claim: "Claim") -> "AnyChart":
    """How long the copies take."""
    return drawn_times(results, claim, "AN3 §8.3: 50 KB from everybody to two others")
