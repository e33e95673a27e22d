"""Dialogs as Markdown: readable, and the same dialog when read back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dialog_ext.dialog import Attachment, Dialog, Message, mk_stream, prompt_output, tiny_png
from dialog_ext.notebook import NotebookError, read_ipynb
from dialog_ext.notebook.markdown import dialog_from_markdown, dialog_to_markdown

EXAMPLE = Path(__file__).parents[2] / "examples" / "first-dialog.ipynb"
TRICKY = [
    "```",
    "````python",
    "~~~",
    "<!--",
    "-->",
    "<!-- dialog note {} -->",
    "<!-- dialog end -->",
    "<!-- dialog-1 code {} -->",
    '<!-- dialog file {"name": "x"} -->',
    "> ",
    ">",
    "> **Prompt**\n>\n",
    "**Reply**\n\n",
    "\n\n---",
    "---",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "  ",
    "\x1b[31m",
    "\x00",
    "\x0b",
    "\x0c",
    "\x85",
    "\u2028",
    "\ufeff",
    "\ud800",
    "é",
    "😀",
    "    x",
    "# h",
    "\\",
    "</details>",
]
texts = st.lists(st.one_of(st.sampled_from(TRICKY), st.text(max_size=6)), max_size=6).map("".join)
fields = st.one_of(texts, texts.map(lambda text: text.splitlines(keepends=True)))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
metas = st.dictionaries(
    st.one_of(st.sampled_from(["skipped", "pinned", "tags"]), texts), values, max_size=2
)
mimes = st.sampled_from(
    ["text/plain", "text/markdown", "text/html", "image/png", "application/json"]
)
bundles = st.dictionaries(mimes, st.one_of(fields, values), max_size=3)
outputs = st.one_of(
    st.fixed_dictionaries(
        {"output_type": st.just("stream"), "name": st.sampled_from(["stdout"]), "text": fields}
    ),
    st.fixed_dictionaries(
        {
            "output_type": st.sampled_from(["display_data", "execute_result"]),
            "data": bundles,
            "metadata": st.one_of(st.just({"is_ai_res": True}), metas),
        }
    ),
    st.fixed_dictionaries(
        {
            "output_type": st.just("error"),
            "ename": texts,
            "evalue": texts,
            "traceback": st.lists(texts, max_size=2),
        }
    ),
    texts.map(lambda text: prompt_output(text or "x")[0]),
)
# an empty id would be drawn anew
ids = texts.map("i".__add__)
attachments = st.builds(Attachment, st.binary(max_size=9), st.just("image/png"), ids)


@st.composite
def messages(draw: Any) -> Message:
    kind = draw(st.sampled_from(["note", "code", "prompt", "raw"]))
    return Message(
        draw(texts),
        id=draw(texts),
        msg_type=kind,
        output=draw(st.lists(outputs, max_size=3)) if kind in ("code", "prompt") else "",
        meta=draw(metas),
        attachments=draw(st.lists(attachments, max_size=2)),
    )


dialogs = st.builds(Dialog, texts, st.lists(messages(), max_size=4), meta=metas)


def plain(dialog: Dialog) -> Any:
    """All of a dialog, with types, floats and the order of keys told apart."""
    return repr(dialog.todict())


def one(content: str, kind: str = "note", **more: Any) -> Dialog:
    return Dialog("d", [Message(content, id="a", msg_type=kind, **more)])


@given(dialogs)
@example(one("\n"))
@example(one("", "code"))
@example(one("\n", "raw"))
@example(one("a\n\n", "prompt", output="half ```\n````\n"))
@example(one("a\n\n---", "prompt", output="b\n\n---"))
@example(one("a\r\nb\rc"))
def test_it_comes_back_as_the_same_dialog(dialog: Dialog) -> None:
    text = dialog_to_markdown(dialog)
    again = dialog_from_markdown(text)
    assert plain(again) == plain(dialog)
    assert dialog_to_markdown(again) == text


@given(dialogs)
def test_it_survives_files_and_line_ends(dialog: Dialog) -> None:
    text = dialog_to_markdown(dialog)
    assert "\r" not in text
    assert text.endswith(" end -->\n")
    read = text.encode().decode().replace("\n", "\r\n")
    assert plain(dialog_from_markdown("\ufeff" + read)) == plain(dialog)


@given(dialogs)
def test_comments_end_where_they_should(dialog: Dialog) -> None:
    lines = dialog_to_markdown(dialog).split("\n")
    mark = re.match(r"<!-- (dialog\S*) ", lines[0])
    assert mark
    for line in lines:
        if line.startswith(f"<!-- {mark[1]} "):
            assert line.index("-->") == len(line) - 3


def test_what_it_looks_like() -> None:
    dialog = Dialog("d", meta={"language_info": {"name": "python"}})
    dialog.mk_message("# Title\n\nA *note*.", msg_type="note", id="n1", meta={"pinned": True})
    code = dialog.mk_message("print('a')\nprint('```')", id="c1")
    code.add_output(mk_stream("a\n```\n"))
    dialog.mk_message("Why?\n\nReally?", msg_type="prompt", output="Because.", id="p1")
    reply = (
        '{"output": {"output_type": "display_data", "metadata": {"is_ai_res": true}, '
        '"data": {"text/markdown": ""}}, "shown": [["data", "text/markdown"]]}'
    )
    assert dialog_to_markdown(dialog) == (
        '<!-- dialog file {"name": "d", "meta": {"language_info": {"name": "python"}}} -->\n\n'
        '<!-- dialog note {"id": "n1", "meta": {"pinned": true}} -->\n\n'
        "# Title\n\nA *note*.\n\n"
        '<!-- dialog code {"id": "c1"} -->\n\n'
        "````python\nprint('a')\nprint('```')\n````\n\n"
        '<!-- dialog output {"output": {"output_type": "stream", "name": "stdout", "text": ""}, '
        '"shown": [["text"]], "newline": true} -->\n\n'
        "````text\na\n```\n````\n\n"
        '<!-- dialog prompt {"id": "p1"} -->\n\n'
        "> **Prompt**\n>\n> Why?\n>\n> Really?\n\n"
        f"<!-- dialog reply {reply} -->\n\n"
        "**Reply**\n\nBecause.\n\n---\n\n"
        "<!-- dialog end -->\n"
    )


def test_the_example_notebook() -> None:
    dialog = read_ipynb(EXAMPLE)
    again = dialog_from_markdown(dialog_to_markdown(dialog))
    assert again == dialog
    assert len(again) > 5


def test_a_picture_stays_in_the_mark() -> None:
    data = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure size 640x480>"}
    figure = {"output_type": "display_data", "data": data, "metadata": {}}
    text = dialog_to_markdown(one("plot()", "code", output=[figure]))
    assert "```text\n<Figure size 640x480>\n```" in text
    assert dialog_from_markdown(text).messages[0].output == [figure]
    bare = {"output_type": "display_data", "data": {"image/png": "iVBO"}, "metadata": {}}
    text = dialog_to_markdown(one("plot()", "code", output=[bare]))
    assert "```text\n[image/png]\n```" in text


def test_colours_and_progress_bars_are_shown_without_their_codes() -> None:
    printed = "10 %\r20 %\r\x1b[32m30 %\x1b[0m\n"
    stream = {"output_type": "stream", "name": "stdout", "text": printed}
    text = dialog_to_markdown(one("go()", "code", output=[stream]))
    assert "```text\n30 %\n```" in text
    assert "\x1b" not in text
    assert dialog_from_markdown(text).messages[0].output == [stream]


@pytest.mark.parametrize("kind", ["note", "prompt"])
def test_an_open_fence_swallows_nothing(kind: str) -> None:
    broken = "see\n```python\nx = 1"
    dialog = one(broken) if kind == "note" else one("?", "prompt", output=broken)
    text = dialog_to_markdown(dialog)
    assert f"````markdown\n{broken}\n````" in text
    closed = broken + "\n```"
    dialog = one(closed) if kind == "note" else one("?", "prompt", output=closed)
    assert "````" not in dialog_to_markdown(dialog)


@pytest.mark.parametrize(
    ("old", "new"),
    [("A *note*.", "Another."), ("x = 1", "x = 2\n\ny"), ("Why?", "How?"), ("Because.", "So.")],
)
def test_what_is_shown_may_be_edited(old: str, new: str) -> None:
    dialog = one("A *note*.\rx")
    dialog.mk_message("x = 1", id="b")
    dialog.mk_message("Why?", msg_type="prompt", id="c", output="Because.")
    text = dialog_to_markdown(dialog)
    assert text.count(old) == 1 or old == "A *note*."
    at = text.rindex(old)
    again = dialog_from_markdown(text[:at] + new + text[at + len(old) :])
    note, code, prompt = again.messages
    expected = {
        "A *note*.": "Another.\nx",
        "x = 1": "x = 1",
        "Why?": "Why?",
        "Because.": "Because.",
    }
    expected[old] = "Another.\nx" if old == "A *note*." else new
    if old != "A *note*.":
        expected["A *note*."] = "A *note*.\rx"
    assert [note.content, code.content, prompt.content, prompt.ai_res] == list(expected.values())


def test_attachments_and_the_language() -> None:
    dialog = one("![x](attachment:x.png)", attachments=[Attachment(tiny_png, "image/png", "x.png")])
    dialog.mk_message("1 + 1")
    dialog.meta["kernelspec"] = {"language": "julia"}
    text = dialog_to_markdown(dialog)
    assert "```julia\n1 + 1\n```" in text
    assert dialog_from_markdown(text) == dialog
    dialog.meta["kernelspec"] = {"language": "```\nevil"}
    assert "```python\n1 + 1\n```" in dialog_to_markdown(dialog)


FILE = '<!-- dialog file {"name": "d"} -->\n\n'
END = "<!-- dialog end -->\n"


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("", "no dialog", 1),
        ("# Just a page\n", "no dialog", 1),
        ('<!-- dialog file {"name": } -->\n' + END, "line 1 is broken", 1),
        (FILE, "end mark, is missing", None),
        (FILE + '<!-- dialog note {"id": "a"} -->\n\nhalf', "end mark, is missing", None),
        (FILE + "<!-- dialog note {oops} -->\n\nx\n\n" + END, "line 3 is broken", 3),
        (FILE + "<!-- dialog note\n\nx\n\n" + END, "line 3 is broken", 3),
        (FILE + "stray\n\n" + END, "line 3 belongs to no message", 3),
        (FILE + END + "\nstray\n", "line 5 belongs to no message", 5),
        (FILE + "<!-- dialog note x\n\nx\n\n" + END, "line 3 is broken", 3),
        (FILE + "<!-- dialog poem {} -->\n\nx\n\n" + END, "no kind 'poem'", 3),
        (FILE + '<!-- dialog output {"output": {}} -->\n\n' + END, "line 3 is broken", 3),
        (FILE + "<!-- dialog code {} -->\n\nx = 1\n\n" + END, "one fence", 3),
        (FILE + "<!-- dialog code {} -->\n\n```\nx\n```\n\nstray\n\n" + END, "one fence", 3),
        (FILE + '<!-- dialog note {"meta": 5} -->\n\nx\n\n' + END, "line 3 is broken", 3),
        (FILE + '<!-- dialog note {"content": 5} -->\n\nx\n\n' + END, "line 3 is broken", 3),
    ],
)
def test_what_cannot_be_read(text: str, says: str, line: int | None) -> None:
    with pytest.raises(NotebookError) as caught:
        dialog_from_markdown(text)
    assert says in str(caught.value)
    assert caught.value.line == line
    assert len(str(caught.value).splitlines()) <= 2


def test_what_cannot_be_written() -> None:
    with pytest.raises(NotebookError, match="note 'a' cannot be written"):
        dialog_to_markdown(one("x", meta={"what": object()}))


def test_shown_text_stands_there_once() -> None:
    printed = "".join(f"line {n}\n" for n in range(1000))
    text = dialog_to_markdown(one("go()", "code", output=[mk(printed)]))
    assert text.count("line 777") == 1
    assert len(text) < len(json.dumps(printed)) + 500


def mk(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
