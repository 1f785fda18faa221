"""Colours and type of every plot, light and dark."""

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["THEMES", "Theme", "ThemeName", "configuration", "printed"]

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one theme."""

    paper: str
    ink: str
    muted: str
    grid: str
    category: tuple[str, ...]
    """Colours of the labels, in order. Chosen so that any two differ by 0.05 or more in Oklab under normal vision and
    under full protanopia, deuteranopia and tritanopia (Machado et al. 2009), with a contrast of 3 to 1 to the paper."""
    heat: tuple[str, ...]
    """From nothing to all: lightness goes one way, so that it reads without colour too."""


THEMES: dict[ThemeName, Theme] = {
    "light": Theme(
        paper="#ffffff",
        ink="#1c2127",
        muted="#59636e",
        grid="#e4e7eb",
        category=("#0072b2", "#d55e00", "#0f9d78", "#591372", "#c77aa6", "#3996f9", "#6b2400", "#3a3f45"),
        heat=("#eef3f7", "#c3dcea", "#7fb8d6", "#3a86b8", "#1f5591", "#2a1f5c"),
    ),
    "dark": Theme(
        paper="#14171c",
        ink="#e8eaed",
        muted="#9ba4ae",
        grid="#2b3038",
        category=("#56b4e9", "#f28e2b", "#a4f5e4", "#a86bff", "#ea4f78", "#808393", "#f3e220", "#9fcf80"),
        heat=("#20262e", "#1f4661", "#23709a", "#4aa3cf", "#9fd4ee", "#f3fbff"),
    ),
}

FONT = "system-ui, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"


def configuration(name: ThemeName) -> dict[str, Any]:
    """The Vega-Lite configuration of a theme."""
    theme = THEMES[name]
    return {
        "background": theme.paper,
        "font": FONT,
        "padding": 12,
        "view": {"stroke": None},
        "axis": {
            "labelColor": theme.muted,
            "titleColor": theme.muted,
            "gridColor": theme.grid,
            "domainColor": theme.muted,
            "tickColor": theme.muted,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelPadding": 5,
            "tickSize": 4,
            "labelSeparation": 10,
        },
        "axisX": {"grid": False, "titlePadding": 8, "labelFlush": True},
        # The title of a vertical axis lies above it: readable without turning the head, and no width lost on a phone.
        "axisY": {
            "domain": False,
            "ticks": False,
            "titleAngle": 0,
            "titleAlign": "left",
            "titleAnchor": "start",
            "titleBaseline": "bottom",
            "titleX": 0,
            "titleY": -8,
        },
        "legend": {
            "labelColor": theme.ink,
            "titleColor": theme.muted,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "orient": "top",
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
            "labelLimit": 260,
            "offset": 26,  # above the title of the vertical axis
        },
        "title": {
            "color": theme.ink,
            "subtitleColor": theme.muted,
            "anchor": "start",
            "frame": "group",
            "fontSize": 17,
            "fontWeight": 600,
            "subtitleFontSize": 12,
            "subtitlePadding": 6,
            "subtitleLineHeight": 16,
            "offset": 18,
        },
        "range": {"category": list(theme.category), "heatmap": list(theme.heat), "ramp": list(theme.heat)},
    }


PRINTED = 8
"""Points of the type in a figure for a paper."""


def printed(configured: dict[str, Any]) -> dict[str, Any]:
    """A configuration for a figure in a paper, laid out in points: small type, and no room around it."""
    kinds = {"axis": ("labelFontSize", "titleFontSize"), "legend": ("labelFontSize", "titleFontSize")}
    small = {kind: configured[kind] | dict.fromkeys(sizes, PRINTED) for kind, sizes in kinds.items()}
    small["axis"] |= {"labelPadding": 3, "labelSeparation": 4}
    small["legend"] |= {"symbolStrokeWidth": 1.5, "symbolSize": 60, "offset": 14, "rowPadding": 1, "columnPadding": 6}
    upright = configured["axisY"] | {"titleY": -5}
    return configured | small | {"axisY": upright, "padding": 1, "text": {"fontSize": PRINTED}}
