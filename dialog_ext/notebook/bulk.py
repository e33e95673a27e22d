"""Making very many objects at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Make objects inside that all stay, without a search for garbage among them.

    Reading a notebook of 5,000 cells takes half the time so: Python looks through all that a
    kernel holds again and again while their number grows.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
