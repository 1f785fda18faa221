"""What every plan command ends with: the plan as JSON or in words, its warnings, its plots."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart

Planned = TypeVar("Planned", bound=Mapping[str, Any])


def tell(found: Planned, show: Callable[[Planned], None], as_json: bool, plotted: str = "") -> None:
    """Print a plan as JSON and nothing else, or with `show`, its warnings, and what was `plotted`."""
    if as_json:
        print(json.dumps(found, indent=2))
        return
    show(found)
    for warning in found["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    if plotted:
        print(plotted)


def save(charts: "Mapping[str, AnyChart]", folder: Path) -> str:
    """Write charts into a folder as PNG and SVG; says how many files they are."""
    from gossamer.plots import save_chart

    files = [save_chart(chart, folder / f"{name}.{kind}") for name, chart in charts.items() for kind in ("png", "svg")]
    return f"plots: {len(files)} files in {folder}"
