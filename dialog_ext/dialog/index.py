"""Where each object of a list stands, and which message has an id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .message import Message


class Index:
    """The index of a list of messages.

    The index keeps, beside the list, the identities (``id()``) of its members in order and
    a position for each, which was right when it was noted. Every insertion and removal
    since then (``_edits`` of them) has moved a member by at most one place, so it stands
    at most that far from there: it is looked for in that window, which costs no Python
    code for a member. When the window has grown to about the square root of the list, all
    positions are noted anew. Appending moves nobody.

    Positions are of identities, not of ids: two messages of one id are two members. The
    same message twice in a list stands at its first place.

    Attributes
    ----------
    ids : dict of str to Message
        A message for each id.
    twice : bool
        Whether some message may be in the list more than once.
    """

    __slots__ = ("_at", "_edits", "_keys", "_same_id", "ids", "twice")

    def __init__(self) -> None:
        self.rebuild(())

    def rebuild(self, members: Iterable[Message]) -> None:
        """Index a list from scratch."""
        self.ids: dict[str, Message] = {}
        self._same_id: dict[str, list[Message]] = {}
        members = list(members)
        self._keys = list(map(id, members))
        self._note_positions()
        unique = members if not self.twice else list({id(m): m for m in members}.values())
        for message in unique:
            self._note_id(message)

    def _note_positions(self) -> None:
        keys = self._keys
        self._edits = 0
        # backwards, so that the first place of a member is noted last
        self._at = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        self.twice = len(self._at) < len(keys)

    def has(self, message: Message) -> bool:
        """Whether this very message is a member."""
        return id(message) in self._at

    def place(self, message: Message) -> int | None:
        """Position of this very message; None if it is no member."""
        key, keys = id(message), self._keys
        at = self._at.get(key)
        if at is None:
            return None
        if self.twice:
            return keys.index(key)
        if at < len(keys) and keys[at] == key:
            return at
        if self._edits > 64 + 2 * isqrt(len(keys)):
            self._note_positions()
            return self._at[key]
        start = max(at - self._edits, 0)
        return keys.index(key, start, at + self._edits + 1)

    def first(self, mid: str) -> Message | None:
        """The message of an id, the first one if several have it; None if none has."""
        if mid in self._same_id:
            return min(self._same_id[mid], key=lambda m: self._keys.index(id(m)))
        return self.ids.get(mid)

    def count(self, mid: str) -> int | None:
        """How many members have an id; None if it takes counting."""
        if self.twice or mid in self._same_id:
            return None
        return int(mid in self.ids)

    def insert(self, at: int, message: Message) -> bool:
        """Note that a message was inserted; say whether it is a new member."""
        key = id(message)
        new = key not in self._at
        if at == len(self._keys):
            self._keys.append(key)
        else:
            self._keys.insert(at, key)
            self._edits += 1
        if new:
            self._at[key] = at
            self._note_id(message)
        else:
            self.twice = True
        return new

    def remove(self, at: int, message: Message) -> bool:
        """Note that the message at a place was removed; say whether it is no member now."""
        key = self._keys.pop(at)
        self._edits += 1
        if self.twice and key in self._keys:
            self._note_positions()
            return False
        del self._at[key]
        self._drop_id(message, message.id)
        return True

    def reorder(self, members: Sequence[Message]) -> None:
        """Note that the same members stand in another order."""
        self._keys = list(map(id, members))
        self._note_positions()

    def renamed(self, message: Message, old: str) -> None:
        """Note that a member has another id."""
        self._drop_id(message, old)
        self._note_id(message)

    def _note_id(self, message: Message) -> None:
        other = self.ids.setdefault(message.id, message)
        if other is not message:
            self._same_id.setdefault(message.id, [other]).append(message)

    def _drop_id(self, message: Message, mid: str) -> None:
        same = self._same_id.get(mid)
        if same is None:
            del self.ids[mid]
            return
        same[:] = [other for other in same if other is not message]
        self.ids[mid] = same[0]
        if len(same) == 1:
            del self._same_id[mid]
