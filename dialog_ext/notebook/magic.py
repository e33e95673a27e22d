"""The text of a prompt cell: where its options end and its prompt begins."""

from __future__ import annotations

import difflib
import re
from argparse import ArgumentTypeError
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from ..errors import PromptUsageError

_ABOVE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_MAGIC = re.compile(r"[ \t]*(?P<magic>%%?prompt)(?:[ \t]+(?P<line>[^\n]*))?(?:\r?\n|\Z)")
_WORD = re.compile(r"\S+")
_FLAG = re.compile(r"-[A-Za-z]|--[A-Za-z][\w-]*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?=\s|\Z)|\'([^\']*)\'(?=\s|\Z)', re.DOTALL)


Scope = Literal["above", "all", "none", "section"] | int
"""Which cells a prompt is asked about; a number: that many above it."""


class PromptCell(NamedTuple):
    """A cell that asks the model, split into the rest of its magic line and its body."""

    line: str
    body: str


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the magic line; ``settings`` are argparse's keywords for it."""

    flags: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def takes_value(self) -> bool:
        """Whether a value follows the flag."""
        return self.settings.get("action") != "store_true"


def _whole(text: str) -> int:
    """Read a number of tokens."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return number


def _degree(text: str) -> float:
    """Read a temperature."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return number


def _scope(text: str) -> Scope:
    """Read which cells a prompt is asked about."""
    match text:
        case "above" | "all" | "none" | "section":
            return text
    if text.isdecimal():
        return int(text)
    raise ArgumentTypeError(f"{text!r} is not above, all, none, section or a number of cells")


def _option(*flags: str, **settings: Any) -> Option:
    return Option(flags, settings)


PROMPT_OPTIONS: Final = (
    _option("-m", "--model", metavar="NAME", help="the model to ask, for this prompt only"),
    _option("--system", metavar="TEXT", help="the system prompt, in place of the usual one"),
    _option("--max-tokens", metavar="N", type=_whole, help="longest reply, in tokens"),
    _option("--temperature", metavar="X", type=_degree, help="how freely the model words it"),
    _option(
        "--context",
        metavar="WHICH",
        type=_scope,
        default="above",
        help="the cells to send: above (usual), all, none, section, or the last N above",
    ),
    _option("-o", "--out", metavar="NAME", help="put the reply, a str, into this variable"),
    _option("--dry-run", action="store_true", help="show what would be sent, and send nothing"),
    _option("-h", "--help", action="store_true", help="show this help"),
)
"""What may stand on the line of ``%%prompt`` and ``%prompt``, before the text."""

_BY_FLAG: Final = {flag: option for option in PROMPT_OPTIONS for flag in option.flags}


def split_cell(source: str, magic: str = "%%prompt") -> PromptCell | None:
    r"""Take a prompt cell apart.

    Parameters
    ----------
    source : str
        A cell's source.
    magic : str, default "%%prompt"
        The magic that makes a cell a prompt cell.

    Returns
    -------
    PromptCell or None
        None if the cell is none. Blank lines and comment lines may stand above the magic.

    Examples
    --------
    >>> split_cell("# why?\n%%prompt -m fake\nWhat is {x}?")
    PromptCell(line='-m fake', body='What is {x}?')
    """
    above = _ABOVE.match(source)
    found = _MAGIC.match(source, above.end() if above else 0)
    if not found or found["magic"] != magic:
        return None
    return PromptCell((found["line"] or "").rstrip("\r"), source[found.end() :])


def split_options(line: str) -> tuple[list[str], str]:
    """Split the rest of a magic line into option words and the text behind them.

    Only options at the front count, so that the text needs no quoting: apostrophes,
    braces and dashes in it stay as typed. ``--`` ends the options.

    Parameters
    ----------
    line : str
        What follows the magic's name on its line.

    Returns
    -------
    words : list of str
        The options as argparse takes them, each value a word of its own, unquoted.
    text : str
        The rest, verbatim but for the white space in front of it.

    Raises
    ------
    PromptUsageError
        For an unknown option, one without its value, or a quotation without an end.

    Examples
    --------
    >>> split_options("-m fake --system 'Be brief' don't {x}")
    (['-m', 'fake', '--system', 'Be brief'], "don't {x}")
    """
    words: list[str] = []
    rest = line.lstrip()
    while found := _WORD.match(rest):
        word = found[0]
        if word == "--":
            return words, rest[2:].lstrip()
        flag = _FLAG.match(word)
        if not flag:
            break
        option = _BY_FLAG.get(flag[0])
        attached = word[len(flag[0]) :]
        if option is None or (attached and not _may_attach(option, flag[0], attached)):
            raise _unknown(word)
        words.append(flag[0])
        rest = rest[len(flag[0]) :]
        if option.takes_value:
            tail = rest.removeprefix("=") if attached else rest.lstrip()
            value, rest = _value(flag[0], tail)
            words.append(value)
        rest = rest.lstrip()
    return words, rest


def whole_text(line: str, body: str) -> str:
    """Join the text on the magic line and the body below it, each where there is any."""
    return "\n".join(part for part in (line, body) if part.strip())


def prompt_text(source: str) -> str:
    r"""Give what a prompt cell asks; of any other cell, its source.

    Parameters
    ----------
    source : str
        A cell's source.

    Returns
    -------
    str
        For a prompt cell the text on the magic line behind the options, and the body.

    Examples
    --------
    >>> prompt_text("%%prompt -m fake\nWhy?")
    'Why?'
    """
    cell = split_cell(source)
    if cell is None:
        return source
    return whole_text(_line_text(cell.line), cell.body)


def head_of(source: str) -> tuple[str, str]:
    r"""Split off all that stands above the body of a prompt cell.

    Parameters
    ----------
    source : str
        A prompt cell's source.

    Returns
    -------
    head : str
        Everything up to and with the magic line and its line end.
    text : str
        The part of the prompt that stands on the magic line, as :func:`prompt_text` has it.

    Examples
    --------
    >>> head_of("# why?\n%%prompt -m fake What\nis it?")
    ('# why?\n%%prompt -m fake What\n', 'What')
    """
    cell = split_cell(source)
    if cell is None:
        return "", ""
    return source[: len(source) - len(cell.body)], _line_text(cell.line)


def _line_text(line: str) -> str:
    """The text on a magic line; all of it where the options cannot be read."""
    try:
        return split_options(line)[1]
    except PromptUsageError:
        return line


def _may_attach(option: Option, flag: str, attached: str) -> bool:
    """Whether a value may follow the flag without a space, as in ``-mNAME``, ``--model=NAME``."""
    return option.takes_value and (not flag.startswith("--") or attached.startswith("="))


def _value(flag: str, rest: str) -> tuple[str, str]:
    """The value at the head of ``rest``, unquoted, and what follows it."""
    if not rest.strip():
        raise PromptUsageError(f"{flag} needs a value.", f"For example: {_example(flag)}")
    if rest[0] in "\"'":
        quoted = _QUOTED.match(rest)
        if not quoted:
            raise PromptUsageError(
                f"The quotation after {flag} has no end.", f"For example: {_example(flag)}"
            )
        double, single = quoted.groups()
        value = single if double is None else re.sub(r'\\(["\\])', r"\1", double)
        return value, rest[quoted.end() :]
    word = _WORD.match(rest)
    value = word[0] if word else ""
    return value, rest[len(value) :]


def _example(flag: str) -> str:
    metavar = _BY_FLAG[flag].settings.get("metavar", "")
    samples = {"NAME": "fake", "TEXT": '"Answer in one line."', "N": "500", "X": "0.2"}
    return f"{flag} {samples.get(metavar, metavar)}"


def _unknown(word: str) -> PromptUsageError:
    near = [flag for flag in _BY_FLAG if len(word) > 3 and flag.startswith(word)]
    near = near or difflib.get_close_matches(word, _BY_FLAG, n=1)
    guess = f" Did you mean {near[0]}?" if near else ""
    return PromptUsageError(
        f"%%prompt has no option {word}.{guess}",
        "%%prompt -h lists them; put -- before a text that begins with a dash.",
    )
