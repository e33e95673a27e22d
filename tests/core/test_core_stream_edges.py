"""Streams: what comes, in what order, and how each can end."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gc
import pickle
import threading
import time

import pytest

from dialog_ext.core import (
    CBlock,
    Component,
    ComponentParseError,
    ComputedModelOutputThunk,
    GenerateType,
    ModelOutputThunk,
    streaming,
)


async def source(*items, closed=None, error=None, gap=0):
    try:
        for i in items:
            if gap is not None:
                await asyncio.sleep(gap)
            yield i
        if error:
            raise error
    finally:
        if closed is not None:
            closed.append(True)


class Num(Component[float]):
    def _parse(self, c):
        return float(c.value)


async def test_basic():
    closed = []
    t = ModelOutputThunk.from_stream(source("1", ".5", closed=closed), action=Num())
    assert not t.is_computed()
    assert t.value is None
    out = []
    while not t.is_computed():
        out.append(await t.astream())
    assert "".join(out) == "1.5" == t.value
    assert t.parsed_repr == 1.5
    assert closed
    with pytest.raises(RuntimeError, match="Streaming has finished"):
        await t.astream()
    assert t._reader is None
    assert await t.avalue() == "1.5"


async def test_for():
    t = ModelOutputThunk.from_stream(source("a", "", "b"))
    assert [d async for d in t] == ["a", "b"]
    assert [d async for d in t] == []
    assert t.parsed_repr == "ab"


async def test_twice():
    t = ModelOutputThunk.from_stream(source("a", "b"))
    async for _d in t:
        break
    with pytest.raises(RuntimeError, match="already being iterated"):
        async for _d in t:
            pass
    await t.aclose()
    assert t.cancelled
    assert t.value.startswith("a")
    assert [d async for d in t] == []


async def test_failure_kept():
    told = []
    posts = []
    err = KeyError("x")
    closed = []
    t = ModelOutputThunk.from_stream(
        source("a", "b", error=err, closed=closed, gap=None),
        post_process=posts.append,
        on_error=lambda t, e: told.append(e),
    )
    assert await t.astream() == "ab"
    for _ in range(3):
        with pytest.raises(KeyError) as e:
            await asyncio.wait_for(t.astream(), 1)
        assert e.value is err
    with pytest.raises(KeyError):
        await t.avalue()
    assert not t.is_computed()
    assert not posts
    assert told == [err]
    assert closed
    await t.cancel_generation()
    assert t.value == "ab"
    assert t.cancelled


async def test_post_process():
    seen = []

    async def post(t):
        await asyncio.sleep(0)
        seen.append((t.value, t.is_computed(), await t.avalue()))

    t = ModelOutputThunk.from_stream(["a", "b"], post_process=post)
    assert await t.avalue() == "ab"
    assert seen == [("ab", True, "ab")]
    calls = []

    def bad(t):
        calls.append(1)
        raise ZeroDivisionError

    t = ModelOutputThunk.from_stream(["a", "b"], post_process=bad)
    assert await t.astream() == "ab"
    assert not t.is_computed()
    assert t.value is None
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await t.astream()
    assert calls == [1]
    with pytest.raises(ZeroDivisionError):
        await t.avalue()


async def test_parse_fails():
    for how in ("avalue", "astream"):
        t = ModelOutputThunk.from_stream(["x"], action=Num())
        if how == "astream":
            assert await t.astream() == "x"
        with pytest.raises(ComponentParseError) as e:
            await getattr(t, how)()
        assert isinstance(e.value.__cause__, ValueError)


async def test_empty():
    t = ModelOutputThunk.from_stream(source())
    assert await t.avalue() == ""
    t = ModelOutputThunk.from_stream([])
    assert await t.astream() == ""
    assert t.is_computed()


async def test_concurrent_avalue():
    n = []
    t = ModelOutputThunk.from_stream(
        source(*"abcdef", gap=0.001), post_process=lambda t: n.append(1)
    )
    assert await asyncio.gather(*[t.avalue() for _ in range(5)]) == ["abcdef"] * 5
    assert n == [1]


async def test_timeout_then_continue():
    t = ModelOutputThunk.from_stream(source("a", "b", gap=0.05))
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(t.avalue(), 0.07)
    assert await t.avalue() == "ab"


async def test_backpressure():
    n = 0

    async def inf():
        nonlocal n
        while True:
            n += 1
            yield "x"

    t = ModelOutputThunk.from_stream(inf())
    await t.astream()
    await asyncio.sleep(0.01)
    assert n <= 3 * streaming.AHEAD
    await t.cancel_generation()
    assert t.is_computed()
    assert set(t.value) == {"x"}
    assert len(t.value) <= n


async def test_cancel_hanging():
    closed = []

    async def hang():
        try:
            yield "a"
            await asyncio.Event().wait()
        finally:
            closed.append(1)

    t = ModelOutputThunk.from_stream(hang())
    assert await t.astream() == "a"
    waiting = asyncio.create_task(t.astream())
    await asyncio.sleep(0)
    await asyncio.wait_for(t.cancel_generation(ValueError("why")), 1)
    assert closed
    assert t.value == "a"
    assert t.cancelled
    assert await asyncio.wait_for(waiting, 1) == ""
    await t.cancel_generation()
    await t.aclose()


async def test_cancel_stubborn(monkeypatch):
    monkeypatch.setattr(streaming, "PATIENCE", 0.05)
    release = asyncio.Event()

    async def stubborn():
        yield "a"
        while not release.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await release.wait()

    t = ModelOutputThunk.from_stream(stubborn())
    await t.astream()
    await asyncio.wait_for(t.cancel_generation(), 1)
    assert t.value == "a"
    release.set()
    await asyncio.sleep(0.01)


async def test_external_cancel(monkeypatch):
    async def slowclose():
        try:
            yield "a"
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.02)

    t = ModelOutputThunk.from_stream(slowclose())
    await t.astream()
    task = asyncio.create_task(t.cancel_generation())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert t.is_computed()
    assert t.value == "a"
    assert t.cancelled
    await asyncio.sleep(0.05)


async def test_cancel_unstarted():
    closed = []
    t = ModelOutputThunk.from_stream(source("a", closed=closed))
    await t.aclose()
    assert t.value == ""
    assert t.cancelled

    def g():
        try:
            yield "a"
        finally:
            closed.append(2)

    gen = g()
    t = ModelOutputThunk.from_stream(gen)
    await t.aclose()
    assert list(gen) == []
    t = ModelOutputThunk(None)
    await t.cancel_generation()
    assert t.value == ""
    assert t.cancelled


async def test_with():
    closed = []
    async with ModelOutputThunk.from_stream(source(*"abc", closed=closed)) as t:
        async for _d in t:
            break
    assert closed
    assert t.cancelled
    async with ModelOutputThunk.from_stream(source(*"abc")) as t:
        await t.avalue()
    assert not t.cancelled
    told = []
    with pytest.raises(ZeroDivisionError):
        async with ModelOutputThunk.from_stream(
            source(*"abc"), on_error=lambda t, e: told.append(e)
        ) as t:
            raise ZeroDivisionError
    assert isinstance(told[0], ZeroDivisionError)


async def test_sync_thread():
    names = []
    closed = []

    def g():
        try:
            for c in "abc":
                names.append(threading.current_thread())
                time.sleep(0.01)
                yield c
        finally:
            closed.append(1)

    t = ModelOutputThunk.from_stream(g())
    ticks = 0
    task = asyncio.create_task(t.avalue())
    while not task.done():
        ticks += 1
        await asyncio.sleep(0.001)
    assert task.result() == "abc"
    assert threading.main_thread() not in names
    assert closed
    assert ticks > 5

    def bad():
        yield "a"
        raise OSError("net")

    t = ModelOutputThunk.from_stream(bad())
    assert await t.astream() == "a"
    with pytest.raises(OSError, match="net"):
        await t.astream()


async def test_sync_cancel():
    closed = []

    def g():
        try:
            while True:
                time.sleep(0.005)
                yield "x"
        finally:
            closed.append(1)

    t = ModelOutputThunk.from_stream(g())
    await t.astream()
    await t.aclose()
    assert closed
    assert t.cancelled


async def test_sync_hang(monkeypatch):
    monkeypatch.setattr(streaming, "PATIENCE", 0.1)
    ev = threading.Event()

    def g():
        yield "a"
        ev.wait(5)
        yield "b"

    t = ModelOutputThunk.from_stream(g())
    await t.astream()
    await asyncio.wait_for(t.aclose(), 1)
    assert t.value == "a"
    ev.set()


def test_loops():
    t = ModelOutputThunk.from_stream(source(*"abc", gap=0.01))

    async def one():
        return await t.astream()

    assert asyncio.run(one()) == "a"
    with pytest.raises(RuntimeError):
        asyncio.run(asyncio.wait_for(t.avalue(), 1))
    asyncio.run(t.aclose())
    assert t.value == "a"


def test_bad():
    for b in ("abc", b"x", 3, None):
        with pytest.raises(TypeError):
            ModelOutputThunk.from_stream(b)


async def test_badchunk():
    t = ModelOutputThunk.from_stream(["a", 1])
    with pytest.raises(TypeError, match="chunk"):
        await t.avalue()


async def test_none():
    t = ModelOutputThunk(None)
    for f in (t.avalue, t.astream):
        with pytest.raises(RuntimeError):
            await asyncio.wait_for(f(), 1)


async def test_set_midstream():
    closed = []
    t = ModelOutputThunk.from_stream(source(*"abc", gap=0.01, closed=closed))
    await t.astream()
    w = asyncio.create_task(t.avalue())
    await asyncio.sleep(0)
    t.value = "z"
    assert await asyncio.wait_for(w, 1) == "z"
    await asyncio.sleep(0.02)
    assert closed


async def test_openai_like():
    class S:
        closed = False

        async def gen(self):
            yield "a"

        def __aiter__(self):
            return self.gen()

        async def close(self):
            self.closed = True

    s = S()
    assert await ModelOutputThunk.from_stream(s).avalue() == "a"
    await asyncio.sleep(0.01)
    assert s.closed


async def test_computed_is_told_to_the_post_process_only():
    begun, go = asyncio.Event(), asyncio.Event()
    seen = []

    async def child(thunk):
        return thunk.is_computed(), await thunk.avalue(), [d async for d in thunk]

    async def post(thunk):
        begun.set()
        await go.wait()
        seen.append(await asyncio.create_task(child(thunk)))
        await thunk.cancel_generation()
        with pytest.raises(RuntimeError, match="Streaming has finished"):
            await thunk.astream()
        raise ValueError("bad")

    thunk = ModelOutputThunk.from_stream(["a"], post_process=post)
    first, second = (asyncio.create_task(thunk.avalue()) for _ in range(2))
    await begun.wait()
    assert (thunk.is_computed(), thunk.value, repr(thunk)) == (
        False,
        None,
        "ModelOutputThunk(not computed)",
    )
    go.set()
    for task in (first, second):
        with pytest.raises(ValueError, match="bad"):
            await asyncio.wait_for(task, 1)
    assert seen == [(True, "a", [])]
    assert not thunk.is_computed()


async def test_a_post_process_may_rewrite_the_value():
    def post(thunk):
        thunk.value = thunk.value.upper()

    thunk = ModelOutputThunk.from_stream(["1e", "3"], action=Num(), post_process=post)
    assert await thunk.avalue() == "1E3"
    assert thunk.parsed_repr == 1000


async def test_streaming_is_recorded():
    thunk = ModelOutputThunk.from_stream(source("a", gap=0.01))
    assert (thunk.generation.streaming, thunk.generation.ttfb_ms) == (True, None)
    await thunk.avalue()
    assert thunk.generation.ttfb_ms >= 5
    assert ModelOutputThunk("a").generation.streaming is False


async def test_a_cancelled_task_stays_cancelled():
    thunk = ModelOutputThunk.from_stream(source("a", gap=0.01))

    async def reads():
        try:
            await thunk.avalue()
        finally:
            try:
                await thunk.aclose()
            except asyncio.CancelledError:
                assert thunk.is_computed()
                raise

    task = asyncio.create_task(reads())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert thunk.cancelled


async def test_cancel_in_post():
    async def post(t):
        await asyncio.Event().wait()

    t = ModelOutputThunk.from_stream(["a"], post_process=post)
    w = asyncio.create_task(t.avalue())
    await asyncio.sleep(0.01)
    with pytest.raises(RuntimeError):
        copy.copy(t)
    await asyncio.wait_for(t.cancel_generation(), 1)
    assert t.value == "a"
    assert t.cancelled
    assert await asyncio.wait_for(w, 1) == "a"


def test_no_pending_task_at_exit(capfd):
    async def main():
        t = ModelOutputThunk.from_stream(source(*"abc", gap=0.01))
        await t.astream()

    asyncio.run(main())
    gc.collect()
    assert capfd.readouterr().err == ""


async def test_closed_at_return():
    closed = []

    async def src():
        try:
            yield "a"
        finally:
            await asyncio.sleep(0.01)
            closed.append(1)

    t = ModelOutputThunk.from_stream(src())
    await t.avalue()
    assert closed


def test_a_computed_thunk_holds_no_queue():
    thunk = ModelOutputThunk.from_stream(["a"])
    assert thunk._generate_type is GenerateType.ASYNC
    asyncio.run(thunk.avalue())
    assert thunk._generate_type is GenerateType.NONE
    held = {name for name, value in vars(thunk).items() if value is not None}
    assert held == {
        "_underlying_value",
        "_computed",
        "_meta",
        "parsed_repr",
        "_generate_type",
        "_generation",
    }
    made = vars(ModelOutputThunk("a"))
    assert set(made) == {"_underlying_value", "_computed", "_meta", "parsed_repr", "tool_calls"}


async def test_a_stream_cannot_be_copied_or_taken_for_computed():
    thunk = ModelOutputThunk.from_stream(["a"])
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(RuntimeError, match="before it is computed"):
            call(thunk)
    with pytest.raises(ValueError, match="requires a computed ModelOutputThunk;"):
        ComputedModelOutputThunk(thunk)
    await thunk.avalue()
    assert pickle.loads(pickle.dumps(copy.deepcopy(copy.copy(thunk)))).value == "a"
    assert ComputedModelOutputThunk(thunk) is thunk


async def test_an_action_that_is_no_component_gives_the_text():
    thunk = ModelOutputThunk.from_stream(["a"], action=CBlock("q"))
    assert await thunk.avalue() == thunk.parsed_repr == "a"


async def test_the_default_reason_of_a_cancellation():
    told = []
    thunk = ModelOutputThunk.from_stream(["a"], on_error=lambda *pair: told.append(pair))
    await thunk.cancel_generation()
    await thunk.cancel_generation(ValueError())
    [(which, error)] = told
    assert which is thunk
    assert str(error) == "Generation cancelled"
    assert type(error) is RuntimeError


async def test_the_text_is_read_ahead():
    thunk = ModelOutputThunk.from_stream(source(*"abcdef", gap=None))
    assert await thunk.astream() == "abcdef"


def test_a_closed_loop_is_told():
    thunk = ModelOutputThunk.from_stream(source(*"abc", gap=0.01))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(thunk.astream())
    loop.run_until_complete(thunk.aclose())
    loop.close()
    assert asyncio.run(thunk.avalue()) == "a"


@pytest.mark.parametrize("kind", ["async", "thread"])
async def test_what_is_no_exception_ends_a_stream_too(kind):
    class Odd(BaseException):
        pass

    async def later():
        yield "a"
        raise Odd

    def now():
        yield "a"
        raise Odd

    thunk = ModelOutputThunk.from_stream(later() if kind == "async" else now())
    for _ in range(2):
        with pytest.raises(RuntimeError, match="ended with Odd"):
            await asyncio.wait_for(thunk.avalue(), 1)


async def test_a_cancelled_source_is_a_failure():
    async def cancelled():
        yield "a"
        raise asyncio.CancelledError

    thunk = ModelOutputThunk.from_stream(cancelled())
    assert await thunk.astream() == "a"
    for _ in range(2):
        with pytest.raises(RuntimeError, match="cancelled before its end"):
            await asyncio.wait_for(thunk.astream(), 1)


class Closing:
    """A source like those of HTTP clients: the iterator is one thing, what is closed another."""

    def __init__(self, gate):
        self.gate, self.closed = gate, False

    async def __aiter__(self):
        yield "a"

    async def aclose(self):
        await self.gate.wait()
        self.closed = True


async def test_the_source_is_closed_when_the_end_is_told():
    gate = asyncio.Event()
    asyncio.get_running_loop().call_later(0.01, gate.set)
    source = Closing(gate)
    assert await ModelOutputThunk.from_stream(source).avalue() == "a"
    assert source.closed


async def test_a_close_that_hangs_does_not_hold_the_end_back(monkeypatch):
    monkeypatch.setattr(streaming, "PATIENCE", 0.02)
    gate = asyncio.Event()
    source = Closing(gate)
    assert await asyncio.wait_for(ModelOutputThunk.from_stream(source).avalue(), 1) == "a"
    assert not source.closed
    gate.set()
    await asyncio.sleep(0.01)
    assert source.closed
