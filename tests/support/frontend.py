"""Real JupyterLab and Notebook 7 servers, and their pages in a real Chromium.

Used through the fixtures of ``tests/browser/conftest.py``; needs no ``pytest-playwright``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote

import nbformat
from playwright.sync_api import Browser, Locator, Page, Playwright
from playwright.sync_api import Error as BrowserError

TIMEOUT: Final = 60
CHROMIUM: Final = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
SETTINGS: Final[dict[str, Any]] = {
    "@jupyterlab/apputils-extension:notification": {
        "checkForUpdates": False,
        "fetchNews": "false",
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}
KERNEL: Final = {
    "kernelspec": {
        "name": "python3",
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
    },
    "language_info": {"name": "python"},
}
COLLABORATION: Final = ("@jupyter/collaboration-extension", "@jupyter/docprovider-extension")
"""The lab extensions of jupyter-collaboration, which take part as soon as they are there."""
LOADED: Final = """
c.InteractiveShellApp.extensions = ["dialog_ext"]
c.DialogExt.words_per_second = 100000
c.InteractiveShell.history_manager_class = "IPython.core.history.HistoryManager"
c.HistoryManager.enabled = False
"""
"""IPython's configuration, with the extension loaded and a quick model."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A Jupyter server with a folder of its own and nothing of the user's.

    Parameters
    ----------
    kind : str
        "lab" or "notebook".
    ipython : str
        IPython's configuration.
    settings : dict, optional
        Settings of JupyterLab's plugins.
    options : sequence of str
        Further options of the command.
    collaborative : bool
        Whether real-time collaboration is on, where it is installed.
    """

    def __init__(
        self,
        kind: str = "lab",
        ipython: str = LOADED,
        settings: dict[str, Any] | None = None,
        options: Sequence[str] = (),
        collaborative: bool = False,
        env: dict[str, str] | None = None,
    ) -> None:
        self.kind = kind
        self.root = Path(tempfile.mkdtemp(prefix=f"{kind}-"))
        self.folder = self.root / "work"
        self.folder.mkdir()
        profile = self.root / "ipython" / "profile_default"
        profile.mkdir(parents=True)
        (profile / "ipython_config.py").write_text(ipython)
        config = self.root / "config" / "labconfig"
        config.mkdir(parents=True)
        overrides = json.dumps(SETTINGS | (settings or {}))
        (config / "default_setting_overrides.json").write_text(overrides)
        self._disabled = {} if collaborative else dict.fromkeys(COLLABORATION, True)
        self.disable()
        extensions = {"jpserver_extensions": {"jupyter_server_ydoc": collaborative}}
        (config.parent / "jupyter_server_config.json").write_text(
            json.dumps({"ServerApp": extensions})
        )
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}/"
        self._log = (self.root / "server.log").open("wb")
        self._process = subprocess.Popen(
            self._command(options),
            env=self._environment() | (env or {}),
            cwd=self.folder,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self._wait()

    def _command(self, options: Sequence[str]) -> list[str]:
        app = {"lab": "LabApp", "notebook": "JupyterNotebookApp"}[self.kind]
        module = {"lab": "jupyterlab", "notebook": "notebook"}[self.kind]
        return [
            *(sys.executable, "-m", module, "--no-browser", "--allow-root"),
            f"--ServerApp.port={self._port}",
            "--ServerApp.port_retries=0",
            "--IdentityProvider.token=",
            "--ServerApp.password=",
            "--ServerApp.disable_check_xsrf=True",
            f"--ServerApp.root_dir={self.folder}",
            "--ServerApp.terminals_enabled=False",
            f"--{app}.expose_app_in_browser=True",
            f"--{app}.workspaces_dir={self.root / 'workspaces'}",
            f"--{app}.user_settings_dir={self.root / 'settings'}",
            "--LabApp.news_url=None",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.extension_manager=readonly",
            *options,
        ]

    def _environment(self) -> dict[str, str]:
        return os.environ | {
            "HOME": str(self.root),
            "IPYTHONDIR": str(self.root / "ipython"),
            "JUPYTER_CONFIG_DIR": str(self.root / "config"),
            "JUPYTER_DATA_DIR": str(self.root / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.root / "runtime"),
            "PYTHONUNBUFFERED": "1",
        }

    def _wait(self) -> None:
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            if self._process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{self.url}api/status", timeout=2).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"The server did not start:\n{self.log}")

    @property
    def log(self) -> str:
        """What the server and its kernels have printed."""
        return (self.root / "server.log").read_text(errors="replace")

    def write(self, name: str, cells: Sequence[Any], **metadata: Any) -> Path:
        """Write a notebook of code cells, given by their sources, and other cells."""
        made = [nbformat.v4.new_code_cell(c) if isinstance(c, str) else c for c in cells]
        known = {key: value for key, value in (KERNEL | metadata).items() if value is not None}
        notebook = nbformat.v4.new_notebook(cells=made, metadata=known)
        path = self.folder / name
        nbformat.write(notebook, path)
        return path

    def address(self, name: str) -> str:
        """The address of a notebook's page; no two pages share a workspace."""
        if self.kind == "notebook":
            return f"{self.url}notebooks/{quote(name)}"
        return f"{self.url}lab/workspaces/{os.urandom(4).hex()}/tree/{quote(name)}?reset"

    def configure(self, ipython: str) -> None:
        """Give kernels that start from now on another configuration of IPython."""
        (self.root / "ipython" / "profile_default" / "ipython_config.py").write_text(ipython)

    def disable(self, extension: str = "", is_off: bool = True) -> None:
        """Let pages that are opened from now on do without a lab extension, or have it again."""
        if extension:
            self._disabled[extension] = is_off
        path = self.root / "config" / "labconfig" / "page_config.json"
        path.write_text(json.dumps({"disabledExtensions": self._disabled}))

    def add_kernel(self, name: str, *command: Any, **env: str) -> None:
        """Add a kernel: a file that Python runs, or a module's options."""
        folder = self.root / "data" / "kernels" / name
        folder.mkdir(parents=True, exist_ok=True)
        argv = [sys.executable, *map(str, command), "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": name, "language": name, "env": env}
        (folder / "kernel.json").write_text(json.dumps(spec))

    def end_kernels(self) -> None:
        """End all kernels."""
        for session in self.get("api/sessions"):
            request = urllib.request.Request(
                f"{self.url}api/sessions/{session['id']}", method="DELETE"
            )
            with suppress(HTTPError):  # gone with another session of the same kernel
                urllib.request.urlopen(request, timeout=TIMEOUT).close()

    def get(self, path: str) -> Any:
        """Ask the server's REST interface."""
        with urllib.request.urlopen(f"{self.url}{path}", timeout=TIMEOUT) as answer:
            return json.load(answer)

    def stop(self) -> None:
        """End the server and its kernels, and delete its folder."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        shutil.rmtree(self.root, ignore_errors=True)


@contextmanager
def server(kind: str = "lab", **options: Any) -> Iterator[Server]:
    """Run a server."""
    running = Server(kind, **options)
    try:
        yield running
    finally:
        running.stop()


@contextmanager
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """Run Debian's Chromium."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
    try:
        yield browser
    finally:
        browser.close()


class NotebookPage:
    """A notebook that is open on a page.

    What a person does goes through keyboard and mouse; what the test reads comes from the
    page's own model.
    """

    def __init__(self, browser: Browser, server: Server, name: str) -> None:
        self.server = server
        self.name = name
        self.context = browser.new_context(viewport={"width": 1200, "height": 900})
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT * 1000)
        self.errors: list[str] = []
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self._note(str(error)))
        self._bytes = 0
        self.on_frame: Callable[[int], object] | None = None
        self.page.on("websocket", lambda socket: socket.on("framesent", self._on_frame))
        self.page.add_init_script(HELPERS)
        self.page.goto(server.address(name))

    def _on_console(self, message: Any) -> None:
        if message.type == "error":
            self._note(f"{message.text} {message.location.get('url', '')}")

    def _note(self, error: str) -> None:
        if not any(known.search(error) for known in KNOWN_ERRORS):
            self.errors.append(error)

    def _on_frame(self, payload: str | bytes) -> None:
        if TYPE.encode() in (payload.encode() if isinstance(payload, str) else payload):
            self._bytes += len(payload)
            if self.on_frame:
                self.on_frame(len(payload))

    @property
    def bytes_sent(self) -> int:
        """Bytes of all our messages that the page has sent, headers included."""
        return self._bytes

    def close(self) -> None:
        self.context.close()

    def ready(self) -> NotebookPage:
        """Wait for the notebook and its kernel."""
        self.wait("t.ready()")
        return self

    def js(self, expression: str, argument: Any = None) -> Any:
        """Evaluate an expression; ``t`` has the helpers, ``a`` is the argument."""
        return self.page.evaluate(
            f"async a => {{ const t = window.dialogTest; return {expression}; }}", argument
        )

    def wait(self, expression: str, argument: Any = None, timeout: float = TIMEOUT) -> Any:
        """Wait until an expression is true; its last value."""
        end = time.monotonic() + timeout
        value: Any = None
        while time.monotonic() < end:
            try:
                if value := self.js(expression, argument):
                    return value
            except BrowserError as error:
                value = error
            self.page.wait_for_timeout(20)
        raise TimeoutError(f"{expression} of {argument!r} is {value!r}\n{self.server.log[-2000:]}")

    # -- reading

    def cells(self) -> list[dict[str, Any]]:
        """The notebook's cells as the page would save them."""
        return self.js("t.cells()")

    def sources(self) -> list[str]:
        return [cell["source"] for cell in self.cells()]

    def ids(self) -> list[str]:
        return [cell["id"] for cell in self.cells()]

    def outputs(self, index: int) -> list[dict[str, Any]]:
        return self.cells()[index].get("outputs", [])

    def text(self, index: int) -> str:
        """What a cell's outputs say."""
        return text_of(self.outputs(index))

    @property
    def is_dirty(self) -> bool:
        return bool(self.js("t.panel().context.model.dirty"))

    def cell(self, index: int) -> Locator:
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    @property
    def active(self) -> int:
        return int(self.js("t.notebook().activeCellIndex"))

    @property
    def count(self) -> int:
        return int(self.js("t.notebook().widgets.length"))

    @property
    def status(self) -> str:
        """The kernel's status as the page shows it."""
        return str(self.js("t.connection()?.status"))

    # -- doing

    def click(self, index: int) -> None:
        """Click beside a cell, which makes it the active one."""
        self.js("t.notebook().scrollToItem(a).catch(() => undefined)", index)
        cell = self.cell(index)
        cell.click(position={"x": 40, "y": 8}, force=True)
        self.press("Escape")

    def drag(self, index: int, target: int) -> None:
        """Move a cell by the mouse."""
        place = self.cell(index).locator(".jp-InputPrompt").first
        start, end = place.bounding_box(), self.cell(target).bounding_box()
        if start is None or end is None:
            return
        self.page.mouse.move(start["x"] + 20, start["y"] + 5)
        self.page.mouse.down()
        self.page.mouse.move(start["x"] + 30, start["y"] + 15, steps=3)
        self.page.mouse.move(end["x"] + 100, end["y"] + end["height"] - 2, steps=5)
        self.page.mouse.up()

    def reset(self, cells: Sequence[Any]) -> None:
        """Begin again with these cells, on the same page and kernel."""
        self.press("Escape")
        self.settle()
        self.js("t.reset(a)", [dict(cell) for cell in cells])

    def command(self, name: str, **arguments: Any) -> Any:
        """Run a command of the page, as a menu does."""
        return self.js("window.jupyterapp.commands.execute(a[0], a[1])", [name, arguments])

    def settle(self) -> None:
        """Wait until the kernel has nothing left to run."""
        self.wait("t.isSettled()")

    def select(self, index: int) -> None:
        """Make a cell the active one, in command mode."""
        self.js("t.select(a)", index)

    def edit(self, index: int) -> None:
        """Put the cursor at the end of a cell's text."""
        self.select(index)
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Control+End")

    def write(self, index: int, text: str) -> None:
        """Replace a cell's text by typing."""
        self.edit(index)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.type(text)

    def type(self, text: str) -> None:
        self.page.keyboard.insert_text(text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def start(self, index: int) -> None:
        """Run a cell as a person does, without waiting for its end."""
        self.select(index)
        self.page.keyboard.press("Control+Enter")

    def run(self, index: int) -> str:
        """Run a cell to its end; what its outputs say."""
        self.start(index)
        self.finished(index)
        return self.text(index)

    def finished(self, index: int) -> None:
        """Wait until a cell has run."""
        self.wait("t.isDone(a)", index)

    def kernel(self, code: str) -> str:
        """Run code in the kernel outside all cells, as this page; what it prints."""
        return str(self.js("t.execute(a)", code))

    def linked(self) -> NotebookPage:
        """Wait until the kernel has the notebook as this page has it."""
        self.wait_for_kernel(lambda: self.kernel(ASK_IDS).strip() == " ".join(self.ids()))
        return self

    def wait_for_kernel(self, is_true: Callable[[], bool], timeout: float = 20) -> None:
        end = time.monotonic() + timeout
        while not is_true():
            if time.monotonic() > end:
                raise TimeoutError(self.server.log[-3000:])
            self.page.wait_for_timeout(50)


ASK_IDS: Final = "print(*(m.id for m in __import__('dialog_ext').get_session().dialog.messages))"

TYPE: Final = "dialog_ext_sync"

KNOWN_ERRORS: Final = (
    re.compile("reading 'schema'"),  # Notebook 7.6, at each start
    re.compile("Could not restore the debugger state: Canceled future"),  # at a restart
    re.compile(r"Comm not found for comm id \w+-"),  # two pages, one kernel: the widgets' own
)
"""Errors that the front ends make without any extension."""

HELPERS: Final = """
window.dialogTest = {
  panel() {
    const shown = [...window.jupyterapp.shell.widgets('main')];
    return shown.find(w => w.isVisible && w.content?.model?.cells)
      ?? window.jupyterapp.shell.currentWidget;
  },
  notebook() { return this.panel().content; },
  model() { return this.notebook().model; },
  connection() { return this.panel().context.sessionContext.session?.kernel; },
  async ready() {
    const panel = window.jupyterapp && this.panel();
    if (!panel?.context?.isReady) return false;
    await panel.context.ready;
    await panel.sessionContext.ready;
    const kernel = this.connection();
    if (!kernel) return false;
    await kernel.info;
    return kernel.status === 'idle';
  },
  cells() { return this.model().sharedModel.cells.map(cell => cell.toJSON()); },
  async select(index) {
    const notebook = this.notebook();
    notebook.activeCellIndex = index;
    notebook.deselectAll();
    notebook.mode = 'command';
    await notebook.scrollToItem(index).catch(() => undefined);
    await notebook.activeCell.ready;
    notebook.activate();
    notebook.node.focus();
  },
  isDone(index) {
    const cell = this.model().cells.get(index);
    return cell.executionCount !== null && (cell.sharedModel.executionState ?? 'idle') === 'idle';
  },
  watchStatus() {
    this.statuses = [];
    this.connection().statusChanged.connect((_, status) => this.statuses.push(status));
  },
  watchUpdates() {
    this.updateSizes = [];
    this.model().sharedModel.ydoc.on('update', update => this.updateSizes.push(update.length));
  },
  dropUpdates() {
    const kernel = this.connection();
    const send = kernel.sendControlMessage.bind(kernel);
    kernel.sendControlMessage = (message, ...rest) =>
      message.header.msg_type === 'dialog_ext_sync' ? undefined : send(message, ...rest);
  },
  async reset(cells) {
    const shared = this.model().sharedModel;
    shared.transact(() => {
      shared.deleteCellRange(0, shared.cells.length);
      shared.insertCells(0, cells);
    }, false);
    shared.clearUndoHistory();
    await this.select(0);
  },
  isSettled() {
    const isIdle = this.connection().status === 'idle';
    return isIdle && this.model().sharedModel.cells.every(
      cell => cell.cell_type !== 'code' || (cell.executionState ?? 'idle') === 'idle'
    );
  },
  async execute(code) {
    const future = this.connection().requestExecute({ code, store_history: false, silent: false });
    let text = '';
    future.onIOPub = message => {
      const content = message.content;
      if (message.header.msg_type === 'stream') text += content.text;
      if (message.header.msg_type === 'error') text += content.traceback.join('\\n');
    };
    await future.done;
    return text;
  }
};
"""


def text_of(outputs: Sequence[dict[str, Any]]) -> str:
    """What outputs say, as plain text."""
    parts = []
    for output in outputs:
        text = output.get("text", "")
        parts.append("".join(text))
        parts.extend(output.get("traceback", []))
        data = output.get("data", {})
        parts.append("".join(data.get("text/markdown", data.get("text/plain", ""))))
    return "\n".join(filter(None, parts))
