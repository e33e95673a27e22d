"""Cells and their outputs as the text that a model reads. Pure, and the same every time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from .. import labels
from ..dialog.outputs import joined

OUTPUT_LIMIT: Final = 20_000
"""Characters of one output that are sent; the middle of a longer one is left out."""

ERROR_LINES: Final = 30
"""Lines of a traceback that are sent, the last ones: there stands the cause."""

PICTURES: Final = ("image/png", "image/jpeg")
TEXTS: Final = ("text/markdown", "text/plain", "text/latex", "application/json", "text/html")
"""Text forms of an output, best first."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LEFT_OUT = re.compile(r"^\[… ([\d,]+) characters left out …\]$", re.MULTILINE)
_TICKS = re.compile(r"`{3,}")


def clean(text: str) -> str:
    r"""Reduce terminal text to what stands on the screen at its end.

    Parameters
    ----------
    text : str
        Text as a program printed it, with colours and carriage returns.

    Returns
    -------
    str
        Without ANSI sequences; a line that overwrote itself by ``\r`` by its last state;
        lone surrogates, which no request can carry, as U+FFFD.

    Examples
    --------
    >>> clean("10 %\r20 %\r\x1b[32m30 %\x1b[0m\n")
    '30 %\n'
    """
    plain = _ANSI.sub("", text).replace("\r\n", "\n")
    if "\r" in plain:
        plain = "\n".join(map(_last_state, plain.split("\n")))
    return sendable(plain)


def _last_state(line: str) -> str:
    """What a line shows after its last carriage return that something follows."""
    return line.rstrip("\r").rpartition("\r")[2]


def sendable(text: str) -> str:
    """Text with every lone surrogate, which UTF-8 cannot hold, replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def cut(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """Keep the head and the tail of a long text, and say between them how much is missing.

    Parameters
    ----------
    text : str
        Any text.
    limit : int, default 20,000
        Characters to keep.

    Returns
    -------
    str
        The text itself if it is no longer than ``limit``.
    """
    if len(text) <= limit:
        return text
    head = limit * 3 // 5
    tail = limit - head
    earlier = sum(int(n.replace(",", "")) for n in _LEFT_OUT.findall(text, head, len(text) - tail))
    return text[:head] + left_out(len(text) - limit + earlier) + text[-tail:]


def left_out(characters: int) -> str:
    """The mark, on a line of its own, where so many characters were taken out."""
    return f"\n[… {characters:,} characters left out …]\n"


def fenced(text: str, language: str = "") -> str:
    """Put a text into a fence that is longer than any fence inside it."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def code_block(source: str, outputs: Iterable[Mapping[str, Any]]) -> str:
    """The block of a code cell with its outputs.

    Parameters
    ----------
    source : str
        The cell's source.
    outputs : iterable of dict
        Its outputs as a notebook has them.

    Returns
    -------
    str
        Labelled and fenced: the code, then each run of outputs that is text.
    """
    parts = [f"{labels.CODE}\n{fenced(sendable(source), 'python')}"]
    parts += [_labelled(kind, text) for kind, text in _merged(map(output_text, outputs))]
    return "\n\n".join(parts)


def _labelled(label: str, text: str) -> str:
    return f"{label}\n{fenced(cut(text))}"


def _merged(texts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighbours of one label as one text; empty ones dropped."""
    merged: list[tuple[str, list[str]]] = []
    for label, text in texts:
        if not text.strip():
            continue
        if merged and merged[-1][0] == label:
            merged[-1][1].append(text)
        else:
            merged.append((label, [text]))
    return [(label, "\n".join(t.rstrip("\n") for t in found)) for label, found in merged]


def output_text(output: Mapping[str, Any]) -> tuple[str, str]:
    """Label and text of one output.

    Parameters
    ----------
    output : dict
        A notebook's output of any type.

    Returns
    -------
    label, text : str
        The text is empty where the output has no text form of its own, as a picture.
    """
    match output.get("output_type"):
        case "stream":
            return labels.OUTPUT, clean(joined(output.get("text", "")))
        case "error":
            return labels.ERROR, _error_text(output)
        case "display_data" | "execute_result":
            return labels.OUTPUT, _display_text(output.get("data") or {})
        case _:
            return labels.OUTPUT, ""


def _error_text(output: Mapping[str, Any]) -> str:
    lines = clean("\n".join(map(str, output.get("traceback") or ()))).split("\n")
    if lines == [""]:
        return sendable(f"{output.get('ename', '')}: {output.get('evalue', '')}")
    hidden = len(lines) - ERROR_LINES
    return "\n".join([f"[… {hidden} lines above …]", *lines[hidden:]] if hidden > 0 else lines)


def _display_text(data: Mapping[str, Any]) -> str:
    if any(kind in data for kind in PICTURES):
        return ""  # a figure's text form is only its name
    for kind in TEXTS:
        if kind in data:
            return clean(joined(data[kind]))
    return ""


def pictures(outputs: Iterable[Mapping[str, Any]]) -> Sequence[str]:
    """The base64 payloads of the pictures among outputs, in order, each once."""
    found: dict[str, None] = {}
    for output in outputs:
        data = output.get("data") or {}
        kind = next((kind for kind in PICTURES if kind in data), None)
        if kind:
            found["".join(joined(data[kind]).split())] = None
    return list(found)
