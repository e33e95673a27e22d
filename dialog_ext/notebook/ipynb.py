"""Notebook files as dialogs, and back, to the byte."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, overload

from ..dialog import Dialog, Message
from ..dialog.ids import new_id
from .atomic import replace_file
from .cells import fields_of
from .errors import NotebookError
from .file import FILED, Origin, cell_id, decoded, parse
from .solveit import is_older
from .writer import FILE, ORIGIN, Writer

D = TypeVar("D", bound=Dialog)
PathLike = str | os.PathLike[str]


class NotebookDialog(Dialog):
    """A dialog that was read from a notebook and can be saved.

    Attributes
    ----------
    path : pathlib.Path or None
        Where it was read or last saved; None if it came from text.
    has_ids : bool
        Whether the notebook gave its cells ids, as nbformat 4.5 does.
    """

    path: Path | None = None
    has_ids: bool = False
    _held: bytes | None = None

    def save(self, path: PathLike | None = None) -> None:
        """Write the dialog as a notebook.

        Parameters
        ----------
        path : str or path, optional
            Where to; the file it came from if None. It is the dialog's ``path`` from then on.

        Raises
        ------
        NotebookError
            If there is no path, or the file cannot be written, or without a ``path`` another
            program has changed the file since; then it is left as it is.
        """
        target = path if path is not None else self.path
        if target is None:
            raise NotebookError(
                f"Dialog {self.name!r} came from no file.", "Give save() a path to write to."
            )
        if path is None and _digest(Path(target)) not in (None, self._held):
            raise NotebookError(
                f"{target} was changed by another program since it was read.",
                "Read it again, or name it to write over it: save(path).",
            )
        write_ipynb(self, target)
        self.path = Path(target)
        self._held = _digest(self.path)


@overload
def reads_ipynb(text: str | bytes, name: str = ...) -> NotebookDialog: ...
@overload
def reads_ipynb(text: str | bytes, name: str, cls: type[D]) -> D: ...
@overload
def reads_ipynb(text: str | bytes, name: str = ..., *, cls: type[D]) -> D: ...
def reads_ipynb(text: str | bytes, name: str = "", cls: type[Any] = Dialog) -> Any:
    """Read a notebook's text.

    Parameters
    ----------
    text : str or bytes
        The text; bytes are UTF-8.
    name : str, default ""
        The dialog's name.
    cls : type, default Dialog
        The class of the dialog; ``Dialog`` itself gives a :class:`NotebookDialog`.

    Returns
    -------
    Dialog
        One message for each cell. Cells without an id, or with one that stands above, get
        an id in memory only.

    Raises
    ------
    NotebookError
        If it is no notebook of format 4; it names line, column and cell.

    See Also
    --------
    writes_ipynb : the way back.
    """
    return _dialog(text, name, cls, shown=name)


@overload
def read_ipynb(path: PathLike) -> NotebookDialog: ...
@overload
def read_ipynb(path: PathLike, cls: type[D]) -> D: ...
def read_ipynb(path: PathLike, cls: type[Any] = Dialog) -> Any:
    """Read a notebook file.

    Parameters
    ----------
    path : str or path
        The file; its stem is the dialog's name.
    cls : type, default Dialog
        The class of the dialog; ``Dialog`` itself gives a :class:`NotebookDialog`.

    Returns
    -------
    Dialog
        As :func:`reads_ipynb`.

    Raises
    ------
    NotebookError
        If the file cannot be read, or is no notebook of format 4.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise NotebookError(f"{file} cannot be read: {error.strerror}.") from error
    dialog = _dialog(data, file.stem, cls, shown=str(file))
    if isinstance(dialog, NotebookDialog):
        dialog.path = file
        dialog._held = sha256(data).digest()
    return dialog


def _digest(file: Path) -> bytes | None:
    """What a file holds, in short; None where there is no file to lose."""
    return sha256(file.read_bytes()).digest() if file.exists() else None


def _dialog(text: str | bytes, name: str, cls: type[Any], shown: str) -> Any:
    if isinstance(text, bytes):
        text = decoded(text, shown)
    file, cells = parse(text, shown)
    metadata = file.metadata
    filed = metadata.pop(FILED) if isinstance(metadata.get(FILED), dict) else {}
    dialog = (NotebookDialog if cls is Dialog else cls)(name, meta=metadata)
    vars(dialog)[FILE] = file
    if isinstance(dialog, NotebookDialog):
        dialog.has_ids = any("id" in cell for cell in cells)
    taken = {i for i in map(cell_id, cells) if i}
    seen: set[str] = set()
    messages = []
    for place, cell in enumerate(cells):
        own = cell_id(cell)
        if own is None or own in seen:
            own = new_id(taken)
            taken.add(own)
        seen.add(own)
        kind, content, output, meta, attachments = fields_of(cell, filed.get(own))
        message = dialog.msg_cls(
            content,
            output=output,
            id=own,
            msg_type=kind,
            attachments=attachments,
            meta=meta,
        )
        vars(message)[ORIGIN] = Origin(file, place, own)
        messages.append(message)
    dialog.messages.extend(messages)
    return dialog


def writes_ipynb(dialog: Dialog) -> str:
    """Write a dialog as a notebook's text.

    Parameters
    ----------
    dialog : Dialog
        The dialog.

    Returns
    -------
    str
        The text, with the byte order mark and the line ends that the file had. Where nothing
        was changed since :func:`reads_ipynb`, it is the same text; where a message was, its
        cell differs, in what was changed, written the way the file is. A dialog from
        elsewhere is written as Jupyter writes.

    Raises
    ------
    NotebookError
        If JSON cannot hold what a message has; it names the message.

    Notes
    -----
    Its UTF-8 is what a file is to hold: write it as bytes, so that line ends stay.
    """
    return Writer(dialog).text()


def write_ipynb(dialog: Dialog, path: PathLike) -> None:
    """Write a dialog as a notebook file.

    Parameters
    ----------
    dialog : Dialog
        The dialog.
    path : str or path
        The file. It is written aside and renamed, so that it is whole at any time;
        permissions stay, and where it is a symbolic link, so does that.

    Raises
    ------
    NotebookError
        If it cannot be written; it is left as it was.
    """
    file = Path(path)
    text = writes_ipynb(dialog)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotebookError(f"{file} cannot be written: {error}.") from error
    replace_file(file, data)


def convert(dialog: Dialog) -> list[Message]:
    """Have prompts of the older form written in the newer one from now on.

    In the older form a markdown cell holds a prompt and its reply; in the newer one a code
    cell that starts with ``%%prompt`` has the reply in its outputs.

    Parameters
    ----------
    dialog : Dialog
        A dialog that was read from a notebook. Its messages stay as they are.

    Returns
    -------
    list of Message
        Those that will be written anew.
    """
    found = []
    for message in dialog.messages:
        origin = vars(message).get(ORIGIN)
        if origin is not None and origin.older and is_older(origin.cell):
            vars(message)[ORIGIN] = origin._replace(older=False)
            if message.msg_type == "prompt":
                found.append(message)
    return found
