"""A notebook's text, and where in it each cell stands."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from .errors import NotebookError, broken
from .spans import Parts, skip, take_apart, value_at
from .style import Style, style_of

FILED: Final = "attachments"
"""Key in the notebook's metadata: attachments of cells that have no place for them, by id."""
BOM: Final = "\ufeff"
EMPTY: Final = '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n'
"""What a dialog that was never in a file is written into."""


class NotebookFile(NamedTuple):
    """A notebook's text and what is known of it. Nothing of it ever changes.

    Parameters
    ----------
    text : str
        The whole text.
    top, cells : Parts
        The outermost object and the list of cells, without their values.
    minor : int
        The 5 of format 4.5.
    style : Style
        How it writes JSON.
    filed : tuple of str
        Ids of the code cells for which the metadata hold attachments.
    """

    text: str
    top: Parts
    cells: Parts
    minor: int
    style: Style
    filed: tuple[str, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> NotebookFile:
        return self

    @property
    def metadata(self) -> dict[str, Any]:
        """The notebook's metadata, read anew so that it is the caller's own."""
        at = self.top.place("metadata")
        return (value_at(self.text, self.top.starts[at])[0] or {}) if at is not None else {}


class Origin(NamedTuple):
    """Where a message was read.

    Parameters
    ----------
    file : NotebookFile
        The file.
    place : int
        The cell's place in it, from 0.
    id : str
        The id that the message was given.
    older : bool
        Whether a prompt of the older form is to stay one.
    """

    file: NotebookFile
    place: int
    id: str
    older: bool = True

    @property
    def cell(self) -> dict[str, Any]:
        """The cell, read anew so that it is the caller's own."""
        cell: dict[str, Any] = value_at(self.file.text, self.file.cells.starts[self.place])[0]
        return cell

    @property
    def written(self) -> str:
        """The cell's text."""
        cells = self.file.cells
        return self.file.text[cells.starts[self.place] : cells.ends[self.place]]


def cell_id(cell: dict[str, Any]) -> str | None:
    """The id of a cell, or what Colab gives it in its metadata; None without one."""
    found = cell.get("id") or (cell.get("metadata") or {}).get("id")
    return found if isinstance(found, str) and found else None


def parse(text: str, name: str = "") -> tuple[NotebookFile, list[dict[str, Any]]]:
    """Read a notebook's text.

    Parameters
    ----------
    text : str
        The text.
    name : str, default ""
        What errors call it.

    Returns
    -------
    file : NotebookFile
        The text and its places.
    cells : list of dict
        The cells.

    Raises
    ------
    NotebookError
        If it is no notebook of format 4; it names the place.
    """
    top = _top(text, name)
    _check_format(text, top, name)
    at = top.place("cells")
    cells = top.values[at] if at is not None else None
    if not isinstance(cells, Parts):
        where = top.starts[at] if at is not None else top.start
        raise broken(name, "it has no list of cells", text, where)
    for i, cell in enumerate(cells.values):
        if problem := _cell_problem(cell):
            raise broken(name, problem, text, cells.starts[i], cell=i + 1)
    found = list(cells.values)
    meta = top.place("metadata")
    metadata = top.values[meta] if meta is not None else None
    if meta is not None and not isinstance(metadata, (dict, type(None))):
        raise broken(name, "its metadata are no object", text, top.starts[meta])
    sources = [cell["source"] for cell in found if cell["source"]]
    style = style_of(text, top)._replace(
        lines=not (sources and all(isinstance(source, str) for source in sources))
    )
    at = top.place("nbformat_minor")
    minor = top.values[at] if at is not None else 0
    filed = (metadata or {}).get(FILED)
    owners = {cell_id(cell) for cell in found if cell["cell_type"] == "code"}
    ids = tuple(i for i in filed if i in owners) if isinstance(filed, dict) else ()
    minor = minor if isinstance(minor, int) else 0
    top, cells = top._replace(values=[]), cells._replace(values=[])
    return NotebookFile(text, top, cells, minor, style, ids), found


def _top(text: str, name: str) -> Parts:
    """The outermost object; in place of the list of cells its parts."""
    so_far = Parts(0, 0, [], [], [], [], [])
    inside, last = False, 0

    def scan(text: str, at: int, key: str | None) -> tuple[Any, int]:
        nonlocal inside, last, so_far
        last = at
        if key != "cells" or text[at : at + 1] != "[":
            return value_at(text, at)
        inside = True
        so_far = Parts(at, at, [], [], [], [], [])
        found = take_apart(text, at, parts=so_far)
        inside = False
        return found, found.end

    start = skip(text, 1 if text.startswith(BOM) else 0)
    if start == len(text):
        raise NotebookError(f"{name or 'The text'} is empty.", "", 1, 1)
    try:
        if text[start] != "{":
            value_at(text, start)
            raise broken(name, "a notebook is a JSON object", text, start)
        top = take_apart(text, start, scan)
        if (end := skip(text, top.end)) != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
    except json.JSONDecodeError as error:
        cell = len(so_far.heads) if inside else None
        raise broken(name, _said(error), text, error.pos, cell, _advice(text, error)) from None
    except (ValueError, RecursionError) as error:
        # numbers of thousands of digits, lists thousands deep: Python gives no place
        cell = len(so_far.heads) if inside else None
        at = so_far.heads[-1] if inside else last
        raise broken(name, str(error).partition(";")[0], text, at, cell) from None
    return top


def _said(error: json.JSONDecodeError) -> str:
    said = error.msg.removesuffix(" at").removesuffix(" starting")
    return said[:1].lower() + said[1:]


def _advice(text: str, error: json.JSONDecodeError) -> str:
    line = text[text.rfind("\n", 0, error.pos) + 1 :][:7]
    if line in ("<<<<<<<", "=======", ">>>>>>>"):
        return "It holds marks of a Git conflict: resolve it first (nbdime can)."
    return ""


def _check_format(text: str, top: Parts, name: str) -> None:
    """Raise unless this is a notebook of format 4."""
    at = top.place("nbformat")
    major = top.values[at] if at is not None else None
    if major == 4 and isinstance(major, int):
        return
    where = top.starts[at] if at is not None else top.start
    if isinstance(major, int) and not isinstance(major, bool) and major < 4:
        error = broken(name, f"notebook format {major} is too old", text, where)
        fix = "Convert it: jupyter nbconvert --to notebook --nbformat 4 FILE"
        shown, line = name or "The text", error.line
        raise NotebookError(
            f"{shown} has notebook format {major} (line {line}); only format 4 can be read.",
            fix,
            line,
            error.column,
        )
    if "worksheets" in top.keys or at is None:
        raise broken(name, "it does not say that its notebook format is 4", text, where)
    raise broken(name, f"its notebook format is {major!r}, not 4", text, where)


def _cell_problem(cell: Any) -> str:
    """Say why something is no cell; empty if it is one."""
    if not isinstance(cell, dict):
        return "a cell is no object"
    if not isinstance(cell.get("cell_type"), str):
        return "a cell has no cell_type"
    if not _is_text(cell.get("source")):
        return "a cell's source is no text" if "source" in cell else "a cell has no source"
    if not isinstance(cell.get("metadata"), (dict, type(None))):
        return "a cell's metadata are no object"
    if cell["cell_type"] == "code":
        outputs = cell.get("outputs")
        if not isinstance(outputs, (list, type(None))):
            return "a cell's outputs are no list"
        if outputs and not set(map(type, outputs)) <= {dict}:
            return "a cell's output is no object"
    return ""


def _is_text(value: Any) -> bool:
    if not isinstance(value, list):
        return isinstance(value, str)
    try:
        "".join(value)
    except TypeError:
        return False
    return True


def decoded(data: bytes, name: str = "") -> str:
    """Read a file's bytes as text; its byte order mark and line ends stay.

    Raises
    ------
    NotebookError
        If they are no UTF-8; it names the place.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise NotebookError(
            f"{name or 'The text'} is broken at line {line}, byte {column}: it is not UTF-8.",
            "Notebooks are UTF-8: save it in that encoding.",
            line,
            column,
        ) from None
