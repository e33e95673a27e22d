"""The pages that show this kernel's notebooks, and the dialogs that are in step with them."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..dialog import Dialog, Message
from ..interrupts import HeldInterrupts
from .channel import PageChannel, Received

if TYPE_CHECKING:
    from pycrdt import Doc

    from ..notebook.live import LiveDialog

_LONGEST: Final = 1.0
"""Seconds that a prompt waits for what was typed; a page that was closed sends nothing."""
_FEW: Final = 3
"""Documents kept of one path: a page that was loaded again does not say that it has left."""


class Named(NamedTuple):
    """What an execute request tells of the page that it came from.

    Parameters
    ----------
    nb : str
        Id of the page's document.
    seq : int
        Number of the last update that the page sent before it.
    """

    nb: str
    seq: int


def named_in(metadata: Any) -> Named | None:
    """Read what an execute request's metadata tell; None where they tell nothing."""
    told = metadata.get("dialog_ext") if isinstance(metadata, dict) else None
    if not isinstance(told, dict) or not isinstance(told.get("nb"), str):
        return None
    seq = told.get("seq")
    return Named(told["nb"], seq if isinstance(seq, int) else 0)


class Notebook:
    """A notebook that is, or was, open on some page.

    Parameters
    ----------
    path : str
        Its path, as the server has it.
    send : callable
        Given the notebook and each update that comes of a change of its dialog.
    """

    def __init__(self, path: str, send: Callable[[Notebook, bytes], object]) -> None:
        from ..notebook.live import LiveDialog  # pycrdt is loaded when a page speaks

        self.path = path
        self.dialog = Dialog(PurePosixPath(path).stem)
        self.live: LiveDialog = LiveDialog(self.dialog, lambda update: send(self, update))


class Page:
    """A page's document, as far as the kernel has it."""

    def __init__(self, nb: str, notebook: Notebook, doc: Doc[Any]) -> None:
        self.nb = nb
        self.notebook = notebook
        self.doc = doc
        self.seq = -1
        self.pong = ""
        self.is_ready = False
        self.is_silent = False
        self.is_gone = False
        self.parts: list[bytes] = []
        self.changed = time.time()


class Pages:
    """Keeps a dialog in step with each notebook that is open on a page.

    What pages send is kept by the control channel's thread and taken in by the main thread:
    when it is idle, when a cell starts and ends, and when the dialog is asked for.

    Parameters
    ----------
    kernel : ipykernel.kernelbase.Kernel
        The kernel.
    on_ready : callable
        Told of a notebook whose document has come for the first time from a page.
    on_idle : callable
        Given the id of an execute request all of whose outputs a page has written into the
        document.
    """

    def __init__(
        self,
        kernel: Any,
        on_ready: Callable[[Notebook], object],
        on_idle: Callable[[str], object],
    ) -> None:
        self._kernel = kernel
        self._on_ready = on_ready
        self._on_idle = on_idle
        self._inbox: deque[Received] = deque()
        self._arrived = threading.Condition()
        self._lock = threading.RLock()
        self._pages: dict[str, Page] = {}
        self._notebooks: dict[str, Notebook] = {}
        self._answers: dict[str, Callable[[str, Received], None]] = {
            "hello": self._on_hello,
            "update": self._on_update,
            "pong": self._on_pong,
            "renamed": self._on_renamed,
            "bye": self._on_bye,
        }
        self._channel = PageChannel(kernel, self._receive)
        self._channel.open()

    def close(self) -> None:
        """Leave the pages alone."""
        self._channel.close()
        for notebook in self._notebooks.values():
            notebook.live.close()
        self._pages.clear()
        self._notebooks.clear()

    # -- asking

    def page(self, nb: str) -> Page | None:
        """A page whose document is here."""
        page = self._pages.get(nb)
        return page if page is not None and page.is_ready and not page.is_gone else None

    def show(self, page: Page) -> Notebook:
        """Let a page's notebook be seen as that page has it."""
        page.notebook.live.attach(page.doc)
        return page.notebook

    def catch_up(self, named: Named) -> bool:
        """Wait until a page's edits are here.

        Parameters
        ----------
        named : Named
            The page, and the number of the update that is needed.

        Returns
        -------
        bool
            False if that update did not come within a second. Edits made later, up to
            now, are asked for too; a page that does not answer is not waited for again
            until it says something.
        """
        begin = time.monotonic()
        nonce = os.urandom(6).hex()
        page = self._pages.get(named.nb)
        self._channel.send({"op": "pull" if page else "call", "nb": named.nb, "nonce": nonce})
        while True:
            self.drain()
            page = self._pages.get(named.nb)
            is_here = page is not None and page.is_ready and page.seq >= named.seq
            if page is not None and is_here and (page.is_silent or page.pong == nonce):
                return True
            left = _LONGEST - (time.monotonic() - begin)
            if left <= 0:
                if page is not None:
                    page.is_silent = True
                return is_here
            with self._arrived:
                self._arrived.wait_for(lambda: self._inbox, timeout=left)

    def muted(self) -> AbstractContextManager[object]:
        """Change dialogs without changing what is on the pages."""
        stack = ExitStack()
        for notebook in self._notebooks.values():
            stack.enter_context(notebook.live.muted())
        return stack

    @property
    def dialogs(self) -> Iterable[Dialog]:
        """The dialogs of all notebooks."""
        return [notebook.dialog for notebook in self._notebooks.values()]

    # -- what pages say

    def _receive(self, received: Received) -> None:
        """Keep a message; called in the thread of the control channel."""
        with self._arrived:
            is_first = not self._inbox
            self._inbox.append(received)
            self._arrived.notify_all()
        if is_first:
            self._kernel.io_loop.add_callback(self.drain)

    def drain(self) -> None:
        """Take in what pages have sent; an interrupt waits until it is whole."""
        if self._inbox:
            with self._lock, HeldInterrupts():
                while self._inbox:
                    self._take_in(self._inbox.popleft())

    def _take_in(self, received: Received) -> None:
        answer = self._answers.get(str(received.content.get("op")))
        nb = received.content.get("nb")
        if answer is None or not isinstance(nb, str):
            return
        if page := self._pages.get(nb):
            page.is_silent = False
        try:
            answer(nb, received)
        except Exception:  # a broken message must not fail the cell that runs
            # what the page sends next is answered by a call, and it begins again
            self._pages.pop(nb, None)

    def _on_hello(self, nb: str, received: Received) -> None:
        """A page is there: exchange state vectors, so that each sends what the other lacks."""
        from pycrdt import Doc

        path = str(received.content.get("path", ""))
        state = received.buffers[0] if received.buffers else b"\0"
        page = self._pages.get(nb)
        if page is None:
            doc = self._related(state) or Doc(allow_multithreading=True)
            page = self._pages[nb] = Page(nb, self._notebook(path), doc)
            self._forget_old(page)
        page.is_gone = False
        page.parts.clear()
        lacks = page.doc.get_update(state)
        self._channel.send({"op": "welcome", "nb": nb}, [page.doc.get_state(), lacks])

    def _on_update(self, nb: str, received: Received) -> None:
        page = self._pages.get(nb)
        if page is None:
            self._channel.send({"op": "call", "nb": nb})
            return
        page.parts += received.buffers
        if received.content.get("more"):
            return
        live = page.notebook.live
        if page.parts:
            update = b"".join(page.parts)
            page.parts.clear()
            (live.apply if live.doc is page.doc else page.doc.apply_update)(update)
            page.changed = time.time()
        page.seq = max(page.seq, int(received.content.get("seq", 0)))
        if not page.is_ready:
            page.is_ready = True
            live.attach(page.doc)
            self._on_ready(page.notebook)
        for request in received.content.get("idle") or ():
            self._on_idle(str(request))

    def _on_pong(self, nb: str, received: Received) -> None:
        if page := self._pages.get(nb):
            page.pong = str(received.content.get("nonce", ""))

    def _on_renamed(self, nb: str, received: Received) -> None:
        page = self._pages.get(nb)
        path = str(received.content.get("path", ""))
        if page is None or page.notebook.path == path:
            return
        notebook = page.notebook
        if path not in self._notebooks:
            self._notebooks.pop(notebook.path, None)
            self._notebooks[path] = notebook
            notebook.path, notebook.dialog.name = path, PurePosixPath(path).stem
        else:
            page.notebook = self._notebooks[path]
            page.notebook.live.attach(page.doc)

    def _on_bye(self, nb: str, received: Received) -> None:
        """A page has closed its notebook; where a server shares it, another goes on with it."""
        if page := self._pages.get(nb):
            page.is_gone = True

    # -- documents

    def _notebook(self, path: str) -> Notebook:
        if path not in self._notebooks:
            self._notebooks[path] = Notebook(path, self._send)
        return self._notebooks[path]

    def _related(self, state: bytes) -> Doc[Any] | None:
        """A document that has the same edits as this state: pages that share one by a server."""
        clients = clients_of(state)
        for page in self._pages.values():
            if clients & clients_of(page.doc.get_state()):
                return page.doc
        return None

    def _forget_old(self, newest: Page) -> None:
        same = [p for p in self._pages.values() if p.notebook is newest.notebook]
        for page in same[:-_FEW]:
            del self._pages[page.nb]

    def _send(self, notebook: Notebook, update: bytes) -> None:
        doc = notebook.live.doc
        nbs = [p.nb for p in self._pages.values() if p.doc is doc and not p.is_gone]
        if nbs:
            self._channel.send({"op": "update", "nbs": nbs}, [update])


def clients_of(state: bytes) -> set[int]:
    """The authors whose edits a Yjs state vector counts.

    Parameters
    ----------
    state : bytes
        A state vector, version 1: the number of authors, then for each its id and the
        number of its edits, all as unsigned integers of variable length (lib0's encoding).
    """
    numbers: list[int] = []
    value = shift = 0
    for byte in state:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    return set(numbers[1::2])


def message_of(notebook: Notebook, cell: str | None) -> Message | None:
    """The message of a cell of an open notebook."""
    return notebook.dialog.get(cell) if cell else None
