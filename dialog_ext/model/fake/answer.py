"""What may be given as an answer, and the one form in which answers are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Tuple, TypeAlias, Union  # noqa: UP035 - the alias prints as documented

__all__ = ["Answer", "FakeResponseTyping", "FixedResponse", "as_answer", "frozen_response"]

FakeResponseTyping: TypeAlias = Union[  # noqa: UP007 - prints as documented
    str,
    Tuple[str, str],  # noqa: UP006 - prints as documented
    Callable[..., Union[str, Tuple[str, str]]],  # noqa: UP006, UP007 - prints as documented
]
"""An answer as callers give it: content, (reasoning, content), or a function that makes one."""

FixedResponse: TypeAlias = str | tuple[str | None, str] | list[str]
"""An answer that is no function; a list of two is a pair."""

Answer: TypeAlias = tuple[str, str]
"""(reasoning, content); the reasoning is ``''`` where there is none."""


def frozen_response(response: Any) -> str | tuple[str | None, str]:
    """Check a fixed answer, and take a list pair as a tuple that its giver cannot change.

    Parameters
    ----------
    response : str, tuple or list
        Content, or a pair of (reasoning, content).

    Returns
    -------
    str or tuple of (str or None, str)
        The same answer, immutable.

    Raises
    ------
    TypeError
        If it is neither text nor a pair, or an item of the pair is no text.
    ValueError
        If it has not two items.
    """
    if isinstance(response, str):
        return response
    if not isinstance(response, tuple | list):
        raise TypeError(
            f"A response is a str or a pair (reasoning, content), not {type(response).__name__}."
        )
    if len(response) != 2:
        raise ValueError(
            f"A response pair has two items, (reasoning, content), not {len(response)}."
        )
    reasoning, content = response
    if not isinstance(content, str) or not (reasoning is None or isinstance(reasoning, str)):
        raise TypeError(
            "Both items of a response pair are str, not "
            f"({type(reasoning).__name__}, {type(content).__name__})."
        )
    return reasoning, content


def as_answer(response: Any) -> Answer:
    """Turn a fixed answer into (reasoning, content).

    Parameters
    ----------
    response : str, tuple or list
        Content, or a pair of (reasoning, content).

    Returns
    -------
    tuple of (str, str)
        The reasoning is ``''`` where none was given.

    Raises
    ------
    TypeError, ValueError
        As :func:`frozen_response`.
    """
    fixed = frozen_response(response)
    if isinstance(fixed, str):
        return "", fixed
    reasoning, content = fixed
    return reasoning or "", content
