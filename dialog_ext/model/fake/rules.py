"""One rule of the fake model: when it applies, what it answers, how it compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dialog_ext.model.fake.answer import frozen_response
from dialog_ext.model.fake.sequence import SequenceCursor, SequenceNext, SequenceOpen

__all__ = ["Rule"]


class Rule:
    """A condition and a response, ready to be asked; a value, but for a sequence's place.

    Parameters
    ----------
    when : callable
        Of (messages, **params).
    response : str, pair or callable
        The answer; a list pair is copied.

    Raises
    ------
    TypeError, ValueError
        If the condition cannot be called, or the response has none of these forms.
    """

    __slots__ = ("_cursor", "_response", "_when")

    def __init__(self, when: Callable[..., Any], response: Any) -> None:
        if not callable(when):
            raise TypeError(f"A condition is a callable, not {type(when).__name__}.")
        self._when = when
        self._response = response if callable(response) else frozen_response(response)
        self._cursor: SequenceCursor | None = None
        if isinstance(when, SequenceOpen) and response == SequenceNext(when.sequence):
            self._cursor = SequenceCursor(when.sequence)

    def answer(self, messages: Sequence[dict[str, Any]], params: dict[str, Any]) -> Any:
        """Give the response in the form it has; None if the rule does not apply."""
        if self._cursor is not None:
            return self._cursor.take(messages, **params)
        if not self._when(messages, **params):
            return None
        if not callable(self._response):
            return self._response
        made = self._response(messages, **params)
        if made is None:
            raise TypeError(f"The response function {self._response!r} gave None, not an answer.")
        return made

    def fresh(self) -> Rule:
        """Give the same rule with its sequence, if any, at the beginning."""
        return self if self._cursor is None else Rule(self._when, self._response)

    def __reduce__(self) -> tuple[Any, ...]:
        return Rule, (self._when, self._response)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        return bool(self._when == other._when and self._response == other._response)

    def __hash__(self) -> int:
        return hash((_hash_or_zero(self._when), _hash_or_zero(self._response)))


def _hash_or_zero(thing: object) -> int:
    """Hash a callable that may have no hash; 0 then, so that equal rules hash alike."""
    try:
        return hash(thing)
    except TypeError:
        return 0
