"""Copies and pickles of thunks."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any, Self

__all__ = ["CopiedWhenComputed"]


class CopiedWhenComputed:
    """What can be copied and pickled once it is computed: a stream has one reader only."""

    _computed: bool
    _reader: Any

    def __copy__(self) -> Self:
        other = self._blank("copied")
        other.__dict__.update(self.__dict__)
        for name in ("_meta", "_generation", "_raw"):
            if (held := self.__dict__.get(name)) is not None:
                other.__dict__[name] = copy(held)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = self._blank("copied")
        # Before what is held, which may lead back here.
        memo[id(self)] = other
        for name, held in self.__dict__.items():
            other.__dict__[name] = deepcopy(held, memo)
        return other

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        self._blank("pickled")
        return object.__new__, (type(self),), self.__dict__

    def _blank(self, verb: str) -> Self:
        if not self._computed or self._reader is not None:
            raise RuntimeError(f"A thunk cannot be {verb} before it is computed; await avalue()")
        return object.__new__(type(self))
