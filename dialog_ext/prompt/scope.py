"""Which messages a prompt is asked about."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from ..dialog import Message
from ..notebook.magic import Scope


def messages_above(messages: Iterable[Message], prompt: Message | None) -> list[Message]:
    """The messages above the prompt's own; all of them where it has none."""
    return list(takewhile(lambda message: message is not prompt, messages))


def messages_for(
    messages: Iterable[Message], prompt: Message | None, scope: Scope = "above"
) -> list[Message]:
    """Choose what a prompt is asked about.

    Parameters
    ----------
    messages : iterable of Message
        A dialog's messages, from the top.
    prompt : Message or None
        The prompt's own message; None: it stands below all others.
    scope : {"above", "all", "none", "section"} or int
        What stands above the prompt; all but the prompt; nothing; what stands above it from
        the nearest heading on, or everything above where there is none; that many messages
        above it.

    Returns
    -------
    list of Message
        From the top.
    """
    match scope:
        case "all":
            return [message for message in messages if message is not prompt]
        case "none" | 0:
            return []
    above = messages_above(messages, prompt)
    if scope == "section":
        headings = (i for i in reversed(range(len(above))) if above[i].header_level())
        return above[next(headings, 0) :]
    return above[-scope:] if isinstance(scope, int) else above
