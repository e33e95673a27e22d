"""From what a model supplied, as JSON has it, to what an annotation asks for. Pure."""

from __future__ import annotations

import binascii
import json
import typing
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from .hints import ARRAYS, OBJECTS, fields_of, is_enum, is_model, is_union, plain, text_kind
from .schema import enum_values


class _MisfitError(ValueError):
    """A value that does not fit."""


def convert(value: Any, hint: Any, where: str, *, strict: bool = False) -> Any:
    """Make a value of an annotated type.

    Parameters
    ----------
    value : object
        What was supplied. What has the type already is passed on.
    hint : object
        The annotation.
    where : str
        The value's place, for messages.
    strict : bool, default False
        Whether only what JSON writes for the type is taken. Otherwise texts that read as the
        type are, too: models often write ``"5"`` for 5, or an object as its JSON text.

    Returns
    -------
    object
        The value; as it is where the annotation asks for nothing that is known here.

    Raises
    ------
    ValueError
        If it does not fit.
    """
    hint = plain(hint)
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    if hint is Any:
        return value
    if is_union(hint):
        return _union(value, arguments, where)
    if origin is typing.Literal:
        return _literal(value, arguments, where, strict)
    if is_enum(hint):
        return _enum(value, hint, where, strict)
    if hint in _SCALARS:
        return _SCALARS[hint](value, where, strict)
    if is_model(origin):
        return value if isinstance(value, origin) else hint.model_validate(_read(value, strict))
    if fields_of(origin) is not None:
        return _record(value, origin, where, strict)
    if origin in ARRAYS:
        item = arguments[0] if arguments else Any
        items = _items(value, where, strict)
        made = [convert(v, item, f"{where}[{i}]", strict=strict) for i, v in enumerate(items)]
        return made if ARRAYS[origin] is list else ARRAYS[origin](made)
    if origin is tuple:
        return _tuple(value, arguments, where, strict)
    if origin in OBJECTS:
        key, item = arguments if len(arguments) == 2 else (Any, Any)
        return {
            convert(k, key, f"{where} key"): convert(v, item, f"{where}[{k!r}]", strict=strict)
            for k, v in _object(value, where, strict).items()
        }
    return _other(value, hint, where)


def _misfit(value: Any, wanted: str, where: str) -> _MisfitError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:40] + "…"
    return _MisfitError(f"{where}: expected {wanted}, got {shown}")


def _union(value: Any, options: tuple[Any, ...], where: str) -> Any:
    for strict in (True, False):
        for option in options:
            try:
                return convert(value, option, where, strict=strict)
            except ValueError:
                continue
    names = " or ".join(getattr(option, "__name__", str(option)) for option in options)
    raise _misfit(value, names, where)


def _literal(value: Any, options: tuple[Any, ...], where: str, strict: bool) -> Any:
    for option in options:
        plain_option = option.value if isinstance(option, Enum) else option
        if any(type(o) is type(value) and o == value for o in (option, plain_option)):
            return option
    if not strict:
        for option in options:
            if str(option.value if isinstance(option, Enum) else option) == str(value):
                return option
    raise _misfit(value, "one of " + ", ".join(map(repr, options)), where)


def _enum(value: Any, kind: Any, where: str, strict: bool) -> Any:
    if isinstance(value, kind):
        return value
    for member in kind:
        if type(member.value) is type(value) and member.value == value:
            return member
    for member in kind:
        if member.name == value or (not strict and str(member.value) == str(value)):
            return member
    raise _misfit(value, "one of " + ", ".join(map(repr, enum_values(kind))), where)


def _str(value: Any, where: str, strict: bool) -> Any:
    if isinstance(value, str):
        return value
    if not strict and isinstance(value, int | float):
        return json.dumps(value)
    raise _misfit(value, "a string", where)


def _int(value: Any, where: str, strict: bool) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not strict:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, str):
            try:
                return int(value)
            except ValueError:
                pass
    raise _misfit(value, "an integer", where)


def _float(value: Any, where: str, strict: bool) -> Any:
    if isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and not strict:
        try:
            return float(value)
        except ValueError:
            pass
    raise _misfit(value, "a number", where)


def _bool(value: Any, where: str, strict: bool) -> Any:
    if isinstance(value, bool):
        return value
    if not strict and isinstance(value, str | int | float):
        known = {"true": True, "false": False, "1": True, "0": False}
        if (found := known.get(str(value).strip().lower())) is not None:
            return found
    raise _misfit(value, "true or false", where)


def _none(value: Any, where: str, strict: bool) -> Any:
    if value is None or (not strict and isinstance(value, str) and value in ("null", "None", "")):
        return None
    raise _misfit(value, "null", where)


def _bytes(value: Any, where: str, strict: bool) -> Any:
    if isinstance(value, bytes):
        return value
    try:
        return binascii.a2b_base64(value, strict_mode=True)
    except (TypeError, ValueError):
        raise _misfit(value, "base64", where) from None


_SCALARS: Final[dict[Any, Callable[[Any, str, bool], Any]]] = {
    str: _str,
    int: _int,
    float: _float,
    bool: _bool,
    type(None): _none,
    bytes: _bytes,
}


def _read(value: Any, strict: bool) -> Any:
    """Read an array or object that was written as its JSON text."""
    if isinstance(value, str) and not strict and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            pass
    return value


def _items(value: Any, where: str, strict: bool) -> Any:
    value = _read(value, strict)
    if not isinstance(value, list | tuple | set | frozenset):
        raise _misfit(value, "an array", where)
    return value


def _object(value: Any, where: str, strict: bool) -> Any:
    value = _read(value, strict)
    if not isinstance(value, typing.Mapping):
        raise _misfit(value, "an object", where)
    return value


def _tuple(value: Any, kinds: tuple[Any, ...], where: str, strict: bool) -> Any:
    items = list(_items(value, where, strict))
    if not kinds or kinds[-1] is ...:
        kinds = (kinds[0] if kinds else Any,) * len(items)
    if len(items) != len(kinds):
        raise _misfit(value, f"{len(kinds)} items", where)
    pairs = enumerate(zip(items, kinds, strict=True))
    return tuple(convert(v, kind, f"{where}[{i}]", strict=strict) for i, (v, kind) in pairs)


def _record(value: Any, kind: Any, where: str, strict: bool) -> Any:
    if not typing.is_typeddict(kind) and isinstance(value, kind):
        return value
    fields = fields_of(kind) or {}
    given = _object(value, where, strict)
    if unknown := [name for name in given if name not in fields]:
        raise _misfit(given, f"a {kind.__name__} without {', '.join(map(str, unknown))}", where)
    missing = [name for name, field in fields.items() if field.required and name not in given]
    if missing:
        raise _misfit(given, f"a {kind.__name__} with {', '.join(missing)}", where)
    return kind(
        **{
            name: convert(v, fields[name].hint, f"{where}.{name}", strict=strict)
            for name, v in given.items()
        }
    )


def _other(value: Any, hint: Any, where: str) -> Any:
    """Make what is written as text in JSON: dates, times, UUIDs, paths, decimals."""
    kind = text_kind(hint)
    if kind is None or isinstance(value, hint):
        return value
    try:
        if kind in ("datetime", "date", "time"):
            return hint.fromisoformat(value)
        return hint(str(value) if kind != "PurePath" else value)
    except (TypeError, ValueError, ArithmeticError):
        raise _misfit(value, f"a {hint.__name__}", where) from None
