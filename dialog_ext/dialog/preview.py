"""One line on a message, bounded, whatever stands in it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, Final

# C0 and C1 controls, line and paragraph separators, marks that turn the direction of
# writing, lone surrogates: what would break or disguise a line
_CONTROL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_DEPTH: Final = 8
"""Levels of nesting that are looked into: data may contain itself."""

_MARKUP: Final = {ord(c): f"&#{ord(c)};" for c in "&<>`*_[]()#!$~|\\"}


def escaped(text: str) -> str:
    r"""Text on one line: control characters as escapes, a line end as ``\n``."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def cut(text: str, limit: int) -> str:
    """Text of at most ``limit`` characters, an ellipsis at its end if it was longer."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"[:limit]


def size(value: Any, depth: int = _DEPTH) -> int:
    """How many characters of text stand in an output, its type and metadata left out."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        value = [value[k] for k in value if k not in ("output_type", "metadata", "name")]
    if not isinstance(value, (list, tuple)) or not depth:
        return 0
    return sum(size(item, depth - 1) for item in value)


def start_of(value: Any, limit: int) -> str:
    """The first characters of ``str(value)``, without building the rest of it."""
    return cut(value if isinstance(value, str) else str(_head(value, limit)), limit)


def _head(value: Any, limit: int, depth: int = _DEPTH) -> Any:
    if isinstance(value, (str, bytes)):
        return value[: limit + 1]
    if not depth:
        return ...
    if isinstance(value, dict):
        return {k: _head(v, limit, depth - 1) for k, v in islice(value.items(), limit)}
    if isinstance(value, list):
        return [_head(v, limit, depth - 1) for v in value[:limit]]
    return value


def as_markdown(text: str) -> str:
    """Text that markdown shows as it is: nothing in it is markup, a link or a picture."""
    return escaped(text).translate(_MARKUP)
