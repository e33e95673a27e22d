"""The notebooks of tests/notebooks: each comes back as it was, and reads as what it is."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from dialog_ext.dialog import Dialog
from dialog_ext.notebook import NotebookError, read_ipynb, reads_ipynb, write_ipynb, writes_ipynb

HERE = Path(__file__).parents[1] / "notebooks"
GOOD = {path.stem: path for path in sorted(HERE.glob("*.ipynb"))}
BROKEN = {path.stem: path for path in sorted((HERE / "broken").glob("*.ipynb"))}

FEW = "note:# Title|code:1+1|raw:as it is"
SEEN = {
    "style-non-ascii-escaped": "note:# Étude – 😀|code:print('日本')",
    "style-non-ascii-as-it-is": "note:# Étude – 😀|code:print('日本')",
    "style-upper-case-escapes": "note:# Étude – 😀|code:print('日本')",
    "style-slashes-escaped": "note:a/b </script>",
    "style-sources-of-both-kinds": "note:a\nb|note:c\nd|note:ef\n",
    "text-lone-surrogate": "note:a\ud83d",
    "text-unicode-line-ends": "code:a = '\u2028'\n\x0cb = '\x85'\n",
    "text-crlf-in-source": "code:a = 1\r\nb = 2\r\n",
    "text-control-characters": "note:a\x00b\x1bc\x7f",
    "text-empty-sources": "note:|code:|code:|raw:",
    "cells-none": "",
    "cells-none-one-line": "",
    "keys-unknown": "code:1",
    "keys-missing": "code:1|note:x",
    "cell-type-unknown": "raw:x",
    "format-4.4-with-ids": "note:x",
    "format-4.6-unknown": "note:x",
    "ids-twice-empty-and-numbers": "note:0|note:1|note:2|note:3|note:4",
    "ids-of-two-cells-swapped": "note:x|note:y",
    "prompt": "prompt:Why? => Because.\n\nSo.",
    "prompt-without-mark": "prompt:Why? => Because.",
    "prompt-with-options": "prompt:Why?",
    "prompt-on-magic-line": "prompt:Why?\nAnd how?",
    "prompt-bad-option": "prompt:--nope\nWhy?",
    "prompt-empty": "prompt:",
    "prompt-interrupted": "prompt:Why? => Half an\n\n*[Response interrupted]*",
    "prompt-skipped-and-pinned": "prompt:a|note:b",
    "prompt-attachments": "prompt:![](attachment:a.png)",
    "prompt-older": "prompt:Why? => Because.",
    "prompt-older-without-reply": "prompt:Why?",
    "prompt-older-with-attachment": "prompt:![](attachment:a.png) => Red.",
    "prompt-not-at-all": "note:%%prompt\nx|code:x = 1\n%%prompt\ny|code:1"
    "|note:x\n\n##### 🤖Reply🤖<!-- SOLVEIT_SEPARATOR_7f3a9b2c -->\n\ny|note:z",
    "json-": "note:x",
    "style-": FEW,
    "format-": FEW,
    "ids-missing": FEW,
}
KINDS = {"output-": {"code"}, "tool-": {"code", "note", "raw"}}

PLACES = {
    "a-list": (1, 1, None),
    "blank": (1, 1, None),
    "cell-no-object": (3, 3, 1),
    "cell-type-missing": (3, 3, 1),
    "cells-missing": (1, 1, None),
    "cells-no-list": (2, 11, None),
    "comma-too-many": (30, 4, 2),
    "cut-off": (37, 5, 3),
    "empty": (1, 1, None),
    "format-3": (8, 14, None),
    "format-5": (10, 14, None),
    "format-missing": (1, 1, None),
    "git-conflict": (6, 1, 1),
    "html": (1, 1, None),
    "line-end-in-string": (37, 8, 3),
    "metadata-no-object": (3, 3, 1),
    "more-behind": (51, 1, None),
    "not-utf-8": (8, 8, None),
    "number-too-long": (48, 7, None),
    "output-no-object": (3, 3, 1),
    "outputs-no-list": (3, 3, 1),
    "source-missing": (17, 3, 3),
    "source-no-text": (3, 3, 1),
    "utf-16": (1, 1, None),
}


def seen(dialog: Dialog) -> str:
    shown = (f"{m.msg_type}:{m.content}" + f" => {m.ai_res}" * bool(m.ai_res) for m in dialog)
    return "|".join(shown)


def by_name(table: dict[str, Any], name: str) -> Any:
    if name in table:
        return table[name]
    return next((value for start, value in table.items() if name.startswith(start)), None)


def test_there_are_enough_and_they_are_what_the_script_writes() -> None:
    made = runpy.run_path(str(HERE / "make.py"))["all_files"]()
    assert {path: path.read_bytes() for path in [*GOOD.values(), *BROKEN.values()]} == made
    assert len(GOOD) >= 40
    assert set(PLACES) == set(BROKEN)


@pytest.mark.parametrize("name", GOOD)
def test_it_comes_back_as_it_was_and_reads_as_what_it_is(name: str, tmp_path: Path) -> None:
    data, out = GOOD[name].read_bytes(), tmp_path / "out.ipynb"
    dialog = read_ipynb(GOOD[name])
    write_ipynb(dialog, out)
    assert out.read_bytes() == data
    assert writes_ipynb(dialog).encode() == data
    assert writes_ipynb(reads_ipynb(data)).encode() == data
    assert dialog.name == name
    assert len({message.id for message in dialog}) == len(dialog)
    wanted = by_name(SEEN, name)
    if wanted is not None:
        assert seen(dialog) == wanted
    else:
        assert {message.msg_type for message in dialog} <= by_name(KINDS, name)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_refused_by_name_and_place(name: str) -> None:
    data = BROKEN[name].read_bytes()
    with pytest.raises(NotebookError) as caught:
        read_ipynb(BROKEN[name])
    error = caught.value
    assert (error.line, error.column, error.cell) == PLACES[name]
    assert BROKEN[name].name in error.what
    assert len(str(error).splitlines()) <= 2
    assert BROKEN[name].read_bytes() == data


def test_advice() -> None:
    with pytest.raises(NotebookError, match="Git conflict"):
        read_ipynb(BROKEN["git-conflict"])
    with pytest.raises(NotebookError, match="jupyter nbconvert"):
        read_ipynb(BROKEN["format-3"])


def test_ids_in_the_file_and_in_memory() -> None:
    ids = [message.id for message in read_ipynb(GOOD["ids-twice-empty-and-numbers"])]
    assert ids[0] == "a"
    assert "a" not in ids[1:]
    assert all(len(made) == 8 for made in ids[1:])
    assert [message.id for message in read_ipynb(GOOD["tool-colab"])] == ["Qx1", "Zy2"]


def test_attachments() -> None:
    (message,) = read_ipynb(GOOD["tool-attachments"])
    drawn, picture = message.attachments
    assert (drawn.content_type, drawn.data[:4]) == ("image/svg+xml", b"<svg")
    assert (picture.id, picture.data[:4]) == ("p.png", b"\x89PNG")
    dialog = read_ipynb(GOOD["prompt-attachments"])
    assert [a.id for a in dialog.messages[0].attachments] == ["a.png"]
    assert "attachments" not in dialog.meta
