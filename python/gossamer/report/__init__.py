"""The report of an experiment: one HTML file, and its figures as images.

    from gossamer.report import write_report
    write_report(results, "report.html")
    write_comparison(Folders.of([Path("before"), Path("after")]), "comparison.html")

Everything in it comes from the results alone, so it can be remade at any time.
"""

from collections.abc import Callable, Sequence
from errno import ENOENT
from os import strerror
from pathlib import Path

from gossamer.analysis.folders import Folders
from gossamer.plots.export import Format, Progress, save
from gossamer.report import compared
from gossamer.report.page import render
from gossamer.results import Results, ResultsError

__all__ = ["write_comparison", "write_plots", "write_report"]


def write_report(results: Results, path: str | Path) -> Path:
    """Write the report as one HTML file that needs no other file and no network; an older report is replaced.

    Raises:
        ResultsError: the file cannot be written.
    """
    return _write(Path(path), lambda: render(results))


def write_comparison(folders: Folders, path: str | Path) -> Path:
    """Write the report on results folders side by side as one HTML file; an older one is replaced.

    Raises:
        ResultsError: the file cannot be written.
    """
    return _write(Path(path), lambda: compared.render(folders))


def write_plots(
    results: Results,
    folder: str | Path,
    formats: Sequence[Format] = ("png", "svg", "pdf"),
    progress: Progress | None = None,
) -> list[Path]:
    """Write every figure that has data as an image of each format; the paths written.

    `progress` is called with the name of each figure, how many are done and how many there are.

    Raises:
        ResultsError: the folder cannot be written.
    """
    return list(save(results, folder, formats, progress=progress).paths)


def _write(target: Path, page: Callable[[], str]) -> Path:
    try:
        if not target.parent.is_dir():  # known before the work is done
            raise FileNotFoundError(ENOENT, strerror(ENOENT))
        written = target.with_name(f".{target.name}.part")  # so that a full disk leaves the older report as it was
        written.write_text(page(), encoding="utf-8")
        written.replace(target)
    except OSError as problem:
        raise ResultsError(f"{target} cannot be written: {problem.strerror or problem}") from problem
    return target
