"""Files of the commands: read as dialogs by their suffix, written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DialogError

if TYPE_CHECKING:
    from ..dialog import Dialog

HISTORIES = (".json", ".yaml", ".yml")
"""Suffixes of files that hold wire messages."""


def read_dialog(file: Path) -> Dialog:
    """Read a dialog from a file of any form that the commands know.

    Parameters
    ----------
    file : Path
        A notebook, Markdown that ``dialog export`` wrote, or JSON or YAML of wire messages.

    Returns
    -------
    Dialog
        The dialog.

    Raises
    ------
    DialogError
        If the file cannot be read, or its suffix is of no form.
    """
    suffix = file.suffix.lower()
    if suffix == ".ipynb":
        from ..notebook import read_ipynb

        return read_ipynb(file)
    try:
        if suffix == ".md":
            from ..notebook.markdown import dialog_from_markdown

            return dialog_from_markdown(file.read_bytes().decode("utf-8"))
        if suffix in HISTORIES:
            from .wire import read_history

            return read_history(file)
    except OSError as error:
        raise DialogError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise DialogError(f"{file} is no UTF-8 text: {error.reason} at {error.start}.") from None
    raise DialogError(
        f"{file} has no suffix that tells what it is.",
        "Files that can be read end in .ipynb, .md, .json, .yaml or .yml.",
    )


def check_target(file: Path) -> None:
    """Refuse, before any work is done for it, a file that cannot be written.

    Raises
    ------
    DialogError
        If the folder is missing or may not be written in, or the file is a folder.
    """
    folder = file.parent
    if not folder.is_dir():
        raise DialogError(f"{file} cannot be written: there is no folder {folder}.")
    if file.is_dir():
        raise DialogError(f"{file} cannot be written: it is a folder.")
    if not os.access(folder, os.W_OK):
        raise DialogError(f"{file} cannot be written: {folder} may not be written in.")


def free(out: Path | None, default: Path) -> Path:
    """Choose where to write.

    Parameters
    ----------
    out : Path or None
        What the user named; it may be there already.
    default : Path
        Where to if nothing was named.

    Returns
    -------
    Path
        The target.

    Raises
    ------
    DialogError
        If nothing was named and the default is there already, or there is no such folder.
    """
    target = out or default
    if not target.parent.is_dir():
        raise DialogError(f"{target} cannot be written: there is no folder {target.parent}.")
    if out is None and (default.exists() or default.is_symlink()):
        raise DialogError(
            f"{default} is there already, and stays as it is.",
            f"-o {default} writes over it; -o with another name writes there.",
        )
    return target


def write_text(target: Path, text: str) -> None:
    """Write a file aside and rename it, so that a failure leaves what was there.

    Parameters
    ----------
    target : Path
        The file; its permissions stay.
    text : str
        The content, as UTF-8; a lone surrogate, which that cannot hold, as ``?``.

    Raises
    ------
    DialogError
        If it cannot be written.
    """
    from ..notebook.atomic import replace_file

    replace_file(target, text.encode("utf-8", "replace"))
