"""Each figure as a function of the results: what `gossamer.plots` offers."""

from gossamer.analysis.comparison import Comparison
from gossamer.analysis.quantities import Kind
from gossamer.plots.canvas import AnyChart, Canvas, NoData
from gossamer.plots.completion import draw_fct_cdf, draw_slowdown
from gossamer.plots.distributions import draw_latency, draw_own, draw_queues
from gossamer.plots.export import Saved, save, save_chart, save_figure
from gossamer.plots.figures import FIGURES
from gossamer.plots.links import draw_link_map, draw_link_ranks
from gossamer.plots.operations import draw_bandwidth, draw_times
from gossamer.plots.series import draw_series
from gossamer.plots.sweeps import draw_sweep
from gossamer.plots.themes import ThemeName
from gossamer.plots.throughput import draw_throughput_cdf, draw_throughput_rank
from gossamer.plots.tiers import draw_topology
from gossamer.results import Results

__all__ = [
    "FIGURES",
    "NoData",
    "Saved",
    "ThemeName",
    "fct_cdf",
    "fct_slowdown",
    "inside",
    "latency",
    "link_map",
    "link_ranks",
    "operations",
    "queues",
    "save",
    "save_chart",
    "save_figure",
    "sweep",
    "throughput_cdf",
    "throughput_rank",
    "time_series",
    "topology",
]


def fct_slowdown(results: Results, *, theme: ThemeName = "light") -> AnyChart:
    """FCT slowdown (a ratio) against flow size (bytes) at p50, p99 and p99.9; see `docs/results.md` for the bins.

    Raises:
        NoData: no measured flow completed.
    """
    canvas = Canvas(theme)
    return draw_slowdown(Comparison.of(results), canvas).finish(canvas)


def fct_cdf(results: Results, *, theme: ThemeName = "light") -> AnyChart:
    """Share of flows that completed within each time (seconds), unfinished flows counted in.

    Raises:
        NoData: no measured flow completed.
    """
    canvas = Canvas(theme)
    return draw_fct_cdf(Comparison.of(results), canvas).finish(canvas)


def throughput_rank(results: Results, *, theme: ThemeName = "light") -> AnyChart:
    """Throughput of every flow (b/s), the slowest first, as in figures of permutation traffic.

    Raises:
        NoData: no flow was active within the measured window.
    """
    canvas = Canvas(theme)
    return draw_throughput_rank(Comparison.of(results), canvas).finish(canvas)


def throughput_cdf(results: Results, *, theme: ThemeName = "light") -> AnyChart:
    """Share of flows with at most each throughput (b/s).

    Raises:
        NoData: no flow was active within the measured window.
    """
    canvas = Canvas(theme)
    return draw_throughput_cdf(Comparison.of(results), canvas).finish(canvas)


def latency(results: Results, *, theme: ThemeName = "light") -> AnyChart:
    """Share of data frames with more than each latency (seconds), on a log axis.

    Raises:
        NoData: no data frame arrived within the measured window.
    """
    canvas = Canvas(theme)
    return draw_latency(Comparison.of(results), canvas).finish(canvas)


def queues(results: Results, scope: str | None = None, *, theme: ThemeName = "light") -> AnyChart:
    """Share of samples with queues longer than each length (bytes), of the links of a class and direction.

    `scope` is shown first, such as "edge-aggregation up"; else the links with the longest queues.

    Raises:
        NoData: no queue was measured.
    """
    canvas = _canvas(theme, scope)
    return draw_queues(Comparison.of(results), canvas).finish(canvas)


def inside(results: Results, kind: Kind, scope: str | None = None, *, theme: ThemeName = "light") -> AnyChart:
    """Share above each value in the distributions that a kind of fabric keeps by itself, such as latencies of cells.

    `kind` says which: times ("ps"), sizes ("B") or counts ("count"). `scope` is shown first, by its name.

    Raises:
        NoData: no fabric keeps such a distribution.
    """
    canvas = _canvas(theme, scope)
    return draw_own(Comparison.of(results), canvas, kind).finish(canvas)


def time_series(results: Results, series: str, scope: str | None = None, *, theme: ThemeName = "light") -> AnyChart:
    """`series` (goodput in b/s, queue in bytes, utilisation as a fraction) over simulated time (seconds).

    `scope` is shown first: "all", a class and direction, or a watched link.

    Raises:
        NoData: that series was not sampled.
    """
    canvas = _canvas(theme, scope)
    return draw_series(Comparison.of(results), canvas, series).finish(canvas)


def link_map(results: Results, variant: str | None = None, *, theme: ThemeName = "light") -> AnyChart:
    """Load of every link by class, direction and switch: utilisation, longest queue or drops; `variant` is shown first.

    Raises:
        NoData: no link was measured.
    """
    canvas = Canvas(theme, initial={"label": variant} if variant else None)
    return draw_link_map(Comparison.of(results), canvas).finish(canvas)


def topology(results: Results, variant: str | None = None, *, theme: ThemeName = "light") -> AnyChart:
    """The network in tiers, its nodes and cables coloured by their load; `variant` is shown first.

    Raises:
        NoData: no link was measured, or the network is too large to be drawn.
    """
    canvas = Canvas(theme, initial={"label": variant} if variant else None)
    return draw_topology(Comparison.of(results), canvas).finish(canvas)


def operations(results: Results, *, bandwidth: bool = False, theme: ThemeName = "light") -> AnyChart:
    """Completion time (seconds) of each operation in order, or its bus bandwidth (b/s).

    Raises:
        NoData: no workload has operations, or none completed.
    """
    canvas = Canvas(theme)
    return (draw_bandwidth if bandwidth else draw_times)(Comparison.of(results), canvas).finish(canvas)


def link_ranks(results: Results, scope: str | None = None, *, theme: ThemeName = "light") -> AnyChart:
    """Utilisation (a fraction) of the links of one class and direction, the idlest first; `scope` is shown first.

    Raises:
        NoData: no link was measured.
    """
    canvas = _canvas(theme, scope)
    return draw_link_ranks(Comparison.of(results), canvas).finish(canvas)


def sweep(
    results: Results, metric: str = "slowdown_p99", axis: str | None = None, *, theme: ThemeName = "light"
) -> AnyChart:
    """A column of the summary against a swept axis (the first one unless named), a line for each variant.

    Raises:
        InputError: no metric has that name; the message names the nearest.
        NoData: nothing is swept, or no run has that metric.
    """
    canvas = Canvas(theme)
    return draw_sweep(Comparison.of(results), canvas, metric, axis).finish(canvas)


def _canvas(theme: ThemeName, scope: str | None) -> Canvas:
    return Canvas(theme, initial={"scope": scope} if scope else None)
