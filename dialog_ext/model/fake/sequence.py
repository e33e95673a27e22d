"""Answers in a fixed order: the value, and the place that one model has reached in it."""

from __future__ import annotations

import operator
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

from dialog_ext.model.fake.answer import Answer, FixedResponse, as_answer, frozen_response

__all__ = ["FakeResponseSequence", "SequenceCursor", "SequenceNext", "SequenceOpen"]


class FakeResponseSequence:
    """Answers in a fixed order and a position among them; a value that never changes.

    Parameters
    ----------
    responses : list of (str or pair of str)
        The answers: content alone, or (reasoning, content) as a tuple or a list. The
        sequence keeps copies.
    index : int, default 0
        The position, from 0 to ``len(responses)``; at the latter nothing is left.

    Raises
    ------
    TypeError
        If an answer is no text and no pair, or the index no integer.
    ValueError
        If a pair has not two items, or the index is out of range.

    Examples
    --------
    >>> sequence = FakeResponseSequence(["one", ("why", "two")])
    >>> sequence.advance().response([])
    ('why', 'two')
    """

    __slots__ = ("_index", "_lists", "_responses")

    _responses: tuple[str | tuple[str | None, str], ...]
    _lists: frozenset[int]
    _index: int

    def __init__(self, responses: Sequence[FixedResponse], index: int = 0) -> None:
        if isinstance(responses, str):
            raise TypeError("responses must be a list of answers, not one text: put it in a list.")
        given = tuple(responses)
        index = operator.index(index)
        if not 0 <= index <= len(given):
            raise ValueError(f"index must be from 0 to {len(given)}, not {index}.")
        object.__setattr__(self, "_responses", tuple(frozen_response(one) for one in given))
        object.__setattr__(
            self, "_lists", frozenset(i for i, one in enumerate(given) if isinstance(one, list))
        )
        object.__setattr__(self, "_index", index)

    @property
    def _response_contents(self) -> tuple[Any, ...]:
        """The answers as they were given; pairs that came as lists are fresh lists."""
        return tuple(
            list(one) if i in self._lists else one for i, one in enumerate(self._responses)
        )

    @property
    def current_index(self) -> int:
        """The position (int), 0 at first."""
        return self._index

    @property
    def total_responses(self) -> int:
        """How many answers there are in all (int)."""
        return len(self._responses)

    @property
    def has_more_responses(self) -> bool:
        """Whether an answer is left (bool)."""
        return self._index < len(self._responses)

    def rule_check(self, messages: Sequence[dict[str, Any]], **params: Any) -> bool:
        """Tell whether an answer is left, whatever the messages.

        Parameters
        ----------
        messages : sequence of dict
            Not looked at.
        **params : Any
            Not looked at.

        Returns
        -------
        bool
            The same as :attr:`has_more_responses`.
        """
        return self.has_more_responses

    def response(self, messages: Sequence[dict[str, Any]], **params: Any) -> Answer:
        """Give the answer at the position, whatever the messages.

        Parameters
        ----------
        messages : sequence of dict
            Not looked at.
        **params : Any
            Not looked at.

        Returns
        -------
        tuple of (str, str)
            (reasoning, content).

        Raises
        ------
        IndexError
            If no answer is left.
        """
        if not self.has_more_responses:
            raise IndexError(self._nothing_left())
        return as_answer(self._responses[self._index])

    def advance(self) -> FakeResponseSequence:
        """Give the sequence one position further on.

        Returns
        -------
        FakeResponseSequence
            A new value; this one stays where it is.

        Raises
        ------
        IndexError
            If no answer is left to pass over.
        """
        if not self.has_more_responses:
            raise IndexError(self._nothing_left())
        return self._at(self._index + 1)

    def reset(self) -> FakeResponseSequence:
        """Give the sequence at its first position.

        Returns
        -------
        FakeResponseSequence
            A new value; this one stays where it is.
        """
        return self._at(0)

    def _at(self, index: int) -> FakeResponseSequence:
        moved = object.__new__(type(self))
        for name, value in (
            ("_responses", self._responses), ("_lists", self._lists), ("_index", index),
        ):  # fmt: skip
            object.__setattr__(moved, name, value)
        return moved

    def _nothing_left(self) -> str:
        return (
            "No more responses available. "
            f"Current index: {self._index}, Total: {len(self._responses)}"
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Cannot modify attribute {name!r} of immutable FakeResponseSequence")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Cannot delete attribute {name!r} of immutable FakeResponseSequence")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self._response_contents), self._index)

    def __eq__(self, other: object) -> bool:
        """Tell whether the other has the same answers and the same position.

        Parameters
        ----------
        other : object
            Anything.

        Returns
        -------
        bool
            Always False for what is no ``FakeResponseSequence``.
        """
        if not isinstance(other, FakeResponseSequence):
            return NotImplemented
        return self._responses == other._responses and self._index == other._index

    def __hash__(self) -> int:
        """Hash answers and position.

        Returns
        -------
        int
            The same for equal sequences.
        """
        return hash((FakeResponseSequence, self._responses, self._index))

    def __repr__(self) -> str:
        """Show answers and position.

        Returns
        -------
        str
            For example ``FakeResponseSequence(responses=['A'], index=0)``.
        """
        contents = list(self._response_contents)
        return f"{type(self).__name__}(responses={contents!r}, index={self._index})"


class _OfSequence:
    """A function of messages that speaks for a sequence; equal for equal sequences."""

    __slots__ = ("sequence",)

    def __init__(self, sequence: FakeResponseSequence) -> None:
        self.sequence = sequence

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _OfSequence):
            return NotImplemented
        return type(self) is type(other) and self.sequence == other.sequence

    def __hash__(self) -> int:
        return hash((type(self), self.sequence))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.sequence!r})"


class SequenceOpen(_OfSequence):
    """The condition of a sequence rule: true where the sequence starts with an answer left."""

    __slots__ = ()

    def __call__(self, messages: Sequence[dict[str, Any]], **params: Any) -> bool:
        """Tell whether the sequence starts with an answer left."""
        return self.sequence.rule_check(messages, **params)


class SequenceNext(_OfSequence):
    """The response of a sequence rule: the answer where the sequence starts."""

    __slots__ = ()

    def __call__(self, messages: Sequence[dict[str, Any]], **params: Any) -> Answer:
        """Give (reasoning, content) from where the sequence starts."""
        return self.sequence.response(messages, **params)


class SequenceCursor:
    """How far one model has read a sequence; each answer is given once, to one thread.

    Parameters
    ----------
    sequence : FakeResponseSequence
        Where to start.
    """

    __slots__ = ("_lock", "_rest")

    def __init__(self, sequence: FakeResponseSequence) -> None:
        self._rest = sequence
        self._lock = threading.Lock()

    def take(self, messages: Sequence[dict[str, Any]], **params: Any) -> Answer | None:
        """Give the next answer and step on; None if nothing is left."""
        with self._lock:
            rest = self._rest
            if not rest.rule_check(messages, **params):
                return None
            self._rest = rest.advance()
        return rest.response(messages, **params)
