"""Tools of functions: the description that a model gets, and the arguments that it gives."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import functools
import json
import pathlib
import typing
import uuid
from typing import Annotated, Any, Literal, NamedTuple, NewType, Optional, TypedDict

import pydantic
import pytest

from dialog_ext.core import AbstractMelleaTool, FunctionTool, ModelToolCall


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Num(enum.IntEnum):
    ONE = 1


class Odd(enum.Enum):
    A = object()


@dataclasses.dataclass
class Point:
    """A point.

    Parameters
    ----------
    x : int
        Across.
    """

    x: int
    y: int = 0
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Tree:
    value: int
    children: list[Tree] = dataclasses.field(default_factory=list)


class TD(TypedDict, total=False):
    a: typing.Required[int]
    b: str


class NT(NamedTuple):
    a: int
    b: str = "x"


class Sub(pydantic.BaseModel):
    n: int


class Model(pydantic.BaseModel):
    sub: Sub
    name: str = pydantic.Field("q", description="The name")


UserId = NewType("UserId", int)


def prop(hint, **extra):
    def f(a): ...

    f.__annotations__ = {"a": hint}
    return FunctionTool(f).as_json_tool["function"]["parameters"]


CASES = [
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (str, {"type": "string"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (object, {}),
    (list, {"type": "array", "items": {}}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (
        tuple[int, str],
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "minItems": 2,
            "maxItems": 2,
        },
    ),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (dict, {"type": "object", "additionalProperties": True}),
    (
        Optional[int],  # noqa: UP045 - the older spelling is a type of its own
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    ),
    (int | str | None, {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, "b"], {"enum": [1, "b"]}),
    (Colour, {"type": "string", "enum": ["red", "blue"]}),
    (Num, {"type": "integer", "enum": [1]}),
    (Odd, {"type": "string", "enum": ["A"]}),
    (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
    (UserId, {"type": "integer"}),
    (dt.date, {"type": "string", "format": "date"}),
    (dt.datetime, {"type": "string", "format": "date-time"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (pathlib.Path, {"type": "string", "format": "path"}),
    (typing.Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (typing.Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
]


@pytest.mark.parametrize(("h", "s"), CASES)
def test_schema(h, s):
    got = prop(h)["properties"]["a"]
    assert got == s
    json.dumps(got)


def test_records():
    p = prop(Point)
    assert p["properties"]["a"] == {"$ref": "#/$defs/Point"}
    assert p["$defs"]["Point"] == {
        "type": "object",
        "description": "A point.",
        "properties": {
            "x": {"type": "integer", "description": "Across."},
            "y": {"type": "integer", "default": 0},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["x"],
    }
    p = prop(Tree)
    assert p["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    assert "description" not in p["$defs"]["Tree"]
    p = prop(TD)
    assert p["$defs"]["TD"]["required"] == ["a"]
    p = prop(NT)
    assert p["$defs"]["NT"]["required"] == ["a"]
    assert p["$defs"]["NT"]["properties"]["b"]["default"] == "x"
    p = prop(Model)
    assert p["$defs"]["Model"]["properties"]["sub"] == {"$ref": "#/$defs/Model.Sub"}
    assert p["$defs"]["Model.Sub"]["required"] == ["n"]


def conv(h, v):
    def f(a):
        return a

    f.__annotations__ = {"a": h}
    return FunctionTool(f).run(a=v)


GOOD = [
    (int, "5", 5),
    (int, 5.0, 5),
    (float, 5, 5.0),
    (float, "2.5", 2.5),
    (str, 5, "5"),
    (bool, "true", True),
    (bool, 0, False),
    (None, "null", None),
    (list[int], ["1", 2], [1, 2]),
    (list[int], "[1,2]", [1, 2]),
    (set[int], [1, 1], {1}),
    (frozenset[int], [1], frozenset({1})),
    (tuple[int, str], [1, "a"], (1, "a")),
    (tuple[int, ...], [1, 2], (1, 2)),
    (dict[int, Colour], {"1": "red"}, {1: Colour.RED}),
    (int | str, "5", "5"),
    (str | int, 5, 5),
    (int | None, None, None),
    (int | None, "5", 5),
    (float | str, "x", "x"),
    (Literal[1, "a"], 1, 1),
    (Literal[1, "a"], "1", 1),
    (Colour, "red", Colour.RED),
    (Colour, "RED", Colour.RED),
    (Colour, Colour.RED, Colour.RED),
    (Num, "1", Num.ONE),
    (Point, {"x": "1"}, Point(1)),
    (Point, '{"x":1,"tags":["a"]}', Point(1, 0, ["a"])),
    (Tree, {"value": 1, "children": [{"value": 2}]}, Tree(1, [Tree(2)])),
    (TD, {"a": "1"}, {"a": 1}),
    (NT, {"a": "1"}, NT(1)),
    (Model, {"sub": {"n": 1}}, Model(sub=Sub(n=1))),
    (Model, '{"sub":{"n":1}}', Model(sub=Sub(n=1))),
    (UserId, "7", 7),
    (dt.date, "2020-01-02", dt.date(2020, 1, 2)),
    (dt.datetime, "2020-01-02T03:04:05", dt.datetime(2020, 1, 2, 3, 4, 5)),
    (bytes, "YWI=", b"ab"),
    (decimal.Decimal, 1.5, decimal.Decimal("1.5")),
    (pathlib.Path, "/a", pathlib.Path("/a")),
    (Point | int, {"x": 1}, Point(1)),
    (list[Point | str], [{"x": 1}, "a"], [Point(1), "a"]),
    (Any, {"a": 1}, {"a": 1}),
    (typing.Callable, print, print),
    (Annotated[int, "x"], "3", 3),
]


@pytest.mark.parametrize(("h", "v", "w"), GOOD)
def test_convert(h, v, w):
    got = conv(h, v)
    assert got == w
    assert type(got) is type(w)


BAD = [
    (int, "x"),
    (int, 1.5),
    (int, True),
    (int, None),
    (float, "x"),
    (str, None),
    (str, ["a"]),
    (bool, "maybe"),
    (bool, 2),
    (list[int], "abc"),
    (list[int], 5),
    (list[int], ["x"]),
    (tuple[int, str], [1]),
    (dict[str, int], [1]),
    (Literal["a"], "b"),
    (Colour, "green"),
    (Point, {"y": 1}),
    (Point, {"x": 1, "z": 2}),
    (Point, 5),
    (Model, {"sub": {}}),
    (int | None, "x"),
    (dt.date, "nope"),
    (bytes, "***"),
    (bytes, 5),
    (decimal.Decimal, "x"),
    (TD, {"b": "x"}),
]


@pytest.mark.parametrize(("h", "v"), BAD)
def test_bad(h, v):
    with pytest.raises(ValueError, match=r"expected|validation error"):
        conv(h, v)


def test_message():
    with pytest.raises(ValueError, match=r"f: a\[1\]: expected an integer, got 'x'"):
        conv(list[int], [1, "x"])


def test_kinds():
    def f(a: int, /, b: int = 2, *rest: int, c: int, d: int = 4, **more: int):
        return a, b, rest, c, d, more

    t = FunctionTool(f)
    p = t.as_json_tool["function"]["parameters"]
    assert list(p["properties"]) == ["a", "b", "rest", "c", "d"]
    assert p["required"] == ["a", "c"]
    assert p["additionalProperties"] == {"type": "integer"}
    assert t.run(a="1", c="3") == (1, 2, (), 3, 4, {})
    assert t.run(a="1", rest=["7", "8"], c=3, e="9") == (1, 2, (7, 8), 3, 4, {"e": 9})
    assert t.run(1, 5, 6, c=3) == (1, 5, (6,), 3, 4, {})
    with pytest.raises(TypeError):
        t.run(a=1)
    with pytest.raises(TypeError):
        FunctionTool(lambda x: x, name="g").run(y=1)
    assert t.run(1, rest=[], c=1)[2] == ()


def test_sources():
    class C:
        def m(self, a: int):
            return a

        @classmethod
        def c(cls, a: int):
            return a

        @staticmethod
        def s(a: int):
            return a

        def __call__(self, a: int):
            return a

        def __init__(self, q: int = 0):
            self.q = q

    for f in (C().m, C.c, C.s):
        assert FunctionTool(f).run(a="1") == 1
        assert FunctionTool(f).name in "mcs"
    assert FunctionTool(C(), name="call").run(a="1") == 1
    assert FunctionTool(C).run(q="3").q == 3
    assert FunctionTool(C).name == "C"

    def add(a: int, b: int):
        return a + b

    assert FunctionTool(functools.partial(add, b=2)).run(a="1") == 3

    @functools.wraps(add)
    def w(*a, **k):
        return add(*a, **k)

    assert FunctionTool(w).run(a="1", b="2") == 3
    with pytest.raises(ValueError, match="no name"):
        FunctionTool(lambda: 1)
    with pytest.raises(TypeError):
        FunctionTool(3)

    class Local(enum.Enum):
        A = "a"

    def loc(x: Local):
        return x

    assert FunctionTool(loc).run(x="a") == "a"  # unresolvable without closure

    def loc2(x: Local, n: int):
        return Local(x), n

    assert FunctionTool(loc2).run(x="a", n="1") == (Local.A, 1)

    def unres(x: Nope, n: int = None):  # noqa: F821, RUF013 - cannot be resolved, on purpose
        return x, n

    assert FunctionTool(unres).run(x="a", n="1") == ("a", 1)
    assert FunctionTool(unres).run(x=1, n=None) == (1, None)


def test_defaults():
    def f(
        a: Colour = Colour.RED,
        b: Point = Point(1),  # noqa: B008 - a default to show
        c: float = float("inf"),
        d=print,
        e: list[int] = [1],  # noqa: B006 - a default to show
        g: int | None = None,
    ): ...

    p = FunctionTool(f).as_json_tool["function"]["parameters"]["properties"]
    assert p["a"]["default"] == "red"
    assert p["b"]["default"] == {"x": 1, "y": 0, "tags": []}
    assert "default" not in p["c"]
    assert "default" not in p["d"]
    assert p["e"]["default"] == [1]
    assert p["g"]["default"] is None
    json.dumps(p, allow_nan=False)


def test_annotations_that_are_no_types():
    def f(a, b, c):
        return a, b, c

    f.__annotations__ = {"a": {"x": 1}, "b": 5, "c": ["y"]}
    tool = FunctionTool(f)
    assert tool.run(a=1, b="2", c=[3]) == (1, "2", [3])
    assert tool.as_json_tool["function"]["parameters"]["properties"] == {"a": {}, "b": {}, "c": {}}


def test_fresh():
    t = FunctionTool(conv)
    t.as_json_tool["x"] = 1
    assert "x" not in t.as_json_tool
    assert isinstance(t, AbstractMelleaTool)
    assert repr(t) == "FunctionTool('conv')"


def test_call():
    def f(n: int):
        return n + 1

    assert ModelToolCall("f", FunctionTool(f), {"n": "1"}).call_func() == 2


async def test_async():
    async def f(n: int):
        return n + 1

    assert await FunctionTool(f).run(n="1") == 2


NUMPY = """Add things.

More text: with colon.

Parameters
----------
a, b : int
    The numbers,
    two of them.
*args
    The rest.
mode : {"x", "y"}, optional
    How.

Returns
-------
c : int
    The sum.
"""
GOOGLE = """Add things.

More text: with colon.

Args:
    a (int): The numbers,
        two of them.
    b: The numbers, two of them.
    *args: The rest.
    mode (Literal["x", "y"], optional): How.

Returns:
    c: The sum.
"""
SPHINX = """Add things.

More text: with colon.

:param int a: The numbers,
    two of them.
:param b: The numbers, two of them.
:type b: int
:param \\*args: The rest.
:param mode: How.
:returns: c, the sum.
:rtype: int
"""


@pytest.mark.parametrize("doc", [NUMPY, GOOGLE, SPHINX])
def test_docs(doc):
    def f(a, b, *args, mode="x"): ...

    f.__doc__ = doc.replace("\n", "\n    ")
    fn = FunctionTool(f).as_json_tool["function"]
    assert fn["description"] == "Add things.\n\nMore text: with colon."
    assert {k: v.get("description") for k, v in fn["parameters"]["properties"].items()} == {
        "a": "The numbers, two of them.",
        "b": "The numbers, two of them.",
        "args": "The rest.",
        "mode": "How.",
    }


def test_nodoc():
    def f(a): ...

    assert FunctionTool(f).as_json_tool["function"]["description"] == ""
    assert FunctionTool(f, description="d", name="n").as_json_tool["function"]["description"] == "d"
