"""Reading what a paper claims."""

from pathlib import Path

import pytest

from conftest import ROOT
from gossamer import Experiment, InputError, check
from gossamer.reproduce import claims, packages
from gossamer.reproduce.registry import Computation, Reproduction, Study

PAPERS = claims.papers().values()

GOOD = """\
[[claim]]
id = "first"
section = "1"
setup = "one number"
value = 3
relation = "eq"
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "papers" / "example" / "claims.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file


def test_stardust_is_whole() -> None:
    paper = claims.paper("stardust")
    assert paper.summary == "Stardust: Divide and Conquer in the Data Center Network"
    assert paper.folder == ROOT / "papers" / "stardust"
    assert len(paper.claims) == 25
    fig10a = paper.claim("fig10a-throughput")
    assert fig10a.rows == {
        "stardust_mean": 0.94,
        "stardust_gbps_on_96_percent": 9.44,
        "dctcp_mean": 0.49,
        "dcqcn_mean": 0.47,
        "mptcp_mean": 0.90,
    }
    assert (fig10a.relation, fig10a.tol) == ("approx", 0.05)
    assert paper.claim("ecmp-utilisation").value == [0.40, 0.80]


def test_every_reproduction_is_of_a_claim_and_has_its_files() -> None:
    found = [(paper, paper.claim(claim), how) for paper in PAPERS for claim, how in packages.methods(paper).items()]
    assert {paper.name for paper, _, _ in found} == {paper.name for paper in PAPERS}
    for paper, claim, reproduction in found:
        assert set(reproduction.not_run) <= set(claim.rows)
        assert reproduction.measures is not None
        if isinstance(reproduction, Study):
            assert reproduction.source
            assert reproduction.plots is not None
            assert reproduction.quick, "a study has a quick way"
        elif isinstance(reproduction, Computation):
            computed = claim.kind in ("model", "device")
            assert computed or reproduction.not_run, (
                "what is simulated has an experiment file, or says that it is not run"
            )
            assert reproduction.source
        else:
            assert (paper.folder / reproduction.experiment).is_file()
            assert reproduction.plots is not None
            assert reproduction.quick, "a claim that takes minutes has a quick way"
            quick = Experiment.from_file(paper.folder / reproduction.experiment).with_(reproduction.quick)
            assert check(quick)["runs"], "the quick way is an experiment that can run"


def test_every_experiment_of_a_paper_is_used() -> None:
    """By a claim, or, where it answers what the paper leaves open, by a command in the paper's README."""
    used = {
        (paper.name, reproduction.experiment if isinstance(reproduction, Reproduction) else reproduction.beside)
        for paper in PAPERS
        for reproduction in packages.methods(paper).values()
    }
    files = {file.relative_to(ROOT) for file in (ROOT / "papers").glob("*/*.toml") if file.name != "claims.toml"}
    told = {file for file in files if f"gossamer run {file}" in (ROOT / file.parent / "README.md").read_text("utf-8")}
    assert files == told | {Path("papers") / name / file for name, file in used if file is not None}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + 'sektion = "2"\n', "claim 'first': unknown key 'sektion'; did you mean 'section'?"),
        (
            GOOD.replace('"eq"', '"equal"'),
            "claim 'first': relation 'equal' is none of eq, approx, le, ge, shape, given",
        ),
        (GOOD.replace('section = "1"\n', ""), "claim 'first': needs a text under 'section'"),
        (GOOD + GOOD, "claim 'first' is there twice"),
        ("[[claim]\n", "Expected ']]' at the end of an array declaration (at line 1, column 8)"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        claims.read(file)
    assert str(caught.value) == f"{file}: {message}"


def test_papers_are_found_here_and_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, GOOD)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert list(claims.papers()) == ["example"]
    assert claims.paper("example").claims[0].rows == {"": 3}
    with pytest.raises(InputError, match=r"^no paper 'stardust': expected example$"):
        claims.paper("stardust")
