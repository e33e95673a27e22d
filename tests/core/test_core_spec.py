"""The reference, walked: every public name, its parameters, their kinds and defaults."""

from __future__ import annotations

import enum
import inspect
import typing
from dataclasses import fields
from typing import Any

import pytest

import dialog_ext.core as core

EMPTY = inspect.Parameter.empty

# "name" is a parameter without default, "name=" one with the default that follows,
# "*name" a parameter by keyword only.
CALLS: dict[str, list[Any]] = {
    "make_image_block": ["src", ("*convert_to_base64", False), ("*meta", None)],
    "blockify": ["s"],
    "get_images_from_component": ["c"],
    "get_audio_from_component": ["c"],
    "CBlock": ["value", ("meta", None), ("*cache", False)],
    "ImageBlock": ["value", ("meta", None)],
    "ImageBlock.is_valid_base64_png": ["s"],
    "ImageBlock.pil_to_base64": ["image"],
    "ImageBlock.from_pil_image": ["image", ("meta", None)],
    "ImageUrlBlock": ["value", ("meta", None)],
    "ImageUrlBlock.resolve_base64": ["self"],
    "AudioBlock": ["value", ("format", None), ("meta", None)],
    "AudioBlock.is_valid_base64_audio": ["s"],
    "AudioBlock.detect_format": ["data"],
    "AudioBlock.from_bytes": ["data", ("format", None), ("meta", None)],
    "AudioBlock.from_file": ["path", ("format", None), ("meta", None)],
    "AudioBlock.from_url": ["url", ("format", None), ("meta", None)],
    # The reference gives the format no default; with one, a missing format is the same
    # ValueError as an empty one, as the notes ask.
    "AudioUrlBlock": ["value", ("format", None), ("meta", None)],
    "AudioUrlBlock.resolve_base64": ["self"],
    "Component.parts": ["self"],
    "Component.format_for_llm": ["self"],
    "Component.parse": ["self", "computed"],
    "GenerationMetadata": [
        ("usage", None),
        ("model", None),
        ("provider", None),
        ("prompt_template", None),
        ("prompt_template_variables", None),
        ("ttfb_ms", None),
        ("streaming", False),
        ("response_model", None),
        ("finish_reasons", None),
        ("response_id", None),
        ("logits", None),
        ("raw_logits", None),
    ],
    "RawProviderResponse": [("provider", None), ("response", None), ("streamed_chunks", None)],
    "ModelOutputThunk": ["value", ("meta", None), ("parsed_repr", None), ("tool_calls", None)],
    "ModelOutputThunk.from_stream": [
        "chunks",
        ("*action", None),
        ("*post_process", None),
        ("*on_error", None),
    ],
    "ModelOutputThunk.cancel_generation": ["self", ("error", None)],
    "ModelOutputThunk.is_computed": ["self"],
    "ModelOutputThunk.avalue": ["self"],
    "ModelOutputThunk.astream": ["self"],
    "ModelOutputThunk.aclose": ["self"],
    "ComputedModelOutputThunk": ["thunk"],
    "ComputedModelOutputThunk.avalue": ["self"],
    "ComputedModelOutputThunk.astream": ["self"],
    "ComputedModelOutputThunk.is_computed": ["self"],
    "ContextTurn": ["model_input", "output"],
    "ContextTypeMismatchError": ["input_type", "output_type"],
    "Context.from_previous": ["previous", "data"],
    "Context.reset_to_new": [],
    "Context.new_instance": ["self"],
    "Context.as_list": ["self", ("last_n_components", None)],
    "Context.actions_for_available_tools": ["self"],
    "Context.last_output": ["self", ("check_last_n_components", 3)],
    "Context.last_turn": ["self"],
    "Context.add": ["self", "c"],
    "Context.view_for_generation": ["self"],
    "ChatContext": [("window_size", None), ("model_id", None)],
    "SimpleContext": [],
    "AbstractMelleaTool.run": ["self", "*args", "**kwargs"],
    "TemplateRepresentation": [
        "obj",
        "args",
        ("tools", None),
        ("fields", None),
        ("template", None),
        ("template_order", None),
        ("images", None),
        ("audio", None),
        ("role", None),
        ("thinking", None),
        ("tool_calls", None),
        ("tool_call_id", None),
        ("tool_name", None),
        ("provider_fields", None),
    ],
    "GenerateLog": [
        ("date", None),
        ("prompt", None),
        ("backend", None),
        ("model_options", None),
        ("model_output", None),
        ("action", None),
        ("result", None),
        ("is_final_result", False),
        ("extra", None),
    ],
    "ModelToolCall": ["name", "func", "args", ("tool_call_id", None)],
    "ModelToolCall.call_func": ["self"],
    "FunctionTool": ["func", ("name", None), ("description", None)],
    "Message": [
        "role",
        "content",
        ("*images", None),
        ("*audio", None),
        ("*thinking", None),
        ("*tool_calls", None),
        ("*tool_call_id", None),
        ("*tool_name", None),
    ],
}

PROPERTIES = {
    "CBlock.value": True,
    "CBlock.meta": False,
    "AudioBlock.format": True,
    "AudioUrlBlock.format": True,
    "ModelOutputThunk.cancelled": False,
    "ModelOutputThunk.error": None,  # the reference has no setter, and forbids none
    "ModelOutputThunk.generate_log": None,
    "ModelOutputThunk.generation": True,
    "ModelOutputThunk.raw": True,
    "ModelOutputThunk.value": True,
    "ComputedModelOutputThunk.value": True,
    "Context.is_root_node": False,
    "Context.previous_node": False,
    "Context.node_data": False,
    "Context.is_chat_context": False,
    "ChatContext.window_size": False,
    "ChatContext.model_id": False,
    "AbstractMelleaTool.as_json_tool": False,
    "FunctionTool.as_json_tool": False,
}

ASYNC = ("cancel_generation", "avalue", "astream", "aclose")

NAMES = {name.partition(".")[0] for name in [*CALLS, *PROPERTIES]} | {
    "ComponentParseError",
    "GenerateType",
    "Span",
}


def found(path: str) -> Any:
    thing: Any = core
    for name in path.split("."):
        thing = (
            inspect.getattr_static(thing, name) if isinstance(thing, type) else getattr(thing, name)
        )
    return thing


def told(parameter: inspect.Parameter) -> Any:
    mark = {
        parameter.KEYWORD_ONLY: "*",
        parameter.VAR_POSITIONAL: "*",
        parameter.VAR_KEYWORD: "**",
    }.get(parameter.kind, "")
    name = mark + parameter.name
    return name if parameter.default is EMPTY else (name, parameter.default)


def test_all_is_what_the_reference_names_and_no_more() -> None:
    assert set(core.__all__) == NAMES
    assert list(core.__all__) == sorted(core.__all__)
    for name in NAMES:
        assert getattr(core, name) is not None
    with pytest.raises(AttributeError):
        core.nothing_of_the_kind  # type: ignore[attr-defined]  # noqa: B018 - the access is the test


@pytest.mark.parametrize("path", CALLS)
def test_signature(path: str) -> None:
    thing = found(path)
    if isinstance(thing, classmethod):
        assert next(iter(inspect.signature(thing.__func__).parameters)) == "cls"
        thing = getattr(getattr(core, path.split(".")[0]), path.split(".")[1])
    elif isinstance(thing, staticmethod):
        thing = thing.__func__
    assert [told(p) for p in inspect.signature(thing).parameters.values()] == CALLS[path]


@pytest.mark.parametrize("path", [*CALLS, *PROPERTIES, "ComponentParseError", "GenerateType"])
def test_docstring(path: str) -> None:
    thing = found(path)
    thing = getattr(thing, "__func__", thing)
    assert (thing.__doc__ or "").strip(), f"{path} says nothing of itself"
    # A dataclass without a docstring gets its signature for one.
    assert not thing.__doc__.startswith(f"{path}(")


@pytest.mark.parametrize("path", PROPERTIES)
def test_property(path: str) -> None:
    thing = found(path)
    assert isinstance(thing, property)
    if PROPERTIES[path] is not None:
        assert (thing.fset is not None) is PROPERTIES[path]


@pytest.mark.parametrize("name", ASYNC)
def test_async(name: str) -> None:
    assert inspect.iscoroutinefunction(getattr(core.ModelOutputThunk, name))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("ImageBlock.is_valid_base64_png", staticmethod),
        ("ImageBlock.pil_to_base64", staticmethod),
        ("ImageBlock.from_pil_image", classmethod),
        ("AudioBlock.is_valid_base64_audio", staticmethod),
        ("AudioBlock.detect_format", staticmethod),
        ("AudioBlock.from_bytes", classmethod),
        ("AudioBlock.from_file", classmethod),
        ("AudioBlock.from_url", classmethod),
        ("Context.from_previous", classmethod),
        ("Context.reset_to_new", classmethod),
    ],
)
def test_kind_of_method(path: str, kind: type) -> None:
    assert isinstance(found(path), kind)


def test_generate_type() -> None:
    assert issubclass(core.GenerateType, enum.Enum)
    assert [member.name for member in core.GenerateType] == ["NONE", "ASYNC", "SYNC"]


def test_bases() -> None:
    for block in (core.ImageBlock, core.ImageUrlBlock, core.AudioBlock, core.AudioUrlBlock):
        assert issubclass(block, core.CBlock)
    assert not issubclass(core.ModelOutputThunk, core.CBlock)
    assert issubclass(core.ComputedModelOutputThunk, core.ModelOutputThunk)
    assert issubclass(core.ComponentParseError, Exception)
    assert issubclass(core.ContextTypeMismatchError, Exception)
    assert issubclass(core.FunctionTool, core.AbstractMelleaTool)
    assert issubclass(core.Message, core.Component)
    assert issubclass(core.ChatContext, core.Context)
    assert issubclass(core.SimpleContext, core.Context)


def test_span_is_a_union_of_three() -> None:
    assert typing.get_args(core.Span) == (core.Component, core.CBlock, core.ModelOutputThunk)
    assert isinstance(core.CBlock("x"), core.Span)
    assert not isinstance("x", core.Span)


def test_records_are_dataclasses_of_their_own() -> None:
    for record in (core.GenerationMetadata, core.RawProviderResponse, core.GenerateLog):
        assert record() == record()
        assert record() is not record()
        assert record(**{fields(record)[0].name: 1}) != record()


def test_type_mismatch_error_says_both_and_can_be_pickled() -> None:
    import pickle

    error = core.ContextTypeMismatchError(core.ChatContext, core.SimpleContext)
    assert error.input_type is core.ChatContext
    assert error.output_type is core.SimpleContext
    for text in ("ChatContext", "SimpleContext", "allow_context_type_change=True"):
        assert text in str(error)
    twin = pickle.loads(pickle.dumps(error))
    assert (twin.input_type, twin.output_type) == (core.ChatContext, core.SimpleContext)
    assert str(twin) == str(error)


def test_tools_are_abstract() -> None:
    with pytest.raises(TypeError, match="abstract"):
        core.AbstractMelleaTool()  # type: ignore[abstract]
    assert core.AbstractMelleaTool[[int], str]


def test_call_runs_its_tool_with_its_arguments() -> None:
    class Tool(core.AbstractMelleaTool[..., Any]):
        name = "tool"

        def run(self, /, *args: Any, **kwargs: Any) -> Any:
            return args, kwargs

        @property
        def as_json_tool(self) -> dict[str, Any]:
            return {}

    call = core.ModelToolCall("tool", Tool(), {"a": 1}, "id-1")
    assert call.call_func() == ((), {"a": 1})
    assert call.tool_call_id == "id-1"
    assert core.ModelToolCall("tool", call.func, {}).tool_call_id is None
