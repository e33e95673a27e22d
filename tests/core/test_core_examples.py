"""The examples of the reference, word for word, each in the least code that runs it."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from dialog_ext.core import (
    AudioBlock,
    CBlock,
    ChatContext,
    ComputedModelOutputThunk,
    ContextTurn,
    ImageUrlBlock,
    Message,
    ModelOutputThunk,
    make_image_block,
)


def test_format_of_a_data_uri() -> None:
    payload = base64.b64encode(b"sound").decode()
    assert AudioBlock(f"data:audio/wav;base64,{payload}").format == "wav"


async def test_leaving_a_loop_early() -> None:
    closed = []

    async def source() -> Any:
        try:
            for i in range(1000):
                yield f"{i} "
                await asyncio.sleep(0)
        finally:
            closed.append(True)

    mot = ModelOutputThunk.from_stream(source())
    async with mot:
        async for delta in mot:
            assert delta
            break
    assert closed == [True]
    assert mot.is_computed()
    assert mot.cancelled


async def test_resolving_off_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageUrlBlock, "resolve_base64", lambda self: f"base64 of {self}")
    block = ImageUrlBlock("https://example.org/a.png")
    assert await asyncio.to_thread(block.resolve_base64) == f"base64 of {block.value}"


def test_model_validate_json() -> None:
    pydantic = pytest.importorskip("pydantic")

    class MyModel(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        n: int

    result = ComputedModelOutputThunk(ModelOutputThunk('{"n": 1}'))
    assert MyModel.model_validate_json(str(result)).n == 1


def test_context_with_a_required_argument() -> None:
    class Tagged(ChatContext):
        _propagated_fields = ("tag",)

        def __init__(self, tag: str):
            super().__init__()
            self.tag = tag

    context = Tagged("a").add(CBlock("x"))
    assert context.tag == "a"
    assert type(context) is Tagged


def test_message_with_role_assistant() -> None:
    answer = Message(role="assistant", content="4")
    asked = Message(role="user", content="2 + 2?")
    turn = ChatContext().add(asked).add(answer).last_turn()
    assert turn == ContextTurn(asked, answer)


@pytest.mark.parametrize("scheme", ["http://", "https://"])
def test_both_schemes_are_urls(scheme: str) -> None:
    assert isinstance(make_image_block(f"{scheme}example.org/a.png"), ImageUrlBlock)


async def test_generic_cancellation_error() -> None:
    told: list[Exception] = []
    mot = ModelOutputThunk.from_stream(["a"], on_error=lambda mot, error: told.append(error))
    await mot.cancel_generation()
    assert repr(told) == repr([RuntimeError("Generation cancelled")])
