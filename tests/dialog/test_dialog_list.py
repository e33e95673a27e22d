"""The list of messages: a list to its users, whose index stays true whatever they do."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from dialog_ext.dialog import Dialog, Message, Msgs, get_msg

places = st.integers(-5, 140)
steps = st.sampled_from([None, 1, 1, 2, 3, -1, -2])
IDS = "abcdef"


class Lists(RuleBasedStateMachine):
    """The dialog's list beside a plain list of the same messages."""

    def __init__(self) -> None:
        super().__init__()
        self.dlg = Dialog("d")
        self.plain: list[Message] = []
        self.known: list[Message] = []
        self.events: list[tuple[str, Message | None]] = []

    @property
    def live(self) -> Any:
        return self.dlg.messages

    def make(self, count: int, draw: int) -> list[Message]:
        """New messages, some of one id, and some that were there before."""
        made: list[Message] = []
        for i in range(count):
            pick = (draw + i * 7) % 10
            if pick == 0 and self.known:
                made.append(self.known[draw % len(self.known)])
            elif pick == 1:
                made.append(Message("same", id=IDS[draw % len(IDS)]))
            else:
                made.append(Message("new"))
        self.known += made
        return made

    @initialize(size=st.sampled_from([0, 3, 120]), observed=st.booleans())
    def fill(self, size: int, observed: bool) -> None:
        made = [Message(str(i)) for i in range(size)]
        self.known += made
        if observed:
            self.dlg.on_change.append(lambda kind, m: self.events.append((kind, m)))
        self.live.extend(made)
        self.plain.extend(made)

    def same(self, change: Any) -> None:
        """Do one thing to both lists: the same comes of it, or the same kind of error."""
        got = []
        for there in (self.live, self.plain):
            try:
                got.append(change(there))
            except (IndexError, ValueError) as error:
                got.append(type(error))
        assert got[0] is got[1] or got[0] == got[1]

    @rule(draw=st.integers(0, 99))
    def append(self, draw: int) -> None:
        (m,) = self.make(1, draw)
        self.same(lambda there: there.append(m))

    @rule(at=places, draw=st.integers(0, 99))
    def insert(self, at: int, draw: int) -> None:
        (m,) = self.make(1, draw)
        self.same(lambda there: there.insert(at, m))

    @rule(at=places, times=st.integers(1, 90))
    def insert_often(self, at: int, times: int) -> None:
        for _ in range(times):
            m = Message("new")
            self.same(lambda there, m=m: there.insert(at, m))

    @rule(count=st.integers(0, 40), draw=st.integers(0, 99), how=st.sampled_from("e+g"))
    def extend(self, count: int, draw: int, how: str) -> None:
        new = self.make(count, draw)
        if how == "+":
            self.dlg.messages += new
            self.plain += new
        else:
            self.same(lambda there: there.extend(iter(new) if how == "g" else new))

    @rule(at=places, draw=st.integers(0, 99))
    def set_one(self, at: int, draw: int) -> None:
        (m,) = self.make(1, draw)
        self.same(lambda there: there.__setitem__(at, m))

    @rule(
        start=st.none() | places,
        stop=st.none() | places,
        step=steps,
        count=st.integers(0, 40),
        draw=st.integers(0, 99),
    )
    def set_slice(self, start: Any, stop: Any, step: Any, count: int, draw: int) -> None:
        new = self.make(count, draw)
        self.same(lambda there: there.__setitem__(slice(start, stop, step), new))

    @rule(start=places, step=st.sampled_from([2, 3, -1, -2]), draw=st.integers(0, 99))
    def set_stepped(self, start: int, step: int, draw: int) -> None:
        new = self.make(len(self.plain[start::step]), draw)
        self.same(lambda there: there.__setitem__(slice(start, None, step), new))

    @rule(at=places)
    def delete_one(self, at: int) -> None:
        self.same(lambda there: there.__delitem__(at))

    @rule(start=st.none() | places, stop=st.none() | places, step=steps)
    def delete_slice(self, start: Any, stop: Any, step: Any) -> None:
        self.same(lambda there: there.__delitem__(slice(start, stop, step)))

    @rule(at=places)
    def pop(self, at: int) -> None:
        self.same(lambda there: there.pop(at))

    @precondition(lambda self: self.known)
    @rule(draw=st.integers(0, 999), by_id=st.booleans())
    def remove(self, draw: int, by_id: bool) -> None:
        m = self.known[draw % len(self.known)]
        self.same(lambda there: there.remove(m.id if by_id else m))

    @rule()
    def sort(self) -> None:
        self.same(lambda there: there.sort(key=lambda m: m.id))

    @rule()
    def reverse(self) -> None:
        self.same(lambda there: there.reverse())

    @rule(times=st.sampled_from([-1, 0, 1, 2]))
    def multiply(self, times: int) -> None:
        if len(self.plain) * times < 300:
            self.dlg.messages *= times
            self.plain *= times

    @rule()
    def clear(self) -> None:
        self.same(lambda there: there.clear())

    @precondition(lambda self: self.plain)
    @rule(at=st.integers(0, 200), below=st.booleans(), by_id=st.booleans())
    def mk_message(self, at: int, below: bool, by_id: bool) -> None:
        at %= len(self.plain)
        anchor = self.plain[at]
        if by_id:
            at = next(i for i, m in enumerate(self.plain) if m.id == anchor.id)
        else:
            at = next(i for i, m in enumerate(self.plain) if m is anchor)
        where = {"after" if below else "before": anchor.id if by_id else anchor}
        m = self.dlg.mk_message("made", **where)  # type: ignore[arg-type]
        self.known.append(m)
        self.plain.insert(at + below, m)

    @precondition(lambda self: self.plain)
    @rule(at=st.integers(0, 200), others=st.lists(st.integers(0, 200), max_size=40))
    def insert_after(self, at: int, others: list[int]) -> None:
        anchor = self.plain[at % len(self.plain)]
        moved = [self.plain[i % len(self.plain)] for i in others]
        moved += self.make(2, at)
        anchor.dlg = self.dlg
        anchor.insert_after(moved)
        unique = [m for m in {id(m): m for m in moved}.values() if m is not anchor]
        rest = [m for m in self.plain if not any(m is other for other in unique)]
        here = next(i for i, m in enumerate(rest) if m is anchor) + 1
        self.plain = [*rest[:here], *unique, *rest[here:]]

    @precondition(lambda self: self.known)
    @rule(picks=st.lists(st.integers(0, 999), max_size=40))
    def remove_msgs(self, picks: list[int]) -> None:
        chosen = [self.known[i % len(self.known)] for i in picks]
        chosen = [m for m in chosen if any(m is other for other in self.plain)]
        removed = self.dlg.remove_msgs(chosen)
        unique = list({id(m): m for m in chosen}.values())
        assert list(map(id, removed)) == list(map(id, unique))
        self.plain = [m for m in self.plain if not any(m is other for other in unique)]

    @precondition(lambda self: self.known)
    @rule(draw=st.integers(0, 999), to=st.sampled_from([*IDS, None]))
    def rename(self, draw: int, to: str | None) -> None:
        self.known[draw % len(self.known)].id = to  # type: ignore[assignment]

    @rule(of=st.sampled_from(["self", "slice"]))
    def assign(self, of: str) -> None:
        new = self.dlg.messages if of == "self" else self.dlg.messages[1:]
        self.dlg.messages = new  # type: ignore[assignment]
        self.plain = self.plain[0 if of == "self" else 1 :]

    @invariant()
    def same_members_in_the_same_order(self) -> None:
        assert list(map(id, self.live)) == list(map(id, self.plain))
        assert self.live == self.plain

    @invariant()
    def lookups_are_true(self) -> None:
        live, plain = self.live, self.plain
        for m in self.known[-3:] + plain[:2] + plain[-2:] + plain[len(plain) // 2 :][:3]:
            at = next((i for i, other in enumerate(plain) if other is m), None)
            same_id = [i for i, other in enumerate(plain) if other.id == m.id]
            assert live._index.place(m) == at
            assert (m in live, m.id in live) == (bool(same_id), bool(same_id))
            assert live.count(m.id) == len(same_id)
            assert get_msg(m.id, self.dlg) is (plain[same_id[0]] if same_id else None)
            if same_id:
                assert live.index(m) == live.index(m.id) == same_id[0]
            if at is None:
                assert m.dlg is None
                assert m.next() is m.previous() is None
            else:
                assert m.dlg is self.dlg
                assert m.next() is (plain[at + 1] if at + 1 < len(plain) else None)
                assert m.previous() is (plain[at - 1] if at else None)
        assert set(live.ids) == {m.id for m in plain}

    @invariant()
    def everybody_knows_where_they_are(self) -> None:
        members = {id(m) for m in self.plain}
        for m in self.known:
            assert len(m._homes) == (id(m) in members)

    @invariant()
    def observers_heard_of_every_coming_and_going(self) -> None:
        if self.dlg.on_change and not any(m is None for _, m in self.events):
            inside: dict[int, int] = {}
            for kind, m in self.events:
                if kind in ("insert", "remove"):
                    inside[id(m)] = inside.get(id(m), 0) + (1 if kind == "insert" else -1)
            assert set(inside.values()) <= {0, 1}
            assert {key for key, n in inside.items() if n} == {id(m) for m in self.plain}


TestLists = Lists.TestCase
TestLists.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def texts(messages: Any) -> list[str]:
    return [m.content for m in messages]


def test_slices_and_copies_are_msgs_of_their_own() -> None:
    dlg = Dialog("d")
    for c in "abc":
        dlg.mk_message(c)
    for part in (dlg.messages[:2], copy.copy(dlg.messages), dlg.messages.copy(), dlg.messages * 2):
        assert type(part) is Msgs
        part.clear()
        assert texts(dlg.messages) == ["a", "b", "c"]
    assert type(copy.copy(dlg.messages[:2])) is Msgs
    assert type(dlg.messages[:1] + list(dlg.messages)) is Msgs
    assert texts(dlg.messages[::2] + dlg.messages) == ["a", "c", "a", "b", "c"]
    assert dlg.messages == list(dlg.messages) == dlg.messages[:]
    assert list(dlg.messages) == dlg.messages
    assert isinstance(dlg.messages, list)


def test_msgs_are_made_like_fastcore_lists() -> None:
    a, b = Message("a"), Message("b")
    assert Msgs() == Msgs(None) == []
    assert Msgs(a) == Msgs([a]) == Msgs(iter([a])) == [a]
    assert Msgs(a, b) == [a, b]
    assert Msgs("ab") == ["ab"]
    assert Msgs("ab", use_list=True) == ["a", "b"]
    assert Msgs(a, match=3) == Msgs(a, match="xyz") == [a, a, a]
    assert Msgs([a, b], match=2) == [a, b]
    with pytest.raises(ValueError, match="2 items do not match a length of 3"):
        Msgs([a, b], match=3)


def test_show_tells_how_many_are_left_out() -> None:
    ms = Msgs([Message(f"m{i}", id=i) for i in range(30)])
    assert str(ms.show(rows=2)) == "0:code: m0\n1:code: m1\n… 28 more"
    assert str(ms.show(rows=30)).count("\n") == 29
    assert str(ms.show(maxlen=4)).splitlines()[0] == "0:c…"
    assert repr(ms).splitlines()[20:] == ["… 10 more"]
    assert repr(ms.show(rows=1)) == str(ms.show(rows=1))
    assert repr(Msgs()) == ""


def test_only_messages_come_into_a_dialog() -> None:
    dlg = Dialog("d", [Message("a")])
    for change in (
        lambda: dlg.messages.append("b"),
        lambda: dlg.messages.insert(0, "b"),
        lambda: dlg.messages.__setitem__(0, None),
        lambda: dlg.messages.extend([Message("c"), "b"]),
        lambda: dlg.messages.__setitem__(slice(0, 0), ["b"]),
    ):
        with pytest.raises(TypeError, match="use mk_message"):
            change()
    assert texts(dlg.messages) == ["a"]


def test_errors_are_those_of_a_list() -> None:
    dlg = Dialog("d", [Message("a")])
    with pytest.raises(ValueError, match="not in list"):
        dlg.messages.remove("nope")
    with pytest.raises(ValueError, match="not in list"):
        dlg.messages.index(Message("b"))
    for change in (lambda: dlg.messages.pop(1), lambda: dlg.messages.__setitem__(1, Message("b"))):
        with pytest.raises(IndexError):
            change()
    dlg.mk_message("b")
    with pytest.raises(TypeError, match="not supported"):
        dlg.messages.sort()  # messages have no order of their own
    assert dlg.messages.index(dlg.messages[1], -1) == 1
    with pytest.raises(ValueError, match="not in list"):
        dlg.messages.index(dlg.messages[0], 1)
    assert object() not in dlg.messages
    with pytest.raises(TypeError, match="unhashable"):
        hash(dlg.messages)


def test_a_sort_that_fails_leaves_the_index_true() -> None:
    dlg = Dialog("d")
    made = [dlg.mk_message(c) for c in "cba"]
    with pytest.raises(ZeroDivisionError):
        dlg.messages.sort(key=lambda m: 1 / 0)
    assert [m.next() for m in dlg.messages] == [*dlg.messages[1:], None]
    dlg.messages.sort(key=lambda m: m.content, reverse=True)
    assert dlg.messages == made


def test_a_message_in_the_lists_of_two_dialogs() -> None:
    first = Dialog("first", [Message("a"), Message("b")])
    second = Dialog("second", first.messages)
    a, b = first.messages
    assert a.dlg is second
    assert len(first.messages) == 2
    a.id = "new"
    assert first.get("new") is second.get("new") is a
    first.messages.remove(a)
    assert a.dlg is second
    second.messages.remove(a)
    assert a.dlg is None
    assert texts(first.messages) == texts(second.messages) == ["b"]
    assert b.dlg is second


def test_copies_and_pickles() -> None:
    dlg = Dialog("d", meta={"k": [1]})
    m = dlg.mk_message("a", output=[{"output_type": "stream", "name": "stdout", "text": "x"}])
    dlg.mk_message("b", skipped=True, msg_type="note")
    dlg.on_change.append(print)
    for twin in (copy.deepcopy(dlg), copy.copy(dlg), pickle.loads(pickle.dumps(dlg))):
        assert twin == dlg
        assert twin is not dlg
        assert twin.messages[0] is not m
        assert twin.on_change == []
        assert twin.messages[0].dlg is twin
        assert twin.messages[0].next() is twin.messages[1]
        twin.messages[0].output[0]["text"] = "y"
        assert twin != dlg
    for one in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert (one.content, one.id, one.dlg) == ("a", m.id, None)
        assert one.output == m.output
        one.output.clear()
        assert len(m.output) == 1
    assert m.dlg is dlg
    assert pickle.loads(pickle.dumps(dlg.messages)) == dlg.messages
    assert type(copy.deepcopy(dlg.messages)) is Msgs
