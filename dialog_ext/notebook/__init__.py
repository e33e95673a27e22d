"""Notebook files as dialogs: read, edited and written back to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import NotebookError
    from .ipynb import (
        NotebookDialog,
        convert,
        read_ipynb,
        reads_ipynb,
        write_ipynb,
        writes_ipynb,
    )
    from .markdown import dialog_from_markdown, dialog_to_markdown

__all__ = [
    "NotebookDialog",
    "NotebookError",
    "convert",
    "dialog_from_markdown",
    "dialog_to_markdown",
    "read_ipynb",
    "reads_ipynb",
    "write_ipynb",
    "writes_ipynb",
]


def __getattr__(name: str) -> Any:
    # the prompt grammar lives in this package, and must not load all of it
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import errors, ipynb, markdown

    homes = (errors, markdown, ipynb)
    return next(getattr(home, name) for home in homes if name in vars(home))


def __dir__() -> list[str]:
    return [*__all__]
