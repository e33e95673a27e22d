"""Where in a JSON text each value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

_WS = re.compile(r"[ \t\n\r]*").match
DECODE: Final = json.JSONDecoder().raw_decode
"""Reads the value at a position; gives it and the position behind it."""
_ENCODE: Final = json.JSONEncoder().encode

Scan = Callable[[str, int, "str | None"], "tuple[Any, int]"]


class Parts(NamedTuple):
    """A JSON array or object, taken apart.

    Parameters
    ----------
    start, end : int
        Where its brackets stand: at ``start``, and before ``end``.
    heads : list of int
        Where each item starts; in an object, where its key does.
    starts, ends : list of int
        Where each value starts and ends.
    keys : list of str
        The keys of an object; empty for an array.
    values : list
        The values.
    """

    start: int
    end: int
    heads: list[int]
    starts: list[int]
    ends: list[int]
    keys: list[str]
    values: list[Any]

    def place(self, key: str) -> int | None:
        """Number of the item that a key stands for: the last one, as JSON readers take it."""
        keys = self.keys
        return len(keys) - 1 - keys[::-1].index(key) if key in keys else None

    def gap(self, text: str, i: int) -> str:
        """What stands before item ``i``: white space, and the comma; or behind the last one."""
        before = self.ends[i - 1] if i else self.start + 1
        return text[before : self.heads[i] if i < len(self.heads) else self.end - 1]


def skip(text: str, at: int) -> int:
    """The position behind white space."""
    found = _WS(text, at)
    return found.end() if found else at


def value_at(text: str, at: int, key: str | None = None) -> tuple[Any, int]:
    """Read the value at a position.

    Parameters
    ----------
    text : str
        JSON.
    at : int
        Where the value starts.
    key : str, optional
        Unused: the key that the value has, for those who care.

    Returns
    -------
    value : object
        The value.
    end : int
        The position behind it.

    Raises
    ------
    json.JSONDecodeError
        If there is none.
    """
    return DECODE(text, at)


def take_apart(text: str, at: int, scan: Scan = value_at, parts: Parts | None = None) -> Parts:
    """Take the array or object at a position apart, one level deep.

    Parameters
    ----------
    text : str
        JSON.
    at : int
        Where its bracket stands.
    scan : callable, default :func:`value_at`
        Reads each value.
    parts : Parts, optional
        Is filled, so that after an error it tells how far the text could be read.

    Returns
    -------
    Parts
        The items.

    Raises
    ------
    json.JSONDecodeError
        If the text is no JSON.
    """
    heads, starts, ends, keys, values = ([], [], [], [], []) if parts is None else parts[2:]
    is_object = text[at] == "{"
    close = "}" if is_object else "]"
    i = skip(text, at + 1)
    if text[i : i + 1] != close:
        while True:
            heads.append(i)
            key = None
            if is_object:
                key, i = _key(text, i)
                keys.append(key)
            value, end = scan(text, i, key)
            starts.append(i)
            ends.append(end)
            values.append(value)
            i = skip(text, end)
            if text[i : i + 1] != ",":
                break
            i = skip(text, i + 1)
        if text[i : i + 1] != close:
            raise json.JSONDecodeError("Expecting ',' delimiter", text, i)
    return Parts(at, i + 1, heads, starts, ends, keys, values)


def _key(text: str, at: int) -> tuple[str, int]:
    """The key at a position, and where its value starts."""
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    key, end = DECODE(text, at)
    i = skip(text, end)
    if text[i : i + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, i)
    return key, skip(text, i + 1)


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same JSON: 1, 1.0 and true are not, nor is other key order.

    Raises
    ------
    TypeError
        If one of them is no JSON.
    """
    if not a and not b and type(a) is type(b) and type(a) is not float:
        return True  # most cells have no metadata; but 0.0 is not -0.0
    return a is b or _ENCODE(a) == _ENCODE(b)


def is_same(a: Any, b: Any) -> bool:
    """Whether two values are the same JSON, as :func:`same`; False if one is no JSON."""
    try:
        return same(a, b)
    except (TypeError, ValueError, RecursionError):
        return False
