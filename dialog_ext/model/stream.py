"""An answer that arrives in pieces, and what is known of it at any moment."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

__all__ = ["ResponseStream", "Usage"]

_REASONING_SPLITTER: Final = "---------------------------reasoning---------------------------"
_CONTENT_SPLITTER: Final = "---------------------------content---------------------------"


class Usage(NamedTuple):
    """Tokens that one answer took, counted by the model itself.

    Attributes
    ----------
    input_tokens : int
        Tokens of the request, those read from a cache included.
    output_tokens : int
        Tokens of the answer, those of the reasoning included.
    cached_tokens : int
        The part of ``input_tokens`` that came from the provider's cache.
    reasoning_tokens : int
        The part of ``output_tokens`` that was reasoning.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Tokens of request and answer together."""
        return self.input_tokens + self.output_tokens


class _Text:
    """A text that grows at its end; one thread adds while others may read.

    What was joined once is kept, so reading after each piece stays cheap. The kept part
    and its number of pieces change as one value: a reader never sees half of a change.
    """

    __slots__ = ("_joined", "_pieces")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._joined = (0, "")

    def add(self, piece: str) -> None:
        self._pieces.append(piece)

    def read(self) -> str:
        count, text = self._joined
        fresh = self._pieces[count:]
        if fresh:
            text += "".join(fresh)
            self._joined = (count + len(fresh), text)
        return text


class ResponseStream:
    """An answer as an iterator of text pieces, to be read once.

    The text so far stays readable at any time: between two pieces, after a ``break``,
    after an interrupt or an error of the source, and after :meth:`close`.

    Parameters
    ----------
    session : iterable
        The source's chunks. If it has a ``close`` method, that is called when the stream
        ends in any way.
    with_reasoning : bool, default False
        Whether the reasoning is among the pieces, set off by the splitters. It is
        collected in :attr:`reasoning_content` in both cases.
    reasoning_splitter : str
        The line above each run of reasoning.
    content_splitter : str
        The line above each run of content that is shown together with reasoning.

    Notes
    -----
    A subclass says by :meth:`_read_chunk` what a chunk of its source means, and there
    may set ``self._usage`` and ``self._finish_reason``. The base class takes chunks
    that are pairs of (reasoning, content), each a str or None.

    Examples
    --------
    >>> stream = ResponseStream([("hm", None), (None, "Good "), (None, "day")])
    >>> list(stream), stream.reasoning_content
    (['Good ', 'day'], 'hm')
    """

    def __init__(
        self,
        session: Any,
        with_reasoning: bool = False,
        reasoning_splitter: str = _REASONING_SPLITTER,
        content_splitter: str = _CONTENT_SPLITTER,
    ) -> None:
        self._session: Iterable[Any] = session
        self._with_reasoning = with_reasoning
        self._splitters = {"reasoning": reasoning_splitter, "content": content_splitter}
        self._texts = {"reasoning": _Text(), "content": _Text()}
        self._source: Iterator[Any] | None = None
        self._is_entered = False
        self._is_ended = False
        self._usage: Usage | None = None
        self._finish_reason: str | None = None
        self._is_complete = False

    def _read_chunk(self, chunk: Any) -> tuple[str | None, str | None]:
        """Turn one chunk of the source into (reasoning, content); nothing is None or ``''``."""
        reasoning, content = chunk
        return reasoning, content

    @property
    def is_entered(self) -> bool:
        """Whether reading has begun (bool); it stays true after the end."""
        return self._is_entered

    @property
    def is_ended(self) -> bool:
        """Whether no piece will come any more (bool): read to its end, left, failed or closed."""
        return self._is_ended

    @property
    def content(self) -> str | None:
        """The content so far (str), without splitters; None before the stream was read."""
        return self._text("content")

    @property
    def reasoning_content(self) -> str | None:
        """The reasoning so far (str), shown or not; None before the stream was read."""
        return self._text("reasoning")

    @property
    def usage(self) -> Usage | None:
        """The tokens that the model counted (Usage); None if it has not said."""
        return self._usage

    @property
    def finish_reason(self) -> str | None:
        """Why the model ended (str); None until the stream has come to its own end.

        It is ``'stop'`` unless the source gave another reason, such as ``'length'``.
        A stream that was left, interrupted or closed before its end, or whose source
        failed, has none.
        """
        return self._finish_reason if self._is_complete else None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the pieces.

        Yields
        ------
        str
            Pieces of content; with ``with_reasoning`` also those of reasoning, and the
            splitters.

        Raises
        ------
        RuntimeError
            At the first step, if the stream was entered or ended before.
        """
        self._enter()
        previous = ""
        try:
            for kind, piece in self._read_source():
                for shown in self._shown(kind, piece, previous):
                    yield shown
                    if self._is_ended:
                        return
                previous = kind
        finally:
            self.close()

    def _enter(self) -> None:
        if self._is_entered or self._is_ended:
            raise RuntimeError("Stream already entered or ended.")
        self._is_entered = True

    def _read_source(self) -> Iterator[tuple[str, str]]:
        """Collect the source's pieces, to its end or to :meth:`close`; give (kind, piece)."""
        self._source = source = iter(self._session)
        piece: Any  # whatever a source gives: its word that it is a str is checked
        for chunk in source:
            for kind, piece in zip(("reasoning", "content"), self._read_chunk(chunk), strict=True):
                if self._is_ended:
                    return
                if piece:
                    if not isinstance(piece, str):
                        kept = type(piece).__name__
                        raise TypeError(f"a piece of an answer must be a str, not {kept}")
                    self._texts[kind].add(piece)
                    yield kind, piece
        if not self._is_ended:
            self._finish_reason = self._finish_reason or "stop"
            self._is_complete = True

    def _shown(self, kind: str, piece: str, previous: str) -> tuple[str, ...]:
        """Give what the reader sees of a piece, which depends on the kind before it."""
        if not self._with_reasoning:
            return (piece,) if kind == "content" else ()
        if kind == previous:
            return (piece,)
        splitter = self._splitters[kind] + "\n\n"
        return ("\n\n", splitter, piece) if previous else (splitter, piece)

    def close(self) -> None:
        """End the stream and free its source; the text so far stays. Again: no effect.

        From another thread, a read that is under way gives no further piece.
        """
        self._is_ended = True
        session, source = self._session, self._source
        self._session, self._source = (), None
        for thing in (source, session):
            close = getattr(thing, "close", None)
            if close is None:
                continue
            try:
                close()
            except ValueError:
                # A generator that runs in another thread cannot be closed: the reading
                # thread sees the flag at the next chunk and leaves it.
                if not isinstance(thing, Generator):
                    raise

    def _text(self, kind: str) -> str | None:
        return self._texts[kind].read() if self._is_entered or self._is_ended else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "ended" if self._is_ended else "entered" if self._is_entered else "unread"
        return f"<{type(self).__name__}: {state}, {len(self.content or '')} characters>"
