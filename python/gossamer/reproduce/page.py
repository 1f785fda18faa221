"""The outcomes of one command as a self-contained HTML page, figures included."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from gossamer.reproduce.claims import Paper
from gossamer.reproduce.outcome import Check, Outcome
from gossamer.reproduce.scoreboard import tally
from gossamer.reproduce.verdict import Verdict

PAGE = "index.html"
STYLE = """
:root { color-scheme: light dark; --line: #8886; --good: #18794e; --bad: #cd2b31; --rest: #8a6d00; }
@media (prefers-color-scheme: dark) { :root { --good: #4cc38a; --bad: #ff6369; --rest: #f0c000; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; }
h2 { border-top: 1px solid var(--line); font-size: 1.15rem; margin: 2rem 0 .3rem; padding-top: 1rem; }
.verdict { font-weight: 600; } .reproduced { color: var(--good); } .deviates, .failed { color: var(--bad); }
.reproduced-in-part, .not-comparable { color: var(--rest); }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; }
td.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
td.compared { font-weight: 600; }
.told { opacity: .75; }
img { background: #fff; max-width: 100%; }
"""


def write(folder: Path, paper: Paper, outcomes: Sequence[Outcome]) -> Path:
    """Write the page beside the figures, and say where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / PAGE
    file.write_text(page(paper, outcomes), encoding="utf-8")
    return file


def write_index(folder: Path, papers: Sequence[Paper], outcomes: Sequence[Outcome]) -> Path:
    """Write the page that leads to those of all papers, which are in folders of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / PAGE
    file.write_text(index(papers, outcomes), encoding="utf-8")
    return file


def index(papers: Sequence[Paper], outcomes: Sequence[Outcome]) -> str:
    """Each paper with its counts, and each of its claims with its verdict and what of it deviates."""
    parts = [
        _head("All papers"),
        f"<p>{tally([outcome.verdict.words for outcome in outcomes])}.</p>",
    ]
    for paper in papers:
        own = [outcome for outcome in outcomes if outcome.claim.paper == paper.name]
        if not own:
            continue
        link = f"{escape(paper.name)}/{PAGE}"
        head = "<tr><th>claim</th><th>verdict</th><th>deviates</th><th>core-seconds</th></tr>"
        rows = "".join(_line(outcome, link) for outcome in own)
        parts += [
            f'<h2 id="{escape(paper.name)}"><a href="{link}">{escape(paper.summary)}</a></h2>',
            f"<p>{tally([outcome.verdict.words for outcome in own])}.</p>",
            f'<div class="wide"><table>{head}{rows}</table></div>',
        ]
    return "\n".join([*parts, "</body></html>\n"])


def _line(outcome: Outcome, link: str) -> str:
    """One claim of the index."""
    claim, verdict = outcome.claim, outcome.verdict
    bad = [check for check in outcome.checks if check.verdict is Verdict.DEVIATES]
    told = "<br>".join(escape(_deviation(check, claim.unit)) for check in bad)
    if verdict in (Verdict.FAILED, Verdict.NOT_COMPARABLE):
        told = escape(outcome.note)
    return (
        f'<tr><td><a href="{link}#{escape(claim.id)}">{escape(claim.id)}</a></td>'
        f'<td><span class="verdict {verdict}">{verdict.words}</span></td><td>{told}</td>'
        f'<td class="number">{outcome.core_seconds:.0f}</td></tr>'
    )


def _deviation(check: Check, unit: str | None) -> str:
    """`dctcp_mean: 0.61, 0.49 within 5 %, off +24.5 %`; of a trend, its words."""
    if check.trend:
        return f"{check.name}: not seen"
    measured, must, off = check.texts()
    name = check.name or unit or ""
    return (f"{name}: " if name else "") + f"{measured}, {must}" + (f", off {off}" if off else "")


def _head(title: str) -> str:
    """The beginning of a page, up to its heading."""
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}: claims</title><style>{STYLE}</style></head><body>",
            f"<h1>{escape(title)}</h1>",
        ]
    )


def page(paper: Paper, outcomes: Sequence[Outcome]) -> str:
    """Each claim: its verdict, the numbers that decide it, the others, the note and the figures."""
    counted = tally([outcome.verdict.words for outcome in outcomes])
    parts = [
        _head(paper.summary),
        f"<p>{counted}. Verdicts follow from the numbers in bold and what is required of them alone.</p>",
        *map(_claim, outcomes),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _claim(outcome: Outcome) -> str:
    claim, verdict = outcome.claim, outcome.verdict
    parts = [
        f'<h2 id="{escape(claim.id)}">{escape(claim.id)}: <span class="verdict {verdict}">{verdict.words}</span></h2>',
        f'<p class="told">§{escape(claim.section)}. {escape(claim.setup)}</p>',
    ]
    if outcome.checks:
        head = "<tr><th>number</th><th>measured</th><th>required</th><th>off</th><th></th></tr>"
        rows = "".join(_row(check, claim.unit) for check in outcome.checks)
        parts.append(f'<div class="wide"><table>{head}{rows}</table></div>')
    if outcome.note:
        parts.append(f"<p>{escape(outcome.note)}.</p>")
    parts += [_figure(Path(plot), claim.id) for plot in outcome.plots if plot.endswith(".svg")]
    return "\n".join(parts)


def _row(check: Check, unit: str | None) -> str:
    measured, must, off = check.texts()
    kind = "number compared" if check.trend or check.required is not None else "number"
    verdict = "" if check.verdict is None else f'<span class="verdict {check.verdict}">{_words(check.verdict)}</span>'
    cells = f'<td class="{kind}">{escape(measured)}</td><td>{escape(must)}</td><td class="number">{escape(off)}</td>'
    return f"<tr><td>{escape(check.name or unit or '')}</td>{cells}<td>{verdict}</td></tr>"


def _words(verdict: Verdict) -> str:
    return "an input" if verdict is Verdict.NOT_COMPARABLE else verdict.words


def _figure(file: Path, name: str) -> str:
    """A figure, inside the page; as an image, so that nothing in it can be a script."""
    if not file.is_file():
        return ""
    data = base64.b64encode(file.read_bytes()).decode("ascii")
    return f'<p><img alt="figure of {escape(name)}" src="data:image/svg+xml;base64,{data}"></p>'
