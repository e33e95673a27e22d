"""Lists of messages: any, and the one of a dialog, which knows where each message is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from sys import maxsize
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from .index import Index

if TYPE_CHECKING:
    from .dialog import Dialog
    from .message import Message

_FEW = 32
"""Up to so many members one by one is quicker than the whole list anew."""


class Rows(str):
    """Text that a console and a notebook show as it is, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Msgs(list["Message"]):
    """A list of messages that shows itself as one line a message.

    Parameters
    ----------
    items : iterable of Message or Message, optional
        The messages; a str, bytes, dict or what is no iterable is one item.
    *rest
        Further items, if there is more than one.
    use_list : bool, default False
        Whether ``items`` is taken apart in any case.
    match : int or sized, optional
        The length to have: one item is repeated to it.

    Raises
    ------
    ValueError
        If there are neither one nor ``match`` items.
    """

    __hash__ = None

    def __init__(
        self, items: Any = None, *rest: Any, use_list: bool = False, match: Any = None
    ) -> None:
        if rest:
            items = (items, *rest)
        if items is None and not use_list:
            items = ()
        elif not use_list and (
            isinstance(items, (str, bytes, dict)) or not hasattr(items, "__iter__")
        ):
            items = (items,)
        super().__init__(items)
        if match is not None:
            length = len(match) if hasattr(match, "__len__") else int(match)
            if len(self) not in (1, length):
                raise ValueError(f"{len(self)} items do not match a length of {length}")
            super().__init__(self * length if len(self) == 1 else list(self))

    def show(self, maxlen: int = 120, rows: int | None = None) -> Rows:
        """Preview the messages.

        Parameters
        ----------
        maxlen : int, default 120
            Characters of a line.
        rows : int, optional
            The most messages to show; one more line tells of the others. All if None.

        Returns
        -------
        str
            One line a message.
        """
        lines = [message.preview(maxlen) for message in islice(self, rows)]
        if len(self) > len(lines):
            lines.append(f"… {len(self) - len(lines)} more")
        return Rows("\n".join(lines))

    def __repr__(self) -> str:
        return str(self.show(rows=20))

    def place(self, message: Any) -> int | None:
        """Find a message.

        Parameters
        ----------
        message : Message or str
            A message, or its id.

        Returns
        -------
        int or None
            Position of this very message, or else of the first that is equal to it.
        """
        very = next((i for i, member in enumerate(self) if member is message), None)
        if very is not None:
            return very
        return next((i for i, member in enumerate(self) if member == message), None)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Msgs: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Message | Msgs:
        found = super().__getitem__(index)
        return Msgs(found, use_list=True) if isinstance(index, slice) else found  # type: ignore[return-value] # a list for a slice only

    def __add__(self, other: Any) -> Any:
        return Msgs([*self, *other], use_list=True) if isinstance(other, list) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Msgs:
        return Msgs(super().__mul__(times), use_list=True)

    __rmul__ = __mul__

    def copy(self) -> Msgs:
        """A list of the same messages, which belongs to no dialog."""
        return Msgs(self, use_list=True)

    __copy__ = copy

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return Msgs, (), None, iter(list(self))


class LiveMsgs(Msgs):
    """The messages of a dialog.

    A list to its users. Each change keeps its index true, lets messages know which dialog
    they are in, and tells the dialog's observers. Slices and copies are plain
    :class:`Msgs`.

    Parameters
    ----------
    dlg : Dialog
        The dialog.

    Attributes
    ----------
    dlg : Dialog
        The parameter.
    """

    __hash__ = None

    def __init__(self, dlg: Dialog) -> None:
        super().__init__()
        self.dlg = dlg
        self._index = Index()

    # -- looking up

    @property
    def ids(self) -> dict[str, Message]:
        """A message for each id; not to be changed."""
        return self._index.ids

    def get(self, mid: object) -> Message | None:
        """The first message of an id, or equal to a message; None if there is none."""
        mid = _id_of(mid)
        return self._index.first(mid) if mid in self._index.ids else None

    def place(self, message: Any) -> int | None:
        """Position of this very message, or else of the first of its id; None if neither."""
        at = self._index.place(message)
        if at is None and (found := self.get(message)) is not None:
            at = self._index.place(found)
        return at

    def holds(self, message: Message) -> bool:
        """Whether this very message is in the list."""
        return self._index.has(message)

    def neighbour(self, message: Message, step: int) -> Message | None:
        """The message ``step`` places below this very one; None beyond the ends."""
        at = self._index.place(message)
        if at is None or not 0 <= at + step < len(self):
            return None
        return list.__getitem__(self, at + step)

    def __contains__(self, thing: object) -> bool:
        mid = _id_of(thing)
        return mid in self._index.ids if mid is not None else super().__contains__(thing)

    def index(self, thing: Any, start: SupportsIndex = 0, stop: SupportsIndex = maxsize) -> int:
        """Position of the first message that is equal; ValueError if there is none."""
        found = self.get(thing)
        if found is None or start or stop != maxsize:
            return super().index(thing, start, stop)
        at = self._index.place(found)
        return super().index(thing) if at is None else at

    def count(self, thing: Any) -> int:
        """How many messages are equal."""
        mid = _id_of(thing)
        known = self._index.count(mid) if mid is not None else None
        return super().count(thing) if known is None else known

    # -- changing

    def append(self, message: Message) -> None:
        """Put a message at the end."""
        self._checked((message,))
        super().append(message)
        if self._index.insert(len(self) - 1, message):
            self._joined(message)

    def insert(self, at: SupportsIndex, message: Message) -> None:
        """Put a message before a position, which is cut to the list's ends."""
        place, _, _ = slice(at, None).indices(len(self))
        self._checked((message,))
        super().insert(place, message)
        if self._index.insert(place, message):
            self._joined(message)

    def extend(self, messages: Iterable[Message]) -> None:
        """Put messages at the end."""
        self[len(self) :] = messages

    def pop(self, at: SupportsIndex = -1) -> Message:
        """Take the message at a position out and give it back."""
        message = super().pop(at)
        place = at.__index__()
        place += len(self) + 1 if place < 0 else 0
        if self._index.remove(place, message):
            self._left(message)
        return message

    def remove(self, thing: Any) -> None:
        """Take the first message that is equal out; ValueError if there is none."""
        self.pop(self.index(thing))

    def clear(self) -> None:
        """Take all messages out."""
        self[:] = ()

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sort the messages by a key, as a list does."""
        try:
            super().sort(key=key, reverse=reverse)
        finally:
            # a key that raises leaves them in some other order
            self._reordered()

    def reverse(self) -> None:
        """Turn the order round."""
        super().reverse()
        self._reordered()

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        if isinstance(index, slice):
            with self.dlg.step():
                self._replace(index, None)
        else:
            self.pop(index)

    @overload
    def __setitem__(self, index: SupportsIndex, value: Message) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[Message]) -> None: ...
    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:
        if isinstance(index, slice):
            with self.dlg.step():
                self._replace(index, self._checked(list(value)))
            return
        (message,) = self._checked((value,))
        at = range(len(self))[index]
        old = self[at]
        super().__setitem__(at, message)
        with self.dlg.step():
            self._swapped(at, [old], [message])

    def __iadd__(self, messages: Iterable[Message]) -> LiveMsgs:  # type: ignore[misc,override] # as a list's
        self.extend(messages)
        return self

    def __imul__(self, times: SupportsIndex) -> LiveMsgs:
        if times.__index__() > 0:
            self.extend(list(self) * (times.__index__() - 1))
        else:
            self.clear()
        return self

    def move_after(self, anchor: Message, messages: Iterable[Message]) -> list[Message]:
        """Put messages below one of this list, out of wherever in it they stand."""
        placed = list({id(m): m for m in self._checked(list(messages))}.values())
        moved = [m for m in placed if m is not anchor]
        if self._index.place(anchor) is None:
            raise ValueError(f"message {anchor.id} is not in dialog {self.dlg.name}")
        with self.dlg.step():
            self.take_out([m for m in moved if self._index.has(m)])
            at = self._index.place(anchor)
            self[at + 1 : at + 1] = moved  # type: ignore[operator] # it is in the list, see above
        return placed

    def take_out(self, messages: Iterable[Message]) -> None:
        """Take these very messages out, wherever they stand."""
        gone = {id(m): m for m in messages}
        if len(gone) > _FEW or self._index.twice:
            self[:] = [m for m in self if id(m) not in gone]
            return
        for message in gone.values():
            while (at := self._index.place(message)) is not None:
                self.pop(at)

    def renamed(self, message: Message, old: str) -> None:
        """Note that a message of this list has another id."""
        self._index.renamed(message, old)

    # -- keeping the rest true

    def _checked(self, messages: Any) -> Any:
        for message in messages:
            if not hasattr(message, "_homes"):
                what = type(message).__name__
                raise TypeError(f"a dialog holds messages, not {what}: use mk_message for text")
        return messages

    def _replace(self, index: slice, new: list[Message] | None) -> None:
        """Replace a slice, or delete it (None)."""
        start, _, step = index.indices(len(self))
        old: list[Message] = list.__getitem__(self, index)
        few = len(old) + len(new or ()) <= _FEW or start == len(self)
        before = {} if step == 1 and few else {id(m): m for m in self}
        if new is None:
            super().__delitem__(index)
        else:
            super().__setitem__(index, new)
        if step == 1 and few:
            self._swapped(start, old, new or [])
            return
        self._index.rebuild(self)
        for message in before.values():
            if not self._index.has(message):
                self._left(message)
        for message in list(self):
            if id(message) not in before:
                before[id(message)] = message
                self._joined(message)
        self._told_order()

    def _swapped(self, at: int, old: list[Message], new: Iterable[Message]) -> None:
        """Note that some members at a place have given way to others."""
        gone = [message for message in old if self._index.remove(at, message)]
        come = [m for i, m in enumerate(new) if self._index.insert(at + i, m)]
        for message in gone:
            if not self._index.has(message):
                self._left(message)
        for message in come:
            if not any(message is other for other in gone):
                self._joined(message)
        if len(gone) > 1 and len(come) > 1:
            self._told_order()

    def _reordered(self) -> None:
        self._index.reorder(self)
        self._told_order()

    def _told_order(self) -> None:
        """Tell the observers that messages may stand in another order."""
        if self.dlg.on_change:
            self.dlg.tell("order", None)

    def _joined(self, message: Message) -> None:
        message._homes = (*message._homes, self)
        self.dlg.joined(message)

    def _left(self, message: Message) -> None:
        message._homes = tuple(home for home in message._homes if home is not self)
        self.dlg.left(message)


def _id_of(thing: object) -> Any:
    """The id that a thing is equal to: a message's, a str, an int as a str; else None."""
    mid = getattr(thing, "id", None) if hasattr(thing, "_homes") else thing
    if isinstance(mid, str):
        return mid
    return str(mid) if isinstance(mid, int) and not isinstance(mid, bool) else None
