"""Contexts: immutable, shared, and of any length."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import weakref
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialog_ext.core import (
    CBlock,
    ChatContext,
    Component,
    Context,
    ContextTurn,
    Message,
    ModelOutputThunk,
    SimpleContext,
)

LONG = 100_000


class Plain(Context):
    """A context as the reference asks one to be written."""

    def add(self, c: Any) -> Plain:
        return Plain.from_previous(self, c)

    def view_for_generation(self) -> Any:
        return self.as_list()


def chain(context: Any, *spans: Any) -> Any:
    for span in spans:
        context = context.add(span)
    return context


def long_chain(n: int = LONG) -> Any:
    block = CBlock("x")
    return chain(ChatContext(window_size=3, model_id="m"), *[block] * n)


def test_root() -> None:
    root = ChatContext()
    assert root.is_root_node
    assert root.previous_node is None
    assert root.node_data is None
    assert root.as_list() == []
    assert root.last_turn() is None
    assert root.last_output() is None
    assert root.view_for_generation() == []
    assert ChatContext.reset_to_new().is_root_node


def test_node() -> None:
    root, block = Plain(), CBlock("x")
    node = root.add(block)
    assert node.previous_node is root
    assert node.node_data is block
    assert not node.is_root_node
    assert root.as_list() == []
    assert type(node) is Plain


def test_kinds() -> None:
    assert ChatContext().is_chat_context is True
    assert ChatContext().add(CBlock("x")).is_chat_context is True
    assert SimpleContext().is_chat_context is False


def test_a_thousand_additions_share_their_past() -> None:
    blocks = [CBlock(str(i)) for i in range(1000)]
    context = chain(ChatContext(), *blocks)
    assert context.as_list() == blocks
    left, right = context.add(CBlock("l")), context.add(CBlock("r"))
    assert left.previous_node is right.previous_node is context


@pytest.mark.parametrize("n", [0, 1, 3, 5, 6])
def test_last_n_components(n: int) -> None:
    blocks = [CBlock(str(i)) for i in range(5)]
    assert chain(Plain(), *blocks).as_list(n) == (blocks[-n:] if n else [])


@pytest.mark.parametrize("call", ["as_list", "last_output"])
def test_negative_number_is_refused(call: str) -> None:
    with pytest.raises(ValueError, match="-1"):
        getattr(chain(Plain(), CBlock("x")), call)(-1)


@pytest.mark.parametrize("read", ["view_for_generation", "last_turn", "last_output"])
def test_reading_the_end_does_not_walk_the_chain(read: str) -> None:
    context = chain(ChatContext(window_size=4), *[CBlock("x")] * 1000)
    node: Any = context
    for _ in range(996):
        node = node.previous_node
    # From here on the chain is a circle: who walks as far as this fails.
    object.__setattr__(node, "_previous", node)
    getattr(context, read)()
    with pytest.raises(RuntimeError):
        context.as_list()


def test_the_same_span_twice_is_no_circle_but_the_same_node_is() -> None:
    block = CBlock("x")
    context = chain(Plain(), block, block)
    assert context.as_list() == [block, block]
    object.__setattr__(context.previous_node, "_previous", context)
    with pytest.raises(RuntimeError, match="itself"):
        context.as_list()


@pytest.mark.parametrize(
    "name", ["previous_node", "node_data", "is_root_node", "_previous", "_data"]
)
def test_nodes_cannot_be_rewritten(name: str) -> None:
    context = chain(ChatContext(), CBlock("x"))
    before = context.as_list()
    with pytest.raises(AttributeError):
        setattr(context, name, None)
    with pytest.raises(AttributeError):
        delattr(context, name)
    assert context.as_list() == before


@pytest.mark.parametrize("name", ["window_size", "model_id", "_config"])
def test_configuration_cannot_be_rewritten(name: str) -> None:
    context = ChatContext(window_size=2, model_id="m")
    with pytest.raises(AttributeError):
        setattr(context, name, None)
    assert (context.window_size, context.model_id) == (2, "m")


@pytest.mark.parametrize("previous", [None, "text", CBlock("x"), object()])
def test_previous_must_be_a_context(previous: Any) -> None:
    with pytest.raises(AssertionError, match="Context"):
        ChatContext.from_previous(previous, CBlock("x"))


def test_data_must_be_there() -> None:
    with pytest.raises(AssertionError, match="None"):
        ChatContext().add(None)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="None"):
        ChatContext.from_previous(ChatContext(), None)  # type: ignore[arg-type]


def test_thunk_is_found_in_the_list() -> None:
    mot = ModelOutputThunk(None)
    context = chain(ChatContext(), CBlock("x"), mot)
    assert mot in context.as_list()
    assert ModelOutputThunk(None) not in context.as_list()


def test_actions_are_the_view_unless_a_subclass_says_otherwise() -> None:
    context = chain(ChatContext(window_size=1), CBlock("a"), CBlock("b"))
    assert context.actions_for_available_tools() == context.view_for_generation()

    class Blind(Plain):
        def view_for_generation(self) -> Any:
            return None

    assert Blind().actions_for_available_tools() is None


def test_abstract() -> None:
    class Halfway(Context):
        def add(self, c: Any) -> Context:
            return super().add(c)  # type: ignore[safe-super]

        def view_for_generation(self) -> Any:
            return super().view_for_generation()  # type: ignore[safe-super]

    with pytest.raises(NotImplementedError):
        Halfway().add(CBlock("x"))
    with pytest.raises(NotImplementedError):
        Halfway().view_for_generation()
    with pytest.raises(TypeError, match="abstract"):
        Context()  # type: ignore[abstract]


# -- outputs and turns


def test_last_output_looks_at_three_spans() -> None:
    mot = ModelOutputThunk("x")
    context = chain(ChatContext(), mot, CBlock("1"), CBlock("2"))
    assert context.last_output() is mot
    context = context.add(CBlock("3"))
    assert context.last_output() is None
    assert context.last_output(4) is mot
    assert context.last_output(0) is None


def test_last_output_is_the_latest() -> None:
    first, second = ModelOutputThunk("1"), ModelOutputThunk("2")
    assert chain(Plain(), first, second).last_output() is second


class Said(Component[str]):
    def __init__(self, role: Any) -> None:
        self.role = role


A, B, OUT = CBlock("a"), CBlock("b"), ModelOutputThunk("out")
USER, REPLY = Message("user", "?"), Message("assistant", "!")
OTHER = Said("assistant")


@pytest.mark.parametrize(
    ("spans", "turn"),
    [
        ([A], ContextTurn(A, None)),
        ([OUT], ContextTurn(None, OUT)),
        ([REPLY], ContextTurn(None, REPLY)),
        ([A, OUT], ContextTurn(A, OUT)),
        ([A, OUT, B], ContextTurn(B, None)),
        ([A, B, OUT], ContextTurn(B, OUT)),
        ([USER, REPLY], ContextTurn(USER, REPLY)),
        ([USER, OTHER], ContextTurn(USER, OTHER)),
        ([A, OUT, REPLY], ContextTurn(None, REPLY)),
        ([OUT, A], ContextTurn(A, None)),
    ],
)
def test_last_turn(spans: list[Any], turn: ContextTurn) -> None:
    assert chain(ChatContext(), *spans).last_turn() == turn


@pytest.mark.parametrize("role", ["user", "system", "tool", None, 3, "Assistant"])
def test_all_other_roles_are_input(role: Any) -> None:
    span = Said(role)
    assert chain(ChatContext(), span).last_turn() == ContextTurn(span, None)


def test_a_block_is_never_an_output() -> None:
    block = CBlock("x")
    block.role = "assistant"  # type: ignore[attr-defined]
    assert chain(ChatContext(), block).last_turn() == ContextTurn(block, None)


def test_uncomputed_thunk_is_an_output() -> None:
    mot = ModelOutputThunk(None)
    assert chain(ChatContext(), A, mot).last_turn() == ContextTurn(A, mot)


# -- configuration


class Tagged(ChatContext):
    _propagated_fields = ("tag",)

    def __init__(self, tag: str, window_size: int | None = None) -> None:
        super().__init__(window_size=window_size)
        self.tag = tag
        self.unregistered = True


def test_registered_fields_go_along_and_init_is_not_run() -> None:
    node = chain(Tagged("t", 2), A, B, OUT)
    assert node.tag == "t"
    assert node.window_size == 2
    assert node.view_for_generation() == [B, OUT]
    assert not hasattr(node, "unregistered")


def test_new_instance_keeps_configuration() -> None:
    node = chain(Tagged("t", 2), A)
    fresh = node.new_instance()
    assert type(fresh) is Tagged
    assert fresh.is_root_node
    assert fresh.as_list() == []
    assert (fresh.tag, fresh.window_size) == ("t", 2)
    chat = chain(ChatContext(window_size=1, model_id="m"), A).new_instance()
    assert (chat.window_size, chat.model_id, chat.as_list()) == (1, "m", [])


def test_new_instance_goes_through_reset_to_new() -> None:
    class Seeded(Plain):
        @classmethod
        def reset_to_new(cls) -> Any:
            root = cls()
            root.seed = 7
            return root

    assert chain(Seeded()).new_instance().seed == 7


def test_fields_of_all_bases_go_along() -> None:
    class Deeper(Tagged):
        _propagated_fields = ("depth",)

    root = Deeper("t", 1)
    root.depth = 3
    node = chain(root, A, B)
    assert (node.tag, node.depth, node.window_size) == ("t", 3, 1)


def test_chat_after_another_kind() -> None:
    node = ChatContext.from_previous(chain(SimpleContext(), A), B)
    assert type(node) is ChatContext
    assert (node.window_size, node.model_id) == (None, None)
    assert node.as_list() == [A, B]
    assert node.add(OUT).view_for_generation() == [A, B, OUT]


@pytest.mark.parametrize("window", [0, 1, 2, 3, None])
def test_window(window: int | None) -> None:
    context = chain(ChatContext(window_size=window), A, B)
    assert (
        context.view_for_generation() == [A, B][2 - min(window, 2) if window is not None else 0 :]
    )
    assert context.as_list() == [A, B]


def test_window_is_checked() -> None:
    with pytest.raises(ValueError, match="-1"):
        ChatContext(window_size=-1)
    for odd in ("3", 1.5, True):
        with pytest.raises(TypeError, match="window_size"):
            ChatContext(window_size=odd)  # type: ignore[arg-type]


def test_simple_context_shows_nothing() -> None:
    context = chain(SimpleContext(), A, OUT)
    assert context.view_for_generation() == []
    assert context.actions_for_available_tools() == []
    assert context.as_list() == [A, OUT]
    assert type(context) is SimpleContext
    assert type(context.new_instance()) is SimpleContext
    assert context.last_output() is OUT


# -- copies, at a length where recursion would end it


def test_long_chains_can_be_read_copied_pickled_and_dropped() -> None:
    limit = sys.getrecursionlimit()
    context = long_chain()
    assert len(context.as_list()) == LONG
    twin = copy.copy(context)
    assert twin.previous_node is context.previous_node
    deep = copy.deepcopy(context)
    thawed = pickle.loads(pickle.dumps(context))
    for other in (deep, thawed):
        assert len(other.as_list()) == LONG
        assert other.previous_node is not context.previous_node
        assert (other.window_size, other.model_id) == (3, "m")
        # One block stood everywhere, and still does.
        assert len(set(map(id, other.as_list()))) == 1
    gone = weakref.ref(deep)
    del context, twin, deep, thawed, other
    gc.collect()
    assert gone() is None
    assert sys.getrecursionlimit() == limit


def test_deep_copies_share_what_was_shared() -> None:
    base = chain(ChatContext(), A)
    left, right = base.add(B), base.add(OUT)
    one, other, root = copy.deepcopy([left, right, base])
    assert one.previous_node is other.previous_node is root
    assert root is not base
    assert root.node_data is not A


def test_copies_of_subclasses_keep_all_their_state() -> None:
    root = Tagged("t", 1)
    for twin in (copy.copy(root), copy.deepcopy(root), pickle.loads(pickle.dumps(root))):
        assert type(twin) is Tagged
        assert (twin.tag, twin.window_size, twin.unregistered) == ("t", 1, True)
        assert twin.is_root_node
        with pytest.raises(AttributeError):
            twin._data = A


def test_chain_of_several_kinds_survives_a_pickle() -> None:
    context = ChatContext.from_previous(chain(SimpleContext(), A), B)
    thawed = pickle.loads(pickle.dumps(context))
    assert type(thawed) is ChatContext
    assert type(thawed.previous_node) is SimpleContext
    assert [str(span) for span in thawed.as_list()] == ["a", "b"]


def test_copying_an_uncomputed_thunk_within_is_refused() -> None:
    context = chain(ChatContext(), ModelOutputThunk(None))
    with pytest.raises(RuntimeError):
        copy.deepcopy(context)
    assert copy.copy(context).as_list() == context.as_list()


steps = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from([A, B, OUT, USER, REPLY])), max_size=30
)


@given(steps)
@settings(max_examples=40)
def test_additions_anywhere_agree_with_lists(tree: list[tuple[int, Any]]) -> None:
    grown: list[tuple[Any, list[Any]]] = [(ChatContext(), [])]
    for where, span in tree:
        context, spans = grown[where % len(grown)]
        grown.append((context.add(span), [*spans, span]))
    for context, spans in grown:
        assert context.as_list() == spans
        for n in range(4):
            assert context.as_list(n) == spans[len(spans) - min(n, len(spans)) :]
        outputs = [span for span in spans[-3:] if span is OUT]
        assert context.last_output() is (outputs[-1] if outputs else None)
    copies = copy.deepcopy([context for context, _ in grown])
    for twin, (context, spans) in zip(copies, grown, strict=True):
        assert list(map(repr, twin.as_list())) == list(map(repr, spans))
        if context.previous_node is not None:
            at = next(i for i, (old, _) in enumerate(grown) if old is context.previous_node)
            assert twin.previous_node is copies[at]
