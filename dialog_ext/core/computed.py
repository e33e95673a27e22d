"""The computed thunk: one whose text is there, and stays."""

from __future__ import annotations

from typing import Any, Final, Literal, NoReturn, TypeVar

from .thunk import ModelOutputThunk

__all__ = ["ComputedModelOutputThunk"]

S = TypeVar("S")

_GUARDED: Final = frozenset({"_computed", "_underlying_value", "value"})


class ComputedModelOutputThunk(ModelOutputThunk[S]):
    """A thunk that is computed and cannot become anything else.

    ``ComputedModelOutputThunk(thunk)`` gives the same object, whose class it changes; nothing
    is copied. From then on every assignment keeps the invariant: the value is a str, and
    ``is_computed()`` is True. Another str may be assigned; all other attributes are free.

    Parameters
    ----------
    thunk : ModelOutputThunk
        A computed thunk.

    Raises
    ------
    TypeError
        If no thunk is given, or something else.
    ValueError
        If the thunk is not computed, or its value is None; it keeps its class.

    Examples
    --------
    >>> thunk = ModelOutputThunk("text")
    >>> ComputedModelOutputThunk(thunk) is thunk
    True
    """

    def __new__(cls, thunk: ModelOutputThunk[S]) -> ComputedModelOutputThunk[S]:
        """Change the thunk's class, and give the thunk."""
        if not isinstance(thunk, ModelOutputThunk):
            raise TypeError(
                "ComputedModelOutputThunk requires a computed ModelOutputThunk, "
                f"not {type(thunk).__name__}"
            )
        if not thunk._computed or thunk._reader is not None:
            raise ValueError(
                "ComputedModelOutputThunk requires a computed ModelOutputThunk; "
                "await avalue() first"
            )
        if not isinstance(thunk._underlying_value, str):
            raise ValueError("ComputedModelOutputThunk requires a non-None value; set a str")
        thunk.__class__ = cls
        return thunk  # type: ignore[return-value]  # it is one by now

    def __init__(self, thunk: ModelOutputThunk[S]) -> None:
        """Leave the thunk, which was made already, as it is."""

    async def avalue(self) -> str:
        """Give the text at once; `value` does without ``await``.

        Returns
        -------
        str
            The text.
        """
        return self.value

    async def astream(self) -> NoReturn:
        """Refuse: there is nothing to stream; read `value`.

        Raises
        ------
        RuntimeError
            Always.
        """
        raise RuntimeError("Cannot stream from a ComputedModelOutputThunk; read its value")

    @property
    def value(self) -> str:
        """The text as the model wrote it.

        Where a format was asked for, it is JSON text of that schema, not an instance of it.
        Assigning anything but a str is an AttributeError.
        """
        return self._underlying_value  # type: ignore[return-value]  # the guard sees to it

    @value.setter
    def value(self, v: str) -> None:
        self._underlying_value = v

    def is_computed(self) -> Literal[True]:
        """Tell that the text is there.

        Returns
        -------
        bool
            True.
        """
        return True

    def __setattr__(self, name: str, held: Any) -> None:
        if (name == "_computed" and held is not True) or (
            name == "_underlying_value" and not isinstance(held, str)
        ):
            raise AttributeError(_broken(name))
        object.__setattr__(self, name, held)

    def __delattr__(self, name: str) -> None:
        if name in _GUARDED:
            raise AttributeError(_broken(name))
        object.__delattr__(self, name)


def _broken(name: str) -> str:
    return f"{name} cannot be set so: the computed invariant is a str as value, and computed"
