"""What things cost, in counts: the same in a dialog of ten and of ten thousand."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from dialog_ext.dialog import (
    Dialog,
    Message,
    get_msg,
    mk_dispdata,
    mk_jmsg,
    mk_stream,
    section_msgs,
    snote,
)


def steps(action: Callable[[], Any]) -> int:
    """How many lines of Python, in all functions, an action takes."""
    count = 0

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    gc.disable()  # a collection runs callbacks of others, which count as lines
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def filled(n: int) -> Dialog:
    dlg = Dialog("d")
    for i in range(n):
        dlg.mk_message(f"# {i}", msg_type=snote, id=f"m{i}")
    return dlg


def prepared(n: int) -> tuple[Dialog, Message]:
    dlg = filled(n)
    middle = dlg.messages[n // 2]
    for _ in range(5):  # so that positions have moved since they were noted
        dlg.mk_message("moved", idx=0)
    return dlg, middle


def mk_display(dlg: Dialog, m: Message) -> None:
    m.msg_type = "code"
    m.add_output(mk_dispdata({}, display_id="d"))
    for other in dlg.messages:
        if other is not m:
            other.msg_type = "code"
            other.add_output(mk_dispdata({}, display_id=other.id))


ACTIONS: dict[str, Callable[[Dialog, Message], Any]] = {
    "next": lambda dlg, m: m.next(),
    "previous": lambda dlg, m: m.previous(),
    "get_msg": lambda dlg, m: get_msg(m.id, dlg),
    "in": lambda dlg, m: m in dlg.messages,
    "id in": lambda dlg, m: m.id in dlg.messages,
    "not in": lambda dlg, m: "nope" in dlg.messages,
    "index": lambda dlg, m: dlg.messages.index(m),
    "append": lambda dlg, m: dlg.mk_message("x", id="x"),
    "extend": lambda dlg, m: dlg.messages.extend([Message("x", id=f"x{i}") for i in range(40)]),
    "start": lambda dlg, m: dlg.mk_message("x", idx=0, id="x"),
    "after": lambda dlg, m: dlg.mk_message("x", after=m, id="x"),
    "before id": lambda dlg, m: dlg.mk_message("x", before=m.id, id="x"),
    "insert_after": lambda dlg, m: m.insert_after(Message("x", id="x")),
    "move": lambda dlg, m: m.insert_after(dlg.messages[0]),
    "remove": lambda dlg, m: m.remove_from_dlg(),
    "remove by id": lambda dlg, m: dlg.remove_msgs([m.id]),
    "slice": lambda dlg, m: dlg.messages.__setitem__(slice(3, 5), [Message("x", id="x")]),
    "rename": lambda dlg, m: setattr(m, "id", "other"),
    "section": lambda dlg, m: section_msgs(dlg.messages, m),
    "paste": lambda dlg, m: dlg.mk_messages([m], after=m),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_the_same_at_any_size(name: str) -> None:
    small, large = (steps(partial(ACTIONS[name], *prepared(n))) for n in (20, 2000))
    assert small > 0
    assert large <= small + 5


def test_an_update_of_a_display_is_the_same_at_any_size() -> None:
    jmsg = mk_jmsg("update_display_data", data={}, transient={"display_id": "d"})
    counts = []
    for n in (20, 2000):
        dlg = filled(n)
        mk_display(dlg, dlg.messages[0])
        counts.append(steps(lambda dlg=dlg: dlg.messages[-1].add_output(jmsg)))
        one = Message("x")
        for i in range(n):
            one.add_output(mk_dispdata({}, display_id="d" if i == 0 else f"d{i}"))
        counts.append(steps(lambda one=one: one.add_output(jmsg)))
    assert counts[2] <= counts[0] + 5
    assert counts[3] <= counts[1] + 5


@pytest.mark.parametrize("where", ["start", "chain", "anchor", "far apart"])
def test_insertions_in_the_middle_are_linear_in_all(where: str) -> None:
    def insert(n: int) -> None:
        dlg = filled(n)
        last = anchor = dlg.messages[n // 2]
        olds = list(dlg.messages)
        for i in range(n):
            if where == "start":
                dlg.mk_message("x", idx=0, id=f"x{i}")
            else:
                after = {"chain": last, "anchor": anchor, "far apart": olds[i * 7919 % n]}[where]
                last = dlg.mk_message("x", after=after, id=f"x{i}")
            last.next()

    assert steps(lambda: insert(2000)) <= 10.5 * steps(lambda: insert(200))


def test_the_window_of_a_lookup_stays_small() -> None:
    dlg = filled(1000)
    last = dlg.messages[-1]
    for _ in range(500):
        dlg.mk_message("x", idx=0)
        assert last.previous() is dlg.messages[-2]
        assert dlg.messages._index._edits < 64 + 2 * 40


def test_no_lookup_compares_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Any] = []
    dlg, m = prepared(300)
    equal = Message.__eq__
    monkeypatch.setattr(Message, "__eq__", lambda self, o: (compared.append(o), equal(self, o))[1])
    for action in ACTIONS.values():
        if m.dlg is None:
            dlg.messages.insert(100, m)
        action(dlg, m)
        dlg.remove_msgs(["x", *(f"x{i}" for i in range(40))])
    assert len(compared) == 0


@pytest.mark.parametrize("text", ["piece\n", "\rpiece", "pi\bece"])
def test_a_piece_costs_the_same_after_many(text: str) -> None:
    m = Message("x")
    jmsg = mk_stream(text)
    m.add_output(jmsg)
    first = steps(lambda: m.add_output(jmsg))
    for _ in range(2000):
        m.add_output(jmsg)
    assert steps(lambda: m.add_output(jmsg)) <= first


def test_nobody_pays_for_observers_that_are_not_there() -> None:
    dlg = Dialog("d")
    m = dlg.mk_message("x")
    told: list[Any] = []
    dlg.tell = lambda *change: told.append(change)  # type: ignore[method-assign]
    m.content = "y"
    m.remove_from_dlg()
    assert told == []
