"""Check that the documentation is true: its examples work, its links lead somewhere, its generated pages are current.

    python tools/docs.py                 check
    python tools/docs.py README.md ...   check the examples and links of these pages only
    python tools/docs.py --write         make the generated pages again, and put what examples print now into all pages

In every Markdown page of the checkout:

- a block of `toml` is a whole experiment file where it sets `seed`; otherwise it is laid over a small one. Both are
  checked as `gossamer check` does.
- blocks of `sh` and `console` are carried out, and what a page shows of their output is compared: see `shell.py`.
- blocks of `python` are run, and compared with a block of `text` that stands directly below.
- a link to a file of the checkout must lead to one.

The shell and Python of a page are carried out in its order, in a scratch folder that has what a reader has by then: the
checkout's experiments, papers and documentation, and `mine.toml` and `results/quickstart` where its Python reads them.
"""

import contextlib
import io
import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
import tomllib
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import gossamer
import python_types
import shell
from gossamer import _native
from gossamer.reproduce import papers, scoreboard

ROOT = Path(__file__).resolve().parent.parent

BASE: dict[str, Any] = {
    "seed": 1,
    "duration": "1 ms",
    "topology": {"kind": "star", "hosts": 8, "rate": "10 Gb/s", "delay": "1 us"},
    "fabric": {"kind": "ethernet", "ecn_threshold": "20 packets"},
    "transport": {"kind": "dctcp"},
    "workload": [{"kind": "permutation"}],
}
"""What an excerpt of an experiment file is laid over."""

LANGUAGES = ("toml", "python", "console", "sh")
SMALLER = [
    "topology.leaves=2",
    "warmup=0 s",
    "workload.web.stop=300 us",
    "workload.incast.senders=8",
    "workload.incast.rounds=1",
]
"""The quickstart, as pages have it whose examples read its results."""


def tables(name: str, settings: Callable[[str], str]) -> str:
    """A page with its tables of settings, made of what the program says of them as JSON."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    table = r"(?<=<!-- settings of )([\w ]+)( -->\n).*?(?=<!-- end of settings -->)"
    return re.sub(
        table, lambda found: found[1] + found[2] + as_table(json.loads(settings(found[1]))), page, flags=re.DOTALL
    )


def as_table(settings: list[dict[str, Any]]) -> str:
    """Settings in Markdown; the words that one may be stand below it."""
    lines = ["| setting | default | what |", "|---|---|---|"]
    for each in settings:
        words = "".join(f"<br>`{word['name']}`: {word['meaning']}" for word in each["words"])
        lines.append(f"| `{each['name']}` | {each['default']} | {each['meaning']}{words} |")
    return "\n".join(lines) + "\n"


TOPOLOGY = {"a configuration": _native.xfabric_configure_settings, "a study": _native.xfabric_study_settings}
"""Who knows the settings of docs/topology.md."""

GENERATED: dict[str, Callable[[], str]] = {
    "docs/arbiter.md": lambda: tables("arbiter.md", _native.arbiter_settings),
    "docs/planner.md": lambda: tables("planner.md", _native.plan_settings),
    "docs/topology.md": lambda: tables("topology.md", lambda of: TOPOLOGY[of]()),
    "docs/experiments.md": _native.reference,
    "docs/experiment.schema.json": lambda: _native.schema().rstrip("\n") + "\n",
    "python/gossamer/types.py": lambda: python_types.module(_native.types()),
    "docs/reproduction.md": lambda: scoreboard.page(papers(), scoreboard.read(ROOT / "docs")),
}
"""Pages that are printed by the program itself, and the types of what it hands to Python."""


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str

    def where(self) -> str:
        """For messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Every Markdown page that is not built, installed or left behind by a run."""
    skipped = {".git", ".venv", "target", "results", "node_modules"}
    found = [page for page in ROOT.rglob("*.md") if not skipped & set(page.relative_to(ROOT).parts)]
    return sorted(page for page in found if not any(part.startswith(".") for part in page.relative_to(ROOT).parts))


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    language, start, lines = None, 0, list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r"\s*```\s*(\S*)", line)
        if fence and language is None:
            language, start, lines = fence[1], number + 1, []
        elif fence:
            yield Block(page, start, language or "", "\n".join(lines) + "\n")
            language = None
        elif language is not None:
            lines.append(line)


def check_toml(block: Block) -> str | None:
    """Check an experiment file, or an excerpt of one."""
    try:
        tables = tomllib.loads(block.text)
        if "seed" in tables and "topology" in tables:
            gossamer.check(gossamer.Experiment.from_toml(block.text, ROOT / "experiments" / "example.toml"))
        else:
            laid = dict(BASE)
            for key, value in tables.items():
                old = laid.get(key)
                merge = isinstance(value, dict) and isinstance(old, dict) and "kind" not in value
                laid[key] = {**old, **value} if merge and isinstance(old, dict) else value
            gossamer.check(gossamer.Experiment.from_dict(laid, ROOT / "experiments" / "example.toml"))
    except (tomllib.TOMLDecodeError, gossamer.InputError) as error:
        return f"{block.where()}: {error}"
    return None


class Wrong(NamedTuple):
    """What is wrong with an example, and what would put it right, where the program knows."""

    where: str
    what: str
    first_line: int = 0
    """Of what is shown to be printed, in its page."""
    shown: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()


def is_shell(block: Block) -> bool:
    """Whether a reader would type this."""
    return block.language in ("sh", "console")


def check_language(block: Block) -> str | None:
    """A block of commands that does not say so would never be carried out."""
    if block.language == "" and re.match(r"\s*(\$ |gossamer |make |\. |cat |pip |git )", block.text):
        return f"{block.where()}: commands in a block without a language: write ```sh or ```console"
    return None


def furnish(page: Path, found: list[Block]) -> None:
    """Put into the folder what a reader has; the quickstart's results are those of a smaller one."""
    for folder in ("experiments", "papers", "docs"):
        shutil.copytree(ROOT / folder, folder)
    Path(".venv").symlink_to(ROOT / ".venv")
    if page.name == "README.md":
        return
    text = "".join(block.text for block in found)
    if "mine.toml" in text:
        Path("mine.toml").write_text(_native.template("minimal"), encoding="utf-8")
    if "results/quickstart" in text:
        gossamer.run("experiments/quickstart.toml", out="results/quickstart", overrides=SMALLER)


def carry_out(page: Path, found: list[Block]) -> list[Wrong]:
    """Carry out a page's shell and Python in a scratch folder."""
    wrong: list[Wrong] = []
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        furnish(page, found)
        place = 0
        while place < len(found):
            block = found[place]
            if is_shell(block):
                end = next((at for at in range(place, len(found)) if not is_shell(found[at])), len(found))
                wrong += run_shell(found[place:end], Path(scratch))
                place = end
                continue
            if block.language == "python":
                below = found[place + 1] if place + 1 < len(found) else None
                wrong += run_python(block, names, below if below and is_output(below, block) else None)
            place += 1
    return wrong


def is_output(block: Block, of: Block) -> bool:
    """Whether this is what another block prints: it stands directly below."""
    return block.language == "text" and block.line - (of.line + of.text.count("\n")) <= 3


def run_shell(found: list[Block], folder: Path) -> Iterator[Wrong]:
    """Carry out blocks of commands."""
    page = found[0].page
    given = [
        command
        for block in found
        for command in shell.find(block.text, block.line, console=block.language == "console")
    ]
    for command, what, printed in shell.carry_out(given, folder):
        where = f"{page.relative_to(ROOT)}:{command.line}: {command.first}"
        if printed is None or command.shown is None:
            yield Wrong(where, what)
        else:
            first_line = command.line + command.text.count("\n") + 1
            yield Wrong(where, what, first_line, tuple(command.shown), tuple(shell.trimmed(printed)))


def run_python(block: Block, names: dict[str, Any], below: Block | None) -> Iterator[Wrong]:
    """Run one block, and compare what it prints with the block below, if that shows it."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(compile("\n" * (block.line - 1) + block.text, str(block.page), "exec"), names)
    except Exception:
        yield Wrong(block.where(), traceback.format_exc(limit=-1).strip())
        return
    printed = output.getvalue().splitlines()
    if below is not None and not shell.alike(below.text.splitlines(), printed):
        shown = tuple(below.text.splitlines())
        what = "prints something else:\n" + "\n".join(printed)
        yield Wrong(below.where(), what, below.line, shown, tuple(shell.trimmed(printed)))


def put_right(page: Path, found: list[Wrong]) -> list[Wrong]:
    """Put into a page what its examples print; gives what cannot be put right like that."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for wrong in sorted(found, reverse=True, key=lambda wrong: wrong.first_line):
        if wrong.shown:
            lines[wrong.first_line - 1 : wrong.first_line - 1 + len(wrong.shown)] = wrong.printed
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [wrong for wrong in found if not wrong.shown]


def check_links(page: Path) -> Iterator[str]:
    """Links to files of the checkout."""
    text = re.sub(r"^\s*```.*?^\s*```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file = target.split("#")[0]
        if file and "://" not in file and not file.startswith("mailto:") and not (page.parent / file).exists():
            yield f"{page.relative_to(ROOT)}: the link to {target} leads nowhere"


def check_generated() -> Iterator[str]:
    """Generated pages against what the program prints now."""
    for name, make in GENERATED.items():
        file = ROOT / name
        if not file.exists() or file.read_text(encoding="utf-8") != make():
            yield f"{name} is not what the program prints: run `make docs`"


def calls(page: Path) -> int:
    """How often the examples of a page call the program: about how long they take."""
    carried_out = (block.text for block in blocks(page) if block.language in ("sh", "console", "python"))
    return sum(len(re.findall(r"gossamer[ .]", text)) for text in carried_out)


def examine(page: Path, write: bool) -> tuple[list[str], dict[str, int], float]:
    """All complaints about a page, how many blocks it has of each language, and how many seconds its examples took."""
    began = time.monotonic()
    complaints, counts = list(check_links(page)), dict[str, int]()
    found = list(blocks(page))
    for block in found:
        counts[block.language] = counts.get(block.language, 0) + 1
        complaints += filter(None, [check_toml(block) if block.language == "toml" else check_language(block)])
    if counts.keys() & {"sh", "console", "python"}:
        wrong = carry_out(page, found)
        wrong = put_right(page, wrong) if write and wrong else wrong
        complaints += [f"{each.where}: {each.what}" for each in wrong]
    return complaints, counts, time.monotonic() - began


def main(arguments: list[str]) -> int:
    """Check, after writing where that is asked for."""
    write = arguments == ["--write"]
    if write:
        for name, make in GENERATED.items():
            (ROOT / name).write_text(make(), encoding="utf-8")
    elif any(argument.startswith("-") for argument in arguments):
        raise SystemExit(__doc__)
    chosen = [ROOT / name for name in arguments] if arguments and not write else pages()
    chosen.sort(key=calls, reverse=True)  # the longest first: else one core waits for the page that another began last
    complaints = [] if arguments and not write else list(check_generated())
    with ProcessPoolExecutor(os.cpu_count(), mp_context=multiprocessing.get_context("spawn")) as pool:
        outcomes = list(pool.map(examine, chosen, [write] * len(chosen)))
    counts = dict.fromkeys(LANGUAGES, 0)
    for found, languages, _ in outcomes:
        complaints += found
        for language in LANGUAGES:
            counts[language] += languages.get(language, 0)
    for complaint in complaints:
        print(f"docs: {complaint}", file=sys.stderr)
    if not complaints:
        examples = ", ".join(f"{count} {language}" for language, count in counts.items())
        slowest, page = max((seconds, page) for (_, _, seconds), page in zip(outcomes, chosen, strict=True))
        print(f"docs: {len(chosen)} pages, examples that work: {examples}; {page.name} took longest, {slowest:.0f} s")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
