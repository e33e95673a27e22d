"""Hand prompts to their magics exactly as typed, before IPython reads them as code.

IPython would refuse a comment above ``%%prompt`` and an empty body, open help for a
``%prompt`` that ends in a question mark, and strip what looks like a Python prompt
(``>>> ``) from the text. So prompts are recognised first and become plain calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from IPython.core.inputtransformer2 import (
    TokenTransformBase,
    assemble_continued_line,
    find_end_of_continued_line,
)

from ..prompt.grammar import split_cell

_CALL = "get_ipython().run_{kind}_magic({args})\n"


def prompt_cells(lines: list[str]) -> list[str]:
    """Turn a cell that is one prompt into a call of its magic; leave any other as it is.

    Parameters
    ----------
    lines : list of str
        The cell's lines with their ends, as IPython's cleanup transforms take them.

    Returns
    -------
    list of str
        One line of Python, or the lines given.
    """
    source = "".join(lines)
    if cell := split_cell(source):
        # IPython refuses an empty body before any magic sees it. It ends a cell that has no
        # line feed at its end with one, which nobody typed; where two stand, both were.
        body = cell.body if cell.body.endswith("\n\n") else cell.body.removesuffix("\n")
        body = body or "\n"
        return [_CALL.format(kind="cell", args=f"'prompt', {cell.line!r}, {body!r}")]
    single = split_cell(source, "%prompt")
    if single and not single.body.strip():
        return [_CALL.format(kind="line", args=f"'prompt', {single.line!r}")]
    return lines


class PromptLine(TokenTransformBase):
    """Transform a ``%prompt`` line among other code, ahead of IPython's help syntax."""

    priority = 1

    @classmethod
    def find(cls, tokens_by_line: list[list[Any]]) -> Self | None:
        """Find the first line that starts with ``%prompt``."""
        for tokens in tokens_by_line:
            words = [token for token in tokens if token.string.strip()][:2]
            if [word.string for word in words] == ["%", "prompt"]:
                mark, name = words
                if mark.end == name.start:
                    return cls(mark.start)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """Replace that line by a call of the magic."""
        first = self.start_line
        last = find_end_of_continued_line(lines, first)
        line = assemble_continued_line(lines, (first, self.start_col), last)
        text = line.removeprefix("%prompt").strip()
        call = _CALL.format(kind="line", args=f"'prompt', {text!r}")
        return [*lines[:first], lines[first][: self.start_col] + call, *lines[last + 1 :]]


@contextmanager
def registered(shell: Any) -> Iterator[None]:
    """Have IPython apply both transforms first, for as long as the context is open."""
    manager = shell.input_transformer_manager
    manager.cleanup_transforms.insert(0, prompt_cells)
    manager.token_transformers.insert(0, PromptLine)
    try:
        yield
    finally:
        manager.cleanup_transforms.remove(prompt_cells)
        manager.token_transformers.remove(PromptLine)
