"""Ids: where they come from, and objects that are equal to theirs."""

from __future__ import annotations

import os
from collections.abc import Container
from typing import Any, TypeVar

T = TypeVar("T")


def add_id_hash(cls: type[T], attr: str) -> type[T]:
    """Make the instances of a class equal by an id, and equal to the id itself.

    Parameters
    ----------
    cls : type
        The class; it gets ``__eq__`` and ``__hash__``.
    attr : str
        Name of the attribute that holds the id, a str or an int.

    Returns
    -------
    type
        ``cls``.

    Notes
    -----
    Ids are compared as they are stored: ``'5'`` and 5 are two ids. The hash is that of
    the id, so an instance whose id changes is lost in the sets and dicts that hold it.
    """

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807 - becomes the method
        if isinstance(other, (str, int)):
            return getattr(self, attr) == other
        if isinstance(other, cls):
            return getattr(self, attr) == getattr(other, attr)
        return NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807 - becomes the method
        return hash(getattr(self, attr))

    cls.__eq__ = __eq__  # type: ignore[method-assign] # that is what it is for
    cls.__hash__ = __hash__  # type: ignore[method-assign] # that is what it is for
    return cls


def new_id(taken: Container[str] = ()) -> str:
    """Draw a message's id: four random bytes, in hex.

    The bytes come from the operating system: they neither follow ``random.seed`` nor
    disturb the stream of ``random``.

    Parameters
    ----------
    taken : container of str
        Ids that it must not be.

    Returns
    -------
    str
        Eight hex digits.
    """
    drawn = os.urandom(4).hex()
    while drawn in taken:
        drawn = os.urandom(4).hex()
    return drawn


def rtoken_hex(nbytes: int = 16) -> str:
    """Draw hex digits from ``random``, so that they follow ``random.seed``.

    Parameters
    ----------
    nbytes : int, default 16
        How many bytes.

    Returns
    -------
    str
        Two digits a byte.
    """
    import random

    return random.randbytes(nbytes).hex()


def ruuid4() -> str:
    """Draw an id of the shape of a UUID4; equal seeds of ``random`` give equal ids.

    Returns
    -------
    str
        32 hex digits in groups of 8, 4, 4, 4 and 12; version 4, variant 1.

    See Also
    --------
    new_id : ids that no seed repeats.
    """
    digits = rtoken_hex(16)
    variant = "89ab"[int(digits[16], 16) & 3]
    groups = digits[:8], digits[8:12], "4" + digits[13:16], variant + digits[17:20], digits[20:]
    return "-".join(groups)
