"""Messages between the kernel and the pages that show its notebooks.

From the page they come on the control channel, which is read while a cell runs, on kernels
with and without subshells; to the page they go as messages of iopub. A comm serves as a
beacon: pages see it open, and later ones find it by asking which comms there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

MESSAGE: Final = "dialog_ext_sync"
"""Type of the messages, both ways; the same name in ``labextension/src/sync/protocol.ts``."""
BEACON: Final = "dialog_ext:beacon"
"""Target name of the comm that says that the extension is loaded."""
VERSION: Final = 1


class Received(NamedTuple):
    """A message of a page: what it says, and the bytes that came with it."""

    content: dict[str, Any]
    buffers: list[bytes]


class PageChannel:
    """Listens to pages, and speaks to them.

    Parameters
    ----------
    kernel : ipykernel.kernelbase.Kernel
        The kernel.
    on_message : callable
        Given each :class:`Received`, in the thread of the control channel.
    """

    def __init__(self, kernel: Any, on_message: Callable[[Received], object]) -> None:
        self._kernel = kernel
        self._on_message = on_message
        self._shadowed = kernel.control_handlers.get(MESSAGE)
        kernel.control_handlers[MESSAGE] = self._handle
        self._beacon: Any = None

    def open(self) -> None:
        """Tell all pages that there is somebody to speak to."""
        import comm

        self._beacon = comm.create_comm(target_name=BEACON, data={"version": VERSION})
        # a front end that does not know the target closes the comm; it is to stay listed
        self._beacon.on_close(lambda message: self._relist())

    def close(self) -> None:
        """Stop listening, and tell the pages."""
        handlers = self._kernel.control_handlers
        if handlers.get(MESSAGE) == self._handle:
            del handlers[MESSAGE]
            if self._shadowed is not None:
                handlers[MESSAGE] = self._shadowed
        if self._beacon is not None:
            beacon, self._beacon = self._beacon, None
            beacon.close()

    def send(self, content: dict[str, Any], buffers: Sequence[bytes] = ()) -> None:
        """Send a message to all pages."""
        kernel = self._kernel
        topic = f"{MESSAGE}".encode()
        kernel.session.send(
            kernel.iopub_socket, MESSAGE, content, ident=topic, buffers=list(buffers)
        )

    def _handle(self, stream: Any, ident: Any, message: dict[str, Any]) -> None:
        content = message.get("content")
        if isinstance(content, dict):
            self._on_message(Received(content, [bytes(b) for b in message.get("buffers") or ()]))

    def _relist(self) -> None:
        beacon = self._beacon
        manager = getattr(self._kernel, "comm_manager", None)
        if beacon is not None and manager is not None:
            # the manager drops it from its list after this call
            with suppress(AttributeError):
                self._kernel.io_loop.add_callback(manager.comms.setdefault, beacon.comm_id, beacon)
