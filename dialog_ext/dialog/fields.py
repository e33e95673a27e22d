"""Attributes that do something when they are assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .ids import new_id
from .kinds import known, no_output
from .outputs import normal_output

if TYPE_CHECKING:
    from .message import Message


class DepProp:
    """An attribute whose assignment empties what was computed from it.

    It stands in the instance's ``__dict__`` under its own name, and there is no
    ``__get__``: reading it costs what reading a plain attribute costs.

    Parameters
    ----------
    *hooks : str
        Names of the instance's methods to call, without arguments, after an assignment.
    doc : str, default ""
        The docstring.

    Notes
    -----
    After the hooks the instance's ``_changed(name)`` is called.
    """

    def __init__(self, *hooks: str, doc: str = "") -> None:
        self.hooks = hooks
        self.name = ""
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, obj: Any, value: Any) -> None:
        obj.__dict__[self.name] = value
        for hook in self.hooks:
            getattr(obj, hook)()
        obj._changed(self.name)


class MetaAttr:
    """An attribute that reads and writes one key of the instance's ``meta``.

    Parameters
    ----------
    key : str
        The key.
    default : object, default None
        What is read where ``meta`` has no such key. ``del`` takes the key away.
    """

    def __init__(self, key: str, default: Any = None) -> None:
        self.key = key
        self.default = default
        self.__doc__ = f"``meta[{key!r}]``, or {default!r}."

    def __get__(self, obj: Any, owner: type | None = None) -> Any:
        return self if obj is None else obj.meta.get(self.key, self.default)

    def __set__(self, obj: Any, value: Any) -> None:
        obj.meta[self.key] = value
        obj._changed("meta")

    def __delete__(self, obj: Any) -> None:
        obj.meta.pop(self.key, None)
        obj._changed("meta")


class IdProp(DepProp):
    """An id: a str, drawn where it is None; the lists that hold the message follow it."""

    def __set__(self, obj: Message, value: Any) -> None:
        old, new = obj.id, new_id() if value is None else str(value)
        obj.__dict__[self.name] = new
        for home in obj._homes:
            home.renamed(obj, old)
        obj._changed(self.name)


class MsgTypeProp(DepProp):
    """A kind of message; the outputs go when it changes, and come back with it."""

    def __set__(self, obj: Message, value: Any) -> None:
        old, outputs, aside = obj.msg_type, obj.output, obj._aside
        if known(value) == old:
            return
        back = aside[1] if aside and aside[0] == value and not outputs else None
        obj._set_output(no_output(value) if back is None else back)
        obj._aside = (old, outputs) if outputs else None if back is not None else aside
        super().__set__(obj, value)


class OutputProp(DepProp):
    """Outputs: normalised as the kind of message has them, streams joined when read."""

    def __get__(self, obj: Message | None, owner: type | None = None) -> Any:
        if obj is None:
            return self
        if (stream := obj._stream) is not None and stream.pending:
            stream.flush()
        return obj.__dict__[self.name]

    def __set__(self, obj: Message, value: Any) -> None:
        obj._set_output(normal_output(obj.msg_type, value))
        obj._output_changed()
