"""The component: what a model reads, and how its answer is read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from .representation import TemplateRepresentation
    from .spans import Span
    from .thunk import ModelOutputThunk

__all__ = ["Component", "ComponentParseError"]

S_co = TypeVar("S_co", covariant=True)


class ComponentParseError(Exception):
    """Raised by :meth:`Component.parse` when the hook below it raised; that is the cause."""


class Component(Generic[S_co]):
    """A composite of spans that is shown to a model; the answer is parsed into ``S``.

    Subclass it, with the type of the parsed answer in brackets
    (``class Sum(Component[float])``), and define :meth:`parts`, :meth:`format_for_llm`
    and the hook ``_parse(computed)``.

    Notes
    -----
    A real class: only what subclasses it is a component, whatever its methods are
    called, and ``isinstance`` and ``match`` cost no more than for any class.

    Examples
    --------
    >>> class Sum(Component[float]):
    ...     def _parse(self, computed):
    ...         return float(computed.value)
    >>> from dialog_ext.core import ModelOutputThunk
    >>> Sum().parse(ModelOutputThunk("1.5"))
    1.5
    """

    def parts(self) -> list[Span]:
        """Give all components, blocks and thunks that this component consists of.

        Returns
        -------
        list of Span
            Empty for a leaf.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.
        """
        raise NotImplementedError(self._undefined("parts"))

    def format_for_llm(self) -> TemplateRepresentation | str:
        """Give the form in which a model reads this component.

        It may be called more than once for one generation, so it should change nothing.

        Returns
        -------
        TemplateRepresentation or str
            A representation where there are tools, fields, attachments or templates; a
            plain string will do otherwise.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.
        """
        raise NotImplementedError(self._undefined("format_for_llm"))

    def parse(self, computed: ModelOutputThunk[Any]) -> S_co:
        """Read a model's answer by the hook ``_parse``.

        Parameters
        ----------
        computed : ModelOutputThunk
            The answer, computed.

        Returns
        -------
        S
            What the hook made of it.

        Raises
        ------
        ComponentParseError
            If the hook raised; its exception is the cause (``__cause__``).
        """
        try:
            return self._parse(computed)
        except Exception as error:
            said = f"{type(error).__name__}: {error}".rstrip(": ")
            raise ComponentParseError(
                f"{type(self).__name__} cannot parse the answer: {said}"
            ) from error

    def _parse(self, computed: ModelOutputThunk[Any]) -> S_co:
        """Turn the answer into ``S``; the hook of :meth:`parse`."""
        raise NotImplementedError(self._undefined("_parse"))

    def _undefined(self, method: str) -> str:
        return f"{type(self).__name__} does not define {method}(); define it in the class."
