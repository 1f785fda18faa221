"""The transports of Figs. 10a to 10c: which the paper has, and how often they sent again and were paused.

How each is set up: papers/stardust/README.md.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.results import Results

IN_THE_PAPER = ("stardust", "dctcp", "mptcp", "dcqcn")
"""Variants that the paper's figures draw; DCQCN is not in Fig. 10c (App. G)."""
OURS = ("dctcp over pfc", "ndp")
"""Variants that it does not draw."""
NAMES = (*IN_THE_PAPER, *OURS)
OURS_TOLD = "dctcp over pfc is what NDP's package takes for DCQCN; ndp is ours, App. G leaves it out"


def resent(results: "Results", variant: str) -> int:
    """Packets that hosts sent again in the measured time of all of a variant's runs."""
    return sum(row["retransmits"] for row in results.summary.to_pylist() if row["variant"] == variant)


def paused_share(results: "Results", variant: str) -> float:
    """The share of the measured time for which a link was paused, the mean over a variant's links and runs."""
    measured_ps = {row["run"]: row["measured_ps"] for row in results.summary.to_pylist()}
    runs = [run for run in results if run.variant == variant]
    paused = sum(row["paused_ps"] for run in runs for row in run.links.to_pylist())
    return float(paused / sum(run.links.num_rows * measured_ps[run.name] for run in runs))


def timeouts(results: "Results", variant: str) -> int:
    """Retransmission timeouts of all of a variant's runs."""
    return sum(row["timeouts"] for row in results.summary.to_pylist() if row["variant"] == variant)
