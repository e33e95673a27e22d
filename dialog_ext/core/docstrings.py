"""What a docstring says of a function and its parameters: numpy, Google or Sphinx style. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from typing import Final, NamedTuple

_PARAMETERS: Final = frozenset(
    {
        "args",
        "arguments",
        "attributes",
        "keyword args",
        "keyword arguments",
        "other parameters",
        "parameters",
        "params",
    }
)
_OTHERS: Final = frozenset(
    {
        "example",
        "examples",
        "note",
        "notes",
        "raises",
        "receives",
        "references",
        "return",
        "returns",
        "see also",
        "todo",
        "warning",
        "warnings",
        "warns",
        "yield",
        "yields",
    }
)
_NUMPY_ENTRY: Final = re.compile(r"([\\*]*\w+(?:\s*,\s*[\\*]*\w+)*)\s*(?::.*)?$")
_GOOGLE_ENTRY: Final = re.compile(r"([\\*]*\w+)\s*(?:\(.*?\))?\s*:(?:\s+(.*))?$")
_GOOGLE_HEAD: Final = re.compile(r"([A-Za-z ]+):$")
_FIELD: Final = re.compile(r":(\w+)(?:\s+([^:]*?))?\s*:(?:\s+(.*))?$")
_FIELD_WORDS: Final = frozenset({"param", "parameter", "arg", "argument", "key", "keyword"})
_OTHER_FIELDS: Final = frozenset(
    {"type", "raises", "raise", "except", "exception", "var", "ivar", "cvar", "vartype", "meta"}
    | {"return", "returns", "rtype", "yield", "yields"}
)


class Described(NamedTuple):
    """What a docstring says.

    Parameters
    ----------
    text : str
        What stands before its first section.
    parameters : dict of str to str
        The parameters' descriptions, each in one line, by name.
    """

    text: str
    parameters: dict[str, str]


class _Section(NamedTuple):
    name: str
    style: str
    start: int
    body: int


def described(docstring: str | None) -> Described:
    """Read a docstring.

    Parameters
    ----------
    docstring : str or None
        In numpy, Google or Sphinx style, or in none.

    Returns
    -------
    Described
        Empty where nothing is said.
    """
    lines = cleandoc(docstring or "").splitlines()
    sections = list(_sections(lines))
    found: dict[str, str] = {}
    ends = [*(section.start for section in sections[1:]), len(lines)]
    for section, end in zip(sections, ends, strict=False):
        body = lines[section.body : end]
        if section.style == "field":
            _field(lines[section.start : end], found)
        elif section.name in _PARAMETERS:
            (_numpy if section.style == "numpy" else _google)(body, found)
    head = lines[: sections[0].start] if sections else lines
    return Described("\n".join(head).strip(), {n: t for n, t in found.items() if t})


def _sections(lines: list[str]) -> Iterator[_Section]:
    for i, line in enumerate(lines):
        below = lines[i + 1] if i + 1 < len(lines) else ""
        word = line.strip().lower()
        if word and not line[0].isspace() and re.fullmatch(r"-{3,}|={3,}", below.strip()):
            yield _Section(word, "numpy", i, i + 2)
        elif (head := _GOOGLE_HEAD.match(line)) and below[:1] in (" ", "\t", ""):
            name = head[1].lower()
            if name in _PARAMETERS or name in _OTHERS:
                yield _Section(name, "google", i, i + 1)
        elif (field := _FIELD.match(line)) and field[1] in _FIELD_WORDS | _OTHER_FIELDS:
            yield _Section(field[1], "field", i, i + 1)


def _numpy(body: list[str], found: dict[str, str]) -> None:
    names: list[str] = []
    text: list[str] = []
    for line in [*body, "end"]:
        if line and not line[0].isspace():
            _keep(found, names, text)
            entry = _NUMPY_ENTRY.match(line)
            names, text = (re.split(r"\s*,\s*", entry[1]) if entry else []), []
        else:
            text.append(line)


def _google(body: list[str], found: dict[str, str]) -> None:
    depth = min((_indent(line) for line in body if line.strip()), default=0)
    names: list[str] = []
    text: list[str] = []
    for line in body:
        entry = _GOOGLE_ENTRY.match(line.strip()) if _indent(line) == depth else None
        if entry:
            _keep(found, names, text)
            names, text = [entry[1]], [entry[2] or ""]
        elif line.strip() and _indent(line) < depth:
            break
        else:
            text.append(line)
    _keep(found, names, text)


def _field(lines: list[str], found: dict[str, str]) -> None:
    field = _FIELD.match(lines[0])
    if field and field[1] in _FIELD_WORDS and field[2]:
        text = [field[3] or ""]
        for line in lines[1:]:
            if line and not line[0].isspace():
                break
            text.append(line)
        _keep(found, [field[2].split()[-1]], text)


def _keep(found: dict[str, str], names: list[str], text: list[str]) -> None:
    for name in names:
        found.setdefault(name.lstrip("\\*"), " ".join(" ".join(text).split()))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
