"""Displays of a whole dialog: every output that shows one is updated, however it came there."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.dialog import Dialog, Message, mk_dispdata, mk_displayobj, mk_jmsg, mk_stream


def update(did: str, text: str) -> dict[str, Any]:
    data = {"text/plain": text}
    return mk_jmsg("update_display_data", data=data, transient={"display_id": did})


def shows(did: str, text: str) -> dict[str, Any]:
    return mk_displayobj({"text/plain": text}, {"did": did})


def texts(m: Message) -> list[str]:
    return [o["data"]["text/plain"] for o in m.output]


def test_outputs_that_were_assigned_or_came_with_their_message() -> None:
    dlg = Dialog("d", [Message("read", output=[shows("d", "v1")])])
    dlg.mk_message("made", output=[shows("e", "other"), shows("d", "v1")])
    assigned, empty = dlg.mk_message("assigned"), dlg.mk_message("empty")
    assigned.output = [shows("d", "v1")]
    pasted = dlg.mk_messages([assigned])[0]
    prompt = dlg.mk_message("prompt", msg_type="prompt", output=[shows("d", "v1")])
    assert dlg.update_display(update("d", "v2")) == 5
    assert [texts(m) for m in dlg] == [["v2"], ["other", "v2"], ["v2"], [], ["v2"], ["v2"]]
    empty.add_output(update("d", "v3"))
    assert [texts(m) for m in (*dlg.messages[:3], pasted, prompt)] == [
        ["v3"], ["other", "v3"], ["v3"], ["v3"], ["v3"],
    ]  # fmt: skip
    assigned.output = [*assigned.output, shows("d", "again")]
    assert dlg.update_display(update("d", "v4")) == 6
    assert texts(assigned) == ["v4", "v4"]
    assert dlg.update_display(update("nobody's", "v")) == 0
    dlg.validate()


def test_displays_come_back_with_the_type() -> None:
    dlg = Dialog("d")
    m = dlg.mk_message("x", output=[shows("d", "v1")])
    m.msg_type = "note"
    assert dlg.update_display(update("d", "v2")) == 0
    assert m.output == ""
    m.msg_type = "code"
    assert dlg.update_display(update("d", "v3")) == 1
    assert texts(m) == ["v3"]


def test_a_message_in_two_dialogs_is_updated_through_both() -> None:
    m = Message("x", output=[shows("d", "v1")])
    first, second = Dialog("first", [m]), Dialog("second", [m])
    other = first.mk_message("other", output=[shows("d", "v1")])
    assert second.update_display(update("d", "v2")) == 1
    assert first.update_display(update("d", "v3")) == 2
    m.add_output(update("d", "v4"))
    assert texts(m) == texts(other) == ["v4"]
    second.messages.clear()
    assert second.update_display(update("d", "v5")) == 0
    assert first.update_display(update("d", "v6")) == 2


def test_a_message_that_is_in_no_list_is_not_reached() -> None:
    dlg = Dialog("d")
    m = Message("x", dlg=dlg)
    m.add_output(mk_dispdata({"text/plain": "v1"}, display_id="d"))
    assert dlg.update_display(update("d", "v2")) == 0
    m.add_output(update("d", "v3"))
    assert texts(m) == ["v3"]


def test_the_update_is_left_as_it_was_and_nothing_of_it_is_shared() -> None:
    dlg = Dialog("d")
    for _ in range(2):
        dlg.mk_message("x", output=[shows("d", "v1")])
    jmsg = mk_jmsg(
        "update_display_data",
        {"m": [1]},
        data={"application/json": [1]},
        transient={"display_id": "d"},
    )
    before = copy.deepcopy(jmsg)
    assert dlg.update_display(jmsg) == 2
    first, second = (m.output[0] for m in dlg)
    first["data"]["application/json"].append(2)
    first["metadata"]["m"].append(2)
    assert jmsg == before
    assert second["data"]["application/json"] == second["metadata"]["m"] == [1]


def test_a_dialog_forgets_the_displays_of_what_is_gone() -> None:
    dlg = Dialog("d")
    m = dlg.mk_message("x")
    for i in range(50):
        m.output = [shows(f"d{i}", "v")]
        m.add_output(mk_dispdata({"text/plain": "v"}, display_id=f"e{i}"))
    assert sorted(dlg.shown._messages) == ["d49", "e49"]
    m.remove_from_dlg()
    assert dlg.shown._messages == {}


@pytest.mark.parametrize("container", [Dialog("d"), Dialog("d", [Message("x", id="a")])])
def test_a_dialog_is_a_container_of_its_messages(container: Dialog) -> None:
    assert len(container) == len(container.messages)
    assert list(container) == container.messages
    assert all(m in container and m.id in container for m in container.messages)
    assert "nope" not in container
    assert Message("stranger") not in container
    assert bool(container) is True


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["show", "print", "update", "tell", "assign", "trim", "leave", "enter", "kind"]
            ),
            st.integers(0, 3),
            st.sampled_from("ab"),
        ),
        max_size=40,
    )
)
def test_any_course_of_a_dialog_against_a_scan(steps: list[tuple[str, int, str]]) -> None:
    dlg = Dialog("d")
    everybody = [dlg.mk_message(str(i)) for i in range(4)]
    for n, (step, who, did) in enumerate(steps):
        m, text = everybody[who], str(n)
        if step in ("show", "print", "tell") and m.msg_type != "code":
            continue
        if step == "show":
            m.add_output(mk_dispdata({"text/plain": text}, display_id=did))
        elif step == "print":
            m.add_output(mk_stream("printed"))
        elif step in ("update", "tell"):
            inside = [o for o in everybody if o.dlg is dlg]
            reached = inside if step == "update" else [m, *inside] if m.dlg is dlg else [m]
            places = [
                (other, i)
                for other in {id(other): other for other in reached}.values()
                for i, output in enumerate(other.output)
                if output.get("metadata", {}).get("did") == did
            ]
            before = [copy.deepcopy(other.output) for other in everybody]
            if step == "update":
                assert dlg.update_display(update(did, text)) == len(places)
            else:
                m.add_output(update(did, text))
            for other, i in places:
                before[everybody.index(other)][i]["data"] = {"text/plain": text}
            assert [other.output for other in everybody] == before
        elif step == "assign" and m.msg_type == "code":
            m.output = [*m.output[::-1], shows(did, text)]
        elif step == "trim" and m.output:
            m.output = m.output[1:]
        elif step == "leave":
            m.remove_from_dlg()
        elif step == "enter" and m.dlg is None:
            dlg.messages.insert(who, m)
        elif step == "kind":
            m.msg_type = "note" if m.msg_type == "code" else "code"
