"""How each claim is checked: by an experiment that is run, or by something that is computed.

The package of a paper, `papers/NAME/reproduction`, makes a `Reproduction` for a claim and gives it two functions:

    fig10a = Reproduction("stardust", "fig10a-throughput", experiment="fig10a-throughput.toml")

    @fig10a.measure
    def mean_utilisation(results): ...

    @fig10a.plot
    def throughput_by_host(results, claim): ...

A claim without an experiment file has a `Computation` instead. Its functions get what it computes in place of results:

    credit = Computation("stardust", "min-credit", "gossamer plan stardust", computes=lambda: plan("stardust"))

    @credit.measure
    def minimum_credit(found): ...
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim, Number
    from gossamer.reproduce.verdict import Requirement
    from gossamer.results import Results


@dataclass(frozen=True, slots=True)
class Measurement:
    """What an experiment or a computation found."""

    rows: "Mapping[str, float | bool]"
    """Numbers by the claim's own names; under no name, "", where the claim is one number; where it is a list, under
    names of their own, in the list's order."""
    note: str = ""
    """What a reader of the number has to know: how it was taken, how it varies, why it deviates."""
    stated: "Mapping[str, Number] | None" = None
    """What the paper says, by the names of `rows`, where that is a table which the claim's value leaves out."""
    required: "Mapping[str, Requirement]" = field(default_factory=dict)
    """What rows must be of which the claim's own value says nothing: how its words are read, decided before any run."""
    trends: Mapping[str, bool] = field(default_factory=dict)
    """What a claim describes in words, and whether it was seen; all of it must be."""


Found = TypeVar("Found")
Charts: TypeAlias = "AnyChart | Mapping[str, AnyChart]"
"""One figure, or several by what their files are called after the claim's id."""
Measure: TypeAlias = "Callable[[Results], Measurement]"
Plot: TypeAlias = "Callable[[Results, Claim], Charts]"
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
        register(self)

    def measure(self, function: "Measure") -> "Measure":
        """Register the function that takes the claim's numbers from the results."""
        self.measures = function
        return function

    def plot(self, function: "Plot") -> "Plot":
        """Register the function that draws the figure."""
        self.plots = function
        return function


@dataclass(slots=True)
class Computation(Generic[Found]):
    """How one claim is checked by computing alone: a closed form, or a model of one device. Takes seconds at most."""

    paper: str
    claim: str
    source: str
    """What computes it: a command that a person can type, or the name of a model."""
    computes: "Callable[..., Found]"
    """Is called without an argument; of a study with `threads`, and with what `--quick` changes."""
    not_run: Mapping[str, str] = field(default_factory=dict)
    """Rows of the claim that it does not give yet, and why."""
    beside: str | None = None
    """Experiment file in the paper's folder whose simulation the figure sets beside what is computed."""
    measures: "Callable[[Found], Measurement] | None" = None
    plots: "Callable[[Found, Claim], Charts] | None" = None

    def __post_init__(self) -> None:
        register(self)

    def measure(self, function: "Callable[[Found], Measurement]") -> "Callable[[Found], Measurement]":
        """Register the function that takes the claim's numbers from what was computed."""
        self.measures = function
        return function

    def plot(self, function: "Callable[[Found, Claim], Charts]") -> "Callable[[Found, Claim], Charts]":
        """Register the function that draws the figure."""
        self.plots = function
        return function


@dataclass(slots=True)
class Study(Computation[Found]):
    """How one claim is checked by many small simulations without an experiment file: of flows on topologies, say."""

    quick: Mapping[str, Any] = field(default_factory=dict)
    """Arguments with which `computes` is called for `--quick`."""


Method: TypeAlias = "Reproduction | Computation[Any]"
"""How one claim is checked."""


def register(method: Method) -> None:
    """Enter how a claim is checked; each claim has one method."""
    key = (method.paper, method.claim)
    if key in REPRODUCTIONS:
        raise ValueError(f"claim {method.claim!r} of {method.paper} is registered twice")
    REPRODUCTIONS[key] = method


REPRODUCTIONS: "dict[tuple[str, str], Method]" = {}
"""By paper and claim. Papers' packages fill it when they are loaded: ask `packages.methods`, which loads them."""
