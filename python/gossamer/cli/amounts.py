"""Quantities as a person reads them: three digits and the unit that fits."""

from collections.abc import Sequence

SPANS = ((1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns"), (1.0, "ps"))
RATES = ((1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s"))
SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
COUNTS = ((1e9, " G"), (1e6, " M"), (1e4, " k"))


def span(picoseconds: float) -> str:
    """`20 ms`."""
    return _scaled(picoseconds, SPANS)


def rate(bits_per_second: float) -> str:
    """`9.44 Gb/s`."""
    return _scaled(bits_per_second, RATES)


def size(in_bytes: float) -> str:
    """`1.71 MB`, in powers of ten."""
    return _scaled(in_bytes, SIZES)


def count(number: float) -> str:
    """`12.3 M`; up to ten thousand in full."""
    for scale, unit in COUNTS:
        if abs(number) >= scale:
            # The letter for a thousand starts at ten thousand: `9876` is easier to read than `9.88 k`.
            return _digits(number / (1e3 if unit == " k" else scale)) + unit
    return _digits(number) if number != int(number) else str(int(number))


def share(fraction: float) -> str:
    """`49.2 %`."""
    return f"{100 * fraction:.3g} %"


def wall(seconds: float) -> str:
    """Real time: `8.2 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 59.95:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def _scaled(value: float, units: Sequence[tuple[float, str]]) -> str:
    """In the largest unit that leaves at least one whole."""
    for scale, unit in units:
        if abs(value) >= scale:
            return f"{_digits(value / scale)} {unit}"
    return f"{_digits(value)} {units[-1][1]}"


def _digits(value: float) -> str:
    """Three significant digits, without an exponent and without zeros that say nothing."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    text = f"{value:.3g}"
    return f"{value:.6f}".rstrip("0").rstrip(".") if "e" in text else text
