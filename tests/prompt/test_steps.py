"""Requests of a dialog that changes, made from what earlier requests have read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.dialog import Dialog, Message, mk_stream, scode, snote, sprompt
from dialog_ext.kernel.instep import InStep
from dialog_ext.prompt import context, steps
from dialog_ext.prompt.grammar import ParsedPrompt
from dialog_ext.prompt.request import build_request
from dialog_ext.prompt.scope import messages_above, messages_for


def dialog_of(count: int) -> Dialog:
    kinds = (snote, scode)
    messages = [Message(f"cell {i}", id=f"c{i}", msg_type=kinds[i % 2]) for i in range(count)]
    return Dialog("d", messages)


def asked(dialog: Dialog, kept: steps.Steps | None, scope: Any = "above", at: Any = None) -> Any:
    messages = messages_for(dialog.messages, at, scope)
    return build_request(ParsedPrompt("why?", context=scope), messages, "", kept)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the messages that are read, in order."""
    seen: list[str] = []

    def spans(message: Message) -> Any:
        seen.append(message.id)
        return context.spans(message)

    monkeypatch.setattr(steps, "spans", spans)
    return seen


def test_an_unchanged_dialog_is_read_once(reads: list[str]) -> None:
    dialog, kept = dialog_of(5), InStep()
    first = asked(dialog, kept.of(dialog))
    assert asked(dialog, kept.of(dialog)) == first
    assert reads == ["c0", "c1", "c2", "c3", "c4"]


def test_an_edit_costs_one_reading(reads: list[str]) -> None:
    dialog, kept = dialog_of(100), InStep()
    asked(dialog, kept.of(dialog))
    reads.clear()
    dialog.messages[98].content = "new"
    request = asked(dialog, kept.of(dialog))
    assert reads == ["c98"]
    assert request == asked(dialog, None)


def test_nodes_are_shared_up_to_the_first_change() -> None:
    dialog, kept = dialog_of(10), InStep()
    before = kept.of(dialog).context(dialog.messages)
    history = asked(dialog, kept.of(dialog)).history
    dialog.messages[6].content = "new"
    after = kept.of(dialog).context(dialog.messages)
    assert nodes(after)[:7] == nodes(before)[:7]  # the root, and six messages
    assert not set(nodes(after)[7:]) & set(nodes(before)[7:])
    new = asked(dialog, kept.of(dialog)).history
    shared = [a is b for a, b in zip(chain(new), chain(history), strict=True)]
    assert shared == [True] * 7 + [False] * 5  # the system prompt, six messages; the rest anew


def nodes(node: Any) -> list[int]:
    found = []
    while node is not None:
        found.append(id(node))
        node = node.previous_node
    return found[::-1]


def chain(history: Any) -> list[Any]:
    return list(history._messages())


def test_a_prompt_in_the_middle_stands_on_the_node_above_it(reads: list[str]) -> None:
    dialog, kept = dialog_of(10), InStep()
    whole = kept.of(dialog).context(dialog.messages)
    part = kept.of(dialog).context(messages_above(dialog.messages, dialog.messages[4]))
    assert nodes(part) == nodes(whole)[:5]
    assert nodes(kept.of(dialog).context(dialog.messages)) == nodes(whole)
    assert len(reads) == 10


def test_another_choice_of_cells_leaves_what_is_known(reads: list[str]) -> None:
    dialog, kept = dialog_of(10), InStep()
    whole = nodes(kept.of(dialog).context(dialog.messages))
    assert len(asked(dialog, kept.of(dialog), 3).messages) == 5
    assert nodes(kept.of(dialog).context(dialog.messages)) == whole
    assert len(reads) == 10


def test_a_system_prompt_has_a_history_of_its_own() -> None:
    dialog, kept = dialog_of(4), InStep()
    for system in ("one", "two", "", "one", "two"):
        prompt = ParsedPrompt("why?", system=system)
        given_ = build_request(prompt, dialog.messages, "", kept.of(dialog))
        assert given_ == build_request(prompt, dialog.messages)
        assert (given_.messages[0]["role"] == "system") == bool(system)


def test_what_was_deleted_is_forgotten() -> None:
    dialog, kept = dialog_of(3), InStep()
    for i in range(500):
        dialog.messages[1:] = [Message(f"new {i}"), Message(f"newer {i}")]
        assert asked(dialog, kept.of(dialog)) == asked(dialog, None)
    assert len(kept.of(dialog)._reads) < 250


def test_few_dialogs_are_followed() -> None:
    dialogs, kept = [dialog_of(2) for _ in range(20)], InStep()
    for dialog in dialogs:
        asked(dialog, kept.of(dialog))
    assert sum(bool(dialog.on_change) for dialog in dialogs) == 8
    kept.close()
    assert not any(dialog.on_change for dialog in dialogs)


EDITS = st.lists(
    st.tuples(
        st.sampled_from(
            ["content", "output", "skip", "remove", "insert", "move", "type", "replace", "ask"]
        ),
        st.integers(0, 30),
        st.integers(0, 30),
    ),
    max_size=25,
)


@given(EDITS, st.lists(st.sampled_from(["above", "all", "none", "section", 2]), max_size=3))
def test_any_edits_give_the_request_of_a_fresh_reading(edits: Any, scopes: list[Any]) -> None:
    dialog, kept = dialog_of(6), InStep()
    for number, (edit, one, other) in enumerate(edits):
        change(dialog, edit, one, other, number)
        for scope in ("above", *scopes):
            at = dialog.messages[other % len(dialog.messages)] if dialog.messages else None
            assert asked(dialog, kept.of(dialog), scope, at) == asked(dialog, None, scope, at)


def change(dialog: Dialog, edit: str, one: int, other: int, number: int) -> None:
    messages = dialog.messages
    if edit == "insert" or not messages:
        messages.insert(one % (len(messages) + 1), Message(f"# new {number}", msg_type=snote))
        return
    message = messages[one % len(messages)]
    match edit:
        case "content":
            message.content = f"edit {number}"
        case "output" if message.msg_type == scode:
            message.add_output(
                {"msg_type": "stream", "content": {"name": "stdout", "text": f"{number}\n"}}
            )
        case "skip":
            message.skipped = not message.skipped
        case "remove":
            dialog.remove_msgs([message])
        case "move":
            rest = [m for m in messages if m is not message]
            rest.insert(other % (len(rest) + 1), message)
            dialog.messages = rest
        case "type":
            message.msg_type = (scode, snote, sprompt)[other % 3]
        case "replace":
            messages[one % len(messages)] = Message(f"other {number}", id=message.id)
        case "ask" if message.msg_type == scode:
            message.output = [mk_stream(f"out {number}")]


HEADED = [
    Message("above", id="a", msg_type=snote),
    Message("# One", id="h1", msg_type=snote),
    Message("x = 1", id="x"),
    Message("## Two\nwith text", id="h2", msg_type=snote),
    Message("y = 2", id="y"),
    Message("why?", id="p", msg_type=sprompt),
    Message("# Three", id="h3", msg_type=snote),
    Message("z = 3", id="z"),
]


@pytest.mark.parametrize(
    ("scope", "at", "ids"),
    [
        ("above", 5, "a h1 x h2 y"),
        ("all", 5, "a h1 x h2 y h3 z"),
        ("none", 5, ""),
        ("section", 5, "h2 y"),
        ("section", 2, "h1"),
        ("section", 0, ""),
        ("section", 1, "a"),
        (0, 5, ""),
        (2, 5, "h2 y"),
        (99, 5, "a h1 x h2 y"),
        ("above", None, "a h1 x h2 y p h3 z"),
        ("section", None, "h3 z"),
    ],
)
def test_a_scope_chooses_cells(scope: Any, at: int | None, ids: str) -> None:
    prompt = None if at is None else HEADED[at]
    assert " ".join(m.id for m in messages_for(HEADED, prompt, scope)) == ids
