"""Dialogs as Markdown that reads well on a page, and comes back as the same dialog.

Each message stands below a mark, an HTML comment on a line of its own, which no page shows:
it names the kind, and holds as JSON what Markdown cannot show. What can be shown stands
below it once, as text, and may be edited there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any, Final, NamedTuple

from ..dialog import Attachment, Dialog, Message, scode, smsg_types, snote, sprompt
from ..dialog.outputs import joined
from .errors import NotebookError

_FILE: Final = re.compile(r"\s*<!-- (?P<mark>dialog(?:-\d+)?) file (?P<data>\{.*\}) -->[ \t]*\n")
_MARKED: Final = re.compile(r"(?P<kind>[a-z]+)(?: (?P<data>\{.*\}))? -->[ \t]*")
_TICKS: Final = re.compile(r"`{3,}")
_FENCE: Final = re.compile(r" {0,3}(?P<run>`{3,}|~{3,})(?P<info>.*)")
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNSHOWN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,40}")
_TEXTS: Final = ("text/plain", "text/markdown", "text/latex", "text/html")
_PROMPT: Final = "> **Prompt**\n>\n"
_REPLY: Final = "**Reply**\n\n"
_RULE: Final = "\n\n---"
_REMEDY: Final = "Export it anew, or mend the comment by hand."


class _Part(NamedTuple):
    """One mark and what is shown below it."""

    kind: str
    data: dict[str, Any]
    body: str = ""
    line: int = 0


def dialog_to_markdown(dialog: Dialog) -> str:
    """Write a dialog as Markdown.

    Parameters
    ----------
    dialog : Dialog
        The dialog.

    Returns
    -------
    str
        Notes as they are, code and raw text in fences, each output in a fence below its
        code, prompts as quotations, replies below the word "Reply". It has no carriage
        returns, control characters or lone surrogates, whatever the dialog has.

    Raises
    ------
    NotebookError
        If JSON cannot hold what a message has; it names the message.

    Notes
    -----
    A note or reply that leaves a fence open is shown in a fence itself, so that it does
    not swallow what stands below it. The marks' first word is one that no shown text has in
    such a comment. Of a notebook's file the dialog does not hold everything: the options of
    a prompt's magic line and execution counts outside outputs are not written.

    See Also
    --------
    dialog_from_markdown : the way back.
    """
    parts = [_Part("file", {"name": dialog.name, "meta": dialog.meta})]
    language = _language(dialog.meta)
    for message in dialog.messages:
        parts += _message_parts(message, language)
    names = ("dialog" if not n else f"dialog-{n}" for n in count())
    mark = next(m for m in names if not any(f"<!-- {m} " in part.body for part in parts))
    texts = [_marked(mark, part) for part in parts]
    return "".join([*texts, f"<!-- {mark} end -->\n"])


def _marked(mark: str, part: _Part) -> str:
    try:
        data = json.dumps(part.data)
    except (TypeError, ValueError, RecursionError) as error:
        whose = part.data.get("id", part.data.get("name", ""))
        raise NotebookError(
            f"The {part.kind} {whose!r} cannot be written: {error}.".replace("..", ".")
        ) from None
    data = data.replace("<", "\\u003c").replace(">", "\\u003e")  # nothing in it ends a comment
    return f"<!-- {mark} {part.kind} {data} -->\n\n" + (f"{part.body}\n\n" if part.body else "")


def _language(meta: Any) -> str:
    """Name of the language that the notebook's code is in."""
    for key in ("language_info", "kernelspec"):
        known = meta.get(key)
        name = known.get("name" if key == "language_info" else "language") if known else None
        if isinstance(name, str) and _LANGUAGE.fullmatch(name):
            return name
    return "python"


def _message_parts(message: Message, language: str) -> Iterator[_Part]:
    """The part of a message and those of its outputs."""
    data: dict[str, Any] = {"id": message.id}
    if message.meta:
        data["meta"] = message.meta
    if message.attachments:
        data["attachments"] = [attachment.todict() for attachment in message.attachments]
    shown = _visible(message.content)
    if shown != message.content:
        data["content"] = message.content
    kind, outputs = message.msg_type, message.output
    if kind == sprompt:
        body = _PROMPT + "\n".join(f"> {line}" if line else ">" for line in shown.split("\n"))
    elif kind != snote:
        body = _fenced(shown, language if kind == scode else "")
    else:
        body = _guarded(shown, data)
    listed = isinstance(outputs, list)
    if outputs and not listed:
        data["output"] = outputs
    yield _Part(kind, data, body)
    for output in outputs if listed else ():
        yield _output_part(output, kind)


def _output_part(output: Any, kind: str) -> _Part:
    """The part of one output; text that is shown as it is does not stand in the mark again."""
    text = _text_of(output)
    is_reply = kind == sprompt and _is_reply(output)
    if is_reply:
        text = joined(output["data"]["text/markdown"])
    shown = _visible(text if is_reply else _settled(text))
    data = {"output": output}
    if shown and shown == text:
        data = _lifted(output, text)
    if is_reply:
        return _Part("reply", data, _REPLY + _guarded(shown, data) + _RULE)
    if shown.endswith("\n"):
        shown = shown[:-1]
        data |= {"newline": True} if "shown" in data else {}
    return _Part("output", data, _fenced(shown, "text") if text else "")


def _is_reply(output: Any) -> bool:
    """Whether an output is a reply that has a text."""
    if not isinstance(output, dict) or not isinstance(output.get("metadata"), dict):
        return False
    data = output.get("data")
    return bool(
        output["metadata"].get("is_ai_res") and isinstance(data, dict) and data.get("text/markdown")
    )


def _text_of(output: Any) -> str:
    """What a reader is shown of an output; empty where nothing of it is text."""
    if not isinstance(output, dict):
        return ""
    if output.get("output_type") == "stream":
        return joined(output.get("text"))
    if output.get("output_type") == "error":
        lines = output.get("traceback")
        found = "\n".join(map(str, lines)) if isinstance(lines, list) else ""
        return found or f"{output.get('ename', '')}: {output.get('evalue', '')}"
    data = output.get("data")
    if not isinstance(data, dict):
        return ""
    text = next((joined(data[mime]) for mime in _TEXTS if data.get(mime)), "")
    return text or " ".join(f"[{mime}]" for mime in data)


def _lifted(output: dict[str, Any], text: str) -> dict[str, Any]:
    """The output without the text that is shown below its mark, and where that belongs."""
    bundle = output.get("data")
    bundle = bundle if isinstance(bundle, dict) else {}
    paths = [["text"]] if _holds(output.get("text"), text) else []
    paths += [["data", mime] for mime, value in bundle.items() if _holds(value, text)]
    if not paths:
        return {"output": output}
    emptied = {**output, "data": {**bundle}} if "data" in output else {**output}
    for *above, last in paths:
        place = emptied["data"] if above else emptied
        place[last] = type(place[last])()
    return {"output": emptied, "shown": paths}


def _holds(value: Any, text: str) -> bool:
    """Whether a field holds the text, as a str or as its lines."""
    return value == text or (isinstance(value, list) and value == text.splitlines(keepends=True))


def _visible(text: str) -> str:
    """Text as a page can show it and every file can hold it; the same text if it is so."""
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _UNSHOWN.sub("\ufffd", text)


def _settled(text: str) -> str:
    """Printed text with lines that overwrote themselves in their last state."""
    if "\r" not in text:
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _guarded(text: str, data: dict[str, Any]) -> str:
    """Markdown as it is, or in a fence where it would swallow what follows."""
    if not _leaves_open(text):
        return text
    data["fenced"] = True
    return _fenced(text, "markdown")


def _leaves_open(text: str) -> bool:
    """Whether a fence in the text is not closed."""
    fence = ""
    for line in text.split("\n") if "```" in text or "~~~" in text else ():
        found = _FENCE.match(line)
        if not found:
            continue
        run, info = found["run"], found["info"]
        if fence:
            if run[0] == fence[0] and len(run) >= len(fence) and not info.strip():
                fence = ""
        elif run[0] == "~" or "`" not in info:
            fence = run
    return bool(fence)


# -- the way back


def dialog_from_markdown(text: str) -> Dialog:
    """Read a dialog from Markdown that :func:`dialog_to_markdown` wrote.

    Parameters
    ----------
    text : str
        The Markdown. What is shown in it may have been edited; line ends may be either.

    Returns
    -------
    Dialog
        The same dialog: ids, kinds, contents, outputs, attachments and metadata, the
        dialog's name and its own metadata.

    Raises
    ------
    NotebookError
        If it is other Markdown, a mark is broken, or the end is missing; it names the line.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    head = _FILE.match(text)
    if not head:
        raise NotebookError(
            "This Markdown is no dialog: its first line is no mark of one.",
            "Only what dialog export --to md wrote can be read back.",
            line=1,
        )
    about = _data_of(head["data"], 1)
    dialog = Dialog(about.get("name", ""), meta=about.get("meta"))
    for part in _parts_of(text, head):
        try:
            _take(dialog, part)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise _broken(part.line, f"its data do not fit ({type(error).__name__})") from error
    return dialog


def _parts_of(text: str, head: re.Match[str]) -> Iterator[_Part]:
    """Each mark below the first, with the text down to the next one."""
    start = re.compile(rf"^<!-- {head['mark']} (.*)$", re.MULTILINE)
    marks = list(start.finditer(text, head.end()))
    ends = [mark.start() for mark in marks] + [len(text)]
    _nothing_between(text, head.end(), ends[0])
    line, counted = 1, 0
    for mark, end in zip(marks, ends[1:], strict=True):
        line, counted = line + text.count("\n", counted, mark.start()), mark.start()
        found = _MARKED.fullmatch(mark[1])
        if not found:
            raise _broken(line, "it is no mark")
        if found["kind"] == "end":
            _nothing_between(text, mark.end(), len(text))
            return
        body = text[mark.end() + 1 : end].removeprefix("\n")
        body = body.removesuffix("\n\n") if body.endswith("\n\n") else body.removesuffix("\n")
        yield _Part(found["kind"], _data_of(found["data"] or "{}", line), body, line)
    raise NotebookError(
        "The last line of the dialog, its end mark, is missing.",
        "The file seems to be cut off; take a whole copy of it.",
    )


def _nothing_between(text: str, start: int, end: int) -> None:
    """Complain of text that belongs to no message, and would be lost."""
    if found := re.compile(r"\S").search(text, start, end):
        line = text.count("\n", 0, found.start()) + 1
        raise NotebookError(
            f"The text on line {line} belongs to no message.",
            "Put it below the mark of one.",
            line=line,
        )


def _data_of(text: str, line: int) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _broken(line, f"{error}") from None
    return data


def _broken(line: int, why: str) -> NotebookError:
    return NotebookError(f"The mark on line {line} is broken: {why}.", _REMEDY, line=line)


def _take(dialog: Dialog, part: _Part) -> None:
    """Put what one part holds into the dialog."""
    kind, data = part.kind, part.data
    if kind in ("output", "reply"):
        dialog.messages[-1].output.append(_output(part))
        return
    if kind not in smsg_types:
        raise _broken(part.line, f"there is no kind {kind!r}")
    shown = _content(part)
    exact = data.get("content", shown)
    attachments = [
        Attachment(_bytes(a["data"]), a["content_type"], a["id"])
        for a in data.get("attachments", ())
    ]
    dialog.mk_message(
        exact if _visible(exact) == shown else shown,
        msg_type=kind,
        output=data.get("output", ""),
        id=data.get("id"),
        attachments=attachments,
        meta=data.get("meta"),
    )


def _content(part: _Part) -> str:
    """What is shown of a message's content."""
    if part.kind == sprompt:
        lines = part.body.split("\n")
        unquoted = [line.removeprefix("> ") if line != ">" else "" for line in lines]
        is_headed = part.body.startswith(_PROMPT)
        return "\n".join(unquoted[2:] if is_headed else unquoted)
    if part.kind == snote and not part.data.get("fenced"):
        return part.body
    return _unfenced(part.body, part.line)


def _output(part: _Part) -> Any:
    output, paths = part.data["output"], part.data.get("shown", ())
    if not paths:
        return output
    if part.kind == "reply":
        text = part.body.removeprefix(_REPLY).removesuffix(_RULE)
        text = _unfenced(text, part.line) if part.data.get("fenced") else text
    else:
        text = _unfenced(part.body, part.line) + ("\n" if part.data.get("newline") else "")
    for *above, last in paths:
        place = output["data"] if above else output
        place[last] = text.splitlines(keepends=True) if isinstance(place[last], list) else text
    return output


def _unfenced(body: str, line: int) -> str:
    """The text in a fence that has nothing around it."""
    lines = body.strip("\n").split("\n")
    opening = _TICKS.match(lines[0])
    closings = [at for at, text in enumerate(lines) if opening and text.rstrip() == opening[0]]
    closings = [at for at in closings if at]
    if closings != [len(lines) - 1]:
        raise NotebookError(
            f"Below the mark on line {line} there must be one fence, and nothing around it.",
            "Put the text into the fence, or take it away.",
            line=line,
        )
    return "\n".join(lines[1:-1])


def _bytes(data: str) -> bytes:
    from binascii import a2b_base64

    return a2b_base64(data)
