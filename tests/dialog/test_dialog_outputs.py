"""A kernel's messages into a message's outputs; displays and their updates."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialog_ext.dialog import (
    Dialog,
    Message,
    code_output,
    displayobj,
    get_output_mds,
    mk_code_output,
    mk_dispdata,
    mk_displayobj,
    mk_error,
    mk_execresult,
    mk_jmsg,
    mk_output,
    mk_stream,
    output_from_msg,
    prompt_output,
)
from dialog_ext.dialog.folding import ends_in_semicolon

QUIET = [
    mk_jmsg("status", execution_state="busy"),
    mk_jmsg("execute_input", code="1", execution_count=1),
    mk_jmsg("comm_open", comm_id="c", target_name="t", data={}),
    mk_jmsg("comm_msg", comm_id="c", data={}),
    mk_jmsg("comm_close", comm_id="c", data={}),
    mk_jmsg("input_request", prompt="?", password=False),
    mk_jmsg("debug_event", type="event"),
    mk_jmsg("iopub_welcome", subscription=""),
    mk_jmsg("shutdown_reply", restart=False),
    mk_jmsg("update_display_data", data={"text/plain": "x"}, transient={"display_id": "nobody's"}),
    mk_jmsg("update_display_data", data={"text/plain": "x"}, transient={}),
    mk_jmsg("update_display_data", data={"text/plain": "x"}, transient=None),
    mk_jmsg("update_display_data", data={"text/plain": "x"}),
    mk_jmsg("heard of by nobody"),
]


def update(did: str, data: Any, **metadata: Any) -> dict[str, Any]:
    return mk_jmsg("update_display_data", metadata, data=data, transient={"display_id": did})


def shown(m: Message) -> list[Any]:
    return [o["data"]["text/plain"] for o in m.output]


@pytest.mark.parametrize("jmsg", QUIET, ids=lambda jmsg: jmsg["msg_type"])
def test_what_makes_no_output_is_ignored(jmsg: dict[str, Any]) -> None:
    m = Message("x")
    m.add_output(mk_stream("kept"))
    before = copy.deepcopy(jmsg)
    assert m.add_output(jmsg) is None
    assert [o["text"] for o in m.output] == ["kept"]
    assert jmsg == before


@pytest.mark.parametrize("jmsg", QUIET, ids=lambda jmsg: jmsg["msg_type"])
def test_only_an_output_uses_up_a_pending_clear(jmsg: dict[str, Any]) -> None:
    m = Message("x;")
    m.add_output(mk_stream("old"))
    m.add_output(mk_jmsg("clear_output", wait=True))
    m.add_output(jmsg, on_input=lambda jmsg: None)
    m.add_output(mk_execresult({"text/plain": "left out"}))
    assert [o["text"] for o in m.output] == ["old"]
    m.add_output(mk_stream("new"))
    assert [o["text"] for o in m.output] == ["new"]
    m.add_output(mk_stream("er"))
    assert [o["text"] for o in m.output] == ["newer"]


def test_clear_output_of_a_kernel() -> None:
    m = Message("x")
    m.add_output(mk_stream("old"))
    m.add_output(mk_jmsg("clear_output", wait=False))
    assert m.output == []
    m.add_output(mk_stream("old"))
    m.add_output(mk_jmsg("clear_output", wait=True))
    m.output = code_output("assigned")
    m.add_output(mk_stream("next"))
    assert len(m.output) == 2  # the assignment has cleared already


def test_pending_clears_are_the_message_s_own() -> None:
    dlg = Dialog("d")
    a, b = dlg.mk_message("a"), dlg.mk_message("b")
    for m in (a, b):
        m.add_output(mk_stream("old"))
    a.clear_output(wait=True)
    for m in (a, b):
        m.add_output(mk_dispdata({}))
    assert (len(a.output), len(b.output)) == (1, 2)


def test_add_output_returns_only_the_handler_s_answer() -> None:
    m = Message("x")
    request = mk_jmsg("input_request", prompt="?")
    assert m.add_output(request, on_input=lambda jmsg: jmsg["content"]["prompt"]) == "?"
    for jmsg in (mk_stream("a"), mk_execresult({}), mk_dispdata({}), mk_error(), request):
        assert m.add_output(jmsg) is None


@pytest.mark.parametrize(
    ("source", "quiet"),
    [
        ("2+2;", True),
        ("2+2;  # quiet", True),
        ("2+2;\n\n# quiet\n", True),
        ("2+2  # see a;", False),
        ("2+2", False),
        ("x = 1; x", False),
        ("';'", False),
        ("%%time\n2+2;", True),
        ("(2+2;", False),
        ("if x:\n  1\n 2;", False),
        ("", False),
    ],
)
def test_the_semicolon_rule_is_about_the_last_token(source: str, quiet: bool) -> None:
    m = Message(source)
    m.add_output(mk_execresult({"text/plain": "4"}))
    assert m.output == ([] if quiet else code_output("4"))
    m.add_output(mk_dispdata({"text/plain": "shown"}))
    assert len(m.output) == 2 - quiet
    assert Message(source, msg_type="prompt").add_output(mk_execresult({})) is None


@pytest.mark.parametrize("source", ["2+2;", "2+2;  # quiet", "2+2  # see a;", "f'{x};'", "a;b", ""])
def test_the_semicolon_rule_is_ipython_s(source: str) -> None:
    from IPython.core.displayhook import DisplayHook

    assert ends_in_semicolon(source) == bool(DisplayHook.semicolon_at_end_of_expression(source))


def test_a_prompt_is_no_code_so_its_semicolon_means_nothing() -> None:
    m = Message("why;", msg_type="prompt")
    m.add_output(mk_execresult({"text/plain": "4"}))
    assert shown(m) == ["4"]


@pytest.mark.parametrize("kind", ["note", "raw"])
def test_notes_and_raws_take_no_outputs(kind: str) -> None:
    m = Message("x", msg_type=kind)
    with pytest.raises(ValueError, match="carries no outputs"):
        m.add_output(mk_stream("x"))
    assert m.add_output(mk_jmsg("status")) is None
    assert m.add_output(update("d", {})) is None
    assert m.output == ""
    m.clear_output()
    assert m.output == ""
    assert m.validate() is m


def test_an_update_replaces_data_and_metadata_wherever_the_display_stands() -> None:
    m = Message("x")
    for text, did in [("a", "d1"), ("b", "d2"), ("c", "d1"), ("d", None)]:
        m.add_output(mk_dispdata({"text/plain": text}, {"old": 1}, display_id=did))
    result = mk_execresult({"text/plain": "e"})
    result["content"]["transient"] = {"display_id": "d1"}
    m.add_output(result)
    m.add_output(update("d1", {"text/plain": "new"}, fresh=True))
    assert shown(m) == ["new", "b", "new", "d", "new"]
    assert m.output[0]["metadata"] == {"fresh": True, "did": "d1"}
    assert m.output[1]["metadata"] == {"old": 1, "did": "d2"}
    assert m.output[3]["metadata"] == {"old": 1}
    assert [o["output_type"] for o in m.output[3:]] == ["display_data", "execute_result"]
    m.validate()


def test_updates_share_nothing_with_the_message_or_with_one_another() -> None:
    m = Message("x")
    for _ in range(2):
        m.add_output(mk_dispdata({"application/json": {"k": [1]}}, display_id="d"))
    jmsg = update("d", {"application/json": {"k": [2]}}, m=[3])
    before = copy.deepcopy(jmsg)
    m.add_output(jmsg)
    m.output[0]["data"]["application/json"]["k"].append("changed")
    m.output[0]["metadata"]["m"].append("changed")
    assert jmsg == before
    assert m.output[1]["data"]["application/json"] == {"k": [2]}
    assert m.output[1]["metadata"]["m"] == [3]


@pytest.mark.parametrize(
    "jmsg",
    [
        mk_dispdata({"application/json": {"k": [1]}}, {"m": [1]}, display_id="d"),
        mk_execresult({"application/json": {"k": [1]}}, {"m": [1]}),
        mk_error("E", "v", ["line"]),
    ],
    ids=lambda jmsg: jmsg["msg_type"],
)
def test_outputs_share_nothing_with_the_message(jmsg: dict[str, Any]) -> None:
    before = copy.deepcopy(jmsg)
    m = Message("x")
    m.add_output(jmsg)
    output = m.output[0]
    for field in ("data", "metadata"):
        for value in output.get(field, {}).values():
            if isinstance(value, dict):
                value["k"].append(2)
        output.get(field, {})["new"] = 1
    output.get("traceback", []).append("more")
    assert jmsg == before


def test_an_update_reaches_the_display_of_another_message_as_in_a_notebook() -> None:
    dlg = Dialog("d")
    first, second = dlg.mk_message("show"), dlg.mk_message("update")
    first.add_output(mk_dispdata({"text/plain": "v1"}, display_id="d"))
    second.add_output(update("d", {"text/plain": "v2"}))
    assert shown(first) == ["v2"]
    assert second.output == []
    (pasted,) = dlg.mk_messages([first])
    second.add_output(update("d", {"text/plain": "v3"}))
    assert (shown(first), shown(pasted)) == (["v3"], ["v3"])
    pasted.remove_from_dlg()
    first.remove_from_dlg()
    second.add_output(update("d", {"text/plain": "v4"}))
    assert shown(first) == ["v3"]
    second.insert_after(first)
    second.add_output(update("d", {"text/plain": "v5"}))
    assert shown(first) == ["v5"]
    first.output = []
    second.add_output(update("d", {"text/plain": "v6"}))
    assert first.output == []
    assert dlg.showing("d") == []


def test_an_update_of_a_whole_dialog() -> None:
    dlg = Dialog("d")
    for _ in range(2):
        dlg.mk_message("x").add_output(mk_dispdata({"text/plain": "v1"}, display_id="d"))
    dlg.messages[0].add_output(mk_dispdata({"text/plain": "v1"}, display_id="d"))
    jmsg = update("d", {"text/plain": "v2"})
    assert dlg.update_display(jmsg, trunc=lambda o: o | {"cut": True}) == 3
    assert [shown(m) for m in dlg.messages] == [["v2", "v2"], ["v2"]]
    assert all(o["cut"] for m in dlg.messages for o in m.output)
    assert dlg.update_display(update("other", {})) == 0
    assert dlg.update_display(mk_jmsg("update_display_data", data={})) == 0


def test_an_update_of_a_saved_display() -> None:
    m = Message("x", output=[mk_displayobj({"text/plain": "saved"}, {"did": "d"})])
    m.add_output(update("d", {"text/plain": "new"}))
    assert shown(m) == ["new"]


def test_displays_are_found_after_edits_by_hand() -> None:
    m = Message("x")
    for i in range(4):
        m.add_output(mk_dispdata({"text/plain": str(i)}, display_id=f"d{i}"))
    m.add_output(update("d3", {"text/plain": "three"}))
    del m.output[0]
    m.add_output(update("d3", {"text/plain": "3!"}))
    m.add_output(update("d1", {"text/plain": "1!"}))
    assert shown(m) == ["1!", "2", "3!"]
    m.output.insert(0, mk_displayobj({"text/plain": "put"}, {"did": "put"}))
    m.add_output(update("d2", {"text/plain": "2!"}))
    m.add_output(update("put", {"text/plain": "put!"}))
    assert shown(m) == ["put!", "1!", "2!", "3!"]
    for did in ("d8", "d9"):
        m.output.clear()
        m.add_output(mk_dispdata({"text/plain": "a"}, display_id=did))
        m.add_output(update(did, {"text/plain": "b"}))
        m.add_output(update("d1", {"text/plain": "gone"}))
        assert shown(m) == ["b"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["show", "update", "print", "clear", "later", "assign", "drop"]),
            st.sampled_from("abc"),
        ),
        max_size=30,
    )
)
def test_any_displays_and_updates_against_a_scan(steps: list[tuple[str, str]]) -> None:
    m = Message("x")
    expected: list[list[Any]] = []
    pending = False
    for n, (step, did) in enumerate(steps):
        data = {"text/plain": str(n)}
        if step in ("show", "print") and pending:
            expected, pending = [], False
        if step == "show":
            m.add_output(mk_dispdata(data, display_id=did))
            for entry in expected:  # shown again, it changes wherever it stands
                if entry[0] == did:
                    entry[1] = str(n)
            expected.append([did, str(n)])
        elif step == "update":
            m.add_output(update(did, data))
            for entry in expected:
                if entry[0] == did:
                    entry[1] = str(n)
        elif step == "print":
            m.add_output(mk_error(str(n)))
            expected.append([None, None])
        elif step == "clear":
            m.clear_output()
            expected, pending = [], False
        elif step == "later":
            m.clear_output(wait=True)
            pending = True
        elif step == "assign":
            m.output = list(reversed(m.output))
            expected, pending = expected[::-1], False
        elif expected:
            del m.output[0]
            del expected[0]
        got = [
            [(o.get("metadata") or {}).get("did"), o.get("data", {}).get("text/plain")]
            for o in m.output
        ]
        assert got == expected


def test_trunc_sees_each_new_output_and_may_leave_out_the_metadata() -> None:
    seen: list[dict[str, Any]] = []

    def trunc(output: dict[str, Any]) -> dict[str, Any]:
        seen.append(output)
        return {k: v for k, v in output.items() if k != "metadata"}

    m = Message("x")
    m.add_output(mk_dispdata({"text/plain": "v1"}, display_id="d"), trunc=trunc)
    m.add_output(update("d", {"text/plain": "v2"}), trunc=trunc)
    m.add_output(mk_stream("a"), trunc=trunc)
    m.add_output(mk_stream("b"), trunc=trunc)
    m.add_output(mk_error(), trunc=trunc)
    assert m.output[0]["metadata"] == {"did": "d"}
    assert shown(Message("y", output=m.output[:1])) == ["v2"]
    assert [o.get("text") for o in seen] == [None, None, "a", "b", None]
    assert m.output[1]["text"] == "ab"
    placeholder: dict[str, Any] = {"output_type": "display_data", "data": {}, "metadata": {}}
    m.add_output(mk_dispdata({}, display_id="e"), trunc=lambda o: placeholder)
    assert placeholder["metadata"] == {}


def test_messages_as_kernels_send_them() -> None:
    m = Message("x")
    m.add_output({"header": {"msg_type": "stream"}, "content": {"name": "stderr", "text": "a"}})
    m.add_output({"header": {"msg_type": "display_data"}, "content": {"data": {"text/plain": "b"}}})
    m.add_output({"header": {"msg_type": "execute_result"}, "content": {}})
    m.add_output({"msg_type": "error", "content": {}})
    m.add_output({})
    assert [o["output_type"] for o in m.output] == [
        "stream", "display_data", "execute_result", "error",
    ]  # fmt: skip
    assert m.output[0]["name"] == "stderr"
    m.validate()


@pytest.mark.parametrize("jmsg", [*QUIET, mk_jmsg("clear_output", wait=True)])
def test_output_from_msg_of_another_kind(jmsg: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Unrecognized"):
        output_from_msg(jmsg)


def test_output_from_msg_is_that_of_nbformat() -> None:
    import nbformat.v4

    for jmsg in (
        mk_stream("a\r\n", "stderr"),
        mk_dispdata({"text/plain": "x"}, {"m": 1}, "d"),
        mk_execresult({"text/plain": "x"}, None, 7),
        mk_error("E", "v", ["tb"]),
    ):
        assert output_from_msg(jmsg) == nbformat.v4.output_from_msg(jmsg)


def test_messages_made_by_hand() -> None:
    assert mk_jmsg("t", {"m": 1}, a=2) == {
        "msg_type": "t",
        "header": {"msg_type": "t"},
        "content": {"a": 2, "metadata": {"m": 1}},
    }
    assert mk_jmsg("t")["content"] == {"metadata": {}}
    assert mk_dispdata({}, display_id="d")["content"]["transient"] == {"display_id": "d"}
    assert mk_dispdata({})["content"]["transient"] == {}
    assert mk_error()["content"]["traceback"] == []


def test_outputs_made_by_hand() -> None:
    result = {
        "output_type": "execute_result",
        "metadata": {},
        "data": {"text/plain": "64"},
        "execution_count": 1,
    }
    assert code_output("64") == mk_code_output({"text/plain": "64"}) == [result]
    assert code_output("x", "png", "image")[0]["data"] == {"image/png": "x"}
    display = {"output_type": "display_data", "metadata": {"m": 1}, "data": {"text/html": "x"}}
    assert displayobj("x", "html", meta={"m": 1}) == display
    assert mk_displayobj({"text/html": "x"}, {"m": 1}) == display
    assert mk_output("display_data", {"text/html": "x"}, {"m": 1}) == display
    assert prompt_output("hi")[0]["data"]["text/markdown"] == "hi"
    assert prompt_output("hi")[0]["metadata"]["is_ai_res"] is True
    assert prompt_output() == []
    for outputs in (code_output("64"), [display], prompt_output("hi")):
        Message("x", output=outputs).validate()


def test_markdown_of_outputs() -> None:
    stream = {"output_type": "stream", "data": {"text/markdown": "no"}, "text": "x"}
    lines = displayobj("", meta={})
    lines["data"] = {"text/markdown": ["a\n", "b"]}
    assert get_output_mds([stream, lines, *code_output("plain")]) == ["a\nb"]
    assert get_output_mds("") == get_output_mds([]) == []
