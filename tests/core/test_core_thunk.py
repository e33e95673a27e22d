"""Thunks that are computed, or not: values, guards, copies, and what they cost."""

from __future__ import annotations

import copy
import gc
import pickle
import tracemalloc
from typing import Any

import pytest

from dialog_ext.core import (
    CBlock,
    ComputedModelOutputThunk,
    GenerateLog,
    GenerationMetadata,
    ModelOutputThunk,
    ModelToolCall,
    RawProviderResponse,
)


def computed(text: str = "x", **options: Any) -> ComputedModelOutputThunk[Any]:
    return ComputedModelOutputThunk(ModelOutputThunk(text, **options))


def test_generic() -> None:
    thunk = ModelOutputThunk[float](value="1")
    assert thunk.__orig_class__ == ModelOutputThunk[float]  # type: ignore[attr-defined]
    assert not hasattr(ModelOutputThunk(value="1"), "__orig_class__")


def test_not_a_block() -> None:
    assert not isinstance(ModelOutputThunk("x"), CBlock)


@pytest.mark.parametrize("value", ["", "text"])
def test_computed_with_a_value(value: str) -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk(value)
    assert thunk.is_computed() is True
    assert thunk.value == str(thunk) == value


def test_uncomputed() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk(None)
    assert thunk.is_computed() is False
    assert thunk.value is None
    assert str(thunk) == ""
    assert "not computed" in repr(thunk)


def test_first_state() -> None:
    for thunk in (ModelOutputThunk(None), ModelOutputThunk("x"), computed()):
        assert thunk.error is None
        assert thunk.generate_log is None
        assert thunk.cancelled is False
        assert thunk.thinking is None
        assert thunk.parsed_repr is None
        assert thunk.tool_calls is None
        assert thunk.meta == thunk._meta == {}
        assert thunk.generation == GenerationMetadata()
        assert thunk.raw == RawProviderResponse()
        assert thunk.generation is thunk.generation
        assert thunk.raw is thunk.raw
        thunk.thinking = "hm"
        assert thunk.thinking == "hm"
    assert ModelOutputThunk("x").generation is not ModelOutputThunk("x").generation


def test_arguments() -> None:
    meta, calls = {"a": 1}, [ModelToolCall("f", None, {})]  # type: ignore[arg-type]
    thunk = ModelOutputThunk("1", meta, 1, calls)
    assert (thunk.parsed_repr, thunk.tool_calls) == (1, calls)
    thunk.meta["b"] = 2
    assert meta == {"a": 1}


def test_log_is_given_by_reference() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk("x")
    thunk._generate_log = log = GenerateLog(result=thunk)
    assert thunk.generate_log is log


@pytest.mark.parametrize("value", [42, b"x", ["x"], True])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="str"):
        ModelOutputThunk(value)
    for thunk in (ModelOutputThunk("x"), ModelOutputThunk(None)):
        before = thunk.is_computed(), thunk.value
        with pytest.raises(TypeError, match="str"):
            thunk.value = value
        assert (thunk.is_computed(), thunk.value) == before


async def test_value_set_on_an_uncomputed_thunk_is_seen() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk(None)
    thunk.value = "late"
    assert thunk.is_computed()
    assert thunk.value == await thunk.avalue() == "late"


async def test_none_set_on_a_computed_thunk() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk("x")
    thunk.value = None
    assert thunk.is_computed()
    assert thunk.value is None
    with pytest.raises(RuntimeError, match="None"):
        await thunk.avalue()


async def test_computed_thunk_has_nothing_to_wait_for() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk("x")
    assert await thunk.avalue() == "x"
    with pytest.raises(RuntimeError, match="Streaming has finished"):
        await thunk.astream()
    for _ in range(2):
        assert [delta async for delta in thunk] == []
    await thunk.cancel_generation(ValueError())
    await thunk.aclose()
    async with thunk as same:
        assert same is thunk
    assert (thunk.value, thunk.cancelled, thunk.error) == ("x", False, None)


async def test_nothing_generates_it() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk(None)
    for wait in (thunk.avalue, thunk.astream, thunk.__anext__):
        with pytest.raises(RuntimeError, match=r"[Nn]othing generates"):
            await wait()
    await thunk.cancel_generation()
    assert (thunk.is_computed(), thunk.value, thunk.cancelled) == (True, "", True)


# -- ComputedModelOutputThunk


def test_same_object() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk("x")
    certain = ComputedModelOutputThunk(thunk)
    assert certain is thunk
    assert type(thunk) is ComputedModelOutputThunk
    assert ComputedModelOutputThunk(certain) is certain
    assert certain.is_computed() is True
    assert ComputedModelOutputThunk(ModelOutputThunk("")).value == ""


def test_no_thunk() -> None:
    with pytest.raises(TypeError):
        ComputedModelOutputThunk()  # type: ignore[call-arg]
    for odd in ("x", None, CBlock("x"), 42):
        with pytest.raises(TypeError, match="requires a computed ModelOutputThunk"):
            ComputedModelOutputThunk(odd)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="requires a computed ModelOutputThunk"):
        ComputedModelOutputThunk.from_stream(["x"])


async def test_refused_thunks_keep_their_class_and_can_be_repaired() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk(None)
    with pytest.raises(
        ValueError, match=r"^ComputedModelOutputThunk requires a computed ModelOutputThunk;"
    ):
        ComputedModelOutputThunk(thunk)
    assert type(thunk) is ModelOutputThunk
    thunk._computed = True
    with pytest.raises(ValueError, match="requires a non-None value"):
        ComputedModelOutputThunk(thunk)
    assert type(thunk) is ModelOutputThunk
    thunk.value = "repaired"
    assert ComputedModelOutputThunk(thunk).value == "repaired"


@pytest.mark.parametrize("name", ["value", "_underlying_value", "_computed"])
@pytest.mark.parametrize("value", [None, 42, False, 1, b"x", "delete"])
def test_guard(name: str, value: Any) -> None:
    certain = computed()
    with pytest.raises(AttributeError, match="computed invariant"):
        delattr(certain, name) if value == "delete" else setattr(certain, name, value)
    assert (certain.is_computed(), certain.value, str(certain)) == (True, "x", "x")


def test_what_is_free() -> None:
    certain = computed()
    certain._computed = True
    certain.value = "other"
    assert certain.value == "other"
    certain._underlying_value = "third"
    assert certain.value == "third"
    certain.parsed_repr = 3
    certain.anything = 1  # type: ignore[attr-defined]
    del certain.anything  # type: ignore[attr-defined]
    assert certain.parsed_repr == 3


async def test_computed_waiting() -> None:
    certain = computed()
    assert await certain.avalue() == "x"
    with pytest.raises(RuntimeError, match="Cannot stream from a ComputedModelOutputThunk"):
        await certain.astream()
    for _ in range(2):
        assert [delta async for delta in certain] == []


# -- copies


class Own(ComputedModelOutputThunk[Any]):
    pass


@pytest.mark.parametrize("kind", [ModelOutputThunk, ComputedModelOutputThunk, Own])
def test_copies(kind: Any) -> None:
    thunk: Any = ModelOutputThunk("x", {"m": []}, ["parsed"], [])
    thunk.generation.usage = {"total_tokens": 3}
    thunk.raw.response = ["r"]
    thunk.thinking, thunk.own = "hm", ["own"]
    thunk = thunk if kind is ModelOutputThunk else kind(thunk)
    shallow, deep = copy.copy(thunk), copy.deepcopy(thunk)
    thawed = pickle.loads(pickle.dumps(thunk))
    for twin in (shallow, deep, thawed):
        assert type(twin) is kind
        assert twin is not thunk
        assert (twin.value, twin.thinking, twin.own) == ("x", "hm", ["own"])
        for record in ("generation", "raw"):
            assert getattr(twin, record) == getattr(thunk, record)
            assert getattr(twin, record) is not getattr(thunk, record)
        if kind is not ModelOutputThunk:
            with pytest.raises(AttributeError, match="computed invariant"):
                twin.value = None
    assert shallow.generation.usage is thunk.generation.usage
    assert shallow.raw.response is thunk.raw.response
    assert shallow.parsed_repr is thunk.parsed_repr
    shallow.meta["new"] = 1
    assert "new" not in thunk.meta
    for twin in (deep, thawed):
        assert twin.generation.usage is not thunk.generation.usage
        assert twin.raw.response is not thunk.raw.response
        assert twin.parsed_repr is not thunk.parsed_repr


async def test_uncomputed_thunks_are_not_copied() -> None:
    streaming: ModelOutputThunk[Any] = ModelOutputThunk.from_stream(["a"])
    for thunk in (ModelOutputThunk(None), streaming):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(RuntimeError):
                call(thunk)
    await streaming.avalue()
    assert copy.deepcopy(streaming).value == "a"


def test_deep_copies_lead_to_themselves() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk("x")
    thunk.parsed_repr = {"self": thunk}
    thunk._generate_log = GenerateLog(result=thunk)
    for twin in (copy.deepcopy(thunk), pickle.loads(pickle.dumps(thunk))):
        assert twin.parsed_repr["self"] is twin
        assert twin.generate_log.result is twin
    shallow = copy.copy(thunk)
    assert shallow.generate_log is thunk.generate_log


def test_deep_copies_share_what_was_shared() -> None:
    shared = ["s"]
    one: Any = ModelOutputThunk("1", parsed_repr=shared)
    other: Any = ModelOutputThunk("2", parsed_repr=shared)
    first, second, third = copy.deepcopy([one, other, one])
    assert first is third
    assert first.parsed_repr is second.parsed_repr
    assert first.parsed_repr is not shared


# -- cost


def test_computed_thunks_hold_nothing_of_a_stream() -> None:
    thunk: ModelOutputThunk[Any] = ModelOutputThunk("x")
    computed_one = computed()
    for one in (thunk, computed_one):
        held = gc.get_referents(one, vars(one))
        assert {type(thing).__module__.partition(".")[0] for thing in held} <= {
            "builtins",
            "dialog_ext",
        }
        assert not any(type(thing).__name__ in ("Queue", "Event", "Task", "Lock") for thing in held)


def test_memory_of_thunks() -> None:
    tracemalloc.start()
    try:
        thunks = [computed() for _ in range(1000)]
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 6 MB for 10,000.
    assert size / len(thunks) <= 600
