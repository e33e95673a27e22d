"""The dialog as far as this kernel knows it by itself: what was executed, in order."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from operator import is_not
from typing import Any

from ..dialog import Dialog, Message, mk_error, mk_execresult, scode, sprompt
from ..prompt.grammar import prompt_text, split_cell
from ..prompt.reply import Reply
from .capped import CAP, CappedOutputs, text_size
from .capture import OUTPUTS, IOPubTap
from .widgets import OutputWidgets


class Executed:
    """Build a dialog from the cells that a kernel runs.

    A cell that runs again keeps its place and its identity; its text and its outputs are
    the newest. Cells are told apart by the id that the front end sends; where it sends
    none (nbclient, consoles), each run is a cell of its own.

    Parameters
    ----------
    kernel : ipykernel.kernelbase.Kernel or None
        Whose outputs to listen to; None where there is no kernel (terminal IPython).
    cap : int
        Characters of text that are kept of one cell's outputs: head and tail.

    Attributes
    ----------
    named, gone : set of str
        Ids that the front end gave, and those of cells that it deleted.
    running : Message or None
        The cell that runs now.
    quietly : callable
        Gives a context in which outputs are put into messages, unseen by open notebooks.
    others : callable
        Gives further dialogs, of open notebooks, whose cells may show a display.
    """

    def __init__(self, kernel: Any = None, cap: int = CAP) -> None:
        self._dialog = Dialog("executed")
        self._cap = cap
        self._capped: dict[Message, CappedOutputs] = {}
        self._widgets = OutputWidgets()
        self._tap: IOPubTap | None = None
        self._by_request: dict[str, Message] = {}
        self._lock = threading.RLock()
        self._without_id: dict[str, Message] = {}
        self._ran: dict[int, Message] = {}
        self._by_id: dict[str, Message] = {}
        self.named: set[str] = set()
        self.gone: set[str] = set()
        self.running: Message | None = None
        self.quietly: Callable[[], AbstractContextManager[object]] = nullcontext
        self.others: Callable[[], Iterable[Dialog]] = tuple
        self._ran_elsewhere: dict[int, Message] = {}
        if kernel is not None:
            self._tap = IOPubTap(kernel, on_kept=self.kept)

    def close(self) -> None:
        """Stop listening to the kernel."""
        if self._tap is not None:
            self._tap.close()

    def seed(self, ran: Iterable[tuple[str, Mapping[str, Any] | None]]) -> None:
        """Take in what ran before there was anybody to listen.

        Parameters
        ----------
        ran : iterable of (str, dict or None)
            Each cell's source, oldest first, and the MIME bundle of its result.
        """
        for source, data in ran:
            message = self._placed(source, None)
            if data:
                message.add_output(mk_execresult(dict(data)))
            # a front end that tells ids will name it when it runs again
            self._without_id[source] = message

    @property
    def ran(self) -> list[Message]:
        """Messages of cells that have run here, in the order of their first runs."""
        return list(self._ran.values())

    @property
    def dialog(self) -> Dialog:
        """The dialog with all outputs until now, those that are still buffered included."""
        self.catch_up()
        return self._dialog

    def catch_up(self) -> None:
        """Take in all outputs until now, those that are still buffered included."""
        if self._tap is not None:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        self.fold()

    def has_run(self, message: Message) -> bool:
        """Whether the cell of a message has run in this kernel."""
        return (
            id(message) in self._ran_elsewhere
            or id(message) in self._ran
            or message.content in self._without_id
        )

    def start(
        self, source: str, cell_id: str | None, request: str, message: Message | None = None
    ) -> Message | None:
        """Note that a cell begins to run.

        Parameters
        ----------
        source : str
            The cell's source as the user typed it.
        cell_id : str or None
            The cell's id where the front end tells it.
        request : str
            Id of the execute request; a second start within one request is code that
            runs code, and no cell of its own.
        message : Message, optional
            The cell's message in an open notebook; default: one of the dialog here.

        Returns
        -------
        Message or None
            The cell's message; None for nested code.
        """
        self.fold()
        with self._lock:
            if request in self._by_request or (not request and self.running):
                return None
            if message is None:
                message = self._placed(source, cell_id)
            else:
                self._ran_elsewhere[id(message)] = message
                with self.quietly():
                    message.output = []
            if request:
                self._by_request[request] = message
            self.running = message
            return message

    def finish(
        self,
        result: Any,
        formatted: Callable[[Any], tuple[Any, Any]],
        printed: Iterable[dict[str, Any]] = (),
    ) -> None:
        """Note that the running cell has ended.

        Parameters
        ----------
        result : IPython.core.interactiveshell.ExecutionResult
            What came of it; read only where no kernel publishes it.
        formatted : callable
            Gives the MIME bundle and the metadata of a value.
        printed : iterable of dict
            What else it showed, as outputs; taken only where no kernel publishes it.
        """
        message, self.running = self.running, None
        if self._tap is not None or message is None or message.msg_type == sprompt:
            return
        for output in printed:
            message.add_output(output)
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            message.add_output(mk_error(type(error).__name__, str(error), []))
        elif result.result is not None:
            data, metadata = formatted(result.result)
            message.add_output(mk_execresult(data, metadata, result.execution_count or 1))

    def record(self, reply: Reply) -> None:
        """Keep a reply of the running cell where no kernel publishes it."""
        if self._tap is None and self.running is not None:
            self.running.output = [reply.output]

    def forget(self, cell_ids: list[str]) -> None:
        """Drop the cells that the front end says were deleted."""
        with self._lock:
            self.gone.update(cell_ids)
            for cell_id in cell_ids:
                self._by_id.pop(cell_id, None)
            gone = [m for m in map(self._dialog.get, cell_ids) if m is not None]
            for message in gone:
                self._ran.pop(id(message), None)
            if gone:
                self._dialog.remove_msgs(gone)

    def rehome(self, find: Callable[[str], Message | None]) -> list[tuple[str, Message]]:
        """Let cells that ran be the messages of an open notebook from now on.

        Parameters
        ----------
        find : callable
            Given a cell's id, gives that notebook's message, or None.

        Returns
        -------
        list of (str, Message)
            Requests whose outputs go to another message now, oldest first.
        """
        self.fold()
        moved = []
        with self._lock:
            last = {id(message): at for at, message in enumerate(self._by_request.values())}
            for at, (request, message) in enumerate(self._by_request.items()):
                other = find(message.id) if message.dlg is self._dialog else None
                # a cell that has run again since, in the notebook, has newer outputs
                if other is None or last.get(id(other), at) > at:
                    continue
                if other.msg_type in (scode, sprompt):
                    moved.append((request, other))
                    other.output = message.output
                    self._ran_elsewhere[id(other)] = other
                    if self.running is message:
                        self.running = other
            self._by_request.update(moved)
        return moved

    def arrange(self, messages: list[Message]) -> None:
        """Put the dialog's messages in this order; those that ran must be among them."""
        with self._lock:
            there = self._dialog.messages
            if len(there) != len(messages) or any(map(is_not, there, messages)):
                self._dialog.messages = messages

    def kept(self, full: bool) -> None:
        """Fold what the tap has kept if much is pending, or if no cell runs to wait for."""
        if full or self.running is None:
            self.fold()

    def fold(self) -> None:
        """Give each message the outputs that were published for it."""
        if self._tap is None:
            return
        with self._lock:
            for request, jmsg in self._tap.drain():
                if jmsg["msg_type"] not in OUTPUTS:
                    self._widgets.follow(jmsg)
                elif not self._widgets.take(request):
                    with self.quietly():
                        self._add(self._by_request.get(request), jmsg)

    def _placed(self, source: str, cell_id: str | None) -> Message:
        msg_type = sprompt if split_cell(source) else scode
        content = prompt_text(source)
        message = self._known(source, cell_id) if cell_id else None
        if message is None:
            message = self._dialog.mk_message(content, msg_type=msg_type, id=cell_id)
            self._note(message, cell_id)
            return message
        self._note(message, cell_id)
        if message.msg_type != msg_type:
            message.msg_type = msg_type
        message.content = content
        message.output = []
        return message

    def _note(self, message: Message, cell_id: str | None) -> None:
        """Note that a cell ran: for the first time here, or one more time."""
        self._ran.setdefault(id(message), message)
        if cell_id:
            self.named.add(cell_id)
            self.gone.discard(cell_id)
            self._by_id[cell_id] = message

    def _known(self, source: str, cell_id: str) -> Message | None:
        """The message of a cell that has run before; one that ran unnamed gets its name."""
        message = self._dialog.get(cell_id) or self._by_id.get(cell_id)
        if message is None and (message := self._without_id.pop(source, None)):
            message.id = cell_id
        return message

    def _add(self, message: Message | None, jmsg: dict[str, Any]) -> None:
        """Add one published message; an update reaches each cell that shows the display."""
        if jmsg["msg_type"] == "update_display_data":
            for dialog in (self._dialog, *self.others()):
                dialog.update_display(jmsg)
        elif message is not None:
            message.add_output(jmsg)
            size = text_size({"output_type": jmsg["msg_type"], **jmsg["content"]})
            capped = self._capped.setdefault(message, CappedOutputs(self._cap))
            if capped.grown(size):
                message.output = capped.trimmed(message.output)
