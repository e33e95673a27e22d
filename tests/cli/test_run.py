"""``dialog run`` on real notebooks in real kernels."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

pytestmark = pytest.mark.kernel

EXAMPLE = Path(__file__).parents[2] / "examples" / "first-dialog.ipynb"
DIALOG = [sys.executable, "-m", "dialog_ext.cli"]


def write(folder: Path, *cells: object, name: str = "nb.ipynb") -> Path:
    notebook = new_notebook(cells=[new_code_cell(c) if isinstance(c, str) else c for c in cells])
    file = folder / name
    nbformat.write(notebook, file)
    return file


def dialog(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DIALOG, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )


def replies(file: Path) -> list[str]:
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    return [
        output.data["text/markdown"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.get("metadata", {}).get("is_ai_res")
    ]


def test_the_example_is_answered_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "first-dialog.ipynb"
    before = EXAMPLE.read_bytes()
    file.write_bytes(before)
    ran = dialog("run", file)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert file.read_bytes() == before
    out = tmp_path / "first-dialog.executed.ipynb"
    found = replies(out)
    assert len(found) == 5
    for text in found:
        assert text in ran.stdout
    greeting, explanation, last, chinese, models = found
    assert greeting.startswith("Hello! I am the offline model")
    assert "1 code cell" in greeting
    assert "sets `mean`" in explanation
    assert "Tue" in last or "Thu" in last
    assert "你好" in chinese
    assert "%dialog model" in models
    cells = len(nbformat.read(file, as_version=4).cells)
    for number in range(1, cells + 1):
        assert f"[{number}/{cells}] " in ran.stdout
    assert "# A first dialog" in ran.stdout
    assert "What was the last output?" in ran.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "first-dialog.executed.ipynb",
        "first-dialog.ipynb",
    ]


def test_it_loads_the_extension_where_the_notebook_does_not(tmp_path: Path) -> None:
    file = write(tmp_path, new_markdown_cell("# T"), "print('seen')", "%%prompt\nlast output?")
    ran = dialog("run", file, "-o", tmp_path / "out.ipynb")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "seen" in replies(tmp_path / "out.ipynb")[0]
    executed = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert [c.source for c in executed.cells] == ["# T", "print('seen')", "%%prompt\nlast output?"]
    assert [c.get("execution_count") for c in executed.cells] == [None, 1, 2]


def test_the_model_may_be_a_variable_of_the_notebook(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "from dialog_ext.model import FakeLLMModel\nmine = FakeLLMModel().response_always('mine!')",
        "%%prompt\nwho?",
        "%%prompt -m fake\nhello",
    )
    ran = dialog("run", file, "--model", "mine")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    first, second = replies(tmp_path / "nb.executed.ipynb")
    assert first == "mine!"
    assert second.startswith("Hello!")


def test_a_failing_cell_ends_the_run_with_1(tmp_path: Path) -> None:
    file = write(tmp_path, "x = 1", "%%prompt\nhello", "x / 0", "print('not reached')")
    ran = dialog("run", file)
    assert ran.returncode == 1
    assert "dialog: Cell 3 failed: ZeroDivisionError: division by zero" in ran.stderr
    assert "x / 0" in ran.stdout
    assert "Traceback (most recent call last)" in ran.stdout
    assert "Traceback" not in ran.stderr
    executed = nbformat.read(tmp_path / "nb.executed.ipynb", as_version=4)
    assert len(replies(tmp_path / "nb.executed.ipynb")) == 1
    assert executed.cells[2].outputs[0].ename == "ZeroDivisionError"
    assert executed.cells[3].outputs == []


def test_a_failing_prompt_is_friendly(tmp_path: Path) -> None:
    file = write(tmp_path, "%%prompt -m nobody\nhello")
    ran = dialog("run", file)
    assert ran.returncode == 1
    assert "There is no model 'nobody'" in ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


def test_an_interrupt_saves_what_there_is(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "from dialog_ext.model import FakeLLMModel\n"
        "slow = FakeLLMModel(stream_wps=10).response_always('word ' * 3000)",
        "%%prompt -m slow\ngo",
        "print('not reached')",
    )
    process = subprocess.Popen(
        [*DIALOG, "run", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    seen = ""
    end = time.monotonic() + 60
    while "word word" not in seen and time.monotonic() < end:
        seen += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert process.returncode == 130, seen + rest + errors
    (text,) = replies(tmp_path / "nb.executed.ipynb")
    assert text.startswith("word word")
    assert text.endswith("\n*[Response interrupted]*")
    executed = nbformat.read(tmp_path / "nb.executed.ipynb", as_version=4)
    assert executed.cells[2].outputs == []
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot be read: No such file"),
        ("{", "is not a notebook"),
        ("[]", "is not a notebook"),
    ],
)
def test_what_is_no_notebook(tmp_path: Path, content: str | None, says: str) -> None:
    file = tmp_path / "x.ipynb"
    if content is not None:
        file.write_text(content)
    ran = dialog("run", file)
    assert ran.returncode == 1
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "x.executed.ipynb").exists()


def test_a_kernel_that_is_not_there(tmp_path: Path) -> None:
    notebook = new_notebook(cells=[new_code_cell("1")])
    notebook.metadata["kernelspec"] = {"name": "no-such", "display_name": "N", "language": "x"}
    nbformat.write(notebook, tmp_path / "nb.ipynb")
    ran = dialog("run", tmp_path / "nb.ipynb")
    assert ran.returncode == 1
    assert "wants the kernel 'no-such'" in ran.stderr
    assert not (tmp_path / "nb.executed.ipynb").exists()
    assert "Traceback" not in ran.stderr


def test_a_target_that_cannot_be_written(tmp_path: Path) -> None:
    file = write(tmp_path, "1")
    ran = dialog("run", file, "-o", tmp_path / "missing" / "out.ipynb")
    assert ran.returncode == 1
    assert "cannot be written: there is no folder" in ran.stderr
    assert "[1/1]" not in ran.stdout, "found before anything ran"
    assert "Traceback" not in ran.stderr


def test_over_itself_only_when_asked(tmp_path: Path) -> None:
    file = write(tmp_path, "1 + 1")
    file.chmod(0o640)
    ran = dialog("run", file, "-o", file)
    assert ran.returncode == 0
    assert nbformat.read(file, as_version=4).cells[0].outputs[0].data["text/plain"] == "2"
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_notebook_without_prompts_runs_without_the_extension(tmp_path: Path) -> None:
    file = write(tmp_path, "import sys\nprint('dialog_ext' in sys.modules)")
    assert dialog("run", file).returncode == 0
    executed = nbformat.read(tmp_path / "nb.executed.ipynb", as_version=4)
    assert executed.cells[0].outputs[0].text == "False\n"


def test_a_kernel_that_dies(tmp_path: Path) -> None:
    ran = dialog("run", write(tmp_path, "x = 1", "import os; os._exit(3)", "print('no')"))
    assert ran.returncode == 1
    assert "The kernel died at cell 2" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert (tmp_path / "nb.executed.ipynb").is_file()


def test_usage() -> None:
    assert dialog("--version").stdout == "dialog_ext 0.1.0\n"
    assert dialog("run").returncode == 2
    assert "FILE.ipynb" in dialog("run", "--help").stdout
