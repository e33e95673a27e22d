"""A page as a kernel sees one: a Yjs document, and the messages that keep it in step."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import zmq
from jupyter_client.session import Session
from kernels import Kernel, Ran
from pycrdt import Array, Doc, Map

from dialog_ext.notebook.ydoc import CELLS, META, new_ycell, read_cells

TYPE = "dialog_ext_sync"


def cell(source: str, id_: str, cell_type: str = "code") -> dict[str, Any]:
    return {"id": id_, "cell_type": cell_type, "source": source, "metadata": {}}


class SimulatedPage:
    """Does what ``labextension/src/sync`` does, in Python.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with the extension loaded.
    cells : dict
        The notebook's cells.
    nb, path : str
        What the page tells of itself.
    state : bytes, optional
        The document as another page has it, where a server shares it.
    """

    def __init__(
        self,
        kernel: Kernel,
        *cells: dict[str, Any],
        nb: str = "nb",
        path: str = "n.ipynb",
        state: bytes | None = None,
    ) -> None:
        self.kernel, self.nb, self.path = kernel, nb, path
        self.doc: Doc[Any] = Doc(allow_multithreading=True)
        if state is None:
            self.cells.extend([new_ycell(each) for each in cells])
            self.doc.get(META, type=Map)["metadata"] = Map({})
        else:
            self.doc.apply_update(state)
        self.sent = b"\0"
        self.seq = 0
        self.sizes: list[int] = []
        self.received: list[dict[str, Any]] = []
        self.is_mute = self.is_together = False
        manager = kernel.manager
        self._session = Session(key=manager.session.key, signature_scheme="hmac-sha256")
        self._zmq = zmq.Context()
        self._control = self._zmq.socket(zmq.DEALER)
        self._control.connect(manager._make_url("control"))
        self._iopub = self._zmq.socket(zmq.SUB)
        self._iopub.subscribe(b"")
        self._iopub.connect(manager._make_url("iopub"))
        self._lock = threading.RLock()
        self._is_closed = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        time.sleep(0.1)  # the subscription to iopub takes a moment, and tells nobody

    @property
    def cells(self) -> Array[Any]:
        return self.doc.get(CELLS, type=Array)

    @property
    def sources(self) -> list[str]:
        with self._lock:
            return [each["source"] for each in read_cells(self.cells)]

    def close(self) -> None:
        self._is_closed = True
        self._thread.join()
        self._zmq.destroy(linger=0)

    def tell(self, op: str, buffers: list[bytes] | None = None, **content: Any) -> None:
        """Send a message on the control channel."""
        if self.is_mute:
            return
        message = self._session.msg(TYPE, {"op": op, "nb": self.nb, **content})
        with self._lock:
            self._session.send(self._control, message, buffers=buffers)

    def hello(self) -> None:
        self.tell("hello", [self.doc.get_state()], path=self.path)

    def meet(self) -> SimulatedPage:
        """Say hello, and wait for the answer."""
        self.is_together = False
        self.hello()
        return self.until(lambda: self.is_together)

    def until(self, is_true: Callable[[], object]) -> SimulatedPage:
        end = time.monotonic() + 10
        while not is_true():
            assert time.monotonic() < end
            time.sleep(0.01)
        return self

    def edit(self, change: Callable[[Array[Any]], object]) -> None:
        """Change the document; it is sent when a cell is run."""
        with self._lock:
            change(self.cells)

    def type(self, index: int, text: str) -> None:
        self.edit(lambda cells: cells[index]["source"].insert(0, text))

    def flush(self, **content: Any) -> None:
        """Send what was changed."""
        with self._lock:
            update = self.doc.get_update(self.sent)
            self.sent = self.doc.get_state()
            self.sizes.append(len(update))
            self.seq += 1
            self.tell("update", [update], seq=self.seq, **content)

    def start(self, index: int) -> str:
        """Run a cell, as the page's buttons do."""
        self.flush()
        each = read_cells(self.cells)[index]
        return self.kernel.send(
            each["source"], each["id"], dialog_ext={"nb": self.nb, "seq": self.seq}
        )

    def run(self, index: int) -> Ran:
        """Run a cell to its end; its outputs are put into the document."""
        request = self.start(index)
        ran = self.kernel.collect(request)
        self.edit(lambda cells: cells[index]["outputs"].extend([Map(o) for o in ran.outputs]))
        self.flush(idle=[request])
        return ran

    def _listen(self) -> None:
        while not self._is_closed:
            if not self._iopub.poll(50):
                continue
            _, message = self._session.recv(self._iopub)
            if message["header"]["msg_type"] == TYPE:
                content = message["content"]
                if self.nb in (content.get("nb"), *content.get("nbs", ())):
                    self._on_message(content, [bytes(b) for b in message["buffers"]])

    def _on_message(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.received.append({**content, "bytes": sum(map(len, buffers))})
        if content["op"] == "welcome":
            with self._lock:
                self.sent = buffers[0]
                self.doc.apply_update(buffers[1])
                self.flush()
                self.is_together = True
        elif content["op"] == "update":
            with self._lock:
                self.doc.apply_update(buffers[0])
        elif content["op"] == "pull":
            self.flush()
            self.tell("pong", nonce=content["nonce"], seq=self.seq)
        elif content["op"] == "call":
            self.hello()
