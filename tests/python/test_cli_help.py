"""Help is a page of documentation: kept word for word."""

import pytest

from conftest import SNAPSHOTS, Command, assert_snapshot
from gossamer.cli import commands

PAGES = ["gossamer", *commands.commands]


@pytest.mark.parametrize("page", PAGES)
def test_help_reads_as_kept(gossamer: Command, page: str) -> None:
    words = [] if page == "gossamer" else [page]
    help_page = gossamer(*words, "--help")
    assert help_page.status == 0
    assert help_page.err == ""
    assert max(map(len, help_page.out.splitlines())) <= 100
    assert_snapshot(f"help-{page}", help_page.out)
    assert gossamer(*words, "-h") == help_page


def test_every_kept_page_has_a_command() -> None:
    assert {file.stem for file in SNAPSHOTS.glob("help-*.txt")} == {f"help-{page}" for page in PAGES}


@pytest.mark.parametrize("page", PAGES[1:])
def test_every_page_has_an_example(gossamer: Command, page: str) -> None:
    assert f"gossamer {page}" in gossamer(page, "--help").out.split("Example", 1)[1]


def test_version(gossamer: Command) -> None:
    from gossamer import __version__

    assert gossamer("--version").out == f"gossamer {__version__}\n"
