"""Let an interrupt stop the work, but never the saving of what the work has brought."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Final, Self

_PATIENCE: Final = 3
"""So many interrupts while they are held break through: saving itself may hang."""


class HeldInterrupts:
    """Hold SIGINT back for a block, but for the parts that allow it.

    The first interrupt raises ``KeyboardInterrupt`` at once inside :meth:`allowed`, and
    at the end of the whole block anywhere else. Further ones are held, up to three.
    Outside the main thread, where Python delivers no signals, it does nothing; nor where
    they are ignored, as in a kernel between two cells.

    Examples
    --------
    >>> with HeldInterrupts() as interrupts:
    ...     with interrupts.allowed():
    ...         words = ["may", "be", "stopped"]
    ...     saved = " ".join(words)
    """

    def __init__(self) -> None:
        self._open = False
        self._held = 0
        self._previous: Any = None
        self._active = False

    def __enter__(self) -> Self:
        self._previous = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        self._active = is_main and self._previous is not signal.SIG_IGN
        if self._active:
            signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._active:
            signal.signal(signal.SIGINT, self._previous or signal.SIG_DFL)
        if self._held and error is None:
            raise KeyboardInterrupt

    @property
    def came(self) -> bool:
        """Whether an interrupt has come, raised or held, and whoever caught it."""
        return self._held > 0

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Let an interrupt raise inside this block; one that came before it raises at once."""
        self._open = True
        try:
            if self._held:
                raise KeyboardInterrupt
            yield
        finally:
            self._open = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._held += 1
        if self._open or self._held > _PATIENCE:
            self._open = False
            raise KeyboardInterrupt
