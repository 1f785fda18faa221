"""An experiment in Python: its text, where it came from, and copies of it with keys changed."""

import os
import stat
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import tomli_w

from gossamer.errors import InputError, cure, nearest

Source: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Experiment"
"""What can be run: a file's path, the tables of an experiment file as a dict, or an `Experiment`."""


LONGEST = 16 << 20
"""Bytes of the longest experiment file that is read."""


class Experiment:
    """An experiment file's text and the file name that its messages and relative paths refer to.

    Nothing is checked until it is run, or by `gossamer.check`. An experiment never changes: `with_` makes a copy.

        experiment = gossamer.Experiment.from_file("experiments/quickstart.toml")
        longer = experiment.with_({"duration": "50 ms", "workload.0.load": 0.6})
    """

    __slots__ = ("_file", "_text")

    def __init__(self, text: str, file: str | os.PathLike[str] = "experiment.toml") -> None:
        """`text` is TOML; `file` names it, and paths inside it are relative to that file's folder."""
        self._text = text
        self._file = os.fspath(file)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "Experiment":
        """Read an experiment file. Raises `InputError` where there is none that can be read."""
        return cls(read_text(Path(path)), path)

    @classmethod
    def from_toml(cls, text: str, file: str | os.PathLike[str] = "experiment.toml") -> "Experiment":
        """Make an experiment of TOML text."""
        return cls(text, file)

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any], file: str | os.PathLike[str] = "experiment.toml") -> "Experiment":
        """Make an experiment of the tables that its file would hold, as nested dicts and lists."""
        return cls(_toml(tables), file)

    @classmethod
    def of(cls, source: Source) -> "Experiment":
        """Make an experiment of whatever `gossamer.run` takes."""
        if isinstance(source, Experiment):
            return source
        if isinstance(source, Mapping):
            return cls.from_dict(source)
        return cls.from_file(source)

    @property
    def text(self) -> str:
        """The experiment as TOML text, to the letter."""
        return self._text

    @property
    def file(self) -> str:
        """The file that messages name and that relative paths start from."""
        return self._file

    @property
    def name(self) -> str:
        """The file's name without folder and ending: what its results folder is called."""
        return Path(self._file).stem or "experiment"

    def to_toml(self) -> str:
        """The experiment as TOML text; the same as `text`."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The experiment's tables. Raises `InputError` where its text is not TOML."""
        try:
            return tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{self._file}: not a TOML file: {error}") from None

    def with_(self, changes: Mapping[str, Any] | None = None, /, **keys: Any) -> "Experiment":
        """A copy with keys changed.

        Keys are written as in `[[variant]]`: `with_(seed=2)`, `with_({"fabric.queue": "50 packets"})`; a list's
        member goes by index or by name (`"workload.0.load"`, `"workload.background.load"`). A dict is merged into
        the table that is there, anything else takes the key's place, and None removes the key.
        The copy's comments are gone: its text is written anew.
        """
        tables = self.to_dict()
        for key, value in {**(changes or {}), **keys}.items():
            _set(tables, _segments(key), value, key)
        return Experiment(_toml(tables), self._file)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Experiment):
            return NotImplemented
        return (self._text, self._file) == (other._text, other._file)

    def __hash__(self) -> int:
        return hash((self._text, self._file))

    def __repr__(self) -> str:
        return f"Experiment({self._file!r}, {len(self._text.splitlines())} lines)"


def read_text(path: Path) -> str:
    """Read a text file that a person named. Every way in which that fails is one `InputError`."""
    try:
        raw = _bytes(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{_nearest(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, not an experiment file{_members(path)}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}: not UTF-8 text (byte 0x{raw[error.start]:02x} at offset {error.start}): save it as UTF-8"
        ) from None


def _bytes(path: Path) -> bytes:
    """Read a regular file: a device or a pipe could go on for ever, and no experiment is that long."""
    about = path.stat()
    if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
        raise InputError(f"{path}: is a device or a pipe, not a regular file; write it to a file first")
    if about.st_size > LONGEST:
        raise InputError(f"{path}: is longer than {LONGEST >> 20} MiB; an experiment file is a few KB")
    return path.read_bytes()


def _nearest(path: Path) -> str:
    """Name the file that was probably meant."""
    try:
        there = [entry.stem for entry in path.parent.iterdir() if entry.suffix == ".toml"]
    except OSError:
        return ""
    # By their stems: that all of them end in .toml makes none of them nearer.
    near = nearest(path.stem, there)
    return "" if near is None else f"; did you mean {path.parent / near}.toml?"


def _members(folder: Path) -> str:
    """Name an experiment file in the folder. Not every TOML file is one, but one without a topology is none."""
    for file in sorted(folder.glob("*.toml")):
        if b"[topology]" in file.read_bytes():
            return f"; did you mean {file}?"
    return ""


def _segments(key: str) -> list[str]:
    """Split a dotted key. Below `sweep` a key is one whole, because axes are dotted keys themselves."""
    parts = key.split(".")
    if "" in parts:
        raise InputError(f"key {key!r}: a part between dots is empty")
    if parts[0] == "sweep" and len(parts) > 2:
        return ["sweep", ".".join(parts[1:])]
    return parts


def _set(tables: dict[str, Any], segments: Sequence[str], value: Any, key: str) -> None:
    """Set, merge or remove one key, making the tables on the way to it."""
    here: Any = tables
    for segment in segments[:-1]:
        here = here[_index(here, segment, key)] if isinstance(here, list) else here.setdefault(segment, {})
        if not isinstance(here, dict | list):
            raise InputError(f"key {key!r}: {segment!r} is a value, not a table")
    last = segments[-1]
    if isinstance(here, list):
        position = _index(here, last, key)
        if value is None:
            del here[position]
        else:
            here[position] = _merged(here[position], value)
    elif value is None:
        here.pop(last, None)
    else:
        here[last] = _merged(here.get(last), value)


def _merged(old: Any, new: Any) -> Any:
    """A table takes in another table's keys; everything else is replaced."""
    if not (isinstance(old, dict) and isinstance(new, Mapping)):
        return new
    merged = dict(old)
    for key, value in new.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), value)
    return merged


def _index(members: list[Any], segment: str, key: str) -> int:
    """Find a list's member by its index, its `name` or, where it has none, its `kind`."""
    if segment.isdecimal():
        if int(segment) < len(members):
            return int(segment)
        raise InputError(f"key {key!r}: there is no member {segment}; members are 0 to {len(members) - 1}")
    names = [str(member.get("name", member.get("kind", ""))) if isinstance(member, dict) else "" for member in members]
    if segment in names:
        return names.index(segment)
    raise InputError(f"key {key!r}: nothing is named {segment!r}; {cure(segment, names)}")


def _toml(tables: Mapping[str, Any]) -> str:
    """Write tables as TOML text, or say which value cannot be written."""
    plain = _plain(tables, "")
    return tomli_w.dumps(plain)


def _plain(value: Any, key: str) -> Any:
    """Only what TOML knows; numpy's numbers and paths are taken for what they stand for."""
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise InputError(
                    f"key {key + '.' if key else ''}{name!r}: keys must be strings, not {type(name).__name__}"
                )
        return {name: _plain(member, f"{key}.{name}" if key else name) for name, member in value.items()}
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), key)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_plain(member, f"{key}.{index}") for index, member in enumerate(value)]
    raise InputError(f"key {key!r}: {value!r} is a {type(value).__name__}, which an experiment file cannot hold")
