"""What runs leave behind, as Arrow tables: a results folder, or runs kept in memory."""

from gossamer.results.collection import Results, UnknownRunError
from gossamer.results.manifest import Fault, Manifest, ResultsError, RunRecord
from gossamer.results.run import Run

__all__ = ["Fault", "Manifest", "Results", "ResultsError", "Run", "RunRecord", "UnknownRunError"]
