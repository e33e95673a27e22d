"""A list that grows at its end, all of whose versions share their past.

Each version is one node that points at the version before it, and by one more pointer
further back. Nothing ever changes, so versions need no locks, and a branch may start at
any of them at the cost of one node.

Notes
-----
The second pointer makes any earlier version reachable in O(log n) steps, with O(1) work
for a new node: E. W. Myers, "An applicative random-access stack", Information Processing
Letters 17 (1983) 241-248.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from dialog_ext.history.values import FrozenDict, hash_of, same

__all__ = ["EMPTY", "Node", "ancestor", "backwards", "equal", "pushed"]


class Node(NamedTuple):
    """One version: everything up to and with its last message.

    Attributes
    ----------
    length : int
        Number of messages.
    hash : int
        Hash of all of them: that of the version before, combined with the last message's.
    message : FrozenDict
        The last one.
    parent : Node or None
        The version before; None for the empty one.
    jump : Node or None
        A version further back; None for the empty one.
    """

    length: int
    hash: int
    message: FrozenDict
    parent: Node | None
    jump: Node | None


EMPTY: Final = Node(0, hash(()), FrozenDict(), None, None)
"""The version without messages; all others begin here."""


def pushed(node: Node, message: FrozenDict) -> Node:
    """Give the version with one more message.

    Parameters
    ----------
    node : Node
        The version before.
    message : FrozenDict
        The message, frozen.

    Returns
    -------
    Node
        It shares all of ``node``.
    """
    length, before, _, _, jump = node
    target = node
    if jump is not None:
        further = jump.jump
        if further is not None and length - jump.length == jump.length - further.length:
            target = further
    return Node(length + 1, hash((before, hash_of(message))), message, node, target)


def ancestor(node: Node, length: int) -> Node:
    """Find the version that had so many messages, in O(log n) steps.

    Parameters
    ----------
    node : Node
        Where to start.
    length : int
        From 0 to ``node.length``.

    Returns
    -------
    Node
        The version of that length.
    """
    while node.length > length:
        jump, parent = node.jump, node.parent
        if jump is not None and jump.length >= length:
            node = jump
        elif parent is not None:
            node = parent
    return node


def backwards(node: Node) -> Iterator[FrozenDict]:
    """Give the messages, newest first.

    Parameters
    ----------
    node : Node
        Where to start.

    Yields
    ------
    FrozenDict
        The messages.
    """
    while node.parent is not None:
        yield node.message
        node = node.parent


def equal(one: Node, other: Node) -> bool:
    """Tell whether two versions hold equal messages; a shared past is not looked at.

    Parameters
    ----------
    one, other : Node
        Two versions.

    Returns
    -------
    bool
        Whether their messages are equal.
    """
    if one.length != other.length:
        return False
    while one is not other:
        if one.parent is None or other.parent is None:
            return one.parent is other.parent
        if not same(one.message, other.message):
            return False
        one, other = one.parent, other.parent
    return True
