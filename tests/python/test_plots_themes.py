"""Colours that everyone can tell apart, on light paper and on dark."""

from itertools import combinations, pairwise

import pytest

from gossamer.analysis.comparison import COLOURS
from gossamer.plots.themes import THEMES, ThemeName

Triple = tuple[float, float, float]

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009),
# severity 1.0, applied to linear RGB.
VISIONS: dict[str, tuple[Triple, Triple, Triple]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> Triple:
    """A colour as #rrggbb in linear RGB."""
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return tuple(each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in (red, green, blue))  # type: ignore[return-value]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def oklab(colour: str, vision: str) -> Triple:
    """Ottosson's perceptual space, of the colour as this vision sees it."""
    seen = [sum(a * b for a, b in zip(row, linear(colour), strict=True)) for row in VISIONS[vision]]
    red, green, blue = (max(0.0, each) for each in seen)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISIONS)
def test_labels_can_be_told_apart(theme: ThemeName, vision: str) -> None:
    colours = THEMES[theme].category
    assert len(colours) == COLOURS
    for one, other in combinations(colours, 2):
        pair = zip(oklab(one, vision), oklab(other, vision), strict=True)
        assert sum((a - b) ** 2 for a, b in pair) ** 0.5 >= 0.05, (one, other)


@pytest.mark.parametrize("theme", THEMES)
def test_lines_and_words_stand_out_from_the_paper(theme: ThemeName) -> None:
    colours = THEMES[theme]
    assert all(contrast(colour, colours.paper) >= 3 for colour in colours.category)
    assert contrast(colours.ink, colours.paper) >= 7
    assert contrast(colours.muted, colours.paper) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_heat_goes_one_way(theme: ThemeName) -> None:
    steps = [luminance(colour) for colour in THEMES[theme].heat]
    assert all((a > b) == (theme == "light") for a, b in pairwise(steps))
