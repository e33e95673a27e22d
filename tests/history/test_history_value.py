"""LLMHistory as a value: what it holds, how it compares, what it shares."""

from __future__ import annotations

import collections
import collections.abc
import copy
import enum
import gc
import itertools
import pickle
import threading
import weakref
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from dialog_ext.history import LLMHistory
from dialog_ext.history.chain import EMPTY, Node, ancestor, backwards
from dialog_ext.history.values import FrozenDict, FrozenList, freeze, hash_of, thaw


def of(*contents: Any) -> LLMHistory:
    return LLMHistory([{"role": "user", "content": content} for content in contents])


def grown(n: int, start: LLMHistory | None = None) -> list[LLMHistory]:
    versions = [LLMHistory() if start is None else start]
    for i in range(n):
        versions.append(versions[-1].with_user_message(str(i)))
    return versions


# a sequence


def test_empty() -> None:
    for history in (LLMHistory(), LLMHistory(None), LLMHistory([])):
        assert len(history) == 0
        assert list(history) == history.to_json() == []
        assert history == LLMHistory()
        assert hash(history) == hash(LLMHistory())
        assert not history


def test_sequence_protocol() -> None:
    history = of("a", "b", "a")
    a, b = {"role": "user", "content": "a"}, {"content": "b", "role": "user"}
    assert isinstance(history, collections.abc.Sequence)
    assert [history[0], history[-1], history[1], history[-2]] == [a, a, b, b]
    assert a in history
    assert {"role": "user", "content": "c"} not in history
    assert history.index(b) == 1
    assert history.count(a) == 2
    assert list(reversed(history)) == [a, b, a][::-1]
    assert [m["content"] for m in history] == ["a", "b", "a"]


@pytest.mark.parametrize("index", [3, -4, 100])
def test_no_such_message(index: int) -> None:
    with pytest.raises(IndexError, match=f"There is no message {index}: the history has 3"):
        of("a", "b", "c")[index]


def test_index_must_be_an_integer() -> None:
    with pytest.raises((TypeError, AttributeError)):
        of("a")["role"]  # type: ignore[call-overload]  # the point of the test


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 messages"), (1, "1 message"), (2, "2 messages"), (11, "11 messages")]
)
def test_repr(count: int, text: str) -> None:
    assert repr(of(*range(count))) == f"<LLMHistory object with {text}>"


slices = st.builds(
    slice,
    st.none() | st.integers(-12, 12),
    st.none() | st.integers(-12, 12),
    st.none() | st.integers(-3, 3).filter(bool),
)


@given(st.integers(0, 9), slices)
def test_slices_are_histories_of_what_a_list_would_give(n: int, part: slice) -> None:
    history, expected = of(*range(n)), list(range(n))[part]
    sliced = history[part]
    assert type(sliced) is LLMHistory
    assert [m["content"] for m in sliced] == expected
    assert sliced == of(*expected)
    assert hash(sliced) == hash(of(*expected))


# what messages may hold


class ByIdentity:
    """Equals only itself; has a mutable attribute."""

    def __init__(self) -> None:
        self.items: list[int] = []


@dataclass
class ByValue:
    """Equals by value, and has no hash."""

    items: list[int]


class Uncopyable(ByValue):
    def __deepcopy__(self, memo: Any) -> Any:
        raise RuntimeError("one of a kind")


class Incomparable:
    __hash__ = None  # type: ignore[assignment]  # on purpose

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("cannot say")


class Truthless:
    """Compares item by item, as an array does: the answer has no truth of its own."""

    def __init__(self, *items: Any) -> None:
        self.items = list(items)

    def __eq__(self, other: object) -> Any:
        assert isinstance(other, Truthless)
        return Truthless(*map(lambda a, b: a == b, self.items, other.items))

    __hash__ = None  # type: ignore[assignment]  # as an array

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


class TruthlessWithHash(Truthless):
    def __hash__(self) -> int:  # type: ignore[override]  # on purpose
        return id(self)


class BadHash:
    def __hash__(self) -> int:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BadHash)


class Colour(enum.Enum):
    RED = 1


Point = collections.namedtuple("Point", "x y")

CONTENTS: list[Any] = [
    None,
    "text",
    {"a": [1, {"b": None}]},
    ["a", ["b"], {"c": ()}],
    ("a", ["b"]),
    {1, 2},
    frozenset({3}),
    b"x",
    bytearray(b"x"),
    1.5,
    True,
    Decimal("1.0"),
    Point(1, [2]),
    collections.OrderedDict(a=[1]),
    collections.defaultdict(list, a=[1]),
    MappingProxyType({"a": [1]}),
    collections.deque([1]),
    collections.UserList([1]),
    Colour.RED,
    ByIdentity(),
    ByValue([1]),
    Uncopyable([1]),
    Incomparable(),
    BadHash(),
    object(),
    threading.Lock(),
    len,
    int,
    Image.new("RGB", (1, 1)),
    {1: "a", "1": "b", None: "c", (2, 3): "d"},
    float("nan"),
]


@pytest.mark.parametrize("content", CONTENTS, ids=lambda c: type(c).__name__)
def test_any_content_is_taken(content: Any) -> None:
    given_list = [{"role": "user", "content": content, "extra": [content]}]
    history = LLMHistory(given_list)
    twin = LLMHistory([{"extra": [content], "content": content, "role": "user"}])
    assert history == twin
    assert hash(history) == hash(twin)
    assert history == history.clone()
    assert history != LLMHistory()
    out = history.to_json()
    assert list(out[0]) == ["role", "content", "extra"]
    assert type(out[0]["content"]) is type(content)
    if not isinstance(content, Incomparable | float):
        assert out == given_list
        assert history[0] == given_list[0]


def test_what_equals_only_itself_is_not_even_copied() -> None:
    class OneOfAKind:
        def __deepcopy__(self, memo: Any) -> Any:
            pytest.fail("it was copied")

    thing = OneOfAKind()
    assert of([thing])[0]["content"][0] is thing


def test_to_json_keeps_key_order_and_types() -> None:
    messages = [{"z": 1, "role": "user", "a": ({"y": 1, "x": 2},), "content": None}]
    out = LLMHistory(messages).to_json()
    assert out == messages
    assert list(out[0]) == ["z", "role", "a", "content"]
    assert list(out[0]["a"][0]) == ["y", "x"]
    assert type(out) is list
    assert type(out[0]) is type(out[0]["a"][0]) is dict


@pytest.mark.parametrize("history", ["ab", {"role": "user"}, [["role", "user"]], [None], [1]])
def test_messages_must_be_dicts(history: Any) -> None:
    with pytest.raises(TypeError, match="Message at index 0 must be a dictionary"):
        LLMHistory(history)


def test_a_history_or_any_iterable_may_be_given() -> None:
    history = of("a", "b")
    assert LLMHistory(history) == history
    assert LLMHistory(history)._node is history._node
    assert LLMHistory(m for m in history) == history


def test_arrays() -> None:
    given_array = Truthless(1, 2)
    history = of([given_array])
    assert history == of([Truthless(1, 2)])
    assert hash(history) == hash(of([Truthless(1, 2)]))
    for other in (Truthless(1, 3), TruthlessWithHash(1, 2), 3):
        assert history != of([other])
    given_array.items.append(3)
    history[0]["content"][0].items.append(4)
    assert history[0]["content"][0].items == [1, 2]


def test_what_is_equal_by_its_bytes_has_one_hash() -> None:
    thing = TruthlessWithHash(1)
    assert of(thing) == of(thing)
    assert hash(of(thing)) == hash(of(thing))
    assert of(thing) != of(TruthlessWithHash(1))


# nothing changes


@pytest.mark.parametrize("content", [{"a": [1]}, [{"a": 1}], ByValue([1]), bytearray(b"a")])
def test_what_was_given_no_longer_matters(content: Any) -> None:
    message = {"role": "user", "content": content, "list": [[0]]}
    messages = [message]
    history = LLMHistory(messages)
    before, held = hash(history), {history}
    kept = copy.deepcopy(message)
    message["role"] = "other"
    message["list"][0].append(1)
    messages.append({})
    if isinstance(content, ByValue):
        content.items.append(2)
    elif isinstance(content, dict):
        content["a"].append(2)
    else:
        content.clear()
    assert history.to_json() == [kept]
    assert hash(history) == before
    assert history in held


def test_what_is_given_out_does_not_matter() -> None:
    content: list[Any] = [{"type": "text", "text": "a"}, {"deep": [[1]]}, bytearray(b"x")]
    history = of(content)
    expected = history.to_json()
    for out in (history[0], history.to_json()[0], next(iter(history)), next(reversed(history))):
        out["role"] = "x"
        out["content"][0]["text"] = "changed"
        out["content"][1]["deep"][0].append(2)
        out["content"][2].clear()
        out["content"].append("more")
    history.to_json().clear()
    assert history.to_json() == expected == [{"role": "user", "content": content}]


def test_tool_calls_given_to_with_message_no_longer_matter() -> None:
    calls = [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]
    history = LLMHistory().with_message("assistant", "x", tool_calls=calls)
    calls[0]["function"]["name"] = "g"  # type: ignore[index]  # a dict
    assert history[0]["tool_calls"][0]["function"]["name"] == "f"


@pytest.mark.parametrize("name", ["_node", "new"])
def test_attributes_cannot_be_changed(name: str) -> None:
    history = of("a")
    with pytest.raises(AttributeError):
        setattr(history, name, 1)
    with pytest.raises(AttributeError):
        delattr(history, name)
    with pytest.raises(AttributeError):
        history.__init__([])  # type: ignore[misc]  # the point of the test
    assert history == of("a")
    with pytest.raises(TypeError):
        history[0:1][0:1][0] = {}  # type: ignore[index]  # the point of the test


def test_frozen_inside() -> None:
    message: Any = of([{"a": [1]}])._node.message
    assert type(message) is FrozenDict
    content = message["content"]
    assert type(content) is FrozenList
    changes: list[Any] = [
        lambda: message.update(role="x"),
        lambda: message.__setitem__("role", "x"),
        lambda: message.__delitem__("role"),
        lambda: message.__ior__({"role": "x"}),
        lambda: message.pop("role"),
        lambda: message.popitem(),
        lambda: message.clear(),
        lambda: message.setdefault("x", 1),
        lambda: content.append(1),
        lambda: content.extend([1]),
        lambda: content.insert(0, 1),
        lambda: content.remove({"a": [1]}),
        lambda: content.pop(),
        lambda: content.clear(),
        lambda: content.sort(),
        lambda: content.reverse(),
        lambda: content.__setitem__(0, 1),
        lambda: content.__delitem__(0),
        lambda: content.__iadd__([1]),
        lambda: content.__imul__(2),
        lambda: content[0]["a"].append(1),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert message == {"role": "user", "content": [{"a": [1]}]}


def test_every_method_that_changes_a_dict_or_list_is_refused() -> None:
    for frozen, plain, reading in (
        (FrozenDict, dict, {"copy", "fromkeys", "get", "items", "keys", "values"}),
        (FrozenList, list, {"copy", "count", "index"}),
    ):
        methods = {name for name in vars(plain) if not name.startswith("_")} - reading
        assert methods <= vars(frozen).keys()


# equality and hash


def test_equality() -> None:
    assert of("a", "b") == LLMHistory().with_user_message("a").with_user_message("b")
    assert of("a") != of("b")
    assert of("a") != of("a", "a")
    assert of("a") != LLMHistory().with_assistant_message("a")
    assert hash(of("a")) != hash(of("b"))
    assert hash(of("a")) != hash(LLMHistory().with_assistant_message("a"))
    assert hash(of("a", "b")) != hash(of("b", "a"))
    assert hash(of("a", "b")) != hash(of("c", "b"))
    assert hash(of("a", "b")) != hash(of("b"))
    assert hash(of(["a"])) != hash(of(("a",)))
    assert of(["a"]) != of(("a",))
    assert of("a")[:1] == of("a")
    assert {of("a"): 1}[of("a")] == 1
    assert len({of("a"), of("a"), of("b")}) == 2


def test_foreign_objects() -> None:
    history = of("a")
    for other in ("a", [], {}, None, 1, history.to_json()):
        assert history != other
        assert not history == other  # noqa: SIM201 - both operators are tested
    assert history.__eq__("a") is NotImplemented
    assert history == mock.ANY
    assert mock.ANY == history  # noqa: SIM300 - both sides are tested


ALIKE: list[tuple[Any, Any]] = [
    ({8, 0}, {0, 8}),
    ({1, 2}, frozenset({2, 1})),
    (Decimal("1.0"), Decimal("1.00")),
    (Decimal(1), 1),
    (1, True),
    (1, 1.0),
    ({"a": 1, "b": [2]}, {"b": [2], "a": 1}),
    ({"a": [1]}, collections.OrderedDict(a=[1])),
    (collections.OrderedDict(a=1), collections.defaultdict(int, a=1)),
    ({"a": 1}, MappingProxyType({"a": 1})),
    ({1: "a", "1": "b"}, {"1": "b", 1.0: "a"}),
    (b"x", bytearray(b"x")),
    ((1, 2), Point(1, 2)),
    ([1], collections.UserList([1])),
    (ByValue([1]), ByValue([1])),
    (BadHash(), BadHash()),
    ("a", collections.UserString("a")),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_equal_values_of_other_make_give_equal_hashes(one: Any, other: Any) -> None:
    assert one == other
    assert of(one) == of(other)
    assert hash(of(one)) == hash(of(other))
    assert of([one]) == of([other])
    assert hash(of({"k": one})) == hash(of({"k": other}))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab", max_size=2) | st.integers(0, 2), inner, max_size=3)
        | st.tuples(inner)
        | st.sets(st.integers(0, 9))
    ),
    max_leaves=6,
)


@given(json_values, json_values)
def test_freezing_and_thawing(one: Any, other: Any) -> None:
    frozen = freeze(one)
    assert frozen == one
    assert thaw(frozen) == one
    assert repr(thaw(frozen)) == repr(one)
    assert hash_of(frozen) == hash_of(one)
    if one == other:
        assert hash_of(one) == hash_of(other)
    assert (of(one) == of(other)) == (one == other)


def test_hash_is_made_by_one_step_per_message(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[Any] = []
    monkeypatch.setattr(
        "dialog_ext.history.chain.hash_of", lambda value: hashed.append(value) or hash_of(value)
    )
    versions = grown(200)
    assert [hash(v) for v in versions] == [hash(v) for v in versions]
    assert [message["content"] for message in hashed] == [str(i) for i in range(200)]


def test_comparing_does_not_look_at_the_shared_past() -> None:
    compared = 0

    class Counted:
        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return isinstance(other, Counted)

        def __hash__(self) -> int:
            return 1

    base = LLMHistory([{"role": "user", "content": Counted()} for _ in range(50)])
    compared = 0
    assert base.with_user_message("a") == base.with_user_message("a")
    assert base.with_user_message("a") != base.with_user_message("b")
    assert compared == 0


# versions


def test_versions_share_their_past() -> None:
    versions = grown(100)
    assert all(
        later._node.parent is earlier._node for earlier, later in itertools.pairwise(versions)
    )
    assert versions[100][:40]._node is versions[40]._node
    assert [len(v) for v in versions] == list(range(101))
    assert [v[-1]["content"] for v in versions[1:]] == [str(i) for i in range(100)]


def test_branches_from_an_old_version_do_not_meet() -> None:
    versions = grown(50)
    base, later = versions[20], versions[50].to_json()
    branches = [base.with_assistant_message(f"branch {i}") for i in range(20)]
    assert [b[20]["content"] for b in branches] == [f"branch {i}" for i in range(20)]
    assert all(b[:20] == base for b in branches)
    assert all(b._node.parent is base._node for b in branches)
    assert versions[50].to_json() == later
    assert len(base) == 20


def test_a_message_is_found_in_few_steps() -> None:
    node = grown(10_000)[-1]._node
    steps = 0

    class Watched(Node):
        @property
        def length(self) -> int:  # type: ignore[override]  # counts who looks
            nonlocal steps
            steps += 1
            return self[0]

    watched: dict[int, Any] = {}
    order = [node]
    while order[-1].parent is not None:
        order.append(order[-1].parent)
    for one in reversed(order):
        parent = watched.get(id(one.parent))
        watched[id(one)] = Watched(one[0], one.hash, one.message, parent, watched.get(id(one.jump)))
    top = watched[id(node)]
    for length in range(0, 10_001, 37):
        steps = 0
        assert ancestor(top, length)[0] == length
        assert steps <= 4 * 14 + 4


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 9)), max_size=40))
@settings(max_examples=50)
def test_any_tree_of_versions(moves: list[tuple[int, int]]) -> None:
    versions: list[tuple[LLMHistory, list[int]]] = [(LLMHistory(), [])]
    for origin, content in moves:
        history, model = versions[origin % len(versions)]
        versions.append((history.with_user_message(str(content)), [*model, content]))
    for history, model in versions:
        assert [m["content"] for m in history] == [str(c) for c in model]
        assert [history[i]["content"] for i in range(len(model))] == [str(c) for c in model]
        assert hash(history) == hash(of(*map(str, model)))
        for other, other_model in versions[:5]:
            assert (history == other) == (model == other_model)


def test_ten_thousand_versions_hold_one_object_a_message() -> None:
    gc.collect()
    versions = grown(10_000)
    messages = {id(m) for v in (versions[-1], versions[5000]) for m in backwards(v._node)}
    nodes = {id(v._node) for v in versions}
    assert len(messages) == 10_000
    assert len(nodes) == 10_001


def test_a_very_long_history_can_be_dropped_copied_and_pickled() -> None:
    history = grown(30_000)[-1]
    assert len(pickle.loads(pickle.dumps(history))) == 30_000
    assert copy.deepcopy(history) == history
    seen = weakref.ref(history)
    del history
    assert seen() is None


def test_threads_extend_one_history() -> None:
    base = grown(10)[-1]
    made: list[list[LLMHistory]] = [[] for _ in range(8)]
    start = threading.Barrier(8)

    def extend(number: int) -> None:
        start.wait()
        history = base
        for i in range(200):
            history = history.with_user_message(f"{number} {i}")
            made[number].append(history)

    threads = [threading.Thread(target=extend, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, versions in enumerate(made):
        contents = [m["content"] for m in versions[-1][10:]]
        assert contents == [f"{number} {i}" for i in range(200)]
    assert len(base) == 10


# with_*


def test_with_message_keys() -> None:
    history = LLMHistory().with_message(
        "assistant", "x", name="n", tool_calls=({"id": "1"},), tool_call_id="2"
    )
    assert history.to_json() == [
        {
            "role": "assistant",
            "content": "x",
            "name": "n",
            "tool_calls": [{"id": "1"}],
            "tool_call_id": "2",
        }
    ]
    answer = LLMHistory().with_message("tool", "4", tool_call_id="c1")
    assert answer[0] == {"role": "tool", "content": "4", "tool_call_id": "c1"}
    named = LLMHistory().with_message("function", "4", name="add")
    assert named[0] == {"role": "function", "content": "4", "name": "add"}


def test_a_message_with_tool_calls_may_have_no_content() -> None:
    history = LLMHistory().with_message("assistant", None, tool_calls=[{"id": "1"}])
    assert history[0] == {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    for calls in (None, []):
        with pytest.raises(TypeError, match="Unsupported content type - None"):
            LLMHistory().with_message("assistant", None, tool_calls=calls)


@pytest.mark.parametrize("calls", ["ab", {"id": "1"}, [1], 3])
def test_tool_calls_must_be_dicts(calls: Any) -> None:
    with pytest.raises(TypeError, match="tool_calls is a list of dicts"):
        LLMHistory().with_message("assistant", "x", tool_calls=calls)


def test_system_prompt_is_set_and_replaced() -> None:
    base = of("a", "b")
    first = base.with_system_prompt("one")
    second = first.with_system_prompt("two")
    assert [m["content"] for m in first] == ["one", "a", "b"]
    assert [m["content"] for m in second] == ["two", "a", "b"]
    assert first[0]["role"] == "system"
    assert len(base) == 2
    assert LLMHistory().with_system_prompt("x").to_json() == [{"role": "system", "content": "x"}]
    shared = {id(m) for m in backwards(base._node)}
    assert shared <= {id(m) for m in backwards(second._node)}


def test_system_prompt_only_looks_at_the_front() -> None:
    history = LLMHistory().with_user_message("a").with_message("system", "mid")
    assert [m["content"] for m in history.with_system_prompt("x")] == ["x", "a", "mid"]


def test_system_prompt_before_a_message_without_role() -> None:
    history = LLMHistory([{"content": "a"}]).with_system_prompt("x")
    assert history.to_json() == [{"role": "system", "content": "x"}, {"content": "a"}]


@pytest.mark.parametrize(
    "method", ["with_user_message", "with_assistant_message", "with_system_prompt"]
)
def test_contents_of_all_kinds(method: str) -> None:
    history = getattr(LLMHistory(), method)(["look", Image.new("RGB", (1, 1))])
    assert [part["type"] for part in history[0]["content"]] == ["text", "image_url"]
    with pytest.raises(TypeError, match="Unsupported content type - 3"):
        getattr(LLMHistory(), method)(3)


# subclasses and copies


class Labelled(LLMHistory):
    """A subclass with an argument and attributes of its own."""

    def __init__(self, label: Any, history: Any = None) -> None:
        super().__init__(history)
        self.label = label


class Slotted(LLMHistory):
    __slots__ = ("label",)

    def __init__(self, label: Any, history: Any = None) -> None:
        super().__init__(history)
        self.label = label


@pytest.mark.parametrize("kind", [Labelled, Slotted])
def test_a_subclass_stays_what_it_is(kind: Any) -> None:
    history = kind(["x"]).with_user_message("a")
    made = [
        history,
        history[:1],
        history[::-1],
        history.clone(),
        history.with_message("user", "b"),
        history.with_assistant_message("b"),
        history.with_system_prompt("b"),
        copy.copy(history),
        copy.deepcopy(history),
        pickle.loads(pickle.dumps(history)),
    ]
    assert {type(one) for one in made} == {kind}
    assert [one.label for one in made] == [["x"]] * len(made)
    assert made[-2].label is not history.label
    assert made[-3].label is history.label
    assert history == of("a")
    assert hash(history) == hash(of("a"))
    assert repr(history) == f"<{kind.__name__} object with 1 message>"


def test_loading_gives_the_subclass(tmp_path: Any) -> None:
    class Mine(LLMHistory):
        pass

    file = str(tmp_path / "h")
    of("a").dump_json(file)
    assert type(Mine.load_json(file)) is Mine
    of("a").dump_yaml(file)
    assert type(Mine.load_yaml(file)) is Mine


def test_a_subclass_that_changes_with_message_changes_the_others() -> None:
    class Loud(LLMHistory):
        def with_message(self, role: Any, message: Any, **more: Any) -> Any:
            return super().with_message(role, message.upper(), **more)

    assert Loud().with_user_message("a").with_assistant_message("b")[1]["content"] == "B"


def test_copies() -> None:
    history = of({"a": [1]}, "b")
    for made in (
        history.clone(),
        copy.copy(history),
        copy.deepcopy(history),
        pickle.loads(pickle.dumps(history)),
    ):
        assert made is not history
        assert made == history
        assert hash(made) == hash(history)
        assert type(made) is LLMHistory
        assert made.to_json() == history.to_json()


def test_pickles_of_another_process_are_hashed_here(tmp_path: Any) -> None:
    import os
    import subprocess
    import sys

    file = tmp_path / "history.pickle"
    code = (
        "import pickle, sys\nfrom dialog_ext.history import LLMHistory\n"
        "history = LLMHistory().with_user_message('a')\n"
        "open(sys.argv[1], 'wb').write(pickle.dumps(history))"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(file)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    history = pickle.loads(file.read_bytes())
    assert history in {of("a")}


def test_empty_chain() -> None:
    assert ancestor(EMPTY, 0) is EMPTY
    assert list(backwards(EMPTY)) == []
