"""The prompt grammar: how a cell's text becomes a prompt and how it is to be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..notebook.magic import (
    PROMPT_OPTIONS,
    Option,
    PromptCell,
    Scope,
    prompt_text,
    split_cell,
    split_options,
    whole_text,
)

__all__ = [
    "PROMPT_OPTIONS",
    "Option",
    "ParsedPrompt",
    "PromptCell",
    "Scope",
    "prompt_text",
    "split_cell",
    "split_options",
    "whole_text",
]


@dataclass(frozen=True, slots=True)
class ParsedPrompt:
    """A prompt and how it is to be asked.

    Parameters
    ----------
    text : str
        What the person asks, exactly as typed.
    model : str or None
        Name of the model for this prompt; None: the session's.
    system : str or None
        System prompt for this prompt; None: the usual one.
    max_tokens : int or None
        Longest reply in tokens; None: the model's own limit.
    temperature : float or None
        Sampling temperature; None: the model's own.
    out : str or None
        Name of the variable that gets the reply.
    dry_run : bool
        Show the request instead of sending it.
    context : {"above", "all", "none", "section"} or int
        Which cells the model is given; a number: that many above the prompt.
    """

    text: str
    model: str | None = None
    system: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    out: str | None = None
    dry_run: bool = False
    context: Scope = "above"

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that go to the model, as ``ask_stream`` takes them."""
        given = {"max_tokens": self.max_tokens, "temperature": self.temperature}
        return {name: value for name, value in given.items() if value is not None}
