"""The context: an immutable chain of spans that shares its past."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import deepcopy
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, TypeVar

from .blocks import CBlock
from .component import Component
from .thunk import ModelOutputThunk
from .turns import ContextTurn

if TYPE_CHECKING:
    from .spans import Span

__all__ = ["Context"]

ContextT = TypeVar("ContextT", bound="Context")

_LOCKED: Final = frozenset({"_previous", "_data", "_config"})
_SPANS: Final = (Component, CBlock, ModelOutputThunk)
_set = object.__setattr__


class Context(ABC):
    """The state of a conversation: a chain of nodes, each with one span; never changed.

    Adding gives a new node that leads to the old one, so contexts share their past. Write
    :meth:`add` (usually ``return self.from_previous(self, c)``) and
    :meth:`view_for_generation` in a subclass; name what its nodes carry along in
    ``_propagated_fields``.

    Attributes
    ----------
    is_root_node : bool
        True for the empty context.
    previous_node : Context or None
        The context that this one was made from; None for the root.
    node_data : Component, CBlock, ModelOutputThunk or None
        What this node added; None for the root.
    is_chat_context : bool
        Whether it stands for a conversation of several turns.

    Notes
    -----
    The links and the built-in configuration cannot be assigned or deleted: AttributeError.
    Attributes that a subclass adds are its own business. Nothing here recurses along the
    chain: copies, pickles and destruction take any length. ``copy`` gives a node with the
    same past; ``deepcopy`` copies the past, too, and keeps what is shared shared; a pickle
    holds each context's whole past.

    See Also
    --------
    dialog_ext.core.ChatContext, dialog_ext.core.SimpleContext : Ready-made ones.
    """

    _propagated_fields: ClassVar[tuple[str, ...]] = ()
    _carried: ClassVar[tuple[str, ...]] = ()
    _is_chat_context: bool = True
    _previous: Context | None = None
    _data: Span | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Collect the fields that nodes of this class and its bases carry along."""
        super().__init_subclass__(**kwargs)
        fields = [vars(base).get("_propagated_fields", ()) for base in reversed(cls.__mro__)]
        cls._carried = tuple(dict.fromkeys(name for group in fields for name in group))

    # Making contexts

    @classmethod
    def from_previous(cls: type[ContextT], previous: Context, data: Span) -> ContextT:
        """Make a node after another one.

        ``__init__`` is not run, so that a subclass may have arguments that it requires: each
        attribute named in the ``_propagated_fields`` of the class or its bases is taken over
        from the previous node instead.

        Parameters
        ----------
        previous : Context
            The context to go on from.
        data : Component, CBlock or ModelOutputThunk
            What the new node adds.

        Returns
        -------
        Context
            Of this class; its ``previous_node`` is the very node given.

        Raises
        ------
        AssertionError
            If ``previous`` is no context, or ``data`` is None; also under ``python -O``.
        TypeError
            If ``data`` is anything else that is no span.
        """
        if type(previous) is not cls and not isinstance(previous, Context):
            raise AssertionError(f"previous must be a Context, not {type(previous).__name__}")
        if not isinstance(data, _SPANS):
            _refuse_data(data)
        node = cls.__new__(cls)
        for name in cls._carried:
            try:
                _set(node, name, getattr(previous, name))
            except AttributeError:
                continue
        _set(node, "_previous", previous)
        _set(node, "_data", data)
        return node

    @classmethod
    def reset_to_new(cls: type[ContextT]) -> ContextT:
        """Make an empty context, as ``cls()`` does.

        Returns
        -------
        Context
            A root without configuration.
        """
        return cls()

    def new_instance(self) -> Context:
        """Make an empty context with this one's configuration.

        Returns
        -------
        Context
            A root of the same class, with the attributes named in ``_propagated_fields``.
            ``__init__`` is run only if it requires no arguments.
        """
        cls = type(self)
        root = cls.__new__(cls) if _requires_arguments(cls) else cls.reset_to_new()
        for name in cls._carried:
            if hasattr(self, name):
                _set(root, name, getattr(self, name))
        return root

    @abstractmethod
    def add(self, c: Span) -> Context:
        """Make a context that has one more span.

        Parameters
        ----------
        c : Component, CBlock or ModelOutputThunk
            What is added.

        Returns
        -------
        Context
            Of the same class; this one is unchanged.
        """
        raise NotImplementedError

    # Reading them

    @property
    def is_root_node(self) -> bool:
        """Whether this is the empty context."""
        return self._previous is None

    @property
    def previous_node(self) -> Context | None:
        """The very context that this one was made from; for internal use."""
        return self._previous

    @property
    def node_data(self) -> Span | None:
        """What this node added; for internal use."""
        return self._data

    @property
    def is_chat_context(self) -> bool:
        """Whether it stands for a conversation of several turns."""
        return self._is_chat_context

    def as_list(self, last_n_components: int | None = None) -> list[Span]:
        """Give the spans, oldest first.

        Parameters
        ----------
        last_n_components : int, optional
            At most how many, counted from the end; all without it.

        Returns
        -------
        list of Component, CBlock or ModelOutputThunk
            A new list. A span that was added twice is in it twice.

        Raises
        ------
        ValueError
            If the number is negative.
        RuntimeError
            If a node leads back to itself, which only tampering can bring about.
        """
        if last_n_components is not None and last_n_components < 0:
            raise ValueError(f"last_n_components must be 0 or more, not {last_n_components}")
        spans: list[Any] = []
        if last_n_components is None:
            spans.extend(node._data for node in self._nodes())
        elif last_n_components:
            for node in self._nodes():
                spans.append(node._data)
                if len(spans) == last_n_components:
                    break
        spans.reverse()
        return spans

    @abstractmethod
    def view_for_generation(self) -> list[Span] | None:
        """Give the spans that a model is shown.

        Returns
        -------
        list of Component, CBlock or ModelOutputThunk, or None
            In order; None if the context is in no state to generate from.
        """
        raise NotImplementedError

    def actions_for_available_tools(self) -> list[Span] | None:
        """Give the spans whose tools are on offer during generation.

        Returns
        -------
        list of Component, CBlock or ModelOutputThunk, or None
            Those of :meth:`view_for_generation`, unless a subclass says otherwise.
        """
        return self.view_for_generation()

    def last_output(self, check_last_n_components: int = 3) -> ModelOutputThunk[Any] | None:
        """Give the newest thunk among the last spans.

        Parameters
        ----------
        check_last_n_components : int, default 3
            How many spans are looked at, from the end.

        Returns
        -------
        ModelOutputThunk or None
            None if there is none among them.

        Raises
        ------
        ValueError
            If the number is negative.
        """
        for span in reversed(self.as_list(check_last_n_components)):
            if isinstance(span, ModelOutputThunk):
                return span
        return None

    def last_turn(self) -> ContextTurn | None:
        """Give the last turn.

        Outputs are thunks, and components whose ``role`` is ``"assistant"``; everything else
        is input.

        Returns
        -------
        ContextTurn or None
            Without output if the last span is an input; without input if an output has none
            right before it; None for an empty context.
        """
        last = self.as_list(2)
        if not last:
            return None
        if not _is_output(last[-1]):
            return ContextTurn(last[-1], None)
        before = last[0] if len(last) == 2 and not _is_output(last[0]) else None
        return ContextTurn(before, last[-1])  # type: ignore[arg-type]  # _is_output told so

    def _nodes(self) -> Iterator[Context]:
        """Walk the nodes with data, newest first."""
        seen: set[int] = set()
        node = self
        while node._previous is not None:
            if id(node) in seen:
                raise RuntimeError("The context leads back to itself; make a new one")
            seen.add(id(node))
            yield node
            node = node._previous

    # Keeping them as they are

    def __setattr__(self, name: str, held: Any) -> None:
        if name in _LOCKED:
            self._refuse(name)
        _set(self, name, held)

    def __delattr__(self, name: str) -> None:
        if name in _LOCKED:
            self._refuse(name)
        object.__delattr__(self, name)

    def _refuse(self, name: str) -> NoReturn:
        raise AttributeError(
            f"{name.strip('_')} of a context cannot be changed; add makes a new one"
        )

    def __copy__(self) -> Context:
        return _made(type(self), {**_state(self), "_previous": self._previous})

    def __deepcopy__(self, memo: dict[int, Any]) -> Context:
        chain: list[Context] = []
        node: Context | None = self
        while node is not None and id(node) not in memo:
            chain.append(node)
            node = node._previous
        for old in reversed(chain):
            new = memo[id(old)] = object.__new__(type(old))
            for name, held in {**_state(old), "_previous": old._previous}.items():
                # The previous node was copied in the round before, and is found in the memo.
                _set(new, name, deepcopy(held, memo))
        copied: Context = memo[id(self)]
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        chain: list[tuple[type[Context], dict[str, Any]]] = []
        node: Context | None = self
        while node is not None:
            chain.append((type(node), _state(node)))
            node = node._previous
        return _linked, (chain[::-1],)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{sum(1 for _ in self._nodes())} spans>)"


def _linked(chain: list[tuple[type[Context], dict[str, Any]]]) -> Context:
    """Make the nodes of a pickle, and give the last."""
    node: Context | None = None
    for cls, state in chain:
        node = _made(cls, {**state, "_previous": node})
    if node is None:
        raise ValueError("A pickled context has at least its root")
    return node


def _made(cls: type[ContextT], state: dict[str, Any]) -> ContextT:
    """Make a node of its parts; nothing of its class is run."""
    node = object.__new__(cls)
    for name, held in state.items():
        _set(node, name, held)
    return node


def _state(node: Context) -> dict[str, Any]:
    """Give what a node holds, slots of subclasses included, without the link to its past."""
    state = dict(node.__dict__)
    state.pop("_previous", None)
    for cls in type(node).__mro__[:-1]:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(node, name):
                state[name] = getattr(node, name)
    return state


def _refuse_data(data: object) -> NoReturn:
    if data is None:
        raise AssertionError("data must be a span, not None")
    raise TypeError(
        f"{type(data).__name__} is no span; add a Component, a CBlock (blockify makes one of "
        "a str) or a ModelOutputThunk"
    )


def _requires_arguments(cls: type) -> bool:
    try:
        signature(cls).bind()
    except TypeError:
        return True
    return False


def _is_output(span: Any) -> bool:
    if isinstance(span, ModelOutputThunk):
        return True
    return isinstance(span, Component) and getattr(span, "role", None) == "assistant"
