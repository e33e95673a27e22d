"""What an annotation is, told the same way to the schema and to the conversion. Pure."""

from __future__ import annotations

import collections.abc as abc
import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Callable, Hashable
from enum import Enum
from typing import Any, Final

ARRAYS: Final[dict[Any, type]] = {
    list: list,
    set: set,
    frozenset: frozenset,
    abc.Sequence: list,
    abc.MutableSequence: list,
    abc.Iterable: list,
    abc.Collection: list,
    abc.Set: set,
    abc.MutableSet: set,
}
"""Annotations of arrays, and what is made for them."""

OBJECTS: Final = frozenset({dict, abc.Mapping, abc.MutableMapping})


_TEXTS: Final = (
    ("datetime", "datetime"),
    ("datetime", "date"),
    ("datetime", "time"),
    ("decimal", "Decimal"),
    ("uuid", "UUID"),
    ("pathlib", "PurePath"),
)


@dataclasses.dataclass(frozen=True)
class Field:
    """One named value of a record.

    Parameters
    ----------
    hint : object
        Its annotation.
    required : bool
        Whether it must be given.
    default : object
        Its default; ``inspect.Parameter.empty`` where there is none to show.
    """

    hint: Any
    required: bool
    default: Any = inspect.Parameter.empty


def plain(hint: Any) -> Any:
    """Take off what says nothing of the value: aliases, NewType, Annotated, type variables."""
    while True:
        origin = typing.get_origin(hint)
        if origin in (typing.Annotated, typing.Final, typing.Required, typing.NotRequired):
            hint = typing.get_args(hint)[0]
        elif isinstance(hint, typing.NewType):
            hint = hint.__supertype__
        elif isinstance(hint, typing.TypeVar):
            constraints = hint.__constraints__
            hint = typing.Union[constraints] if constraints else hint.__bound__ or Any  # noqa: UP007
        elif type(hint).__name__ == "TypeAliasType":
            hint = hint.__value__
        elif (
            isinstance(hint, str | typing.ForwardRef)
            or not isinstance(hint, Hashable)
            or hint in (inspect.Parameter.empty, object)
        ):
            return Any
        else:
            return type(None) if hint is None else hint


def note(hint: Any) -> str:
    """Give the text that ``Annotated`` adds to a hint, or ``""``."""
    for extra in getattr(hint, "__metadata__", ()):
        text = extra if isinstance(extra, str) else getattr(extra, "description", None)
        if isinstance(text, str):
            return text
    return ""


def is_union(hint: Any) -> bool:
    """Tell whether a plain hint is a union."""
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def is_enum(hint: Any) -> bool:
    """Tell whether a plain hint is an enumeration."""
    return isinstance(hint, type) and issubclass(hint, Enum)


def is_model(hint: Any) -> bool:
    """Tell whether a plain hint is a pydantic model; without pydantic, nothing is."""
    module = sys.modules.get("pydantic")
    return module is not None and isinstance(hint, type) and issubclass(hint, module.BaseModel)


def text_kind(hint: Any) -> str | None:
    """Name the kind of a plain hint whose values JSON writes as text.

    Parameters
    ----------
    hint : object
        A plain hint.

    Returns
    -------
    str or None
        ``datetime``, ``date``, ``time``, ``Decimal``, ``UUID`` or ``PurePath``, of subclasses,
        too; None for any other hint. Modules that were never imported are not imported here.
    """
    for module, name in _TEXTS:
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(hint, type) and issubclass(hint, kind):
            return name
    return None


def fields_of(hint: Any) -> dict[str, Field] | None:
    """Give the fields of a record: a dataclass, TypedDict or NamedTuple.

    Parameters
    ----------
    hint : object
        A plain hint.

    Returns
    -------
    dict of str to Field, or None
        In order; None if it is no record.
    """
    if not isinstance(hint, type):
        return None
    if dataclasses.is_dataclass(hint):
        hints = resolved(hint)
        return {
            field.name: Field(hints.get(field.name, Any), *_default(field))
            for field in dataclasses.fields(hint)
            if field.init
        }
    if typing.is_typeddict(hint):
        required: Any = hint.__required_keys__  # type: ignore[attr-defined]  # of TypedDicts
        # Where annotations are texts, the class was made without knowing what they say.
        said = {typing.Required: True, typing.NotRequired: False}
        return {
            name: Field(kind, said.get(typing.get_origin(kind), name in required))
            for name, kind in resolved(hint).items()
        }
    if issubclass(hint, tuple) and hasattr(hint, "_field_defaults"):
        hints, defaults = resolved(hint), hint._field_defaults
        empty = inspect.Parameter.empty
        return {
            name: Field(hints.get(name, Any), name not in defaults, defaults.get(name, empty))
            for name in hint._fields  # type: ignore[attr-defined]  # of NamedTuples
        }
    return None


def _default(field: dataclasses.Field[Any]) -> tuple[bool, Any]:
    if field.default is not dataclasses.MISSING:
        return False, field.default
    return field.default_factory is dataclasses.MISSING, inspect.Parameter.empty


def resolved(thing: Callable[..., Any] | type) -> dict[str, Any]:
    """Give a function's or class's annotations as objects.

    Parameters
    ----------
    thing : callable or type
        Whose annotations.

    Returns
    -------
    dict of str to object
        What a name in an annotation stands for, is looked up where it was written, closures
        included; an annotation that cannot be resolved is Any.
    """
    try:
        return typing.get_type_hints(thing, include_extras=True)
    except Exception:
        return _one_by_one(thing)


def _one_by_one(thing: Any) -> dict[str, Any]:
    module = sys.modules.get(getattr(thing, "__module__", ""))
    names = dict(getattr(thing, "__globals__", None) or getattr(module, "__dict__", {}))
    for name, cell in zip(
        getattr(getattr(thing, "__code__", None), "co_freevars", ()),
        getattr(thing, "__closure__", None) or (),
        strict=False,
    ):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # a cell that is not filled yet
            continue
    hints: dict[str, Any] = {}
    for name, hint in getattr(thing, "__annotations__", {}).items():
        one = types.SimpleNamespace(__annotations__={name: hint}, __globals__=names)
        try:
            hints |= typing.get_type_hints(one, include_extras=True)
        except Exception:
            hints[name] = Any
    return hints
