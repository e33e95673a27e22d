"""The stream of a fake answer, and the pace it keeps."""

from __future__ import annotations

import time
from collections.abc import Iterator

from dialog_ext.model.fake.words import words
from dialog_ext.model.stream import ResponseStream

__all__ = ["FakeResponseStream", "paced"]


class FakeResponseStream(ResponseStream):
    """A stream over chunks that are pairs of (reasoning, content).

    Parameters
    ----------
    session : iterable of (str or None, str or None)
        The chunks.
    with_reasoning : bool, default False
        Whether the reasoning is among the pieces, set off by the splitters.
    reasoning_splitter : str
        The line above each run of reasoning.
    content_splitter : str
        The line above each run of content that is shown together with reasoning.

    Examples
    --------
    >>> "".join(FakeResponseStream([("", "Good "), ("", "day")]))
    'Good day'
    """


def paced(reasoning: str, content: str, wps: float) -> Iterator[tuple[str, str]]:
    """Give an answer word by word, the reasoning first.

    Parameters
    ----------
    reasoning, content : str
        The answer.
    wps : float
        Words per second. Between two words stands a wait of ``1 / wps`` seconds; there is
        none before the first and none after the last.

    Yields
    ------
    tuple of (str, str)
        (word, ``''``) for the reasoning, then (``''``, word) for the content.
    """
    is_first = True
    for kind, text in enumerate((reasoning, content)):
        for word in words(text) if text else ():
            if not is_first:
                time.sleep(1 / float(wps))
            is_first = False
            yield ("", word) if kind else (word, "")
