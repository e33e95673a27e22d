"""Figures of dialog_ext.model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness import Case

from dialog_ext.model.fake import FakeLLMModel, FakeResponseStream


def one_question(n: int) -> tuple[int, FakeLLMModel, list[dict[str, Any]]]:
    model = FakeLLMModel()
    for keyword in ("weather", "time", "news", "sport", "mail"):
        model = model.response_when_keyword_in_last_message(keyword, f"about {keyword}")
    return n, model.response_always("hello"), [{"role": "user", "content": "Good day to you!"}]


def ask(case: tuple[int, FakeLLMModel, list[dict[str, Any]]]) -> None:
    n, model, messages = case
    for _ in range(n):
        model.ask(messages)


def sequence(n: int) -> tuple[int, FakeLLMModel, list[dict[str, Any]]]:
    return n, FakeLLMModel().response_sequence(["answer"] * n), []


def chunks(n: int) -> list[tuple[str, str]]:
    return [("", "word ")] * n


def read(source: Iterable[tuple[str, str]]) -> str:
    text = ""
    stream = FakeResponseStream(source)
    for _ in stream:
        text = stream.content or ""
    return text


CASES: list[Case] = [
    Case("model: ask a fake with six rules", 10_000, one_question, ask, 80, 1),
    Case("model: ask a fake with a sequence", 10_000, sequence, ask, 60, 2),
    Case("model: read a stream, its text after each piece", 10_000, chunks, read, 100, 3),
]
