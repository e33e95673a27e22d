"""Code that is exported: the ``#| export`` directive of nbdev, and the module it makes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .kinds import scode

if TYPE_CHECKING:
    from .dialog import Dialog

_DIRECTIVE: Final = re.compile(r"[ \t]*#[ \t]*\|")
_EXPORT: Final = re.compile(r"[ \t]*#[ \t]*\|[ \t]*export[is]?(?![\w-])")


def _export_line(content: str) -> int | None:
    """Index of the line with the directive: one of the directives above all code."""
    if "|" not in content:
        return None
    for i, line in enumerate(content.split("\n")):
        if _EXPORT.match(line):
            return i
        if line.strip() and not _DIRECTIVE.match(line):
            return None
    return None


def is_exported(content: str) -> bool:
    """Whether a text carries the directive among those at its top.

    Parameters
    ----------
    content : str
        A message's content.

    Returns
    -------
    bool
        True for ``export``, ``exporti`` and ``exports``, as nbdev knows them.
    """
    return _export_line(content) is not None


def with_export(content: str, exported: bool) -> str:
    """Give a text the directive, or take it away.

    Parameters
    ----------
    content : str
        A message's content.
    exported : bool
        Whether the result carries the directive.

    Returns
    -------
    str
        The text; unchanged where it is so already.
    """
    if exported:
        return content if is_exported(content) else f"#| export\n{content}"
    while (at := _export_line(content)) is not None:
        lines = content.split("\n")
        content = "\n".join(lines[:at] + lines[at + 1 :])
    return content


def strip_export(s: str) -> str:
    """Take the directive off a text's first line.

    Parameters
    ----------
    s : str
        A message's content.

    Returns
    -------
    str
        What follows the first line if that is the directive, else ``s``.
    """
    return s.partition("\n")[2] if _EXPORT.match(s) else s


def dlg2py(dlg: Dialog) -> str:
    """Join a dialog's exported code.

    Parameters
    ----------
    dlg : Dialog
        The dialog.

    Returns
    -------
    str
        The contents of its exported code messages, directives included, with a blank
        line between them.
    """
    exported = (m.content for m in dlg.messages if m.msg_type == scode and m.exported)
    return "\n\n".join(content.rstrip("\n") for content in exported)
