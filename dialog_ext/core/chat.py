"""Ready-made contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from .context import Context

if TYPE_CHECKING:
    from .spans import Span

__all__ = ["ChatContext", "SimpleContext"]


class ChatContext(Context):
    """A conversation of several turns: a model is shown all of it, or the last spans.

    Parameters
    ----------
    window_size : int, optional
        How many spans a model is shown at most, counted from the end; all without it.
    model_id : str, optional
        The model that the conversation is with.

    Attributes
    ----------
    window_size, model_id
        The parameters, unchanged. Every context made from this one has them, too.

    Raises
    ------
    TypeError
        If the window size is neither int nor None.
    ValueError
        If it is negative.

    Examples
    --------
    >>> from dialog_ext.core import CBlock
    >>> chat = ChatContext(window_size=1).add(CBlock("first")).add(CBlock("second"))
    >>> [str(span) for span in chat.view_for_generation()]
    ['second']
    """

    _propagated_fields: ClassVar[tuple[str, ...]] = ("_config",)
    _config: tuple[int | None, str | None] = (None, None)

    def __init__(self, window_size: int | None = None, model_id: str | None = None) -> None:
        if window_size is not None:
            if not isinstance(window_size, int) or isinstance(window_size, bool):
                raise TypeError(f"window_size must be an int, not {type(window_size).__name__}")
            if window_size < 0:
                raise ValueError(f"window_size must be 0 or more, not {window_size}")
        object.__setattr__(self, "_config", (window_size, model_id))

    @property
    def window_size(self) -> int | None:
        """How many spans a model is shown at most; None: all."""
        return self._config[0]

    @property
    def model_id(self) -> str | None:
        """The model that the conversation is with."""
        return self._config[1]

    def add(self, c: Span) -> Self:
        """Make a context that has one more span.

        Parameters
        ----------
        c : Component, CBlock or ModelOutputThunk
            What is added.

        Returns
        -------
        ChatContext
            Of the same class, with the same configuration.
        """
        return self.from_previous(self, c)

    def new_instance(self) -> Self:
        """Make an empty context with the same configuration.

        Returns
        -------
        ChatContext
            A root of the same class.
        """
        return super().new_instance()  # type: ignore[return-value]  # of the same class

    def view_for_generation(self) -> list[Span]:
        """Give the spans that a model is shown: the last ``window_size``, or all.

        Returns
        -------
        list of Component, CBlock or ModelOutputThunk
            Oldest first.
        """
        return self.as_list(self._config[0])


class SimpleContext(Context):
    """A context whose turns stand alone: it keeps what was added, a model is shown none of it."""

    _is_chat_context = False

    def add(self, c: Span) -> Self:
        """Make a context that has one more span.

        Parameters
        ----------
        c : Component, CBlock or ModelOutputThunk
            What is added.

        Returns
        -------
        SimpleContext
            Of the same class.
        """
        return self.from_previous(self, c)

    def new_instance(self) -> Self:
        """Make an empty context.

        Returns
        -------
        SimpleContext
            A root of the same class.
        """
        return super().new_instance()  # type: ignore[return-value]  # of the same class

    def view_for_generation(self) -> list[Span]:
        """Give the spans that a model is shown: none.

        Returns
        -------
        list
            Empty.
        """
        return []
