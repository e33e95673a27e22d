"""Bound what the kernel's copy of a cell's outputs holds; the page is untouched. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..dialog.outputs import joined
from ..prompt.render import left_out

CAP: Final = 2_000_000
"""Characters of text that one cell's outputs may hold, if nothing else is set."""


def text_size(output: Mapping[str, Any]) -> int:
    """Characters of text in an output; pictures and other binary forms do not count."""
    match output.get("output_type"):
        case "stream":
            return len(joined(output.get("text", "")))
        case "error":
            return sum(len(str(line)) for line in output.get("traceback") or ())
        case _:
            data = output.get("data") or {}
            return sum(len(joined(text)) for kind, text in data.items() if kind[:5] == "text/")


class CappedOutputs:
    """The outputs of one cell under a cap: head and tail are kept, the middle is dropped.

    Parameters
    ----------
    cap : int
        Characters of text to keep, half of it from the head.

    Notes
    -----
    Trimming costs a pass over what is kept, and is due again only after as much as half
    the cap has come, so that each character is looked at a constant number of times.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._since = 0
        self._missing = 0
        self._head: list[dict[str, Any]] = []
        self._mark: dict[str, Any] | None = None

    def grown(self, size: int) -> bool:
        """Note ``size`` more characters; whether a trim is due."""
        self._since += size
        return self._since > (self._cap if self._mark is None else self._cap // 2)

    def trimmed(self, outputs: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Give outputs of at most the cap, with a mark that says how much is missing.

        Parameters
        ----------
        outputs : iterable of dict
            The cell's outputs; after the first trim those that it gave, and what has
            come since.

        Returns
        -------
        list of dict
            Head, mark, tail.
        """
        rest, half = list(outputs), self._cap // 2
        place = len(self._head)
        if self._mark is not None and rest[place : place + 1] == [self._mark]:
            rest = rest[place + 1 :]
        else:  # never trimmed, or cleared since
            self._missing, self._mark = 0, None
            self._since = sum(map(text_size, rest))
            if self._since <= self._cap:
                return rest
            self._head, rest = _front(rest, half)
        dropped, tail = _back(rest, half)
        self._missing += dropped
        self._since = 0
        # a display, which no later piece of a stream can join
        text = {"text/plain": left_out(self._missing)}
        self._mark = {"output_type": "display_data", "data": text, "metadata": {}}
        return [*self._head, self._mark, *tail]


def _front(
    outputs: list[dict[str, Any]], size: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Split outputs after ``size`` characters; a stream is split, others fall whole."""
    head: list[dict[str, Any]] = []
    for place, output in enumerate(outputs):
        own = text_size(output)
        if own > size:
            if output.get("output_type") == "stream":
                text = joined(output["text"])
                return [*head, {**output, "text": text[:size]}], [
                    {**output, "text": text[size:]},
                    *outputs[place + 1 :],
                ]
            return head, outputs[place:]
        head.append(output)
        size -= own
    return head, []


def _back(outputs: list[dict[str, Any]], size: int) -> tuple[int, list[dict[str, Any]]]:
    """Drop all but the last ``size`` characters; how many were dropped, and what is kept."""
    tail: list[dict[str, Any]] = []
    dropped = 0
    for output in reversed(outputs):
        own = text_size(output)
        if own <= size:
            tail.append(output)
            size -= own
        elif output.get("output_type") == "stream" and size:
            text = joined(output["text"])
            tail.append({**output, "text": text[-size:]})
            dropped += own - size
            size = 0
        else:
            dropped += own
            size = 0 if own else size
    return dropped, tail[::-1]
