"""`gossamer run`: run an experiment file, show progress, print where the report is."""

import dataclasses
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gossamer import api
from gossamer.cli import completion, exits, page, signals, summary
from gossamer.cli.amounts import count, wall
from gossamer.cli.folder import forget, results_folder
from gossamer.cli.progress import view
from gossamer.errors import InputError
from gossamer.experiment import Experiment
from gossamer.results import Results, Run

if TYPE_CHECKING:
    from gossamer.plots.export import Format

FORMATS = ("csv", "parquet")
PLOTS = ("png", "svg", "pdf")


@click.command(context_settings=page.SETTINGS, short_help="Run an experiment file.")
@click.argument("file", type=click.Path(path_type=Path), shell_complete=completion.experiments)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for the results, new or empty; by default results/NAME, then results/NAME-2 and so on.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="DIR",
    shell_complete=completion.results,
    help="Continue the runs in DIR, made from the same FILE; runs that are done and unchanged are not repeated.",
)
@page.threads
@page.overrides
@click.option(
    "--wall-limit",
    type=page.WallTime(),
    metavar="TIME",
    help="Stop after this much real time (90s, 10m, 2h) and keep the results so far.",
)
@page.memory_limit
@click.option(
    "--format", "formats", type=page.Names(FORMATS), default=(), help="Also write the tables in these formats."
)
@click.option(
    "--plots", type=page.Names(PLOTS), default=(), help="Also write the report's plots as images in these formats."
)
@click.option(
    "--on",
    metavar="ray[://HOST:PORT]",
    help="Spread the runs over a Ray cluster, a worker process for each: the one of RAY_ADDRESS, or else one on this "
    "machine; or the one at HOST:PORT. Needs gossamer[ray].",
)
@click.option("--no-report", is_flag=True, help="Do not write report.html; `gossamer report` can make it later.")
@page.as_json
def run(
    file: Path,
    out: Path | None,
    resume: Path | None,
    threads: int | None,
    overrides: tuple[str, ...],
    wall_limit: float | None,
    memory_limit: str | None,
    formats: tuple[str, ...],
    plots: "tuple[Format, ...]",
    on: str | None,
    no_report: bool,
    as_json: bool,
) -> int:
    """Run the experiment FILE.

    Every variant and every point of its sweep is one run; runs share all cores. The results folder receives the file
    itself, a manifest and, for each run, tables of flows, links, histograms and series, written as the run proceeds.
    A summary on the screen and report.html follow. The same file and seed give the same tables, to the byte, on any
    machine and with any number of threads.

    Ctrl-C, SIGTERM and SIGHUP stop the runs, keep what they have written, make the report from it and print the command
    that resumes them; a second Ctrl-C quits at once. --resume repeats the runs that were not done, also
    where the job was killed, and those whose plan has changed in FILE since; what is added to FILE runs alone. The
    tables are then those of a job that ran through.

    With --on, each run is a task of its own in a Ray cluster. A run whose worker dies is run once more, and that is
    reported. Workers need the same version of Gossamer; they get the experiment file from here, and the files that it
    reads if they are beside or below it.

    \b
    Examples:
      gossamer run experiments/quickstart.toml
      gossamer run quickstart.toml --set seed=7 --set duration='50 ms' --out results/longer
      gossamer run quickstart.toml --wall-limit 10m --plots png,pdf --format parquet
      gossamer run quickstart.toml --resume results/quickstart
      gossamer run sweep.toml --on ray://head:10001
      gossamer run quickstart.toml --json | jq '.runs[].summary.goodput_bps'

    Exit status: 0 all runs done, 1 a run failed, stalled or ran out of time, 2 bad input or results that could not be
    written, 128 + N stopped by signal N (130: Ctrl-C, 143: SIGTERM).
    """
    if resume is not None and out is not None:
        raise InputError("--resume already names the folder: omit --out")
    experiment = Experiment.from_file(file)
    planned = api.Planned.of(experiment, overrides=overrides, threads=threads, memory_limit=memory_limit)
    if not as_json:
        announce(planned.check(), threads, on)
    folder = resume or results_folder(out, experiment.name)
    again: str | None = resuming(file, folder, overrides, threads, wall_limit, formats, plots, on, no_report=no_report)
    try:
        running = planned.start(out=folder, resume=resume is not None, wall_limit_s=wall_limit, on=on)
    except BaseException:
        if resume is None:
            forget(folder)
        raise
    try:
        stopped = follow(running, quiet=as_json)
    except KeyboardInterrupt:
        say(f"resume:  {again}")
        raise
    results = running.results()
    if not as_json:
        summary.show(results)
    trouble = refusal(results)
    report = None
    try:
        report = finish(results, folder, formats=formats, plots=plots, report=not no_report)
    except InputError as error:
        trouble = trouble or str(error)
    except KeyboardInterrupt:
        say(f"the tables are in {folder}; the report: {shlex.join(['gossamer', 'report', str(folder)])}")
        raise
    if not can_go_on(results):
        again = None
    if as_json:
        print(json.dumps(outcome(results, folder, report, again), indent=2))
    else:
        print(f"results: {folder}")
        if report is not None:
            print(f"report:  {report}")
        if again is not None:
            print(f"resume:  {again}")
    if trouble is not None:
        exits.complain(trouble)
        return exits.BAD_INPUT
    return signals.status() if stopped else status(results)


def resuming(
    file: Path,
    folder: Path,
    overrides: tuple[str, ...],
    threads: int | None,
    wall_limit: float | None,
    formats: tuple[str, ...],
    plots: "tuple[Format, ...]",
    on: str | None,
    *,
    no_report: bool,
) -> str:
    """The shell command that resumes these runs."""
    words = ["gossamer", "run", str(file)]
    for override in overrides:
        words += ["--set", override]
    for option, value in (
        ("--threads", threads and str(threads)),
        ("--wall-limit", wall_limit and f"{wall_limit:g}s"),
        ("--format", ",".join(formats)),
        ("--plots", ",".join(plots)),
        ("--on", on),
    ):
        words += [option, value] if value else []
    return shlex.join([*words, *(["--no-report"] if no_report else []), "--resume", str(folder)])


def can_go_on(results: Results) -> bool:
    """Whether any run would get further if it were repeated. One that stalled would stall again."""
    return any(run.status in ("stopped", "out-of-time", "not-started", "running") or _refused(run) for run in results)


def _refused(run: Run) -> bool:
    """Whether a run failed because the system refused something, as on a full disk."""
    return run.status == "failed" and "(os error " in (run.message or "")


def announce(plan: api.Plan, threads: int | None, on: str | None) -> None:
    """Print one line on what is about to run, and the plan's warnings."""
    runs = plan["runs"]
    cost = sum(run["estimated_core_s"] for run in runs)
    hops = sum(run["estimated_hops"] for run in runs)
    number = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    at_once = min(threads or api.cores(), len(runs))
    each = f"{number} on {at_once} threads" if at_once > 1 else number
    length = wall(cost / max(1, at_once))
    if on is not None:
        each, length = f"{number} on Ray", f"{wall(cost)} of one core"
    say(f"{plan['title'] or 'untitled'}: {each}, about {count(hops)} hops and {length}")
    for warning in plan["warnings"]:
        say(f"warning: {warning}")


def follow(running: api.Running, *, quiet: bool) -> bool:
    """Watch runs until they have ended; true if the user stopped them."""
    stopped = False
    while True:
        try:
            with view(quiet=quiet) as shown:
                ended = False
                while not ended:
                    ended = running.wait()
                    for line in running.news():
                        shown.tell(line)
                    shown.show(running.progress())
            return stopped
        except KeyboardInterrupt:
            if stopped:
                raise
            stopped = True
            running.stop()
            say("stopping; results so far are kept (Ctrl-C again quits at once)")


def refusal(results: Results) -> str | None:
    """The operating system's error if a run or the manifest could not be written, as on a full disk."""
    for run in results:
        if _refused(run):
            return f"run {run.name}: {run.message}"
    return results.manifest.message


def finish(
    results: Results, folder: Path, *, formats: tuple[str, ...], plots: "tuple[Format, ...]", report: bool
) -> Path | None:
    """Write what was requested besides the tables; returns the report's path, if there is one."""
    try:
        if "csv" in formats:
            results.to_csv(folder / "csv")
        if "parquet" in formats:
            results.to_parquet(folder / "parquet")
        if not plots and not report:
            return None
        # Loading the drawing libraries takes longer than a short run.
        from gossamer.cli.images import progress
        from gossamer.report import write_plots, write_report

        if plots:
            write_plots(results, folder / "plots", formats=plots, progress=progress())
        return write_report(results, folder / "report.html") if report else None
    except OSError as error:
        raise InputError(f"{exits.what_failed(error)} (the tables are in {folder})") from None


def outcome(results: Results, folder: Path, report: Path | None, again: str | None) -> dict[str, Any]:
    """What `--json` prints about the runs, with the summary row of each."""
    manifest = results.manifest
    rows = {row["run"]: row for row in results.summary.to_pylist()}
    return {
        "status": manifest.status,
        "folder": str(folder),
        "report": None if report is None else str(report),
        "resume": again,
        "wall_s": manifest.wall_s,
        "runs": [{**dataclasses.asdict(run), "summary": rows.get(run.name)} for run in manifest.runs],
    }


def status(results: Results) -> int:
    """0 when every run is done."""
    return exits.DONE if all(run.status == "done" for run in results.runs) else exits.FAILED


def say(text: str) -> None:
    """Print a line for the user, not for scripts: on standard error."""
    print(text, file=sys.stderr, flush=True)
