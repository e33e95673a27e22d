"""Figures of dialog_ext.dialog."""

from __future__ import annotations

from typing import Any

from harness import Case

from dialog_ext.dialog import (
    Dialog,
    Message,
    get_msg,
    mk_dispdata,
    mk_jmsg,
    mk_stream,
    scode,
    section_msgs,
    snote,
)


def count(n: int) -> int:
    return n


def filled(n: int) -> Dialog:
    dialog = Dialog("d")
    for i in range(n):
        dialog.mk_message(str(i))
    return dialog


def make(n: int) -> Dialog:
    return filled(n)


def make_at_the_start(n: int) -> Dialog:
    dialog = Dialog("d")
    for i in range(n):
        dialog.mk_message(str(i), idx=0)
    return dialog


def make_in_the_middle(dialog: Dialog) -> None:
    anchors = list(dialog.messages)
    for i, anchor in enumerate(anchors):
        # from far apart, and each followed by a look-up
        anchors[i * 7919 % len(anchors)].next()
        dialog.mk_message("new", after=anchor)


def get_each(dialog_and_ids: tuple[Dialog, list[str]]) -> None:
    dialog, ids = dialog_and_ids
    for mid in ids:
        get_msg(mid, dialog)


def walk(dialog: Dialog) -> None:
    message: Message | None = dialog.messages[0]
    while message is not None:
        message = message.next()


def remove_each(dialog: Dialog) -> None:
    for message in list(dialog.messages)[::-1]:
        message.remove_from_dlg()


def displays(n: int) -> tuple[Message, list[dict[str, Any]]]:
    message = Dialog("d").mk_message("x")
    for i in range(n):
        message.add_output(mk_dispdata({"text/plain": "v1"}, display_id=f"d{i}"))
    updates = [
        mk_jmsg("update_display_data", data={"text/plain": "v2"}, transient={"display_id": f"d{i}"})
        for i in range(n)
    ]
    return message, updates


def displays_apart(n: int) -> tuple[Message, list[dict[str, Any]]]:
    dialog = filled(n)
    for i, message in enumerate(dialog.messages):
        message.add_output(mk_dispdata({"text/plain": "v1"}, display_id=f"d{i}"))
    return dialog.mk_message("updates"), displays(n)[1]


def update_each(message_and_jmsgs: tuple[Message, list[dict[str, Any]]]) -> int:
    message, jmsgs = message_and_jmsgs
    dialog = message.dlg
    return sum(dialog.update_display(jmsg) for jmsg in jmsgs) if dialog else 0


def add_each(message_and_jmsgs: tuple[Message, list[dict[str, Any]]]) -> Any:
    message, jmsgs = message_and_jmsgs
    for jmsg in jmsgs:
        message.add_output(jmsg)
    return message.output


def pieces(n: int) -> tuple[Message, list[dict[str, Any]]]:
    return Dialog("d").mk_message("x"), [mk_stream("a word\n") for _ in range(n)]


def progress(n: int) -> tuple[Message, list[dict[str, Any]]]:
    return Dialog("d").mk_message("x"), [mk_stream(f"\r{i:60}") for i in range(n)]


def sections(n: int) -> Dialog:
    dialog = Dialog("d")
    for i in range(n):
        dialog.mk_message("# head" if i % 10 == 0 else "text", msg_type=snote)
    return dialog


def each_section(dialog: Dialog) -> None:
    for i in range(0, len(dialog.messages), 10):
        section_msgs(dialog.messages, dialog.messages[i])


CASES: list[Case] = [
    Case("dialog: mk_message at the end", 10_000, count, make, 60),
    Case("dialog: mk_message(idx=0)", 10_000, count, make_at_the_start),
    Case("dialog: next and mk_message(after=) all over", 10_000, filled, make_in_the_middle),
    Case(
        "dialog: mk_messages, the whole dialog pasted",
        5_000,
        filled,
        lambda dialog: dialog.mk_messages(dialog.messages[:]),
    ),
    Case("dialog: get_msg", 10_000, lambda n: (d := filled(n), list(d.messages.ids)), get_each, 10),
    Case("dialog: next over all", 5_000, filled, walk, 9),
    Case("dialog: remove_from_dlg each", 10_000, filled, remove_each),
    Case("dialog: update each display of one message", 5_000, displays, add_each, 100),
    Case("dialog: update each display from another message", 5_000, displays_apart, add_each, 100),
    Case("dialog: update_display of each display", 5_000, displays_apart, update_each, 100),
    Case("dialog: pieces of one stream", 100_000, pieces, add_each, 190),
    Case("dialog: states of a progress bar", 100_000, progress, add_each),
    Case("dialog: every section of a dialog", 10_000, sections, each_section),
    Case(
        "dialog: validate",
        10_000,
        lambda n: Dialog("d", [Message("x", msg_type=scode) for _ in range(n)]),
        lambda dialog: dialog.validate(),
    ),
]
