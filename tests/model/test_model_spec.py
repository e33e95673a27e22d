"""The reference, name by name and example by example."""

from __future__ import annotations

import doctest
import inspect
import typing
from collections.abc import Callable
from typing import Any

import pytest

import dialog_ext.model
import dialog_ext.model.fake
from dialog_ext.model import LLMModel, ResponseStream
from dialog_ext.model.fake import (
    FakeLLMModel,
    FakeResponseSequence,
    FakeResponseStream,
    FakeResponseTyping,
)

R = "---------------------------reasoning---------------------------"
C = "---------------------------content---------------------------"

SIGNATURES = [
    (FakeResponseSequence, "__init__", "(self, responses, index=0)"),
    (FakeResponseSequence, "__eq__", "(self, other)"),
    (FakeResponseSequence, "__hash__", "(self)"),
    (FakeResponseSequence, "__repr__", "(self)"),
    (FakeResponseSequence, "advance", "(self)"),
    (FakeResponseSequence, "reset", "(self)"),
    (FakeResponseSequence, "response", "(self, messages, **params)"),
    (FakeResponseSequence, "rule_check", "(self, messages, **params)"),
    (
        FakeResponseStream,
        "__init__",
        f"(self, session, with_reasoning=False, reasoning_splitter='{R}', content_splitter='{C}')",
    ),
    (FakeLLMModel, "__init__", "(self, stream_wps=50, rules=None)"),
    (FakeLLMModel, "__delattr__", "(self, name)"),
    (FakeLLMModel, "__setattr__", "(self, name, value)"),
    (FakeLLMModel, "__repr__", "(self)"),
    (FakeLLMModel, "ask", "(self, messages, with_reasoning=False, **params)"),
    (FakeLLMModel, "ask_stream", "(self, messages, with_reasoning=False, **params)"),
    (FakeLLMModel, "clear_rules", "(self)"),
    (FakeLLMModel, "response_always", "(self, response)"),
    (FakeLLMModel, "response_sequence", "(self, responses)"),
    (FakeLLMModel, "response_when", "(self, fn_when, response)"),
    (FakeLLMModel, "response_when_keyword_in_last_message", "(self, keywords, response)"),
    (FakeLLMModel, "with_stream_wps", "(self, stream_wps)"),
    (LLMModel, "ask", "(self, messages, with_reasoning=False, **params)"),
    (LLMModel, "ask_stream", "(self, messages, with_reasoning=False, **params)"),
    (ResponseStream, "__iter__", "(self)"),
    (ResponseStream, "close", "(self)"),
]

PROPERTIES = [
    (FakeResponseSequence, "current_index"),
    (FakeResponseSequence, "has_more_responses"),
    (FakeResponseSequence, "total_responses"),
    (FakeLLMModel, "rules_count"),
    (FakeLLMModel, "stream_wps"),
    (ResponseStream, "is_entered"),
    (ResponseStream, "is_ended"),
    (ResponseStream, "content"),
    (ResponseStream, "reasoning_content"),
    (ResponseStream, "usage"),
    (ResponseStream, "finish_reason"),
]


def bare_signature(function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    parameters = [
        p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize(("owner", "name", "expected"), SIGNATURES)
def test_signature(owner: type, name: str, expected: str) -> None:
    assert bare_signature(getattr(owner, name)) == expected


@pytest.mark.parametrize(
    ("owner", "name"),
    [(owner, name) for owner, name, _ in SIGNATURES if name != "__init__"] + PROPERTIES,
)
def test_docstring(owner: type, name: str) -> None:
    assert (getattr(owner, name).__doc__ or "").strip()


@pytest.mark.parametrize(("owner", "name"), PROPERTIES)
def test_property_cannot_be_set(owner: type, name: str) -> None:
    prop = inspect.getattr_static(owner, name)
    assert isinstance(prop, property)
    assert prop.fset is None


@pytest.mark.parametrize("module", [dialog_ext.model, dialog_ext.model.fake])
def test_everything_named_is_there_and_documented(module: Any) -> None:
    assert (module.__doc__ or "").strip()
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing):
            assert (thing.__doc__ or "").strip(), name


def test_the_alias() -> None:
    text, pair, function = typing.get_args(FakeResponseTyping)
    assert text is str
    assert (typing.get_origin(pair), typing.get_args(pair)) == (tuple, (str, str))
    anything, answer = typing.get_args(function)
    assert anything is ...
    assert typing.get_args(answer) == (str, pair)


def test_module_paths() -> None:
    assert dialog_ext.model.base.LLMModel is LLMModel
    assert dialog_ext.model.stream.ResponseStream is ResponseStream
    for name in ("FakeLLMModel", "FakeResponseSequence", "FakeResponseStream"):
        assert getattr(dialog_ext.model, name) is getattr(dialog_ext.model.fake, name)
    assert issubclass(FakeLLMModel, LLMModel)
    assert issubclass(FakeResponseStream, ResponseStream)
    assert LLMModel.__abstractmethods__ == {"ask", "ask_stream"}


EXAMPLES = {
    "module": (
        """
>>> model = FakeLLMModel(stream_wps=20)
>>> model = model.response_when_keyword_in_last_message(
...     ["weather", "temperature"],
...     ("thinking...", "It's sunny today!")
... )
>>> model.ask([{"role": "user", "content": "What's the weather?"}])
"It's sunny today!"

>>> seq_model = model.response_sequence(["First", "Second"])
>>> seq_model.ask([{"role": "user", "content": "next"}])
'First'
""",
        5,
    ),
    "FakeResponseSequence": (
        """
>>> sequence = FakeResponseSequence(["A", ("thinking", "B")])
>>> sequence.response([{"role": "user", "content": "hi"}])
('', 'A')
>>> sequence.advance().response([{"role": "user", "content": "hi"}])
('thinking', 'B')
""",
        3,
    ),
    "FakeLLMModel": (
        """
>>> model = FakeLLMModel(stream_wps=50)
>>> model_with_rule = model.response_when_keyword_in_last_message("weather", "It's sunny today!")
>>> response = model_with_rule.ask([{"role": "user", "content": "What's the weather?"}])
>>> print(response)
It's sunny today!

>>> final_model = model_with_rule.response_always("Hello, I'm a fake LLM!")
>>> response = final_model.ask([{"role": "user", "content": "Hi"}])
>>> print(response)
Hello, I'm a fake LLM!
""",
        7,
    ),
    "repr": (
        """
>>> model = FakeLLMModel(stream_wps=100).response_always("Hello")
>>> repr(model)
'FakeLLMModel(stream_wps=100, rules_count=1)'
""",
        2,
    ),
    "ask": (
        """
>>> model = FakeLLMModel().response_always(("thinking...", "final answer"))
>>> model.ask([{"role": "user", "content": "test"}])
'final answer'
>>> model.ask([{"role": "user", "content": "test"}], with_reasoning=True)
('thinking...', 'final answer')
""",
        3,
    ),
    "ask_stream": (
        """
>>> model = FakeLLMModel(stream_wps=10).response_always("Hello world")
>>> stream = model.ask_stream([{"role": "user", "content": "Hi"}])
>>> for chunk in stream:
...     print(chunk, end='', flush=True)
Hello world
""",
        3,
    ),
    "clear_rules": (
        """
>>> model = FakeLLMModel().response_always("Hello")
>>> model.rules_count
1
>>> clean_model = model.clear_rules()
>>> clean_model.rules_count
0
""",
        4,
    ),
    "response_always": (
        """
>>> model = FakeLLMModel()
>>> new_model = model.response_always("Default response")
>>> new_model.ask([{"role": "user", "content": "anything"}])
'Default response'
>>> model.rules_count  # Original unchanged
0
>>> new_model.rules_count
1
""",
        5,
    ),
    "response_sequence": (
        """
>>> model = FakeLLMModel()
>>> seq_model = model.response_sequence([
...     "First response",
...     ("thinking about second", "Second response"),
...     "Third response"
... ])
>>> seq_model.ask([{"role": "user", "content": "test1"}])
'First response'
>>> seq_model.ask([{"role": "user", "content": "test2"}])
'Second response'
>>> seq_model.ask([{"role": "user", "content": "test3"}])
'Third response'
""",
        5,
    ),
    "response_when": (
        """
>>> model = FakeLLMModel()
>>> new_model = model.response_when(
...     lambda messages, **params: len(messages) > 2,
...     "Long conversation response"
... )
""",
        2,
    ),
    "response_when_keyword_in_last_message": (
        """
>>> model = FakeLLMModel()
>>> new_model = model.response_when_keyword_in_last_message(
...     ["weather", "temperature"],
...     "It's 25 degrees and sunny!"
... )
>>> new_model.ask([{"role": "user", "content": "What's the weather?"}])
"It's 25 degrees and sunny!"
""",
        3,
    ),
    "with_stream_wps": (
        """
>>> model = FakeLLMModel(stream_wps=50)
>>> fast_model = model.with_stream_wps(100)
>>> fast_model.stream_wps
100
>>> model.stream_wps  # Original unchanged
50
""",
        4,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    text, steps = EXAMPLES[name]
    names = {"FakeLLMModel": FakeLLMModel, "FakeResponseSequence": FakeResponseSequence}
    runner = doctest.DocTestRunner(verbose=False)
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    result = runner.run(test)
    assert (result.failed, result.attempted) == (0, steps)


@pytest.mark.parametrize("module", ["stream", "fake.sequence", "fake.stream", "fake.model"])
def test_own_examples(module: str) -> None:
    result = doctest.testmod(__import__(f"dialog_ext.model.{module}", fromlist=["_"]))
    assert result.failed == 0
    assert result.attempted > 0
