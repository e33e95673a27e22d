"""How a file writes JSON, and writing more of it the same way."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from .spans import DECODE, Parts, skip

LINE_END = re.compile(r"\r\n|\n|\r")
_LONE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u(?:00[89a-f]|0[1-9a-f]|[1-9a-f])", re.IGNORECASE)


class Style(NamedTuple):
    """How a file writes JSON; the defaults are Jupyter's own.

    Parameters
    ----------
    indent : str or None
        One step of indentation; None: all on one line.
    eol : str
        Line end.
    comma, colon : str
        What stands between items, but for the line end, and behind a key.
    ascii : bool
        Whether other characters are escaped.
    sort : bool
        Whether keys are sorted.
    lines : bool
        Whether text of several lines is a list of them.
    """

    indent: str | None = " "
    eol: str = "\n"
    comma: str = ","
    colon: str = ": "
    ascii: bool = False
    sort: bool = True
    lines: bool = True

    def dump(self, value: Any, base: str = "") -> str:
        """Write a value.

        Parameters
        ----------
        value : object
            The value.
        base : str, default ""
            The indentation of the line that it starts on.

        Returns
        -------
        str
            JSON; lone surrogates are escaped, since no file can hold them.

        Raises
        ------
        TypeError, ValueError
            If JSON cannot hold it.
        """
        text = json.dumps(
            value,
            indent=self.indent,
            ensure_ascii=self.ascii,
            separators=(self.comma, self.colon),
            sort_keys=self.sort,
        )
        if not self.ascii and not text.isascii():
            text = _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        return text if self.indent is None else text.replace("\n", self.eol + base)

    def gap(self, base: str, inner: bool) -> str:
        """What stands behind an opening (``inner``) or before a closing bracket."""
        return "" if self.indent is None else self.eol + base + self.indent * inner


def style_of(text: str, top: Parts) -> Style:
    """Tell how a file writes JSON, from its outermost object.

    Parameters
    ----------
    text : str
        The file's text.
    top : Parts
        The outermost object.

    Returns
    -------
    Style
        As far as it can be seen; ``lines`` is left at its default.
    """
    style = Style(sort=top.keys == sorted(top.keys))
    if text.isascii():
        style = style._replace(ascii=_ESCAPED.search(text) is not None)
    if not top.keys:
        return style
    between = top.gap(text, 1) if len(top.keys) > 1 else ","
    key = skip(text, DECODE(text, top.heads[0])[1]) if top.heads else 0
    style = style._replace(colon=text[key : top.starts[0]])
    first = top.gap(text, 0)
    ends = LINE_END.search(first)
    if ends is None:
        return style._replace(indent=None, comma=between)
    step = after_line_end(first).removeprefix(indentation(text, top.start))
    comma = LINE_END.split(between)[0]
    return style._replace(indent=step, eol=ends[0], comma="," + comma.partition(",")[2])


def after_line_end(gap: str) -> str:
    """What stands behind the last line end."""
    return gap[max(gap.rfind("\n"), gap.rfind("\r")) + 1 :]


def indentation(text: str, at: int) -> str:
    """The white space at the start of the line that a position is on."""
    start = text.rfind("\n", 0, at) + 1
    start = max(start, text.rfind("\r", start, at) + 1)
    end = start
    while text[end : end + 1] in (" ", "\t") and end < at:
        end += 1
    return text[start:end]
