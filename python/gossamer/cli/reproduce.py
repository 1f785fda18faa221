"""`gossamer reproduce`: check the claims of a paper, or of all."""

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


@click.command(context_settings=page.SETTINGS, short_help="Reproduce the claims of a paper, or of all.")
@click.argument("paper", required=False, shell_complete=completion.papers)
@click.argument("claims", nargs=-1, metavar="[CLAIM]...", shell_complete=completion.claims)
@click.option("--quick", is_flag=True, help="Run smaller, shorter experiments; the output says what was cut.")
@click.option("--list", "only_list", is_flag=True, help="List the claims and run nothing.")
@click.option("--write-docs", is_flag=True, help="Record the outcomes in docs/reproduction.md and .json.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for results and plots (default results/reproduce/PAPER; for `all` results/reproduce).",
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

    Closed forms are computed directly. Without CLAIM, every claim that can be checked is; if PAPER is `all`, those
    of every paper, one after another. Each claim ends with its verdict and a line for each number: what was
    measured, what is required ("0.94 within 5 %", "at most 13") and by how much it is off. The verdict follows from
    these lines alone: reproduced; reproduced in part, if numbers of the claim were not measured; deviates; not
    comparable, and why; failed. Figures that include the paper's numbers, and a report of all claims (index.html),
    are written to results/reproduce/PAPER; `all` adds results/reproduce/index.html, which leads to them. The code
    that checks a paper's claims is in its folder, papers/PAPER/reproduction.

    Ctrl-C stops everything and keeps what was finished: the claims checked so far are reported, and entered by
    --write-docs. --resume goes on from there.

    \b
    Examples:
      gossamer reproduce stardust --list
      gossamer reproduce stardust fig10a-throughput ecmp-utilisation
      gossamer reproduce stardust --quick
      gossamer reproduce xfabric fig5c-clusters --resume
      gossamer reproduce all --quick
      gossamer reproduce stardust --json | jq '.[] | select(.verdict == "deviates")'

    With --json: a list of {"paper", "claim", "section", "expected", "measured", "unit", "verdict", "checks",
    "core_seconds", "note"}. "checks" has for each number {"name", "relation", "value", "tolerance", "required",
    "measured", "off", "verdict"}: "relation" is null for a number that nothing is compared with, "measured" for one
    that was not measured. "core_seconds" is processor time; a claim that uses another's runs does not count them.

    Exit status: 0 no claim deviates or failed, though some may be reproduced in part or not comparable; 1 one deviates
    or failed; 2 bad input; 128 + N stopped by signal N (130: Ctrl-C).
    """
    if paper is None:
        known = list(papers.papers())
        if not known:
            raise InputError(papers.NO_PAPERS)
        raise InputError(f"no paper named: {choices([*known, papers.ALL])}, as in `gossamer reproduce {known[0]}`")
    chosen = papers.named(paper)
    if only_list:
        show_claims(chosen, as_json=as_json)
        return exits.DONE
    if quick and write_docs:
        raise InputError("--write-docs records full runs: omit --quick")
    if write_docs:
        documentation(chosen[0])  # named before hours of runs, if it is not there
        for each in papers.papers().values():
            packages.load(each)  # the page is about all papers: one that is broken is named before hours of runs
    shown = ExitStack()
    watcher = Kept() if as_json else Screen(shown, several=paper == papers.ALL)
    try:
        with shown:
            drive.reproduce(
                paper,
                claims,
                quick=quick,
                resume=resume,
                threads=threads,
                memory_limit=memory_limit,
                out=out,
                watcher=watcher,
            )
    finally:
        # Whatever stopped it, what was checked is not lost.
        outcomes = watcher.outcomes
        if outcomes:
            if write_docs:
                record(chosen[0], outcomes)
            if as_json:
                print(json.dumps([each.as_json() for each in outcomes], indent=2, ensure_ascii=False))
            else:
                conclude_all(chosen, outcomes, asked=bool(claims))
                print(f"report: {pages(paper, chosen, outcomes, out)}", flush=True)
    if as_json and not outcomes:
        print("[]")
    bad = {Verdict.DEVIATES, Verdict.FAILED}
    return exits.FAILED if any(each.verdict in bad for each in outcomes) else exits.DONE


class Kept(drive.Watcher):
    """Keeps outcomes as they come, for a command that may be stopped."""

    def __init__(self) -> None:
        """Of no claim yet."""
        self.outcomes: list[Outcome] = []

    def ends(self, outcome: Outcome) -> None:
        """One more."""
        self.outcomes.append(outcome)


class Screen(Kept):
    """Reports to the user: progress while an experiment runs, then its claim's verdict and numbers."""

    def __init__(self, shown: ExitStack, *, several: bool) -> None:
        """Progress displays are entered in `shown`, so that they are closed whatever happens.

        With `several` papers, each is named where its claims begin.
        """
        super().__init__()
        self._several = several
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
        if self._several and (not self.outcomes or self.outcomes[-1].claim.paper != outcome.claim.paper):
            print(f"== {outcome.claim.paper}")
        super().ends(outcome)
        print(*outcome.lines(), sep="\n")
        told = [outcome.note] if outcome.checks and outcome.note else []
        told += [f"figure: {plot}" for plot in outcome.plots[:1]]
        for text in told:
            print(
                *textwrap.wrap(text, screen.console().width - 2, initial_indent="  ", subsequent_indent="  "), sep="\n"
            )
        sys.stdout.flush()


def conclude_all(chosen: list[papers.Paper], outcomes: list[Outcome], *, asked: bool) -> None:
    """Print how many claims have which verdict, by paper if there are several, and how many were not checked."""
    if len(chosen) > 1:
        print(*scoreboard.by_paper(outcomes), sep="\n")
    else:
        print(scoreboard.tally([each.verdict.words for each in outcomes]))
    for paper in chosen:
        known = packages.methods(paper)
        left = sum(claim.id not in known for claim in paper.claims)
        if left and not asked:
            have = "has" if left == 1 else "have"
            of = f" of {paper.name}" if len(chosen) > 1 else ""
            print(
                f"{left} of {len(paper.claims)} claims{of} {have} {NO_EXPERIMENT}: "
                f"`gossamer reproduce {paper.name} --list` shows which"
            )


def pages(asked: str, chosen: list[papers.Paper], outcomes: list[Outcome], out: Path | None) -> Path:
    """Write the page of each paper that has outcomes; of all papers also the index of these. Returns the first page."""
    written = {}
    for paper in chosen:
        own = [each for each in outcomes if each.claim.paper == paper.name]
        if own:
            written[paper.name] = html.write(drive.place_of(asked, paper, out), paper, own)
    if asked != papers.ALL:
        return written[asked]
    return html.write_index(out or drive.OUT, chosen, outcomes)


def show_claims(chosen: list[papers.Paper], *, as_json: bool) -> None:
    """Print a line for each claim: its id, its numbers, and the beginning of its text."""
    entries = [(paper, listed(paper)) for paper in chosen]
    if as_json:
        print(json.dumps([each for _, own in entries for each in own], indent=2, ensure_ascii=False))
        return
    room = screen.console().width
    for paper, own in entries:
        if len(chosen) > 1:
            print(f"== {paper.name}: {paper.summary}")
        widest = max((len(entry["claim"]) for entry in own), default=0)
        for entry in own:
            how = entry["experiment"] or entry["computation"] or NO_EXPERIMENT
            line = f"{entry['claim']:<{widest}}  {entry['required']} (§{entry['section']}; {how}): {entry['setup']}"
            print(line if len(line) <= room else f"{line[: room - 3]}...")
    name = chosen[0].name if len(chosen) == 1 else "PAPER"
    print(f"`gossamer reproduce {name} CLAIM` checks one; --json prints the full texts")


def listed(paper: papers.Paper) -> list[dict[str, Any]]:
    """The claims of a paper, each with what checks it."""
    known = packages.methods(paper)
    return [
        {
            "paper": paper.name,
            "claim": claim.id,
            "section": claim.section,
            "setup": claim.setup,
            "required": claim.stated(),
            "experiment": getattr(known.get(claim.id), "experiment", None),
            "computation": getattr(known.get(claim.id), "source", None),
        }
        for claim in paper.claims
    ]


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
