"""Without a lab extension: the notebook's file, overlaid with what ran since."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from kernels import Kernel, kernel
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from dialog_ext.kernel.saved import SavedNotebook, told_path
from dialog_ext.prompt.context import NOT_RUN

pytestmark = pytest.mark.kernel

SESSION = "__import__('dialog_ext').get_session()"


def named(cell: Any, cell_id: str) -> Any:
    cell["id"] = cell_id
    return cell


def write(file: Path, *cells: Any, minor: int = 5) -> None:
    notebook = new_notebook(cells=deepcopy(list(cells)))
    notebook.nbformat_minor = minor
    if minor < 5:
        for cell in notebook.cells:
            del cell["id"]
    file.write_text(nbformat.writes(notebook), "utf-8")


def reply(text: str) -> Any:
    return new_output(
        "display_data",
        data={"text/markdown": text, "text/plain": text},
        metadata={"is_ai_res": True},
    )


CELLS = (
    named(new_markdown_cell("# Above"), "n1"),
    named(new_code_cell("x = 'saved'"), "c1"),
    named(new_code_cell("%%prompt\nwhat is x?"), "p1"),
    named(new_markdown_cell("# Below"), "n2"),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "talk.ipynb"
    write(path, *CELLS)
    return path


@pytest.fixture
def opened(file: Path) -> Iterator[Kernel]:
    """A kernel as a Jupyter server starts it for the file, with the extension loaded."""
    with kernel("--DialogExt.words_per_second=1e6", env={"JPY_SESSION_NAME": str(file)}) as running:
        running.run("%load_ext dialog_ext", cell="load")
        yield running


def contents(running: Kernel) -> list[str]:
    return running.value(f"[m['content'] for m in {SESSION}.last_request.messages]")


def test_what_stands_above_in_the_file_is_sent_in_its_order(opened: Kernel) -> None:
    opened.run("x = 'ran'\nx", cell="c1")
    opened.run("%%prompt\nwhat is x?", cell="p1")
    assert contents(opened)[1:] == [
        "Note:\n# Above",
        "Code:\n```python\nx = 'ran'\nx\n```\n\nOutput:\n```\n'ran'\n```",
        "what is x?",
    ]
    assert opened.value(f"{SESSION}.last_request.cells") == ("n1", "c1")


def test_an_unsaved_cell_stands_behind_the_one_that_ran_before_it(opened: Kernel) -> None:
    opened.run("x = 1", cell="c1")
    opened.run("y = 2", cell="unsaved")
    opened.run("%%prompt\ngo", cell="p1")
    assert [text.split("\n")[-2] for text in contents(opened)[2:4]] == ["x = 1", "y = 2"]


def test_an_edit_is_seen_once_it_is_saved(opened: Kernel, file: Path) -> None:
    opened.run("%%prompt\ngo", cell="p1")
    assert "Note:\n# Above" in contents(opened)
    write(file, named(new_markdown_cell("# Changed"), "n1"), *CELLS[2:])
    opened.run("%%prompt\ngo", cell="p1")
    assert contents(opened)[1:] == ["Note:\n# Changed", "go"]


def test_a_renamed_file_is_found_by_its_cells(opened: Kernel, file: Path) -> None:
    opened.run("x = 1", cell="c1")
    file.rename(file.with_name("renamed.ipynb"))
    opened.run("%%prompt\ngo", cell="p1")
    assert contents(opened)[1] == "Note:\n# Above"
    assert "renamed.ipynb, saved" in opened.run("%dialog").text


@pytest.mark.parametrize("broken", [None, "{", '{"nbformat": 3, "nbformat_minor": 0}'])
def test_a_missing_or_broken_file_is_said_and_harms_nothing(
    opened: Kernel, file: Path, broken: str | None
) -> None:
    if broken is None:
        file.unlink()
    else:
        file.write_text(broken)
    opened.run("x = 1", cell="c1")
    ran = opened.run("%%prompt\ngo", cell="p1")
    assert ran.status == "ok", ran.text
    assert contents(opened)[1:] == ["Code:\n```python\nx = 1\n```", "go"]
    state = opened.run("%dialog").text
    assert "what ran in this kernel (talk.ipynb: " in state
    if broken is not None:
        assert file.read_text() == broken


def test_a_saved_history_goes_on_after_a_restart(file: Path) -> None:
    result = new_output("execute_result", {"text/plain": "1"})
    write(
        file,
        named(new_code_cell("x = 1\nx", outputs=[result]), "c1"),
        named(new_code_cell("%%prompt\nfirst?", outputs=[reply("first answer")]), "p1"),
        named(new_code_cell("%%prompt\nand now?"), "p2"),
    )  # fmt: skip
    with kernel("--DialogExt.words_per_second=1e6", env={"JPY_SESSION_NAME": str(file)}) as running:
        running.run("%load_ext dialog_ext", cell=None)
        running.run("%%prompt\nand now?", cell="p2")
        sent = contents(running)
        assert sent[1:] == [
            "Code:\n```python\nx = 1\nx\n```\n\nOutput:\n```\n1\n```",
            "first?", "first answer", "and now?",
        ]  # fmt: skip
        assert sent[0].endswith(NOT_RUN)
        running.run("x = 1\nx", cell="c1")
        running.run("%%prompt\nand now?", cell="p2")
        assert NOT_RUN not in contents(running)[0]


def test_cells_without_ids(file: Path) -> None:
    write(file, *CELLS[:2], new_code_cell("same"), new_code_cell("same"), *CELLS[2:], minor=4)
    with kernel("--DialogExt.words_per_second=1e6", env={"JPY_SESSION_NAME": str(file)}) as running:
        running.run("%load_ext dialog_ext", cell=None)
        running.run("same = 5", cell=None)  # the load cell and this one are nowhere in the file
        running.run("x = 'saved'", cell="lab-made-this-id")
        running.run("%%prompt\nwhat is x?", cell="and-this")
        joined = "\n".join(contents(running))
        assert joined.count("x = 'saved'") == 1
        assert "# Above" in joined
        assert "# Below" not in joined


def test_two_notebooks_on_one_kernel(opened: Kernel, file: Path) -> None:
    other = file.with_name("other.ipynb")
    write(
        other,
        named(new_markdown_cell("# Other"), "o1"),
        named(new_code_cell("y = 1"), "o2"),
        named(new_code_cell("%%prompt\nwho?"), "o3"),
    )
    opened.run("x = 'first'", cell="c1")
    opened.run("y = 'second'", cell="o2")
    opened.run("%%prompt\nwho?", cell="o3")
    assert contents(opened)[1:] == ["Note:\n# Other", "Code:\n```python\ny = 'second'\n```", "who?"]
    assert "other.ipynb, saved" in opened.run("%dialog", cell="o4").text
    opened.run("x = 'again'", cell="c1")
    opened.run("%%prompt\nwhat is x?", cell="p1")
    assert contents(opened)[1:] == [
        "Note:\n# Above",
        "Code:\n```python\nx = 'again'\n```",
        "what is x?",
    ]


def test_the_state_says_the_source_and_its_age(opened: Kernel) -> None:
    text = opened.run("%dialog").text
    assert "talk.ipynb, saved " in text
    assert "and what ran in this kernel" in text


def test_told_path() -> None:
    assert told_path({}, {}) is None
    assert told_path({}, {"JPY_SESSION_NAME": "/a/b.ipynb"}) == Path("/a/b.ipynb")
    assert told_path({"__session__": "/a/c.ipynb"}, {"JPY_SESSION_NAME": "/a/b.ipynb"}) == Path(
        "/a/c.ipynb"
    )
    assert told_path({"__vsc_ipynb_file__": "/v.ipynb", "__session__": "/a/c.ipynb"}, {}) == Path(
        "/v.ipynb"
    )
    assert told_path({"__session__": "console-1"}, {"JPY_SESSION_NAME": "/a/file.py"}) is None


def test_messages_of_the_file_keep_their_identity(file: Path) -> None:
    saved = SavedNotebook(file)
    first = list(saved.messages())
    assert saved.messages() == first
    write(file, named(new_markdown_cell("# New"), "n0"), *CELLS)
    again = saved.messages()
    assert [m.content for m in again][:2] == ["# New", "# Above"]
    assert all(any(m is old for m in again) for old in first)
    assert saved.has_ids


def test_cells_named_by_uris_as_vs_code_does_are_found_by_source_and_position(file: Path) -> None:
    def uri(place: int) -> str:
        return f"vscode-notebook-cell:{file}#W{place}sZmlsZQ%3D%3D"

    with kernel("--DialogExt.words_per_second=1e6") as running:
        told = f"__vsc_ipynb_file__ = {str(file)!r}"
        running.client.execute(told, silent=True, store_history=False)
        running.run("%load_ext dialog_ext", cell=uri(9))
        for x in ("saved", "ran", "ran again"):
            running.run(f"x = {x!r}", cell=uri(1))
            running.run("%%prompt\nwhat is x?", cell=uri(2))
            assert contents(running)[1:] == [
                "Note:\n# Above",
                f"Code:\n```python\nx = {x!r}\n```",
                "what is x?",
            ]
        assert running.value(f"[m.content for m in {SESSION}.dialog.messages]") == [
            "%load_ext dialog_ext", "# Above", "x = 'ran again'", "what is x?", "# Below"
        ]  # fmt: skip
