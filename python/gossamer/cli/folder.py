"""Where results go: a new folder, or the empty one that was named. Nothing is ever overwritten."""

import errno
import tempfile
from pathlib import Path

from gossamer.errors import InputError

RESULTS = Path("results")


def results_folder(out: Path | None, name: str) -> Path:
    """Make the folder for an experiment's results: `out`, or `results/NAME`, `results/NAME-2` and so on."""
    try:
        return _numbered(RESULTS / name) if out is None else _named(out)
    except OSError as error:
        raise InputError(f"{error.filename or out}: results cannot be written there: {error.strerror}") from None


def _named(out: Path) -> Path:
    """A folder that a person named: it may exist, empty."""
    if out.is_dir():
        if any(out.iterdir()):
            raise InputError(
                f"{out}: the folder is not empty, and nothing in it is overwritten: "
                "name another with --out, or omit --out"
            )
    elif out.exists():
        raise InputError(f"{out}: is a file, but results need a folder: name another with --out")
    else:
        out.mkdir(parents=True)
    with tempfile.TemporaryFile(dir=out):
        pass  # a folder that exists may still refuse files: learn it before the work, not after
    return out


def _numbered(wanted: Path) -> Path:
    """A new folder; the first free one of NAME, NAME-2, NAME-3."""
    wanted.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
            continue
        return folder


def forget(folder: Path) -> None:
    """Take away a folder in which nothing was written after all."""
    try:
        folder.rmdir()
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.ENOENT, errno.EEXIST):
            raise
