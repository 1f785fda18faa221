"""Figures of results, as Altair charts.

    from gossamer import plots
    plots.fct_slowdown(results)                       # in a notebook
    plots.save_chart(plots.link_map(results), "links.pdf")
    plots.save(results, "plots")                      # all of them, as PNG, SVG and PDF
    plots.save_figure(results, "fct-cdf", "plots")    # one, as wide as the column of a paper

A figure that has no data raises `NoData`, which says why in one line. Colours belong to variants and are the same in
all figures; `theme` is light or dark. A chart carries at most about 5000 points, gathered beforehand.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gossamer.plots.drawn import (
        FIGURES,
        NoData,
        Saved,
        ThemeName,
        fct_cdf,
        fct_slowdown,
        inside,
        latency,
        link_map,
        link_ranks,
        operations,
        queues,
        save,
        save_chart,
        save_figure,
        sweep,
        throughput_cdf,
        throughput_rank,
        time_series,
        topology,
    )

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


def __getattr__(name: str) -> Any:
    """What is asked for. Altair takes longer to load than most commands to run, and they need only `quantities`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("gossamer.plots.drawn"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
