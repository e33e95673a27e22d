"""Pieces of printed text: joined as a page shows them and as notebooks save them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dialog_ext.dialog import Message, mk_dispdata, mk_error, mk_stream
from dialog_ext.dialog.stream import StreamText


def on_a_page(text: str, index: int, piece: str) -> tuple[str, int]:
    """The text of a stream after one more piece, by JupyterLab's rules, naively."""
    for c in piece:
        if c == "\b":
            if index and text[index - 1] != "\n":
                text, index = text[: index - 1] + text[index + 1 :], index - 1
        elif c == "\r":
            index = text.rfind("\n", 0, index) + 1
        elif c == "\n":
            text += "\n"
            index = len(text)
        else:
            text, index = text[:index] + c + text[index + 1 :], index + 1
    return text, index


pieces = st.lists(st.text("ab\n\r\b", max_size=6), max_size=12)


@given(pieces, st.sets(st.integers(0, 12)))
@example(["abc\rX\nY"], set())
@example(["abc\rX\b"], set())
@example(["abc", "\r", "X", "\b", "Y"], {1, 2, 3})
@example(["a\n", "\b\bb\r\r\n"], set())
def test_any_pieces_read_at_any_time(given_pieces: list[str], read_after: set[int]) -> None:
    text, at = "", 0
    stream = StreamText()
    for i, piece in enumerate(given_pieces):
        text, at = on_a_page(text, at, piece)
        stream.add(piece)
        if i in read_after:
            assert stream.read() == text
    assert stream.read() == text


@given(
    st.lists(st.tuples(st.sampled_from(["stdout", "stderr"]), st.text("ab\n\r\b", max_size=4))),
    st.sets(st.integers(0, 20)),
)
def test_a_message_joins_neighbours_of_one_name(
    printed: list[tuple[str, str]], read_after: set[int]
) -> None:
    m = Message("x")
    expected: list[tuple[str, str, int]] = []
    for i, (name, text) in enumerate(printed):
        m.add_output(mk_stream(text, name))
        if expected and expected[-1][0] == name:
            _, before, at = expected.pop()
        else:
            before, at = "", 0
        expected.append((name, *on_a_page(before, at, text)))
        if i in read_after:
            assert [o["text"] for o in m.output] == [text for _, text, _ in expected]
    assert m.output == [
        {"output_type": "stream", "name": name, "text": text} for name, text, _ in expected
    ]


@given(st.lists(st.text(st.characters(exclude_characters="\r\b"))))
def test_text_without_these_two_characters_is_joined_as_it_is(given_pieces: list[str]) -> None:
    m = Message("x")
    for piece in given_pieces:
        m.add_output(mk_stream(piece))
    assert "".join(o["text"] for o in m.output) == "".join(given_pieces)
    assert len(m.output) == bool(given_pieces)


def test_a_progress_bar_is_one_line() -> None:
    m = Message("x")
    for i in range(1000):
        m.add_output(mk_stream(f"\r{i / 10:5.1f} %"))
    m.add_output(mk_stream("\ndone\r\n"))
    assert m.output == [{"output_type": "stream", "name": "stdout", "text": " 99.9 %\ndone\n"}]


def test_other_outputs_part_streams() -> None:
    m = Message("x")
    for jmsg in (mk_stream("a"), mk_dispdata({}), mk_stream("b"), mk_error(), mk_stream("c")):
        m.add_output(jmsg)
    assert [o.get("text") for o in m.output] == ["a", None, "b", None, "c"]


@pytest.mark.parametrize("text", ["saved\n", ["sa", "ved\n"]])
def test_pieces_go_on_after_a_saved_stream_and_leave_the_original_alone(text: Any) -> None:
    saved = {"output_type": "stream", "name": "stdout", "text": text}
    m = Message("x", output=[saved])
    m.add_output(mk_stream("more"))
    assert m.output == [{"output_type": "stream", "name": "stdout", "text": "saved\nmore"}]
    assert saved["text"] is text


def test_pieces_go_on_after_an_edit() -> None:
    m = Message("x")
    m.add_output(mk_stream("first\rF"))
    assert m.output[0]["text"] == "First"
    m.output[0]["text"] = "edited\n"
    m.add_output(mk_stream("more"))
    assert m.output[0]["text"] == "edited\nmore"
    m.output.append({"output_type": "stream", "name": "stdout", "text": "by hand"})
    m.add_output(mk_stream("!"))
    assert [o["text"] for o in m.output] == ["edited\nmore", "by hand!"]
    m.output.pop()
    m.output.pop()
    m.add_output(mk_stream("new"))
    assert [o["text"] for o in m.output] == ["new"]


def test_streams_that_differ_in_more_than_the_text_stay_apart() -> None:
    m = Message("x")
    for mark in (1, 1, 2):
        m.add_output(mk_stream("a"), trunc=lambda o, mark=mark: o | {"metadata": {"n": mark}})
    m.add_output(mk_stream("a"))
    assert [o["text"] for o in m.output] == ["aa", "a", "a"]


def test_a_clear_and_an_assignment_begin_a_new_text() -> None:
    m = Message("x")
    m.add_output(mk_stream("old"))
    m.clear_output()
    m.add_output(mk_stream("new"))
    assert [o["text"] for o in m.output] == ["new"]
    m.output = m.output
    m.add_output(mk_stream("er"))
    assert [o["text"] for o in m.output] == ["newer"]


def test_each_piece_is_copied_at_most_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linear: nothing is joined before somebody reads."""
    reads = []
    read = StreamText.read
    monkeypatch.setattr(StreamText, "read", lambda self: (reads.append(1), read(self))[1])
    m = Message("x")
    for _ in range(5000):
        m.add_output(mk_stream("piece\n"))
    assert len(reads) == 1  # the first one, when the output came to be
    assert m.output[0]["text"] == "piece\n" * 5000
    assert m.output[0]["text"] == "piece\n" * 5000
    assert len(reads) == 2
