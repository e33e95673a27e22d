"""The two forms that a prompt has in a file, and how a cell's text is read in each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from .magic import head_of, prompt_text, split_cell

KEY: Final = "solveit_ai"
"""Key in a cell's metadata that marks a prompt."""
SEPARATOR: Final = "##### 🤖Reply🤖<!-- SOLVEIT_SEPARATOR_7f3a9b2c -->"
"""The line between prompt and reply in the older form: one markdown cell holds both."""
_SEPARATED = re.compile(r"\s*^[^\n]*<!-- SOLVEIT_SEPARATOR_7f3a9b2c -->[ \t]*$\s*", re.MULTILINE)


class Older(NamedTuple):
    """A prompt cell of the older form: ``between`` is the separator and white space."""

    prompt: str
    between: str
    reply: str


def is_older(cell: Mapping[str, Any]) -> bool:
    """Whether a cell is a prompt of the older form."""
    metadata = cell.get("metadata")
    return cell["cell_type"] == "markdown" and bool(metadata and metadata.get(KEY))


def split_older(source: str) -> Older:
    """Take the text of a prompt cell of the older form apart."""
    found = _SEPARATED.search(source)
    if not found:
        return Older(source, "", "")
    return Older(source[: found.start()], found[0], source[found.end() :])


def older_source(old: str, prompt: str, reply: str) -> str | None:
    """Write a prompt in the older form.

    Parameters
    ----------
    old : str
        The cell's text so far, whose white space is kept.
    prompt, reply : str
        What it is to hold.

    Returns
    -------
    str or None
        None if this form cannot hold it.
    """
    between = split_older(old).between
    if reply or between:
        between = between or f"\n\n{SEPARATOR}\n\n"
        if reply and not between.endswith("\n"):
            between += "\n\n"
    source = prompt + between + reply
    return source if split_older(source)[::2] == (prompt, reply) else None


def prompt_source(old: str, prompt: str) -> str:
    r"""Write a prompt in the form of a code cell.

    Parameters
    ----------
    old : str
        The cell's text so far; its magic line and what stands above it are kept. Of text
        on that line no more than the options is, where the new prompt begins otherwise.
    prompt : str
        What it is to ask.

    Returns
    -------
    str
        The cell's text.

    Examples
    --------
    >>> prompt_source("%%prompt -m fake\nWhy?", "How?")
    '%%prompt -m fake\nHow?'
    """
    if split_cell(old) is None:
        return f"%%prompt\n{prompt}" if prompt else "%%prompt"
    head, text = head_of(old)
    newline = "\r\n" if head.endswith("\r\n") else "\n"
    magic = head.rstrip("\r\n")
    kept = [magic + newline + prompt] if prompt else [magic]
    if text.strip():
        bare = magic.removesuffix(text).rstrip()
        kept = [bare + newline + prompt] if prompt else [bare]
        if prompt == text:
            kept.insert(0, magic)
        elif prompt.startswith(text + "\n"):
            kept.insert(0, magic + newline + prompt[len(text) + 1 :])
    return next((source for source in kept if prompt_text(source) == prompt), kept[-1])
