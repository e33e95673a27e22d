"""The session: the one object per kernel that owns what ``%load_ext`` set up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any, Final

from traitlets import Float, Int, Unicode
from traitlets.config import Configurable

from ..core import Context
from ..dialog import Dialog, Message, mk_dispdata, mk_stream, scode
from ..errors import PromptUsageError
from ..model import FakeLLMModel, LLMModel
from ..model.base import display_name
from ..model.registry import DEFAULT_MODEL
from ..prompt.context import NOT_RUN
from ..prompt.grammar import ParsedPrompt
from ..prompt.request import Request, build_request
from ..prompt.scope import messages_above, messages_for
from ..turn import Display, Turn, run_turn
from . import surrogates, transform
from .capped import CAP
from .display import NoDisplay, PageDisplay, TerminalDisplay
from .executed import Executed
from .instep import InStep
from .live import LiveSource
from .namespace import find_model
from .overlay import overlay
from .report import ago
from .saved import NotebookFiles, told_path

_TEXTS: Final = {"text/plain", "text/markdown"}
_LATE: Final = "The page's last edits did not come within a second: the prompt goes without them."
_STREAMS: Final = {"out_stream": "stdout", "err_stream": "stderr"}
_FILE_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}").fullmatch
"""What nbformat takes for a cell's id; VS Code names cells by URIs, which no file holds."""


class DialogExt(Configurable):
    """Settings, as ``c.DialogExt.model = ...`` in a configuration file of IPython."""

    model = Unicode(DEFAULT_MODEL, help="Name of the model that answers prompts.").tag(config=True)
    output_cap = Int(
        CAP, help="Characters of text kept of one cell's outputs, in the kernel's copy."
    ).tag(config=True)
    words_per_second = Float(50.0, help="Pace of the offline model; real ones set their own.").tag(
        config=True
    )


class Session:
    """What the extension keeps in one kernel.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell that loaded the extension.

    Attributes
    ----------
    last_turn : Turn or None
        The last turn that ended, whatever came of it.
    last_request : Request or None
        What was sent last, whatever came of it: ``.messages`` is the list of wire dicts
        exactly as given to the model, ``.cells`` the ids of their cells, ``.tokens``
        their approximate size.
    """

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.settings = DialogExt(parent=shell)
        self.last_request: Request | None = None
        self.last_turn: Turn | None = None
        self._model: LLMModel | None = None
        self._running: Any = None
        self._undo = ExitStack()
        self._kernel = kernel = getattr(shell, "kernel", None)
        self._executed = Executed(kernel, self.settings.output_cap)
        self._undo.callback(self._executed.close)
        if kernel is not None:
            self._undo.enter_context(surrogates.replaced(kernel))
        self._undo.enter_context(transform.registered(shell))
        self._executed.seed(self._ran_before())
        self._in_step = InStep()
        self._undo.callback(self._in_step.close)
        path = told_path(shell.user_ns) if kernel is not None else None
        self._files = NotebookFiles(path) if path else None
        self._live = LiveSource(kernel, self._executed) if kernel is not None else None
        if self._live is not None:
            self._undo.callback(self._live.close)
            self._live.begin(self._parent())
        self._listen("pre_run_cell", self._on_start)
        self._listen("post_run_cell", self._on_end)

    def close(self) -> None:
        """Give back all that the session set up."""
        self._undo.close()

    @property
    def dialog(self) -> Dialog:
        """The dialog as the next prompt would see it, outputs up to this moment included."""
        executed = self._executed
        executed.catch_up()
        if self._live is not None and (live := self._live.dialog()) is not None:
            return live
        dialog = executed.dialog
        if self._files is not None:
            running = executed.running.id if executed.running is not None else None
            file = self._files.of(running, executed.named)
            elsewhere = self._files.elsewhere(executed.named)
            ran = [message for message in executed.ran if message.id not in elsewhere]
            named = filter(_FILE_ID, executed.named) if file.has_ids else ()
            saved = file.messages(executed.named)
            executed.arrange(overlay(saved, ran, set(named), executed.gone, file.met))
        return dialog

    @property
    def source(self) -> str:
        """Where the dialog comes from, in words, and how old it is."""
        if self._live is not None and self._live.dialog() is not None:
            return str(self._live.source)
        ran = "what ran in this kernel"
        if self._files is None:
            return ran
        file = self._files.chosen
        file.messages(self._executed.named)
        if file.trouble:
            return f"{ran} ({file.trouble})"
        return f"{file.path.name}, saved {ago(file.age)}, and {ran}"

    @property
    def context(self) -> Context:
        """What a prompt in the running cell would be given, or one at the end.

        Its nodes are those of earlier contexts up to the first message that has changed.
        """
        dialog = self.dialog
        return self._in_step.of(dialog).context(
            messages_above(dialog.messages, self._executed.running)
        )

    @property
    def model(self) -> LLMModel:
        """The model that answers prompts; assign an ``LLMModel`` or a name to change it."""
        if self._model is None:
            self.model = self.settings.model
        assert self._model is not None
        return self._model

    @model.setter
    def model(self, model: LLMModel | str) -> None:
        if isinstance(model, str):
            model = self.find_model(model)
        if not isinstance(model, LLMModel):
            raise TypeError(f"a model is an LLMModel or its name, not {type(model).__name__}")
        self._model = model

    @property
    def model_name(self) -> str:
        """Name of the model, known without making it."""
        return self.settings.model if self._model is None else display_name(self._model)

    def find_model(self, name: str) -> LLMModel:
        """Give the model of a name: a variable of the notebook, or one that is known."""
        model = find_model(name, self.shell.user_ns)
        if name == DEFAULT_MODEL and isinstance(model, FakeLLMModel):
            return model.with_stream_wps(self.settings.words_per_second)
        return model

    def ask(self, text: str) -> str:
        """Ask about the dialog from Python; nothing is shown, and no cell is made.

        Parameters
        ----------
        text : str
            The prompt.

        Returns
        -------
        str
            The reply.

        Raises
        ------
        PromptUsageError
            If the text is empty.
        ModelFailure
            If the model raised.
        """
        if not isinstance(text, str) or not text.strip():
            raise PromptUsageError("A prompt is a str that is not empty: nothing was sent.")
        return self.run(ParsedPrompt(text), NoDisplay()).reply.text

    def run(self, prompt: ParsedPrompt, display: Display) -> Turn:
        """Run one turn for the cell that is running now."""
        model = self.model if prompt.model is None else self.find_model(prompt.model)
        dialog, running = self.dialog, self._executed.running
        if self._live is not None and self._live.is_late:
            print(_LATE)
        return run_turn(
            prompt,
            dialog.messages,
            model,
            display,
            at=running,
            note=self._note(messages_for(dialog.messages, running, prompt.context)),
            steps=self._in_step.of(dialog),
            on_request=self._sent,
            on_turn=self._turned,
        )

    def preview(self, prompt: ParsedPrompt | None = None) -> Request:
        """Make the request that a prompt would send from the running cell.

        Parameters
        ----------
        prompt : ParsedPrompt, optional
            The prompt; default: the request as it is before any prompt is added.
        """
        dialog = self.dialog
        scope = "above" if prompt is None else prompt.context
        messages = messages_for(dialog.messages, self._executed.running, scope)
        return build_request(prompt, messages, self._note(messages), self._in_step.of(dialog))

    def new_display(self) -> Display:
        """Give the display that fits the shell: a page where there is a kernel."""
        if self._kernel is not None:
            return PageDisplay(self.shell.display_pub)
        return TerminalDisplay(self._executed.record)

    def set_speed(self, words_per_second: str) -> None:
        """Set the pace of the offline model.

        Raises
        ------
        PromptUsageError
            If the model in use has no pace, or the text is no positive number.
        """
        try:
            pace = float(words_per_second)
        except ValueError:
            pace = 0.0
        if not 0 < pace < float("inf"):
            raise PromptUsageError(
                f"{words_per_second!r} is not a number of words a second.",
                "For example: %dialog speed 200",
            )
        if not isinstance(self.model, FakeLLMModel):
            raise PromptUsageError(f"The model {self.model.name} sets its own pace.")
        self.model = self.model.with_stream_wps(pace)
        self.settings.words_per_second = pace

    def _sent(self, request: Request) -> None:
        self.last_request = request

    def _turned(self, turn: Turn) -> None:
        self.last_turn = turn

    def _note(self, messages: Iterable[Message]) -> str:
        """What the model should know where saved outputs are older than this kernel."""
        has_run = self._executed.has_run
        older = (m.msg_type == scode and m.output and not has_run(m) for m in messages)
        return NOT_RUN if any(older) else ""

    def _listen(self, event: str, callback: Any) -> None:
        self.shell.events.register(event, callback)
        self._undo.callback(self.shell.events.unregister, event, callback)

    def _on_start(self, info: Any) -> None:
        """Note a cell that begins; one that leaves no history is none of the user's."""
        parent = self._parent()
        if info.silent or not info.store_history:
            if self._live is not None and not self._running:
                self._live.visit(parent)
            return
        deleted = parent.get("metadata", {}).get("deletedCells") or []
        self._executed.forget([str(cell) for cell in deleted])
        request = parent.get("header", {}).get("msg_id", "")
        live = self._live
        message = live.start(parent, info.cell_id) if live and not self._running else None
        if self._executed.start(info.raw_cell, info.cell_id, request, message):
            self._running = info

    def _on_end(self, result: Any) -> None:
        if result.info is self._running:
            self._running = None
            self._executed.finish(
                result, self.shell.display_formatter.format, self._printed(result)
            )

    def _printed(self, result: Any) -> Iterator[dict[str, Any]]:
        """What IPython (9 and newer) itself keeps of a cell's prints and displays."""
        kept = getattr(self.shell.history_manager, "outputs", {})
        for output in kept.get(result.execution_count, ()) if self._kernel is None else ():
            if name := _STREAMS.get(output.output_type):
                yield mk_stream("".join(output.bundle["stream"]), name)
            elif output.output_type == "display_data":
                yield mk_dispdata(dict(output.bundle))

    def _ran_before(self) -> Iterator[tuple[str, dict[str, Any] | None]]:
        """What IPython itself remembers of this kernel's cells: sources and results."""
        results = self.shell.user_ns.get("_oh", {})
        for number, source in enumerate(self.shell.history_manager.input_hist_raw):
            if source.strip():
                data = None
                if number in results:
                    shown = self.shell.display_formatter.format(results[number], include=_TEXTS)
                    data = shown[0]
                yield source, data

    def _parent(self) -> dict[str, Any]:
        return (self._kernel.get_parent() if self._kernel is not None else None) or {}
