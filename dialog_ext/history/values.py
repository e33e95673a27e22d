"""Values that nobody can change: frozen on the way in, copied on the way out, hashed by value."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, NoReturn

__all__ = ["FrozenDict", "FrozenList", "freeze", "hash_of", "plain", "same", "thaw"]

_ATOMS: Final = frozenset({str, int, float, bool, type(None), bytes, complex})


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError("The messages of a history cannot be changed: copy it, and change the copy.")


class FrozenDict(dict[Any, Any]):
    """A dict that refuses changes, and equals whatever a dict with its items equals."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


class FrozenList(list[Any]):
    """A list that refuses changes, and equals whatever a list with its items equals."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = pop = _refuse
    clear = sort = reverse = _refuse


def freeze(value: Any) -> Any:
    """Take a value in: equal to what was given, and out of its giver's reach.

    Parameters
    ----------
    value : Any
        JSON-like data becomes frozen at all depths. Of any other object a deep copy is
        taken if that equals it; an object that equals only itself stays itself.

    Returns
    -------
    Any
        Equal to ``value``.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is dict:
        return FrozenDict(
            {k: v if type(v) in _ATOMS else freeze(v) for k, v in value.items()},
        )
    if kind is list:
        return FrozenList([v if type(v) in _ATOMS else freeze(v) for v in value])
    if kind is tuple:
        return tuple([freeze(v) for v in value])
    return _copy_of_other(value)


def thaw(value: Any) -> Any:
    """Give a value out: an ordinary copy of what :func:`freeze` made, free to change.

    Parameters
    ----------
    value : Any
        Something frozen.

    Returns
    -------
    Any
        Equal to it, of the types that were given to :func:`freeze`.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is FrozenDict:
        return {k: v if type(v) in _ATOMS else thaw(v) for k, v in value.items()}
    if kind is FrozenList:
        return [v if type(v) in _ATOMS else thaw(v) for v in value]
    if kind is tuple:
        return tuple([thaw(v) for v in value])
    return _copy_of_other(value)


def _copy_of_other(value: Any) -> Any:
    kind: Any = type(value)
    if kind.__eq__ is object.__eq__:
        return value
    try:
        copied = copy.deepcopy(value)
    except Exception:  # any class may fail to be copied in any way; the object itself then stays
        return value
    return copied if same(copied, value) else value


def same(one: Any, other: Any) -> bool:
    """Compare as ``==`` does, but also where a comparison inside raises or has no truth.

    Parameters
    ----------
    one, other : Any
        Two values. Where ``==`` gives no answer, as for arrays, they are equal if they
        are of one type and hash, and pickle to the same bytes.

    Returns
    -------
    bool
        Whether they are equal.
    """
    if one is other:
        return True
    try:
        return bool(one == other)
    except Exception:  # any class may raise anything when it is compared; arrays do
        pass
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    for kind in (list, tuple):
        if isinstance(one, kind) and isinstance(other, kind):
            return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and hash_of(one) == hash_of(other) and _same_bytes(one, other)


def _same_bytes(one: Any, other: Any) -> bool:
    import pickle

    try:
        return pickle.dumps(one) == pickle.dumps(other)
    except Exception:  # any class may refuse to be pickled in any way
        return False


def hash_of(value: Any) -> int:
    """Hash a value by what it equals, whether or not its type has a hash.

    Parameters
    ----------
    value : Any
        Anything.

    Returns
    -------
    int
        The same for equal values: a dict's does not depend on the order of its keys, a
        set's not on how it was filled. 0 for an object that is no container and has no
        hash; such objects are told apart by ``==`` alone.
    """
    if type(value) in _ATOMS:
        return hash(value)
    if isinstance(value, Mapping):
        return hash(frozenset([(key, hash_of(item)) for key, item in value.items()]))
    if isinstance(value, Set):
        return hash(frozenset(value))
    if isinstance(value, tuple):
        return hash((tuple, *map(hash_of, value)))
    try:
        return hash(value)
    except Exception:  # a class may raise anything here
        pass
    if isinstance(value, bytearray | memoryview):
        return hash(bytes(value))
    if isinstance(value, Sequence):
        return hash((list, *map(hash_of, value)))
    return 0


def plain(value: Any) -> Any:
    """Reduce a value to dicts, lists and scalars of the basic types, as a safe YAML dumper needs.

    Parameters
    ----------
    value : Any
        Tuples become lists, and instances of subclasses of dict, list, str, int and float
        (such as enum members) become those. Anything else stays.

    Returns
    -------
    Any
        Fresh at all depths.

    Raises
    ------
    TypeError
        If a key is a tuple: as a list it could not be a key when it is read back.
    """
    if type(value) in _ATOMS:
        return value
    if isinstance(value, Mapping):
        return {_plain_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    # An enum member prints as its name: only the basic type's own method gives its value.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__pos__(value)
    if isinstance(value, float):
        return float.__pos__(value)
    return value


def _plain_key(key: Any) -> Any:
    if isinstance(key, tuple):
        raise TypeError(f"A tuple cannot be a key in YAML: use a text in place of {key!r}")
    return plain(key)
