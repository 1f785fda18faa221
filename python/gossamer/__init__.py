"""Gossamer: a laboratory for data-centre fabrics.

    import gossamer

    results = gossamer.run("experiments/quickstart.toml")
    results.summary                     # a row a run, as an Arrow table

Files and their keys: `gossamer reference`. Tables and their columns: docs/results.md.
"""

from gossamer._native import version
from gossamer.api import Plan, Progress, Running, check, load, run, start
from gossamer.errors import InputError
from gossamer.experiment import Experiment
from gossamer.plan import plan
from gossamer.reproduce import reproduce
from gossamer.results import Results, ResultsError, Run

__all__ = [
    "Experiment",
    "InputError",
    "Plan",
    "Progress",
    "Results",
    "ResultsError",
    "Run",
    "Running",
    "__version__",
    "check",
    "load",
    "plan",
    "reproduce",
    "run",
    "start",
]

__version__ = version()
