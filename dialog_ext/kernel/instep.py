"""What was read of each dialog for earlier requests, kept in step with its changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from ..dialog import Dialog, Message
from ..prompt.steps import Steps

_MOST: Final = 8
"""Dialogs that are followed; the one that was asked for longest ago is read anew."""


class _Followed(NamedTuple):
    dialog: Dialog
    steps: Steps
    observer: Callable[[str, Message | None], None]


class InStep:
    """Gives the steps of any dialog, without those of messages that have changed since."""

    def __init__(self) -> None:
        self._followed: dict[int, _Followed] = {}

    def of(self, dialog: Dialog) -> Steps:
        """The steps of a dialog, which is followed from now on."""
        followed = self._followed.pop(id(dialog), None) or self._follow(dialog)
        self._followed[id(dialog)] = followed
        while len(self._followed) > _MOST:
            self._leave(next(iter(self._followed)))
        return followed.steps

    def close(self) -> None:
        """Leave all dialogs alone."""
        for key in list(self._followed):
            self._leave(key)

    @staticmethod
    def _follow(dialog: Dialog) -> _Followed:
        steps = Steps()

        def observe(kind: str, message: Message | None) -> None:
            steps.forget(message)

        dialog.on_change.append(observe)
        return _Followed(dialog, steps, observe)

    def _leave(self, key: int) -> None:
        dialog, _, observer = self._followed.pop(key)
        if observer in dialog.on_change:
            dialog.on_change.remove(observer)
