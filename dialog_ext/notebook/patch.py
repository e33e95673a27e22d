"""Values written in place of others, so that an edit touches nothing else."""

from __future__ import annotations

from typing import Any

from .spans import DECODE, Parts, same, take_apart
from .style import LINE_END, Style, after_line_end, indentation

Item = tuple["int | None", str]


def put_together(text: str, parts: Parts, items: list[Item], style: Style, base: str = "") -> str:
    """Write an array or object with other items.

    Parameters
    ----------
    text : str
        The text in which it stands.
    parts : Parts
        It, taken apart.
    items : list of (int or None, str)
        Number of the item that each one was, None for a new one, and its text.
    style : Style
        How the file writes JSON, where there is nothing to go by.
    base : str, default ""
        The indentation of the line that it starts on.

    Returns
    -------
    str
        Its text. Between items that followed one another stands what stood there.
    """
    opening, closing = text[parts.start], text[parts.end - 1]
    if not items:
        return text[parts.start : parts.end] if not parts.heads else opening + closing
    count = len(parts.heads)
    if count:
        first, tail = parts.gap(text, 0), parts.gap(text, count)
    else:
        first, tail = style.gap(base, True), style.gap(base, False)
    usual = parts.gap(text, 1) if count > 1 else style.comma + first
    out = [opening, first]
    for n, (was, written) in enumerate(items):
        if n:
            out.append(parts.gap(text, was) if was else usual)
        out.append(written)
    return "".join([*out, tail, closing])


def item_base(text: str, parts: Parts, style: Style, base: str) -> str:
    """The indentation of the lines on which the items of a container start."""
    if style.indent is None:
        return ""
    if not parts.heads:
        return base + style.indent
    gap = parts.gap(text, 0)
    return after_line_end(gap) if LINE_END.search(gap) else base


def patched(text: str, at: int, new: Any, style: Style) -> str:
    """Write a value that takes the place of another one, keeping what they share.

    Parameters
    ----------
    text : str
        The text in which the other one stands.
    at : int
        Where it stands.
    new : object
        What takes its place.
    style : Style
        How the file writes JSON.

    Returns
    -------
    str
        The new value's text: wherever it holds what the old one does, the old one's.

    Raises
    ------
    TypeError, ValueError
        If JSON cannot hold it.
    """
    old, end = DECODE(text, at)
    if same(old, new):
        return text[at:end]
    base = "" if style.indent is None else indentation(text, at)
    if isinstance(old, dict) and isinstance(new, dict):
        return _patched_object(text, take_apart(text, at), new, style, base)
    if isinstance(old, list) and isinstance(new, (list, tuple)):
        return _patched_array(text, take_apart(text, at), list(new), style, base)
    return style.dump(new, base)


def _patched_object(text: str, parts: Parts, new: dict[str, Any], style: Style, base: str) -> str:
    inner = item_base(text, parts, style, base)
    counts = {key: i for i, key in enumerate(parts.keys)}
    items: list[tuple[int | None, str]] = []
    for i, key in enumerate(parts.keys):
        if key not in new:
            continue
        if counts[key] == i:
            value = patched(text, parts.starts[i], new[key], style)
        else:
            value = text[parts.starts[i] : parts.ends[i]]  # a key's earlier, idle value
        items.append((i, text[parts.heads[i] : parts.starts[i]] + value))
    keys = [key for key in parts.keys if key in new]
    is_sorted = len(keys) > 1 and keys == sorted(keys)
    for key in new:
        if key in counts:
            continue
        if not isinstance(key, str):
            raise TypeError(f"a key is no str: {key!r}")
        at = sum(other < key for other in keys) if is_sorted else len(keys)
        keys.insert(at, key)
        written = style.dump(key) + style.colon + style.dump(new[key], inner)
        items.insert(at, (None, written))
    return put_together(text, parts, items, style, base)


def _patched_array(text: str, parts: Parts, new: list[Any], style: Style, base: str) -> str:
    inner = item_base(text, parts, style, base)
    old = parts.values
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if not same(old[i], new[i])), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if not same(old[-1 - i], new[-1 - i])), rest)
    paired = len(old) == len(new)
    items: list[Item] = []
    for i, value in enumerate(new):
        was: int | None = None
        if i < head or paired:
            was = i
        elif i >= len(new) - tail:
            was = i - len(new) + len(old)
        if was is None:
            items.append((None, style.dump(value, inner)))
        else:
            items.append((was, patched(text, parts.starts[was], value, style)))
    return put_together(text, parts, items, style, base)
