"""After any edits a file holds the dialog as it is, and cells that were not edited verbatim."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.dialog import Dialog, Message, mk_stream, smsg_types
from dialog_ext.notebook import reads_ipynb, writes_ipynb
from dialog_ext.notebook.magic import split_cell

FILES = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@cache
def text_of(path: Path) -> str:
    return path.read_bytes().decode()


texts = st.text("ab \n\r%'\"\\{é😀\u2028\ud800", max_size=8) | st.sampled_from(
    ["%%prompt\nx", "-m fake", "x\n##### 🤖Reply🤖<!-- SOLVEIT_SEPARATOR_7f3a9b2c -->\ny"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
displays = st.builds(
    lambda mime, value, meta: {
        "output_type": "display_data", "data": {mime: value}, "metadata": meta
    },
    st.sampled_from(["text/plain", "image/png", "application/json"]),
    texts,
    st.dictionaries(st.sampled_from(["is_ai_res", "x"]), st.just(True), max_size=1),
)  # fmt: skip
edits = st.lists(
    st.tuples(
        st.sampled_from(
            ["content", "output", "meta", "type", "remove", "insert", "move", "attach", "detach",
             "id", "paste", "grow"]
        ),
        st.integers(0, 9),
        texts,
        st.lists(displays, max_size=2),
        st.dictionaries(texts, values, max_size=2),
        st.sampled_from(smsg_types),
    ),
    min_size=1,
    max_size=5,
)  # fmt: skip


def edit(dialog: Dialog, what: str, at: int, text: str, outputs: Any, meta: Any, kind: str) -> Any:
    """Edit a dialog; the messages that were touched."""
    messages = dialog.messages
    if what == "insert" or not messages:
        has = kind in ("code", "prompt")
        output = outputs if has else ""
        at = min(at, len(messages))
        return [dialog.mk_message(text, at, msg_type=kind, output=output, meta=meta)]
    message = messages[at % len(messages)]
    if what == "content":
        message.content = text
    elif what == "output" and message.msg_type in ("code", "prompt"):
        message.output = outputs
    elif what == "grow" and message.msg_type in ("code", "prompt"):
        message.add_output(mk_stream(text))
    elif what == "meta":
        message.meta.update(meta)
    elif what == "type":
        message.msg_type = kind
    elif what == "remove":
        dialog.remove_msgs([message])
    elif what == "move":
        messages[0].insert_after(message)
        return []
    elif what == "attach":
        message.mk_attachment(text.encode("utf-8", "replace"), "image/png")
    elif what == "detach":
        message.attachments.clear()
    elif what == "id":
        message.id = f"new-{at}-{len(messages)}"
    elif what == "paste":
        return dialog.mk_messages([message])
    return [message]


def told(message: Message) -> Any:
    """What a file can hold of a message, in one form."""
    outputs = []
    for output in message.output or []:
        data = {k: "".join(v) if isinstance(v, list) else v for k, v in output.items()
                if k in ("text", "traceback")}  # fmt: skip
        shown = {
            mime: "".join(value) if isinstance(value, list) else value
            for mime, value in output.get("data", {}).items()
        }
        outputs.append({**output, **data, **({"data": shown} if shown else {})})
    meta = {key: value for key, value in message.meta.items() if key not in ("solveit_ai", "id")}
    parts = sorted((a.id, a.content_type, a.data) for a in message.attachments)
    kind, content = message.msg_type, message.content
    if kind == "code" and split_cell(content) is not None:
        kind, content = "prompt", None  # as such it is read
    elif kind == "prompt" and not content.strip():
        content = ""
    known = json.dumps([outputs, meta], sort_keys=True)
    return kind, content, known, parts


def as_read(message: Message, like: Any) -> Any:
    kind, content, *rest = told(message)
    return (kind, None if like[1] is None else content, *rest)


@pytest.mark.parametrize("path", [None, *FILES], ids=lambda p: p.stem if p else "new")
def test_every_file_takes_each_edit(path: Path | None) -> None:
    for what in ("content", "meta", "type", "remove", "insert", "move", "attach", "id", "output"):
        for kind in smsg_types:
            check(path, [(what, 0, "new\ntext", [], {"a": {"b": 1}}, kind)])


@given(st.sampled_from(FILES), edits)
def test_any_edits(path: Path, edits: Any) -> None:
    check(path, edits)


def check(path: Path | None, edits: Any) -> None:
    dialog = reads_ipynb(text_of(path)) if path else Dialog("new")
    origins = {id(m): vars(m)["_origin"] for m in dialog.messages}
    kept = list(dialog.messages)
    touched: list[Message] = []
    for each in edits:
        touched += edit(dialog, *each)
    text = writes_ipynb(dialog)
    json.loads(text.removeprefix("\ufeff"))
    text.encode()  # lone surrogates are escaped
    again = reads_ipynb(text)
    wanted = [told(m) for m in dialog.messages]
    assert [as_read(m, like) for m, like in zip(again, wanted, strict=True)] == wanted
    assert again.meta == dialog.meta or (path is not None and "nan" in path.stem)
    if json.loads(text.removeprefix("\ufeff")).get("nbformat_minor", 0) >= 5:
        for message, new in zip(dialog, again, strict=True):
            if message.id.startswith("new-") and sum(m.id == message.id for m in dialog) == 1:
                assert new.id == message.id
    for message in kept:
        if dialog.messages.holds(message) and not any(message is other for other in touched):
            assert origins[id(message)].written in text
    assert writes_ipynb(again) == text
