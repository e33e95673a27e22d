"""Sections: a heading note and what stands under it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from .msgs import Msgs

if TYPE_CHECKING:
    from .message import Message

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+([^\r\n]*))?(?=[\r\n]|\Z)")


def header_info(content: str) -> tuple[int, str | None]:
    """Read the markdown heading in a text's first line.

    Parameters
    ----------
    content : str
        Markdown.

    Returns
    -------
    level : int
        1 to 6; 0 if the line is no heading.
    text : str or None
        The heading without its opening and closing hashes; white space at its end is
        kept where no hashes close it. None if the line is no heading.

    Notes
    -----
    ATX headings as CommonMark 0.31 has them (section 4.2): at most three spaces before the
    hashes; a space, a tab or the end of the line after them.
    """
    found = _HEADING.match(content)
    if found is None:
        return 0, None
    level, text = len(found[1]), found[2] or ""
    before = text.rstrip(" \t").rstrip("#")
    if before != text.rstrip(" \t") and (not before or before[-1] in " \t"):
        text = before.rstrip(" \t")
    return level, text


def section_msgs(ms: Iterable[Message], head: Message) -> list[Message]:
    """Collect a heading and its section.

    Parameters
    ----------
    ms : iterable of Message
        Where to look: a dialog's messages, or some of them.
    head : Message
        The heading, one of ``ms``.

    Returns
    -------
    list of Message
        The heading and all up to the next heading of its level or a higher one; only
        ``head`` if it is no heading.

    Raises
    ------
    ValueError
        If ``head`` is not in ``ms``.
    """
    level = head.header_level()
    section: list[Message] = []
    for message in _from(ms, head):
        if section and (not level or 0 < message.header_level() <= level):
            break
        section.append(message)
    if not section:
        raise ValueError(f"message {head.id} is not among these messages")
    return section


def _from(ms: Iterable[Message], head: Message) -> Iterator[Message]:
    """The messages from ``head`` on; where a list knows its place, nothing else is read."""
    pool = ms if isinstance(ms, (list, tuple)) else list(ms)
    if isinstance(pool, Msgs):
        at = pool.place(head)
    else:
        at = next((i for i, m in enumerate(pool) if m is head), None)
        at = next((i for i, m in enumerate(pool) if m == head), None) if at is None else at
    return (pool[i] for i in range(len(pool) if at is None else at, len(pool)))
