"""Figures of dialog_ext.core."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import Any

from harness import Case

from dialog_ext.core import (
    CBlock,
    ChatContext,
    Component,
    ComputedModelOutputThunk,
    Context,
    FunctionTool,
    ModelOutputThunk,
)


def blocks(n: int) -> list[CBlock]:
    return [CBlock(f"message {i}") for i in range(n)]


def grow(spans: list[CBlock]) -> Context:
    context: Context = ChatContext()
    for span in spans:
        context = context.add(span)
    return context


def grown(n: int) -> Context:
    return grow(blocks(n))


def thunks(texts: list[str]) -> list[ModelOutputThunk[Any]]:
    return [ComputedModelOutputThunk(ModelOutputThunk(text)) for text in texts]


def texts(n: int) -> list[str]:
    return [f"text {i}" for i in range(n)]


def streamed(chunks: list[str]) -> str:
    async def read() -> str:
        async for _ in (thunk := ModelOutputThunk[str].from_stream(chunks)):
            pass
        return await thunk.avalue()

    return asyncio.run(read())


def called(calls: list[dict[str, Any]]) -> list[int]:
    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    tool = FunctionTool(add)
    return [tool.run(**call) for call in calls]


CASES: list[Case] = [
    Case("core: Context.add", 10_000, blocks, grow, 9),
    Case("core: as_list", 10_000, grown, lambda c: c.as_list()),
    Case("core: last_turn", 10_000, lambda n: [grown(3)] * n,
         lambda cs: [c.last_turn() for c in cs]),
    Case("core: deepcopy of a context", 10_000, grown, copy.deepcopy),
    Case("core: pickle of a context", 10_000, grown, lambda c: pickle.loads(pickle.dumps(c))),
    Case("core: computed thunks", 10_000, texts, thunks, 24, 6),
    Case("core: isinstance of a component", 10_000, blocks,
         lambda spans: [isinstance(span, Component) for span in spans]),
    Case("core: chunks streamed", 10_000, texts, streamed),
    Case("core: tool calls", 1_000, lambda n: [{"a": str(i)} for i in range(n)], called),
]  # fmt: skip
