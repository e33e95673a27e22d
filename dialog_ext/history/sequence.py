"""The sequence that a history is: what it holds, how it compares, and that it never changes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn, Self, overload

from dialog_ext.history.chain import EMPTY, Node, ancestor, backwards, equal, pushed
from dialog_ext.history.values import FrozenDict, freeze, thaw

__all__ = ["MessageSequence", "frozen_message"]


class MessageSequence(Sequence[dict[str, Any]]):
    """Messages, oldest first; a value that never changes, and is cheap to extend.

    Parameters
    ----------
    history : iterable of dict, optional
        The messages; copies are kept.

    Raises
    ------
    TypeError
        If a message is no dict.
    """

    __slots__ = ("__weakref__", "_node")

    _node: Node
    _is_bare = True

    def __init_subclass__(cls, is_bare: bool = False, **kwargs: Any) -> None:
        """Note whether instances may have attributes besides the messages, to be carried on."""
        super().__init_subclass__(**kwargs)
        cls._is_bare = is_bare

    def __init__(self, history: Iterable[dict[str, Any]] | None = None) -> None:
        if hasattr(self, "_node"):
            self._refuse_change("_node")
        if isinstance(history, MessageSequence):
            node = history._node
        else:
            node = EMPTY
            given: Iterable[Any] = history or ()
            for index, message in enumerate(given):
                if not isinstance(message, dict):
                    raise TypeError(
                        f"Message at index {index} must be a dictionary, not "
                        f"{type(message).__name__}"
                    )
                node = pushed(node, frozen_message(message))
        _set_node(self, node)

    def clone(self) -> Self:
        """Give a history of its own with the same messages.

        Returns
        -------
        LLMHistory
            Equal to this one; a new object, in constant time.
        """
        return self._at(self._node)

    def to_json(self) -> list[dict[str, Any]]:
        """Give the messages as an ordinary list.

        Returns
        -------
        list of dict
            Copies at all depths, equal to what was given, with keys in the given order.
        """
        return [thaw(message) for message in self._messages()]

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> dict[str, Any] | Self:
        """Give one message, or a part of the history.

        Parameters
        ----------
        index : int or slice
            Counted from 0; negative from the end.

        Returns
        -------
        dict or LLMHistory
            A copy of the message; for a slice a history of the same class. One that
            starts at the front is the earlier version itself, found in O(log n) steps.

        Raises
        ------
        IndexError
            If there is no such message.
        """
        length = self._node.length
        if isinstance(index, slice):
            start, stop, step = index.indices(length)
            if start == 0 and step == 1:
                return self._at(ancestor(self._node, stop))
            return self._of(self._messages()[index])
        place = index.__index__()
        if place < 0:
            place += length
        if not 0 <= place < length:
            raise IndexError(f"There is no message {index}: the history has {length}.")
        message: dict[str, Any] = thaw(ancestor(self._node, place + 1).message)
        return message

    def __len__(self) -> int:
        """Count the messages.

        Returns
        -------
        int
            0 or more.
        """
        return self._node.length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(thaw, self._messages())

    def __reversed__(self) -> Iterator[dict[str, Any]]:
        return map(thaw, backwards(self._node))

    def __eq__(self, other: object) -> bool:
        """Tell whether the other history has equal messages.

        Parameters
        ----------
        other : Any
            Anything.

        Returns
        -------
        bool
            False for what is no history, unless the other object itself says otherwise.
        """
        if not isinstance(other, MessageSequence):
            return NotImplemented
        return equal(self._node, other._node)

    def __hash__(self) -> int:
        """Hash the messages; kept, so it takes no time.

        Returns
        -------
        int
            The same for equal histories.
        """
        return self._node.hash

    def __repr__(self) -> str:
        count = self._node.length
        return f"<{type(self).__name__} object with {count} message{'' if count == 1 else 's'}>"

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_node":
            self._refuse_change(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name == "_node":
            self._refuse_change(name)
        object.__delattr__(self, name)

    def __copy__(self) -> Self:
        return self._at(self._node)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self._at(self._node, copy.deepcopy(self._own_attributes(), memo))

    def __reduce__(self) -> tuple[Any, ...]:
        # Messages, not nodes: the chain is as deep as it is long, and hashes of texts
        # hold for one process only.
        return _rebuilt, (type(self), self.to_json(), self._own_attributes())

    def _messages(self) -> list[FrozenDict]:
        messages = list(backwards(self._node))
        messages.reverse()
        return messages

    def _of(self, messages: Iterable[FrozenDict]) -> Self:
        node = EMPTY
        for message in messages:
            node = pushed(node, message)
        return self._at(node)

    def _at(self, node: Node, own: dict[str, Any] | None = None) -> Self:
        """Give a history of the same class, with its own attributes, at another version."""
        made = object.__new__(type(self))
        _set_node(made, node)
        if not self._is_bare:
            for name, value in (self._own_attributes() if own is None else own).items():
                object.__setattr__(made, name, value)
        return made

    def _own_attributes(self) -> dict[str, Any]:
        """Give what a subclass has set, in ``__dict__`` or in slots of its own."""
        state: Any = object.__getstate__(self)
        attributes, slots = state if isinstance(state, tuple) else (state, None)
        return {k: v for k, v in {**(attributes or {}), **(slots or {})}.items() if k != "_node"}

    def _refuse_change(self, name: str) -> NoReturn:
        raise AttributeError(f"Cannot modify attribute {name!r} of immutable {type(self).__name__}")


_set_node = MessageSequence._node.__set__  # type: ignore[attr-defined]  # a slot, which has a setter


def _rebuilt(
    kind: type[MessageSequence], messages: list[dict[str, Any]], own: dict[str, Any]
) -> MessageSequence:
    """Make again what was pickled, without a call of the subclass's ``__init__``."""
    empty = object.__new__(kind)
    _set_node(empty, EMPTY)
    return empty._at(MessageSequence(messages)._node, own)


def frozen_message(message: dict[str, Any]) -> FrozenDict:
    """Take a message in: frozen at all depths."""
    return FrozenDict({key: freeze(value) for key, value in message.items()})
