"""What a shell completes: experiment files, results folders, and the names that commands take.

Shells ask click, which asks these: `eval "$(_GOSSAMER_COMPLETE=bash_source gossamer)"`, see docs/command-line.md.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from gossamer import _native


def experiments(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Experiment files: TOML with a topology."""
    return _paths(incomplete, lambda path: path.suffix == ".toml" and b"[topology]" in path.read_bytes())


def results(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Results folders: those with a manifest."""
    return _paths(incomplete, lambda path: (path / "manifest.json").is_file())


def kinds(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kinds of experiment file to start from."""
    from gossamer.cli.new import KINDS

    return _named(KINDS, incomplete)


def examples(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Experiments that come with Gossamer."""
    from gossamer.cli.examples import experiments

    return _named(experiments(), incomplete)


def lists(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What can be listed."""
    from gossamer.cli.listing import KINDS

    return _named(KINDS, incomplete)


def papers(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Papers whose claims are here, and what stands for all of them."""
    from gossamer.reproduce.claims import ALL, papers

    return _named([*papers(), ALL], incomplete)


def claims(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Claims of the paper that was named before."""
    from gossamer.reproduce.claims import papers

    chosen = papers().get(context.params.get("paper") or "")
    return _named([claim.id for claim in chosen.claims] if chosen else [], incomplete)


def keys(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Keys of an experiment file as `--set` takes them, a level at a time; members of a list by number."""
    if "=" in incomplete:
        return []
    schema = json.loads(_native.schema())
    depth = incomplete.count(".") + 1
    found = dict.fromkeys(key for key in _keys(schema, schema, depth) if key.startswith(incomplete))
    return [CompletionItem(key) for key in found]


def _keys(node: Any, schema: dict[str, Any], depth: int) -> Iterator[str]:
    """Keys of a table in the schema, down to `depth` names; those that lead further end in a dot, others in `=`."""
    for name, value in _members(node, schema):
        below = list(_keys(value, schema, depth - 1)) if depth > 1 else []
        if below:
            yield from (f"{name}.{key}" for key in below)
        else:
            yield f"{name}." if next(_members(value, schema), None) is not None else f"{name}="


def _members(node: Any, schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a table has by key, and a list by number, in all forms that the schema allows."""
    if not isinstance(node, dict):
        return
    if "$ref" in node:
        yield from _members(schema["definitions"][node["$ref"].rsplit("/", 1)[-1]], schema)
    yield from node.get("properties", {}).items()
    if "items" in node and next(_members(node["items"], schema), None) is not None:
        yield "0", node["items"]
    for form in ("oneOf", "anyOf", "allOf"):
        for each in node.get(form, []):
            yield from _members(each, schema)


def _named(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _paths(incomplete: str, wanted: Any) -> list[CompletionItem]:
    """Files or folders that are wanted, with the folders that may contain them; the shell's own where there is none."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    prefix = incomplete[: incomplete.rfind("/") + 1]
    found, folders = [], []
    try:
        for path in sorted(folder.iterdir()):
            name = f"{prefix}{path.name}"
            if not name.startswith(incomplete) or path.name.startswith("."):
                continue
            if wanted(path):
                found.append(name)
            elif path.is_dir():
                folders.append(f"{name}/")
    except OSError:
        return []
    if not found:
        return [CompletionItem(incomplete, type="dir")]
    return [CompletionItem(name) for name in (*found, *folders)]
