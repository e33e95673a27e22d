"""One request: exactly what a model is given, and where each part of it came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..core import Context
from ..history import LLMHistory
from ..tokens import message_tokens
from .context import SYSTEM, history_of
from .grammar import ParsedPrompt
from .render import sendable


@dataclass(frozen=True)
class Request:
    """What one turn sends.

    Parameters
    ----------
    history : LLMHistory
        The wire messages.
    cells : tuple of str
        Ids of the cells that the messages came from, in order, each once.
    params : Mapping
        Keyword arguments of ``ask_stream``.

    Attributes
    ----------
    messages : list of dict
        The wire messages exactly as given to the model; a copy.
    tokens : int
        Approximate size, in tokens.
    hash : str
        SHA-256 over messages and parameters, in hexadecimal: equal requests, equal hash,
        in every session.
    """

    history: LLMHistory
    cells: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def messages(self) -> list[dict[str, Any]]:  # noqa: D102 - told above
        return self.history.to_json()

    @cached_property
    def tokens(self) -> int:  # noqa: D102 - told above
        return sum(map(message_tokens, self.messages))

    @cached_property
    def hash(self) -> str:  # noqa: D102 - told above
        sent = {"messages": self.messages, "params": dict(self.params)}
        text = json.dumps(sent, sort_keys=True, ensure_ascii=True, default=repr)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def build_request(prompt: ParsedPrompt | None, context: Context, note: str = "") -> Request:
    """Make the request for a prompt.

    Parameters
    ----------
    prompt : ParsedPrompt or None
        The prompt and its options; None: a request without a prompt at its end.
    context : Context
        What stands above it.
    note : str, optional
        A line for the model about the notebook's state, put behind the system prompt.

    Returns
    -------
    Request
        Ready to be sent.
    """
    cells = dict.fromkeys(getattr(span, "cell", None) for span in context.as_list())
    ids = tuple(cell for cell in cells if cell is not None)
    system = SYSTEM if prompt is None or prompt.system is None else prompt.system
    history = history_of(context, "\n\n".join(filter(None, (system, note))))
    if prompt is None:
        return Request(history, ids)
    return Request(history.with_user_message(sendable(prompt.text)), ids, prompt.params)
