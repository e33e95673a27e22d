"""ResponseStream: what it shows, what stays readable, and how it ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.model import FakeLLMModel, FakeResponseStream, ResponseStream, Usage

R = "---------------------------reasoning---------------------------\n\n"
C = "---------------------------content---------------------------\n\n"


def test_nothing_is_known_before_reading() -> None:
    stream = FakeResponseStream([("why", "what")])
    assert (stream.is_entered, stream.is_ended) == (False, False)
    assert stream.content is None
    assert stream.reasoning_content is None
    assert stream.finish_reason is None
    assert stream.usage is None


def test_after_the_end() -> None:
    stream = FakeResponseStream([("why", "what")])
    assert list(stream) == ["what"]
    assert (stream.is_entered, stream.is_ended) == (True, True)
    assert (stream.reasoning_content, stream.content) == ("why", "what")
    assert stream.finish_reason == "stop"


def test_empty_stream_yields_nothing_and_ends_with_empty_texts() -> None:
    stream = FakeResponseStream([], with_reasoning=True)
    assert list(stream) == []
    assert (stream.reasoning_content, stream.content) == ("", "")
    assert stream.finish_reason == "stop"


def test_second_iteration_fails_at_its_first_step() -> None:
    stream = FakeResponseStream([("", "a")])
    list(stream)
    again = iter(stream)
    with pytest.raises(RuntimeError, match=r"^Stream already entered or ended\.$"):
        next(again)


def test_iteration_inside_an_iteration_fails() -> None:
    stream = FakeResponseStream([("", "a"), ("", "b")])
    first = iter(stream)
    assert next(first) == "a"
    with pytest.raises(RuntimeError, match=r"^Stream already entered or ended\.$"):
        next(iter(stream))
    assert list(first) == ["b"]


@pytest.mark.parametrize(
    ("chunks", "pieces"),
    [
        ([("r", None), (None, "c")], [R, "r", "\n\n", C, "c"]),
        ([("r1", ""), ("r2", ""), ("", "c1"), ("", "c2")], [R, "r1", "r2", "\n\n", C, "c1", "c2"]),
        ([("r", "c")], [R, "r", "\n\n", C, "c"]),
        ([("", "c"), ("r", "")], [C, "c", "\n\n", R, "r"]),
        ([("", "c1"), ("r", ""), ("", "c2")], [C, "c1", "\n\n", R, "r", "\n\n", C, "c2"]),
        ([("", "c")], [C, "c"]),
        ([("r", "")], [R, "r"]),
        ([("", ""), (None, None)], []),
    ],
)
def test_splitters(chunks: list[Any], pieces: list[str]) -> None:
    assert list(FakeResponseStream(chunks, with_reasoning=True)) == pieces


def test_own_splitters() -> None:
    stream = FakeResponseStream(
        [("r", "c")], with_reasoning=True, reasoning_splitter="<r>", content_splitter="<c>"
    )
    assert "".join(stream) == "<r>\n\nr\n\n<c>\n\nc"


def test_reasoning_is_collected_though_not_shown() -> None:
    stream = FakeResponseStream([("r1 ", ""), ("r2", "c1"), (None, " c2")])
    assert list(stream) == ["c1", " c2"]
    assert stream.reasoning_content == "r1 r2"
    assert stream.content == "c1 c2"


def test_texts_so_far_at_each_piece() -> None:
    stream = FakeResponseStream([("r1", ""), ("r2", ""), ("", "c1"), ("", "c2")], True)
    seen = [(stream.reasoning_content, stream.content) for p in stream if p[0] in "rc"]
    assert seen == [("r1", ""), ("r1r2", ""), ("r1r2", "c1"), ("r1r2", "c1c2")]


def test_left_early_keeps_its_text_and_frees_its_source() -> None:
    freed = []

    def source() -> Iterator[tuple[str, str]]:
        try:
            yield "why", "a"
            yield "", "b"
        finally:
            freed.append(True)

    stream = FakeResponseStream(source())
    for _ in stream:
        break
    assert (stream.content, stream.reasoning_content) == ("a", "why")
    assert stream.is_ended
    assert stream.finish_reason is None
    assert freed == [True]


def test_failing_source_keeps_the_text() -> None:
    def source() -> Iterator[tuple[str, str]]:
        yield "", "a"
        raise ConnectionError("gone")

    stream = FakeResponseStream(source())
    with pytest.raises(ConnectionError, match="gone"):
        list(stream)
    assert stream.content == "a"
    assert stream.is_ended
    assert stream.finish_reason is None


def test_interrupt_between_words_keeps_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", sleep)
    stream = FakeLLMModel().response_always("one two three").ask_stream([])
    with pytest.raises(KeyboardInterrupt):
        list(stream)
    assert stream.content == "one "
    assert stream.is_ended
    assert stream.finish_reason is None


def test_a_real_interrupt_ends_the_wait_at_once() -> None:
    stream = FakeLLMModel(stream_wps=0.01).response_always("one two").ask_stream([])
    pieces = iter(stream)
    assert next(pieces) == "one"
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        next(pieces)
    timer.join()
    assert stream.content == "one"


class Session:
    """A source that counts how often it is closed."""

    def __init__(self, *chunks: tuple[str, str]) -> None:
        self.chunks = iter(chunks)
        self.closed = 0

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return self.chunks

    def close(self) -> None:
        self.closed += 1


def test_close_again_has_no_effect() -> None:
    session = Session(("", "a"), ("", "b"))
    stream = FakeResponseStream(session)
    pieces = iter(stream)
    next(pieces)
    stream.close()
    stream.close()
    assert list(pieces) == []
    assert session.closed == 1
    assert stream.content == "a"
    assert stream.finish_reason is None


def test_close_before_reading() -> None:
    session = Session(("", "a"))
    stream = FakeResponseStream(session)
    stream.close()
    assert session.closed == 1
    assert (stream.is_entered, stream.is_ended) == (False, True)
    assert (stream.content, stream.reasoning_content) == ("", "")
    with pytest.raises(RuntimeError, match="Stream already entered or ended"):
        list(stream)


def test_close_after_the_end_keeps_the_reason() -> None:
    session = Session(("", "a"))
    stream = FakeResponseStream(session)
    list(stream)
    assert session.closed == 1
    stream.close()
    assert stream.finish_reason == "stop"
    assert session.closed == 1


def test_close_inside_a_chunk_gives_nothing_more() -> None:
    stream = FakeResponseStream([("r", "c"), ("", "d")], with_reasoning=True)
    pieces = iter(stream)
    assert [next(pieces), next(pieces)] == [R, "r"]
    stream.close()
    assert list(pieces) == []
    assert (stream.reasoning_content, stream.content) == ("r", "")


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_close_between_splitters_and_pieces_gives_nothing_more(count: int) -> None:
    stream = FakeResponseStream([("r", "c")], with_reasoning=True)
    pieces = iter(stream)
    assert [next(pieces) for _ in range(count)] == [R, "r", "\n\n", C][:count]
    stream.close()
    assert list(pieces) == []
    assert stream.finish_reason is None


def test_context_manager_closes() -> None:
    session = Session(("", "a"), ("", "b"))
    with FakeResponseStream(session) as stream:
        assert next(iter(stream)) == "a"
    assert stream.is_ended
    assert session.closed == 1
    assert stream.content == "a"


@pytest.mark.parametrize("rest", [["b", "c"], []])
def test_close_from_another_thread_while_the_source_is_read(rest: list[str]) -> None:
    reading, go_on, read = threading.Event(), threading.Event(), []

    def source() -> Iterator[tuple[str, str]]:
        yield "", "a"
        reading.set()
        go_on.wait(5)
        for piece in rest:
            yield "", piece

    stream = FakeResponseStream(source())
    reader = threading.Thread(target=lambda: read.extend(stream))
    reader.start()
    assert reading.wait(5)
    stream.close()
    go_on.set()
    reader.join(5)
    assert read == ["a"]
    assert stream.content == "a"
    assert stream.finish_reason is None


def test_an_error_of_the_sources_own_close_is_not_hidden() -> None:
    class Broken(Session):
        def close(self) -> None:
            raise ValueError("cannot close")

    with pytest.raises(ValueError, match="cannot close"):
        FakeResponseStream(Broken()).close()


def test_a_subclass_says_what_its_chunks_mean() -> None:
    class WireStream(ResponseStream):
        def _read_chunk(self, chunk: Any) -> tuple[str | None, str | None]:
            if "usage" in chunk:
                self._usage = Usage(*chunk["usage"])
            self._finish_reason = chunk.get("finish_reason", self._finish_reason)
            return chunk.get("reasoning"), chunk.get("text")

    stream = WireStream(
        [{"reasoning": "r"}, {"text": "c", "finish_reason": "length"}, {"usage": (3, 4)}]
    )
    pieces = iter(stream)
    assert next(pieces) == "c"
    assert stream.finish_reason is None
    assert list(pieces) == []
    assert stream.finish_reason == "length"
    assert stream.usage == Usage(input_tokens=3, output_tokens=4)
    assert stream.usage.total_tokens == 7
    assert (stream.reasoning_content, stream.content) == ("r", "c")


def test_repr_tells_the_state() -> None:
    stream = FakeResponseStream([("", "abc")])
    assert repr(stream) == "<FakeResponseStream: unread, 0 characters>"
    pieces = iter(stream)
    next(pieces)
    assert repr(stream) == "<FakeResponseStream: entered, 3 characters>"
    list(pieces)
    assert repr(stream) == "<FakeResponseStream: ended, 3 characters>"


def test_reading_the_text_at_each_piece_joins_each_piece_once() -> None:
    from dialog_ext.model.stream import _Text

    sliced = 0

    class Counted(list[str]):
        def __getitem__(self, index: Any) -> Any:
            nonlocal sliced
            got = super().__getitem__(index)
            sliced += len(got)
            return got

    text = _Text()
    text._pieces = Counted()
    for i in range(1000):
        text.add("x")
        assert len(text.read()) == i + 1
    assert sliced == 1000


pieces_of = st.text(alphabet="ab \n", max_size=3) | st.none()


@given(st.lists(st.tuples(pieces_of, pieces_of), max_size=8), st.data())
def test_any_chunks(chunks: list[tuple[str | None, str | None]], data: st.DataObject) -> None:
    reasoning = "".join(r or "" for r, _ in chunks)
    content = "".join(c or "" for _, c in chunks)
    plain = FakeResponseStream(chunks)
    assert "".join(plain) == content
    assert (plain.reasoning_content, plain.content) == (reasoning, content)

    shown = FakeResponseStream(chunks, True, "R", "C")
    text = "".join(shown)
    runs = []
    for r, c in chunks:
        for kind, piece in (("R", r), ("C", c)):
            if piece:
                if runs and runs[-1][0] == kind:
                    runs[-1][1] += piece
                else:
                    runs.append([kind, piece])
    assert text == "\n\n".join(f"{kind}\n\n{piece}" for kind, piece in runs)
    assert (shown.reasoning_content, shown.content) == (reasoning, content)

    left = FakeResponseStream(chunks)
    count = data.draw(st.integers(0, 8))
    taken = [piece for piece, _ in zip(left, range(count), strict=False)]
    left.close()
    assert (left.content or "").startswith("".join(taken))
    assert content.startswith(left.content or "")
