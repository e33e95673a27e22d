"""See every message that the kernel publishes, without slowing the publishing down."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

_PENDING_BYTES: Final = 8_000_000
"""Frames held undecoded beyond this are handed on at once, so that memory stays bounded."""


OUTPUTS: Final = frozenset(
    ("stream", "display_data", "execute_result", "error", "update_display_data", "clear_output")
)
READ: Final = OUTPUTS | {"comm_open", "comm_msg", "comm_close"}
"""Kinds of messages that are decoded; the rest (status, execute_input) bears no output."""


class Published(NamedTuple):
    """One message of the iopub channel, with the id of the request it answers ("" for none)."""

    request: str
    message: dict[str, Any]


class IOPubTap:
    """Listen in on a kernel's iopub thread.

    All that a kernel publishes, from whatever thread, passes its iopub thread's
    ``send_multipart``. The tap stands in its place on that one object, keeps a reference
    to the frames and passes them on; they are decoded when somebody reads them.

    Parameters
    ----------
    kernel : ipykernel.kernelbase.Kernel
        The kernel to listen to.
    on_kept : callable, optional
        Called after each message that was kept, in the thread that published it, with
        whether so much is pending that it should :meth:`drain`.
    """

    def __init__(self, kernel: Any, on_kept: Callable[[bool], None] | None = None) -> None:
        self._session = kernel.session
        self._thread = kernel.iopub_thread
        self._pending: deque[list[Any]] = deque()
        self._bytes = 0
        self._lock = threading.Lock()
        self._on_kept = on_kept
        self._send = self._thread.send_multipart
        self._thread.send_multipart = self._tap = partial(_tapped, self)

    def close(self) -> None:
        """Stop listening and put the thread's own method back."""
        if self._thread.__dict__.get("send_multipart") is self._tap:
            del self._thread.send_multipart
        self._pending.clear()

    def drain(self) -> Iterator[Published]:
        """Give what was published since the last call, in order."""
        with self._lock:
            taken, self._pending, self._bytes = self._pending, deque(), 0
        for frames in taken:
            if published := self._decoded(frames):
                yield published

    def _keep(self, frames: list[Any]) -> None:
        size = sum(len(frame) for frame in frames[3:])
        with self._lock:
            self._pending.append(frames)
            self._bytes += size
            full = self._bytes > _PENDING_BYTES
        if self._on_kept:
            self._on_kept(full)

    def _decoded(self, frames: list[Any]) -> Published | None:
        """The message in these frames; None for one that bears no output or is broken."""
        try:
            _, (_, header, parent, metadata, content, *_) = self._session.feed_identities(frames)
            unpack = self._session.unpack
            head = unpack(header)
            if head["msg_type"] not in READ:
                return None
            request = unpack(parent).get("msg_id", "")
            message = {"header": head, "msg_type": head["msg_type"]}
            message |= {"metadata": unpack(metadata), "content": unpack(content)}
        except (ValueError, KeyError, TypeError):
            return None
        return Published(request, message)


def _tapped(tap: IOPubTap, frames: list[Any], *args: Any, **kwargs: Any) -> Any:
    tap._keep(list(frames))
    return tap._send(frames, *args, **kwargs)
