"""Messages: identity, kinds, previews, sections, export, validation, attachments."""

from __future__ import annotations

import copy
import io
import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dialog_ext.dialog as part
from dialog_ext.dialog import (
    UNSET,
    Attachment,
    Dialog,
    Message,
    add_id_hash,
    code_output,
    dlg2py,
    header_info,
    prompt_output,
    rtoken_hex,
    ruuid4,
    scode,
    section_msgs,
    smsg_types,
    snote,
    sprompt,
    sraw,
    strip_export,
    tiny_png,
)

STREAM = {"output_type": "stream", "name": "stdout", "text": "x"}


class Thing:
    def __init__(self, mid: Any) -> None:
        self.mid = mid


add_id_hash(Thing, "mid")


class Other:
    pass


def test_constants() -> None:
    assert smsg_types == ("code", "note", "prompt", "raw") == (scode, snote, sprompt, sraw)


# -- identity


def test_objects_by_id() -> None:
    assert Thing(5) == 5
    assert Thing("5") == "5"
    assert "5" == Thing("5")  # noqa: SIM300 - the object stands on the right
    assert Thing("5") != 5
    for foreign in (None, Other(), 5.5, [5], object):
        assert Thing(5) != foreign
        assert foreign != Thing(5)
    assert hash(Thing("a")) == hash("a")
    assert len({Thing("a"), Thing("a"), Thing("b")}) == 2
    things = [Thing("a"), Thing("b")]
    things.remove("a")  # type: ignore[arg-type]
    assert [t.mid for t in things] == ["b"]

    class Sub(Thing):
        pass

    assert Sub("a") == Thing("a")
    assert add_id_hash(Other, "mid") is Other


def test_messages_by_id() -> None:
    m = Message("x", id=5)
    assert m.id == "5"
    assert m == 5
    assert m == "5" == m == Message("y", id="5")
    assert m != True  # noqa: E712 - a bool is no id
    assert Message("x", id=1) != True  # noqa: E712
    assert m != 6
    assert m != None  # noqa: E711 - what == says is the test
    assert hash(m) == hash("5")
    assert len({m, Message("z", id=5)}) == 1


def test_a_set_does_not_lose_a_message_whose_id_changes() -> None:
    dlg = Dialog("d")
    m = dlg.mk_message("x", id="old")
    there = {m}
    m.id = "new"
    assert m in there
    assert m in dlg.messages
    assert dlg.get("new") is m
    assert dlg.get("old") is None
    m.id = 7  # type: ignore[assignment]
    assert dlg.get(7) is dlg.get("7") is m
    m.id = None  # type: ignore[assignment]
    assert re.fullmatch("[0-9a-f]{8}", m.id)


def test_dialogs_are_equal_if_they_hold_the_same() -> None:
    def make(**given: Any) -> Dialog:
        parts = {"content": "x", "id": "1", "output": code_output("1"), **given}
        return Dialog("d", [Message(**parts)])

    assert make() == make()
    for given_part in ({"content": "y"}, {"id": "2"}, {"output": []}, {"meta": {"a": 1}}):
        assert make() != make(**given_part)
    assert make() != Dialog("d")
    assert make() == "d"
    assert make() != "e"
    assert make() != None  # noqa: E711
    assert Dialog("d", meta={"a": 1}) != Dialog("d")
    assert Dialog("d") == Dialog("d")
    assert hash(Dialog("d")) == hash("d")
    assert repr(make()) == "Dialog('d', 1 messages)"


def test_attachments_are_equal_if_they_hold_the_same_and_by_id() -> None:
    a = Attachment(b"1", "image/png", "a")
    assert a == "a"
    assert a == Attachment(b"1", "image/png", "a")
    assert a != Attachment(b"2", "image/png", "a")
    assert a != Attachment(b"1", "image/gif", "a")
    assert a != None  # noqa: E711
    assert hash(a) == hash("a")
    there = [a, Attachment(b"2", "image/png", "b")]
    there.remove("a")  # type: ignore[arg-type]
    assert [x.id for x in there] == ["b"]


def test_ids_are_new_whatever_the_user_seeds() -> None:
    dlg = Dialog("d")
    for _ in range(50):
        random.seed(1)
        dlg.mk_message("x")
    assert len(dlg.messages.ids) == 50
    random.seed(1)
    expected = random.random()
    random.seed(1)
    dlg.mk_message("x")
    assert random.random() == expected  # the user's stream is left alone


def test_an_id_that_is_taken_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = iter([b"aaaa", b"aaaa", b"bbbb", b"aaaa", b"cccc", b"dddd", b"dddd", b"eeee"])
    monkeypatch.setattr("os.urandom", lambda n: next(draws))
    dlg = Dialog("d")
    made = [dlg.mk_message("x"), dlg.mk_message("y")]
    assert [m.id for m in made] == [b"aaaa".hex(), b"bbbb".hex()]
    (pasted,) = dlg.mk_messages([made[0]])
    assert pasted.id == b"cccc".hex()
    assert [m.id for m in dlg.mk_messages(made)] == [b"dddd".hex(), b"eeee".hex()]


def test_ids_of_attachments_follow_the_seed() -> None:
    shape = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    random.seed(3)
    first = ruuid4()
    second = ruuid4()
    assert re.fullmatch(shape, first)
    assert first != second
    random.seed(3)
    assert Attachment(b"", "image/png").id == first
    random.seed(3)
    assert rtoken_hex(4) == first[:8]
    assert len(rtoken_hex()) == 32


# -- outputs by kind


@pytest.mark.parametrize("given_output", ["", None, [], ()])
def test_no_output(given_output: Any) -> None:
    for kind in smsg_types:
        m = Message("x", msg_type=kind, output=given_output)
        assert m.output == ([] if kind in (scode, sprompt) else "")
        assert m.ai_res == ""
        assert m.validate() is m
        m.output = given_output
        assert m.output == ([] if kind in (scode, sprompt) else "")


def test_defaults() -> None:
    m = Message()
    assert (m.content, m.output, m.msg_type, m.meta, m.attachments) == ("", [], "code", {}, [])
    assert m.dlg is None
    assert m.validate() is m


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps(code_output("1")), code_output("1")),
        (json.dumps(STREAM), [STREAM]),
        ("[]", []),
        ("plain text", code_output("plain text")),
        ("[not json", code_output("[not json")),
        ('{"a": 1}', code_output('{"a": 1}')),
        ("[1, 2]", code_output("[1, 2]")),
        ("42", code_output("42")),
    ],
)
def test_text_as_the_output_of_code(text: str, expected: Any) -> None:
    m = Dialog("d").mk_message("x", output=text)
    assert m.output == expected
    assert m.validate() is m


def test_outputs_are_taken_over_one_level_deep() -> None:
    outs: list[Any] = []
    m = Message("x", output=outs)
    m.add_output(part.mk_stream("x"))
    assert outs == []
    m.output = STREAM
    assert m.output == [STREAM]
    meta = {"a": 1}
    m = Message("x", meta=meta)
    m.meta["b"] = 2
    assert meta == {"a": 1}


def test_the_reply_of_a_prompt() -> None:
    m = Message("q", msg_type=sprompt, output=[*code_output("1"), *prompt_output("yes")])
    assert m.ai_res == "yes"
    m.output[1]["data"]["text/markdown"] = ["y", "es"]
    assert m.ai_res == "yes"
    m.output = [{"output_type": "display_data", "data": {"text/markdown": "no"}, "metadata": {}}]
    assert m.ai_res == ""
    assert Message("x", output=prompt_output("no prompt")).ai_res == ""


def test_another_type_resets_the_output_and_the_old_one_brings_it_back() -> None:
    m = Message("x", output=[STREAM])
    for kind in (snote, sprompt, sraw):
        m.msg_type = kind
        assert m.output == ([] if kind == sprompt else "")
    m.msg_type = scode
    assert m.output == [STREAM]
    m.msg_type = scode
    assert m.output == [STREAM]
    m.msg_type = sprompt
    m.output = "reply"
    m.msg_type = scode
    assert m.output == []
    m.msg_type = sprompt
    assert m.ai_res == "reply"
    m.clear_output()
    m.msg_type = snote
    m.msg_type = sprompt
    assert m.output == []


def test_unknown_types_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="unknown msg_type 'cod'"):
        Message("x", msg_type="cod")
    m = Message("x", output=[STREAM])
    with pytest.raises(ValueError, match="one of code, note, prompt, raw"):
        m.msg_type = "cod"
    assert (m.msg_type, m.output) == ("code", [STREAM])


def test_update() -> None:
    from fastcore.xtras import UNSET as THEIRS

    m = Message("x", output=[STREAM])
    m.update(content="y", msg_type=UNSET, output=THEIRS)
    assert (m.content, m.msg_type, m.output) == ("y", "code", [STREAM])
    m.update(output="reply", content="q", msg_type=sprompt, pinned=True)
    assert (m.content, m.ai_res, m.meta) == ("q", "reply", {"pinned": True})
    assert repr(UNSET) == "UNSET"


def test_has_error() -> None:
    m = Message("x", output=[STREAM])
    assert m.has_error is False
    m.add_output(part.mk_error())
    assert m.has_error is True
    assert Message("n", msg_type=snote, output="error").has_error is False


# -- the dialog


def test_a_message_keeps_its_dialog() -> None:
    m = Dialog("x").mk_message("a")
    assert m.dlg is not None
    assert m.dlg.name == "x"
    below = m.dlg.mk_message("b")
    assert m.next() is below
    m.dlg = None
    assert m.next() is m.previous() is None
    assert m.remove_from_dlg() is m


def test_the_cycle_is_the_collector_s_to_take() -> None:
    import gc
    import weakref

    dlg = Dialog("x")
    dlg.mk_message("a")
    seen = weakref.ref(dlg)
    del dlg
    gc.collect()
    assert seen() is None


def test_messages_that_are_given_belong_to_the_dialog() -> None:
    given_messages = [Message("a"), Message("b")]
    dlg = Dialog("d", given_messages)
    assert all(m.dlg is dlg for m in given_messages)
    assert Message("c", dlg=dlg) not in dlg.messages
    assert Message("c", dlg=dlg).next() is None


@pytest.mark.parametrize("idx", [-2, -7, 3])
def test_an_index_out_of_range(idx: int) -> None:
    dlg = Dialog("d", [Message("a"), Message("b")])
    with pytest.raises(IndexError, match=f"idx {idx}"):
        dlg.mk_message("x", idx=idx)
    assert len(dlg.messages) == 2


def test_positions() -> None:
    dlg = Dialog("d")
    for content, where in [("b", {}), ("a", {"idx": 0}), ("d", {"idx": 2}), ("c", {"idx": 2})]:
        dlg.mk_message(content, **where)  # type: ignore[arg-type]
    assert [m.content for m in dlg.messages] == list("abcd")
    dlg.mk_message("e", idx=-1)
    dlg.mk_message("A", after=dlg.messages[0].id)
    dlg.mk_message("_", before=dlg.messages[0].id)
    assert [m.content for m in dlg.messages] == list("_aAbcde")


@pytest.mark.parametrize("where", ["after", "before"])
@pytest.mark.parametrize("anchor", ["nope", Message("stranger"), 7])
def test_unknown_anchors(where: str, anchor: Any) -> None:
    dlg = Dialog("d", [Message("a")])
    with pytest.raises(ValueError, match=f"{where}=.* is no message of dialog 'd'"):
        dlg.mk_message("x", **{where: anchor})
    with pytest.raises(ValueError, match=f"{where}="):
        dlg.mk_messages([Message("x")], **{where: anchor})
    assert len(dlg.messages) == 1


def test_two_positions() -> None:
    dlg = Dialog("d", [Message("a", id="a")])
    for two in ({"after": "a", "before": "a"}, {"idx": 0, "after": "a"}):
        with pytest.raises(ValueError, match="only one of"):
            dlg.mk_message("x", **two)  # type: ignore[arg-type]


def test_pasted_messages_share_nothing_mutable() -> None:
    original = Message(
        "x",
        output=[{**STREAM, "metadata": {"k": [1]}}],
        attachments=[Attachment(tiny_png, "image/png", "a")],
        meta={"nested": {"k": [1]}, "odd": {1, 2}},
        own=["host"],
    )
    before = copy.deepcopy(original.__dict__)
    dlg = Dialog("d")
    (pasted,) = dlg.mk_messages([original])
    assert pasted.id != original.id
    for name in ("content", "msg_type", "output", "meta", "attachments", "own"):
        assert getattr(pasted, name) == getattr(original, name)
    pasted.output[0]["metadata"]["k"].append(2)
    pasted.add_output(part.mk_stream("more"))
    pasted.meta["nested"]["k"].append(2)
    pasted.meta["odd"].add(3)
    pasted.attachments[0].data = b"changed"
    pasted.attachments.clear()
    pasted.own.append("changed")
    assert original.__dict__ == before
    assert original.dlg is None
    assert len(dlg.mk_messages(original)) == 1
    (again,) = Dialog("e").mk_messages([pasted])  # a message that is in a dialog
    assert (again.own, again.content) == (pasted.own, "x")
    assert dlg.mk_messages([]) == []


def test_messages_of_one_id_are_two_messages() -> None:
    first, second, third = (Message(c, id="same") for c in "abc")
    dlg = Dialog("d", [first, second])
    second.insert_after(third)
    assert first.next() is second
    assert second.next() is third
    assert third.previous() is second
    assert third.next() is None
    assert dlg.get("same") is first
    dlg.mk_message("new", after=second)
    assert [m.content for m in dlg.messages] == ["a", "b", "new", "c"]
    assert dlg.remove_msgs([second]) == [second]
    assert [m.content for m in dlg.messages] == ["a", "new", "c"]
    assert dlg.get("same") is first
    first.remove_from_dlg()
    assert dlg.get("same") is third


def test_insert_after() -> None:
    dlg = Dialog("d")
    a, b, c = [dlg.mk_message(x) for x in "abc"]
    assert a.insert_after(Message("new")) == [dlg.messages[1]]
    assert [m.content for m in dlg.messages] == ["a", "new", "b", "c"]
    a.insert_after(c)
    assert [m.content for m in dlg.messages] == ["a", "c", "new", "b"]
    b.insert_after([b, a, a])
    assert [m.content for m in dlg.messages] == ["c", "new", "b", "a"]
    with pytest.raises(ValueError, match="in no dialog"):
        Message("x").insert_after(a)
    with pytest.raises(ValueError, match="not in dialog d"):
        Message("x", dlg=dlg).insert_after([a])
    assert [m.content for m in dlg.messages] == ["c", "new", "b", "a"]


def test_removed_are_those_that_were_there() -> None:
    dlg = Dialog("d")
    a, b, c = [dlg.mk_message(x, id=x) for x in "abc"]
    stranger = Message("x")
    removed = dlg.remove_msgs(["c", stranger, a, "nope", a])
    assert [m is other for m, other in zip(removed, [c, a], strict=True)] == [True, True]
    assert dlg.messages == [b]
    for m in removed:
        assert m.dlg is None
        assert m.next() is m.previous() is m.rel_msg(True) is None
    assert dlg.remove_msgs(removed) == []
    assert dlg.remove_msgs(b) == [b]


def test_finding() -> None:
    dlg = Dialog("d")
    a, b = dlg.mk_message("same\nsecond line"), dlg.mk_message("same\nsecond line")
    assert dlg.find_msg("same\nsecond line") is a
    assert dlg.find_msg("same") is None
    assert part.get_msg(b.id, dlg) is part.get_msg(b, dlg) is b
    assert part.get_msg(b.id, None) is None
    assert part.get_msg(None, dlg) is None


def test_observers_hear_of_changes_after_they_are_made() -> None:
    heard: list[tuple[str, str | None]] = []
    dlg = Dialog("d")
    quiet = dlg.mk_message("before")

    def observer(kind: str, m: Message | None) -> None:
        assert [x.next() for x in dlg.messages] == [*dlg.messages[1:], None][: len(dlg.messages)]
        heard.append((kind, m.content if m else None))

    dlg.on_change.append(observer)
    m = dlg.mk_message("a")
    m.content = "b"
    m.output = []
    m.add_output(part.mk_stream("x"))
    m.id = "new"
    m.pinned = True
    m.mk_attachment(b"", "image/png")
    m.msg_type = snote
    dlg.messages.reverse()
    quiet.remove_from_dlg()
    m.remove_from_dlg()
    m.content = "not heard"
    dlg.on_change.clear()
    dlg.mk_message("not heard either")
    assert heard == [
        ("insert", "a"), ("content", "b"), ("output", "b"), ("output", "b"), ("id", "b"),
        ("meta", "b"), ("attachments", "b"), ("msg_type", "b"), ("order", None),
        ("begin", None), ("remove", "before"), ("end", None),
        ("begin", None), ("remove", "b"), ("end", None),
    ]  # fmt: skip


# -- previews


def test_preview_of_each_kind() -> None:
    assert Message("a\nb", id="i").preview() == r"i:code: a\nb"
    assert Message("q", id="i", msg_type=sprompt, output="four").preview() == (
        "i:prompt: q ⇒ reply(4)"
    )
    assert Message("q", id="i", msg_type=sprompt).preview() == "i:prompt: q"
    assert Message("x", id="i", output=[STREAM, *code_output("22")]).preview() == (
        "i:code: x ⇒ out(3)"
    )
    assert Message("n", id="i", msg_type=snote, output="out").preview() == "i:note: n ⇒ out(3)"


@given(st.text(), st.integers(0, 150))
def test_a_preview_is_one_line_of_at_most_maxlen(content: str, maxlen: int) -> None:
    line = Message(content, output=code_output("1")).preview(maxlen)
    assert len(line) <= maxlen
    assert len(line.splitlines()) == bool(line)
    if len(content) > maxlen:
        assert len(line) == maxlen
        assert line.endswith("…"[:maxlen])


def test_control_characters_are_escaped() -> None:
    line = Message("a\x1b[31m\t\u202eb\x85\ud800", id="i").preview()
    assert line == r"i:code: a\x1b[31m\t\u202eb\x85\ud800"


def test_summ_is_bounded_and_safe_whatever_the_output() -> None:
    m = Message("c" * 97, output=code_output("o" * 10_000_000))
    content, _, output = m.summ.partition(" ⇒ ")
    assert content == "c" * 95 + "…"
    assert len(output) == 60
    assert output[-1] == "…"
    assert Message("c" * 96, msg_type=snote).summ == "c" * 96
    assert Message("q", msg_type=sprompt, output="reply").summ == "q ⇒ reply"
    loop: list[Any] = []
    loop.append(loop)
    m = Message("x", output=loop, meta={"loop": loop})
    assert len(m.summ) < 200
    assert "out(0)" in m.preview()
    assert len(repr(m)) < 400


def test_markdown_of_a_message_shows_no_markup() -> None:
    evil = "<img src=x onerror=alert(1)> ![i](http://e) [l](javascript:x) $a$ `c`"
    dlg = Dialog("<b>", [Message(evil, msg_type=sprompt, output=evil, meta={"k": evil})])
    for text in (dlg._repr_markdown_(), dlg.messages[0]._repr_markdown_()):
        assert not re.search(r"[<>$\[\]`]", text)


def test_repr() -> None:
    m = Message("in", output="out", id="i", msg_type=snote)
    assert repr(m) == "Message('in ⇒ out', id='i', msg_type='note', meta={})"
    assert repr(Attachment(b"123", "image/png", "a")) == (
        "Attachment(id='a', content_type='image/png', 3 bytes)"
    )


# -- sections


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("# a", (1, "a")),
        ("###### a", (6, "a")),
        ("####### a", (0, None)),
        ("#a", (0, None)),
        ("#\ta", (1, "a")),
        ("#\nbody", (1, "")),
        ("#", (1, "")),
        ("# \nbody", (1, "")),
        ("# a\r\nbody", (1, "a")),
        ("# a ##\nbody", (1, "a")),
        ("# a ##  ", (1, "a")),
        ("## ##", (2, "")),
        ("# a#", (1, "a#")),
        ("# a \\#", (1, "a \\#")),
        ("# a # b", (1, "a # b")),
        ("# a  ", (1, "a  ")),
        ("   # a", (1, "a")),
        ("    # a", (0, None)),
        ("\t# a", (0, None)),
        ("\n# a", (0, None)),
        ("", (0, None)),
    ],
)
def test_headings(content: str, expected: Any) -> None:
    assert header_info(content) == expected


def test_sections_of_any_pool() -> None:
    dlg = Dialog("d")
    made = [
        dlg.mk_message(c, msg_type=snote)
        for c in ("intro", "# A", "a", "## B", "b", "# C", "### D", "d")
    ]
    _, a, text, b, under, c, deep, last = made
    for pool in (dlg.messages, list(dlg.messages), tuple(dlg.messages), dlg.messages[:]):
        assert section_msgs(pool, a) == [a, text, b, under]
        assert section_msgs(pool, c) == [c, deep, last]
    assert section_msgs(iter(dlg.messages), b) == [b, under]
    assert section_msgs([a, under, c], a) == [a, under]
    assert section_msgs(dlg.messages, text) == [text]
    with pytest.raises(ValueError, match="not among"):
        section_msgs([a], b)
    with pytest.raises(ValueError, match="not among"):
        section_msgs(dlg.messages, Message("# x", msg_type=snote))
    assert Message("# x").header_level() == 0


# -- export and merge


@pytest.mark.parametrize(
    ("line", "exported"),
    [
        ("#| export", True),
        ("#|export", True),
        ("# | export", True),
        ("  #| export  ", True),
        ("#| export core", True),
        ("#| exporti", True),
        ("#| exports", True),
        ("#| exporters", False),
        ("#|exportable", False),
        ("#| export-x", False),
        ("#| hide", False),
        ("# export", False),
        ("x #| export", False),
    ],
)
def test_directives(line: str, exported: bool) -> None:
    m = Message(f"{line}\nx = 1")
    assert m.exported is exported
    assert strip_export(m.content) == ("x = 1" if exported else m.content)
    m.exported = False
    assert m.content == ("x = 1" if exported else f"{line}\nx = 1")


def test_a_directive_below_another_counts_and_one_below_code_does_not() -> None:
    m = Message("#| default_exp core\n\n#| export\nx = 1")
    assert m.exported
    assert strip_export(m.content) == m.content
    m.exported = True
    assert m.content.count("export") == 1
    m.exported = False
    assert m.content == "#| default_exp core\n\nx = 1"
    assert not Message("x = 1\n#| export").exported
    assert strip_export("#| export") == ""
    assert strip_export("") == ""


@given(st.lists(st.sampled_from(["#| export", "#|hide", "", "x = 1", "# c"]), max_size=5))
def test_exported_can_be_set_and_taken_back(lines: list[str]) -> None:
    m = Message("\n".join(lines))
    m.exported = True
    assert m.exported
    content = m.content
    m.exported = True
    assert m.content == content
    m.exported = False
    assert not m.exported
    content = m.content
    m.exported = True
    m.exported = False
    assert m.content == content


def test_dlg2py_has_one_blank_line_between() -> None:
    dlg = Dialog("d")
    dlg.mk_message("#| export\nx = 1\n\n")
    dlg.mk_message("y = 2")
    dlg.mk_message("#|exporti\nz = 3")
    assert dlg2py(dlg) == "#| export\nx = 1\n\n#|exporti\nz = 3"
    assert dlg2py(Dialog("e")) == ""


def test_merge_content() -> None:
    code = Message("s = '''\n```\n'''")
    assert code.merge_content(snote) == "````python\ns = '''\n```\n'''\n````"
    assert code.merge_content(sprompt) == code.merge_content(snote)
    assert code.merge_content(scode) == code.merge_content(sraw) == code.content
    assert Message("q", msg_type=sprompt).merge_content(snote) == "## AI Prompt\nq"
    prompt = Message("q", msg_type=sprompt, output="a")
    assert prompt.merge_content(sprompt) == prompt.merge_content(sraw) == "q"
    assert Message("# n", msg_type=snote).merge_content(scode) == "# n"


# -- validation and serializing

loop: list[Any] = []
loop.append(loop)
DISPLAY = {"output_type": "display_data", "data": {}, "metadata": {}}


@pytest.mark.parametrize(
    ("given_parts", "problem"),
    [
        ({"output": [{"output_type": "stream", "text": "x"}]}, "bad output entry 0: its name"),
        ({"output": [{"output_type": "stream", "name": "stdout"}]}, "its text"),
        ({"output": [STREAM, {**STREAM, "text": [1]}]}, "bad output entry 1"),
        ({"output": [{**DISPLAY, "data": {"image/png": b"x"}}]}, "not JSON-serializable"),
        ({"output": [{**DISPLAY, "data": {"a/b": float("nan")}}]}, "not JSON-serializable"),
        ({"output": [{**DISPLAY, "data": None}]}, "bad output entry"),
        ({"output": [{"output_type": "pyout"}]}, "its output_type is 'pyout'"),
        ({"output": ["text"]}, "bad output entry 0: it is not a dict"),
        ({"output": [{"output_type": "error"}]}, "its ename"),
        ({"output": 5}, "output is not a list"),
        ({"output": "x", "msg_type": snote}, "must not carry output"),
        ({"output": [STREAM], "msg_type": sraw}, "must not carry output"),
        ({"meta": {"loop": loop}}, "not JSON-serializable"),
        ({"meta": {"nan": float("inf")}}, "not JSON-serializable"),
        ({"meta": {(1, 2): 3}}, "not JSON-serializable"),
        ({"content": None}, "content is not a str"),
        ({"content": "\ud800"}, "content is not JSON-serializable: .*surrogates"),
        ({"output": [{**STREAM, "text": "\udc80"}]}, "bad output entry 0: not JSON-serializable"),
        ({"attachments": [Attachment("x", "image/png", "a")]}, "needs bytes"),  # type: ignore[arg-type]
        ({"attachments": [Attachment(b"", "image/png", "a")] * 2}, "duplicate attachment id"),
    ],
)
def test_validate_names_message_and_problem(given_parts: dict[str, Any], problem: str) -> None:
    m = Message(id="the-id", **given_parts)
    before = copy.copy(m.__dict__)
    for check in (m.validate, Dialog("d", [Message("fine"), m]).validate):
        with pytest.raises(ValueError, match=problem) as raised:
            check()
        assert "the-id" in str(raised.value)
    assert all(m.__dict__[name] is value for name, value in before.items() if name != "dlg")


def test_more_of_validate() -> None:
    m = Message("x")
    m.__dict__["msg_type"] = "cod"
    with pytest.raises(ValueError, match="unknown msg_type 'cod'"):
        m.validate()
    with pytest.raises(ValueError, match="empty id"):
        Message("x", id="").validate()
    m = Message("x")
    m.meta = None  # type: ignore[assignment]
    with pytest.raises(ValueError, match="meta is not a dict"):
        m.validate()
    with pytest.raises(ValueError, match="dialog d: meta is not JSON-serializable"):
        Dialog("d", meta={"x": {1}}).validate()
    text = {**STREAM, "text": ["a\n", "b"]}
    error = {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["tb"]}
    assert Message("x", output=[text, error, *code_output("1"), DISPLAY]).validate()


def test_todict_is_json_and_shares_nothing() -> None:
    dlg = Dialog("d", meta={"kernelspec": {"name": "python3"}})
    m = dlg.mk_message(
        "x", output=[STREAM], attachments=[Attachment(tiny_png, "image/png", "a")], pinned=True
    )
    dlg.mk_message("note", msg_type=snote)
    data = dlg.todict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["name"] == "d"
    first, second = data["messages"]
    assert first["output"] == [STREAM]
    assert first["meta"] == {"pinned": True}
    assert (second["msg_type"], second["output"], second["content"]) == ("note", "", "note")
    assert first["attachments"][0]["data"].startswith("iVBOR")
    data["meta"]["kernelspec"]["name"] = first["output"][0]["text"] = "changed"
    assert m.output == [STREAM]
    assert dlg.meta == {"kernelspec": {"name": "python3"}}


# -- attachments


def test_mk_attachment_gives_it_back() -> None:
    m = Message("x")
    random.seed(5)
    a = m.mk_attachment(b"1", "image/png")
    random.seed(5)
    b = m.mk_attachment(b"2", "image/png")
    assert m.attachments == [a, b]
    assert a.id != b.id
    assert m.mk_attachment(b"3", "image/png", id="named").id == "named"
    assert m.validate() is m


def test_tiny_png() -> None:
    from PIL import Image

    with Image.open(io.BytesIO(tiny_png)) as picture:
        picture.load()
        assert picture.size == (1, 1)
