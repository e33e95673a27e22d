"""Thunks that are computed, spans, messages, records: what they hold, copy and refuse."""

from __future__ import annotations

import copy
import pickle
import sys
import typing
from typing import Any
from unittest.mock import MagicMock

import pytest

from dialog_ext.core import (
    AbstractMelleaTool,
    AudioBlock,
    AudioUrlBlock,
    CBlock,
    ChatContext,
    Component,
    ComputedModelOutputThunk,
    ContextTypeMismatchError,
    GenerateLog,
    GenerateType,
    GenerationMetadata,
    ImageBlock,
    ImageUrlBlock,
    Message,
    ModelOutputThunk,
    ModelToolCall,
    RawProviderResponse,
    SimpleContext,
    Span,
    TemplateRepresentation,
    blockify,
    get_audio_from_component,
    get_images_from_component,
)

URL = ImageUrlBlock("https://example.org/a.png")
SOUND = AudioUrlBlock("https://example.org/a.wav", "wav")


class Echo(AbstractMelleaTool[..., Any]):
    name = "echo"

    def run(self, *args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    @property
    def as_json_tool(self) -> dict[str, Any]:
        return {"name": self.name}


# Thunks


def test_a_new_thunk() -> None:
    thunk: Any = ModelOutputThunk("text")
    assert (thunk.value, str(thunk), thunk.is_computed()) == ("text", "text", True)
    assert (thunk.error, thunk.generate_log, thunk.cancelled) == (None, None, False)
    assert (thunk.thinking, thunk.parsed_repr, thunk.tool_calls) == (None, None, None)
    assert (thunk.meta, thunk._meta) == ({}, {})
    assert (thunk.generation, thunk.raw) == (GenerationMetadata(), RawProviderResponse())
    assert thunk.generation is thunk.generation
    assert thunk.generation is not ModelOutputThunk("text").generation
    assert thunk.raw is not ModelOutputThunk("text").raw
    thunk.thinking = "hm"
    assert thunk.thinking == "hm"
    assert ModelOutputThunk("b").thinking is None
    thunk.generation.model = "m"
    assert thunk.generation != GenerationMetadata()
    assert not isinstance(thunk, CBlock)


@pytest.mark.parametrize(("value", "computed"), [(None, False), ("", True), ("a", True)])
def test_computed_if_there_is_a_value(value: str | None, computed: bool) -> None:
    thunk: Any = ModelOutputThunk(value)
    assert thunk.is_computed() is computed
    assert thunk.value == value
    assert str(thunk) == (value or "")


@pytest.mark.parametrize("value", [1, b"a", ["a"]])
def test_a_value_is_a_str(value: Any) -> None:
    with pytest.raises(TypeError, match="must be a str or None"):
        ModelOutputThunk(value)
    thunk: Any = ModelOutputThunk("a")
    with pytest.raises(TypeError, match="must be a str or None"):
        thunk.value = value
    assert thunk.value == "a"


async def test_a_value_that_is_set_is_seen() -> None:
    thunk: Any = ModelOutputThunk(None)
    thunk.value = None
    assert not thunk.is_computed()
    thunk.value = "a"
    assert thunk.is_computed()
    assert await thunk.avalue() == "a"
    thunk.value = None
    assert thunk.is_computed()
    with pytest.raises(RuntimeError, match="was set to None"):
        await thunk.avalue()


async def test_a_computed_thunk_has_nothing_to_stream() -> None:
    thunk: Any = ModelOutputThunk("a")
    with pytest.raises(RuntimeError, match="Streaming has finished"):
        await thunk.astream()
    for _ in range(2):
        assert [delta async for delta in thunk] == []
    assert aiter(thunk) is thunk
    await thunk.cancel_generation()
    await thunk.aclose()
    async with thunk as same:
        assert same is thunk
    assert (thunk.value, thunk.cancelled) == ("a", False)


def test_a_parameter_stays_on_the_object() -> None:
    assert ModelOutputThunk[float](value="1").__orig_class__ == ModelOutputThunk[float]  # type: ignore[attr-defined]
    assert not hasattr(ModelOutputThunk(value="1"), "__orig_class__")


def test_meta_is_the_thunks_own() -> None:
    meta = {"a": 1}
    thunk: Any = ModelOutputThunk("a", meta)
    thunk.meta["b"] = 2
    assert meta == {"a": 1}


@pytest.mark.parametrize("wrap", [lambda t: t, ComputedModelOutputThunk])
def test_copies(wrap: Any) -> None:
    held = object()
    thunk = wrap(ModelOutputThunk("a", {"m": [1]}, parsed_repr=[1], tool_calls=[]))
    thunk.raw.response = held
    thunk.generation.usage = {"total_tokens": 1}
    thunk.extra = ["free"]
    other = copy.copy(thunk)
    assert type(other) is type(thunk)
    assert (other.value, other.meta, other.parsed_repr) == ("a", {"m": [1]}, [1])
    assert other.generation == thunk.generation
    assert other.generation is not thunk.generation
    assert other.raw is not thunk.raw
    assert other.raw.response is held
    assert other.generation.usage is thunk.generation.usage
    assert other.meta is not thunk.meta
    assert other.extra is thunk.extra
    deep = copy.deepcopy(thunk)
    assert type(deep) is type(thunk)
    assert deep.generation == thunk.generation
    assert deep.generation.usage is not thunk.generation.usage
    assert deep.meta["m"] is not thunk.meta["m"]
    assert deep.extra == ["free"]
    assert deep.extra is not thunk.extra
    thunk.raw.response = None
    back = pickle.loads(pickle.dumps(thunk))
    assert (type(back), back.value, back.generation) == (type(thunk), "a", thunk.generation)


@pytest.mark.parametrize("call", [copy.copy, copy.deepcopy, pickle.dumps])
def test_an_uncomputed_thunk_cannot_be_copied(call: Any) -> None:
    with pytest.raises(RuntimeError, match="before it is computed"):
        call(ModelOutputThunk(None))


def test_deepcopy_keeps_what_leads_back() -> None:
    thunk: Any = ModelOutputThunk("a")
    thunk.parsed_repr = [thunk]
    thunk._generate_log = GenerateLog(result=thunk, action=CBlock("q"))
    shared = [1]
    thunk.meta["x"] = thunk.thinking = shared
    first, second = copy.deepcopy([thunk, thunk])
    assert first is second
    assert first is not thunk
    assert first.parsed_repr[0] is first
    assert first.generate_log.result is first
    assert first.meta["x"] is first.thinking
    assert thunk.generate_log is thunk._generate_log
    assert thunk.generate_log.result is thunk


# Computed thunks


def test_a_computed_thunk_is_the_same_object() -> None:
    thunk: Any = ModelOutputThunk("a")
    computed = ComputedModelOutputThunk(thunk)
    assert computed is thunk
    assert type(thunk) is ComputedModelOutputThunk
    assert ComputedModelOutputThunk(thunk) is thunk
    assert computed.is_computed() is True
    assert (computed.value, str(computed)) == ("a", "a")


def test_what_is_refused() -> None:
    with pytest.raises(TypeError):
        ComputedModelOutputThunk()  # type: ignore[call-arg]
    for wrong in ("a", None, CBlock("a")):
        with pytest.raises(TypeError, match="requires a computed ModelOutputThunk"):
            ComputedModelOutputThunk(wrong)  # type: ignore[arg-type]
    thunk: Any = ModelOutputThunk(None)
    with pytest.raises(
        ValueError, match=r"^ComputedModelOutputThunk requires a computed ModelOutputThunk;"
    ):
        ComputedModelOutputThunk(thunk)
    assert type(thunk) is ModelOutputThunk
    thunk._computed = True
    with pytest.raises(ValueError, match="requires a non-None value"):
        ComputedModelOutputThunk(thunk)
    assert type(thunk) is ModelOutputThunk
    thunk.value = "a"
    assert ComputedModelOutputThunk(thunk) is thunk


@pytest.mark.parametrize("make", [lambda t: t, copy.copy, copy.deepcopy])
def test_the_invariant(make: Any) -> None:
    thunk = make(ComputedModelOutputThunk(ModelOutputThunk("a")))
    for name, value in [
        ("_computed", False), ("_computed", None), ("_computed", 1), ("value", None), ("value", 1),
        ("_underlying_value", None), ("_underlying_value", b"a"),
    ]:  # fmt: skip
        with pytest.raises(AttributeError, match="computed invariant"):
            setattr(thunk, name, value)
    for name in ("_computed", "_underlying_value", "value"):
        with pytest.raises(AttributeError, match="computed invariant"):
            delattr(thunk, name)
    assert (thunk.is_computed(), thunk.value) == (True, "a")
    thunk._computed = True
    thunk.value = "b"
    assert thunk.value == "b"
    thunk._underlying_value = "c"
    assert thunk.value == "c"
    thunk.parsed_repr = thunk.anything = 1
    del thunk.anything
    assert not hasattr(thunk, "anything")


async def test_computed_thunks_and_waiting() -> None:
    thunk = ComputedModelOutputThunk(ModelOutputThunk("a"))
    assert await thunk.avalue() == "a"
    with pytest.raises(RuntimeError, match="Cannot stream from a ComputedModelOutputThunk"):
        await thunk.astream()
    assert [delta async for delta in thunk] == []


def test_subclasses_of_computed_thunks() -> None:
    class Mine(ComputedModelOutputThunk[Any]):
        pass

    thunk = Mine(ModelOutputThunk("a"))
    for other in (thunk, copy.copy(thunk), copy.deepcopy(thunk)):
        assert type(other) is Mine
        with pytest.raises(AttributeError, match="computed invariant"):
            other.value = None  # type: ignore[assignment]


def test_a_computed_thunk_is_small() -> None:
    thunk = ComputedModelOutputThunk(ModelOutputThunk("a"))
    assert len(vars(thunk)) == 5
    assert all(value in (None, "a", True, {}) for value in vars(thunk).values())
    assert sys.getsizeof(thunk) < 100


# Spans


def test_span() -> None:
    assert typing.get_args(Span) == (Component, CBlock, ModelOutputThunk)
    assert isinstance(CBlock("a"), Span)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "span", [CBlock("a"), URL, ModelOutputThunk("a"), ModelOutputThunk(None), Message("user", "a")]
)
def test_blockify_leaves_spans(span: Any) -> None:
    assert blockify(span) is span


@pytest.mark.parametrize("thing", [1, None, b"a", MagicMock()])
def test_blockify_refuses(thing: Any) -> None:
    with pytest.raises(TypeError, match="blockify takes"):
        blockify(thing)


def test_blockify_wraps_texts() -> None:
    block: Any = blockify("a")
    assert type(block) is CBlock
    assert block.value == "a"


class Holder(Component[str]):
    def format_for_llm(self) -> TemplateRepresentation:
        raise AssertionError("the attribute is there, so it is not asked for")


class Declares(Component[str]):
    asked = 0

    def format_for_llm(self) -> TemplateRepresentation:
        self.asked += 1
        return TemplateRepresentation(self, {}, images=[URL], audio=[SOUND])


class Says(Component[str]):
    def format_for_llm(self) -> str:
        return "text"


@pytest.mark.parametrize(
    ("name", "get", "block"),
    [("images", get_images_from_component, URL), ("audio", get_audio_from_component, SOUND)],
)
def test_attachments(name: str, get: Any, block: Any) -> None:
    holder = Holder()
    for empty in (None, [], ()):
        setattr(holder, name, empty)
        assert get(holder) is None
    given = [block]
    setattr(holder, name, given)
    assert get(holder) is given
    setattr(holder, name, (block,))
    assert get(holder) == [block]
    for wrong in ("text", {block: 1}, [block, "text"], [CBlock("a")], 5):
        setattr(holder, name, wrong)
        with pytest.raises(TypeError, match=f"Holder.{name} must"):
            get(holder)
    declares = Declares()
    assert get(declares) == [block]
    assert declares.asked == 1
    assert get(Says()) is None
    assert get(Component()) is None
    assert get(CBlock("a")) is None


# Messages


def test_a_message() -> None:
    pictures, sounds = [URL], (SOUND,)
    message = Message(
        "tool", "a", images=pictures, audio=sounds, thinking="t", tool_call_id="i", tool_name="n"
    )
    assert (message.images, message.audio) == ([URL], [SOUND])
    assert message.images is not pictures
    block, *rest = message.parts()
    assert (str(block), rest) == ("a", [URL, SOUND])
    shown = message.format_for_llm()
    assert (shown.obj, shown.role, shown.thinking) == (message, "tool", "t")
    assert (shown.tool_call_id, shown.tool_name) == ("i", "n")
    assert (shown.images, shown.audio) == ([URL], [SOUND])
    assert shown.args == {"role": "tool", "content": "a"}
    assert get_images_from_component(message) is message.images
    assert get_audio_from_component(Message("user", "a")) is None
    assert Message("user", "a", images=[]).images is None
    assert len(repr(Message("user", "a" * 1000))) < 80


def test_messages_check_and_are_set_once() -> None:
    for wrong in ((1, "a"), ("user", 1), ("user", None)):
        with pytest.raises(TypeError, match="must be a str"):
            Message(*wrong)  # type: ignore[arg-type]
    for name, wrong_block in (("images", SOUND), ("audio", URL), ("images", "a")):
        with pytest.raises(TypeError, match="An attachment must be"):
            Message("user", "a", **{name: [wrong_block]})  # type: ignore[arg-type]
    message = Message("user", "a")
    for name in ("role", "content", "images", "audio", "thinking", "tool_calls"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(message, name, "b")
    message.cell = "free"  # type: ignore[attr-defined]
    other = pickle.loads(pickle.dumps(copy.deepcopy(copy.copy(message))))
    assert (other.role, other.content, other.cell) == ("user", "a", "free")


def test_a_message_parses_an_output() -> None:
    call = ModelToolCall("echo", Echo(), {"a": 1}, "id1")
    thunk: Any = ModelOutputThunk("yes", tool_calls=[call])
    thunk.thinking = "hm"
    answer = Message("user", "?").parse(thunk)
    assert (answer.role, answer.content, answer.thinking) == ("assistant", "yes", "hm")
    assert answer.tool_calls == [
        {"type": "function", "id": "id1", "function": {"name": "echo", "arguments": '{"a": 1}'}}
    ]
    assert Message("user", "?").parse(ModelOutputThunk("a")).tool_calls is None


# Sounds whose value is set anew


def test_a_detected_format_follows_the_value() -> None:
    block = AudioBlock("data:audio/wav;base64,YQ==")
    block.value = "data:audio/mpeg;base64,YQ=="
    assert block.format == "mp3"
    block.value = "YQ=="
    assert block.format == "mp3"
    block.format = "own"
    block.value = "data:audio/wav;base64,YQ=="
    assert block.format == "own"
    given = AudioBlock("data:audio/wav;base64,YQ==", "given")
    given.value = "data:audio/mpeg;base64,YQ=="
    assert given.format == "given"


# Records and tools


def test_generate_type() -> None:
    assert [kind.name for kind in GenerateType] == ["NONE", "ASYNC", "SYNC"]


def test_a_tool_call() -> None:
    call = ModelToolCall("echo", Echo(), {"a": 1})
    assert call.call_func() == ((), {"a": 1})
    assert call.tool_call_id is None
    with pytest.raises(TypeError):
        AbstractMelleaTool()  # type: ignore[abstract]


def test_context_type_mismatch() -> None:
    error = ContextTypeMismatchError(ChatContext, SimpleContext)
    assert (error.input_type, error.output_type) == (ChatContext, SimpleContext)
    assert "ChatContext" in str(error)
    assert "allow_context_type_change=True" in str(error)
    back = pickle.loads(pickle.dumps(error))
    assert (back.input_type, str(back)) == (ChatContext, str(error))


def test_pictures_are_blocks() -> None:
    assert issubclass(ImageBlock, CBlock)
    assert not issubclass(ImageUrlBlock, ImageBlock)
