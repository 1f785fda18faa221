"""One figure for a paper: by name, at a width in inches, without what a report puts around it."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from gossamer.cli.report import write_figures
from gossamer.errors import InputError
from gossamer.plots import NoData, sweep
from gossamer.plots.export import POINTS, save, save_figure
from gossamer.plots.figures import FIGURES
from gossamer.results import Results
from synthetic_results import lively_run, record, write_folder


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    runs = [record(name, tables=lively_run(name, 0.5, harm, flows=3000)) for name, harm in (("a", 2.0), ("b", 1.0))]
    return Results.open(write_folder(tmp_path_factory.mktemp("results"), runs))


@dataclass(frozen=True)
class Images:
    """All figures as images, and what was told while they were drawn."""

    folder: Path
    told: list[tuple[str, int, int]]


@pytest.fixture(scope="module")
def images(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Images:
    all_of_them = Images(tmp_path_factory.mktemp("images"), [])
    save(results, all_of_them.folder, ["svg"], progress=lambda *each: all_of_them.told.append(each))
    return all_of_them


@pytest.mark.parametrize("width", [3.3, 7.0])
def test_it_is_as_wide_as_a_column_and_has_no_title(results: Results, tmp_path: Path, width: float) -> None:
    for name in ("fct-cdf", "link-map", "topology", "slowdown"):
        (path,) = save_figure(results, name, tmp_path, ["svg"], width=width)
        text = path.read_text(encoding="utf-8")
        size = re.search(r'width="([\d.]+)in" height="([\d.]+)in" viewBox="0 0 ([\d.]+) ', text)
        assert size, text[:300]
        assert float(size[1]) == pytest.approx(width, abs=1.5 / POINTS)
        assert float(size[3]) == pytest.approx(width * POINTS, abs=1.5)
        assert "role-title" not in text
        assert "Measured flows that have an end" not in text


def test_a_cdf_holds_no_mark_for_each_flow(results: Results, images: Images, tmp_path: Path) -> None:
    (path,) = save_figure(results, "fct-cdf", tmp_path, ["svg"])
    text = path.read_text(encoding="utf-8")
    assert 'aria-roledescription="circle"' not in text
    assert len(text) < 60_000
    assert len((images.folder / "fct-cdf.svg").read_text(encoding="utf-8")) < 60_000


def test_what_is_chosen_is_shown(results: Results, tmp_path: Path) -> None:
    first, second = (
        save_figure(results, "queues", tmp_path, ["svg"], choose={"links": links})[0]
        for links in ("host-edge up", "aggregation-core down")
    )
    assert [first.name, second.name] == ["queues@host-edge_up.svg", "queues@aggregation-core_down.svg"]
    assert first.read_text() != second.read_text()
    with pytest.raises(
        InputError, match=r"^the list 'links' has no entry 'host-edge upp': did you mean 'host-edge up'\?$"
    ):
        save_figure(results, "queues", tmp_path, choose={"links": "host-edge upp"})
    with pytest.raises(InputError, match=r"^the figure has no list 'point': it has links$"):
        save_figure(results, "queues", tmp_path, choose={"point": "x"})


def test_a_figure_that_is_not_there(results: Results, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^no figure is called 'fct-cfd': did you mean 'fct-cdf'\?$"):
        save_figure(results, "fct-cfd", tmp_path)
    with pytest.raises(NoData):
        save_figure(results, "sweep-map", tmp_path)
    with pytest.raises(InputError, match=r"^--figure sweep-map: nothing is swept: "):
        write_figures(results, tmp_path, ("sweep-map",), ("pdf",), 3.3, ())
    with pytest.raises(
        InputError, match=r"^--choose links: expected LIST=ENTRY, as in --choose links='host-leaf down'$"
    ):
        write_figures(results, tmp_path, ("queues",), ("pdf",), 3.3, ("links",))


def test_a_metric_that_is_not_there(results: Results) -> None:
    with pytest.raises(InputError, match=r"^no metric is called 'slowdown_p9': did you mean 'slowdown_p99'\?$"):
        sweep(results, "slowdown_p9")


def test_images_say_how_far_they_are(images: Images) -> None:
    told = images.told
    assert [name for name, _, _ in told] == [*(figure.name for figure in FIGURES), ""]
    assert [done for _, done, _ in told] == list(range(len(FIGURES) + 1))
    assert {of for _, _, of in told} == {len(FIGURES)}
