"""What the documentation's site needs beyond the folder docs/: pages and files of the checkout that its pages link to.

MkDocs calls this as a hook (`mkdocs.yml`). Links in pages are written for a checkout, where `../papers/an3/README.md`
and `../experiments/incast.toml` lead somewhere; so such a page is a page of the site as well, and such a file is copied
into it, each at its place below the checkout's top. A link to a folder leads to the folder's README, or is dropped
where it has none. A link to nothing is left as it is, and MkDocs complains.
"""

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"(?P<text>!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")
FENCE = re.compile(r"(^ *```.*?^ *```[^\n]*$)", re.MULTILINE | re.DOTALL)


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the pages outside docs/, and what any page links to there."""
    pages = [ROOT / name for name in TOP] + sorted(ROOT.glob("papers/*/README.md"))
    linked = {target for page in [*pages, *(ROOT / "docs").rglob("*.md")] for target in leads_to(page)}
    for file in sorted({*pages, *linked}):
        if file.is_file() and not file.is_relative_to(ROOT / "docs"):
            files.append(generated(file, config))
    return files


def generated(file: Path, config: "MkDocsConfig") -> File:
    """A file of the checkout as one of the site."""
    return File.generated(config, place(file), abs_src_path=str(file))


def place(file: Path) -> str:
    """Where a file of the checkout is among the site's: those of docs/ are at the top, others keep their path."""
    docs = ROOT / "docs"
    return file.relative_to(docs if file.is_relative_to(docs) else ROOT).as_posix()


def leads_to(page: Path) -> set[Path]:
    """The files of the checkout that a page links to."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {found for link in LINK.finditer(text) if (found := resolve(page, link["target"])) is not None}


def resolve(page: Path, target: str) -> Path | None:
    """What a link leads to, if that is in the checkout."""
    if not target or ":" in target:
        return None
    found = (page.parent / target).resolve()
    if not found.is_relative_to(ROOT):
        return None
    return found / "README.md" if found.is_dir() else found


def on_page_markdown(markdown: str, page: "Page", config: "MkDocsConfig", files: "Files") -> str:  # noqa: ARG001
    """Have links lead to where the site has what they lead to in the checkout."""
    source = page.file.abs_src_path
    return markdown if source is None else relinked(markdown, Path(source))


def relinked(markdown: str, source: Path) -> str:
    """A page with links as the site needs them; what looks like one in a block of code is none."""
    here = posixpath.dirname(place(source))

    def link(found: re.Match[str]) -> str:
        target = resolve(source, found["target"])
        if target is None:
            return found[0]
        if not target.exists():
            folder = (source.parent / found["target"]).is_dir()
            return found["text"].strip("[]") if folder else found[0]
        return f"{found['text']}({posixpath.relpath(place(target), here or '.')}{found['anchor'] or ''})"

    parts = FENCE.split(markdown)
    return "".join(part if number % 2 else LINK.sub(link, part) for number, part in enumerate(parts))
