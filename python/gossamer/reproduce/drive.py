"""Running or computing what checks a paper's claims, and comparing the outcome with what the paper says."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from gossamer import api
from gossamer.errors import InputError
from gossamer.experiment import Experiment
from gossamer.reproduce.claims import ALL, Claim, Paper, named
from gossamer.reproduce.outcome import NO_EXPERIMENT, Outcome, compare, missing
from gossamer.reproduce.packages import methods
from gossamer.reproduce.registry import Computation, Method, Reproduction, Study
from gossamer.reproduce.verdict import Verdict
from gossamer.results import Results

OUT = Path("results") / "reproduce"
Ran: TypeAlias = dict[Experiment, tuple[str, Results]]
"""Experiments that claims have run so far, with the first of these claims and the results."""


class Watcher:
    """Is notified of the progress of a reproduction. This one ignores it."""

    def begins(self, claim: Claim, plan: api.Plan) -> None:
        """A claim's experiment begins."""

    def computes(self, claim: Claim, computation: Computation[Any]) -> None:
        """A claim is about to be computed."""

    def goes(self, progress: api.Progress) -> None:
        """It has progressed."""

    def ends(self, outcome: Outcome) -> None:
        """A claim's outcome is known, whether it was run, computed, or nothing checks it yet."""


def reproduce(
    name: str,
    claims: Sequence[str] = (),
    *,
    quick: bool = False,
    resume: bool = False,
    threads: int | None = None,
    memory_limit: str | None = None,
    out: Path | str | None = None,
    watcher: Watcher | None = None,
) -> list[Outcome]:
    """Check claims of a paper, or of all papers, by running their experiments or computing their closed forms.

    Args:
        name: The paper, as its folder in `papers` is called; `all` for one after another.
        claims: Ids of claims of one paper; without any, all those that have an experiment or a computation.
        quick: Run smaller or shorter experiments. Their notes say so, and their numbers are less certain.
        resume: Continue the last runs of a claim, if there are any: those that are done are not repeated.
        threads: Number of runs at the same time; all cores by default.
        memory_limit: Memory that these runs may use together, such as "4 GB"; by default, what the machine has.
        out: Folder for results and plots; `results/reproduce/NAME` by default. For `all`, of a folder for each paper;
            `results/reproduce` by default.
        watcher: Is notified of progress.

    Raises:
        InputError: There is no such paper or no such claim, or the paper's package cannot be loaded.
    """
    chosen = named(name)
    if name == ALL and claims:
        raise InputError(f"{ALL!r} checks every claim of every paper: omit {claims[0]!r}, or name its paper")
    known = {paper.name: methods(paper) for paper in chosen}  # a broken package is named before hours of runs
    wanted = [(paper, claim) for paper in chosen for claim in asked(paper, claims, known[paper.name])]
    watcher = watcher or Watcher()
    ran: Ran = {}
    outcomes = []
    for paper, claim in wanted:
        folder = place_of(name, paper, out)
        method = known[paper.name].get(claim.id)
        if method is None:
            outcome = Outcome(claim, Verdict.NOT_COMPARABLE, note=NO_EXPERIMENT)
        elif isinstance(method, Computation):
            watcher.computes(claim, method)
            outcome = compute(claim, method, folder, quick=quick, threads=threads)
        else:
            outcome = check(
                paper,
                claim,
                method,
                folder,
                watcher,
                ran,
                quick=quick,
                resume=resume,
                threads=threads,
                memory_limit=memory_limit,
            )
        outcomes.append(outcome)
        watcher.ends(outcome)
    return outcomes


def asked(paper: Paper, claims: Sequence[str], known: Mapping[str, Method]) -> list[Claim]:
    """The claims of these ids; without any, all that something checks, in the paper's order."""
    return [paper.claim(each) for each in claims] or [claim for claim in paper.claims if claim.id in known]


def place_of(name: str, paper: Paper, out: Path | str | None) -> Path:
    """The folder of one paper's results and figures, where `name` was asked for: the paper or `all`."""
    if name == ALL or out is None:
        return Path(OUT if out is None else out) / paper.name
    return Path(out)


def check(
    paper: Paper,
    claim: Claim,
    reproduction: Reproduction,
    folder: Path,
    watcher: Watcher,
    ran: Ran,
    *,
    quick: bool,
    resume: bool,
    threads: int | None,
    memory_limit: str | None,
) -> Outcome:
    """Run one claim's experiment, or take the results of a claim that ran the same; measure, compare, draw."""
    try:
        experiment = Experiment.from_file(paper.folder / reproduction.experiment)
        if quick:
            experiment = experiment.with_(reproduction.quick)
        shared = ran.get(experiment)
        if shared is None:
            watcher.begins(claim, api.check(experiment, threads=threads, memory_limit=memory_limit))
            place = _place(folder, claim.id, resume=resume)
            resume = resume and place.exists()
            results = api.run(
                experiment,
                out=place,
                resume=resume,
                threads=threads,
                memory_limit=memory_limit,
                progress=watcher.goes,
            )
            ran[experiment] = (claim.id, results)
        else:
            results = shared[1]
    except InputError as error:
        return Outcome(claim, Verdict.FAILED, note=str(error))
    took = 0.0 if shared else sum(run.record.core_s for run in results.runs)
    failed = failure(results)
    if failed:
        return Outcome(claim, Verdict.FAILED, core_seconds=took, note=failed)
    how = [f"The runs are those of {shared[0]}"] if shared else []
    how += [_quick(reproduction.quick)] if quick else []
    return conclude(claim, reproduction, results, folder, took, ". ".join(how))


def compute(
    claim: Claim, computation: Computation[Any], folder: Path, *, quick: bool = False, threads: int | None = None
) -> Outcome:
    """Compute what one claim says, compare, draw."""
    began = time.process_time()
    given, how = {}, ""
    if isinstance(computation, Study):
        given = {"threads": threads, **(computation.quick if quick else {})}
        how = _quick(computation.quick) if quick else ""
    try:
        found = computation.computes(**given)
    except InputError as error:
        return Outcome(claim, Verdict.FAILED, core_seconds=time.process_time() - began, note=str(error))
    return conclude(claim, computation, found, folder, time.process_time() - began, how)


def conclude(claim: Claim, method: Method, found: Any, folder: Path, took: float, how: str = "") -> Outcome:
    """Measure what was found in `took` seconds of processor time, compare and draw."""
    began = time.process_time()
    if method.measures is None:
        raise ValueError(f"claim {claim.id!r} of {claim.paper} has an experiment but nothing that measures it")
    measurement = method.measures(found)
    verdict, checks = compare(claim, method, measurement)
    notes = [measurement.note, missing(checks), how]
    plots = draw(method, found, claim, folder)
    took += time.process_time() - began
    return Outcome(claim, verdict, checks, took, ". ".join(filter(None, notes)), plots)


def failure(results: Results) -> str:
    """Say how a run failed, if one did."""
    for run in results:
        if run.status != "done":
            return f"run {run.name}: {run.status}" + (f": {run.message}" if run.message else "")
    return ""


def draw(method: Method, found: Any, claim: Claim, folder: Path) -> tuple[str, ...]:
    """Write the figures as PNG and SVG; earlier ones are replaced."""
    if method.plots is None:
        return ()
    # With what draws, which would slow every command's start.
    from gossamer.plots.canvas import NoData
    from gossamer.plots.export import save_charts

    try:
        drawn = method.plots(found, claim)
    except NoData:
        return ()  # nothing was measured, and the verdict says so
    charts = {f"{claim.id}-{name}": chart for name, chart in drawn.items()} if isinstance(drawn, Mapping) else {}
    if not isinstance(drawn, Mapping):
        charts = {claim.id: drawn}
    return tuple(str(path) for path in save_charts(charts, folder))


def _place(folder: Path, name: str, *, resume: bool) -> Path:
    """A results folder that is not there yet; to go on, the last one that is."""
    number, last = 1, None
    while True:
        candidate = folder / (name if number == 1 else f"{name}-{number}")
        if not candidate.exists():
            return last if resume and last is not None else candidate
        number, last = number + 1, candidate


def _quick(changes: Any) -> str:
    """Say what a quick run changed."""
    return "Quick run with " + ", ".join(f"{key} = {value}" for key, value in changes.items())
