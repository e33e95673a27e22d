"""The reference, name by name and example by example."""

from __future__ import annotations

import collections.abc
import doctest
import inspect
import sys
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import dialog_ext.history
import dialog_ext.history.history
from dialog_ext.history import LLMContentTyping, LLMHistory, LLMRoleTyping, create_llm_message

SIGNATURES: list[tuple[Any, str, str]] = [
    (LLMHistory, "__init__", "(self, history=None)"),
    (LLMHistory, "__eq__", "(self, other)"),
    (LLMHistory, "__getitem__", "(self, index)"),
    (LLMHistory, "__hash__", "(self)"),
    (LLMHistory, "__len__", "(self)"),
    (LLMHistory, "clone", "(self)"),
    (LLMHistory, "dump_json", "(self, file, **params)"),
    (LLMHistory, "dump_yaml", "(self, file, **params)"),
    (LLMHistory, "load_json", "(file)"),
    (LLMHistory, "load_yaml", "(file)"),
    (LLMHistory, "to_json", "(self)"),
    (LLMHistory, "with_assistant_message", "(self, message)"),
    (
        LLMHistory,
        "with_message",
        "(self, role, message, *, tool_calls=None, name=None, tool_call_id=None)",
    ),
    (LLMHistory, "with_system_prompt", "(self, message)"),
    (LLMHistory, "with_user_message", "(self, message)"),
    (dialog_ext.history, "create_llm_message", "(message, role='user')"),
]


def bare_signature(function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    parameters = [
        p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize(("owner", "name", "expected"), SIGNATURES)
def test_signature(owner: Any, name: str, expected: str) -> None:
    assert bare_signature(getattr(owner, name)) == expected


@pytest.mark.parametrize(
    ("owner", "name"), [(owner, name) for owner, name, _ in SIGNATURES if name != "__init__"]
)
def test_docstring(owner: Any, name: str) -> None:
    assert (getattr(owner, name).__doc__ or "").strip()


def test_both_paths_have_all_names() -> None:
    for name in ("LLMHistory", "create_llm_message", "LLMRoleTyping", "LLMContentTyping"):
        for module in (dialog_ext.history, dialog_ext.history.history):
            assert name in module.__all__
        assert getattr(dialog_ext.history, name) == getattr(dialog_ext.history.history, name)
    assert LLMHistory.__doc__
    for module in (dialog_ext.history, dialog_ext.history.history, dialog_ext.history.message):
        assert module.__doc__
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            module.nothing  # noqa: B018 - looking it up is the test


def test_aliases() -> None:
    assert typing.get_args(LLMRoleTyping) == ("system", "user", "assistant", "tool", "function")
    text, image, parts = typing.get_args(LLMContentTyping)
    assert (text, image) == (str, Image.Image)
    assert typing.get_origin(parts) is list
    assert typing.get_args(typing.get_args(parts)[0]) == (str, Image.Image)


def test_is_a_sequence() -> None:
    assert issubclass(LLMHistory, collections.abc.Sequence)


EXAMPLES = {
    "module": (
        """
>>> from hbllmutils.history.history import LLMHistory, create_llm_message
>>> history = LLMHistory().with_user_message("Hello!")
>>> history = history.with_assistant_message("Hi there.")
>>> len(history)
2
>>> history[0]["role"]
'user'
>>> msg = create_llm_message(["Text", "More text"])
>>> msg["role"]
'user'
""",
        7,
    ),
    "LLMHistory": (
        """
>>> history = LLMHistory()
>>> history = history.with_user_message("Hello!")
>>> history = history.with_assistant_message("Hi there!")
>>> len(history)
2
>>> history[0]
{'role': 'user', 'content': 'Hello!'}
""",
        5,
    ),
    "__eq__": (
        """
>>> history1 = LLMHistory().with_user_message("Hello!")
>>> history2 = LLMHistory().with_user_message("Hello!")
>>> history1 == history2
True
""",
        3,
    ),
    "__getitem__": (
        """
>>> history = LLMHistory().with_user_message("Hello!")
>>> history[0]
{'role': 'user', 'content': 'Hello!'}
>>> history[0:1]
<LLMHistory object with 1 message>
""",
        3,
    ),
    "__hash__": (
        """
>>> history1 = LLMHistory().with_user_message("Hello!")
>>> history2 = LLMHistory().with_user_message("Hello!")
>>> hash(history1) == hash(history2)
True
>>> history_set = {history1, history2}
>>> len(history_set)
1
""",
        5,
    ),
    "__len__": (
        """
>>> history = LLMHistory()
>>> len(history)
0
>>> history = history.with_user_message("Hello!")
>>> len(history)
1
""",
        4,
    ),
    "clone": (
        """
>>> history = LLMHistory()
>>> history = history.with_user_message("Hello!")
>>> cloned = history.clone()
>>> cloned = cloned.with_user_message("Another message")
>>> len(history)
1
>>> len(cloned)
2
""",
        6,
    ),
    "dump_json": (
        """
>>> history = LLMHistory()
>>> history = history.with_user_message("Hello!")
>>> history.dump_json("conversation.json", indent=2)
""",
        3,
    ),
    "dump_yaml": (
        """
>>> history = LLMHistory()
>>> history = history.with_user_message("Hello!")
>>> history.dump_yaml("conversation.yaml", default_flow_style=False)
""",
        3,
    ),
    "load_json": (
        """
>>> history = LLMHistory.load_json("conversation.json")
>>> len(history)
1
""",
        2,
    ),
    "load_yaml": (
        """
>>> history = LLMHistory.load_yaml("conversation.yaml")
>>> len(history)
1
""",
        2,
    ),
    "to_json": (
        """
>>> history = LLMHistory()
>>> history = history.with_user_message("Hello!")
>>> history.to_json()
[{'role': 'user', 'content': 'Hello!'}]
""",
        3,
    ),
    "with_assistant_message": (
        """
>>> history = LLMHistory()
>>> new_history = history.with_assistant_message("How can I help you?")
>>> new_history[0]["role"]
'assistant'
""",
        3,
    ),
    "with_message": (
        """
>>> history = LLMHistory()
>>> new_history = history.with_message("user", "Hello!")
>>> len(history)
0
>>> len(new_history)
1
""",
        4,
    ),
    "with_system_prompt": (
        """
>>> history = LLMHistory()
>>> new_history = history.with_system_prompt("You are a helpful assistant.")
>>> new_history[0]["role"]
'system'
>>> new_history[0]["content"]
'You are a helpful assistant.'
""",
        4,
    ),
    "with_user_message": (
        """
>>> history = LLMHistory()
>>> new_history = history.with_user_message("Hello!")
>>> new_history[0]["role"]
'user'
""",
        3,
    ),
    "create_llm_message": (
        """
>>> create_llm_message("Hello, world!")
{'role': 'user', 'content': 'Hello, world!'}

>>> # Mixed content: text plus an image instance
>>> create_llm_message(["Text message", Image.new("RGB", (10, 10))], role="assistant")
{'role': 'assistant', 'content': [{'type': 'text', 'text': 'Text message'}, {'type': 'image_url', 'image_url': '...'}]}
""",  # noqa: E501 - word for word
        2,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The examples import by the name that the reference documents.
    for path, module in (
        ("hbllmutils", types.ModuleType("hbllmutils")),
        ("hbllmutils.history", dialog_ext.history),
        ("hbllmutils.history.history", dialog_ext.history.history),
    ):
        monkeypatch.setitem(sys.modules, path, module)
    monkeypatch.chdir(tmp_path)
    LLMHistory().with_user_message("Hello!").dump_json("conversation.json")
    LLMHistory().with_user_message("Hello!").dump_yaml("conversation.yaml")
    text, steps = EXAMPLES[name]
    names = {
        "LLMHistory": LLMHistory,
        "create_llm_message": create_llm_message,
        "Image": Image,
    }
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    result = runner.run(test)
    assert result.failed == 0
    assert result.attempted == steps


@pytest.mark.parametrize("module", ["history", "message"])
def test_own_examples(module: str) -> None:
    result = doctest.testmod(__import__(f"dialog_ext.history.{module}", fromlist=["_"]))
    assert result.failed == 0
    assert result.attempted > 0


@pytest.mark.parametrize("part", ["dialog_ext.history", "dialog_ext.history.history"])
def test_import_is_light(part: str) -> None:
    import subprocess

    code = (
        "import typing, asyncio, json, sys\nbefore = len(sys.modules)\n"
        f"import {part} as part\nprint(len(sys.modules) - before)\n"
        "part.LLMHistory().with_user_message(['a', 'b']).to_json()\n"
        "print({'PIL', 'yaml', 'jieba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    count, heavy = done.stdout.splitlines()
    assert int(count) <= 60
    assert heavy == "set()"
    assert done.stderr == ""
