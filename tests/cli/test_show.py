"""``dialog show``: a transcript in the terminal."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from dialog_ext.cli import main
from dialog_ext.cli.show import show_dialog
from dialog_ext.dialog import Dialog, Message, mk_error, mk_stream
from dialog_ext.notebook import write_ipynb

EXAMPLE = Path(__file__).parents[2] / "examples" / "first-dialog.ipynb"


def show(folder: Path, *messages: Message) -> str:
    file = folder / "nb.ipynb"
    write_ipynb(Dialog("nb", messages), file)
    console = Console(file=io.StringIO(), width=100, force_terminal=False)
    assert show_dialog(file, console) == 0
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_each_kind_is_shown(tmp_path: Path) -> None:
    code = Message("print(1)\n2", msg_type="code")
    code.add_output(mk_stream("one\n"))
    shown = show(
        tmp_path,
        Message("# Title", msg_type="note", meta={"pinned": True}),
        code,
        Message("Why?", msg_type="prompt", output="**Because** of\n\n- this"),
        Message("x [bold]y[/bold]", msg_type="raw", meta={"skipped": True}),
    )
    assert "[1/4] note (pinned)\n" in shown
    assert "[2/4] code\n  print(1)\n  2\n  → one\n" in shown
    assert "[3/4] prompt\n  Why?\n" in shown
    assert "reply" in shown
    assert "Because of" in shown
    assert " • this" in shown
    assert "[4/4] raw (skipped)\n  x [bold]y[/bold]\n" in shown


def test_only_the_first_lines_of_outputs(tmp_path: Path) -> None:
    code = Message("go()", msg_type="code")
    code.add_output(mk_stream("".join(f"line {n}\n" for n in range(2000))))
    shown = show(tmp_path, code)
    assert "→ line 7\n" in shown
    assert "line 8\n" not in shown
    assert "→ … " in shown
    assert "more lines" in shown


def test_the_last_lines_of_an_error(tmp_path: Path) -> None:
    code = Message("1 / 0", msg_type="code")
    code.add_output(mk_error("ZeroDivisionError", "by 0", [*map(str, range(20)), "Z: by 0"]))
    shown = show(tmp_path, code)
    assert "→ … 13 more lines\n" in shown
    assert "→ Z: by 0\n" in shown
    assert "→ 11\n" not in shown


def test_pictures_are_named(tmp_path: Path) -> None:
    data = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}
    figure = {"output_type": "display_data", "data": data, "metadata": {}}
    assert "→ [image/png, text/plain]" in show(tmp_path, Message("plot()", output=[figure]))


def test_nothing_in_a_file_commands_the_terminal(tmp_path: Path) -> None:
    evil = "a\x1b]0;title\x07\x1b[2Jb\x9b31mc\x08d\u202ee"
    stream = {"output_type": "stream", "name": "stdout", "text": evil}
    shown = show(
        tmp_path,
        Message(evil, msg_type="note"),
        Message(f"#{evil}\rhidden", msg_type="code", output=[stream]),
        Message(evil, msg_type="prompt", output=f"{evil} [here](https://example.org)"),
    )
    assert not set(shown) & set("\x1b\x07\x08\x9b\u202e\r")
    assert "#ab" in shown
    assert "hidden" in shown
    assert "https://example.org" in shown


def test_an_empty_dialog(tmp_path: Path) -> None:
    assert "no messages" in show(tmp_path)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(EXAMPLE)]) == 0
    out = capsys.readouterr().out
    assert "A first dialog" in out
    assert "Hello! What do you see?" in out


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.ipynb", None, "cannot be read: No such file"),
        ("x.md", None, "cannot be read: No such file"),
        ("x.json", None, "cannot be read: No such file"),
        ("x.ipynb", b"{", "broken at line 1"),
        ("x.md", b"# Page\n", "no dialog"),
        ("x.md", b"\xff", "no UTF-8"),
        ("x.json", b"{", "no wire messages"),
        ("x.json", b"{}", "no wire messages"),
        ("x.json", b"\xff", "no wire messages"),
        ("x.yaml", b"- [", "no wire messages"),
        ("x.yaml", b"- role: user", "no wire messages"),
        ("x.txt", b"", "no suffix that tells"),
    ],
)
def test_what_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes | None, says: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    assert main(["show", str(file)]) == 1
    said = capsys.readouterr()
    assert says in said.err
    assert said.err.startswith("dialog: ")
    assert len(said.err.splitlines()) <= 2
    assert said.out == ""


def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "nb.ipynb"
    write_ipynb(Dialog("nb", [Message("x\n" * 50_000, msg_type="raw")]), file)
    process = subprocess.Popen(
        [sys.executable, "-m", "dialog_ext.cli", "show", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
