"""Dialogs as wire messages in files, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from .. import labels
from ..dialog import (
    Attachment,
    Dialog,
    Message,
    mk_displayobj,
    prompt_output,
    scode,
    snote,
    sprompt,
    sraw,
)
from ..errors import DialogError
from ..history import LLMHistory
from ..prompt.context import context_of, history_of

_DATA_URL: Final = re.compile(r"data:(image/[\w.+-]+);base64,(.*)", re.DOTALL)
_BLOCK: Final = re.compile(
    rf"^(?P<label>{labels.CODE}|{labels.OUTPUT}|{labels.ERROR})\n"
    r"(?P<fence>`{3,})[^\n]*\n(?P<text>.*?)\n(?P=fence)(?:\n\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_HEADS: Final = {"system": "System prompt:\n\n", "assistant": "Assistant:\n\n"}


def to_history(dialog: Dialog) -> LLMHistory:
    """Turn a dialog into the wire messages that a prompt below it would send above itself.

    Parameters
    ----------
    dialog : Dialog
        The dialog. Skipped messages and prompts without a reply are left out, and there
        is no system prompt.

    Returns
    -------
    LLMHistory
        The messages.
    """
    return history_of(context_of(dialog.messages), "")


def to_openai(history: LLMHistory) -> list[dict[str, Any]]:
    """Give wire messages in OpenAI's chat form, where a picture's URL stands in an object.

    Parameters
    ----------
    history : LLMHistory
        The messages.

    Returns
    -------
    list of dict
        What goes into ``messages`` of a request.
    """
    found = history.to_json()
    for message in found:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if isinstance(part, dict) and isinstance(part.get("image_url"), str):
                part["image_url"] = {"url": part["image_url"]}
    return found


def read_history(file: Path) -> Dialog:
    """Read a file of wire messages as a dialog.

    Parameters
    ----------
    file : Path
        JSON or YAML; in either form of pictures.

    Returns
    -------
    Dialog
        Of the file's name; see :func:`from_messages`.

    Raises
    ------
    DialogError
        If it is no list of messages.
    OSError
        If it cannot be read.
    """
    from yaml import YAMLError

    is_json = file.suffix.lower() == ".json"
    if not file.exists():
        raise DialogError(f"{file} cannot be read: No such file or directory.")
    try:
        history = LLMHistory.load_json(file) if is_json else LLMHistory.load_yaml(file)
    except (ValueError, YAMLError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise DialogError(f"{file} holds no wire messages: {said}.".replace("..", ".")) from None
    return from_messages(file.stem, history.to_json())


def from_messages(name: str, messages: list[dict[str, Any]]) -> Dialog:
    """Make a dialog of wire messages.

    Parameters
    ----------
    name : str
        The dialog's name.
    messages : list of dict
        The messages. Blocks labelled as notes, code and raw text become such messages
        again, other words of the user prompts, and what the assistant says their reply.
        A system prompt and an answer to no prompt become notes; what else there is, such as
        calls of tools and their results, raw text in JSON, so that nothing is lost.

    Returns
    -------
    Dialog
        The dialog.

    Notes
    -----
    Wire messages have less than a dialog: ids, metadata and the MIME types of outputs are
    not in them.
    """
    dialog = Dialog(name)
    for message, following in pairwise([*messages, {}]):
        is_answered = following.get("role") == "assistant" and _is_plain(following)
        dialog.messages.extend(_from_wire(message, is_answered, dialog))
    return dialog


def _is_plain(message: Mapping[str, Any]) -> bool:
    """Whether a message has nothing but words and pictures."""
    content = message.get("content")
    if message.keys() != {"role", "content"}:
        return False
    if isinstance(content, str):
        return True
    return isinstance(content, list) and all(
        isinstance(part, dict) and (isinstance(part.get("text"), str) or _picture(part))
        for part in content
    )


def _picture(part: Mapping[str, Any]) -> tuple[str, str] | None:
    """MIME type and base64 of a part that is a picture of its own."""
    url = part.get("image_url")
    url = url.get("url") if isinstance(url, dict) else url
    found = _DATA_URL.fullmatch(url) if isinstance(url, str) else None
    return (found[1], found[2]) if found else None


def _from_wire(wire: Mapping[str, Any], is_answered: bool, dialog: Dialog) -> Iterator[Message]:
    """The message of a dialog that a wire message stands for; a reply goes to its prompt."""
    role, content = wire["role"], wire["content"]
    parts = content if isinstance(content, list) else [{"text": content}]
    pictures = [found for found in map(_picture, parts) if found] if _is_plain(wire) else []
    if not _is_plain(wire) or not (role == "user" or (role in _HEADS and not pictures)):
        yield Message(json.dumps(wire, ensure_ascii=False, indent=1, default=str), msg_type=sraw)
        return
    text = "\n\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    if role == "user":
        yield _of_user(text, pictures, is_answered)
        return
    last = dialog.messages[-1] if dialog.messages else None
    if role == "assistant" and last is not None and last.msg_type == sprompt and not last.output:
        last.output = prompt_output(text)
    else:
        yield Message(_HEADS[role] + text, msg_type=snote)


def _of_user(text: str, pictures: list[tuple[str, str]], is_answered: bool) -> Message:
    if not is_answered:
        for label, kind in ((labels.NOTE, snote), (labels.RAW, sraw)):
            if text.startswith(f"{label}\n"):
                return Message(text.removeprefix(f"{label}\n"), msg_type=kind)
        blocks = list(_BLOCK.finditer(text))
        if blocks and blocks[0]["label"] == labels.CODE and "".join(b[0] for b in blocks) == text:
            outputs = [_printed(block["label"], block["text"]) for block in blocks[1:]]
            outputs += [mk_displayobj({mime: data}) for mime, data in pictures]
            return Message(blocks[0]["text"], msg_type=scode, output=outputs)
    return Message(
        text,
        msg_type=sprompt,
        attachments=[
            Attachment(_bytes(data), mime, f"picture-{number}")
            for number, (mime, data) in enumerate(pictures, 1)
        ],
    )


def _printed(label: str, text: str) -> dict[str, Any]:
    if label == labels.ERROR:
        lines = text.split("\n")
        ename, _, evalue = lines[-1].partition(": ")
        return {"output_type": "error", "ename": ename, "evalue": evalue, "traceback": lines}
    return {"output_type": "stream", "name": "stdout", "text": text}


def _bytes(data: str) -> bytes:
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(data)
    except Error as error:
        raise DialogError(f"A picture in the file is no base64: {error}.") from None
