"""Figures as PNG, SVG and PDF: all of them as the report shows them, or one as a paper wants it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

import altair as alt
import vl_convert

from gossamer.analysis.comparison import Comparison
from gossamer.errors import InputError, cure
from gossamer.plots.canvas import WIDTH, AnyChart, Canvas, Choice, Drawing, NoData, unchecked
from gossamer.plots.figures import FIGURES, Figure
from gossamer.plots.themes import ThemeName, printed
from gossamer.results import Results, ResultsError

__all__ = ["COLUMN", "Format", "Progress", "Saved", "save", "save_chart", "save_charts", "save_figure", "svg"]

Format = Literal["png", "svg", "pdf"]
FORMATS: tuple[Format, ...] = ("png", "svg", "pdf")
VEGA_LITE = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
"""The version of Vega-Lite that Altair writes."""
IMAGES = 12
"""Most images of one figure: one for each swept point, and of the link map one for each label."""
COLUMN = {"single": 3.3, "double": 7.0}
"""Widths of a paper's columns, inches."""
POINTS = 72.0
"""Typographic points in an inch: what a figure for a paper is laid out in."""
PAPER_DPI = 300
Progress = Callable[[str, int, int], None]
"""Called with the name of a figure, how many are done and how many there are."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written, and what was not."""

    paths: tuple[Path, ...]
    missing: tuple[str, ...]
    """A line for each figure that has no data, or more images than are written."""


def save(
    results: Results,
    folder: str | Path,
    formats: Sequence[Format] = FORMATS,
    *,
    theme: ThemeName = "light",
    progress: Progress | None = None,
) -> Saved:
    """Write every figure that has data as `folder/<figure>.<format>`.

    Of a sweep there is an image for each swept point, `<figure>@<point>.<format>`, and of the link map one for each
    variant; at most twelve of a figure. Existing images are replaced: they are made from the results alone.

    Raises:
        ResultsError: the folder cannot be written.
    """
    comparison = Comparison.of(results)
    canvas = Canvas(theme)
    paths: list[Path] = []
    missing: list[str] = []
    target = Path(folder)
    for number, figure in enumerate(FIGURES):
        if progress:
            progress(figure.name, number, len(FIGURES))
        try:
            with unchecked():
                drawing = figure.draw(comparison, canvas)
        except NoData as reason:
            missing.append(f"{figure.name}: {reason}")
            continue
        fixed = [choice for choice in drawing.choices if choice.field in ("point", "label", "others")]
        combinations = list(product(*(choice.options for choice in fixed)))
        if len(combinations) > IMAGES:
            missing.append(f"{figure.name}: the first {IMAGES} of {len(combinations)} images were written")
        for chosen in combinations[:IMAGES]:
            wanted = {choice.field: value for choice, value in zip(fixed, chosen, strict=True)}
            with unchecked():
                specification = _unclipped(_static(_choosing(drawing, wanted).specification(canvas)))
            stem = "@".join([figure.name, *(_safe(value) for value in chosen)])
            paths.extend(_write(specification, target, stem, formats))
    if progress:
        progress("", len(FIGURES), len(FIGURES))
    return Saved(tuple(paths), tuple(missing))


def save_figure(
    results: Results,
    name: str,
    folder: str | Path,
    formats: Sequence[Format] = ("pdf",),
    *,
    width: float = COLUMN["single"],
    choose: Mapping[str, str] | None = None,
    theme: ThemeName = "light",
) -> list[Path]:
    """Write one figure for a paper: `width` inches wide, in type of 8 points, without title or caption inside.

    `choose` says what is shown where the report has a list, by the list's name: `{"links": "host-leaf down"}`.

    Raises:
        InputError: no figure, list or entry of a list has that name.
        NoData: the figure has no data.
        ResultsError: the folder cannot be written.
    """
    figure = _named(name)
    canvas = Canvas(theme, inches=width)
    with unchecked():
        drawing = figure.draw(Comparison.of(results), canvas)
        wanted = _chosen(drawing.choices, choose or {})
        specification = _choosing(drawing, wanted).specification(canvas)
    specification = _unclipped(_static(specification, round(width * POINTS)))
    specification.pop("title", None)
    specification["height"] = min(specification["height"], (1.4 if drawing.tall else 0.62) * width * POINTS)
    specification["autosize"] = {"type": "fit", "contains": "padding"}
    specification["config"] = printed(specification["config"])
    stem = "@".join([figure.name, *(_safe(value) for value in (choose or {}).values())])
    return _write(specification, Path(folder), stem, formats, inches=width)


def _named(name: str) -> Figure:
    known = {figure.name: figure for figure in FIGURES}
    if name not in known:
        raise InputError(f"no figure is called {name!r}: {cure(name, known)}")
    return known[name]


def _chosen(choices: Sequence[Choice], wanted: Mapping[str, str]) -> dict[str, str]:
    """What is chosen, by field: lists are named as a reader sees them."""
    lists = {choice.title: choice for choice in choices}
    found = {}
    for title, value in wanted.items():
        if title not in lists:
            otherwise = f"it has {', '.join(lists)}" if lists else "it has none"
            raise InputError(f"the figure has no list {title!r}: {cure(title, lists, otherwise)}")
        choice = lists[title]
        if value not in choice.options:
            raise InputError(f"the list {title!r} has no entry {value!r}: {cure(value, choice.options)}")
        found[choice.field] = value
    return found


def _choosing(drawing: Drawing, wanted: Mapping[str, str]) -> Drawing:
    """The drawing with something else chosen at first."""
    choices = (replace(choice, initial=wanted.get(choice.field, choice.initial)) for choice in drawing.choices)
    return replace(drawing, choices=tuple(choices))


def save_chart(chart: AnyChart, path: str | Path) -> Path:
    """Write one chart, as any function of `gossamer.plots` returns it, as PNG, SVG or PDF: the ending of `path` says.

    Raises:
        ResultsError: the ending is none of these, or the file cannot be written.
    """
    target = Path(path)
    chosen = [ending for ending in FORMATS if target.suffix == f".{ending}"]
    if not chosen:
        raise ResultsError(f"{target}: expected a name that ends in .png, .svg or .pdf")
    return next(iter(_write(_static(chart.to_dict()), target.parent, target.stem, chosen)))


def save_charts(charts: Mapping[str, AnyChart], folder: Path, formats: Sequence[Format] = ("png", "svg")) -> list[Path]:
    """Write charts as `folder/<name>.<format>`, each laid out once; the paths written.

    Raises:
        ResultsError: the folder cannot be written.
    """
    return [path for name, chart in charts.items() for path in _write(_static(chart.to_dict()), folder, name, formats)]


def svg(chart: AnyChart, width: int = WIDTH) -> str:
    """One of our charts as the text of an SVG image, `width` pixels wide without its axes."""
    return vl_convert.vegalite_to_svg(_static(chart.to_dict(validate=False), width), vl_version=VEGA_LITE)


def _static(specification: dict[str, Any], width: int = WIDTH) -> dict[str, Any]:
    """The specification with a width of its own, as an image has no container, and without marks that nobody sees.

    Lines have an invisible mark for each point, which a pointer can meet; they are most of what an image would hold.
    """
    specification["width"] = width
    if "layer" in specification:
        specification["layer"] = [layer for layer in specification["layer"] if not _unseen(layer)]
    return specification


def _unclipped(specification: dict[str, Any]) -> dict[str, Any]:
    """Without clipping, by which a PNG takes six times as long: the axes of our figures hold all that is drawn."""
    for layer in specification.get("layer", [specification]):
        if isinstance(layer.get("mark"), dict):
            layer["mark"].pop("clip", None)
    return specification


def _unseen(layer: dict[str, Any]) -> bool:
    return bool(layer.get("encoding", {}).get("opacity") == {"value": 0})


def _write(
    specification: dict[str, Any], folder: Path, stem: str, formats: Iterable[Format], inches: float | None = None
) -> list[Path]:
    """Write one figure in these forms, all from one SVG, which is the slow part: it is laid out once."""
    drawn = vl_convert.vegalite_to_svg(specification, vl_version=VEGA_LITE)
    written = []
    for form in formats:
        path = folder / f"{stem}.{form}"
        content = _as(drawn, form, inches)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as problem:
            raise ResultsError(f"{path} cannot be written: {problem.strerror or problem}") from problem
        written.append(path)
    return written


def _as(drawn: str, form: Format, inches: float | None) -> bytes:
    """An SVG in another form. A PNG has twice its pixels, for dense screens; one for a paper, 300 dots an inch."""
    if form == "png":
        return vl_convert.svg_to_png(drawn, scale=PAPER_DPI / POINTS if inches else 2.0)
    if form == "pdf":
        return vl_convert.svg_to_pdf(drawn)
    return (_in_inches(drawn) if inches else drawn).encode()


def _in_inches(drawn: str) -> str:
    """The SVG with its size in inches, by which a text processor sets it at its true width."""
    return re.sub(
        r'width="([\d.]+)" height="([\d.]+)"',
        lambda size: f'width="{float(size[1]) / POINTS:.3f}in" height="{float(size[2]) / POINTS:.3f}in"',
        drawn,
        count=1,
    )


def _safe(value: str) -> str:
    """A label as part of a file name."""
    return "".join(letter if letter.isalnum() or letter in "-_.,=+" else "_" for letter in value)
