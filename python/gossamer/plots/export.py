"""Figures as PNG, SVG and PDF."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import altair as alt
import vl_convert

from gossamer.plots.canvas import WIDTH, AnyChart, Canvas, NoData, initial
from gossamer.plots.comparison import Comparison
from gossamer.plots.figures import FIGURES
from gossamer.plots.themes import ThemeName
from gossamer.results import Results, ResultsError

__all__ = ["Format", "Saved", "save", "save_chart", "svg"]

Format = Literal["png", "svg", "pdf"]
FORMATS: tuple[Format, ...] = ("png", "svg", "pdf")
VEGA_LITE = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
"""The version of Vega-Lite that Altair writes."""
IMAGES = 12
"""Most images of one figure: one for each swept point, and of the link map one for each label."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written, and what was not."""

    paths: tuple[Path, ...]
    missing: tuple[str, ...]
    """A line for each figure that has no data, or more images than are written."""


def save(
    results: Results, folder: str | Path, formats: Sequence[Format] = FORMATS, *, theme: ThemeName = "light"
) -> Saved:
    """Write every figure that has data as `folder/<figure>.<format>`.

    Of a sweep there is an image for each swept point, `<figure>@<point>.<format>`, and of the link map one for each
    variant; at most twelve of a figure. Existing images are replaced: they are made from the results alone.

    Raises:
        ResultsError: the folder cannot be written.
    """
    comparison = Comparison.of(results)
    paths: list[Path] = []
    missing: list[str] = []
    target = Path(folder)
    for figure in FIGURES:
        try:
            drawing = figure.draw(comparison, Canvas(theme))
        except NoData as reason:
            missing.append(f"{figure.name}: {reason}")
            continue
        fixed = [choice for choice in drawing.choices if choice.field in ("point", "label", "others")]
        combinations = list(product(*(choice.options for choice in fixed)))
        if len(combinations) > IMAGES:
            missing.append(f"{figure.name}: the first {IMAGES} of {len(combinations)} images were written")
        for chosen in combinations[:IMAGES]:
            canvas = Canvas(theme)
            for choice, value in zip(fixed, chosen, strict=True):
                canvas = initial(canvas, choice.field, value)
            chart = figure.draw(comparison, canvas).finish(canvas)
            stem = "@".join([figure.name, *(_safe(value) for value in chosen)])
            paths.extend(_write(_static(chart), target, stem, formats))
    return Saved(tuple(paths), tuple(missing))


def save_chart(chart: AnyChart, path: str | Path) -> Path:
    """Write one chart, as any function of `gossamer.plots` returns it, as PNG, SVG or PDF: the ending of `path` says.

    Raises:
        ResultsError: the ending is none of these, or the file cannot be written.
    """
    target = Path(path)
    chosen = [ending for ending in FORMATS if target.suffix == f".{ending}"]
    if not chosen:
        raise ResultsError(f"{target}: expected a name that ends in .png, .svg or .pdf")
    return next(iter(_write(_static(chart), target.parent, target.stem, chosen)))


def image(specification: dict[str, Any], form: Format) -> bytes:
    """A Vega-Lite specification as an image; PNG at twice the size, for print and dense screens."""
    if form == "png":
        return vl_convert.vegalite_to_png(specification, vl_version=VEGA_LITE, scale=2)
    if form == "pdf":
        return vl_convert.vegalite_to_pdf(specification, vl_version=VEGA_LITE)
    return vl_convert.vegalite_to_svg(specification, vl_version=VEGA_LITE).encode()


def svg(chart: AnyChart, width: int = WIDTH) -> str:
    """One chart as the text of an SVG image, `width` pixels wide without its axes."""
    return image(_static(chart, width), "svg").decode()


def _static(chart: AnyChart, width: int = WIDTH) -> dict[str, Any]:
    """The specification with a width of its own: an image has no container."""
    specification: dict[str, Any] = chart.to_dict()
    specification["width"] = width
    return specification


def _write(specification: dict[str, Any], folder: Path, stem: str, formats: Iterable[Format]) -> list[Path]:
    written = []
    for form in formats:
        path = folder / f"{stem}.{form}"
        content = image(specification, form)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as problem:
            raise ResultsError(f"{path} cannot be written: {problem.strerror or problem}") from problem
        written.append(path)
    return written


def _safe(value: str) -> str:
    """A label as part of a file name."""
    return "".join(letter if letter.isalnum() or letter in "-_.,=+" else "_" for letter in value)
