"""A turn of a context, and the error of a context whose kind changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .component import Component
    from .context import Context
    from .spans import Span
    from .thunk import ModelOutputThunk

__all__ = ["ContextTurn", "ContextTypeMismatchError"]


@dataclass(frozen=True)
class ContextTurn:
    """What went into a model, and what came out.

    Parameters
    ----------
    model_input : Component, CBlock, ModelOutputThunk or None
        None where the turn has only an output.
    output : ModelOutputThunk, Component or None
        A thunk, or a component of the role ``assistant``; None where nothing came yet. A
        `CBlock` is never an output.
    """

    model_input: Span | None
    output: ModelOutputThunk[Any] | Component[Any] | None


class ContextTypeMismatchError(TypeError):
    """A function gave back another kind of context than it was given.

    The kind that goes in is the kind that comes out, unless the caller allowed a change
    (``allow_context_type_change=True``).

    Parameters
    ----------
    input_type : type
        The kind given.
    output_type : type
        The kind that came back.

    Attributes
    ----------
    input_type, output_type : type
        The parameters, unchanged.
    """

    def __init__(self, input_type: type[Context], output_type: type[Context]) -> None:
        super().__init__(input_type, output_type)
        self.input_type = input_type
        self.output_type = output_type

    def __str__(self) -> str:
        return (
            f"A {self.input_type.__name__} went in and a {self.output_type.__name__} came out; "
            "pass allow_context_type_change=True if that is meant"
        )
