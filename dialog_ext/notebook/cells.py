"""One cell of a file as a message, and back."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ..dialog import Attachment, Message, prompt_output
from .magic import prompt_text, split_cell
from .solveit import KEY, is_older, older_source, prompt_source, split_older
from .spans import is_same

_NOTES: Final = {"markdown": "note", "raw": "raw"}
_CELL_TYPES: Final = {"note": "markdown", "code": "code", "prompt": "code", "raw": "raw"}
_SPLIT: Final = ("text/", "application/javascript", "image/svg+xml")


class Fields(NamedTuple):
    """What a message takes from its cell; the parameters of ``Message``."""

    msg_type: str
    content: str
    output: Any
    meta: dict[str, Any]
    attachments: list[Attachment]


def joined(text: Any) -> str:
    """Text of a cell's field: a str, or a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def fields_of(cell: Mapping[str, Any], filed: Any = None) -> Fields:
    """Read a cell.

    Parameters
    ----------
    cell : dict
        The cell, as the file has it.
    filed : dict, optional
        Attachments that the notebook's metadata hold for it, for it has no place for them.

    Returns
    -------
    Fields
        Nothing is copied.
    """
    kind = cell["cell_type"]
    source = joined(cell["source"])
    meta = cell.get("metadata") or {}
    if kind == "code":
        outputs = cell.get("outputs") or []
        attachments = attachments_of(filed) if filed else []
        if split_cell(source) is not None:
            return Fields("prompt", prompt_text(source), outputs, meta, attachments)
        return Fields("code", source, outputs, meta, attachments)
    bundles = cell.get("attachments")
    attachments = attachments_of(bundles) if bundles else []
    if is_older(cell):
        prompt, _, reply = split_older(source)
        return Fields("prompt", prompt, prompt_output(reply), meta, attachments)
    return Fields(_NOTES.get(kind, "raw"), source, "", meta, attachments)


def attachments_of(bundles: Any) -> list[Attachment]:
    """Read attachments: of each name, what its first MIME type holds.

    What is no text is passed over, and stays in the file.
    """
    found: list[Attachment] = []
    for name, bundle in bundles.items() if isinstance(bundles, dict) else ():
        for mime, value in bundle.items() if isinstance(bundle, dict) else ():
            if isinstance(value, (str, list)):
                found.append(Attachment(_bytes(value), mime, name))
                break
    return found


def _bytes(value: Any) -> bytes:
    text = joined(value)
    try:
        return a2b_base64("".join(text.split()), strict_mode=True)
    except (Base64Error, ValueError):
        return text.encode("utf-8", "surrogatepass")  # SVG often stands as it is


def filed_attachments(old: Any, attachments: Iterable[Attachment]) -> dict[str, Any]:
    """Write attachments as a file has them.

    Parameters
    ----------
    old : dict or None
        What the file has for the same cell; what is in it unchanged stays as it is.
    attachments : iterable of Attachment
        The attachments.

    Returns
    -------
    dict
        A MIME bundle for each name.
    """
    bundles = old if isinstance(old, dict) else {}
    known = {attachment.id: attachment for attachment in attachments_of(bundles)}
    kept = {name: bundle for name, bundle in bundles.items() if name not in known}
    for attachment in attachments:
        name, data = attachment.id, attachment.data
        if known.get(name) == attachment:
            kept[name] = bundles[name]
        else:
            encoded = b2a_base64(data, newline=False).decode("ascii")
            kept[name] = {attachment.content_type: encoded}
    return kept


class Target(NamedTuple):
    """How the file that is written has its cells.

    Parameters
    ----------
    ids : bool
        Whether cells have ids there: since format 4.5 they do.
    lines : bool
        Whether text of several lines is a list of them.
    """

    ids: bool = True
    lines: bool = True


def new_cell(
    message: Message, old: dict[str, Any] | None, target: Target, older: bool = False
) -> dict[str, Any]:
    """Write a message as a cell.

    Parameters
    ----------
    message : Message
        The message.
    old : dict or None
        The cell that it was read from; what the message says nothing of is kept.
    target : Target
        How the file has its cells.
    older : bool, default False
        Whether a prompt of the older form stays one, where that form can hold it.

    Returns
    -------
    dict
        The cell.
    """
    was = fields_of(old) if old is not None else None
    form = "code" if _CELL_TYPES[message.msg_type] == "code" else "text"
    source = _source(message, old, was)
    if older and old is not None and message.msg_type == "prompt" and is_older(old):
        kept = older_source(joined(old["source"]), message.content, message.ai_res)
        if kept is not None and message.output == prompt_output(message.ai_res):
            form, source = "older", kept
    cell = dict(old) if old is not None else {}
    if was is None or was.msg_type != message.msg_type or form == "code":
        cell["cell_type"] = "markdown" if form == "older" else _CELL_TYPES[message.msg_type]
    if form == "code":
        _code_fields(cell, message, target.lines, old is None or old["cell_type"] != "code")
    else:
        _text_fields(cell, message)
    metadata = _metadata(message, was)
    if metadata or old is None or old.get("metadata"):
        cell["metadata"] = metadata
    if old is None or joined(old["source"]) != source:
        is_list = isinstance(old["source"], list) if old is not None else target.lines
        cell["source"] = source.splitlines(keepends=True) if is_list else source
    if old is None:
        cell |= {"id": message.id} if target.ids else {}
        return {key: cell[key] for key in sorted(cell)}
    return cell


def _source(message: Message, old: dict[str, Any] | None, was: Fields | None) -> str:
    """The cell's text: what it was where the content is the same."""
    if message.msg_type != "prompt":
        return message.content
    if old is None or was is None or is_older(old) or was.msg_type != "prompt":
        return prompt_source("", message.content)
    source = joined(old["source"])
    return source if was.content == message.content else prompt_source(source, message.content)


def _metadata(message: Message, was: Fields | None) -> dict[str, Any]:
    """The cell's metadata: the message's, and the mark of a prompt where it becomes one."""
    before = was.msg_type if was is not None else ""
    metadata = dict(message.meta)
    if message.msg_type == "prompt" and before != "prompt":
        metadata[KEY] = True
    elif message.msg_type != "prompt" and before == "prompt":
        metadata.pop(KEY, None)
    elif message.msg_type == "note" and metadata.get(KEY):
        del metadata[KEY]  # it would mark a prompt of the older form
    return metadata


def _code_fields(cell: dict[str, Any], message: Message, lines: bool, fresh: bool) -> None:
    """Put outputs and execution count into a cell; take away what code cells have not."""
    cell.pop("attachments", None)
    if fresh:
        cell |= {"execution_count": None, "outputs": []}
    old = cell.get("outputs") or []
    outputs = message.output or []
    if is_same(old, outputs):
        return
    cell["outputs"] = [_filed_output(output, old, lines) for output in outputs]
    counts = [
        output.get("execution_count")
        for output in outputs
        if isinstance(output, dict) and output.get("output_type") == "execute_result"
    ]
    if counts or not outputs:
        cell["execution_count"] = counts[-1] if counts else None


def _text_fields(cell: dict[str, Any], message: Message) -> None:
    """Put attachments into a cell; take away what only code cells have."""
    cell.pop("outputs", None)
    cell.pop("execution_count", None)
    old = cell.get("attachments")
    filed = filed_attachments(old, message.attachments)
    if filed:
        cell["attachments"] = filed
    elif old:
        del cell["attachments"]


def _filed_output(output: Any, old: list[Any], lines: bool) -> Any:
    """An output as Jupyter would save it: text split into lines, where the file does so."""
    if not lines or output in old or not isinstance(output, dict):
        return output
    if isinstance(output.get("text"), str) and output.get("output_type") == "stream":
        return {**output, "text": output["text"].splitlines(keepends=True)}
    data = output.get("data")
    if isinstance(data, dict):
        split = {
            mime: value.splitlines(keepends=True)
            if isinstance(value, str) and isinstance(mime, str) and mime.startswith(_SPLIT)
            else value
            for mime, value in data.items()
        }
        return {**output, "data": split}
    return output
