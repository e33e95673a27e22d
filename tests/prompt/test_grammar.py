"""The prompt grammar: cells, options, text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.errors import PromptUsageError
from dialog_ext.prompt.grammar import (
    PROMPT_OPTIONS,
    ParsedPrompt,
    PromptCell,
    prompt_text,
    split_cell,
    split_options,
    whole_text,
)


@pytest.mark.parametrize(
    ("source", "cell"),
    [
        ("%%prompt", PromptCell("", "")),
        ("%%prompt\n", PromptCell("", "")),
        ("%%prompt  a b \nbody\n", PromptCell("a b ", "body\n")),
        ("%%prompt\r\nbody", PromptCell("", "body")),
        ("# c\n\n \t\n#\n%%prompt\nx", PromptCell("", "x")),
        ("  %%prompt\nx", PromptCell("", "x")),
        ("%%prompts\nx", None),
        ("%%promptly", None),
        ("%prompt x", None),
        ("x = 1\n%%prompt\n", None),
        ("", None),
        ("# only a comment", None),
        ("'''\n%%prompt\n'''", None),
    ],
)
def test_split_cell(source: str, cell: PromptCell | None) -> None:
    assert split_cell(source) == cell


@given(st.text(), st.text(alphabet=st.characters(exclude_characters="\n\r")))
def test_any_body_comes_through(body: str, line: str) -> None:
    cell = split_cell(f"%%prompt {line}\n{body}")
    assert cell is not None
    assert cell.body == body
    assert cell.line.strip(" \t") == line.strip(" \t") or cell.line == line.lstrip(" \t")


@given(st.text())
def test_text_behind_two_dashes_is_never_read(text: str) -> None:
    assert split_options(f"-- {text}") == ([], text.lstrip())


@given(st.text())
def test_a_line_is_read_or_refused_in_words(line: str) -> None:
    refused = ""
    try:
        words, text = split_options(line)
    except PromptUsageError as error:
        refused = error.fix
    else:
        assert line.endswith(text)
        assert len("".join(words)) <= len(line)
    assert len(refused.splitlines()) <= 1


@pytest.mark.parametrize(
    ("line", "words", "text"),
    [
        ("", [], ""),
        ("don't {x}", [], "don't {x}"),
        ("-m gpt", ["-m", "gpt"], ""),
        ("-mgpt  two  spaces ", ["-m", "gpt"], "two  spaces "),
        ("--model=gpt x", ["--model", "gpt"], "x"),
        ('--system "say \\"hi\\" {x}" y', ["--system", 'say "hi" {x}'], "y"),
        ("--system 'a \"b\"' y", ["--system", 'a "b"'], "y"),
        ("--dry-run -h", ["--dry-run", "-h"], ""),
        ("-o out -m m text -o not", ["-o", "out", "-m", "m"], "text -o not"),
        ("-5 degrees", [], "-5 degrees"),
        ("- what is that", [], "- what is that"),
    ],
)
def test_options(line: str, words: list[str], text: str) -> None:
    assert split_options(line) == (words, text)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--modle x", "--modle. Did you mean --model?"),
        ("-x", "no option -x"),
        ("--dry-run=1", "--dry-run=1"),
        ("-m", "needs a value"),
        ("-m   ", "needs a value"),
        ("--system 'open", "has no end"),
        ('--system "open\\"', "has no end"),
    ],
)
def test_mistakes(line: str, says: str) -> None:
    with pytest.raises(PromptUsageError, match=r".") as caught:
        split_options(line)
    assert says in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 2


def test_prompt_text() -> None:
    assert prompt_text("x = 1") == "x = 1"
    assert prompt_text("%%prompt -m a b\nc") == "b\nc"
    assert prompt_text("%%prompt --wrong b\nc") == "--wrong b\nc"
    assert whole_text(" ", "b") == "b"
    assert whole_text("a", "\n") == "a"


def test_parameters_are_only_those_given() -> None:
    assert ParsedPrompt("x").params == {}
    assert ParsedPrompt("x", max_tokens=1, temperature=0.0).params == {
        "max_tokens": 1,
        "temperature": 0.0,
    }
    assert {o.settings.get("metavar") for o in PROMPT_OPTIONS} >= {"NAME", "TEXT", "N", "X"}
