"""The claims of a paper, as `papers/NAME/claims.toml` lists them."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from gossamer.errors import InputError, cure
from gossamer.shipped import shipped

Number: TypeAlias = int | float | bool | str
"""One number that a paper prints, or a word where it prints a formula."""

Value: TypeAlias = Number | Sequence[Number] | Mapping[str, Number | Sequence[Number]] | None
"""What a paper says: one number, several in a row, or several by name. None where it draws a shape."""

Relation = Literal["eq", "approx", "le", "ge", "shape", "given"]
"""How a measurement must relate to what the paper says; `verdict.judge` gives each its meaning."""

NO_PAPERS = (
    "no folder `papers` here or in a parent folder, and this installation was built without: "
    "run this in a checkout of Gossamer, or install the wheel that `make wheel` builds there"
)

ALL = "all"
"""Stands for every paper where a paper is named."""

FIELDS = ("id", "section", "setup", "value", "unit", "relation", "tol", "kind", "note")


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a paper says that can be checked."""

    paper: str
    id: str
    section: str
    setup: str
    relation: Relation
    value: Value = None
    unit: str | None = None
    tol: float | None = None
    """How far off an approximate claim may be, as a fraction of what the paper says."""
    kind: str = "sim"
    """What it takes to check it: a closed-form model, a simulation, or a model of a device's pipeline."""
    note: str | None = None

    @property
    def rows(self) -> Mapping[str, Number]:
        """The numbers of the claim by name; a single one has the name of nothing.

        Several in a row under one name have no names of their own: what measures them states them.
        """
        if isinstance(self.value, Mapping):
            return {name: each for name, each in self.value.items() if isinstance(each, Number)}
        if self.value is None or (isinstance(self.value, Sequence) and not isinstance(self.value, str)):
            return {}
        return {"": self.value}

    def stated(self) -> str:
        """What the claim says in numbers, in a few words: `0.94 within 5 % Gb/s, and 4 more`."""
        from gossamer.reproduce.verdict import Requirement, printed, stated_interval  # which needs this module

        interval = stated_interval(self)
        if self.relation == "shape":
            return "in words" if interval is None else Requirement("between", interval).text()
        if self.value is None:
            return "in words"
        if not self.rows:
            if isinstance(self.value, Mapping):
                return ", ".join(self.value)
            return ", ".join(map(str, self.value)) if isinstance(self.value, Sequence) else str(self.value)
        (name, first), *more = self.rows.items()
        must = Requirement(self.relation, first, self.tol).text() if not isinstance(first, str) else printed(first)
        parts = [f"{name}:" if name else "", must, self.unit or ""]
        return " ".join(filter(None, parts)) + (f", and {len(more)} more" if more else "")


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper that can be reproduced: its folder and its claims, in the paper's order."""

    name: str
    folder: Path
    summary: str
    claims: tuple[Claim, ...]

    def claim(self, identifier: str) -> Claim:
        """Find a claim by its id, or name the nearest one."""
        for claim in self.claims:
            if claim.id == identifier:
                return claim
        all_of_them = f"`gossamer reproduce {self.name} --list` lists them all"
        hint = cure(identifier, (claim.id for claim in self.claims), all_of_them)
        raise InputError(f"{self.name} has no claim {identifier!r}: {hint}")


def papers_folder() -> Path | None:
    """The `papers` folder: here or above, or the one that comes with this package."""
    here = Path.cwd()
    for start in (here, *here.parents):
        if any((start / "papers").glob("*/claims.toml")):
            return start / "papers"
    return shipped("papers")


def papers() -> dict[str, Paper]:
    """All papers that can be found, by name."""
    folder = papers_folder()
    if folder is None:
        return {}
    return {file.parent.name: read(file) for file in sorted(folder.glob("*/claims.toml"))}


def paper(name: str) -> Paper:
    """Find a paper by name, or name the nearest one."""
    known = papers()
    if name in known:
        return known[name]
    if not known:
        raise InputError(f"no paper {name!r}: {NO_PAPERS}")
    raise InputError(f"no paper {name!r}: {cure(name, known)}")


def named(name: str) -> list[Paper]:
    """The paper of this name, or every paper for `all`; else name the nearest one."""
    known = papers()
    if ALL in known:
        raise InputError(f"{known[ALL].folder}: {ALL!r} stands for every paper: give this one another name")
    if name == ALL and known:
        return list(known.values())
    if name in known or not known:
        return [paper(name)]
    raise InputError(f"no paper {name!r}: {cure(name, [*known, ALL])}")


def read(file: Path) -> Paper:
    """Read a paper's claims."""
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8")).get("claim", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from None
    name = file.parent.name
    claims = tuple(_claim(entry, name, file) for entry in entries)
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise InputError(f"{file}: claim {claim.id!r} is there twice")
        seen.add(claim.id)
    return Paper(name, file.parent, _summary(file.parent / "README.md", name), claims)


def _claim(entry: Mapping[str, Any], name: str, file: Path) -> Claim:
    """Check one entry."""
    where = f"{file}: claim {entry.get('id', '?')!r}"
    for key in entry:
        if key not in FIELDS:
            raise InputError(f"{where}: unknown key {key!r}; {cure(key, FIELDS)}")
    for key in ("id", "section", "setup", "relation"):
        if not isinstance(entry.get(key), str):
            raise InputError(f"{where}: needs a text under {key!r}")
    if entry["relation"] not in get_args(Relation):
        raise InputError(f"{where}: relation {entry['relation']!r} is none of {', '.join(get_args(Relation))}")
    return Claim(paper=name, **entry)


def _summary(readme: Path, name: str) -> str:
    """The first heading of the paper's README: what it is called."""
    if readme.is_file():
        for line in readme.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                return line[2:].strip()
    return name
