"""Quantities as a person reads them on the screen. The report prints them alike."""

from gossamer.analysis.quantities import Kind, text


def quantity(value: float, kind: Kind) -> str:
    """A value of the tables with the unit that fits: `9.44 Gb/s`, `20 ms`, `49.2 %`."""
    return text(value, kind)


def count(number: float) -> str:
    """An estimate of how many: `12.3 M`; up to ten thousand in full."""
    for least, scale, unit in ((1e9, 1e9, " G"), (1e6, 1e6, " M"), (1e4, 1e3, " k")):
        if number >= least:
            return f"{number / scale:.3g}{unit}"
    return f"{number:.0f}"


def wall(seconds: float) -> str:
    """Real time: `8.2 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 0.05:
        return "under 0.1 s"
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def watts(value: float) -> str:
    """A power: `85.8 kW`."""
    for least, unit in ((1e6, "MW"), (1e3, "kW")):
        if value >= least:
            return f"{value / least:.3g} {unit}"
    return f"{value:.3g} W"
