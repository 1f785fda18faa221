"""A paper of one's own: a folder with claims and the package that checks them, and nothing else."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Command
from gossamer.reproduce import claims, packages
from gossamer.reproduce.registry import REPRODUCTIONS, Computation

CLAIMS = """\
[[claim]]
id = "answer"
section = "1"
setup = "one number"
value = 42
relation = "eq"

[[claim]]
id = "question"
section = "2"
setup = "another"
relation = "shape"
"""
INIT = """\
from gossamer.reproduce.registry import Computation, Measurement

from . import arithmetic

computation = Computation("example", "answer", "arithmetic.answer", computes=arithmetic.answer)


@computation.measure
def number(found: int) -> Measurement:
    return Measurement({"": found})
"""
ARITHMETIC = "def answer() -> int:\n    return 6 * 7\n"


def write(folder: Path, init: str | None = INIT, arithmetic: str = ARITHMETIC) -> Path:
    """Write a paper into `folder`; returns where its package is."""
    paper = folder / "papers" / "example"
    package = paper / "reproduction"
    package.mkdir(parents=True, exist_ok=True)
    (paper / "claims.toml").write_text(CLAIMS)
    (package / "arithmetic.py").write_text(arithmetic)
    if init is not None:
        (package / "__init__.py").write_text(init)
    return package


@pytest.fixture(autouse=True)
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a file written twice within a second would be stale
    yield
    for name in [each for each in sys.modules if each.startswith("papers.example.")]:
        del sys.modules[name]
    for key in [each for each in REPRODUCTIONS if each[0] in ("example", "another")]:
        del REPRODUCTIONS[key]


def test_a_new_paper_needs_its_folder_alone(gossamer: Command, folder: Path) -> None:
    write(folder)
    checked = gossamer("reproduce", "example")
    assert (checked.status, checked.err) == (0, "")
    assert checked.out.startswith(
        "reproduced          answer (§1)\n    42  exactly 42  0 %  reproduced\n1 reproduced\n"
    )
    listed = json.loads(gossamer("reproduce", "example", "--list", "--json").out)
    assert [entry["computation"] for entry in listed] == ["arithmetic.answer", None]


def test_a_paper_without_a_package_says_so(gossamer: Command, folder: Path) -> None:
    package = write(folder, init=None)
    for command in (["reproduce", "example"], ["reproduce", "example", "answer"], ["reproduce", "example", "--list"]):
        ended = gossamer(*command)
        assert (ended.status, ended.out) == (2, "")
        assert ended.err == (
            f"error: {package.parent}: nothing checks the claims of this paper: it has no reproduction/__init__.py\n"
        )


@pytest.mark.parametrize(
    ("init", "arithmetic", "where", "message"),
    [
        (INIT, "def answer(:\n", "/arithmetic.py:1", "SyntaxError: invalid syntax"),
        (INIT, "answer = 6 * seven\n", "/arithmetic.py:1", "NameError: name 'seven' is not defined"),
        ("import arithmetics\n", "", "/__init__.py:1", "ModuleNotFoundError: No module named 'arithmetics'"),
        (
            INIT + INIT[INIT.index("computation =") :],
            ARITHMETIC,
            "/__init__.py:11",
            "ValueError: claim 'answer' of example is registered twice",
        ),
        (INIT.replace('"answer"', '"anser"'), ARITHMETIC, "", "example has no claim 'anser': did you mean 'answer'?"),
        (
            INIT.replace('"example"', '"another"'),
            ARITHMETIC,
            "",
            "claim 'answer' is registered for 'another', not for 'example'",
        ),
    ],
)
def test_a_broken_package_is_one_message(
    gossamer: Command, folder: Path, init: str, arithmetic: str, where: str, message: str
) -> None:
    package = write(folder, init, arithmetic)
    ended = gossamer("reproduce", "example")
    assert (ended.status, ended.out, ended.err) == (2, "", f"error: {package}{where}: {message}\n")
    write(folder)
    assert gossamer("reproduce", "example").status == 0, "nothing is left of the broken one"


def test_what_lists_and_completes_papers_carries_nothing_out(gossamer: Command, folder: Path) -> None:
    write(folder, "raise SystemExit('carried out')\n")
    assert gossamer("list", "papers").out == "papers\n  example  example; 2 claims\n"


def test_a_paper_in_another_folder_takes_the_place_of_its_namesake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in (("one", "1"), ("two", "2")):
        write(tmp_path / name, arithmetic=f"def answer() -> int:\n    return {number}\n")
        monkeypatch.chdir(tmp_path / name)
        method = packages.methods(claims.paper("example"))["answer"]
        assert packages.methods(claims.paper("example"))["answer"] is method, "it is loaded once"
        assert isinstance(method, Computation)
        assert method.computes() == int(number)


def test_only_the_paper_that_is_asked_for_is_loaded(tmp_path: Path) -> None:
    """Also where Python by itself would find no papers: in a folder that is not the checkout."""
    program = (
        "import sys, gossamer; from gossamer.cli import commands; commands(sys.argv[1:], standalone_mode=False); "
        "print(*sorted(name for name in sys.modules if name.startswith('papers.')), file=sys.stderr)"
    )

    def loaded(*arguments: str) -> set[str]:
        command = [sys.executable, "-c", program, *arguments]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return {name.split(".")[1] for name in ended.stderr.split()}

    assert loaded("reproduce", "xfabric", "--list") == {"xfabric"}
    assert loaded("list") == set()
