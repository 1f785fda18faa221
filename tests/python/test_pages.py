"""The documentation as a site, and pages that quote what is elsewhere in the checkout."""

import re
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import pages

EXTENDING = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("link", "becomes"),
    [
        ("[a](experiments.md#fabric)", "[a](experiments.md#fabric)"),
        ("[a](../README.md#start)", "[a](README.md#start)"),
        ("[a](../papers/an3/README.md)", "[a](papers/an3/README.md)"),
        ("[a](../papers/an3)", "[a](papers/an3/README.md)"),
        ("[a](../experiments)", "a"),
        ("![a b](images/report.png)", "![a b](images/report.png)"),
        ("[a](https://example.org/x.md)", "[a](https://example.org/x.md)"),
        ("[a](#start)", "[a](#start)"),
        ("[a](nothing.md)", "[a](nothing.md)"),
        ("```\n[a](../README.md)\n```", "```\n[a](../README.md)\n```"),
    ],
)
def test_links_lead_to_where_the_site_has_what_they_lead_to(link: str, becomes: str) -> None:
    assert pages.relinked(link, ROOT / "docs" / "page.md") == becomes


def test_links_of_pages_outside_docs_lead_into_it() -> None:
    assert pages.relinked("[a](docs/python.md)", ROOT / "README.md") == "[a](python.md)"
    assert pages.relinked("[a](../../docs/python.md)", ROOT / "papers" / "an3" / "README.md") == "[a](../../python.md)"
    assert pages.relinked("[a](../stardust/README.md)", ROOT / "papers" / "an3" / "README.md") == (
        "[a](../stardust/README.md)"
    )


def test_what_pages_link_to_is_found() -> None:
    assert ROOT / "experiments" / "quickstart.toml" in pages.leads_to(ROOT / "README.md")


def rows() -> list[tuple[str, str]]:
    """The tables of docs/extending.md: a file, and the names that are said to be in it."""
    return re.findall(r"^\| \[[^\]]*\]\(([^)]*)\) \| ([^|]*) \|", EXTENDING, re.MULTILINE)


@pytest.mark.parametrize(("file", "names"), rows())
def test_names_that_the_guide_points_at_are_there(file: str, names: str) -> None:
    text = (ROOT / "docs" / file).read_text(encoding="utf-8")
    for name in re.findall(r"`([^`]+)`", names):
        assert re.search(rf"\b{re.escape(name)}", text), f"{file} has no {name}"


def test_code_that_the_guide_shows_is_that_of_the_file_it_names() -> None:
    """So what compiles and runs the file's tests has tried what the guide shows."""
    shown = re.findall(r"\]\(([^)]*)\)[^\[\n]*\n\n```rust\n(.*?)```", EXTENDING, re.DOTALL)
    assert len(shown) == EXTENDING.count("```rust") == 4
    assert len(rows()) > 15
    for file, code in shown:
        assert code in (ROOT / "docs" / file).read_text(encoding="utf-8"), f"{file} has changed:\n{code}"


def test_every_fabric_with_a_paper_has_a_page() -> None:
    have = {page.stem for page in (ROOT / "docs" / "fabrics").glob("*.md")}
    assert {paper.parent.name for paper in ROOT.glob("papers/*/claims.toml")} <= have
    for name in have:
        page = (ROOT / "docs" / "fabrics" / f"{name}.md").read_text(encoding="utf-8")
        headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
        usual = ["How it works", "Try it", "Parameters", "What is reproduced", "Limits"]
        assert [each for each in headings if each != "What has been checked"] == usual, name
