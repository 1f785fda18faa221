"""Why a number of a group must not be compared with that of another group."""

from gossamer.analysis.comparison import Group
from gossamer.analysis.metrics import Metric, completed, completed_by
from gossamer.results import Run

__all__ = ["weakness", "why_bound"]


def why_bound(group: Group, metric: Metric) -> str:
    """Why a number that is a lower bound is only that."""
    if metric.bound == "operations":
        return "some operations had not finished when the run ended: this is of those that had"
    share = completed_by(group)
    count = share.unfinished if share else 0
    flows = "1 flow" if count == 1 else f"{count:,} flows"
    return f"a lower bound: {flows} had not finished when the run ended, and could raise it"


def weakness(group: Group, metric: Metric) -> str:
    """Why a number must not be compared with those of other groups, empty if it may be."""
    if metric.least_flows and any(_flows(run) < metric.least_flows for run in group.runs):
        return f"of fewer than {metric.least_flows} flows: this is the slowest of them"
    return ""


def _flows(run: Run) -> int:
    share = completed([run])
    return share.started if share else 0
