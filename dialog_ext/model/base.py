"""What every model can do: answer at once, or piece by piece."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from dialog_ext.model.stream import ResponseStream

__all__ = ["LLMModel"]


class _ClassName:
    """Read as the name of the class; an instance or a subclass may put its own in its place."""

    def __get__(self, instance: object, owner: type) -> str:
        return owner.__name__


class LLMModel(ABC):
    """A language model: messages in, an answer out.

    A subclass defines :meth:`ask` and :meth:`ask_stream`, nothing else is needed.

    Attributes
    ----------
    name : str
        The name to show to people; the class name unless a subclass or an instance sets
        another. It takes no part in comparisons.

    See Also
    --------
    dialog_ext.model.fake.FakeLLMModel : A model that works offline, from given answers.
    dialog_ext.model.stream.ResponseStream : What ``ask_stream`` returns.
    """

    name: str = _ClassName()  # type: ignore[assignment]  # a non-data descriptor that reads as str

    @abstractmethod
    def ask(
        self, messages: Sequence[dict[str, Any]], with_reasoning: bool = False, **params: Any
    ) -> str | tuple[str | None, str]:
        """Answer the messages in one go.

        Parameters
        ----------
        messages : sequence of dict
            The conversation, oldest first, each with ``role`` and ``content``; a list or
            an ``LLMHistory``.
        with_reasoning : bool, default False
            Whether to return the reasoning too.
        **params : Any
            What else the model takes.

        Returns
        -------
        str or tuple of (str or None, str)
            The content, or (reasoning, content) with ``with_reasoning``.
        """

    @abstractmethod
    def ask_stream(
        self, messages: Sequence[dict[str, Any]], with_reasoning: bool = False, **params: Any
    ) -> ResponseStream:
        """Answer the messages piece by piece.

        Parameters
        ----------
        messages : sequence of dict
            The conversation, oldest first, each with ``role`` and ``content``; a list or
            an ``LLMHistory``.
        with_reasoning : bool, default False
            Whether the reasoning is among the pieces.
        **params : Any
            What else the model takes.

        Returns
        -------
        ResponseStream
            To iterate over once.
        """


def display_name(model: LLMModel) -> str:
    """Give a model's name; that of its class where it has none that can be read.

    Parameters
    ----------
    model : LLMModel
        Any model; its ``name`` may be a property that raises.

    Returns
    -------
    str
        What to show to people.
    """
    try:
        return str(model.name)
    except Exception:
        return type(model).__name__
