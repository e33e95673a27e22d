"""``dialog export``, ``import`` and ``convert``: from one form of file to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from ..dialog import dlg2py
from ..errors import DialogError
from ..notebook import convert, read_ipynb, write_ipynb
from ..notebook.markdown import dialog_to_markdown
from .files import free, read_dialog, write_text
from .wire import to_history, to_openai

_SUFFIXES: Final = {"openai": ".openai.json"}


def export_dialog(file: Path, form: str, out: Path | None = None) -> int:
    """Write a dialog in another form.

    Parameters
    ----------
    file : Path
        The dialog, in any form that can be read.
    form : {"ipynb", "json", "yaml", "md", "py", "openai"}
        The form.
    out : Path, optional
        Where to; beside the file if None, and then over no other file.

    Returns
    -------
    int
        0.

    Raises
    ------
    DialogError
        If the file cannot be read, there is nothing to export, or the target cannot be
        written.
    """
    dialog = read_dialog(file)
    target = free(out, file.with_suffix(_SUFFIXES.get(form, f".{form}")))
    if form == "ipynb":
        write_ipynb(dialog, target)
    elif form == "md":
        write_text(target, dialog_to_markdown(dialog))
    elif form == "py":
        code = dlg2py(dialog)
        if not code:
            raise DialogError(
                f"{file} has no code to export.", "Code cells that begin with #| export have."
            )
        write_text(target, code + "\n")
    elif form == "openai":
        messages = to_openai(to_history(dialog))
        write_text(target, json.dumps(messages, indent=2, ensure_ascii=False) + "\n")
    else:
        history = to_history(dialog)
        try:
            (history.dump_json if form == "json" else history.dump_yaml)(target)
        except OSError as error:
            raise DialogError(f"{target} cannot be written: {error.strerror}.") from None
    return _told(target)


def import_dialog(file: Path, out: Path | None = None) -> int:
    """Make a notebook of a dialog in another form.

    Parameters
    ----------
    file : Path
        Messages in JSON or YAML, or Markdown of ``dialog export``.
    out : Path, optional
        Where to; beside the file if None, and then over no other file.

    Returns
    -------
    int
        0.

    Raises
    ------
    DialogError
        If the file cannot be read or is a notebook, or the target cannot be written.
    """
    if file.suffix.lower() == ".ipynb":
        raise DialogError(
            f"{file} is a notebook already.", "Files to import end in .json, .yaml, .yml or .md."
        )
    dialog = read_dialog(file)
    target = free(out, file.with_suffix(".ipynb"))
    write_ipynb(dialog, target)
    return _told(target)


def convert_notebook(file: Path, out: Path | None = None) -> int:
    """Write a notebook's prompts of the older form in the newer one.

    Parameters
    ----------
    file : Path
        The notebook; the rest of it stays as it is.
    out : Path, optional
        Where to; ``NAME.converted.ipynb`` beside it if None, and then over no other file.

    Returns
    -------
    int
        0, also if it has no such prompts; then nothing is written unless ``out`` is given.

    Raises
    ------
    DialogError
        If the file cannot be read, or the target cannot be written.
    """
    dialog = read_ipynb(file)
    found = convert(dialog)
    if not found and out is None:
        print(f"{file} has no prompts of the older form; nothing is written.")
        return 0
    target = free(out, file.with_name(f"{file.stem}.converted.ipynb"))
    write_ipynb(dialog, target)
    print(f"converted: {len(found)} {'prompt' if len(found) == 1 else 'prompts'}")
    return _told(target)


def _told(target: Path) -> int:
    print(f"written: {target}")
    return 0
