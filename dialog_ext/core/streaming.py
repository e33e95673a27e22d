"""Reading a source of chunks ahead of whoever takes them."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, NoReturn, TypeAlias

Chunks: TypeAlias = AsyncIterable[str] | Iterable[str]

AHEAD: Final = 64
"""Number of chunks that are read before someone takes them."""

PATIENCE: Final = 2.0
"""Seconds that a source is given to end after it was cancelled."""


class ChunkReader:
    """Reads chunks in a task of its own, from the first wait on, at most `AHEAD` ahead.

    Parameters
    ----------
    chunks : async iterable or iterable of str
        The source. A synchronous one other than a list or tuple is read in a thread, since
        it may block.

    Attributes
    ----------
    ended : bool
        Whether nothing more is read.
    failure : Exception or None
        What ended it, if it was an error. What came before it can still be taken.
    first_after : float or None
        Seconds from the first wait to the first chunk.

    Raises
    ------
    TypeError
        If the source is a str, or cannot be iterated.
    """

    def __init__(self, chunks: Chunks) -> None:
        if isinstance(chunks, str | bytes) or not (
            hasattr(chunks, "__aiter__") or hasattr(chunks, "__iter__")
        ):
            raise TypeError(
                f"The chunks must be an async or sync iterable of str, not {type(chunks).__name__}"
            )
        self.ended = False
        self.failure: Exception | None = None
        self._source: Any = chunks
        self._kept: list[str] = []
        self._taken = 0
        self.first_after: float | None = None
        self._failed_at: TracebackType | None = None
        self._stopping = False
        self._stopped = asyncio.Event()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def text(self) -> str:
        """All that was read, taken or not."""
        return "".join(self._kept)

    async def wait(self) -> None:
        """Wait until there is something to take, or an end.

        Raises
        ------
        RuntimeError
            If another event loop reads the source.
        """
        self._start()
        await self._news.wait()
        await self._stop_done()

    def take(self) -> str:
        """Give what was read since the last call; empty if that is nothing."""
        text = "".join(self._kept[self._taken :])
        self._taken = len(self._kept)
        self._room.set()
        if not self.ended:
            self._news.clear()
        return text

    def raise_failure(self) -> NoReturn:
        """Raise what ended the stream, with the traceback that it came with."""
        if self.failure is None:
            raise RuntimeError("The stream did not fail")
        # Each raise adds to an error's traceback; the same error is raised at each call.
        raise self.failure.with_traceback(self._failed_at)

    async def settle(self, complete: Callable[[], Awaitable[None]]) -> None:
        """Run what follows a good end, once, also if whoever waits for it is cancelled.

        Parameters
        ----------
        complete : callable
            Run by the first call; an error that it raises becomes the failure.
        """

        async def run() -> None:
            try:
                await complete()
            except Exception as error:
                self._fail(error)

        if len(self._tasks) == 1:
            self._tasks.append(asyncio.ensure_future(run()))
        if len(self._tasks) == 2:
            try:
                await asyncio.shield(self._tasks[1])
            except asyncio.CancelledError:
                # That of the task is told by whoever cancelled it; that of the waiter goes on.
                if being_cancelled() or not self._tasks[1].cancelled():
                    raise
        await self._stop_done()

    async def stop(self) -> None:
        """Stop reading, free the source, and wait for that up to `PATIENCE` seconds."""
        self._stopping = True
        try:
            if self._loop is None:
                closing = asyncio.ensure_future(_close(self._source))
                await asyncio.wait({closing}, timeout=PATIENCE)
            elif self._loop is not asyncio.get_running_loop():
                self.abandon()
            else:
                for task in self._tasks:
                    task.cancel()
                if running := {task for task in self._tasks if not task.done()}:
                    await asyncio.wait(running, timeout=PATIENCE)
        finally:
            self._end(None)
            self._stopped.set()

    def abandon(self) -> None:
        """Stop reading without waiting for anything."""
        self.ended = True
        if self._loop is None:
            self._news.set()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)
            for task in self._tasks:
                self._loop.call_soon_threadsafe(task.cancel)

    async def _stop_done(self) -> None:
        """Let whoever stops this reader come first, so that a waiter finds the thunk computed."""
        if self._stopping:
            await self._stopped.wait()

    def _start(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is None and not self.ended:
            self._loop = loop
            self._tasks.append(loop.create_task(self._read()))
        elif self._loop is not loop and not self.ended:
            raise RuntimeError(
                "Another event loop began to read this stream; read a stream in one loop only"
            )

    async def _read(self) -> None:
        chunks: Any = None
        failure: Exception | None = None
        try:
            chunks = _as_async(self._source)
            await self._keep(chunks)
        except asyncio.CancelledError:
            # By whoever closes the event loop, or by the source itself; `stop` tells no failure.
            failure = RuntimeError("The stream was cancelled before its end")
            raise
        except BaseException as error:
            failure = _as_exception(error)
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
        finally:
            await self._close(chunks, failure)

    async def _keep(self, chunks: AsyncIterator[Any]) -> None:
        begun = time.monotonic()
        async for chunk in chunks:
            if not isinstance(chunk, str):
                raise TypeError(f"A chunk must be a str, not {type(chunk).__name__}")
            if not self._kept:
                self.first_after = time.monotonic() - begun
            self._kept.append(chunk)
            self._news.set()
            if len(self._kept) - self._taken >= AHEAD:
                self._room.clear()
                await self._room.wait()

    async def _close(self, chunks: Any, failure: Exception | None) -> None:
        """Close what was read, then tell the end; tell it in any case after `PATIENCE`."""
        if self._stopping:
            failure = None
        late = asyncio.get_running_loop().call_later(PATIENCE, self._end, failure)
        try:
            await _close(chunks)
            if chunks is not self._source and not isinstance(chunks, _Threaded):
                await _close(self._source)
        finally:
            late.cancel()
            if not self._stopping:
                self._end(failure)

    def _end(self, failure: Exception | None) -> None:
        if not self.ended:
            self.ended = True
            if failure is not None:
                self._fail(failure)
            self._news.set()

    def _fail(self, failure: Exception) -> None:
        self.failure, self._failed_at = failure, failure.__traceback__


def being_cancelled() -> bool:
    """Tell whether someone asked the running task to stop."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _as_async(source: Any) -> AsyncIterator[Any]:
    if hasattr(source, "__aiter__"):
        return source.__aiter__()  # type: ignore[no-any-return]  # checked by the attribute
    if isinstance(source, list | tuple):
        return _each(source)
    return _Threaded(source)


async def _each(items: Iterable[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item


async def _close(source: Any) -> None:
    """Close an iterator, if it can be closed; what its closing raises is of no more use."""
    with suppress(Exception):
        if hasattr(source, "aclose"):
            await source.aclose()
        elif hasattr(source, "close"):
            closing = source.close()
            if inspect.isawaitable(closing):
                await closing


def _close_now(source: Any) -> None:
    with suppress(Exception):
        if hasattr(source, "close"):
            source.close()


class _Threaded:
    """Iterates a synchronous source in a thread of its own, which also closes it.

    A thread that hangs in the source cannot be stopped; it is a daemon, so that it keeps
    neither the event loop nor the process from ending.
    """

    def __init__(self, source: Iterable[Any]) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._items: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self._room = threading.Semaphore(AHEAD)
        self._stopped = False
        self._thread: threading.Thread | None = None

    def __aiter__(self) -> _Threaded:
        return self

    async def __anext__(self) -> Any:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="chunks")
            self._thread.start()
        kind, item = await self._items.get()
        self._room.release()
        if kind == "error":
            raise item
        if kind == "end":
            raise StopAsyncIteration
        return item

    async def aclose(self) -> None:
        """Let the thread end, and wait until it has, unless the source hangs."""
        self._stopped = True
        self._room.release()
        if self._thread is None:
            _close_now(self._source)
        end = self._loop.time() + PATIENCE / 2
        while self._thread and self._thread.is_alive() and self._loop.time() < end:
            await asyncio.sleep(0.001)

    def _run(self) -> None:
        iterator: Any = None
        try:
            iterator = iter(self._source)
            for item in iterator:
                self._send("item", item)
                self._room.acquire()
                if self._stopped:
                    break
            last: tuple[str, Any] = ("end", None)
        except StopIteration as error:
            last = ("error", RuntimeError(f"The source raised {error!r}"))
        except BaseException as error:
            last = ("error", _as_exception(error))
        _close_now(iterator)
        if iterator is not self._source:
            _close_now(self._source)
        self._send(*last)

    def _send(self, kind: str, item: Any) -> None:
        # The loop may be closed by now: then nobody waits.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._items.put_nowait, (kind, item))


def _as_exception(error: BaseException) -> Exception:
    if isinstance(error, Exception):
        return error
    wrapped = RuntimeError(f"The source of the stream ended with {type(error).__name__}")
    wrapped.__cause__ = error
    return wrapped
