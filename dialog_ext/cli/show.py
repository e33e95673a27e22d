"""``dialog show``: a dialog as a transcript in the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

from .. import labels
from ..dialog import Message, scode, snote, sprompt
from ..prompt.render import clean, output_text
from .files import read_dialog

_LINES: Final = 8
"""Lines of an output that are shown."""
_LONGEST: Final = 1000
"""Characters of a line of an output that are shown."""
_STYLES: Final = {snote: "cyan", scode: "blue", sprompt: "magenta", "raw": "yellow"}
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def show_dialog(file: Path, console: Console | None = None) -> int:
    """Print a dialog.

    Parameters
    ----------
    file : Path
        The dialog, in any form that can be read.
    console : rich.console.Console, optional
        Where to; standard output if None.

    Returns
    -------
    int
        0.

    Raises
    ------
    DialogError
        If the file cannot be read.

    Notes
    -----
    A file may be anybody's: terminal commands in it are taken out, and links are shown with
    their targets.
    """
    messages = read_dialog(file).messages
    console = console or Console(highlight=False)
    if not messages:
        console.print(Text("The dialog has no messages.", "dim"))
    for number, message in enumerate(messages, 1):
        console.print(_head(number, len(messages), message))
        for shown in _body(message):
            if isinstance(shown, Text):  # lines stay whole, so that code can be copied
                indented = Text("\n").join(Text("  ") + line for line in shown.split("\n"))
                console.print(indented, soft_wrap=True)
            else:
                console.print(Padding(shown, (0, 0, 0, 2), expand=False))
        console.print()
    return 0


def _head(number: int, total: int, message: Message) -> Text:
    flags = [name for name in ("pinned", "skipped") if getattr(message, name)]
    style = f"bold {_STYLES[message.msg_type]}"
    said = f" ({', '.join(flags)})" if flags else ""
    return Text.assemble((f"[{number}/{total}] {message.msg_type}", style), (said, "dim"))


def _body(message: Message) -> Iterator[Text | Markdown]:
    content = _written(message.content).strip("\n")
    if content:
        yield _markdown(content) if message.msg_type == snote else Text(content)
    if message.attachments:
        names = ", ".join(_printable(attachment.id) for attachment in message.attachments)
        yield Text(f"attached: {names}", "dim")
    outputs = message.output if isinstance(message.output, list) else []
    is_told = False
    for output in outputs:
        if message.msg_type == sprompt and not is_told and _is_reply(output):
            is_told = True
            yield Text("reply", "bold green")
            yield _markdown(_written(message.ai_res))
        elif isinstance(output, dict):
            yield _output(output)


def _is_reply(output: Any) -> bool:
    return isinstance(output, dict) and bool((output.get("metadata") or {}).get("is_ai_res"))


def _output(output: Mapping[str, Any]) -> Text:
    """The first lines of an output, or its MIME types where it has no text; an error's last."""
    label, text = output_text(output)
    lines = _printable(text).strip("\n").splitlines()
    if not any(lines):
        return Text(f"→ [{_printable(', '.join(map(str, output.get('data') or ())))}]", "dim")
    is_error = label == labels.ERROR
    hidden = len(lines) - _LINES
    if hidden > 0:
        told = f"… {hidden:,} more {'line' if hidden == 1 else 'lines'}"
        lines = [told, *lines[hidden:]] if is_error else [*lines[:_LINES], told]
    shown = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines]
    return Text("\n".join(f"→ {line}" for line in shown), "red" if is_error else "dim")


def _markdown(text: str) -> Markdown:
    return Markdown(text, hyperlinks=False)


def _written(text: str) -> str:
    """What somebody wrote: a carriage return in it ends a line, and hides nothing."""
    return _printable(text.replace("\r\n", "\n").replace("\r", "\n"))


def _printable(text: str) -> str:
    """Text without anything that a terminal obeys."""
    return _CONTROL.sub("\ufffd", clean(text)).expandtabs(4)
