"""A prompt sees each edit that was made before it was run: 200 times in a row."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from conftest import Open
from frontend import Server, server

TIMES = 200
ECHO = """from dialog_ext.model import FakeLLMModel
echo = FakeLLMModel(stream_wps=1e6).response_always(lambda messages, **_: messages[1]["content"])
%dialog model echo
import ipykernel; print("ipykernel", ipykernel.__version__)"""
CELLS = [
    nbformat.v4.new_markdown_cell("# Title"),
    nbformat.v4.new_code_cell("%%prompt\nwhat is the title?"),
    nbformat.v4.new_code_cell("import time; time.sleep(0.03)"),
    nbformat.v4.new_code_cell(ECHO),
]
EDIT_AND_RUN = """(async () => {
  const wrong = [];
  const cells = t.model().sharedModel.cells;
  for (let i = 0; i < a; i++) {
    if (i % 5 === 4) {  // the prompt waits in the queue
      t.notebook().activeCellIndex = 2;
      void window.jupyterapp.commands.execute('notebook:run-cell');
    }
    cells[0].setSource(`# Title ${i}`);
    t.notebook().activeCellIndex = 1;
    t.notebook().deselectAll();
    const ran = window.jupyterapp.commands.execute('notebook:run-cell');
    if (i % 5 === 4) cells[0].setSource(`# Title ${i} late`);
    await ran;
    const reply = cells[1].toJSON().outputs.map(o => o.data?.['text/markdown'] ?? o.text);
    const title = `Note:\\n# Title ${i}` + (i % 5 === 4 ? ' late' : '');
    if (reply.length !== 1 || reply[0] !== title) wrong.push([title, ...reply]);
  }
  return wrong;
})()"""


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ipykernel 6.31, whose other needs are those of the version that is here."""
    folder = tmp_path_factory.mktemp("ipykernel")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    subprocess.run([*pip, "ipykernel==6.31.*"], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def without_subshells() -> Iterator[Server]:
    plugin = "@jupyterlab/apputils-extension:kernels-settings"
    with server("lab", settings={plugin: {"commsOverSubshells": "disabled"}}) as running:
        yield running


def check(open_page: Open, running: Server, version: str, kernel: str = "python3") -> None:
    spec = {"name": kernel, "display_name": kernel, "language": "python"}
    page = open_page(running, CELLS, kernelspec=spec).linked()
    assert f"ipykernel {version}" in page.run(3)
    assert page.js(EDIT_AND_RUN, TIMES) == []


def test_with_subshells(lab: Server, open_page: Open) -> None:
    check(open_page, lab, "7.")


def test_without_subshells(without_subshells: Server, open_page: Open) -> None:
    check(open_page, without_subshells, "7.")


def test_in_notebook_7(notebook7: Server, open_page: Open) -> None:
    check(open_page, notebook7, "7.")


def test_with_ipykernel_6(lab: Server, open_page: Open, older: Path) -> None:
    lab.add_kernel("older", "-m", "ipykernel_launcher", PYTHONPATH=str(older))
    check(open_page, lab, "6.31", "older")


def test_by_keys(lab: Server, open_page: Open) -> None:
    page = open_page(lab, CELLS).linked()
    page.run(3)
    for number in range(20):
        page.edit(0)
        page.type(str(number))
        page.press("Escape", "ArrowDown", "Shift+Enter")
        page.settle()
        assert page.text(1) == "Note:\n" + page.sources()[0]
