"""Names, saving, copies, disks that are full, and what an import costs."""

from __future__ import annotations

import copy
import difflib
import errno
import inspect
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

import dialog_ext.notebook
from dialog_ext.dialog import Dialog, Message, mk_stream
from dialog_ext.notebook import (
    NotebookDialog,
    NotebookError,
    convert,
    read_ipynb,
    reads_ipynb,
    write_ipynb,
    writes_ipynb,
)
from dialog_ext.notebook.magic import prompt_text
from dialog_ext.notebook.solveit import prompt_source

FILES = Path(__file__).parents[1] / "notebooks"
LAB = FILES / "style-jupyterlab.ipynb"

SIGNATURES = {
    "NotebookDialog": "(name, messages=None, meta=None)",
    "NotebookError": "(what, fix='', line=None, column=None, cell=None)",
    "convert": "(dialog)",
    "dialog_from_markdown": "(text)",
    "dialog_to_markdown": "(dialog)",
    "read_ipynb": "(path, cls=Dialog)",
    "reads_ipynb": "(text, name='', cls=Dialog)",
    "write_ipynb": "(dialog, path)",
    "writes_ipynb": "(dialog)",
}


def test_every_public_name() -> None:
    assert set(SIGNATURES) == set(dialog_ext.notebook.__all__) == set(dir(dialog_ext.notebook))
    for name, wanted in SIGNATURES.items():
        thing = getattr(dialog_ext.notebook, name)
        assert inspect.getdoc(thing)
        shown = []
        for p in inspect.signature(thing).parameters.values():
            default = "Dialog" if p.default is Dialog else repr(p.default)
            shown.append(p.name if p.default is p.empty else f"{p.name}={default}")
        assert f"({', '.join(shown)})" == wanted
    assert str(inspect.signature(NotebookDialog.save)).startswith("(self, path:")
    with pytest.raises(AttributeError, match="nothing_like_it"):
        dialog_ext.notebook.nothing_like_it  # noqa: B018 - reading it is the test


# -- edits touch their own lines


def diff(edit: Callable[[Dialog], object], file: Path = LAB) -> list[str]:
    dialog = read_ipynb(file)
    edit(dialog)
    lines = (text.splitlines() for text in (file.read_text("utf-8"), writes_ipynb(dialog)))
    return [line[0] + line[2:].strip() for line in difflib.ndiff(*lines) if line[0] in "+-"]


def test_output_set() -> None:
    def edit(dialog: Dialog) -> None:
        dialog.messages[1].output[0]["data"]["text/plain"] = ["3"]

    assert diff(edit) == ['-"2"', '+"3"']


def test_output_added_and_cleared() -> None:
    lines = diff(lambda dialog: dialog.messages[1].add_output(mk_stream("a\nb")))
    assert [line for line in lines if line[0] == "-"] in ([], ["-}"])
    assert '+"a\\n",' in lines
    assert '+"b"' in lines
    cleared = diff(lambda dialog: dialog.messages[1].clear_output())
    assert {line for line in cleared if line[0] == "+"} == {
        '+"execution_count": null,',
        '+"outputs": [],',
    }


def test_a_move_moves_lines() -> None:
    lines = diff(lambda dialog: dialog.messages[1].insert_after(dialog.messages[0]))
    gone = sorted(line[1:] for line in lines if line[0] == "-")
    assert gone == sorted(line[1:] for line in lines if line[0] == "+")
    assert len(gone) <= 9


def test_a_change_of_type() -> None:
    def edit(dialog: Dialog) -> None:
        dialog.messages[0].msg_type = "raw"

    assert diff(edit) == ['-"cell_type": "markdown",', '+"cell_type": "raw",']


def test_skipped_set_and_unset_gives_the_file_back() -> None:
    def edit(dialog: Dialog) -> None:
        dialog.messages[0].skipped = True
        del dialog.messages[0].skipped

    assert diff(edit) == []


@pytest.mark.parametrize("name", ["style-crlf", "style-indent-4", "style-one-line", "style-bom"])
def test_new_cells_are_written_as_the_file_is(name: str) -> None:
    dialog = read_ipynb(FILES / f"{name}.ipynb")
    before = writes_ipynb(dialog)
    dialog.mk_message("new\nlines", idx=1, msg_type="note", id="fresh")
    after = writes_ipynb(dialog)
    style: dict[str, Any] = {"indent": 4} if name == "style-indent-4" else {"indent": 1}
    if name == "style-one-line":
        style = {}
    whole = json.loads(after.removeprefix("\ufeff"))
    again = json.dumps(whole, ensure_ascii=False, **style) + "\n"
    if name == "style-crlf":
        again = again.replace("\n", "\r\n")
    assert after.removeprefix("\ufeff") == again
    assert after.startswith("\ufeff") == before.startswith("\ufeff")


def test_escapes_stay_the_files_way() -> None:
    dialog = read_ipynb(FILES / "style-non-ascii-escaped.ipynb")
    dialog.messages[0].content = "Ökonomie"
    assert writes_ipynb(dialog).isascii()
    assert '"\\u00d6konomie"' in writes_ipynb(dialog)


def test_numbers_that_were_not_edited_stay_as_written() -> None:
    dialog = read_ipynb(FILES / "json-numbers-as-written.ipynb")
    dialog.messages[0].content = "y"
    dialog.messages[0].meta["b"] = 1  # it was 1.0
    text = writes_ipynb(dialog)
    assert '"a": 1e5, "b": 1, "c": 1.10, "d": -0.0, "e": 123456789012345678901234567890' in text


def test_zeros_of_two_signs_are_two_values() -> None:
    dialog = read_ipynb(FILES / "json-numbers-as-written.ipynb")
    dialog.messages[0].meta["d"] = 0.0  # it was -0.0
    assert '"d": 0.0,' in writes_ipynb(dialog)


def test_of_a_key_that_stands_twice_the_one_that_counts_is_edited() -> None:
    dialog = read_ipynb(FILES / "json-keys-twice.ipynb")
    dialog.messages[0].meta["tags"] = ["c"]
    assert '{"tags": ["a"], "tags": ["c"]}' in writes_ipynb(dialog).replace("\n", "")


def test_lone_surrogates_are_escaped_where_other_characters_are_not() -> None:
    dialog = read_ipynb(FILES / "style-non-ascii-as-it-is.ipynb")
    dialog.messages[0].content = "é\ud83d"
    assert '"é\\ud83d"' in writes_ipynb(dialog)


def test_code_that_was_marked_as_a_prompt_becomes_a_note_and_no_prompt() -> None:
    dialog = read_ipynb(FILES / "prompt-not-at-all.ipynb")
    message = dialog.messages[2]
    assert (message.msg_type, message.meta) == ("code", {"solveit_ai": True})
    message.msg_type = "note"
    assert reads_ipynb(writes_ipynb(dialog)).messages[2].msg_type == "note"


@pytest.mark.parametrize(
    ("old", "prompt", "new"),
    [
        ("%%prompt -m fake\nWhy?", "How?", "%%prompt -m fake\nHow?"),
        ("# a\n%%prompt Why?\nx", "How?", "# a\n%%prompt\nHow?"),
        ("%%prompt -m fake Why?\nx", "Why?\ny", "%%prompt -m fake Why?\ny"),
        ("%%prompt -m fake Why?\nx", "Why?", "%%prompt -m fake Why?"),
        ("%%prompt -m fake Why?", "", "%%prompt -m fake"),
        ("%%prompt --nope\nx", "--nope\ny", "%%prompt --nope\ny"),
        ("%%prompt\r\nx", "y", "%%prompt\r\ny"),
        ("print()", "y", "%%prompt\ny"),
    ],
)
def test_the_magic_line_stays(old: str, prompt: str, new: str) -> None:
    assert prompt_source(old, prompt) == new
    assert prompt_text(new) == prompt


# -- forms


def test_an_older_prompt_is_edited_in_its_form_and_a_new_reply_ends_it() -> None:
    dialog = read_ipynb(FILES / "prompt-older.ipynb")
    (message,) = dialog.messages
    message.content = "How?"
    cell = json.loads(writes_ipynb(dialog))["cells"][0]
    assert (cell["cell_type"], cell["source"][0]) == ("markdown", "How?\n")
    message.add_output(mk_stream("thinking"))
    cell = json.loads(writes_ipynb(dialog))["cells"][0]
    assert (cell["cell_type"], cell["source"]) == ("code", ["%%prompt\n", "How?"])
    assert len(cell["outputs"]) == 2


def test_convert_moves_attachments_to_the_notebooks_metadata() -> None:
    dialog = read_ipynb(FILES / "prompt-older-with-attachment.ipynb")
    assert convert(dialog) == list(dialog)
    assert convert(dialog) == []
    notebook = json.loads(writes_ipynb(dialog))
    assert "attachments" not in notebook["cells"][0]
    assert list(notebook["metadata"]["attachments"]) == ["cell-0"]
    again = reads_ipynb(writes_ipynb(dialog), dialog.name)
    assert again.messages[0].attachments == dialog.messages[0].attachments
    assert again.messages[0].ai_res == "Red."


def test_attachments_go_with_their_prompt() -> None:
    dialog = read_ipynb(FILES / "prompt-attachments.ipynb")
    dialog.messages[0].id = "other"
    filed = json.loads(writes_ipynb(dialog))["metadata"]["attachments"]
    assert set(filed) == {"other", "gone"}
    dialog.remove_msgs(["other"])
    filed = json.loads(writes_ipynb(dialog))["metadata"]["attachments"]
    assert set(filed) == {"gone"}


def test_attachments_of_a_prompt_without_an_id() -> None:
    dialog = reads_ipynb('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}')
    dialog.mk_message("x", msg_type="prompt").mk_attachment(b"x", "image/png", "a")
    text = writes_ipynb(dialog)
    nbformat.validate(nbformat.reads(text, 4))
    assert reads_ipynb(text).messages[0].attachments == dialog.messages[0].attachments


def test_a_dialog_from_elsewhere_is_what_jupyter_would_write() -> None:
    reply = Message("Why?", msg_type="prompt", output="Because é.\nSo.")
    dialog = Dialog("d", [Message("# T", msg_type="note"), Message("1", output="2"), reply])
    text = writes_ipynb(dialog)
    notebook = nbformat.reads(text, 4)
    nbformat.validate(notebook)
    assert nbformat.writes(notebook).rstrip("\n") == text.rstrip("\n")
    assert notebook.cells[2].metadata == {"solveit_ai": True}
    assert [m.id for m in reads_ipynb(text)] == [m.id for m in dialog]


def test_cells_of_another_file_keep_what_we_do_not_know() -> None:
    source = read_ipynb(FILES / "keys-unknown.ipynb")
    target = read_ipynb(FILES / "format-4.0.ipynb")
    (message,) = source.remove_msgs(list(source))
    target.messages.append(message)
    cell = json.loads(writes_ipynb(target))["cells"][-1]
    assert cell["vendor"] == {"a": [1]}
    assert "id" not in cell


def test_a_message_put_in_for_another_of_its_id_keeps_what_we_do_not_know() -> None:
    dialog = read_ipynb(FILES / "keys-unknown.ipynb")
    text = writes_ipynb(dialog)
    dialog.messages[0] = copy.copy(dialog.messages[0])
    assert writes_ipynb(dialog) == text


# -- copies


@pytest.mark.parametrize("again", [copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))])
def test_copies_of_a_dialog_are_written_alike(again: Callable[[Any], Any]) -> None:
    for path in (LAB, FILES / "keys-unknown.ipynb", FILES / "json-numbers-as-written.ipynb"):
        dialog = again(read_ipynb(path))
        assert isinstance(dialog, NotebookDialog)
        assert writes_ipynb(dialog).encode() == path.read_bytes()


# -- saving


@pytest.fixture
def file(tmp_path: Path) -> Path:
    target = tmp_path / "a.ipynb"
    target.write_bytes(LAB.read_bytes())
    return target


def test_save(file: Path, tmp_path: Path) -> None:
    dialog = read_ipynb(file)
    dialog.messages[0].content = "# Other"
    dialog.save()
    assert read_ipynb(file).messages[0].content == "# Other"
    other = tmp_path / "b.ipynb"
    dialog.save(str(other))
    assert dialog.path == other
    assert other.read_bytes() == file.read_bytes()
    with pytest.raises(NotebookError, match="Give save\\(\\) a path"):
        reads_ipynb(file.read_text()).save()


def test_classes() -> None:
    class MyMessage(Message):
        pass

    class Mine(Dialog):
        msg_cls = MyMessage

    mine = read_ipynb(LAB, Mine)
    assert type(mine) is Mine
    assert {type(message) for message in mine} == {MyMessage}
    assert writes_ipynb(mine).encode() == LAB.read_bytes()
    assert type(read_ipynb(LAB)) is NotebookDialog


def test_what_json_cannot_hold_is_refused_before_the_file_is_touched(file: Path) -> None:
    before = file.read_bytes()
    dialog = read_ipynb(file)
    for value in (b"x", 1j, {"x": {1, 2}}):
        dialog.messages[1].meta["bad"] = value
        with pytest.raises(NotebookError, match="message cell-1"):
            dialog.save()
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["a.ipynb"]


def test_paths_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match="No such file"):
        read_ipynb(tmp_path / "none.ipynb")
    with pytest.raises(NotebookError, match="cannot be read"):
        read_ipynb(tmp_path)
    with pytest.raises(NotebookError, match="cannot be written"):
        write_ipynb(Dialog("x"), tmp_path / "none" / "x.ipynb")
    with pytest.raises(NotebookError, match="cannot be written"):
        write_ipynb(Dialog("x"), tmp_path)
    loop = tmp_path / "loop.ipynb"
    loop.symlink_to(loop)
    with pytest.raises(NotebookError, match="cannot be written"):
        write_ipynb(Dialog("x"), loop)
    assert [path.name for path in tmp_path.iterdir()] == ["loop.ipynb"]


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_ipynb(Dialog("x"), tmp_path / "x.ipynb")
    finally:
        os.umask(old)
    assert (tmp_path / "x.ipynb").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_write_that_fails_loses_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = file.read_bytes()
    dialog = read_ipynb(file)
    dialog.messages[0].content = "# Other"

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    monkeypatch.setattr(Path, step, fail, raising=False)
    with pytest.raises(NotebookError, match="No space left"):
        dialog.save()
    monkeypatch.undo()
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    try:
        done = subprocess.run(mount, capture_output=True)
    except OSError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip("only root may mount a disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_loses_nothing(small_disk: Path) -> None:
    file = small_disk / "a.ipynb"
    file.write_bytes(LAB.read_bytes())
    dialog = read_ipynb(file)
    dialog.messages[0].content = "x" * 100_000
    with pytest.raises(NotebookError, match="No space left"):
        dialog.save()
    assert file.read_bytes() == LAB.read_bytes()
    assert list(small_disk.iterdir()) == [file]
    dialog.messages[0].content = "fits"
    dialog.save()
    assert read_ipynb(file).messages[0].content == "fits"


# -- costs


def test_import_is_light_and_stdlib_only() -> None:
    code = (
        "import typing, asyncio, json, sys\nbefore = set(sys.modules)\n"
        "import dialog_ext.notebook.ipynb\nprint(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert len(loaded) <= 60
    others = {name.partition(".")[0] for name in loaded} - {"dialog_ext"}
    assert others <= set(sys.stdlib_module_names)


def test_each_cell_is_decoded_once_when_read_and_once_when_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dialog_ext.notebook import spans

    cells = [
        {"cell_type": "markdown", "id": f"c{i}", "metadata": {}, "source": "x"} for i in range(200)
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    real, counted = spans.DECODE, []

    def decode(text: str, at: int) -> Any:
        counted.append(at)
        return real(text, at)

    monkeypatch.setattr(spans, "DECODE", decode)
    dialog = reads_ipynb(text)
    assert len(counted) <= 220
    counted.clear()
    assert writes_ipynb(dialog) == text
    assert len(counted) <= 220


def test_save_does_not_write_over_what_another_program_wrote(tmp_path: Path) -> None:
    file = tmp_path / "talk.ipynb"
    write_ipynb(Dialog("talk"), file)
    dialog = read_ipynb(file)
    dialog.mk_message("mine")
    dialog.save()
    dialog.save()
    theirs = file.read_text() + "\n"
    file.write_text(theirs)
    with pytest.raises(NotebookError, match="changed by another program since it was read"):
        dialog.save()
    assert file.read_text() == theirs
    dialog.save(file)
    assert [m.content for m in read_ipynb(file).messages] == ["mine"]
    file.unlink()
    dialog.save()
    assert file.exists()
