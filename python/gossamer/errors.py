"""The one error that a person's input can cause."""

try:
    from gossamer._native import InputError
except ModuleNotFoundError as error:
    if error.name != "gossamer._native":
        raise
    raise ImportError("gossamer's Rust core is not built: `make install` in a checkout builds it") from error

# Tracebacks and `except` clauses name it as people import it.
InputError.__module__ = "gossamer"

__all__ = ["InputError"]
