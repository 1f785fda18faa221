"""`gossamer reproduce`: check the claims of a paper."""

import json
import sys
import textwrap
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from gossamer import api
from gossamer.cli import completion, exits, page, screen
from gossamer.cli.amounts import count, wall
from gossamer.cli.progress import View, view
from gossamer.errors import InputError, choices
from gossamer.reproduce import claims as papers
from gossamer.reproduce import drive, packages, registry, scoreboard
from gossamer.reproduce import page as html
from gossamer.reproduce.outcome import NO_EXPERIMENT, Outcome
from gossamer.reproduce.verdict import Verdict


@click.command(context_settings=page.SETTINGS, short_help="Reproduce the claims of a paper.")
@click.argument("paper", required=False, shell_complete=completion.papers)
@click.argument("claims", nargs=-1, metavar="[CLAIM]...", shell_complete=completion.claims)
@click.option("--quick", is_flag=True, help="Run smaller, shorter experiments; the output says what was cut.")
@click.option("--list", "only_list", is_flag=True, help="List the paper's claims and run nothing.")
@click.option("--write-docs", is_flag=True, help="Record the outcomes in docs/reproduction.md and .json.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for results and plots (default results/reproduce/PAPER).",
)
@click.option("--resume", is_flag=True, help="Continue runs that were stopped; those that are done are kept.")
@page.threads
@page.memory_limit
@page.as_json
def reproduce(
    paper: str | None,
    claims: tuple[str, ...],
    quick: bool,
    only_list: bool,
    write_docs: bool,
    out: Path | None,
    resume: bool,
    threads: int | None,
    memory_limit: str | None,
    as_json: bool,
) -> int:
    """Check claims of PAPER: run the experiment behind each CLAIM, compare, draw the paper's figure.

    Closed forms are computed directly. Without CLAIM, every claim that can be checked is. Each claim ends with its
    verdict and a line for each number: what was measured, what is required ("0.94 within 5 %", "at most 13") and by how
    much it is off. The verdict follows from these lines alone: reproduced; reproduced in part, if numbers of the claim
    were not measured; deviates; not comparable, and why; failed. Figures that include the paper's numbers, and a report
    of all claims (index.html), are written to results/reproduce/PAPER. The code that checks a paper's claims is in its
    folder, papers/PAPER/reproduction.

    \b
    Examples:
      gossamer reproduce stardust --list
      gossamer reproduce stardust fig10a-throughput ecmp-utilisation
      gossamer reproduce stardust --quick
      gossamer reproduce xfabric fig5c-clusters --resume
      gossamer reproduce stardust --json | jq '.[] | select(.verdict == "deviates")'

    With --json: a list of {"paper", "claim", "section", "expected", "measured", "unit", "verdict", "checks", "seconds",
    "note"}. "checks" has for each number {"name", "relation", "value", "tolerance", "required", "measured", "off",
    "verdict"}: "relation" is null for a number that nothing is compared with, "measured" for one that was not measured.

    Exit status: 0 no claim deviates or failed, though some may be reproduced in part or not comparable; 1 one deviates
    or failed; 2 bad input; 128 + N stopped by signal N (130: Ctrl-C).
    """
    if paper is None:
        known = list(papers.papers())
        if not known:
            raise InputError(papers.NO_PAPERS)
        raise InputError(f"no paper named: {choices(known)}, as in `gossamer reproduce {known[0]}`")
    chosen = papers.paper(paper)
    if only_list:
        show_claims(chosen, as_json=as_json)
        return exits.DONE
    if quick and write_docs:
        raise InputError("--write-docs records full runs: omit --quick")
    if write_docs:
        documentation(chosen)  # named before hours of runs, if it is not there
        for each in papers.papers().values():
            packages.load(each)  # the page is about all papers: one that is broken is named before hours of runs
    with ExitStack() as shown:
        watcher = drive.Watcher() if as_json else Screen(shown)
        outcomes = drive.reproduce(
            paper,
            claims,
            quick=quick,
            resume=resume,
            threads=threads,
            memory_limit=memory_limit,
            out=out,
            watcher=watcher,
        )
    if write_docs:
        record(chosen, outcomes)
    if as_json:
        print(json.dumps([each.as_json() for each in outcomes], indent=2, ensure_ascii=False))
    else:
        conclude_all(chosen, outcomes, asked=bool(claims))
        print(f"report: {html.write(out or drive.OUT / paper, chosen, outcomes)}")
    bad = {Verdict.DEVIATES, Verdict.FAILED}
    return exits.FAILED if any(each.verdict in bad for each in outcomes) else exits.DONE


class Screen(drive.Watcher):
    """Reports to the user: progress while an experiment runs, then its claim's verdict and numbers."""

    def __init__(self, shown: ExitStack) -> None:
        """Progress displays are entered in `shown`, so that they are closed whatever happens."""
        self._shown = shown
        self._view: View | None = None

    def begins(self, claim: papers.Claim, plan: api.Plan) -> None:
        """Print what is about to run, and start to show progress."""
        cost = sum(run["estimated_core_s"] for run in plan["runs"])
        hops = sum(run["estimated_hops"] for run in plan["runs"])
        number = "1 run" if len(plan["runs"]) == 1 else f"{len(plan['runs'])} runs"
        print(
            f"{claim.id}: {number}, about {count(hops)} hops and {wall(cost)} of one core", file=sys.stderr, flush=True
        )
        self._view = self._shown.enter_context(view(quiet=False))

    def computes(self, claim: papers.Claim, computation: registry.Computation[Any]) -> None:
        """Print what is being computed, if it takes more than a moment."""
        if isinstance(computation, registry.Study):
            print(f"{claim.id}: {computation.source}", file=sys.stderr, flush=True)

    def goes(self, progress: api.Progress) -> None:
        """Show progress."""
        if self._view is not None:
            self._view.show(progress)

    def ends(self, outcome: Outcome) -> None:
        """Print the lines of one claim, and under them its note and figure."""
        self._shown.close()
        print(*outcome.lines(), sep="\n")
        told = [outcome.note] if outcome.checks and outcome.note else []
        told += [f"figure: {plot}" for plot in outcome.plots[:1]]
        for text in told:
            print(
                *textwrap.wrap(text, screen.console().width - 2, initial_indent="  ", subsequent_indent="  "), sep="\n"
            )
        sys.stdout.flush()


def conclude_all(chosen: papers.Paper, outcomes: list[Outcome], *, asked: bool) -> None:
    """Print how many claims have which verdict, and how many were not checked."""
    print(scoreboard.tally([each.verdict.words for each in outcomes]))
    known = packages.methods(chosen)
    left = sum(claim.id not in known for claim in chosen.claims)
    if left and not asked:
        have = "claim has" if left == 1 else "claims have"
        print(
            f"{left} of {len(chosen.claims)} {have} {NO_EXPERIMENT}: "
            f"`gossamer reproduce {chosen.name} --list` shows which"
        )


def show_claims(chosen: papers.Paper, *, as_json: bool) -> None:
    """Print a line for each claim: its id, its numbers, and the beginning of its text."""
    known = packages.methods(chosen)
    entries = [
        {
            "claim": claim.id,
            "section": claim.section,
            "setup": claim.setup,
            "required": claim.stated(),
            "experiment": getattr(known.get(claim.id), "experiment", None),
            "computation": getattr(known.get(claim.id), "source", None),
        }
        for claim in chosen.claims
    ]
    if as_json:
        print(json.dumps(entries, indent=2, ensure_ascii=False))
        return
    widest = max((len(claim.id) for claim in chosen.claims), default=0)
    room = screen.console().width
    for claim, entry in zip(chosen.claims, entries, strict=True):
        how = entry["experiment"] or entry["computation"] or NO_EXPERIMENT
        line = f"{claim.id:<{widest}}  {claim.stated()} (§{claim.section}; {how}): {claim.setup}"
        print(line if len(line) <= room else f"{line[: room - 3]}...")
    print(f"`gossamer reproduce {chosen.name} CLAIM` checks one; --json prints the full texts")


def record(chosen: papers.Paper, outcomes: list[Outcome]) -> None:
    """Enter the outcomes on the scoreboard."""
    for file in scoreboard.write(documentation(chosen), papers.papers(), [each.as_json() for each in outcomes]):
        print(f"wrote {file}", file=sys.stderr)


def documentation(chosen: papers.Paper) -> Path:
    """The folder of the scoreboard, beside the papers'."""
    docs = chosen.folder.parent.parent / "docs"
    if not docs.is_dir():
        raise InputError(f"{docs}: no such folder: --write-docs works in a checkout")
    return docs
