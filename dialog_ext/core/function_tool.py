"""Tools made of Python functions."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from .convert import convert
from .docstrings import described
from .hints import Field, resolved
from .schema import Schemas
from .tools import AbstractMelleaTool

__all__ = ["FunctionTool"]

P = ParamSpec("P")
R = TypeVar("R")
_EMPTY = inspect.Parameter.empty


class FunctionTool(AbstractMelleaTool[P, R]):
    """A tool that calls a Python function.

    Its description for the model comes from the function's signature, annotations and
    docstring (numpy, Google or Sphinx style). Arguments are converted to the annotated types
    before the call: JSON has no enumerations, records, tuples, sets or dates, and models
    write ``"5"`` for 5.

    Parameters
    ----------
    func : callable
        The function. Of an async one, `run` gives the coroutine.
    name : str, optional
        The tool's name; the function's without it.
    description : str, optional
        What the tool does; what the docstring says before its first section without it.

    Attributes
    ----------
    name : str
        The tool's name.
    func : callable
        The function.
    as_json_tool : dict
        ``{"type": "function", "function": {"name", "description", "parameters"}}``.

    Raises
    ------
    TypeError
        If the function cannot be called.
    ValueError
        If it has no name and none is given, or if its signature cannot be read.

    Notes
    -----
    In the schema (JSON Schema, draft 2020-12): unions are ``anyOf``, literals and
    enumerations ``enum``, records (dataclasses, TypedDict, NamedTuple, pydantic models)
    stand under ``$defs``; what has no JSON form, such as a picture, accepts anything and is
    passed on as it is. ``*args`` is an array of that name.

    Examples
    --------
    >>> def add(a: int, b: int = 1) -> int:
    ...     '''Add two numbers.'''
    ...     return a + b
    >>> tool = FunctionTool(add)
    >>> tool.run(a="2")
    3
    >>> tool.as_json_tool["function"]["parameters"]["required"]
    ['a']
    """

    def __init__(
        self, func: Callable[P, R], name: str | None = None, description: str | None = None
    ) -> None:
        if not callable(func):
            raise TypeError(f"A tool needs a function, not {type(func).__name__}")
        name = name or getattr(_unpartial(func), "__name__", "")
        if not name or name == "<lambda>":
            raise ValueError("The function has no name; give one: FunctionTool(func, name=...)")
        self.name: str = name
        self.func = func
        self._signature = inspect.signature(func)
        self._hints = resolved(_written(func))
        self._json = json.dumps(self._described(inspect.getdoc(func), description))

    @property
    def as_json_tool(self) -> dict[str, Any]:
        """The tool's description for a model; a new dict at each access."""
        tool: dict[str, Any] = json.loads(self._json)
        return tool

    def run(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function with the arguments converted to its annotations.

        Parameters
        ----------
        *args
            Positional arguments.
        **kwargs
            Named arguments. Positional-only parameters, and the items of ``*args``, may be
            given by name, too, since a model knows only names.

        Returns
        -------
        R
            What the function gives.

        Raises
        ------
        TypeError
            If arguments are missing or unknown.
        ValueError
            If an argument does not fit its annotation.
        """
        bound = self._bound(list(args), dict(kwargs))
        for name, value in bound.arguments.items():
            bound.arguments[name] = self._converted(name, value)
        return self.func(*bound.args, **bound.kwargs)

    def _bound(self, args: list[Any], kwargs: dict[str, Any]) -> inspect.BoundArguments:
        parameters = self._signature.parameters.values()
        star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "")
        rest = kwargs.pop(star) if star in kwargs else ()
        if isinstance(rest, str) or not isinstance(rest, list | tuple | str):
            rest = convert(rest, list[Any], f"{self.name}: {star}")
        for p in list(parameters)[len(args) :]:
            if p.kind is not p.POSITIONAL_ONLY and not (rest and p.kind is p.POSITIONAL_OR_KEYWORD):
                break
            if p.name not in kwargs and p.default is _EMPTY:
                break
            args.append(kwargs.pop(p.name, p.default))
        try:
            return self._signature.bind(*args, *rest, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}") from None

    def _converted(self, name: str, value: Any) -> Any:
        parameter = self._signature.parameters[name]
        hint, where = self._hints.get(name, Any), f"{self.name}: {name}"
        if parameter.kind is parameter.VAR_POSITIONAL:
            return tuple(convert(v, hint, f"{where}[{i}]") for i, v in enumerate(value))
        if parameter.kind is parameter.VAR_KEYWORD:
            return {k: convert(v, hint, f"{self.name}: {k}") for k, v in value.items()}
        if value is parameter.default:
            return value
        return convert(value, hint, where)

    def _described(self, doc: str | None, description: str | None) -> dict[str, Any]:
        told, schemas = described(doc), Schemas()
        properties: dict[str, Any] = {}
        required: list[str] = []
        extra: Any = False
        for p in self._signature.parameters.values():
            hint, text = self._hints.get(p.name, Any), told.parameters.get(p.name, "")
            if p.kind is p.VAR_KEYWORD:
                extra = schemas.of(hint) or True
                continue
            if p.kind is p.VAR_POSITIONAL:
                field = Field(list[hint], False)  # type: ignore[valid-type]  # made at run time
            else:
                field = Field(hint, p.default is _EMPTY, p.default)
            properties[p.name] = schemas.field(field, text)
            if field.required:
                required.append(p.name)
        parameters: dict[str, Any] = {"type": "object", "properties": properties}
        parameters |= {"required": required, "additionalProperties": extra}
        if schemas.definitions:
            parameters["$defs"] = schemas.definitions
        said = told.text if description is None else description
        function = {"name": self.name, "description": said, "parameters": parameters}
        return {"type": "function", "function": function}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def _written(func: Any) -> Any:
    """Find the function whose annotations count: within partials, classes and callables."""
    func = _unpartial(func)
    if isinstance(func, type):
        return inspect.getattr_static(func, "__init__")
    if not (inspect.isroutine(func)):
        return type(func).__call__
    return inspect.unwrap(func)


def _unpartial(func: Any) -> Any:
    while hasattr(func, "func") and hasattr(func, "keywords"):
        func = func.func
    return func
