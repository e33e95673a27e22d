"""Outputs as text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.prompt.render import (
    clean,
    code_block,
    cut,
    fenced,
    output_text,
    pictures,
    sendable,
)


def display(**data: object) -> dict[str, object]:
    names = {name.replace("_", "/"): value for name, value in data.items()}
    return {"output_type": "display_data", "data": names, "metadata": {}}


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("10%\r20%\r30%\n", "30%\n"),
        ("10%\r", "10%"),
        ("\r 10%\r 20%", " 20%"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\ud800b", "a\ufffdb"),
        ("😀", "😀"),
    ],
)
def test_clean(raw: str, plain: str) -> None:
    assert clean(raw) == plain


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_whatever_is_sent_can_be_encoded(text: str) -> None:
    sendable(text).encode()
    clean(text).encode()


@given(st.text(alphabet="`ab\n", max_size=60))
def test_a_fence_is_longer_than_any_inside(text: str) -> None:
    first, _, rest = fenced(text).partition("\n")
    assert set(first) == {"`"}
    inside = rest[: rest.rindex(first)]
    assert all(len(run) < len(first) for run in re.findall("`+", inside) if len(run) > 2)


def test_cut_keeps_head_and_tail_and_says_how_much_is_missing() -> None:
    text = "a" * 600 + "b" * 600
    short = cut(text, 1000)
    assert short.startswith("a" * 600 + "\n[… 200 characters left out …]\n")
    assert short.endswith("b" * 400)
    assert cut(text, 1200) == text


@given(st.text(max_size=300), st.integers(5, 100))
def test_cut_never_loses_more_than_it_says(text: str, limit: int) -> None:
    short = cut(text, limit)
    if len(text) > limit:
        missing = int(re.search(r"… ([\d,]+) characters", short)[1].replace(",", ""))
        assert missing == len(text) - limit
    else:
        assert short == text


def test_best_text_form() -> None:
    assert output_text(display(text_plain="p", text_markdown="m", text_html="h")) == (
        "Output:",
        "m",
    )
    assert output_text(display(text_plain=["a\n", "b"])) == ("Output:", "a\nb")
    assert output_text(display(image_png="x", text_plain="<Figure>")) == ("Output:", "")
    assert output_text({"output_type": "unheard of"}) == ("Output:", "")


def test_an_error_by_its_last_lines() -> None:
    lines = [f"line {n}" for n in range(50)]
    label, text = output_text(
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": lines}
    )
    assert label == "Error:"
    assert text.splitlines() == ["[… 20 lines above …]", *lines[20:]]
    assert output_text({"output_type": "error", "ename": "E", "evalue": "v"}) == ("Error:", "E: v")


def test_code_block() -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": "a\n"}
    error = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["tb"]}
    assert code_block("x", [stream, display(text_plain="b"), error]) == (
        "Code:\n```python\nx\n```\n\nOutput:\n```\na\nb\n```\n\nError:\n```\ntb\n```"
    )
    assert code_block("x", []) == "Code:\n```python\nx\n```"


def test_pictures_each_once() -> None:
    assert pictures(
        [display(image_png="A A\n"), display(image_jpeg="B"), display(image_png="AA")]
    ) == [
        "AA",
        "B",
    ]
