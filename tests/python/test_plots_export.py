"""Figures as images."""

import re
from pathlib import Path

import pytest

from gossamer import plots
from gossamer.plots.figures import FIGURES
from gossamer.report import write_plots
from gossamer.results import Results, ResultsError
from synthetic_results import lively_run, record, write_folder

MAGIC = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".svg": b"<svg"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    runs = [record(name, tables=lively_run(name, 0.5, harm, flows=300)) for name, harm in (("a", 2.0), ("b", 1.0))]
    return Results.open(write_folder(tmp_path_factory.mktemp("results"), runs))


def test_every_figure_that_has_data_as_png_svg_and_pdf(results: Results, tmp_path: Path) -> None:
    saved = plots.save(results, tmp_path / "plots")
    drawn = {figure.name for figure in FIGURES if not figure.name.startswith(("sweep", "fabric", "operations"))}
    stems = {path.stem.split("@")[0] for path in saved.paths}
    assert stems == drawn
    assert {"link-map@a.png", "topology@b.png", "slowdown.svg", "slowdown.pdf"} <= {path.name for path in saved.paths}
    assert len(saved.paths) == 3 * (len(drawn) + 2)
    for path in saved.paths:
        content = path.read_bytes()
        assert content.startswith(MAGIC[path.suffix])
        assert len(content) > 4000, path
    nothing_swept = "nothing is swept: the experiment file has no [sweep], or sweeps only the seed"
    nothing_kept = "these fabrics keep no such distribution"
    none = "no workload here has operations: collectives, rounds of an incast, iterations or batches"
    reasons = {"sweep": nothing_swept, "fabric": nothing_kept, "operations": none}
    sampled = {"fabric-series": "no fabric here has series of its own"}
    assert saved.missing == tuple(
        f"{figure.name}: {sampled.get(figure.name, reason)}"
        for figure in FIGURES
        for start, reason in reasons.items()
        if figure.name.startswith(start)
    )


def test_an_image_holds_the_figure_and_its_words(results: Results, tmp_path: Path) -> None:
    path = plots.save_chart(plots.fct_slowdown(results), tmp_path / "deep" / "slowdown.svg")
    content = path.read_text(encoding="utf-8")
    assert "FCT slowdown against flow size" in content
    assert "p99.9" in content
    assert len(re.findall(r'aria-roledescription="line mark"', content)) >= 4


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_images_in_both_themes(results: Results, tmp_path: Path, theme: plots.ThemeName) -> None:
    content = plots.save_chart(plots.latency(results, theme=theme), tmp_path / "latency.svg").read_text()
    paper = {"light": "#ffffff", "dark": "#14171c"}[theme]
    assert f'fill="{paper}"' in content


def test_of_a_sweep_an_image_a_point(tmp_path: Path) -> None:
    runs = [
        record(
            f"{variant},load={load}",
            variant=variant,
            sweep={"workload.0.load": load},
            tables={"flows": lively_run(variant, load, 1.0, flows=60)["flows"]},
        )
        for variant in ("a", "b")
        for load in (0.2, 0.5)
    ]
    saved = plots.save(Results.open(write_folder(tmp_path / "results", runs)), tmp_path / "plots", ["svg"])
    names = {path.name for path in saved.paths}
    assert {"fct-cdf@load=0.2.svg", "fct-cdf@load=0.5.svg"} <= names
    first, second = ((tmp_path / "plots" / f"fct-cdf@load={load}.svg").read_text() for load in (0.2, 0.5))
    assert "Sweep point: load=0.2." in first
    assert "Sweep point: load=0.5." in second


def test_a_name_that_is_no_image(results: Results, tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"latency.gif: expected a name that ends in .png, .svg or .pdf$"):
        plots.save_chart(plots.latency(results), tmp_path / "latency.gif")


def test_images_where_nothing_can_be_written(results: Results, tmp_path: Path) -> None:
    (tmp_path / "plots").write_text("")
    with pytest.raises(ResultsError, match=r"plots/slowdown.svg cannot be written: "):
        write_plots(results, tmp_path / "plots", ["svg"])
