"""Which experiment checks which claim.

A paper's module makes a `Reproduction` for a claim and gives it two functions:

    fig10a = Reproduction("stardust", "fig10a-throughput", experiment="fig10a-throughput.toml")

    @fig10a.measure
    def mean_utilisation(results): ...

    @fig10a.plot
    def throughput_by_host(results, claim): ...
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim
    from gossamer.results import Results


@dataclass(frozen=True, slots=True)
class Measurement:
    """What an experiment found."""

    rows: Mapping[str, float]
    """Numbers by the claim's own names; under no name, "", where the claim is one number."""
    note: str = ""
    """What a reader of the number has to know: how it was taken, how it varies, why it deviates."""


Measure: TypeAlias = "Callable[[Results], Measurement]"
Plot: TypeAlias = "Callable[[Results, Claim], AnyChart]"
"""Draws the paper's figure from the results, with the paper's own numbers in it."""


@dataclass(slots=True)
class Reproduction:
    """How one claim is checked."""

    paper: str
    claim: str
    experiment: str
    """Experiment file in the paper's folder."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """Keys of it that `--quick` changes."""
    not_run: Mapping[str, str] = field(default_factory=dict)
    """Rows of the claim that the experiment does not give yet, and why."""
    measures: "Measure | None" = None
    plots: "Plot | None" = None

    def __post_init__(self) -> None:
        key = (self.paper, self.claim)
        if key in REPRODUCTIONS:
            raise ValueError(f"claim {self.claim!r} of {self.paper} is registered twice")
        REPRODUCTIONS[key] = self

    def measure(self, function: "Measure") -> "Measure":
        """Register the function that takes the claim's numbers from the results."""
        self.measures = function
        return function

    def plot(self, function: "Plot") -> "Plot":
        """Register the function that draws the figure."""
        self.plots = function
        return function


REPRODUCTIONS: dict[tuple[str, str], Reproduction] = {}
"""By paper and claim. Papers' modules fill it when they are imported."""
