"""The thunk: a model's output, there already or still to come."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import finalize

from .component import Component
from .copies import CopiedWhenComputed
from .recorded import Recorded
from .records import GenerateType
from .streaming import ChunkReader, being_cancelled

if TYPE_CHECKING:
    from .blocks import CBlock
    from .tools import ModelToolCall

__all__ = ["ModelOutputThunk"]

S = TypeVar("S")

# The thunks whose post-processing or parsing is what runs now, tasks that it began included:
# to it they are computed, to everybody else only once it succeeded.
_settling: ContextVar[tuple[ModelOutputThunk[Any], ...]] = ContextVar("settling", default=())


class ModelOutputThunk(Recorded, CopiedWhenComputed, Generic[S]):
    """A model's output: a text that is there, or one that can be waited for.

    It is no `CBlock`, so that ``match`` tells the two apart in any order.

    Parameters
    ----------
    value : str or None
        The text; None: not computed yet.
    meta : mapping, optional
        Anything about the output; the thunk takes a copy.
    parsed_repr : S, optional
        What the text was parsed to.
    tool_calls : list of ModelToolCall, optional
        The tool calls that the model made, in its order.

    Attributes
    ----------
    parsed_repr : S or None
        What the text was parsed to; the text itself, for a streamed output without an action
        that parses.
    tool_calls : list of ModelToolCall or None
        As given.
    thinking : str or None
        The model's reasoning.
    generation : GenerationMetadata
        How it was made.
    raw : RawProviderResponse
        The provider's own answer.

    Raises
    ------
    TypeError
        If the value is neither str nor None.

    See Also
    --------
    from_stream : The way to make one that is still to come.

    Notes
    -----
    ``copy`` gives a thunk with metadata records of its own that hold the same things;
    ``deepcopy`` copies everything, a log's ``result`` and a ``parsed_repr`` that lead back to
    the thunk included. Neither works before the thunk is computed: RuntimeError.
    """

    # What most thunks never set stands on the class: a thunk costs only what it holds.
    _iterated: bool = False
    _reader: ChunkReader | None = None
    _when_dropped: finalize[[], ModelOutputThunk[S]] | None = None
    _action: Component[S] | CBlock | None = None
    _post_process: Callable[[ModelOutputThunk[S]], Awaitable[None] | None] | None = None
    _on_error: Callable[[ModelOutputThunk[S], Exception], None] | None = None

    def __init__(
        self,
        value: str | None,
        meta: Mapping[str, Any] | None = None,
        parsed_repr: S | None = None,
        tool_calls: list[ModelToolCall] | None = None,
    ) -> None:
        self._underlying_value = _checked(value)
        self._computed = value is not None
        self._meta: dict[str, Any] = dict(meta) if meta else {}
        self.parsed_repr = parsed_repr
        self.tool_calls = tool_calls

    @classmethod
    def from_stream(
        cls,
        chunks: AsyncIterable[str] | Iterable[str],
        *,
        action: Component[S] | CBlock | None = None,
        post_process: Callable[[ModelOutputThunk[S]], Awaitable[None] | None] | None = None,
        on_error: Callable[[ModelOutputThunk[S], Exception], None] | None = None,
    ) -> ModelOutputThunk[S]:
        """Make a thunk whose text comes in chunks.

        Parameters
        ----------
        chunks : async iterable or iterable of str
            The source. Nothing is read before the first ``avalue``, ``astream`` or step of an
            iteration; from then on a task reads up to 64 chunks ahead. A synchronous source
            is read in a thread, so it may block. The source is closed at the end (``aclose``
            or ``close``), also after a failure or a cancellation.
        action : Component or CBlock, optional
            What asked for the output; a component parses it.
        post_process : callable, optional
            Called with the thunk once its whole text is there, before parsing; it may be
            async. It is not called after a failure or a cancellation.
        on_error : callable, optional
            Called with the thunk and the error, once, after a failure or a cancellation: the
            hook ``generation_error``.

        Returns
        -------
        ModelOutputThunk
            Not computed.

        Raises
        ------
        TypeError
            If the chunks are a str, or cannot be iterated.

        Notes
        -----
        Chunks that came before a failure, or together with it, are delivered before it is
        raised. The failure is then raised by each further ``astream`` and ``avalue``, and the
        thunk stays uncomputed; `cancel_generation` makes the text so far its value. The same
        holds where post-processing or parsing fails.

        Examples
        --------
        >>> import asyncio
        >>> asyncio.run(ModelOutputThunk.from_stream(["a", "b"]).avalue())
        'ab'
        """
        thunk = cls(None)
        reader = thunk._reader = ChunkReader(chunks)
        # A thunk that nobody has any more needs no more chunks; till then the task is kept.
        thunk._when_dropped = finalize(thunk, reader.abandon)
        thunk._when_dropped.atexit = False
        thunk._generate_type = GenerateType.ASYNC
        thunk.generation.streaming = True
        thunk._action = action
        thunk._post_process = post_process
        thunk._on_error = on_error
        return thunk

    def is_computed(self) -> bool:
        """Tell whether the text is there.

        Returns
        -------
        bool
            True from construction on if a value was given; ``""`` is one, too.
        """
        return self._computed or self._is_settling()

    @property
    def value(self) -> str | None:
        """The text; None while it is not computed.

        Assigning a str to a thunk that is not computed makes it computed, and ends a stream.
        None may be assigned, and leaves `is_computed` as it is; anything else is a TypeError.
        """
        return self._underlying_value if self.is_computed() else None

    @value.setter
    def value(self, v: str | None) -> None:
        self._underlying_value = _checked(v)
        if v is not None and not self.is_computed():
            if self._reader is not None:
                self._reader.abandon()
            self._finish()

    async def avalue(self) -> str:
        """Wait for the whole text.

        Returns
        -------
        str
            The text; at once, if it is there.

        Raises
        ------
        Exception
            What the source, post-processing or parsing raised, at each call again.
        RuntimeError
            If nothing generates this thunk, or if its value was set to None.
        """
        while self._reader is not None and not self._is_settling():
            await self.astream()
        if not self.is_computed():
            raise RuntimeError(self._no_source())
        if self._underlying_value is None:
            raise RuntimeError("The value of this computed thunk was set to None; set a str")
        return self._underlying_value

    async def astream(self) -> str:
        """Wait for news, and give the text that came since the last call.

        Call it from one place at a time.

        Returns
        -------
        str
            The new text only; empty if the end was all that came. The texts of all calls,
            joined, are the value.

        Raises
        ------
        Exception
            What the source, post-processing or parsing raised, once the text that came with
            it was given.
        RuntimeError
            If the text was given to its end, or if nothing generates this thunk.
        """
        reader = self._reader
        if reader is None or self._is_settling():
            raise RuntimeError(
                "Streaming has finished: the thunk is computed, read its value"
                if self.is_computed()
                else self._no_source()
            )
        await reader.wait()
        if reader.ended and reader.failure is None and self._reader is reader:
            await reader.settle(self._complete)
        text = reader.take()
        if not reader.ended or self._reader is not reader:
            return text
        if reader.failure is None:
            self._finish()
            self._on_error = None
            return text
        if not text:
            self._tell(reader.failure)
            reader.raise_failure()
        return text

    def __aiter__(self) -> ModelOutputThunk[S]:
        if not self.is_computed():
            if self._iterated:
                raise RuntimeError("The thunk is already being iterated; it can be only once")
            self._iterated = True
        return self

    async def __anext__(self) -> str:
        while not self.is_computed():
            if text := await self.astream():
                return text
        raise StopAsyncIteration

    async def cancel_generation(self, error: Exception | None = None) -> None:
        """Stop a generation; the text that came so far becomes the value.

        Safe at any time; of no effect on a computed thunk. The source is told to end and is
        closed; one that does not end within two seconds is left behind.

        Parameters
        ----------
        error : Exception, optional
            Why; it is handed to ``on_error`` (see `from_stream`), a RuntimeError without it.

        Raises
        ------
        asyncio.CancelledError
            If the calling task is itself being cancelled (its ``cancelling()`` is not 0), also
            from before the call. The thunk is computed all the same.
        """
        reader = self._reader
        if self._is_settling() or (reader is None and self._computed):
            return
        try:
            if reader is not None:
                await reader.stop()
        finally:
            if self._reader is reader and not (reader is None and self._computed):
                self._underlying_value = reader.text if reader is not None else ""
                self._cancelled = True
                self._finish()
                self._tell(error or RuntimeError("Generation cancelled"))
        if reader is not None and being_cancelled():
            raise asyncio.CancelledError

    async def aclose(self) -> None:
        """Cancel an unfinished generation and free its source.

        Of no effect once the thunk is computed, so it may be called more than once.
        ``async with`` calls it on every way out of the block.
        """
        await self.cancel_generation()

    async def __aenter__(self) -> ModelOutputThunk[S]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.cancel_generation(error if isinstance(error, Exception) else None)

    async def _complete(self) -> None:
        """Post-process and parse the whole text; on a failure the thunk is not computed."""
        reader = self._reader
        if reader is None:
            return
        self._underlying_value = reader.text
        # This runs in a task of its own, so the variable needs no reset.
        _settling.set((*_settling.get(), self))
        if self._post_process is not None:
            waiting = self._post_process(self)
            if inspect.isawaitable(waiting):
                await waiting
        if isinstance(self._action, Component):
            self.parsed_repr = self._action.parse(self)
        elif self.parsed_repr is None:
            self.parsed_repr = self._underlying_value  # type: ignore[assignment]  # S is str here

    def _is_settling(self) -> bool:
        return self._reader is not None and any(thunk is self for thunk in _settling.get())

    def _finish(self) -> None:
        """Be computed, and let go of what was needed for it."""
        if self._reader is not None and self._reader.first_after is not None:
            self.generation.ttfb_ms = self._reader.first_after * 1e3
        self._computed = True
        self._generate_type = GenerateType.NONE
        self._reader = self._action = self._post_process = None
        if self._when_dropped is not None:
            self._when_dropped.detach()
            del self._when_dropped

    def _tell(self, error: Exception) -> None:
        hook, self._on_error = self._on_error, None
        if hook is not None:
            hook(self, error)

    def _no_source(self) -> str:
        return (
            "Nothing generates this thunk, so there is nothing to wait for; "
            "set its value, or make it by ModelOutputThunk.from_stream"
        )

    def __str__(self) -> str:
        return self.value or ""

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({repr(self.value) if self.is_computed() else 'not computed'})"
        )


def _checked(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"The value of a thunk must be a str or None, not {type(value).__name__}")
    return value
