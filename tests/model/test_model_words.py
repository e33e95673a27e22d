"""Words of a stream: jieba's own, cut a stretch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.model import FakeLLMModel
from dialog_ext.model.fake import words

LONG = {
    "sentences": "The quick brown fox. " * 50_000,
    "chinese": "今天天气很好，我们去公园玩。" * 70_000,
    "one word": "x" * 1_000_000,
    "one run of ideographs": "今天天气很好我们去公园玩" * 80_000,
    "rare ideographs": "龘" * 1_000_000,
    "line ends": "\r\n" * 500_000,
    "carriage returns": "\r" * 1_000_000,
    "commas": "," * 1_000_000,
}


@pytest.fixture
def stretches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note what jieba is given, stretch by stretch."""
    seen: list[str] = []
    cut = words._load()

    def noted(text: str) -> Iterator[str]:
        seen.append(text)
        return cut(text)

    monkeypatch.setattr(words, "_load", lambda: noted)
    return seen


@pytest.mark.parametrize("name", LONG)
def test_first_word_needs_one_stretch(name: str, stretches: list[str]) -> None:
    text = LONG[name]
    stream = FakeLLMModel(float("inf")).response_always(text).ask_stream([])
    first = next(iter(stream))
    assert text.startswith(first)
    assert len(stretches) == 1
    assert len(stretches[0]) <= 513
    stream.close()
    assert stream.content == first
    assert len(stretches) == 1


@pytest.mark.parametrize("name", LONG)
def test_work_grows_with_the_text_only(name: str, stretches: list[str]) -> None:
    text = LONG[name][:20_000]
    assert "".join(words.words(text)) == text
    assert "".join(stretches) == text
    assert max(map(len, stretches)) <= 513
    # Short stretches would cost more calls than the text is worth.
    assert len(stretches) <= 2 * len(text) / 512 + 2


def test_a_run_without_end_is_parted() -> None:
    pieces = list(words.words("x" * 1100))
    assert list(map(len, pieces)) == [512, 512, 76]


def test_a_line_end_stays_whole_at_the_edge_of_a_stretch() -> None:
    for length in range(505, 520):
        text = ", " * 5 + "x" * (length - 10) + "\r\n" + "y"
        assert list(words.words(text))[-2:] == ["\r\n", "y"]


@pytest.mark.parametrize("word", ["3.14%", "a-b", "C++", "清华大学", "x_y", "Q&A", "#1", "铁锈"])
def test_a_word_at_the_edge_of_a_stretch_stays_whole(word: str, stretches: list[str]) -> None:
    for before in range(500, 515):
        stretches.clear()
        text = "," * before + word + " end"
        assert list(words.words(text)) == jiebas_words(text)
        assert sum(word in stretch for stretch in stretches[:-1]) == 1


def jiebas_words(text: str) -> list[str]:
    cut: Callable[[str], Iterator[str]] = words._load()
    return list(cut(text))


parts = st.sampled_from(
    ["fox", "x" * 80, "今天天气很好", "清华大学", "龘龘", "3.14%", "a-b_c", "C++"]
)
ends = st.sampled_from([" ", "\r\n", "\n", "\r", "，", ". ", "\u2028", "🙂", "\ud800"])


@given(st.lists(st.tuples(st.lists(parts, max_size=5), ends), max_size=60))
def test_words_are_jiebas_own(runs: list[tuple[list[str], str]]) -> None:
    text = "".join("".join(run) + end for run, end in runs)
    assert list(words.words(text)) == jiebas_words(text)


def test_words_of_a_long_text_are_jiebas_own() -> None:
    text = "我来到北京清华大学，a fox-like thing: 3.14%\r\n" * 200
    assert list(words.words(text)) == jiebas_words(text)
