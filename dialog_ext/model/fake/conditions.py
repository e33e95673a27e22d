"""When a rule of the fake model applies: conditions that compare by value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["KeywordInLastMessage", "always", "message_texts"]


def always(messages: Sequence[dict[str, Any]], **params: Any) -> bool:
    """Apply to any messages, also to none."""
    return True


class KeywordInLastMessage:
    """Apply where one of some keywords stands in the text of the last message.

    Parameters
    ----------
    keywords : str or iterable of str
        What to look for, with regard to case. Texts inside a list of content parts are
        searched; a message without text, or no message at all, is no match.

    Raises
    ------
    TypeError
        If a keyword is no str.
    """

    __slots__ = ("keywords",)

    keywords: tuple[str, ...]

    def __init__(self, keywords: str | Iterable[str]) -> None:
        words = (keywords,) if isinstance(keywords, str) else tuple(keywords)
        for word in words:
            if not isinstance(word, str):
                raise TypeError(f"A keyword is a str, not {type(word).__name__}: {word!r}.")
        self.keywords = words

    def __call__(self, messages: Sequence[dict[str, Any]], **params: Any) -> bool:
        """Tell whether a keyword stands in the last message (bool)."""
        if not messages:
            return False
        for text in message_texts(messages[-1]):
            for keyword in self.keywords:
                if keyword in text:
                    return True
        return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KeywordInLastMessage):
            return NotImplemented
        return self.keywords == other.keywords

    def __hash__(self) -> int:
        return hash((KeywordInLastMessage, self.keywords))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.keywords)!r})"


def message_texts(message: Any) -> Iterator[str]:
    """Find the texts of one wire message.

    Parameters
    ----------
    message : mapping
        Its content may be a str, a list of parts, None, or missing.

    Yields
    ------
    str
        The content, or each text among its parts.
    """
    content = message.get("content") if isinstance(message, Mapping) else None
    for part in content if isinstance(content, list | tuple) else (content,):
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text
