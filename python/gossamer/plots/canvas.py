"""What all figures share: the choices a reader has, colours by label, tooltips, titles."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Self

import altair as alt
from altair.utils import schemapi

from gossamer.analysis import confidence
from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.expressions import axis_expression, log_ticks
from gossamer.plots.themes import THEMES, ThemeName, configuration

__all__ = [
    "BUDGET",
    "Canvas",
    "Choice",
    "Drawing",
    "NoData",
    "axis",
    "bars",
    "interval",
    "log_scale",
    "scoped_log_scale",
    "tooltips",
    "unchecked",
    "value_scale",
    "with_bands",
]

BUDGET = 5000
"""About how many points go into one figure."""
NARROW = 4.5
"""Inches below which a legend has two columns."""
HIDES = 20
"""Ratio of two labels' largest values above which one hides the other on a linear axis."""
WIDTH = 720
"""Pixels of a figure that has no container to fill."""
AnyChart = alt.Chart | alt.LayerChart


class NoData(Exception):  # noqa: N818  it is an answer, not an error
    """A figure cannot be drawn. `str(reason)` says why in one line."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something a reader selects from a list, by which a figure is filtered."""

    field: str
    """Column of the figure's data, and name of the Vega signal."""
    title: str
    options: tuple[str, ...]
    initial: str


@dataclass(frozen=True, slots=True)
class Canvas:
    """Where a figure is drawn."""

    theme: ThemeName = "light"
    embedded: bool = False
    """In a page that has the headings, the legend and the lists of choices itself."""
    initial: Mapping[str, str] | None = None
    """What is chosen at first, by field, where a figure has such a choice."""
    inches: float | None = None
    """Width of a figure for a paper: lines are thinner, and there is no title."""

    def choice(self, field: str, title: str, options: Sequence[str], initial: str | None = None) -> Choice:
        """A choice among `options`; at first what the canvas says, else `initial`, else the last one."""
        wanted = (self.initial or {}).get(field, initial)
        return Choice(field, title, tuple(options), wanted if wanted and wanted in options else options[-1])

    def isolation(self) -> alt.Parameter:
        """The parameter by which one label is shown and the others fade: the legend's, or the page's."""
        if self.embedded:
            return alt.param(name="only", value="")
        return alt.selection_point(name="only", fields=["label"], bind="legend")

    def opacity(self, isolation: alt.Parameter, full: float = 1.0) -> alt.OpacityValue:
        """Full where the label is shown, faint where another one is isolated."""
        wanted: Any = "only === '' || datum.label === only" if self.embedded else isolation
        return alt.OpacityValue(**alt.condition(wanted, alt.value(full), alt.value(0.08 * full)))

    @property
    def columns(self) -> int:
        """Columns of a legend."""
        return 4 if self.inches is None or self.inches > NARROW else 2

    def sized(self, pixels: float) -> float:
        """A size of type or a mark: about half of it in a figure for a paper, which is laid out in points."""
        return pixels if self.inches is None else round(0.58 * pixels, 1)

    def colour(self, labels: Sequence[str], title: str) -> alt.Color:
        """Colour by label: the same in every figure, whichever labels have data in it."""
        heading = None if self.inches else title
        legend = None if self.embedded or len(labels) < 2 else alt.Legend(title=heading, columns=self.columns)
        return alt.Color("label:N", scale=alt.Scale(domain=list(labels)), legend=legend)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure before it has a title, a theme and a size."""

    chart: AnyChart
    title: str
    subtitle: str
    """What is shown and by which rule, in sentences."""
    choices: tuple[Choice, ...] = ()
    height: int = 300
    tall: bool = False
    """Its height is that of its rows, and does not shrink with its width."""
    isolates: bool = True
    """Its colours are the labels, so that one of them can be singled out."""

    def finish(self, canvas: Canvas) -> AnyChart:
        """The chart in an own page, as wide as its container, with title, theme and lists of choices."""
        lists = (
            alt.param(
                name=choice.field,
                value=choice.initial,
                bind=alt.binding_select(options=list(choice.options), name=choice.title),
            )
            for choice in self.choices
        )
        finished: AnyChart = self.chart.add_params(*lists).properties(
            width="container",
            height=self.height,
            description=self._description,
            title=alt.TitleParams(**self._heading),
            config=alt.Config(**configuration(canvas.theme)),
        )
        return finished

    def specification(self, canvas: Canvas) -> dict[str, Any]:
        """What Vega-Lite is to draw for a page or an image, with the theme, and without lists of choices.

        What is around the chart is added to the dict, as Altair would copy and validate the chart for each word of it.
        """
        specification: dict[str, Any] = self.chart.to_dict(validate=False)
        chosen = [{"name": choice.field, "value": choice.initial} for choice in self.choices]
        return (
            specification
            | {"width": "container", "height": self.height, "description": self._description}
            | {"params": [*specification.get("params", ()), *chosen], "config": configuration(canvas.theme)}
            | ({} if canvas.embedded else {"title": self._heading})
        )

    @property
    def _description(self) -> str:
        return f"{self.title}. {self.subtitle}"

    @property
    def _heading(self) -> dict[str, Any]:
        """Title and subtitle, which says what is chosen."""
        shown = [f"{choice.title.capitalize()}: {choice.initial}." for choice in self.choices]
        return {"text": self.title, "subtitle": textwrap.wrap(" ".join([*shown, self.subtitle]), 118)}


_SHALLOW = ContextVar("_SHALLOW", default=False)
"""Whether charts are drawn for a page or an image, so that nobody else gets hold of them."""


@contextmanager
def unchecked() -> Iterator[None]:
    """Without Altair's validation of what is built within, nor its deep copies, which take most of the time.

    For charts that become a page or an image. Figures are validated by the tests, and where somebody draws one by a
    function of `gossamer.plots`.
    """
    before = _SHALLOW.set(True)
    try:
        with schemapi.debug_mode(arg=False):
            yield
    finally:
        _SHALLOW.reset(before)


class _ShallowChart(alt.Chart):
    """A chart whose copies share its parts: Altair copies the layers of a chart some ten times before it is a dict."""

    def copy(self, deep: bool | Iterable[Any] = True, ignore: list[str] | None = None) -> Self:
        return super().copy(deep=False if deep is True else deep, ignore=ignore)

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()


def data(rows: Sequence[Mapping[str, Any]], choices: Sequence[Choice] = ()) -> alt.Chart:
    """A chart of `rows`, filtered by `choices`."""
    # A tuple, as Altair copies lists of rows anew for every word that is said about a chart.
    values: Any = tuple(dict(row) for row in rows)
    with schemapi.debug_mode(arg=False):  # validating numbers and names takes longer than all that is done with them
        content = alt.InlineData(values=values)
    chart = _ShallowChart(content) if _SHALLOW.get() else alt.Chart(content)
    for choice in choices:
        chart = chart.transform_filter(f"datum[{choice.field!r}] === {choice.field}")
    return chart


def tooltips(chart: alt.Chart, lines: Mapping[str, str]) -> tuple[alt.Chart, list[alt.Tooltip]]:
    """The chart with a tooltip: title of each line, and the Vega expression that prints it."""
    shown = []
    for number, (title, expression) in enumerate(lines.items()):
        chart = chart.transform_calculate(**{f"tip{number}": expression})
        shown.append(alt.Tooltip(f"tip{number}:N", title=title))
    return chart, shown


def axis(kind: Kind, **more: Any) -> alt.Axis:
    """An axis whose ticks carry their unit."""
    return alt.Axis(labelExpr=axis_expression(kind), labelOverlap="greedy", **more)


def log_scale(kind: Kind, shown: Sequence[float]) -> tuple[alt.Scale, alt.Axis]:
    """A log scale over the values `shown`, with few and round ticks; what is not above zero has no place on it.

    Raises:
        NoData: no value is above zero.
    """
    low, high = _range(shown)
    return alt.Scale(type="log", nice=False, domain=[low, high]), axis(kind, values=log_ticks(low, high))


def scoped_log_scale(kind: Kind, rows: Sequence[Mapping[str, Any]]) -> tuple[alt.Scale, alt.Axis, alt.Parameter]:
    """A log scale over the `value` of the rows of the `scope` that is chosen: each has a domain and ticks of its own.

    Raises:
        NoData: no value is above zero.
    """
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row["scope"], []).append(row["value"])
    domains = {}
    for scope, among in values.items():
        low, high = _range(among)
        domains[scope] = {"low": low, "high": high, "ticks": log_ticks(low, high)}
    low_end, high_end = (alt.ExprRef(f"domains[scope].{end}") for end in ("low", "high"))
    scale = alt.Scale(type="log", nice=False, zero=False, domainMin=low_end, domainMax=high_end)
    return scale, axis(kind, values=alt.ExprRef("domains[scope].ticks")), alt.param(name="domains", value=domains)


def value_scale(kind: Kind, rows: Sequence[Mapping[str, Any]]) -> tuple[alt.Scale, alt.Axis]:
    """A scale from zero over the `value` of `rows`, symmetric-logarithmic where one label would hide another.

    It is so where the largest values of two labels differ by more than `HIDES` in the same scope.
    """
    tops: dict[Any, dict[str, float]] = {}
    for row in rows:
        of_scope = tops.setdefault((row.get("scope"), row.get("point")), {})
        of_scope[row["label"]] = max(of_scope.get(row["label"], 0.0), row["value"])
    some = [[top for top in by_label.values() if top > 0] for by_label in tops.values()]
    if not any(among and max(among) > HIDES * min(among) for among in some):
        return alt.Scale(domainMin=0), axis(kind, tickCount=5)
    least = min(min(among) for among in some if among) / 10
    most = max(max(among) for among in some if among)
    scale = alt.Scale(type="symlog", constant=least, domain=[0, most], nice=False)
    return scale, axis(kind, values=[0, *log_ticks(least, most)])


def _range(shown: Sequence[float]) -> tuple[float, float]:
    positive = [value for value in shown if value > 0]
    if not positive:
        raise NoData("no value is above zero")
    low, high = min(positive), max(positive)
    return (low / 2, high * 2) if low == high else (low, high)  # a scale needs a length


def lines(
    base: alt.Chart,
    canvas: Canvas,
    x: alt.X,
    y: alt.Y,
    colour: alt.Color,
    tips: Mapping[str, str],
    *,
    interpolate: Any = "linear",
    dash: Any = alt.Undefined,
    detail: Any = alt.Undefined,
    points: bool = False,
) -> alt.LayerChart:
    """Lines by label, with points to see (`points`) or only to touch: a thin line is hard to hit."""
    isolation = canvas.isolation()
    drawn, tooltip = tooltips(base, tips)
    line = (
        drawn.mark_line(strokeWidth=canvas.sized(2.2), interpolate=interpolate, strokeJoin="round", clip=True)
        .encode(x=x, y=y, color=colour, opacity=canvas.opacity(isolation), strokeDash=dash, detail=detail)
        .add_params(isolation)
    )
    size = 90 if not points else canvas.sized(canvas.sized(36))
    touch = drawn.mark_circle(size=size, clip=not points).encode(
        x=x, y=y, color=colour, opacity=canvas.opacity(isolation) if points else alt.OpacityValue(0), tooltip=tooltip
    )
    return alt.LayerChart(layer=[line, touch])


def with_bands(
    chart: alt.LayerChart,
    rows: Sequence[Mapping[str, Any]],
    choices: Sequence[Choice],
    canvas: Canvas,
    x: str,
    colour: alt.Color,
    *,
    interpolate: Any = "linear",
) -> alt.LayerChart:
    """The lines of a chart with bands around them, from `low` to `high` of those `rows` that have both.

    `x` is the field along which they go. Without a row that has an interval nothing changes.
    """
    among = [row for row in rows if row.get("low") is not None]
    if not among:
        return chart
    area = data(among, choices).mark_area(clip=True, interpolate=interpolate)
    opacity = canvas.opacity(canvas.isolation(), 0.18)
    drawn: alt.LayerChart = chart + area.encode(
        x=alt.X(f"{x}:Q"), y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour, opacity=opacity
    )
    return drawn


def bars(base: alt.Chart, canvas: Canvas, x: alt.X, colour: alt.Color) -> alt.Chart:
    """Confidence intervals of points: bars from `low` to `high` of the rows of `base`, which all have both."""
    rule: alt.Chart = base.mark_rule(strokeWidth=canvas.sized(1.5), clip=True)
    opacity = canvas.opacity(canvas.isolation())
    return rule.encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour, opacity=opacity)


def interval(value: float, samples: Sequence[float], most: float = inf) -> dict[str, float]:
    """The confidence interval of a pooled value as fields of its row, `low` and `high`; none of fewer than two seeds.

    `samples` are what the seeds have by themselves. No interval is drawn beyond `most`.
    """
    ends = confidence.around(value, samples)
    return {"low": significant(ends[0]), "high": significant(min(most, ends[1]))} if ends else {}


def ink(theme: ThemeName) -> str:
    """The colour of text in a theme."""
    return THEMES[theme].ink


def initial(canvas: Canvas, field: str, value: str) -> Canvas:
    """The canvas with something else chosen at first."""
    return replace(canvas, initial={**(canvas.initial or {}), field: value})


def points_choice(canvas: Canvas, points: Sequence[str]) -> Iterator[Choice]:
    """The choice among swept points, where there are several."""
    if len(points) > 1:
        yield canvas.choice("point", "sweep point", points)
