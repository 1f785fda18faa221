"""AN3 §3.1: whatever fails, flows arrive and slots are given back. How it is read is in papers/an3/README.md."""

from collections import defaultdict
from typing import TYPE_CHECKING

from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.reproduce.verdict import Requirement

from .sort import counted

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.bars import Bar
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results, Run

verified = Reproduction("an3", "protocol-verified", experiment="faults.toml", quick={"sweep.seed": [1, 2]})

CHECK = "cargo test -p an3 --test control_model"


def is_well(run: "Run") -> bool:
    """Whether everything has come, and nobody holds a slot any more."""
    has_come = all(flow["end_ps"] is not None for flow in run.flows.to_pylist())
    return has_come and counted(run, "slots that circuits have at the end") == 0


@verified.measure
def all_is_well(results: "Results") -> Measurement:
    """Runs in which every flow has arrived and no slot is kept, of each kind of failure."""
    runs: dict[str, list[Run]] = defaultdict(list)
    for run in results:
        runs[str(run.variant)].append(run)
    torn = ", ".join(
        f"{name} {sum(counted(run, 'circuits torn down for something broken') for run in of):,.0f}"
        for name, of in runs.items()
        if name != "nothing"
    )
    return Measurement(
        {name: sum(is_well(run) for run in of) for name, of in runs.items()},
        f"Runs, of {max(map(len, runs.values()))} each. Circuits torn down in them: {torn}. A NIC that stops comes "
        "back, and TCP sends again what its host had handed over. A model checker goes through every order of control "
        f"cells, losses and failures in small networks, with the same devices ({CHECK})",
        required={name: Requirement("eq", len(of)) for name, of in runs.items()},
    )


@verified.plot
def drawn(results: "Results", claim: "Claim") -> "AnyChart":
    """Circuits that each failure ends, on average."""
    from .charts import drawn_bars

    torn: dict[str, list[float]] = defaultdict(list)
    for run in results:
        if run.variant != "nothing":
            torn[str(run.variant)].append(counted(run, "circuits torn down for something broken"))
    rows: list[Bar] = [
        {"place": name, "label": "AN3", "value": sum(values) / len(values), "expected": None}
        for name, values in torn.items()
    ]
    told = f"§{claim.section}. Means over seeds; every flow has arrived, or the verdict says where not."
    return drawn_bars(rows, "count", "Circuits torn down", "circuits", "AN3 §3.1: what a failure ends", told)
