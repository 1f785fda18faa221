"""What comes with Gossamer beside its code: experiments to start from, and papers.

In a checkout these are folders at its top. A wheel has copies in the package's folder `data`, where `make wheel` puts
them.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path | None:
    """The folder of this name that belongs to this package; None in a package that was built without."""
    for folder in (PACKAGE / "data" / name, PACKAGE.parent.parent / name):
        if folder.is_dir():
            return folder
    return None
