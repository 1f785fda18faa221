"""Prove that each crate uses only crates on lower floors.

The floors are the table under `## Floors` in ARCHITECTURE.md, the edges come from `cargo metadata`: the page cannot say
one thing and the code another. Every kind of dependency counts, those of tests too.

    python tools/layers.py
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = "ARCHITECTURE.md"


def floors(page: str) -> dict[str, int]:
    """The floor of each crate, from the rows `| 2 | engine | what lives there |` under the heading `## Floors`."""
    section = re.search(r"^## Floors$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if section is None:
        raise SystemExit(f"layers: {PAGE} has no heading `## Floors`")
    found: dict[str, int] = {}
    for floor, crate in re.findall(r"^\|\s*(\d+)\s*\|\s*`?([a-z0-9_-]+)`?\s*\|", section[1], re.MULTILINE):
        if crate in found:
            raise SystemExit(f"layers: {PAGE} lists {crate} twice")
        found[crate] = int(floor)
    if not found:
        raise SystemExit(f"layers: {PAGE} has no rows `| floor | crate | ... |` under `## Floors`")
    return found


def edges(metadata: Mapping[str, Any]) -> dict[str, list[str]]:
    """The workspace's crates and, for each, the others that it depends on; its tests may name itself."""
    crates = {package["name"]: package["dependencies"] for package in metadata["packages"]}
    return {
        name: sorted({used["name"] for used in dependencies if used.get("path") and used["name"] in crates} - {name})
        for name, dependencies in crates.items()
    }


def problems(floor: Mapping[str, int], uses: Mapping[str, Sequence[str]]) -> list[str]:
    """What does not hold, a sentence each."""
    wrong = [f"{crate} is in the workspace but on no floor of {PAGE}" for crate in uses if crate not in floor]
    wrong += [f"{crate} is on a floor of {PAGE} but not in the workspace" for crate in floor if crate not in uses]
    for crate, used in uses.items():
        for other in used:
            if crate in floor and other in floor and floor[other] >= floor[crate]:
                wrong.append(f"{crate} (floor {floor[crate]}) uses {other} (floor {floor[other]}), which is not lower")
    return sorted(wrong)


def main() -> int:
    """Check this checkout."""
    page = ROOT / PAGE
    if not page.exists():
        raise SystemExit(f"layers: {PAGE} is missing: the floors are listed there")
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    uses = edges(metadata)
    wrong = problems(floors(page.read_text(encoding="utf-8")), uses)
    for sentence in wrong:
        print(f"layers: {sentence}", file=sys.stderr)
    if not wrong:
        print(f"layers: {len(uses)} crates, {sum(map(len, uses.values()))} edges, all downwards")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
