"""Loading the Python that checks a paper's claims, which lies beside them: the package `papers/NAME/reproduction`.

A package is loaded from its paper's folder when that paper is asked for; it is not part of what is installed. Its
module is named `papers.NAME.reproduction`, which is also how tests and mypy name it.
"""

import importlib
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from gossamer.errors import InputError
from gossamer.reproduce.claims import Paper
from gossamer.reproduce.registry import REPRODUCTIONS, Method

PACKAGE = "reproduction"


def methods(paper: Paper) -> Mapping[str, Method]:
    """How the claims of a paper are checked, by the claims' ids. Loads the paper's package if it is not loaded yet.

    Raises:
        InputError: The paper has no package, or it cannot be loaded, or it registers what is not a claim of the paper.
    """
    load(paper)
    return {claim: method for (name, claim), method in REPRODUCTIONS.items() if name == paper.name}


def load(paper: Paper) -> None:
    """Load the package of a paper, unless that has been done; another folder's paper of the same name gives way."""
    file = (paper.folder / PACKAGE / "__init__.py").resolve()
    name = f"papers.{paper.name}.{PACKAGE}"
    known = sys.modules.get(name)
    if known is not None and known.__file__ is not None and Path(known.__file__).resolve() == file:
        return
    if not file.is_file():
        raise InputError(f"{paper.folder}: nothing checks the claims of this paper: it has no {PACKAGE}/__init__.py")
    forget(paper)
    before = set(REPRODUCTIONS)
    try:
        execute(paper)
        for of, claim in set(REPRODUCTIONS) - before:
            if of != paper.name:
                raise InputError(f"claim {claim!r} is registered for {of!r}, not for {paper.name!r}")
            paper.claim(claim)
    except BaseException as error:
        forget(paper)
        for key in set(REPRODUCTIONS) - before:
            del REPRODUCTIONS[key]
        if isinstance(error, InputError):
            raise InputError(f"{file.parent}: {error}") from error
        if isinstance(error, Exception):
            raise InputError(described(error, file.parent)) from error
        raise


def execute(paper: Paper) -> None:
    """Import a paper's package from its folder, wherever that is: `sys.path` says nothing of it."""
    name = f"papers.{paper.name}"
    sys.modules.setdefault("papers", namespace("papers", paper.folder.parent))
    sys.modules[name] = namespace(name, paper.folder)
    importlib.invalidate_caches()
    importlib.import_module(f"{name}.{PACKAGE}")


def namespace(name: str, folder: Path) -> ModuleType:
    """A package without a file of its own, as Python makes of a folder on `sys.path`."""
    module = ModuleType(name)
    module.__path__ = [str(folder.resolve())]
    return module


def forget(paper: Paper) -> None:
    """Drop the modules of a paper's package, and what they registered."""
    name = f"papers.{paper.name}"
    for module in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        del sys.modules[module]
    for key in [each for each in REPRODUCTIONS if each[0] == paper.name]:
        del REPRODUCTIONS[key]


def described(error: Exception, package: Path) -> str:
    """What went wrong in a package and at which line: `papers/x/reproduction/plan.py:12: NameError: ...`."""
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{error.filename}:{error.lineno}: {kind}: {error.msg}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).is_relative_to(package):
            return f"{frame.filename}:{frame.lineno}: {kind}: {error}"
    return f"{package}: {kind}: {error}"
