"""``dialog run``: a notebook from top to bottom in a kernel of its own, told as it goes."""

from __future__ import annotations

import asyncio
import re
import signal
import time
import warnings
from pathlib import Path
from typing import Any, Final

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from ..errors import DialogError, RunFailed
from ..prompt.grammar import prompt_text, split_cell
from .files import check_target, write_text

_LOADS: Final = re.compile(r"^\s*%(?:re)?load_ext\s+dialog_ext\b", re.MULTILINE)
_USES: Final = re.compile(r"^\s*%(?:%?prompt|dialog|(?:re)?load_ext\s+dialog_ext)\b", re.MULTILINE)
_ERROR_LINES: Final = 12
INTERRUPTED: Final = 130
"""Exit code after an interrupt, as shells give it (128 + SIGINT)."""


def run_notebook(file: Path, out: Path | None = None, model: str | None = None) -> int:
    """Run a notebook headless and write the result.

    Parameters
    ----------
    file : Path
        The notebook; it is only read.
    out : Path, optional
        Where the executed notebook goes; default: ``NAME.executed.ipynb`` beside it.
    model : str, optional
        Name of the model for prompts that name none.

    Returns
    -------
    int
        0, or 130 if the run was interrupted; what there was then is written.

    Raises
    ------
    RunFailed
        If a cell failed; what there was until then is written.
    DialogError
        If the file cannot be read, or the kernel cannot be started.
    """
    notebook = _read(file)
    target = out or file.with_name(f"{file.stem}.executed.ipynb")
    console = Console(highlight=False, soft_wrap=True)
    run = _Run(notebook, file.resolve().parent, model, console)
    check_target(target)
    try:
        asyncio.run(run.all_cells())
    finally:
        if run.started:
            _write(notebook, target)
            console.print(f"[dim]written:[/] {escape(str(target))}")
    return INTERRUPTED if run.interrupted else 0


def _read(file: Path) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of cells without ids; nothing is lost by that
            return nbformat.read(file, as_version=4)
    except OSError as error:
        raise DialogError(f"{file} cannot be read: {error.strerror}.") from None
    except Exception as error:
        said = str(error).partition("\n")[0][:200]
        raise DialogError(f"{file} is not a notebook: {said}") from None


def _write(notebook: Any, target: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = nbformat.writes(notebook)
    write_text(target, text if text.endswith("\n") else text + "\n")


class _Run(NotebookClient):
    """A notebook client that loads the extension and tells what happens."""

    def __init__(self, notebook: Any, folder: Path, model: str | None, console: Console) -> None:
        super().__init__(notebook, timeout=None, resources={"metadata": {"path": str(folder)}})
        self._model = model
        self._at = 0
        self._teller = _Teller(console, len(notebook.cells))
        self.interrupted = self.started = False

    async def all_cells(self) -> None:
        """Run each cell in turn, until one fails or the user interrupts."""
        try:
            self.extra_arguments = self._arguments()
            async with self.async_setup_kernel():
                asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._on_interrupt)
                self.started = True
                await self._load()
                for index, cell in enumerate(self.nb.cells):
                    await self._one_cell(index, cell)
                    if self.interrupted:
                        break
        except NoSuchKernel as error:
            raise DialogError(
                f"The notebook wants the kernel {error.name!r}, which is not installed here.",
                "jupyter kernelspec list shows those that are.",
            ) from None
        except DeadKernelError:
            raise DialogError(
                f"The kernel died at cell {self._at}; cells below it were not run."
            ) from None

    def _arguments(self) -> list[str]:
        """Arguments that only an IPython kernel understands."""
        self.km = self.create_kernel_manager()
        if self.km.kernel_spec.language != "python":
            return []
        quiet = "--IPKernelApp.log_level=ERROR"  # the console is for the notebook's own words
        return [quiet, *([f"--DialogExt.model={self._model}"] if self._model else [])]

    async def _load(self) -> None:
        """Load the extension where the notebook does not do so before its first prompt."""
        sources = [cell.source for cell in self.nb.cells if cell.cell_type == "code"]
        first = next((source for source in sources if _USES.search(source)), None)
        if first is None or _LOADS.search(first):
            return
        request = self.kc.execute("%load_ext dialog_ext", store_history=False)
        reply = await self.async_wait_for_reply(request)
        content = reply["content"] if reply else {}
        if content.get("status") != "ok":
            raise DialogError(
                f"The kernel cannot load dialog_ext: {content.get('evalue', 'no answer')}.",
                "Prompts need a Python kernel whose environment has dialog_ext installed.",
            )

    async def _one_cell(self, index: int, cell: Any) -> None:
        self._at = index + 1
        if cell.cell_type != "code":
            self._teller.head(index, "note" if cell.cell_type == "markdown" else "raw", cell.source)
            return
        self._teller.begin(index, cell.source)
        try:
            await self.async_execute_cell(cell, index)
        except CellExecutionError as error:
            self._teller.end(failed=True)
            if not self.interrupted:
                self._teller.failure(cell)
                raise RunFailed(index + 1, error.ename, error.evalue, cell.source) from None
        else:
            self._teller.end()

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        """Tell of replies while they come, and leave the rest to nbclient."""
        if msg["msg_type"] in ("display_data", "update_display_data"):
            self._teller.show(msg["content"])
        return super().process_message(msg, cell, cell_index)

    def _on_interrupt(self) -> None:
        """Stop the running cell; a second interrupt stops the kernel too."""
        stop = self.km.shutdown_kernel(now=True) if self.interrupted else self.km.interrupt_kernel()
        self.interrupted = True
        self._stopping = asyncio.ensure_future(stop)


class _Teller:
    """Prints what happens to the console: a line a cell, replies as they stream."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._begun = 0.0
        self._shown = ""

    def begin(self, index: int, source: str) -> None:
        """Tell that a cell begins: the whole of a prompt, the first line of code."""
        self._begun, self._shown = time.monotonic(), ""
        is_prompt = split_cell(source) is not None
        kind, text = ("prompt", prompt_text(source)) if is_prompt else ("code", source)
        indent = self.head(index, kind, text)
        for line in text.strip().splitlines()[1:] if is_prompt else ():
            self._console.print(Text(f"{'':<{indent}}{line}"))

    def head(self, index: int, kind: str, text: str) -> int:
        """Print the line of a cell: its number, kind and first line; give its indent."""
        number = f"[{index + 1}/{self._total}] {kind:<7}"
        first = (text.strip().splitlines() or [""])[0]
        self._console.print(Text.assemble((number, "bold cyan"), first))
        return len(number)

    def show(self, content: Any) -> None:
        """Print what is new of a reply."""
        ours = content.get("metadata", {}).get("dialog_ext")
        if not ours or ours.get("state") == "waiting":
            return
        text = str(content["data"].get("text/markdown", ""))
        new = text[len(self._shown) :] if text.startswith(self._shown) else f"\n{text}"
        self._console.out(new.encode("utf-8", "replace").decode(), end="", style="green")
        self._shown = text

    def end(self, failed: bool = False) -> None:
        """Tell that the cell has ended, and how long it took."""
        if self._shown:
            self._console.print()
        mark, style = ("✗", "red") if failed else ("✓", "dim")
        self._console.print(f"[{style}]{mark} {time.monotonic() - self._begun:.1f} s[/]")

    def failure(self, cell: Any) -> None:
        """Show the failed cell and the end of its error."""
        for line in cell.source.splitlines()[:_ERROR_LINES]:
            self._console.print(Text(f"    {line}", "dim"))
        for output in cell.outputs:
            if output.output_type == "error":
                lines = "\n".join(output.traceback).splitlines()[-_ERROR_LINES:]
                self._console.print(Text.from_ansi("\n".join(lines)))
            elif output.output_type == "stream" and output.name == "stderr":
                self._console.print(Text.from_ansi(output.text.rstrip()))
