"""Tools that a model may call, and the calls that it makes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar

__all__ = ["AbstractMelleaTool", "ModelToolCall"]

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class AbstractMelleaTool(ABC, Generic[P, R_co]):
    """What a model may call: parameters ``P``, result ``R``.

    Attributes
    ----------
    name : str
        What the model calls it by; unique among the tools of one request.
    as_json_tool : dict
        Its description, ready for JSON, in the form of function-calling interfaces.

    See Also
    --------
    FunctionTool : makes a tool of any Python function.
    """

    name: str

    @abstractmethod
    def run(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run the tool.

        Parameters
        ----------
        *args, **kwargs
            Handed on to what implements the tool.

        Returns
        -------
        R
            What the tool gives.
        """

    @property
    @abstractmethod
    def as_json_tool(self) -> dict[str, Any]:
        """The tool's description, ready for JSON."""


@dataclass
class ModelToolCall:
    """A call that a model wants to make.

    Parameters
    ----------
    name : str
        The tool that the model asked for.
    func : AbstractMelleaTool
        The tool that will run.
    args : mapping of str to object
        The arguments that the model supplied, by name.
    tool_call_id : str, optional
        The provider's id of the call, where there is one.
    """

    name: str
    func: AbstractMelleaTool[..., Any]
    args: Mapping[str, Any]
    tool_call_id: str | None = None

    def call_func(self) -> Any:
        """Run the tool with the arguments and give what it gives.

        Returns
        -------
        object
            The result of ``func.run(**args)``.
        """
        return self.func.run(**self.args)
