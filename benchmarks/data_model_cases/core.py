"""Figures of dialog_ext.core."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

from harness import Case

from dialog_ext.core import (
    CBlock,
    ChatContext,
    ComputedModelOutputThunk,
    Context,
    FunctionTool,
    ImageBlock,
    ModelOutputThunk,
)


def blocks(n: int) -> list[CBlock]:
    return [CBlock(str(i)) for i in range(n)]


def add(spans: list[CBlock]) -> Context:
    context: Context = ChatContext()
    for span in spans:
        context = context.add(span)
    return context


def chain(n: int) -> Context:
    return add(blocks(n))


def computed(texts: list[str]) -> list[ModelOutputThunk[Any]]:
    return [ModelOutputThunk(text) for text in texts]


def certain(texts: list[str]) -> list[ModelOutputThunk[Any]]:
    return [ComputedModelOutputThunk(ModelOutputThunk(text)) for text in texts]


def texts(n: int) -> list[str]:
    return [str(i) for i in range(n)]


def stream(chunks: list[str]) -> str:
    import asyncio

    return asyncio.run(ModelOutputThunk.from_stream(chunks).avalue())


def picture(n: int) -> str:
    """Base64 of a PNG of about n bytes that hardly compresses."""
    from random import Random

    from PIL import Image

    return ImageBlock.pil_to_base64(Image.frombytes("L", (n // 100, 100), Random(0).randbytes(n)))


def tool(n: int) -> tuple[FunctionTool[..., Any], list[str]]:
    def add(a: int, b: list[float], unit: str | None = None) -> float:
        return a + sum(b)

    return FunctionTool(add), [json.dumps({"a": i, "b": [1, 2.5]}) for i in range(n)]


def calls(given: tuple[FunctionTool[..., Any], list[str]]) -> None:
    for arguments in given[1]:
        given[0].run(**json.loads(arguments))


def thawed(context: Context) -> Any:
    return pickle.loads(pickle.dumps(context))


def case(
    name: str,
    n: int,
    setup: Callable[[int], Any],
    run: Callable[[Any], Any],
    ms: float | None = None,
    mb: float | None = None,
) -> Case:
    return Case(f"core: {name}", n, setup, run, ms, mb)


CASES: list[Case] = [
    case("Context.add", 10_000, blocks, add, 9),
    case("Context.as_list", 10_000, chain, lambda context: context.as_list()),
    case("deepcopy of a context", 10_000, chain, copy.deepcopy),
    case("pickle of a context, and back", 10_000, chain, thawed),
    case("computed thunks", 10_000, texts, computed, 24, 6),
    case("thunks made certain (ComputedModelOutputThunk)", 10_000, texts, certain, 24, 6),
    case("chunks read by one thunk", 10_000, texts, stream),
    case("bytes of a PNG checked (ImageBlock)", 1_000_000, picture, ImageBlock),
    case("tool calls, from JSON", 10_000, tool, calls),
]
