"""What differs between the experiment files of several results folders, key by key."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gossamer.errors import InputError
from gossamer.experiment import Experiment
from gossamer.results import Results

__all__ = ["Setting", "differing_inputs", "differing_settings", "settings_of"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A key that is not the same everywhere."""

    key: str
    """Dotted, as `--set` and `[[variant]]` write it: `workload.web.load`."""
    values: tuple[str | None, ...]
    """Its value in each folder, as TOML writes it; None where the file does not set it, so that its default holds."""


def differing_settings(folders: Sequence[Results]) -> list[Setting] | None:
    """Keys with their values wherever they differ; None if a folder has no experiment file that is TOML."""
    found = [settings_of(results) for results in folders]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    keys = dict.fromkeys(key for each in known for key in each)
    settings = (Setting(key, tuple(each.get(key) for each in known)) for key in keys)
    return [setting for setting in settings if len(set(setting.values)) > 1]


def differing_inputs(folders: Sequence[Results]) -> list[str]:
    """Names of other files that the experiments read and that are not the same everywhere."""
    names = dict.fromkeys(name for results in folders for name in results.manifest.inputs)
    return [name for name in names if len({results.manifest.inputs.get(name) for results in folders}) > 1]


def settings_of(results: Results) -> dict[str, str] | None:
    """Every key that an experiment sets and its value as TOML, with `--set` laid over its file; None without a file."""
    if not results.experiment:
        return None
    experiment = Experiment.from_toml(results.experiment)
    apart = {}
    try:
        for override in results.manifest.overrides:
            key, _, value = override.partition("=")
            try:
                experiment = experiment.with_({key.strip(): _value(value.strip())})
                if key.strip() in (experiment.to_dict().get("sweep") or {}):
                    experiment = experiment.with_({f"sweep.{key.strip()}": None})  # one value instead of the axis
            except InputError:  # a key that this version finds no place for
                apart[f"--set {key.strip()}"] = value.strip()
        tables = experiment.to_dict()
    except InputError:
        return None
    return {key: _shown(value) for key, value in _flat(tables, "")} | apart


def _value(text: str) -> Any:
    """The value of `--set KEY=VALUE`: TOML, or else a string without its quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _flat(value: Any, key: str) -> list[tuple[str, Any]]:
    """Dotted keys and their values; members of a list of tables by their name or kind, where that is theirs alone."""
    if isinstance(value, Mapping) and (value or not key):
        return [each for name, member in value.items() for each in _flat(member, f"{key}.{name}" if key else name)]
    if isinstance(value, list) and value and all(isinstance(member, Mapping) for member in value):
        names = [str(member.get("name", member.get("kind", ""))) for member in value]
        unique = "" not in names and len(set(names)) == len(names)
        members = zip(names if unique else map(str, range(len(value))), value, strict=True)
        return [each for name, member in members for each in _flat(member, f"{key}.{name}")]
    return [(key, value)]


def _shown(value: Any) -> str:
    """A value as TOML writes it, on one line."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{name} = {_shown(member)}" for name, member in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
