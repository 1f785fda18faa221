"""The shell commands of a Markdown page, carried out in order, as a reader would.

A block of `sh` is a list of commands. In a block of `console` commands begin with `$ `, and what stands below one is
what it prints: `...` in a line stands for any text, a line of `...` for any lines. A command that is shown to print
`error:` must fail, every other must succeed.

A command is not carried out if its comment begins with `takes`, as in `make reproduce  # takes hours`, or if it is
`make`, which builds. Then its options are parsed, its target is looked up, and an experiment that it would run is
checked.
"""

import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from gossamer.cli import commands

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 900
"""Far more than the commands of any page take together, on a busy machine too."""


class Command(NamedTuple):
    """A command of a page."""

    line: int
    """Of the page, counted from 1."""
    text: str
    shown: list[str] | None = None
    """What the page says that it prints, if it does."""

    @property
    def first(self) -> str:
        """Its first line, for messages."""
        return self.text.splitlines()[0].strip()

    @property
    def takes(self) -> bool:
        """Whether the page says that it takes long."""
        return re.search(r"\s#\s*takes\b", self.text) is not None

    @property
    def words(self) -> list[str]:
        """Its words, up to a pipe or a redirection."""
        words = shlex.split(self.text.split("<<")[0], comments=True)
        ends = [place for place, word in enumerate(words) if word in ("|", ">", ">>", "&&", ";")]
        return words[: min(ends, default=len(words))]


def find(text: str, first_line: int, *, console: bool) -> Iterator[Command]:
    """The commands of a block."""
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        start, line = place, lines[place]
        place += 1
        if (console and not line.startswith("$ ")) or not line.strip() or line.lstrip().startswith("#"):
            continue
        command = [line.removeprefix("$ ")]
        while command[-1].endswith("\\") and place < len(lines):
            command.append(lines[place].removeprefix("> "))
            place += 1
        here = re.search(r"<<\s*['\"]?(\w+)", command[-1])
        while here and place < len(lines) and command[-1] != here[1]:
            command.append(lines[place])
            place += 1
        shown = None
        if console:
            end = next((at for at in range(place, len(lines)) if lines[at].startswith("$ ")), len(lines))
            shown = lines[place:end] or None
            place = end
        yield Command(first_line + start, "\n".join(command), shown)


def parse(words: list[str]) -> str | None:
    """Parse a command of the program without carrying it out; what is wrong with it, if anything is."""
    try:
        if not words or words[0].startswith("-"):
            commands.make_context("gossamer", list(words))
            return None
        group: click.Command = commands
        context = click.Context(commands, info_name="gossamer")
        name, rest = "gossamer", list(words)
        while isinstance(group, click.Group) and rest and not rest[0].startswith("-"):
            found, command, rest = group.resolve_command(context, rest)
            if command is None:
                break
            name, group = found or name, command
            if isinstance(group, click.Group):
                context = click.Context(group, parent=context, info_name=name)
        group.make_context(name, rest, parent=context)
    except click.exceptions.Exit:
        return None
    except click.ClickException as error:
        return error.format_message()
    return None


def targets() -> set[str]:
    """The Makefile's."""
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def examine(command: Command) -> str | None:
    """What is wrong with a command, as far as that is known without carrying it out."""
    words = command.words
    if words[:1] == ["gossamer"]:
        return parse(words[1:])
    if words[:1] == ["make"]:
        unknown = [word for word in words[1:] if "=" not in word and word not in targets()]
        return f"the Makefile has no target {unknown[0]!r}" if unknown else None
    return None


def substitute(command: Command) -> str | None:
    """What is carried out in the place of a command that takes long, if anything is."""
    words = command.words
    if words[:2] == ["gossamer", "run"]:
        kept = [words[2]]
        kept += [word for pair in itertools.pairwise(words) if pair[0] == "--set" for word in pair]
        return shlex.join(["gossamer", "check", *kept])
    return None


def carry_out(found: list[Command], folder: Path) -> Iterator[tuple[Command, str, list[str] | None]]:
    """Carry out commands in a folder; gives those that went wrong, how, and what they print if that is wrong."""
    script, run = list[str](), list[tuple[int, Command]]()
    printed = Path(tempfile.mkdtemp(prefix=".printed-", dir=folder))
    for number, command in enumerate(found):
        complaint = examine(command)
        if complaint:
            yield command, complaint, None
            continue
        text = command.text
        if command.words[:1] == ["make"] or command.takes:
            short = None if command.words[:1] == ["make"] else substitute(command)
            if short is None:
                continue
            text, command = short, command._replace(shown=None)
        run.append((number, command))
        script.append(f"{{\n{text}\n}} > {printed}/{number} 2>&1 < /dev/null\necho $? > {printed}/{number}.status\n")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    settings = {"PATH": path, "COLUMNS": "100", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    try:
        shell = ["bash", "-c", "".join(script)]
        subprocess.run(shell, cwd=folder, env={**os.environ, **settings}, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        pass
    for number, command in run:
        status = printed / f"{number}.status"
        if not status.exists():
            yield command, f"was not carried out: {LIMIT_S} s are over, or a command before it left the shell", None
            return
        output = (printed / str(number)).read_text(encoding="utf-8", errors="replace").splitlines()
        failed, expected = status.read_text().strip() != "0", "error:" in "".join((command.shown or [])[:1])
        if failed != expected:
            told = "\n".join(output[-12:])
            yield command, f"{'fails' if failed else 'should fail, and does not'}:\n{told}", None
        elif command.shown is not None and not alike(command.shown, output):
            yield command, "prints something else:\n" + "\n".join(output), output


def alike(shown: list[str], printed: list[str]) -> bool:
    """Whether what was printed is what is shown, where `...` stands for anything."""
    pattern = ""
    for line in trimmed(shown):
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += r"[^\n]*?".join(re.escape(part) for part in line.split("...")) + "\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in trimmed(printed))) is not None


def trimmed(lines: list[str]) -> list[str]:
    """Without blanks at the ends of lines, and without empty lines at the end."""
    kept = [line.rstrip() for line in lines]
    while kept and not kept[-1]:
        kept.pop()
    return kept
