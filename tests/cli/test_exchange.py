"""``dialog export``, ``import`` and ``convert`` on files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.cli import main
from dialog_ext.cli.wire import from_messages, to_history, to_openai
from dialog_ext.dialog import Dialog, Message, mk_error, mk_stream, tiny_png
from dialog_ext.history import LLMHistory
from dialog_ext.notebook import read_ipynb, write_ipynb

SEPARATOR = "##### 🤖Reply🤖<!-- SOLVEIT_SEPARATOR_7f3a9b2c -->"


def base64_of(data: bytes) -> str:
    from base64 import b64encode

    return b64encode(data).decode()


def sample() -> Dialog:
    dialog = Dialog("nb", meta={"language_info": {"name": "python"}})
    dialog.mk_message("# Title", msg_type="note", meta={"pinned": True})
    code = dialog.mk_message("#| export\nx = 1\nprint(x)")
    code.add_output(mk_stream("1\n"))
    picture = {"image/png": base64_of(tiny_png), "text/plain": "<Figure>"}
    figure = {"output_type": "display_data", "data": picture, "metadata": {}}
    dialog.mk_message("plot(x)", output=[figure])
    failed = dialog.mk_message("1 / 0")
    failed.add_output(mk_error("ZeroDivisionError", "by 0", ["ZeroDivisionError: by 0"]))
    dialog.mk_message("Why?", msg_type="prompt", output="Because.")
    dialog.mk_message("raw", msg_type="raw")
    dialog.mk_message("left out", msg_type="note", meta={"skipped": True})
    return dialog


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "nb.ipynb"
    write_ipynb(sample(), file)
    return file


def export(file: Path, form: str, *more: object) -> int:
    return main(["export", str(file), "--to", form, *map(str, more)])


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("json", "nb.json"),
        ("yaml", "nb.yaml"),
        ("md", "nb.md"),
        ("py", "nb.py"),
        ("openai", "nb.openai.json"),
    ],
)
def test_it_is_written_beside_the_file_and_over_nothing(
    file: Path, capsys: pytest.CaptureFixture[str], form: str, name: str
) -> None:
    target = file.with_name(name)
    assert export(file, form) == 0
    assert capsys.readouterr().out == f"written: {target}\n"
    whole = target.read_bytes()
    assert whole
    target.write_bytes(b"mine")
    assert export(file, form) == 1
    said = capsys.readouterr().err
    assert f"{target} is there already" in said
    assert len(said.splitlines()) == 2
    assert target.read_bytes() == b"mine"
    assert export(file, form, "-o", target) == 0
    assert target.read_bytes() == whole
    assert sorted(path.name for path in file.parent.iterdir()) == sorted([file.name, name])


def test_a_dangling_link_is_not_written_through(file: Path) -> None:
    file.with_name("nb.md").symlink_to("elsewhere.md")
    assert export(file, "md") == 1
    assert not file.with_name("elsewhere.md").exists()


def test_json_and_yaml_are_history_files(file: Path) -> None:
    assert export(file, "json") == export(file, "yaml") == 0
    expected = to_history(read_ipynb(file))
    assert LLMHistory.load_json(file.with_suffix(".json")) == expected
    assert LLMHistory.load_yaml(file.with_suffix(".yaml")) == expected
    roles = [message["role"] for message in expected.to_json()]
    assert roles == ["user", "user", "user", "user", "user", "assistant", "user"]
    assert yaml.safe_load(file.with_suffix(".yaml").read_text())[-2]["content"] == "Because."
    assert "left out" not in file.with_suffix(".json").read_text()


def test_openai_has_its_pictures_in_objects(file: Path) -> None:
    assert export(file, "openai") == 0
    messages = json.loads(file.with_name("nb.openai.json").read_text())
    url = f"data:image/png;base64,{base64_of(tiny_png)}"
    assert messages[2]["content"][1] == {"type": "image_url", "image_url": {"url": url}}
    assert messages[4:6] == [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": "Because."},
    ]


def test_py_is_the_exported_code(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(file, "py") == 0
    assert file.with_suffix(".py").read_text() == "#| export\nx = 1\nprint(x)\n"
    write_ipynb(Dialog("n", [Message("x = 1")]), file)
    capsys.readouterr()
    assert export(file, "py", "-o", file.with_name("other.py")) == 1
    assert "no code to export" in capsys.readouterr().err
    assert not file.with_name("other.py").exists()


def test_ipynb_is_the_same_bytes(file: Path) -> None:
    before = file.read_bytes()
    assert export(file, "ipynb") == 1
    assert export(file, "ipynb", "-o", file.with_name("copy.ipynb")) == 0
    assert file.with_name("copy.ipynb").read_bytes() == before == file.read_bytes()


def test_markdown_comes_back_as_the_same_dialog(file: Path) -> None:
    assert export(file, "md") == 0
    out = file.with_name("again.ipynb")
    assert main(["import", str(file.with_suffix(".md")), "-o", str(out)]) == 0
    again, before = read_ipynb(out), read_ipynb(file)
    again.name = before.name
    assert again == before
    assert export(file.with_suffix(".md"), "json", "-o", file.with_name("a.json")) == 0
    assert LLMHistory.load_json(file.with_name("a.json")) == to_history(before)


@pytest.mark.parametrize("form", ["json", "yaml", "openai"])
def test_messages_are_imported(tmp_path: Path, form: str) -> None:
    file = tmp_path / "nb.ipynb"
    write_ipynb(sample(), file)
    source = tmp_path / ("m.yaml" if form == "yaml" else "m.json")
    assert export(file, form, "-o", source) == 0
    assert main(["import", str(source)]) == 0
    dialog = read_ipynb(tmp_path / "m.ipynb")
    note, code, plot, failed, prompt, raw = dialog.messages
    kinds = [message.msg_type for message in dialog.messages]
    assert kinds == ["note", "code", "code", "code", "prompt", "raw"]
    assert note.content == "# Title"
    assert code.content == "#| export\nx = 1\nprint(x)"
    assert code.output == [mk(text=["1"])]
    assert plot.output[0]["data"] == {"image/png": base64_of(tiny_png)}
    assert failed.has_error
    assert (prompt.content, prompt.ai_res) == ("Why?", "Because.")
    assert raw.content == "raw"
    assert to_history(dialog) == to_history(read_ipynb(file))


def mk(**more: Any) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", **more}


def test_other_messages_are_kept() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    data = {"type": "image_url", "image_url": f"data:image/png;base64,{base64_of(tiny_png)}"}
    wire: list[dict[str, Any]] = [
        {"role": "system", "content": "Be kind."},
        {"role": "assistant", "content": "Hi!"},
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, data]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        {"role": "assistant", "content": "It is 42."},
        {"role": "user", "content": [picture]},
        {"role": "user", "content": "Note:\nasked"},
        {"role": "assistant", "content": "told"},
    ]
    system, hello, asked, called, told, answer, linked, last = from_messages("m", wire).messages
    assert (system.msg_type, system.content) == ("note", "System prompt:\n\nBe kind.")
    assert (hello.msg_type, hello.content) == ("note", "Assistant:\n\nHi!")
    assert (asked.msg_type, asked.content) == ("prompt", "What is this?")
    assert asked.attachments[0].data == tiny_png
    assert [json.loads(message.content) for message in (called, told, linked)] == [
        wire[3],
        wire[4],
        wire[6],
    ]
    assert answer.content.endswith("It is 42.")
    assert (last.msg_type, last.content, last.ai_res) == ("prompt", "Note:\nasked", "told")


TEXT = st.one_of(
    st.sampled_from(["```", "````\n", "Code:\n```python\nx\n```", "Note:\nx", "\n\nOutput:\n"]),
    st.text(max_size=10),
)


@given(st.lists(st.tuples(st.sampled_from(["note", "code", "prompt", "raw"]), TEXT, TEXT)))
def test_an_import_says_the_same_to_a_model(rows: list[tuple[str, str, str]]) -> None:
    dialog = Dialog("d")
    for kind, content, output in rows:
        message = dialog.mk_message(content, msg_type=kind)
        if kind == "prompt":
            message.output = output
        elif kind == "code":
            message.output = [mk(text=output)] if output else []
    history = to_history(dialog)
    assert to_history(from_messages("d", history.to_json())) == history
    assert to_history(from_messages("d", to_openai(history))) == history


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nb.ipynb", "is a notebook already"),
        ("nb.txt", "no suffix that tells"),
        ("no.md", "cannot be read: No such file"),
    ],
)
def test_what_cannot_be_imported(
    file: Path, capsys: pytest.CaptureFixture[str], name: str, says: str
) -> None:
    assert main(["import", str(file.with_name(name))]) == 1
    said = capsys.readouterr().err
    assert says in said
    assert len(said.splitlines()) <= 2


def test_a_picture_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = {"type": "image_url", "image_url": "data:image/png;base64,A"}
    source = tmp_path / "m.json"
    source.write_text(json.dumps([{"role": "user", "content": [part]}]))
    assert main(["import", str(source)]) == 1
    assert "no base64" in capsys.readouterr().err
    assert not (tmp_path / "m.ipynb").exists()


@pytest.mark.parametrize("form", ["json", "yaml", "md", "py", "openai", "ipynb"])
def test_a_folder_that_is_not_there(
    file: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert export(file, form, "-o", file.parent / "no" / "x") == 1
    assert "there is no folder" in capsys.readouterr().err
    assert not (file.parent / "no").exists()


@pytest.mark.parametrize("form", ["json", "yaml", "md", "py", "openai", "ipynb"])
def test_a_target_that_is_a_folder(
    file: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    folder = file.parent / "folder"
    folder.mkdir()
    assert export(file, form, "-o", folder) == 1
    assert "cannot be written: Is a directory" in capsys.readouterr().err
    assert sorted(path.name for path in file.parent.iterdir()) == ["folder", "nb.ipynb"]


def older(file: Path) -> bytes:
    source = f"Why?\n\n{SEPARATOR}\n\nBecause."
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {"solveit_ai": True}, "source": source},
        {"cell_type": "markdown", "id": "b", "metadata": {}, "source": "A note."},
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return file.read_bytes()


def test_the_older_form_is_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "old.ipynb"
    before = older(file)
    assert main(["convert", str(file)]) == 0
    target = tmp_path / "old.converted.ipynb"
    assert capsys.readouterr().out == f"converted: 1 prompt\nwritten: {target}\n"
    assert file.read_bytes() == before
    cell, note = json.loads(target.read_text("utf-8"))["cells"]
    assert (cell["cell_type"], "".join(cell["source"])) == ("code", "%%prompt\nWhy?")
    assert "".join(cell["outputs"][0]["data"]["text/markdown"]) == "Because."
    assert note["source"] == "A note."
    assert main(["convert", str(file)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert main(["convert", str(file), "-o", str(file)]) == 0
    assert file.read_bytes() == target.read_bytes()


def test_nothing_to_convert(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(file)]) == 0
    assert "nothing is written" in capsys.readouterr().out
    assert [path.name for path in file.parent.iterdir()] == ["nb.ipynb"]
    out = file.with_name("out.ipynb")
    assert main(["convert", str(file), "-o", str(out)]) == 0
    assert out.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("command", ["show", "export", "import", "convert"])
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: dialog {command}")
    assert "FILE" in said
    with pytest.raises(SystemExit) as ended:
        main([command])
    assert ended.value.code == 2


def test_a_form_that_there_is_not(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        export(file, "pdf")
    assert ended.value.code == 2
    assert "invalid choice: 'pdf'" in capsys.readouterr().err
