"""Figures of dialog_ext.history."""

from __future__ import annotations

from harness import Case

from dialog_ext.history import LLMHistory


def texts(n: int) -> list[str]:
    return [f"message {i}" for i in range(n)]


def grow(contents: list[str]) -> list[LLMHistory]:
    history, versions = LLMHistory(), []
    for content in contents:
        history = history.with_user_message(content)
        versions.append(history)
    return versions


def grown(n: int) -> list[LLMHistory]:
    return grow(texts(n))


CASES: list[Case] = [
    Case("history: one by one, every version kept", 10_000, texts, grow, 45, 10),
    Case("history: hash of every version", 10_000, grown, lambda vs: [hash(v) for v in vs]),
    Case("history: last message of every version", 10_000, grown, lambda vs: [v[-1] for v in vs]),
    Case(
        "history: a branch from every version",
        10_000,
        grown,
        lambda vs: [v.with_assistant_message("another way") for v in vs],
        60,
        10,
    ),
    Case("history: to_json", 10_000, lambda n: grown(n)[-1], lambda h: h.to_json()),
    Case(
        "history: each message by its index",
        10_000,
        lambda n: grown(n)[-1],
        lambda h: [h[i] for i in range(len(h))],
    ),
    Case("history: == of histories made apart", 10_000, lambda n: (grown(n)[-1], grown(n)[-1]),
         lambda pair: pair[0] == pair[1]),
]  # fmt: skip
