"""Check that the documentation is true: its examples work, its links lead somewhere, its generated pages are current.

    python tools/docs.py            check
    python tools/docs.py --write    make the generated pages again, then check

In every Markdown page of the checkout:

- a block of `toml` is a whole experiment file where it sets `seed`; otherwise it is laid over a small one. Both are
  checked as `gossamer check` does.
- the blocks of `python` of a page are run in order, in one namespace, in a scratch folder that has what a reader has by
  then: the checkout's experiments and papers, an experiment `mine.toml`, and `results/quickstart`.
- in blocks of `console` and `sh`, every `gossamer` command is parsed, and every `make` target looked up.
- a link to a file of the checkout must lead to one.
"""

import contextlib
import io
import re
import shlex
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

import gossamer
from gossamer import _native
from gossamer.cli import commands
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

GENERATED: dict[str, Callable[[], str]] = {
    "docs/experiments.md": _native.reference,
    "docs/experiment.schema.json": lambda: _native.schema().rstrip("\n") + "\n",
    "docs/reproduction.md": lambda: scoreboard.page(papers(), scoreboard.read(ROOT / "docs")),
}
"""Pages that are printed by the program itself."""


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


def check_shell(block: Block) -> Iterator[str]:
    """Check the commands that a reader would type."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for line in block.text.splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True)
        if words[:1] == ["gossamer"]:
            command = words[1 : words.index("|")] if "|" in words else words[1:]
            if ">" in command:
                command = command[: command.index(">")]
            complaint = parse(command)
            if complaint:
                yield f"{block.where()}: {line.strip()}: {complaint}"
        elif words[:1] == ["make"]:
            for target in words[1:]:
                if "=" not in target and target not in targets:
                    yield f"{block.where()}: {line.strip()}: the Makefile has no target {target!r}"


def parse(words: list[str]) -> str | None:
    """Parse a command as the program would, without carrying it out."""
    try:
        if not words or words[0].startswith("-"):
            commands.make_context("gossamer", list(words))
            return None
        top = click.Context(commands, info_name="gossamer")
        name, command, rest = commands.resolve_command(top, list(words))
        if command is not None:
            command.make_context(name, rest, parent=top)
    except click.exceptions.Exit:
        return None
    except click.ClickException as error:
        return error.format_message()
    return None


def furnish() -> None:
    """Put into the folder what examples speak of; the quickstart's results are those of a smaller network."""
    for folder in ("experiments", "papers"):
        Path(folder).symlink_to(ROOT / folder)
    Path("mine.toml").write_text(_native.template("minimal"), encoding="utf-8")
    smaller = ["topology.k=4", "duration=4 ms", "warmup=0 ms", "workload.web.stop=3 ms"]
    gossamer.run("experiments/quickstart.toml", out="results/quickstart", overrides=smaller)


def run_python(page: Path, found: list[Block]) -> str | None:
    """Run a page's Python in a scratch folder. What it prints is not compared."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        furnish()
        for block in found:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
            except Exception:
                return f"{block.where()}: {traceback.format_exc(limit=-1).strip()}"
    return None


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


def main(arguments: list[str]) -> int:
    """Check, after writing where that is asked for."""
    if arguments == ["--write"]:
        for name, make in GENERATED.items():
            (ROOT / name).write_text(make(), encoding="utf-8")
    elif arguments:
        raise SystemExit(__doc__)
    complaints = list(check_generated())
    counts = {"toml": 0, "python": 0, "console": 0, "sh": 0}
    for page in pages():
        complaints += check_links(page)
        python = []
        for block in blocks(page):
            counts[block.language] = counts.get(block.language, 0) + 1
            if block.language == "toml":
                complaints += filter(None, [check_toml(block)])
            elif block.language in ("console", "sh"):
                complaints += check_shell(block)
            elif block.language == "python":
                python.append(block)
        if python:
            complaints += filter(None, [run_python(page, python)])
    for complaint in complaints:
        print(f"docs: {complaint}", file=sys.stderr)
    if not complaints:
        examples = ", ".join(f"{counts[language]} {language}" for language in ("toml", "python", "console", "sh"))
        print(f"docs: {len(pages())} pages, examples that work: {examples}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
