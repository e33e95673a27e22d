"""A message's place among the others of its dialog."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self, cast

if TYPE_CHECKING:
    from .dialog import Dialog
    from .message import Message


class Placed:
    """What a message knows of its neighbours.

    Attributes
    ----------
    id : str
        Its id.
    dlg : Dialog or None
        The dialog it belongs to.
    """

    if TYPE_CHECKING:
        id: str
    dlg: Dialog | None

    def rel_msg(self, is_up: bool) -> Message | None:
        """Find a neighbour.

        Parameters
        ----------
        is_up : bool
            Whether to look up.

        Returns
        -------
        Message or None
            None at the ends, and for a message that is in no dialog.
        """
        if self.dlg is None:
            return None
        return self.dlg.messages.neighbour(cast("Message", self), -1 if is_up else 1)

    def previous(self) -> Message | None:
        """The message above; None at the start."""
        return self.rel_msg(True)

    def next(self) -> Message | None:
        """The message below; None at the end."""
        return self.rel_msg(False)

    def insert_after(self, msgs: Message | Iterable[Message]) -> list[Message]:
        """Put messages below this one.

        Parameters
        ----------
        msgs : Message or iterable of Message
            They keep their order; those that are in the dialog already are moved.

        Returns
        -------
        list of Message
            The messages.

        Raises
        ------
        ValueError
            If this message is in no dialog.
        """
        if self.dlg is None:
            raise ValueError(f"message {self.id} is in no dialog: nothing can stand below it")
        return self.dlg.messages.move_after(
            cast("Message", self), [msgs] if isinstance(msgs, Placed) else msgs
        )

    def remove_from_dlg(self) -> Self:
        """Take this message out of its dialog, if it is in one, and give it back."""
        if self.dlg is not None:
            self.dlg.remove_msgs([cast("Message", self)])
        return self
