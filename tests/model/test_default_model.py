"""The offline model that a session starts with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext import labels
from dialog_ext.model.default import default_model, text_of
from dialog_ext.model.registry import DEFAULT_MODEL, load_model, model_names
from dialog_ext.prompt.render import code_block

STREAM = {"output_type": "stream", "name": "stdout", "text": "first\nlast line\n"}
ERROR = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["E: v"]}


def user(text: object) -> dict[str, object]:
    return {"role": "user", "content": text}


NOTEBOOK = [
    {"role": "system", "content": "s"},
    user(f"{labels.NOTE}\n# Title"),
    user(code_block("import os\nx = [1, 2]\nprint(x)", [STREAM])),
    user(code_block("def f(a, b): ...", [])),
    user("earlier"),
    {"role": "assistant", "content": "reply"},
]


def ask(text: str, above: list = NOTEBOOK) -> str:
    return default_model().ask([*above, user(text)])


def test_it_greets_and_says_what_it_was_given() -> None:
    said = ask("Hello there!")
    assert said.startswith("Hello!")
    assert "1 note" in said
    assert "2 code cells" in said
    assert "1 prompt" in said
    assert "1 reply" in said
    assert "≈ " in said
    assert "2 replies" in ask("hi", [*NOTEBOOK, *NOTEBOOK])
    assert "`last line`" in said
    assert ask("hi", []).startswith("Hello!")
    assert "no other cell" in ask("hey", [])


def test_it_greets_in_chinese() -> None:
    assert ask("你好，世界").startswith("你好，世界！")


def test_it_repeats_the_last_output() -> None:
    assert "first\nlast line" in ask("What was the last output?")
    above = [*NOTEBOOK, user(code_block("1/0", [ERROR]))]
    assert "The last error that I see:\n\n```\nE: v\n```" in ask("the last error", above)
    assert "no output yet" in ask("last output", [])


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        ("explain print({'foo': 'bar'})", "calls `print`"),
        ("explain `for i in r: pass`", "goes through `r`"),
        ("Explain this:\n```python\nclass A: pass\n```", "defines the class `A`"),
        ("explain the code above", "defines the function `f(a, b)`"),
    ],
)
def test_it_explains_code_by_its_structure(prompt: str, says: str) -> None:
    assert says in ask(prompt)


def test_it_says_how_to_set_a_real_model() -> None:
    assert "%dialog model" in ask("How do I set a real model?")


def test_pictures_are_no_hindrance() -> None:
    parts = [{"type": "text", "text": "Hello"}, {"type": "image_url", "image_url": "data:x"}]
    assert default_model().ask([user(parts)]).startswith("Hello!")
    assert text_of({"role": "assistant", "content": None}) == ""


@given(st.text(max_size=80))
def test_any_prompt_is_answered_and_always_alike(prompt: str) -> None:
    first = ask(prompt)
    assert first
    assert ask(prompt) == first
    assert ask(f"explain {prompt}")


def test_its_stream_is_its_answer() -> None:
    model = default_model().with_stream_wps(1e6)
    messages = [user("你好，世界")]
    pieces = list(model.ask_stream(messages))
    assert len(pieces) > 5
    assert "".join(pieces) == model.ask(messages)
    assert model.name == DEFAULT_MODEL


def test_registry() -> None:
    assert model_names() == ("fake",)
    assert load_model("fake") == default_model()
    with pytest.raises(KeyError):
        load_model("other")
