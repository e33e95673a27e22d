"""The open notebook as the source of the dialog, and the outputs of cells that run in it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from ..dialog import Dialog, Message
from .executed import Executed
from .pages import Named, Notebook, Page, Pages, message_of, named_in
from .report import ago


class LiveSource:
    """Gives the dialog of the notebook that the running cell stands in, where a page shows it.

    Parameters
    ----------
    kernel : ipykernel.kernelbase.Kernel
        The kernel.
    executed : Executed
        What runs; cells of open notebooks are messages of their dialogs.

    Attributes
    ----------
    is_late : bool
        Whether edits that were made before the running cell was started have not come.
    """

    def __init__(self, kernel: Any, executed: Executed) -> None:
        self.is_late = False
        self._executed = executed
        self._named: Named | None = None
        self._is_asked = False
        self._started: dict[str, tuple[Notebook, Message]] = {}
        self._pages = Pages(kernel, self._on_ready, self._on_idle)
        executed.quietly = self._pages.muted
        executed.others = lambda: self._pages.dialogs

    def close(self) -> None:
        """Leave the pages alone."""
        self._pages.close()

    def begin(self, parent: Mapping[str, Any]) -> None:
        """Note the page that an execute request came from."""
        self._pages.drain()
        self._named = named_in(parent.get("metadata"))
        self._is_asked = self.is_late = False

    def start(self, parent: Mapping[str, Any], cell: str | None) -> Message | None:
        """Note that a cell starts, and give its message where a page shows its notebook.

        Parameters
        ----------
        parent : Mapping
            The execute request.
        cell : str or None
            The cell's id.
        """
        self.begin(parent)
        page = self._page()
        if page is None:
            return None
        notebook = self._pages.show(page)
        message = message_of(notebook, cell)
        if message is not None:
            self._hold(parent.get("header", {}).get("msg_id", ""), notebook, message)
        return message

    def visit(self, parent: Mapping[str, Any]) -> None:
        """Note code that is no cell; it sees the notebook of the page that sent it, if any."""
        if named_in(parent.get("metadata")) is not None:
            self.begin(parent)

    def dialog(self) -> Dialog | None:
        """The dialog of the running cell's notebook as its page has it now.

        Returns
        -------
        Dialog or None
            None where no page shows it.
        """
        named = self._named
        if named is not None and not self._is_asked:
            self._is_asked = True
            is_here = self._pages.catch_up(named)
            self.is_late = not is_here and self._pages.page(named.nb) is not None
        self._pages.drain()
        page = self._page()
        if page is None:
            return None
        notebook = self._pages.show(page)
        self._rehome(notebook)
        return notebook.dialog

    @property
    def source(self) -> str | None:
        """Which open notebook it is, in words, and when it was last edited."""
        page = self._page()
        if page is None:
            return None
        name = PurePosixPath(page.notebook.path).name
        return f"{name}, open on a page, last edited {ago(time.time() - page.changed)}"

    def _page(self) -> Page | None:
        return self._pages.page(self._named.nb) if self._named is not None else None

    def _on_ready(self, notebook: Notebook) -> None:
        self._rehome(notebook)

    def _rehome(self, notebook: Notebook) -> None:
        """Let cells that ran before their page was known be messages of its dialog."""
        with notebook.live.muted():
            moved = self._executed.rehome(lambda cell: message_of(notebook, cell))
        for request, message in moved:
            self._hold(request, notebook, message)

    def _hold(self, request: str, notebook: Notebook, message: Message) -> None:
        self._started.pop(request, None)
        self._started[request] = (notebook, message)
        notebook.live.hold(message)

    def _on_idle(self, request: str) -> None:
        """Let the page have the outputs of this request and of those that ran before it."""
        if request not in self._started:
            return
        for earlier in list(self._started):
            notebook, message = self._started.pop(earlier)
            if not any(message is other for _, other in self._started.values()):
                notebook.live.release(message)
            if earlier == request:
                return
