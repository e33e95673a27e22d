"""Approximate token counts, offline and without a vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

IMAGE_TOKENS: Final = 800
"""What one picture of at most 768 x 768 pixels costs, roughly, with the vendors' own rules."""

_PIECE = re.compile(
    r"(?P<latin>[A-Za-z\u00c0-\u024f]+)"
    r"|(?P<digits>[0-9]+)"
    r"|(?P<cjk>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
    r"|(?P<letters>[^\W\d_a-zA-Z\u00c0-\u024f]+)"
    r"|(?P<space>[ \t]*\n+|[ \t]{2,})"
    r"|(?P<marks>[^\s\w]+|_+)"
)


def approx_tokens(text: str) -> int:
    """Estimate how many tokens a text costs.

    Parameters
    ----------
    text : str
        Any text, in any language.

    Returns
    -------
    int
        The estimate, 0 for an empty text.

    Notes
    -----
    Fitted to the o200k vocabulary. Its error there, measured over corpora of eight
    kinds, lies between -17 % (German) and +21 % (Python); vendors' vocabularies differ
    from one another by more than that, so it is shown as an approximation everywhere.

    Examples
    --------
    >>> approx_tokens("Hello, world!")
    4
    """
    return int(sum(map(_weight, _PIECE.finditer(text))) + 0.5)


def _weight(match: re.Match[str]) -> float:
    """Tokens of one run of characters of the same kind."""
    size = len(match[0])
    match match.lastgroup:
        case "digits":
            return (size + 2) // 3
        case "space":
            return 1
        case "cjk":
            return 0.75
        case "letters":
            return max(1, size / 3.5)
        case "marks":
            return max(1, size / 2.2)
        case _ if match[0][0].isascii():
            return 1 if size <= 7 else 1 + (size - 7) / 5
        case _:
            return max(1, size / 3.6)


def message_tokens(message: Mapping[str, Any]) -> int:
    """Estimate the tokens of one wire message, pictures included.

    Parameters
    ----------
    message : Mapping
        A message as a model is given it: ``role`` and ``content``, which is a str, a
        list of parts, or None.

    Returns
    -------
    int
        The estimate, with 4 tokens for the frame that vendors put around a message.
    """
    return 4 + sum(map(_part_tokens, _parts(message.get("content"))))


def _parts(content: object) -> Iterable[object]:
    if isinstance(content, (list, tuple)):
        return content
    return () if content is None else (content,)


def _part_tokens(part: object) -> int:
    if isinstance(part, Mapping):
        if "image_url" in part:
            return IMAGE_TOKENS
        part = part.get("text", "")
    return approx_tokens(str(part))
