"""A notebook read and written unchanged is the same bytes; an edit changes its cell's lines."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.dialog import Dialog, snote, sprompt
from dialog_ext.errors import DialogError
from dialog_ext.notebook import read_ipynb, write_ipynb

EXAMPLE = Path(__file__).parents[2] / "examples" / "first-dialog.ipynb"

sources = st.text("ab\n{}'é😀\\\" ", max_size=12)
metadata = st.dictionaries(
    st.sampled_from(["solveit_ai", "tags", "other", "skipped"]), st.booleans(), max_size=2
)


def cell(kind: str, source: str, meta: Any, cell_id: str | None, lines: bool) -> dict[str, Any]:
    built: dict[str, Any] = {} if cell_id is None else {"id": cell_id}
    built["source"] = source.splitlines(keepends=True) if lines else source
    built["cell_type"] = kind
    built["metadata"] = meta
    if kind == "code":
        stream = {"name": "stdout", "output_type": "stream", "text": [source]}
        built |= {"outputs": [stream] if len(source) % 2 else [], "execution_count": None}
    return built


notebooks = st.builds(
    lambda cells, meta, minor: {
        "nbformat_minor": minor, "cells": cells, "metadata": meta, "nbformat": 4
    },
    st.lists(
        st.builds(
            cell,
            st.sampled_from(["code", "markdown", "raw"]),
            sources | st.just("%%prompt -m fake\nwhy?"),
            metadata,
            st.none() | st.sampled_from(["a", "b", "c"]),
            st.booleans(),
        ),
        max_size=5,
    ),
    st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2),
    st.integers(0, 5),
)  # fmt: skip


@given(
    notebooks,
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.booleans(),
    st.sampled_from(["", "\n", "\r\n"]),
)
def test_any_notebook_in_any_style_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, notebook: Any, indent: Any, ascii_: bool, end: str
) -> None:  # fmt: skip
    file = tmp_path_factory.getbasetemp() / "any.ipynb"
    text = json.dumps(notebook, indent=indent, ensure_ascii=ascii_) + end
    if end == "\r\n":
        text = text[:-2].replace("\n", "\r\n") + end
    file.write_bytes(text.encode())
    dialog = read_ipynb(file)
    assert len(dialog.messages) == len(notebook["cells"])
    write_ipynb(dialog, file)
    assert file.read_bytes() == text.encode()


def changed(tmp_path: Path, edit: Any) -> list[str]:
    """The lines that differ after an edit of the example."""
    dialog = read_ipynb(EXAMPLE)
    edit(dialog)
    out = tmp_path / "out.ipynb"
    write_ipynb(dialog, out)
    json.loads(out.read_text("utf-8"))
    before, after = (path.read_text("utf-8").splitlines() for path in (EXAMPLE, out))
    return [line[0] + line[2:] for line in difflib.ndiff(before, after) if line[0] in "+-"]


def test_a_source_edit_changes_its_lines_only(tmp_path: Path) -> None:
    def edit(dialog: Dialog) -> None:
        dialog.messages[2].content = "## Other data"

    assert changed(tmp_path, edit) == ['-    "## Some data to talk about"', '+    "## Other data"']


def test_a_prompt_keeps_its_magic_line(tmp_path: Path) -> None:
    def edit(dialog: Dialog) -> None:
        prompts = [m for m in dialog.messages if m.msg_type == sprompt]
        assert prompts[2].content == "What was the last output?"
        prompts[2].content = "And now?"

    assert changed(tmp_path, edit) == ['-    "What was the last output?"', '+    "And now?"']


def test_skipped_stands_in_the_cells_metadata(tmp_path: Path) -> None:
    def edit(dialog: Dialog) -> None:
        dialog.messages[0].skipped = True

    lines = changed(tmp_path, edit)
    assert '"skipped": true' in "".join(lines)
    assert len(lines) <= 4


def test_a_removed_cell_takes_only_its_lines_away(tmp_path: Path) -> None:
    lines = changed(tmp_path, lambda dialog: dialog.remove_msgs([dialog.messages[2]]))
    assert all(line.startswith("-") for line in lines)
    assert len(lines) == 8


def test_an_added_cell_adds_only_its_lines(tmp_path: Path) -> None:
    lines = changed(
        tmp_path, lambda dialog: dialog.mk_message("new", msg_type=snote, after=dialog.messages[2])
    )
    assert all(line.startswith("+") for line in lines)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"nbformat": 3, "nbformat_minor": 0, "worksheets": []}', '{"cells": 5}'],
)
def test_what_is_no_notebook_is_refused_in_words(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.ipynb"
    file.write_text(text)
    with pytest.raises(DialogError) as caught:
        read_ipynb(file)
    assert "bad.ipynb" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 2
    assert file.read_text() == text


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.ipynb", tmp_path / "link.ipynb"
    real.write_bytes(EXAMPLE.read_bytes())
    real.chmod(0o640)
    link.symlink_to(real)
    dialog = read_ipynb(link)
    dialog.messages[0].content = "# Changed"
    write_ipynb(dialog, link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "# Changed" in real.read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.ipynb", "real.ipynb"]
