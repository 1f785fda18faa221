"""An installation without a checkout: the package and its data in a folder of their own, called from an empty one."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conftest import ROOT, Command
from gossamer.cli import examples

PACKAGE = ROOT / "python" / "gossamer"
EXAMPLES = sorted(file.stem for file in (ROOT / "experiments").glob("*.toml"))


def installed(tmp_path: Path, *, data: bool) -> Path:
    """A folder with the package as it would be installed: its files, of which only the large one is a link."""
    place = tmp_path / "site"
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "data")
    shutil.copytree(PACKAGE, place / "gossamer", ignore=ignored)
    for library in PACKAGE.glob("_native*.so"):
        (place / "gossamer" / library.name).symlink_to(library)
    for name in ("experiments", "papers") if data else ():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, place / "gossamer" / "data" / name, ignore=ignored)
    return place


def call(place: Path, work: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Carry out a command of the installed package in a folder."""
    work.mkdir(exist_ok=True)
    # -S: without the files of site-packages that name a checkout.
    libraries = [str(place), *(path for path in sys.path if path.endswith("site-packages"))]
    return subprocess.run(
        [sys.executable, "-S", "-m", "gossamer", *arguments],
        cwd=work,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(libraries), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_whole_way_works_without_a_checkout(tmp_path: Path) -> None:
    place, work = installed(tmp_path, data=True), tmp_path / "work"
    for arguments in (
        ["new"],
        ["check", "minimal.toml"],
        ["examples", "pfc-deadlock"],
        ["check", "pfc-deadlock.toml"],
        ["run", "minimal.toml", "--set", "duration=20 us", "--set", "warmup=0 s"],
        ["list", "papers"],
        ["plan", "stardust", "--hosts", "1000"],
        ["reproduce", "shoal", "--list"],
        ["topology", "list", "minimal.toml"],
    ):
        done = call(place, work, *arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    assert sorted(path.name for path in work.iterdir()) == [
        "minimal.toml",
        "pfc-deadlock.toml",
        "results",
        "ring-of-five.json",
    ]
    assert (work / "results" / "minimal" / "report.html").is_file()


def test_claims_are_checked_without_a_checkout_and_recorded_only_in_one(tmp_path: Path) -> None:
    place, work = installed(tmp_path, data=True), tmp_path / "work"
    done = call(place, work, "reproduce", "stardust", "fig2a-1tier-l1")
    assert done.returncode == 0, done.stderr
    assert (work / "results" / "reproduce" / "stardust" / "index.html").is_file()
    refused = call(place, work, "reproduce", "stardust", "--write-docs")
    docs = place / "gossamer" / "data" / "docs"
    assert (refused.returncode, refused.stderr) == (
        2,
        f"error: {docs}: no such folder: --write-docs works in a checkout\n",
    )


def test_a_package_built_without_its_data_says_what_it_needs(tmp_path: Path) -> None:
    place, work = installed(tmp_path, data=False), tmp_path / "work"
    for arguments, message in (
        (
            ["examples"],
            "this installation was built without experiments: install the wheel that `make wheel` builds in a checkout",
        ),
        (
            ["reproduce", "stardust"],
            "no paper 'stardust': no folder `papers` here or in a parent folder, and this installation was built "
            "without: run this in a checkout of Gossamer, or install the wheel that `make wheel` builds there",
        ),
        (
            ["reproduce"],
            "no folder `papers` here or in a parent folder, and this installation was built "
            "without: run this in a checkout of Gossamer, or install the wheel that `make wheel` builds there",
        ),
    ):
        done = call(place, work, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {message}\n")


class TestExamples:
    """`gossamer examples`."""

    def test_they_are_listed_with_their_titles(self, gossamer: Command) -> None:
        *lines, last = gossamer("examples").out.splitlines()
        assert [line.split()[0] for line in lines] == EXAMPLES
        for name, line in zip(EXAMPLES, lines, strict=True):
            assert line.endswith("  " + tomllib.loads((ROOT / "experiments" / f"{name}.toml").read_text())["title"])
        assert last == "`gossamer examples NAME` copies one to this folder"
        assert '"name": "quickstart"' in gossamer("examples", "--json").out

    @pytest.mark.parametrize("name", EXAMPLES)
    def test_each_is_whole_where_it_is_copied_to(self, gossamer: Command, folder: Path, name: str) -> None:
        copied = gossamer("examples", name)
        assert (copied.status, copied.err) == (0, "")
        assert copied.out.splitlines()[-1] == f"wrote {name}.toml; `gossamer check {name}.toml` shows what it runs"
        assert (folder / f"{name}.toml").read_text() == (ROOT / "experiments" / f"{name}.toml").read_text()
        assert gossamer("check", f"{name}.toml").status == 0

    def test_nothing_is_overwritten(self, gossamer: Command, folder: Path) -> None:
        (folder / "ring-of-five.json").write_text("{}")
        kept = gossamer("examples", "pfc-deadlock.toml", "ring.toml")
        assert kept.out.splitlines()[0] == "kept the existing ring-of-five.json"
        again = gossamer("examples", "pfc-deadlock", "ring.toml")
        message = "error: ring.toml: already exists and is not overwritten: name another file\n"
        assert (again.status, again.err) == (2, message)

    def test_one_can_be_printed(self, gossamer: Command) -> None:
        assert gossamer("examples", "incast", "-").out == (ROOT / "experiments" / "incast.toml").read_text()

    def test_a_wrong_name_is_answered_with_the_nearest(self, gossamer: Command) -> None:
        wrong = gossamer("examples", "incats")
        assert (wrong.status, wrong.err) == (2, "error: no example 'incats': did you mean 'incast'?\n")
        unknown = gossamer("examples", "zzzzzz")
        assert unknown.err == "error: no example 'zzzzzz': `gossamer examples` lists them\n"
        assert gossamer("examples", "incast", "--json").err == "error: --json goes with the list: omit the name\n"

    def test_only_files_beside_an_experiment_are_taken_along(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            (tmp_path / name).write_text("")
        found = examples.companions({"x": [{"path": "a"}, {"path": "../a"}], "title": "b c", "rate": "c"}, tmp_path)
        assert list(found) == [tmp_path / "a"]


def test_a_wheel_takes_experiments_and_papers_along(tmp_path: Path) -> None:
    """What the tests above take an installation to be; maturin itself, which compiles, is played by another."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Cargo.toml", tmp_path)
    for file in ("experiments/a.toml", "papers/b/claims.toml", "papers/b/reproduction/__pycache__/c.pyc"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    (tmp_path / "python" / "gossamer" / "data" / "experiments").mkdir(parents=True)
    (tmp_path / "python" / "gossamer" / "data" / "experiments" / "stale.toml").write_text("")
    maturin = tmp_path / ".venv" / "bin" / "maturin"
    maturin.parent.mkdir(parents=True)
    maturin.write_text("#!/bin/sh\necho $1\ncd python/gossamer && find data -type f | sort\n")
    maturin.chmod(0o755)
    step = [str(tmp_path / "tools" / "setup.sh"), "wheel"]
    built = subprocess.run(step, env={**os.environ, "VENV": ".venv"}, capture_output=True, text=True, check=True)
    assert built.stdout.splitlines()[1:] == ["build", "data/experiments/a.toml", "data/papers/b/claims.toml"]
    assert not (tmp_path / "python" / "gossamer" / "data").exists()
    (include,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["maturin"]["include"]
    assert include == {"path": "python/gossamer/data/**/*", "format": "wheel"}


def test_the_container_is_built_from_what_is_there() -> None:
    """Building it takes a registry of images; what it names in the checkout is looked up here."""
    steps = (ROOT / "Containerfile").read_text(encoding="utf-8")
    (made,) = re.findall(r"^RUN make (\S+)$", steps, re.MULTILINE)
    assert re.search(rf"^{made}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    copied = re.findall(r"^COPY --from=build (.*) \S+$", steps, re.MULTILINE)[0].split()
    assert copied == ["/gossamer/requirements.lock", "/gossamer/target/wheels/*.whl"]
    assert (ROOT / "requirements.lock").is_file()
    # A wheel needs a C library at least as new as the one that it was linked with.
    assert len(set(re.findall(r"^FROM \S+-slim-(\w+)", steps, re.MULTILINE))) == 1
