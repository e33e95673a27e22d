"""JSON Schema of annotations. Pure."""

from __future__ import annotations

import dataclasses
import inspect
import json
import typing
from enum import Enum
from typing import Any, Final

from .docstrings import described
from .hints import (
    ARRAYS,
    OBJECTS,
    Field,
    fields_of,
    is_enum,
    is_model,
    is_union,
    note,
    plain,
    text_kind,
)

_SCALARS: Final[dict[Any, dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    bytes: {"type": "string", "contentEncoding": "base64"},
}
_TEXTS: Final[dict[str, dict[str, Any]]] = {
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "Decimal": {"type": "string"},
    "UUID": {"type": "string", "format": "uuid"},
    "PurePath": {"type": "string", "format": "path"},
}


class Schemas:
    """Makes the schemas of one tool; records are named once and referred to.

    Attributes
    ----------
    definitions : dict of str to dict
        The records' schemas by name: what stands under ``$defs``.
    """

    def __init__(self) -> None:
        self.definitions: dict[str, dict[str, Any]] = {}
        self._names: dict[Any, str] = {}

    def of(self, hint: Any) -> dict[str, Any]:
        """Give the schema of an annotation.

        Parameters
        ----------
        hint : object
            The annotation.

        Returns
        -------
        dict
            JSON Schema, draft 2020-12; empty where anything goes.
        """
        schema = self._plain(plain(hint))
        return {**schema, "description": text} if (text := note(hint)) else schema

    def field(self, field: Field, text: str = "") -> dict[str, Any]:
        """Give the schema of a named value, with its description and default.

        Parameters
        ----------
        field : Field
            The value.
        text : str
            Its description.

        Returns
        -------
        dict
            JSON Schema.
        """
        schema = dict(self.of(field.hint))
        if text:
            schema["description"] = text
        default = _as_json(field.default)
        if default is not inspect.Parameter.empty:
            schema["default"] = default
        return schema

    def _plain(self, hint: Any) -> dict[str, Any]:
        arguments = typing.get_args(hint)
        origin = typing.get_origin(hint) or hint
        if hint is Any:
            return {}
        if origin is typing.Literal:
            return _choice([a.value if isinstance(a, Enum) else a for a in arguments])
        if is_union(hint):
            options = [self.of(a) for a in arguments]
            return {"anyOf": [o for i, o in enumerate(options) if o not in options[:i]]}
        if is_enum(hint):
            return _choice(enum_values(hint))
        if hint in _SCALARS:
            return dict(_SCALARS[hint])
        if origin in ARRAYS:
            unique = {"uniqueItems": True} if issubclass(ARRAYS[origin], set | frozenset) else {}
            return {"type": "array", "items": self.of(arguments[0] if arguments else Any), **unique}
        if origin is tuple:
            return self._tuple(arguments)
        if origin in OBJECTS:
            values = self.of(arguments[1]) if len(arguments) == 2 else {}
            return {"type": "object", "additionalProperties": values or True}
        if is_model(origin) or fields_of(origin) is not None:
            return self._reference(origin)
        return self._other(hint)

    def _other(self, hint: Any) -> dict[str, Any]:
        if kind := text_kind(hint):
            return dict(_TEXTS[kind])
        bases = [base for base in getattr(hint, "__mro__", ()) if base in _SCALARS]
        return dict(_SCALARS[bases[0]]) if bases else {}

    def _tuple(self, arguments: tuple[Any, ...]) -> dict[str, Any]:
        if not arguments:
            return {"type": "array", "items": {}}
        if arguments[-1] is ...:
            return {"type": "array", "items": self.of(arguments[0])}
        items = [self.of(a) for a in arguments]
        return {
            "type": "array",
            "prefixItems": items,
            "minItems": len(items),
            "maxItems": len(items),
        }

    def _reference(self, record: Any) -> dict[str, Any]:
        if record not in self._names:
            name = record.__name__
            if name in self._names.values():
                name = f"{record.__module__}.{record.__qualname__}"
            self._names[record] = name
            if is_model(record):
                self._model(name, record)
            else:
                self.definitions[name] = self._record(record)
        return {"$ref": f"#/$defs/{self._names[record]}"}

    def _model(self, name: str, model: Any) -> None:
        schema = model.model_json_schema(ref_template=f"#/$defs/{name}.{{model}}")
        for part, definition in schema.pop("$defs", {}).items():
            self.definitions[f"{name}.{part}"] = definition
        self.definitions[name] = schema

    def _record(self, record: Any) -> dict[str, Any]:
        doc = record.__doc__ or ""
        # Dataclasses and named tuples without a docstring get their signature as one.
        told = described("" if doc.startswith(f"{record.__name__}(") else doc)
        fields = fields_of(record) or {}
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {
                name: self.field(field, told.parameters.get(name, ""))
                for name, field in fields.items()
            },
            "required": [name for name, field in fields.items() if field.required],
        }
        return {**schema, "description": told.text} if told.text else schema


def enum_values(kind: Any) -> list[Any]:
    """Give what stands for the members of an enumeration: their values, or else their names."""
    values = [member.value for member in kind]
    if all(isinstance(value, str | int | float | bool | None) for value in values):
        return values
    return [member.name for member in kind]


def _choice(values: list[Any]) -> dict[str, Any]:
    names = {_SCALARS[type(value)]["type"] for value in values if type(value) in _SCALARS}
    return {"type": names.pop(), "enum": values} if len(names) == 1 else {"enum": values}


def _as_json(default: Any) -> Any:
    """Give a default as JSON has it; ``empty`` where there is none, or none that JSON has."""
    if default is inspect.Parameter.empty:
        return default
    if isinstance(default, Enum):
        return default.value if default.value in enum_values(type(default)) else default.name
    if dataclasses.is_dataclass(default) and not isinstance(default, type):
        default = dataclasses.asdict(default)
    elif is_model(type(default)):
        default = default.model_dump(mode="json")
    try:
        return json.loads(json.dumps(default, allow_nan=False))
    except (TypeError, ValueError):
        return inspect.Parameter.empty
