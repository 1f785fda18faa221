"""`gossamer examples`: the experiments that come with Gossamer, to run, read and change."""

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from gossamer.cli import completion, page
from gossamer.cli.new import write
from gossamer.errors import InputError, cure
from gossamer.shipped import shipped


@click.command(context_settings=page.SETTINGS, short_help="List the experiments that come with Gossamer, or copy one.")
@click.argument("name", required=False, shell_complete=completion.examples)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@page.as_json
def examples(name: str | None, file: Path | None, as_json: bool) -> None:
    """List the experiments that come with Gossamer, or copy the one called NAME to FILE (default NAME.toml).

    Each is a whole comparison whose comments say what it asks and what to look for. What an experiment reads is copied
    as well, to the same folder. An existing file is never overwritten. If FILE is `-`, the text is printed.

    `gossamer new` writes shorter files, to begin one of your own.

    \b
    Examples:
      gossamer examples                       their names and titles
      gossamer examples incast                incast.toml in this folder
      gossamer examples incast mine.toml      the same under another name
      gossamer examples --json | jq -r '.[].name'

    With --json: a list of {"name", "title"}.
    """
    known = experiments()
    if name is None:
        titles = {each: str(read(found).get("title", "")) for each, found in known.items()}
        if as_json:
            print(json.dumps([{"name": each, "title": title} for each, title in titles.items()], indent=2))
            return
        widest = max(map(len, titles))
        for each, title in titles.items():
            print(f"{each:<{widest}}  {title}")
        print("`gossamer examples NAME` copies one to this folder")
        return
    if as_json:
        raise InputError("--json goes with the list: omit the name")
    chosen = name.removesuffix(".toml")
    if chosen not in known:
        raise InputError(f"no example {name!r}: {cure(chosen, known, '`gossamer examples` lists them')}")
    copy(known[chosen], file or Path(f"{chosen}.toml"))


def experiments() -> dict[str, Path]:
    """The files that come with this package, by name."""
    folder = shipped("experiments")
    if folder is None:
        raise InputError(
            "this installation was built without experiments: install the wheel that `make wheel` builds in a checkout"
        )
    return {file.stem: file for file in sorted(folder.glob("*.toml"), key=lambda file: file.stem)}


def copy(source: Path, target: Path) -> None:
    """Copy an experiment and the files that it reads."""
    text = source.read_text(encoding="utf-8")
    if target == Path("-"):
        sys.stdout.write(text)
        return
    if not write(target, text):
        raise InputError(f"{target}: already exists and is not overwritten: name another file")
    for beside in companions(read(source), source.parent):
        copied = target.with_name(beside.name)
        done = write(copied, beside.read_text(encoding="utf-8"))
        print(f"wrote {copied}" if done else f"kept the existing {copied}")
    print(f"wrote {target}; `gossamer check {target}` shows what it runs")


def read(file: Path) -> dict[str, Any]:
    """An experiment's tables, as they are written."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def companions(value: Any, folder: Path) -> Iterator[Path]:
    """The files of a folder that an experiment names."""
    if isinstance(value, dict):
        for member in value.values():
            yield from companions(member, folder)
    elif isinstance(value, list):
        for member in value:
            yield from companions(member, folder)
    elif isinstance(value, str) and value == Path(value).name and (folder / value).is_file():
        yield folder / value
