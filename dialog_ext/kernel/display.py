"""Show a reply: on a page as one display updated in place, in a terminal as it grows."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from ..prompt.reply import Reply


class PageDisplay:
    """A display of one reply in the running cell's outputs.

    Parameters
    ----------
    publisher : IPython.core.displaypub.DisplayPublisher
        The shell's ``display_pub``.
    """

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher
        self._transient = {"display_id": os.urandom(8).hex()}
        self._shown = False

    def append(self, reply: Reply) -> None:
        """Show this state in place of the one before."""
        self._publisher.publish(
            data=reply.data,
            metadata=reply.metadata,
            transient=self._transient,
            update=self._shown,
        )
        self._shown = True


class TerminalDisplay:
    """A reply printed where the cursor stands; what is on the screen stays there.

    Parameters
    ----------
    record : callable
        Gets each state too, since nothing else keeps what a terminal shows.
    """

    def __init__(self, record: Callable[[Reply], object]) -> None:
        self._record = record
        self._shown = ""

    def append(self, reply: Reply) -> None:
        """Print what is new in this state."""
        self._record(reply)
        if reply.state == "waiting":
            return
        text = reply.shown
        if text.startswith(self._shown):
            sys.stdout.write(text[len(self._shown) :])
        else:
            sys.stdout.write("\n" + text)
        self._shown = text
        if reply.state != "streaming":
            sys.stdout.write("\n")
        sys.stdout.flush()


class NoDisplay:
    """For a turn that nobody watches."""

    def append(self, reply: Reply) -> None:
        """Show nothing."""
