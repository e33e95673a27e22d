"""What would break saving or rendering, found before it does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from .kinds import holds_outputs, smsg_types

if TYPE_CHECKING:
    from .dialog import Dialog
    from .message import Message

_TEXT: Final = "a str or a list of str"
_FIELDS: Final[dict[str, dict[str, str]]] = {
    "stream": {"name": "a str", "text": _TEXT},
    "display_data": {"data": "a dict", "metadata": "a dict"},
    "execute_result": {"data": "a dict", "metadata": "a dict"},
    "error": {"ename": "a str", "evalue": "a str", "traceback": "a list of str"},
}


def _is(value: Any, what: str) -> bool:
    strings = isinstance(value, list) and all(isinstance(line, str) for line in value)
    match what:
        case "a str":
            return isinstance(value, str)
        case "a dict":
            return isinstance(value, dict)
        case "a list of str":
            return strings
        case _:
            return isinstance(value, str) or strings


def json_problem(value: Any) -> str:
    """Say why JSON cannot hold a value; empty if it can."""
    try:
        # lone surrogates are JSON, but no file can hold them
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        return f"not JSON-serializable: {error}"
    return ""


def output_problem(output: Any) -> str:
    """Say what is wrong with one output; empty if nothing is."""
    if not isinstance(output, dict):
        return "it is not a dict"
    fields = _FIELDS.get(str(output.get("output_type")))
    if fields is None:
        return f"its output_type is {output.get('output_type')!r}"
    for name, what in fields.items():
        if not _is(output.get(name), what):
            return f"its {name} is not {what}"
    return json_problem(output)


def check_message(message: Message) -> None:
    """Raise for the first thing that is wrong with a message.

    Raises
    ------
    ValueError
        It names the message.
    """
    for problem in filter(None, _problems(message)):
        raise ValueError(f"message {message.id} ({message.msg_type}): {problem}")


def _problems(message: Any) -> Iterator[str]:
    if not message.id:
        yield "empty id"
    if message.msg_type not in smsg_types:
        yield f"unknown msg_type {message.msg_type!r}"
    if not isinstance(message.content, str):
        yield "content is not a str"
    elif problem := json_problem(message.content):
        yield f"content is {problem}"
    if not isinstance(message.meta, dict):
        yield "meta is not a dict"
    elif problem := json_problem(message.meta):
        yield f"meta is {problem}"
    yield from _output_problems(message)
    seen: set[str] = set()
    for attachment in message.attachments:
        if not isinstance(attachment.data, bytes) or not isinstance(attachment.content_type, str):
            yield f"attachment {attachment.id} needs bytes and a MIME type"
        if attachment.id in seen:
            yield f"duplicate attachment id {attachment.id}"
        seen.add(attachment.id)


def _output_problems(message: Any) -> Iterator[str]:
    outputs = message.output
    if not holds_outputs(message.msg_type):
        if outputs:
            yield f"a {message.msg_type} must not carry output"
    elif not isinstance(outputs, list):
        yield "output is not a list"
    else:
        for i, output in enumerate(outputs):
            if problem := output_problem(output):
                yield f"bad output entry {i}: {problem}"


def check_dialog(dialog: Dialog) -> None:
    """Raise for the first thing that is wrong with a dialog or one of its messages.

    Raises
    ------
    ValueError
        It names the message, or the dialog.
    """
    seen: set[str] = set()
    for message in dialog.messages:
        check_message(message)
        if message.id in seen:
            raise ValueError(f"dialog {dialog.name}: duplicate message id {message.id}")
        seen.add(message.id)
    if problem := json_problem(dialog.meta):
        raise ValueError(f"dialog {dialog.name}: meta is {problem}")
