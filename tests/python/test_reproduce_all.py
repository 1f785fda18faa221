"""`gossamer reproduce all`: every paper, one after another, in one report; what it had is kept when it is stopped."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gossamer as package
from conftest import SMALL, Command
from gossamer import InputError
from gossamer.reproduce import claims
from gossamer.reproduce.registry import REPRODUCTIONS

CLAIM = """\
[[claim]]
id = "{id}"
section = "1"
setup = "one number"
value = {value}
relation = "eq"
"""
COMPUTED = """\
from gossamer.reproduce.registry import Computation, Measurement

first = Computation("alpha", "computed", "arithmetic", computes=lambda: 42)


@first.measure
def number(found: int) -> Measurement:
    return Measurement({"": found})
"""
RUN = """\
from gossamer.plots.canvas import NoData
from gossamer.reproduce.registry import Measurement, Reproduction
from gossamer.results import Results

one = Reproduction("beta", "hosts", "small.toml", quick={"duration": "100 us"})
other = Reproduction("beta", "flows", "small.toml", quick={"duration": "100 us"})


@one.measure
@other.measure
def number(results: Results) -> Measurement:
    return Measurement({"": results.flows.num_rows})
"""
STOPPED = """\
from gossamer.reproduce.registry import Computation, Measurement

def stopped():
    raise KeyboardInterrupt

last = Computation("gamma", "endless", "arithmetic", computes=stopped)


@last.measure
def number(found: int) -> Measurement:
    return Measurement({"": found})
"""


def paper(folder: Path, name: str, claims: dict[str, int], init: str) -> None:
    """Write a paper."""
    reproduction = folder / "papers" / name / "reproduction"
    reproduction.mkdir(parents=True)
    (reproduction / "__init__.py").write_text(init)
    (reproduction.parent / "claims.toml").write_text(
        "\n".join(CLAIM.format(id=each, value=value) for each, value in claims.items())
    )


@pytest.fixture(autouse=True)
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    for name in ("alpha", "beta", "gamma"):
        for module in [each for each in sys.modules if each.startswith(f"papers.{name}")]:
            del sys.modules[module]
        for key in [each for each in REPRODUCTIONS if each[0] == name]:
            del REPRODUCTIONS[key]


@pytest.fixture
def two(folder: Path) -> Path:
    """Two papers: one of a closed form, one of two claims with the same runs, of which one deviates."""
    paper(folder, "alpha", {"computed": 42, "nobody-knows": 1}, COMPUTED)
    paper(folder, "beta", {"hosts": 2, "flows": 3}, RUN)
    (folder / "papers" / "beta" / "small.toml").write_text(SMALL)
    return folder


def without_times(text: str) -> list[str]:
    """Lines of the output, without the last column of its table, which is processor time."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("paper "))
    table = [line.rsplit(maxsplit=1)[0] if first <= number < first + 4 else line for number, line in enumerate(lines)]
    return [line.rstrip() for line in table]


@pytest.mark.parametrize("quick", [False, True])
def test_all_papers_one_after_another(gossamer: Command, two: Path, quick: bool) -> None:
    done = gossamer("reproduce", "all", *(["--quick"] if quick else []))
    assert done.status == 1, done
    note = ["  Quick run with duration = 100 us"] if quick else []
    shared = ["  The runs are those of hosts" + (". Quick run with duration = 100 us" if quick else "")]
    assert without_times(done.out) == [
        "== alpha",
        "reproduced          computed (§1)",
        "    42  exactly 42  0 %  reproduced",
        "== beta",
        "reproduced          hosts (§1)",
        "    2  exactly 2  0 %  reproduced",
        *note,
        "deviates            flows (§1)",
        "    2  exactly 3  -33.3 %  deviates",
        *shared,
        "paper  reproduced  deviates  claims",
        "alpha           1         0       1",
        "beta            1         1       2",
        "all             2         1       3",
        "1 of 2 claims of alpha has no experiment yet: `gossamer reproduce alpha --list` shows which",
        "report: results/reproduce/index.html",
    ]
    assert done.err.count("1 run, about") == 1, "claims that share runs share them"
    results = two / "results" / "reproduce"
    assert sorted(each.name for each in (results / "beta").iterdir()) == ["hosts", "index.html"]
    index = (results / "index.html").read_text()
    for part in (
        'href="alpha/index.html"',
        'href="beta/index.html#flows"',
        "<p>2 reproduced, 1 deviates.</p>",
        "2, exactly 3, off -33.3 %",
    ):
        assert part in index
    for name in ("alpha", "beta"):
        assert f"<h1>{name}</h1>" in (results / name / "index.html").read_text()


def test_as_json_and_elsewhere(gossamer: Command, two: Path) -> None:
    done = gossamer("reproduce", "all", "--json", "--out", "mine")
    assert (done.status, done.err) == (1, "")
    records = json.loads(done.out)
    assert [(each["paper"], each["claim"], each["verdict"]) for each in records] == [
        ("alpha", "computed", "reproduced"),
        ("beta", "hosts", "reproduced"),
        ("beta", "flows", "deviates"),
    ]
    assert (two / "mine" / "beta" / "hosts" / "manifest.json").is_file()
    assert [each.claim.id for each in package.reproduce("all", out=two / "again")] == ["computed", "hosts", "flows"]


def test_resumed_it_runs_nothing_again(gossamer: Command, two: Path) -> None:
    assert gossamer("reproduce", "all").status == 1
    manifest = two / "results" / "reproduce" / "beta" / "hosts" / "manifest.json"
    before = manifest.read_bytes()
    assert gossamer("reproduce", "all", "--resume").status == 1
    runs = [json.loads(each)["runs"] for each in (before, manifest.read_bytes())]
    assert runs[0] == runs[1]
    assert not (manifest.parent.parent / "hosts-2").exists()
    assert gossamer("reproduce", "all").status == 1
    assert (manifest.parent.parent / "hosts-2").is_dir(), "without --resume it begins anew"


@pytest.mark.usefixtures("two")
def test_the_list(gossamer: Command) -> None:
    listed = gossamer("reproduce", "all", "--list")
    assert (listed.status, listed.err) == (0, "")
    assert listed.out.splitlines() == [
        "== alpha: alpha",
        "computed      exactly 42 (§1; arithmetic): one number",
        "nobody-knows  exactly 1 (§1; no experiment yet): one number",
        "== beta: beta",
        "hosts  exactly 2 (§1; small.toml): one number",
        "flows  exactly 3 (§1; small.toml): one number",
        "`gossamer reproduce PAPER CLAIM` checks one; --json prints the full texts",
    ]
    entries = json.loads(gossamer("reproduce", "all", "--list", "--json").out)
    assert [(each["paper"], each["claim"]) for each in entries] == [
        ("alpha", "computed"),
        ("alpha", "nobody-knows"),
        ("beta", "hosts"),
        ("beta", "flows"),
    ]


def test_stopped_it_keeps_what_it_had(gossamer: Command, two: Path) -> None:
    """Ctrl-C in the third paper: the outcomes of two are in the report and in the documentation."""
    paper(two, "gamma", {"endless": 1}, STOPPED)
    (two / "docs").mkdir()
    done = gossamer("reproduce", "all", "--write-docs")
    assert done.status == 130
    assert done.err.splitlines()[-1] == "stopped"
    assert done.out.splitlines()[-1] == "report: results/reproduce/index.html"
    assert "all             2         1       3" in done.out
    assert "gamma" not in (two / "results" / "reproduce" / "index.html").read_text()
    records = json.loads((two / "docs" / "reproduction.json").read_text())
    assert [each["claim"] for each in records] == ["computed", "hosts", "flows"]
    stopped = gossamer("reproduce", "all", "--json")
    assert stopped.status == 130
    assert [each["claim"] for each in json.loads(stopped.out)] == ["computed", "hosts", "flows"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["all", "hosts"], "'all' checks every claim of every paper: omit 'hosts', or name its paper"),
        (["al"], "no paper 'al': did you mean 'all'?"),
        (["omega-nine"], "no paper 'omega-nine': expected one of alpha, beta and all"),
        (["all", "--quick", "--write-docs"], "--write-docs records full runs: omit --quick"),
        ([], "no paper named: expected one of alpha, beta and all, as in `gossamer reproduce alpha`"),
    ],
)
@pytest.mark.usefixtures("two")
def test_bad_names(gossamer: Command, words: list[str], message: str) -> None:
    ended = gossamer("reproduce", *words)
    assert (ended.status, ended.out, ended.err) == (2, "", f"error: {message}\n")


def test_one_broken_paper_is_named_before_anything_runs(gossamer: Command, two: Path) -> None:
    paper(two, "gamma", {"endless": 1}, "import arithmetics\n")
    ended = gossamer("reproduce", "all")
    package = two / "papers" / "gamma" / "reproduction"
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == f"error: {package}/__init__.py:1: ModuleNotFoundError: No module named 'arithmetics'\n"


def test_no_paper_may_be_called_all(gossamer: Command, two: Path) -> None:
    paper(two, "all", {"computed": 42}, COMPUTED)
    ended = gossamer("reproduce", "alpha")
    assert ended.status == 2
    assert ended.err == f"error: {two / 'papers' / 'all'}: 'all' stands for every paper: give this one another name\n"


@pytest.mark.usefixtures("folder")
def test_without_papers_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "papers_folder", lambda: None)
    with pytest.raises(InputError, match=r"^no paper 'all': no folder `papers` here"):
        package.reproduce("all")
