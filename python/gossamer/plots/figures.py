"""The figures there are, by name. To add one: a module that draws it, and a line here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from gossamer.analysis.comparison import Comparison
from gossamer.plots.canvas import Canvas, Drawing, NoData, unchecked
from gossamer.plots.completion import draw_fct_cdf, draw_slowdown
from gossamer.plots.distributions import draw_latency, draw_own, draw_queues
from gossamer.plots.links import draw_link_map, draw_link_ranks
from gossamer.plots.operations import draw_bandwidth, draw_times
from gossamer.plots.series import draw_own_series, draw_series
from gossamer.plots.sweeps import draw_sweep, draw_sweep_map
from gossamer.plots.throughput import draw_throughput_cdf, draw_throughput_rank
from gossamer.plots.tiers import draw_topology

__all__ = ["FIGURES", "Drawn", "Figure", "Missing", "draw_all"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report."""

    name: str
    """Name of its files."""
    title: str
    """In a few words, for the line that says why it is missing."""
    section: str
    """Heading under which the report puts it."""
    draw: Callable[[Comparison, Canvas], Drawing]
    wide: bool = False
    """Takes the whole width of the page."""


FIGURES: tuple[Figure, ...] = (
    Figure("sweep-throughput", "utilisation over the sweep", "Sweep", partial(draw_sweep, key="host_utilisation")),
    Figure("sweep-drops", "drops over the sweep", "Sweep", partial(draw_sweep, key="dropped_frames")),
    Figure("sweep-slowdown", "slowdown over the sweep", "Sweep", partial(draw_sweep, key="slowdown_p99"), wide=True),
    Figure("sweep-map", "heat map of the sweep", "Sweep", draw_sweep_map, wide=True),
    Figure("operations", "completion time of operations", "Operations", draw_times, wide=True),
    Figure("operations-bandwidth", "bandwidth of operations", "Operations", draw_bandwidth, wide=True),
    Figure("slowdown", "FCT slowdown", "Flow completion", draw_slowdown, wide=True),
    Figure("fct-cdf", "flow completion times", "Flow completion", draw_fct_cdf, wide=True),
    Figure("throughput-rank", "throughput per flow", "Throughput", draw_throughput_rank),
    Figure("throughput-cdf", "distribution of throughput", "Throughput", draw_throughput_cdf),
    Figure("latency", "frame latency", "Latency and queues", draw_latency),
    Figure("queues", "queue length", "Latency and queues", draw_queues),
    Figure("fabric-times", "times inside the fabric", "Inside the fabric", partial(draw_own, kind="ps")),
    Figure("fabric-sizes", "sizes inside the fabric", "Inside the fabric", partial(draw_own, kind="B")),
    Figure("fabric-counts", "counts inside the fabric", "Inside the fabric", partial(draw_own, kind="count")),
    Figure("goodput-series", "goodput over time", "Over time", partial(draw_series, series="goodput"), wide=True),
    Figure("held-series", "bytes held over time", "Over time", partial(draw_series, series="held")),
    Figure("queue-series", "queues over time", "Over time", partial(draw_series, series="queue")),
    Figure("utilisation-series", "utilisation over time", "Over time", partial(draw_series, series="utilisation")),
    Figure("fabric-series", "series of the fabric's own", "Over time", draw_own_series),
    Figure("topology", "drawing of the topology", "Links", draw_topology, wide=True),
    Figure("link-map", "link map", "Links", draw_link_map, wide=True),
    Figure("link-ranks", "balance between links", "Links", draw_link_ranks, wide=True),
)
"""In the order of the report."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure that has data."""

    figure: Figure
    drawing: Drawing


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure that has none, and why."""

    figure: Figure
    reason: str


def draw_all(comparison: Comparison, canvas: Canvas) -> Iterator[Drawn | Missing]:
    """Every figure, or why there is none."""
    for figure in FIGURES:
        try:
            with unchecked():
                drawing = figure.draw(comparison, canvas)
            yield Drawn(figure, drawing)
        except NoData as reason:
            yield Missing(figure, str(reason))
