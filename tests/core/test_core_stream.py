"""Thunks whose text is on its way: deltas, failures, cancellation, and no wait for ever."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialog_ext.core import (
    CBlock,
    Component,
    ComponentParseError,
    ComputedModelOutputThunk,
    ModelOutputThunk,
)

Thunk = ModelOutputThunk[Any]


class Source:
    """An async iterator that gives what it is told to, and says whether it was closed."""

    def __init__(self, *items: Any, pause: bool = True) -> None:
        self.items = list(items)
        self.pause = pause
        self.given = 0
        self.closed = 0

    def __aiter__(self) -> Source:
        return self

    async def __anext__(self) -> str:
        if self.pause:
            await asyncio.sleep(0)
        if not self.items:
            raise StopAsyncIteration
        item = self.items.pop(0)
        if item is HANG:
            await asyncio.Event().wait()
        if isinstance(item, BaseException):
            raise item
        self.given += 1
        return item  # type: ignore[no-any-return]

    async def aclose(self) -> None:
        self.closed += 1


HANG = object()


async def read_into(thunk: Thunk, got: list[str]) -> None:
    """Take deltas until there are no more, or a failure is raised."""
    while not thunk.is_computed():
        got.append(await thunk.astream())


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
async def no_complaints() -> AsyncIterator[list[Any]]:
    """Fail where asyncio logs something: a destroyed task, an exception nobody fetched."""
    said: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: said.append(context))
    yield said
    await settle()
    assert said == []
    assert len(asyncio.all_tasks()) <= 1


async def test_deltas_joined_are_the_value() -> None:
    source = Source("a", "", "b", "c")
    thunk: Thunk = ModelOutputThunk.from_stream(source)
    assert (thunk.is_computed(), thunk.value) == (False, None)
    deltas = []
    while not thunk.is_computed():
        deltas.append(await thunk.astream())
    assert "".join(deltas) == thunk.value == str(thunk) == await thunk.avalue() == "abc"
    assert len(deltas) > 1
    assert source.closed == 1
    with pytest.raises(RuntimeError, match="Streaming has finished"):
        await thunk.astream()


async def test_astream_takes_all_that_is_queued() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a", "b", HANG, pause=False))
    assert await thunk.astream() == "ab"
    await thunk.aclose()


async def test_end_and_text_at_once() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(["a", "b"])
    assert await thunk.astream() == "ab"
    assert thunk.is_computed()


@pytest.mark.parametrize("chunks", [[], [""], ["", ""]])
async def test_empty_answer(chunks: list[str]) -> None:
    assert await ModelOutputThunk.from_stream(chunks).avalue() == ""
    thunk: Thunk = ModelOutputThunk.from_stream(chunks)
    assert [delta async for delta in thunk] == []
    assert (thunk.is_computed(), thunk.value, thunk.cancelled) == (True, "", False)


async def test_nothing_is_read_before_it_is_asked_for_nor_far_ahead() -> None:
    source = Source(*["x"] * 10_000, pause=False)
    thunk: Thunk = ModelOutputThunk.from_stream(source)
    await settle()
    assert source.given == 0
    await thunk.astream()
    await settle()
    assert 0 < source.given <= 300
    assert await thunk.avalue() == "x" * 10_000


async def test_iteration() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a", "", "b"))
    assert aiter(thunk) is thunk
    with pytest.raises(RuntimeError, match="already being iterated"):
        aiter(thunk)
    with pytest.raises(RuntimeError, match="already being iterated"):
        async for _ in thunk:
            pass
    assert await thunk.avalue() == "ab"
    assert [delta async for delta in thunk] == []


async def test_iteration_after_a_break() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a", "b", "c"))
    async for delta in thunk:
        assert delta == "a"
        break
    with pytest.raises(RuntimeError, match="already being iterated"):
        aiter(thunk)
    assert "a" + await thunk.astream() + await thunk.astream() == "abc"
    assert await thunk.avalue() == "abc"


async def test_iteration_gives_text_only() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("", "a", "", "", "b", ""))
    assert [delta async for delta in thunk] == ["a", "b"]


async def test_what_stays_behind() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a"), post_process=lambda mot: None)
    await thunk.avalue()
    held = [type(thing).__name__ for thing in gc.get_referents(thunk, vars(thunk))]
    assert not {"Queue", "Event", "Task", "Feed", "ChunkReader", "Source", "function"} & set(held)


async def test_metadata_of_a_stream() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a"))
    assert thunk.generation.streaming is True
    assert thunk.generation.ttfb_ms is None
    await thunk.avalue()
    assert thunk.generation.ttfb_ms is not None
    assert thunk.generation.ttfb_ms >= 0
    assert ModelOutputThunk("x").generation.streaming is False


# -- sources


async def test_async_generator() -> None:
    closed = []

    async def chunks() -> AsyncIterator[str]:
        try:
            yield "a"
            yield "b"
        finally:
            closed.append(True)

    assert await ModelOutputThunk.from_stream(chunks()).avalue() == "ab"
    assert closed == [True]


async def test_async_iterable_and_what_has_only_close() -> None:
    class Response:
        closed = 0

        async def __aiter__(self) -> AsyncIterator[str]:
            yield "a"

        async def close(self) -> None:
            self.closed += 1

    response = Response()
    assert await ModelOutputThunk.from_stream(response).avalue() == "a"
    assert response.closed == 1


@pytest.mark.parametrize(
    "make", [list, tuple, iter, lambda chunks: (c for c in chunks), dict.fromkeys]
)
async def test_sync_sources(make: Any) -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(make(["a", "b", "c"]))
    assert "".join([delta async for delta in thunk]) == thunk.value == "abc"


async def test_blocking_source_leaves_the_loop_free() -> None:
    first, go = threading.Event(), threading.Event()
    closed = threading.Event()

    def chunks() -> Iterator[str]:
        try:
            first.set()
            assert go.wait(10)
            yield "a"
            yield "b"
        finally:
            closed.set()

    thunk: Thunk = ModelOutputThunk.from_stream(chunks())
    waiting = asyncio.create_task(thunk.avalue())
    while not first.is_set():
        await asyncio.sleep(0)
    assert not waiting.done()
    go.set()
    assert await waiting == "ab"
    assert closed.is_set()


async def test_failing_sync_source() -> None:
    def chunks() -> Iterator[str]:
        yield "a"
        raise KeyError("k")

    thunk: Thunk = ModelOutputThunk.from_stream(chunks())
    got: list[str] = []
    with pytest.raises(KeyError):
        await read_into(thunk, got)
    assert "".join(got) == "a"


@pytest.mark.parametrize("chunks", [42, None, object(), b"bytes"])
async def test_no_source(chunks: Any) -> None:
    with pytest.raises(TypeError, match="iterable"):
        ModelOutputThunk.from_stream(chunks)


@pytest.mark.parametrize("chunk", [42, None, b"x", ["x"]])
async def test_chunks_must_be_text(chunk: Any) -> None:
    source = Source("a", chunk, "b")
    with pytest.raises(TypeError, match="str"):
        await ModelOutputThunk.from_stream(source).avalue()
    assert source.closed == 1


# -- failures


@pytest.mark.parametrize("pause", [True, False])
async def test_what_came_with_a_failure_is_kept(pause: bool) -> None:
    failure, told, ran = KeyError("k"), [], []
    source = Source("a", "b", failure, pause=pause)
    thunk: Thunk = ModelOutputThunk.from_stream(
        source, post_process=ran.append, on_error=lambda mot, error: told.append((mot, error))
    )
    got: list[str] = []
    with pytest.raises(KeyError) as caught:
        await read_into(thunk, got)
    assert "".join(got) == "ab"
    assert caught.value is failure
    assert ran == []
    assert told == [(thunk, failure)]
    assert source.closed == 1
    assert (thunk.is_computed(), thunk.value, thunk.cancelled) == (False, None, False)
    for wait in (thunk.astream, thunk.avalue, thunk.__anext__):
        with pytest.raises(KeyError) as again:
            await asyncio.wait_for(wait(), 5)
        assert again.value is failure
    await thunk.cancel_generation()
    assert (thunk.is_computed(), thunk.value, thunk.cancelled) == (True, "ab", True)
    assert len(told) == 1


async def test_raising_again_does_not_lengthen_the_traceback() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source(ValueError("v")))
    depths = set()
    for _ in range(20):
        with pytest.raises(ValueError, match="v") as caught:
            await thunk.avalue()
        depths.add(len(caught.traceback))
    assert max(depths) < 20


async def test_iteration_raises_the_failure_after_the_text() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a", OSError("net")))
    assert await anext(aiter(thunk)) == "a"
    with pytest.raises(OSError, match="net"):
        await anext(thunk)


async def test_a_source_that_is_cancelled_within() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a", asyncio.CancelledError()))
    with pytest.raises(RuntimeError, match="cancelled"):
        await asyncio.wait_for(thunk.avalue(), 5)


async def test_a_failing_close_does_not_spoil_the_answer() -> None:
    class Odd(Source):
        async def aclose(self) -> None:
            raise ValueError("close")

    assert await ModelOutputThunk.from_stream(Odd("a")).avalue() == "a"


# -- post-processing and parsing


class Number(Component[float]):
    def _parse(self, computed: ModelOutputThunk[Any]) -> float:
        assert computed.is_computed()
        return float(computed.value or "")


async def test_action_parses() -> None:
    thunk = ModelOutputThunk.from_stream(Source("1", ".5"), action=Number())
    assert await thunk.avalue() == "1.5"
    assert thunk.parsed_repr == 1.5
    block: Thunk = ModelOutputThunk.from_stream(["1"], action=CBlock("?"))
    await block.avalue()
    assert block.parsed_repr == "1"


@pytest.mark.parametrize("way", ["avalue", "astream"])
async def test_parse_errors_are_wrapped_with_their_cause(way: str) -> None:
    thunk = ModelOutputThunk.from_stream(Source("one", pause=False), action=Number())
    if way == "astream":
        assert await thunk.astream() == "one"
    with pytest.raises(ComponentParseError) as caught:
        await getattr(thunk, way)()
    assert isinstance(caught.value.__cause__, ValueError)
    assert (thunk.is_computed(), thunk.value, thunk.parsed_repr) == (False, None, None)
    await thunk.cancel_generation()
    assert thunk.value == "one"


@pytest.mark.parametrize("is_async", [True, False])
async def test_post_processing(is_async: bool) -> None:
    seen: list[Any] = []

    async def later(mot: Thunk) -> None:
        await asyncio.sleep(0)
        seen.append((mot.is_computed(), mot.value, await mot.avalue()))
        await asyncio.create_task(in_a_task(mot))

    async def in_a_task(mot: Thunk) -> None:
        mot.tool_calls = []
        seen.append(await mot.avalue())

    def now(mot: Thunk) -> None:
        mot.tool_calls = []
        seen.append((mot.is_computed(), mot.value))

    thunk: Thunk = ModelOutputThunk.from_stream(
        Source("a"), post_process=later if is_async else now
    )
    assert await asyncio.wait_for(thunk.avalue(), 5) == "a"
    assert seen == ([(True, "a", "a"), "a"] if is_async else [(True, "a")])
    assert thunk.tool_calls == []


async def test_failing_post_processing_leaves_it_uncomputed() -> None:
    failure = ValueError("post")

    async def post(mot: Thunk) -> None:
        await asyncio.sleep(0)
        raise failure

    thunk: Thunk = ModelOutputThunk.from_stream(Source("a", "b", pause=False), post_process=post)
    assert await thunk.astream() == "ab"
    for wait in (thunk.astream, thunk.avalue, thunk.astream):
        with pytest.raises(ValueError, match="post") as caught:
            await asyncio.wait_for(wait(), 5)
        assert caught.value is failure
    assert (thunk.is_computed(), thunk.value, thunk.parsed_repr) == (False, None, None)


async def test_nobody_sees_it_computed_before_post_processing_has_succeeded() -> None:
    reached, go, runs = asyncio.Event(), asyncio.Event(), []

    async def post(mot: Thunk) -> None:
        runs.append(mot)
        reached.set()
        await go.wait()
        raise ValueError("post")

    thunk: Thunk = ModelOutputThunk.from_stream(Source("a"), post_process=post)
    tasks = [asyncio.create_task(thunk.avalue()) for _ in range(3)]
    await reached.wait()
    late = asyncio.create_task(thunk.avalue())
    await settle()
    assert (thunk.is_computed(), thunk.value) == (False, None)
    with pytest.raises(ValueError, match="requires a computed"):
        ComputedModelOutputThunk(thunk)
    go.set()
    for task in [*tasks, late]:
        with pytest.raises(ValueError, match="post"):
            await asyncio.wait_for(task, 5)
    assert len(runs) == 1


async def test_cancelling_a_waiter_neither_stops_post_processing_nor_repeats_it() -> None:
    reached, go, runs = asyncio.Event(), asyncio.Event(), []

    async def post(mot: Thunk) -> None:
        runs.append(mot)
        reached.set()
        await go.wait()

    thunk: Thunk = ModelOutputThunk.from_stream(Source("a"), post_process=post)
    first = asyncio.create_task(thunk.avalue())
    await reached.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    go.set()
    assert await thunk.avalue() == "a"
    assert runs == [thunk]


async def test_waiters_share_one_answer() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source(*"abc"))
    assert await asyncio.gather(*[thunk.avalue() for _ in range(5)]) == ["abc"] * 5


async def test_giving_up_in_time_loses_nothing() -> None:
    go = asyncio.Event()

    async def chunks() -> AsyncIterator[str]:
        yield "a"
        await go.wait()
        yield "b"

    thunk: Thunk = ModelOutputThunk.from_stream(chunks())
    assert await thunk.astream() == "a"
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(thunk.astream(), 0.001)
    go.set()
    assert await thunk.avalue() == "ab"


# -- cancellation


async def test_cancel_keeps_the_text_and_closes_the_source() -> None:
    source, told = Source("a", HANG), []
    thunk: Thunk = ModelOutputThunk.from_stream(
        source, on_error=lambda mot, error: told.append(error)
    )
    assert await thunk.astream() == "a"
    await thunk.cancel_generation()
    assert (thunk.is_computed(), thunk.value, thunk.cancelled, thunk.error) == (
        True,
        "a",
        True,
        None,
    )
    assert source.closed == 1
    assert repr(told) == repr([RuntimeError("Generation cancelled")])
    await thunk.cancel_generation(ValueError())
    await thunk.aclose()
    assert len(told) == 1
    assert type(ComputedModelOutputThunk(thunk)) is ComputedModelOutputThunk


async def test_cancel_with_a_reason() -> None:
    reason, told = ValueError("why"), []
    thunk: Thunk = ModelOutputThunk.from_stream(
        Source(HANG), on_error=lambda mot, error: told.append(error)
    )
    await thunk.cancel_generation(reason)
    assert told == [reason]
    assert thunk.error is None


async def test_cancel_releases_a_source_that_waits_for_room() -> None:
    source = Source(*["x"] * 5000, pause=False)
    thunk: Thunk = ModelOutputThunk.from_stream(source)
    first = await thunk.astream()
    await settle()
    await asyncio.wait_for(thunk.cancel_generation(), 5)
    assert source.closed == 1
    assert set(thunk.value or "") == {"x"}
    # What had come is kept, taken or not.
    assert len(first) <= len(thunk.value or "") <= source.given


async def test_cancel_before_anything_began() -> None:
    source = Source("a")
    thunk: Thunk = ModelOutputThunk.from_stream(source)
    await thunk.cancel_generation()
    assert (thunk.value, thunk.cancelled, source.given, source.closed) == ("", True, 0, 1)


async def test_cancel_releases_who_waits() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a", HANG))
    assert await thunk.astream() == "a"
    one, other = asyncio.create_task(thunk.avalue()), asyncio.create_task(thunk.astream())
    await settle()
    await thunk.cancel_generation()
    assert await asyncio.wait_for(one, 5) == "a"
    assert await asyncio.wait_for(other, 5) == ""


async def test_cancel_during_post_processing() -> None:
    reached = asyncio.Event()

    async def post(mot: Thunk) -> None:
        reached.set()
        await asyncio.Event().wait()

    thunk: Thunk = ModelOutputThunk.from_stream(Source("a"), post_process=post)
    waiting = asyncio.create_task(thunk.avalue())
    await reached.wait()
    await asyncio.wait_for(thunk.cancel_generation(), 5)
    assert (thunk.value, thunk.cancelled) == ("a", True)
    assert await asyncio.wait_for(waiting, 5) == "a"


async def test_cancelled_canceller() -> None:
    class Slow(Source):
        async def aclose(self) -> None:
            await super().aclose()
            await asyncio.sleep(0.05)

    thunk: Thunk = ModelOutputThunk.from_stream(Slow("a", HANG))
    await thunk.astream()
    task = asyncio.create_task(thunk.cancel_generation())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (thunk.is_computed(), thunk.value) == (True, "a")
    await asyncio.sleep(0.06)


async def test_cancellation_from_outside_is_not_absorbed() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(source := Source("a", HANG))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), thunk:
            await thunk.avalue()
    assert (thunk.value, thunk.cancelled, source.closed) == ("a", True, 1)

    other: Thunk = ModelOutputThunk.from_stream(Source("a", HANG))

    async def absorbing() -> None:
        try:
            await other.avalue()
        except asyncio.CancelledError:
            await other.cancel_generation()

    task = asyncio.create_task(absorbing())
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (other.value, other.cancelled) == ("a", True)


async def test_leaving_the_block_by_an_error() -> None:
    told: list[Exception] = []
    thunk: Thunk = ModelOutputThunk.from_stream(
        Source("a", HANG), on_error=lambda mot, error: told.append(error)
    )

    async def leave() -> None:
        async with thunk:
            await thunk.astream()
            raise KeyError("k")

    with pytest.raises(KeyError):
        await leave()
    assert thunk.cancelled
    assert [type(error) for error in told] == [KeyError]


async def test_blocking_source_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    from dialog_ext.core import streaming

    monkeypatch.setattr(streaming, "PATIENCE", 0.05)
    blocks, go, closed = threading.Event(), threading.Event(), threading.Event()

    def chunks() -> Iterator[str]:
        try:
            yield "a"
            blocks.set()
            go.wait(10)
            yield "b"
        finally:
            closed.set()

    thunk: Thunk = ModelOutputThunk.from_stream(chunks())
    assert await thunk.astream() == "a"
    assert blocks.wait(5)
    await asyncio.wait_for(thunk.cancel_generation(), 5)
    assert (thunk.value, thunk.cancelled, closed.is_set()) == ("a", True, False)
    go.set()
    assert closed.wait(5)


async def test_source_that_declines_to_end_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    from dialog_ext.core import streaming

    monkeypatch.setattr(streaming, "PATIENCE", 0.05)
    over = asyncio.Event()

    class Stubborn(Source):
        async def __anext__(self) -> str:
            while not over.is_set():
                try:
                    await over.wait()
                except asyncio.CancelledError:
                    continue
            raise StopAsyncIteration

    thunk: Thunk = ModelOutputThunk.from_stream(Stubborn())
    waiting = asyncio.create_task(thunk.avalue())
    await settle()
    await asyncio.wait_for(thunk.cancel_generation(), 5)
    assert (thunk.value, thunk.cancelled) == ("", True)
    assert await asyncio.wait_for(waiting, 5) == ""
    over.set()


async def test_a_dropped_thunk_is_silent() -> None:
    source = Source(*["x"] * 5000, pause=False)
    thunk: Thunk | None = ModelOutputThunk.from_stream(source)
    assert thunk is not None
    async for _ in thunk:
        break
    await settle()
    thunk = None
    gc.collect()
    await settle()
    # The fixture fails if asyncio says that a pending task was destroyed.


async def test_setting_a_value_ends_a_stream() -> None:
    source = Source("a", HANG)
    thunk: Thunk = ModelOutputThunk.from_stream(source)
    waiting = asyncio.create_task(thunk.avalue())
    await settle()
    thunk.value = "own"
    assert (thunk.is_computed(), thunk.value, thunk.cancelled) == (True, "own", False)
    assert await asyncio.wait_for(waiting, 5) == "own"
    await settle()
    assert source.closed == 1


# -- several event loops: run outside of the one that the tests have


def in_thread(call: Any) -> Any:
    result: list[Any] = []
    thread = threading.Thread(target=lambda: result.append(call()))
    thread.start()
    thread.join(10)
    assert not thread.is_alive(), "it waits for ever"
    return result[0]


async def test_a_second_loop_finds_an_end() -> None:
    def call() -> Any:
        thunk: Thunk = ModelOutputThunk.from_stream(Source("a", HANG))
        got = asyncio.run(thunk.astream())
        try:
            asyncio.run(thunk.avalue())
        except RuntimeError as error:
            asyncio.run(thunk.cancel_generation())
            return got, str(error), thunk.value

    got, said, value = in_thread(call)
    assert (got, value) == ("a", "a")
    assert "cancelled" in said


async def test_another_loop_is_refused() -> None:
    thunk: Thunk = ModelOutputThunk.from_stream(Source("a", HANG))
    await thunk.astream()

    def call() -> str:
        with pytest.raises(RuntimeError, match="loop") as caught:
            asyncio.run(thunk.avalue())
        return str(caught.value)

    assert "loop" in await asyncio.to_thread(in_thread, call)
    await thunk.aclose()


texts = st.lists(st.text(max_size=5), max_size=8)


@given(
    texts,
    st.booleans(),
    st.booleans(),
    st.lists(st.sampled_from(["astream", "yield"]), max_size=12),
)
@settings(max_examples=60)
def test_any_way_of_reading_gives_all(
    chunks: list[str], fails: bool, pause: bool, ways: list[str]
) -> None:
    failure = LookupError()

    async def read() -> None:
        source = Source(*chunks, *([failure] if fails else []), pause=pause)
        raised = None
        thunk: Thunk = ModelOutputThunk.from_stream(source)
        got = []
        try:
            for way in ways:
                if thunk.is_computed():
                    break
                if way == "yield":
                    await asyncio.sleep(0)
                else:
                    got.append(await thunk.astream())
            while not thunk.is_computed():
                got.append(await thunk.astream())
        except LookupError as error:
            raised = error
            await thunk.cancel_generation()
        assert thunk.is_computed()
        assert raised is (failure if fails else None)
        assert thunk.cancelled is fails
        assert "".join(got) == thunk.value == "".join(chunks)
        assert source.closed == 1

    asyncio.run(read())
