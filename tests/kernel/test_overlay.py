"""What was executed, laid over what the file holds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.dialog import Message, snote
from dialog_ext.kernel.overlay import overlay


def cells(*texts: str, ids: str = "") -> list[Message]:
    """Code cells; a text that begins with # is a note."""
    return [
        Message(
            text, msg_type=snote if text.startswith("#") else "code", id=ids[k] if ids else None
        )
        for k, text in enumerate(texts)
    ]


def contents(messages: Sequence[Message]) -> list[str]:
    return [message.content for message in messages]


def test_by_id_the_newest_text_at_its_place() -> None:
    saved = cells("# t", "x = 1", "y = 2", ids="abc")
    ran = cells("y = 3", "x = 2", ids="cb")
    found = overlay(saved, ran, named="abc")
    assert contents(found) == ["# t", "x = 2", "y = 3"]
    assert found[0] is saved[0]
    assert found[1] is ran[1]


def test_an_unsaved_cell_stands_behind_the_one_that_ran_before_it() -> None:
    saved = cells("a", "b", "c", ids="abc")
    assert contents(overlay(saved, cells("b", "new", ids="bn"), named="abcn")) == [
        "a", "b", "new", "c",
    ]  # fmt: skip
    assert contents(overlay(saved, cells("new", ids="n"), named="abcn")) == ["new", "a", "b", "c"]


def test_without_ids_by_source_in_order() -> None:
    saved = cells("x", "# n", "x", "y")
    ran = cells("x", "x", "y")
    found = overlay(saved, ran)
    assert contents(found) == ["x", "# n", "x", "y"]
    assert [found[0], found[2], found[3]] == ran


def test_a_duplicate_source_below_the_cell_before() -> None:
    saved = cells("x", "a", "x")
    ran = cells("a", "x")
    found = overlay(saved, ran)
    assert found[0] is saved[0]
    assert found[2] is ran[1]


def test_a_named_cell_is_never_taken_for_another_of_the_same_source() -> None:
    saved = cells("x", ids="a")
    found = overlay(saved, cells("x", ids="b"), named="ab")
    assert len(found) == 2


def test_by_position_between_known_cells() -> None:
    saved = cells("a", "old", "c")
    found = overlay(saved, cells("a", "changed", "c"))
    assert contents(found) == ["a", "changed", "c"]
    assert contents(overlay(saved, cells("a", "one", "two", "c"))) == [
        "a",
        "one",
        "two",
        "old",
        "c",
    ]


def test_deleted_cells_are_gone() -> None:
    assert contents(overlay(cells("a", "b", ids="ab"), [], named="ab", gone=["a"])) == ["b"]


@pytest.mark.parametrize("named", [True, False])
@given(data=st.data())
def test_nothing_that_ran_is_lost_and_no_cell_is_there_twice(
    named: bool, data: st.DataObject
) -> None:
    ids = data.draw(st.lists(st.sampled_from("abcdefgh"), unique=True))
    saved = cells(*(data.draw(st.sampled_from(["x", "y", "# n"])) for _ in ids), ids="".join(ids))
    other = data.draw(st.lists(st.sampled_from("abcdefghijkl"), unique=True))
    ran = cells(*(data.draw(st.sampled_from(["x", "y", "z"])) for _ in other), ids="".join(other))
    found = overlay(saved, ran, named="abcdefghijkl" if named else ())
    assert all(any(m is message for m in found) for message in ran)
    assert len({id(m) for m in found}) == len(found)
    assert len({m.id for m in found}) == len(found)
    kept = [m for m in found if any(m is s for s in saved)]
    assert contents(kept) == [s.content for s in saved if any(s is m for m in found)]
    if named:
        assert {m.id for m in found} == set(ids) | set(other)
