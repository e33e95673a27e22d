"""Which of a message's outputs, and which messages of a dialog, show which display."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .message import Message

KEY = "did"
"""Key of the display id in an output's metadata."""


def display_id(output: Any) -> str | None:
    """The display id that an output carries; None where it has none."""
    metadata = output.get("metadata") if isinstance(output, dict) else None
    return metadata.get(KEY) if isinstance(metadata, dict) else None


def named(output: dict[str, Any], did: str | None) -> dict[str, Any]:
    """The output with a display id; the output itself where there is none."""
    if did is None:
        return output
    return {**output, "metadata": {**(output.get("metadata") or {}), KEY: did}}


class Displays:
    """Where in one list of outputs each display stands.

    Outputs are looked at once, when a place is asked for; what is found is checked against
    the list, so edits by hand are seen.
    """

    __slots__ = ("_places", "_seen")

    def __init__(self) -> None:
        self._places: dict[str, list[int]] = {}
        self._seen = 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def catch_up(self, outputs: list[Any], appended: bool = False) -> None:
        """Look at the outputs that were not there the last time.

        Parameters
        ----------
        outputs : list of dict
            The message's outputs.
        appended : bool, default False
            Whether an output was appended just now: a list that is no longer all the same
            was emptied in between.
        """
        if len(outputs) < self._seen + appended:
            self._places.clear()
            self._seen = 0
        for i in range(self._seen, len(outputs)):
            if (did := display_id(outputs[i])) is not None:
                self._places.setdefault(did, []).append(i)
        self._seen = len(outputs)

    def places(self, outputs: list[Any], did: str) -> list[int]:
        """Positions of the outputs that show a display, in order."""
        self.catch_up(outputs)
        places = self._places.get(did, [])
        if any(display_id(outputs[i]) != did for i in places):
            self._places.clear()
            self._seen = 0
            self.catch_up(outputs)
            places = self._places.get(did, [])
        return places


class Showing:
    """Which messages of a dialog may show each display.

    It knows the displays of outputs that were added, assigned, or came with their message.
    A message that shows a display no more may still be among those found: its own
    :class:`Displays` tells.
    """

    __slots__ = ("_messages",)

    def __init__(self) -> None:
        self._messages: dict[str, dict[int, Message]] = {}

    def note(self, message: Message, dids: Iterable[str]) -> None:
        """Note that a message shows displays."""
        for did in dids:
            self._messages.setdefault(did, {})[id(message)] = message

    def forget(self, message: Message, dids: Iterable[str]) -> None:
        """Note that a message shows displays no more."""
        for did in dids:
            showing = self._messages.get(did, {})
            showing.pop(id(message), None)
            if not showing:
                self._messages.pop(did, None)

    def of(self, did: str) -> list[Message]:
        """The messages that may show a display, in the order in which they came to."""
        return list(self._messages.get(did, {}).values())
