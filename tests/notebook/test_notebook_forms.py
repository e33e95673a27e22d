"""The forms in which a file holds prompts and replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialog_ext.dialog import snote, sprompt
from dialog_ext.notebook import convert, read_ipynb, write_ipynb

MARK = "*[Response interrupted]*"
SEPARATOR = "##### 🤖Reply🤖<!-- SOLVEIT_SEPARATOR_7f3a9b2c -->"


def reply(text: str) -> dict[str, Any]:
    data = {"text/markdown": text, "text/plain": text}
    metadata = {"is_ai_res": True}
    return {"output_type": "display_data", "data": data, "metadata": metadata}


def write(file: Path, *cells: dict[str, Any], **meta: Any) -> bytes:
    for number, cell in enumerate(cells):
        cell.setdefault("id", f"c{number}")
        cell.setdefault("metadata", {})
        if cell["cell_type"] == "code":
            cell.setdefault("outputs", [])
            cell.setdefault("execution_count", None)
    notebook = {"cells": list(cells), "metadata": meta, "nbformat": 4, "nbformat_minor": 5}
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return file.read_bytes()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "forms.ipynb"


@pytest.mark.parametrize("metadata", [{}, {"solveit_ai": True}])
@pytest.mark.parametrize(
    "source", ["%%prompt\nwhy?", "# note\n\n%%prompt -m fake\nwhy?", "%%prompt why?"]
)
def test_a_prompt_is_a_code_cell_with_the_magic(file: Path, source: str, metadata: Any) -> None:
    outputs = [reply("because")]
    before = write(
        file, {"cell_type": "code", "source": source, "metadata": metadata, "outputs": outputs}
    )
    dialog = read_ipynb(file)
    (message,) = dialog.messages
    assert (message.msg_type, message.content, message.ai_res) == (sprompt, "why?", "because")
    write_ipynb(dialog, file)
    assert file.read_bytes() == before


def test_the_mark_of_a_cut_stays_in_the_file(file: Path) -> None:
    before = write(
        file,
        {"cell_type": "code", "source": "%%prompt\nx", "outputs": [reply(f"half\n\n{MARK}")]},
    )
    dialog = read_ipynb(file)
    assert dialog.messages[0].ai_res.endswith(MARK)
    write_ipynb(dialog, file)
    assert file.read_bytes() == before


def test_skipped_and_pinned(file: Path) -> None:
    write(
        file,
        {"cell_type": "markdown", "source": "a", "metadata": {"skipped": True}},
        {"cell_type": "markdown", "source": "b", "metadata": {"pinned": True}},
    )
    first, second = read_ipynb(file).messages
    assert (first.skipped, first.pinned) == (True, False)
    assert (second.skipped, second.pinned) == (False, True)


def test_attachments_of_a_prompt_stand_in_the_notebooks_metadata(file: Path) -> None:
    write(
        file,
        {"cell_type": "code", "source": "%%prompt\nsee ![](attachment:a.png)"},
        attachments={"c0": {"a.png": {"image/png": "aGk="}}},
    )
    (message,) = read_ipynb(file).messages
    (attachment,) = message.attachments
    assert (attachment.id, attachment.content_type, attachment.data) == (
        "a.png",
        "image/png",
        b"hi",
    )


def test_the_older_form_is_read_and_rewritten_only_when_asked(file: Path) -> None:
    source = f"why?\n\n{SEPARATOR}\n\nbecause"
    before = write(
        file,
        {"cell_type": "markdown", "source": source, "metadata": {"solveit_ai": True}},
        {"cell_type": "markdown", "source": source},
    )
    dialog = read_ipynb(file)
    prompt, note = dialog.messages
    assert (prompt.msg_type, prompt.content, prompt.ai_res) == (sprompt, "why?", "because")
    assert note.msg_type == snote
    write_ipynb(dialog, file)
    assert file.read_bytes() == before
    assert convert(dialog) == [prompt]
    write_ipynb(dialog, file)
    new = json.loads(file.read_text("utf-8"))["cells"]
    assert new[0]["cell_type"] == "code"
    assert "".join(new[0]["source"]) == "%%prompt\nwhy?"
    assert new[0]["outputs"][0]["metadata"]["is_ai_res"] is True
    assert new[1]["cell_type"] == "markdown"
    again = read_ipynb(file).messages[0]
    assert (again.msg_type, again.content, again.ai_res) == (sprompt, "why?", "because")
