"""The report: one HTML file that needs nothing but itself."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import vl_convert

from gossamer.analysis.comparison import Comparison
from gossamer.plots.canvas import Canvas, unchecked
from gossamer.plots.export import VEGA_LITE
from gossamer.plots.figures import Drawn, draw_all
from gossamer.plots.themes import THEMES, ThemeName, configuration
from gossamer.report.counters import counters_of
from gossamer.report.facts import facts_of
from gossamer.report.headline import sentences
from gossamer.report.links import hottest_links
from gossamer.report.networks import networks_of
from gossamer.report.operations import operations_tables
from gossamer.report.table import details_of, table_of
from gossamer.report.vega import packed, vega
from gossamer.report.workloads import workload_tables
from gossamer.results import Results

__all__ = ["Figures", "joined", "render", "template"]

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Section:
    """Figures under one heading."""

    name: str
    figures: tuple[Drawn, ...]

    @property
    def anchor(self) -> str:
        """Name of the section in a link."""
        return re.sub(r"\W+", "-", self.name.lower())


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a comparison, as a page shows them."""

    canvas: Canvas
    drawn: tuple[Drawn, ...]
    missing: tuple[tuple[str, str], ...]
    """Titles of figures that are not drawn, and why."""

    @staticmethod
    def of(comparison: Comparison, point: str = "") -> "Figures":
        """Draw them, with this point shown at first; the last one unless it is named."""
        canvas = Canvas(embedded=True, initial={"point": point} if point else None)
        drawn: list[Drawn] = []
        missing: dict[str, list[str]] = {}
        for each in draw_all(comparison, canvas):
            if isinstance(each, Drawn):
                drawn.append(each)
            else:
                missing.setdefault(each.reason, []).append(each.figure.title)
        unseen = ((f"{names[0][0].upper()}{', '.join(names)[1:]}", reason) for reason, names in missing.items())
        return Figures(canvas, tuple(drawn), tuple(unseen))

    def in_page(self) -> dict[str, Any]:
        """What the template of a page needs for them."""
        sections = [
            Section(name, tuple(each for each in self.drawn if each.figure.section == name))
            for name in dict.fromkeys(each.figure.section for each in self.drawn)
        ]
        return {
            "sections": sections,
            "missing": self.missing,
            "themes": THEMES,
            "style": (TEMPLATES / "report.css").read_text(encoding="utf-8"),
            "script": (TEMPLATES / "report.js").read_text(encoding="utf-8"),
            "vega": vega(version("vl-convert-python")),
            "figures": packed(json.dumps(_specifications(self.drawn, self.canvas), separators=(",", ":"))),
        }


def render(results: Results) -> str:
    """The report of `results` as HTML."""
    comparison = Comparison.of(results)
    figures = Figures.of(comparison)
    facts = facts_of(comparison)
    networks = networks_of(comparison)
    lines = networks.lines if networks else sentences(comparison)
    return template("report.html.jinja").render(
        title=facts.title,
        facts=facts,
        lines=[joined(line) for line in lines],
        networks=networks,
        table=table_of(comparison),
        workloads=workload_tables(comparison),
        operations=operations_tables(comparison),
        details=details_of(comparison),
        hottest=hottest_links(comparison),
        counters=counters_of(comparison),
        comparison=comparison,
        **figures.in_page(),
    )


@cache
def template(name: str) -> jinja2.Template:
    """A page without its contents; compiling it takes as long as drawing a third of the figures."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(name)


def _specifications(drawn: Sequence[Drawn], canvas: Canvas) -> dict[str, Any]:
    """What the script of the page draws: a Vega specification a figure, and the two themes.

    Rows are turned into columns, which compress to half the size; the script turns them back.
    """
    figures = {}
    for each in drawn:
        # Vega-Lite settles some of a theme for good (grids, places of legends); what is left, colours, the page gives.
        with unchecked():
            chart = each.drawing.specification(canvas)
        # Rows stay here, and are not taken through the compiler, to which they mean nothing.
        rows = chart["datasets"]
        chart["datasets"] = {name: [] for name in rows}
        specification = vl_convert.vegalite_to_vega(chart, vl_version=VEGA_LITE)
        for name in ("$schema", "config", "background", "padding"):
            specification.pop(name, None)
        for source in specification["data"]:
            if "values" in source:
                del source["values"]
                source["columns"] = _columns(rows[source["name"]])
        figures[each.figure.name] = specification
    return {"figures": figures, "themes": {name: _theme(name) for name in THEMES}}


def _columns(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns; what a row does not have is null, and whole numbers have no point, as in scripts."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [_short(row.get(name)) for row in rows] for name in names}


def _short(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def joined(line: str) -> str:
    """The line with its numbers tied to their units, so that no line ends between them."""
    return re.sub(r"(?<=\d) (?=%|[kKMGTµnmp]?(b/s|B|s)\b)", "\u00a0", line)


@cache
def _theme(name: ThemeName) -> dict[str, Any]:
    """A theme as Vega's own configuration, and the values of the signals that carry colours."""
    wanted = configuration(name) | {"background": "transparent", "padding": 0}
    empty = {"data": {"values": []}, "mark": "point", "config": wanted}
    vega: dict[str, Any] = vl_convert.vegalite_to_vega(empty, vl_version=VEGA_LITE)
    return {
        "config": vega["config"] | {"background": "transparent"},
        "signals": {"ink": THEMES[name].ink, "paper": THEMES[name].paper},
    }
