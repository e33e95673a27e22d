"""The four kinds of message."""

from __future__ import annotations

from typing import Any, Final

scode: Final = "code"
"""Code that runs, with its outputs."""
snote: Final = "note"
"""Markdown."""
sprompt: Final = "prompt"
"""What a model is asked, with its reply."""
sraw: Final = "raw"
"""Text of no kind."""
smsg_types: Final = (scode, snote, sprompt, sraw)
"""The kinds of message."""


def holds_outputs(msg_type: str) -> bool:
    """Whether messages of this kind carry a list of outputs: code and prompts do."""
    return msg_type in (scode, sprompt)


def no_output(msg_type: str) -> Any:
    """What a message of this kind has in place of outputs: ``[]`` or ``''``."""
    return [] if holds_outputs(msg_type) else ""


def known(msg_type: str) -> str:
    """Give back a kind of message.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    if msg_type not in smsg_types:
        raise ValueError(f"unknown msg_type {msg_type!r}: it is one of {', '.join(smsg_types)}")
    return msg_type
