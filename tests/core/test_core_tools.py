"""Tools made of functions: the schema that a model reads, and the arguments that it supplies."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import functools
import json
import pathlib
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypedDict,
    Union,
)

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialog_ext.core import AbstractMelleaTool, FunctionTool, ImageBlock, ModelToolCall


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Odd(enum.Enum):
    FIRST = ("a", 1)
    SECOND = ("b", 2)


@dataclasses.dataclass(frozen=True)
class Point:
    """A place.

    Parameters
    ----------
    x : int
        Across.
    y : int
        Up.
    """

    x: int
    y: int = 0


@dataclasses.dataclass(frozen=True)
class Route:
    start: Point
    via: list[Point] = dataclasses.field(default_factory=list)
    colour: Colour | None = None


@dataclasses.dataclass
class Tree:
    value: int
    children: list[Tree] = dataclasses.field(default_factory=list)


class Options(TypedDict):
    a: int
    b: NotRequired[Point]


class Pair(NamedTuple):
    a: int
    b: str = "x"


class Inner(pydantic.BaseModel):
    n: int = pydantic.Field(description="how many", ge=0)


class Model(pydantic.BaseModel):
    inner: Inner
    name: str = "q"


class Node(pydantic.BaseModel):
    children: list[Node] = []


UserId = NewType("UserId", int)


def tool_of(hint: Any, default: Any = ...) -> FunctionTool[..., Any]:
    if default is ...:

        def echo(a):  # type: ignore[no-untyped-def]
            return a

    else:

        def echo(a=default):  # type: ignore[no-untyped-def,misc]
            return a

    echo.__annotations__ = {"a": hint}
    return FunctionTool(echo)


def parameters(tool: FunctionTool[..., Any]) -> dict[str, Any]:
    found: dict[str, Any] = tool.as_json_tool["function"]["parameters"]
    return found


def expanded(schema: Any, definitions: dict[str, Any]) -> Any:
    """The schema with its references replaced, where they do not lead to themselves."""
    if isinstance(schema, list):
        return [expanded(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**expanded(definitions[name], definitions), **rest}
    return {key: expanded(value, definitions) for key, value in schema.items()}


def schema_of(hint: Any) -> dict[str, Any]:
    found = parameters(tool_of(hint))
    return expanded(found["properties"]["a"], found.get("$defs", {}))  # type: ignore[no-any-return]


INTEGER, STRING = {"type": "integer"}, {"type": "string"}


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (int, INTEGER),
        (float, {"type": "number"}),
        (str, STRING),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (list, {"type": "array", "items": {}}),
        (list[int], {"type": "array", "items": INTEGER}),
        (Sequence[int], {"type": "array", "items": INTEGER}),
        (Iterable[str], {"type": "array", "items": STRING}),
        (tuple[int, ...], {"type": "array", "items": INTEGER}),
        (
            tuple[int, str],
            {"type": "array", "prefixItems": [INTEGER, STRING], "minItems": 2, "maxItems": 2},
        ),
        (set[int], {"type": "array", "items": INTEGER, "uniqueItems": True}),
        (dict[str, int], {"type": "object", "additionalProperties": INTEGER}),
        (Mapping[str, str], {"type": "object", "additionalProperties": STRING}),
        (Optional[int], {"anyOf": [INTEGER, {"type": "null"}]}),  # noqa: UP045 - the old form
        (Union[int, str], {"anyOf": [INTEGER, STRING]}),  # noqa: UP007 - the old form
        (int | str | None, {"anyOf": [INTEGER, STRING, {"type": "null"}]}),
        (list[int | None], {"type": "array", "items": {"anyOf": [INTEGER, {"type": "null"}]}}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (Odd, {"type": "string", "enum": ["FIRST", "SECOND"]}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (UserId, INTEGER),
        (dt.datetime, {"type": "string", "format": "date-time"}),
        (dt.date, {"type": "string", "format": "date"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (ImageBlock, {}),
        (Callable[[int], str], {}),
    ],
)
def test_schema(hint: Any, schema: dict[str, Any]) -> None:
    assert schema_of(hint) == schema


def test_schema_of_records() -> None:
    point = schema_of(Point)
    assert point["type"] == "object"
    assert point["required"] == ["x"]
    assert point["properties"] == {
        "x": {"type": "integer", "description": "Across."},
        "y": {"type": "integer", "description": "Up.", "default": 0},
    }
    assert point["description"] == "A place."
    route = schema_of(Route)
    assert route["required"] == ["start"]
    assert route["properties"]["start"] == point
    assert route["properties"]["via"]["items"] == point
    assert route["properties"]["colour"]["anyOf"][0]["enum"] == ["red", "blue"]
    assert schema_of(Options)["required"] == ["a"]
    assert schema_of(Options)["properties"]["b"] == point
    assert schema_of(Pair)["properties"]["b"] == {"type": "string", "default": "x"}


def test_schema_of_pydantic_models() -> None:
    model = schema_of(Model)
    assert model["required"] == ["inner"]
    inner = model["properties"]["inner"]["properties"]["n"]
    assert (inner["description"], inner["minimum"]) == ("how many", 0)


@pytest.mark.parametrize("hint", [Tree, Node])
def test_schema_of_what_contains_itself(hint: Any) -> None:
    text = json.dumps(found := parameters(tool_of(hint)))
    assert found["$defs"]
    references = set()

    def walk(schema: Any) -> None:
        if isinstance(schema, dict):
            references.add(schema.get("$ref"))
            list(map(walk, schema.values()))
        elif isinstance(schema, list):
            list(map(walk, schema))

    walk(json.loads(text))
    for reference in references - {None}:
        assert reference.removeprefix("#/$defs/") in found["$defs"]


def test_records_of_the_same_name_are_told_apart() -> None:
    def make(kind: Any) -> Any:
        return dataclasses.make_dataclass("Same", [("value", kind)])

    one, other = make(int), make(str)

    def f(a, b):  # type: ignore[no-untyped-def]
        return a, b

    f.__annotations__ = {"a": one, "b": other}
    found = parameters(FunctionTool(f))
    first = expanded(found["properties"]["a"], found["$defs"])
    second = expanded(found["properties"]["b"], found["$defs"])
    assert first["properties"]["value"] == INTEGER
    assert second["properties"]["value"] == STRING


def test_whole_description() -> None:
    def weather(city: str, days: int = 3, *, unit: Literal["C", "F"] = "C") -> str:
        """Forecast the weather.

        More about it.

        Parameters
        ----------
        city : str
            Where, as the
            map has it.
        days, unit
            Both.

        Returns
        -------
        str
            A forecast.
        """
        return f"{city} {days} {unit}"

    tool = FunctionTool(weather)
    assert tool.name == "weather"
    assert isinstance(tool, AbstractMelleaTool)
    assert tool.as_json_tool == {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "Forecast the weather.\n\nMore about it.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Where, as the map has it."},
                    "days": {"type": "integer", "description": "Both.", "default": 3},
                    "unit": {
                        "type": "string",
                        "enum": ["C", "F"],
                        "description": "Both.",
                        "default": "C",
                    },
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
    tool.as_json_tool["function"].clear()
    assert tool.as_json_tool["function"]["name"] == "weather"
    assert tool.run("Bonn", unit="F") == "Bonn 3 F"
    named = FunctionTool(weather, "forecast", "What it does")
    assert named.as_json_tool["function"]["name"] == named.name == "forecast"
    assert named.as_json_tool["function"]["description"] == "What it does"


NUMPY = """Do it.

    Parameters
    ----------
    a : int, optional
        The first: a number.

        With a second paragraph.
    *args : str
        The rest.
    b
        The last.

    Raises
    ------
    ValueError
        b : not a parameter
    """
GOOGLE = """Do it.

    Args:
        a (int, optional): The first: a number.
            With a second paragraph.
        *args (str): The rest.
        b: The last.

    Returns:
        c: not a parameter
    """
SPHINX = """Do it.

    :param int a: The first: a number.
        With a second paragraph.
    :param args: The rest.
    :type args: str
    :param b: The last.
    :returns: c: not a parameter
    :raises ValueError: never
    """


@pytest.mark.parametrize("doc", [NUMPY, GOOGLE, SPHINX])
def test_docstrings(doc: str) -> None:
    def f(a: int, *args: str, b: int = 1) -> None: ...

    f.__doc__ = doc
    tool = FunctionTool(f).as_json_tool["function"]
    assert tool["description"] == "Do it."
    told = {
        name: schema.get("description") for name, schema in tool["parameters"]["properties"].items()
    }
    assert told == {
        "a": "The first: a number. With a second paragraph.",
        "args": "The rest.",
        "b": "The last.",
    }


@pytest.mark.parametrize(
    "doc", [None, "", "Only a summary", "Args:", "Parameters\n----------", ":param", "Note: a: b"]
)
def test_odd_docstrings(doc: str | None) -> None:
    def f(a: int) -> int:
        return a

    f.__doc__ = doc
    tool = FunctionTool(f)
    assert parameters(tool)["properties"] == {"a": INTEGER}
    assert tool.run(a=1) == 1


words = st.from_regex(r"[A-Z][a-z]{0,8}(, [a-z]{1,8}){0,3}[.]", fullmatch=True)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z_]{0,6}", fullmatch=True), words, min_size=1, max_size=5
    ),
    words,
)
@settings(max_examples=25)
def test_three_styles_say_the_same(told: dict[str, str], summary: str) -> None:
    from dialog_ext.core.docstrings import described

    numpy = "\n".join(
        ["Parameters", "----------"] + [f"{n} : int\n    {t}" for n, t in told.items()]
    )
    google = "\n".join(["Args:"] + [f"    {n} (int): {t}" for n, t in told.items()])
    sphinx = "\n".join(f":param int {n}: {t}" for n, t in told.items())
    for body in (numpy, google, sphinx):
        found = described(f"{summary}\n\n{body}\n")
        assert (found.text, found.parameters) == (summary, told)


# -- arguments


@pytest.mark.parametrize(
    ("hint", "given_json", "value"),
    [
        (int, 3, 3),
        (int, 3.0, 3),
        (int, "3", 3),
        (float, 3, 3.0),
        (float, "3.5", 3.5),
        (str, "3", "3"),
        (bool, True, True),
        (bool, "false", False),
        (Any, {"a": [1]}, {"a": [1]}),
        (None, None, None),
        (int | None, None, None),
        (int | None, "3", 3),
        (int | str, 3, 3),
        (int | str, "3", "3"),
        (str | int, 3, 3),
        (list[int] | str, "text", "text"),
        (list[int], [1, "2"], [1, 2]),
        (list[int], "[1, 2]", [1, 2]),
        (tuple[int, str], [1, "a"], (1, "a")),
        (tuple[Point, ...], [{"x": 1}], (Point(1),)),
        (set[Colour], ["red", "red"], {Colour.RED}),
        (frozenset[int], [1], frozenset({1})),
        (dict[str, Point], {"a": {"x": 1}}, {"a": Point(1)}),
        (dict[int, str], {"1": "a"}, {1: "a"}),
        (Literal["a", 1], 1, 1),
        (Literal["a", 1], "1", 1),
        (Colour, "red", Colour.RED),
        (Colour, "RED", Colour.RED),
        (Level, 2, Level.HIGH),
        (Odd, "FIRST", Odd.FIRST),
        (Point, {"x": 1, "y": "2"}, Point(1, 2)),
        (Point, '{"x": 1}', Point(1)),
        (Route, {"start": {"x": 1}, "colour": "blue"}, Route(Point(1), [], Colour.BLUE)),
        (Route, {"start": {"x": 1}, "via": [{"x": 2}]}, Route(Point(1), [Point(2)])),
        (Point | None, {"x": 1}, Point(1)),
        (Tree, {"value": 1, "children": [{"value": 2}]}, Tree(1, [Tree(2)])),
        (Options, {"a": "1", "b": {"x": 1}}, {"a": 1, "b": Point(1)}),
        (Pair, {"a": 1}, Pair(1)),
        (Model, {"inner": {"n": 1}}, Model(inner=Inner(n=1))),
        (list[Model], [{"inner": {"n": 1}}], [Model(inner=Inner(n=1))]),
        (UserId, "7", 7),
        (Annotated[int, "n"], "7", 7),
        (dt.date, "2024-02-29", dt.date(2024, 2, 29)),
        (dt.datetime, "2024-02-29T01:02:03", dt.datetime(2024, 2, 29, 1, 2, 3)),
        (
            uuid.UUID,
            "12345678123456781234567812345678",
            uuid.UUID(int=0x12345678123456781234567812345678),
        ),
        (decimal.Decimal, 1.5, decimal.Decimal("1.5")),
        (pathlib.Path, "a/b", pathlib.Path("a/b")),
        (bytes, "AAE=", b"\0\1"),
    ],
)
def test_conversion(hint: Any, given_json: Any, value: Any) -> None:
    tool = tool_of(hint)
    got = ModelToolCall("echo", tool, {"a": given_json}).call_func()
    assert got == value
    assert type(got) is type(value)
    # What has its type already is left alone, by position and by name.
    assert tool.run(value) == tool.run(a=value) == value


@pytest.mark.parametrize(
    ("hint", "odd"),
    [
        (int, "three"),
        (int, 3.5),
        (int, True),
        (int, None),
        (float, "x"),
        (bool, "perhaps"),
        (str, ["x"]),
        (str, None),
        (list[int], ["x"]),
        (list[int], 3),
        (list[int], "x"),
        (tuple[int, str], [1]),
        (dict[str, int], {"a": "x"}),
        (dict[str, int], []),
        (Literal["a"], "b"),
        (Colour, "green"),
        (Point, {}),
        (Point, {"x": 1, "z": 2}),
        (Point, {"x": "one"}),
        (Options, {"b": {"x": 1}}),
        (Model, {"inner": {"n": -1}}),
        (int | None, "x"),
        (dt.date, "yesterday"),
        (uuid.UUID, "x"),
        (bytes, "*"),
    ],
)
def test_misfits(hint: Any, odd: Any) -> None:
    with pytest.raises(ValueError, match="a"):
        tool_of(hint).run(a=odd)


def test_misfits_say_where() -> None:
    def plan(route: Route) -> None: ...

    with pytest.raises(
        ValueError, match=r"plan: route\.via\[1\]\.x: expected an integer, got 'far'"
    ):
        FunctionTool(plan).run(route={"start": {"x": 1}, "via": [{"x": 1}, {"x": "far"}]})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="plan: route") as caught:
        FunctionTool(plan).run(route="x" * 10_000)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 300


def test_missing_and_unknown_arguments() -> None:
    def f(a: int, b: int = 1) -> int:
        return a + b

    for args in ({}, {"a": 1, "c": 2}):
        with pytest.raises(TypeError, match=r"^f: "):
            FunctionTool(f).run(**args)


def test_defaults_are_not_converted() -> None:
    marker = object()
    assert tool_of(int, marker).run() is marker
    assert "default" not in parameters(tool_of(int, marker))["properties"]["a"]
    assert tool_of(Colour, Colour.RED).run() is Colour.RED
    assert parameters(tool_of(Colour, Colour.RED))["properties"]["a"]["default"] == "red"
    assert parameters(tool_of(int | None, None))["properties"]["a"]["default"] is None
    assert parameters(tool_of(Point, Point(1)))["properties"]["a"]["default"] == {"x": 1, "y": 0}


def test_all_kinds_of_parameters() -> None:
    def f(a: int, /, b: int, *rest: int, c: int = 3, **more: int) -> Any:
        return a, b, rest, c, more

    tool = FunctionTool(f)
    found = parameters(tool)
    assert list(found["properties"]) == ["a", "b", "rest", "c"]
    assert found["properties"]["rest"]["items"] == INTEGER
    assert found["required"] == ["a", "b"]
    assert found["additionalProperties"] == INTEGER
    assert tool.run(a="1", b="2", rest=["4"], c="5", d="6") == (1, 2, (4,), 5, {"d": 6})
    assert tool.run("1", "2", "3") == (1, 2, (3,), 3, {})


def test_a_parameter_called_self() -> None:
    def f(self: int, kwargs: int, args: int) -> Any:
        return self, kwargs, args

    call = ModelToolCall("f", FunctionTool(f), {"self": 1, "kwargs": 2, "args": 3})
    assert call.call_func() == (1, 2, 3)


class Counter:
    """Counts."""

    def __init__(self, start: int = 0) -> None:
        self.n = start

    def add(self, by: int) -> int:
        """Add to it."""
        self.n += by
        return self.n

    @classmethod
    def made(cls, start: int) -> Counter:
        return cls(start)

    @staticmethod
    def twice(n: int) -> int:
        return 2 * n

    def __call__(self, n: int) -> int:
        return n


def test_any_callable() -> None:
    counter = Counter()
    assert FunctionTool(counter.add).run(by="2") == 2
    assert list(parameters(FunctionTool(counter.add))["properties"]) == ["by"]
    assert FunctionTool(Counter.made).run(start="3").n == 3
    assert FunctionTool(Counter.twice).run(n="3") == 6
    assert FunctionTool(Counter).run(start="3").n == 3
    assert FunctionTool(counter, name="call").run(n="3") == 3
    assert FunctionTool(lambda n: n, name="same").run(n=3) == 3
    assert FunctionTool(len).run([1, 2]) == 2
    part = FunctionTool(functools.partial(counter.add, by=5), name="five")
    assert part.run() == 7

    @functools.wraps(counter.add)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return counter.add(*args, **kwargs)

    assert FunctionTool(wrapped).run(by="1") == 8


def test_no_tool() -> None:
    with pytest.raises(TypeError, match="function"):
        FunctionTool("no function")  # type: ignore[arg-type]
    for nameless in (lambda: None, Counter()):
        with pytest.raises(ValueError, match="name"):
            FunctionTool(nameless)


async def test_async_function() -> None:
    async def f(a: int) -> int:
        return a

    assert await FunctionTool(f).run(a="1") == 1  # type: ignore[arg-type]


def test_annotations_that_cannot_be_resolved() -> None:
    def f(a: int, b: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821
        return a, b

    tool = FunctionTool(f)
    assert parameters(tool)["properties"] == {"a": INTEGER, "b": {}}
    assert tool.run(a="1", b="2") == (1, "2")


def test_annotations_of_a_closure() -> None:
    @dataclasses.dataclass
    class Local:
        n: int

    def f(a: Local) -> Local:
        assert Local
        return a

    assert FunctionTool(f).run(a={"n": "1"}) == Local(1)  # type: ignore[arg-type]


@pytest.mark.parametrize("hint", [[int], {"a": int}, 42, "no type at all", ...])
def test_annotations_that_are_no_types(hint: Any) -> None:
    tool = tool_of(hint)
    assert tool.run(a="x") == "x"
    assert parameters(tool)["required"] == ["a"]


def test_pydantic_is_not_needed() -> None:
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['pydantic'] = None\n"
        "from dialog_ext.core import FunctionTool\n"
        "def f(a: int = 1): return a\n"
        "print(FunctionTool(f).run(a='2'), FunctionTool(f).as_json_tool['type'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (["2", "function"], "")


# -- what is written as JSON comes back as it was


def typed(values: st.SearchStrategy[Any], hint: Any) -> st.SearchStrategy[tuple[Any, Any]]:
    return st.tuples(st.just(hint), values)


points = st.builds(Point, st.integers(), st.integers())
leaves: list[tuple[Any, Any]] = [
    (int, st.integers()),
    (str, st.text(max_size=8)),
    (bool, st.booleans()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (type(None), st.none()),
    (Colour, st.sampled_from(Colour)),
    (Level, st.sampled_from(Level)),
    (Odd, st.sampled_from(Odd)),
    (Point, points),
    (Literal["x", 7], st.sampled_from(["x", 7])),
    (dt.date, st.dates()),
    (bytes, st.binary(max_size=6)),
    (uuid.UUID, st.uuids()),
]


def deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        inner.map(lambda t: (list[t[0]], st.lists(t[1], max_size=3))),
        inner.map(lambda t: (tuple[t[0], ...], st.lists(t[1], max_size=3).map(tuple))),
        inner.map(
            lambda t: (dict[str, t[0]], st.dictionaries(st.text(max_size=3), t[1], max_size=3))
        ),
        inner.map(lambda t: (t[0] | None, st.none() | t[1])),
        st.tuples(inner, inner).map(
            lambda t: (tuple[t[0][0], t[1][0]], st.tuples(t[0][1], t[1][1]))
        ),
    )


def as_json(value: Any) -> Any:
    if isinstance(value, Odd):
        return value.name
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, bytes):
        import base64

        return base64.b64encode(value).decode()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    return str(value) if isinstance(value, dt.date | uuid.UUID) else value


@given(st.recursive(st.sampled_from(leaves), deeper, max_leaves=3), st.data())
@settings(max_examples=60)
def test_json_comes_back(pair: tuple[Any, Any], data: st.DataObject) -> None:
    hint, values = pair
    value = data.draw(values)
    tool = tool_of(hint)
    arguments = json.loads(json.dumps({"a": as_json(value)}))
    got = ModelToolCall("echo", tool, arguments).call_func()
    assert got == value
    assert repr(got) == repr(value)
    json.dumps(tool.as_json_tool)
