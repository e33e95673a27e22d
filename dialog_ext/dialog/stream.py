"""Pieces of printed text, joined as a notebook joins them."""

from __future__ import annotations

from typing import Any

from .outputs import joined


class StreamText:
    r"""Text that grows by pieces, with the two characters by which a line is rewritten.

    ``\r`` goes back to the start of the line, where what follows overwrites what stands
    there; ``\b`` takes away the character before, and the one at the cursor if the cursor
    is not at the end. Neither is kept, so a progress bar is one line, not a thousand. The
    cost of a piece does not grow with the text before it.

    Parameters
    ----------
    text : str
        What there is already.

    Notes
    -----
    The rules are those by which JupyterLab 4.6 joins the pieces of one stream in the outputs
    that it saves (``OutputAreaModel``, ``processText``), counted in characters where it
    counts in UTF-16 units.
    """

    __slots__ = ("_at", "_line", "_parts")

    def __init__(self, text: str = "") -> None:
        self._parts = [text]
        # the characters of the last line while it is being rewritten, and the cursor in it
        self._line: list[str] | None = None
        self._at = 0

    def add(self, piece: str) -> None:
        """Append a piece."""
        if self._line is None and "\r" not in piece and "\b" not in piece:
            self._parts.append(piece)
            return
        lines = piece.split("\n")
        self._write(lines[0])
        for line in lines[1:]:
            self._end_line()
            self._write(line)

    def read(self) -> str:
        """The text so far."""
        count = len(self._parts)
        text = "".join(self._parts[:count])
        self._parts[:count] = [text]
        return text + "".join(self._line) if self._line else text

    def _end_line(self) -> None:
        if self._line is not None:
            self._parts.append("".join(self._line))
            self._line = None
        self._parts.append("\n")

    def _write(self, text: str) -> None:
        """Write text without line ends at the cursor."""
        if self._line is None:
            if "\r" not in text and "\b" not in text:
                self._parts.append(text)
                return
            self._line = self._take_line()
            self._at = len(self._line)
        for i, run in enumerate(text.split("\r")):
            if i:
                self._at = 0
            for j, plain in enumerate(run.split("\b")):
                if j and self._at:
                    self._at -= 1
                    del self._line[self._at : self._at + 2]
                end = self._at + len(plain)
                self._line[self._at : end] = plain
                self._at = end

    def _take_line(self) -> list[str]:
        """Take the characters after the last line end off the parts."""
        tail: list[str] = []
        while self._parts:
            head, end, line = self._parts.pop().rpartition("\n")
            tail.append(line)
            if end:
                self._parts.append(head + end)
                break
        return list("".join(reversed(tail)))


class StreamJoin:
    """A stream's output that takes further pieces; they are joined when it is read.

    Parameters
    ----------
    output : dict
        A stream's output that nobody else holds; its text becomes a str.
    """

    __slots__ = ("_read", "_text", "output", "pending")

    def __init__(self, output: dict[str, Any]) -> None:
        self.output = output
        self._text = StreamText()
        self._text.add(joined(output.get("text")))
        self.pending = True
        self._read: Any = output.get("text")
        self.flush()

    @property
    def edited(self) -> bool:
        """Whether somebody else has set the output's text."""
        return self.output.get("text") is not self._read

    def takes(self, output: dict[str, Any]) -> bool:
        """Whether an output's text belongs to this one: all else in them is alike."""
        mine = self.output
        if len(output) == len(mine) == 3:
            return bool(output.get("name") == mine.get("name"))
        return {**output, "text": ""} == {**mine, "text": ""}

    def add(self, piece: str) -> None:
        """Append a piece."""
        self.pending = True
        self._text.add(piece)

    def flush(self) -> None:
        """Put the text so far into the output; a text that somebody set there stays."""
        if self.pending and not self.edited:
            self._read = self.output["text"] = self._text.read()
        self.pending = False
