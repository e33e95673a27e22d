"""One request: exactly what a model is given, and where each part of it came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..dialog import Message
from ..history import LLMHistory
from .context import SYSTEM
from .grammar import ParsedPrompt
from .render import sendable
from .steps import Steps


@dataclass(frozen=True)
class Request:
    """What one turn sends.

    Parameters
    ----------
    history : LLMHistory
        The wire messages.
    tokens : int
        Their approximate size.
    hash : str
        SHA-256 over messages and parameters, in hexadecimal: equal requests, equal hash,
        in every session.
    cells : tuple of str
        Ids of the cells that the messages came from, in order, each once.
    params : Mapping
        Keyword arguments of ``ask_stream``.

    Attributes
    ----------
    messages : list of dict
        The wire messages exactly as given to the model; a copy.
    """

    history: LLMHistory
    tokens: int
    hash: str
    cells: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def messages(self) -> list[dict[str, Any]]:  # noqa: D102 - told above
        return self.history.to_json()


def build_request(
    prompt: ParsedPrompt | None,
    messages: Sequence[Message],
    note: str = "",
    steps: Steps | None = None,
) -> Request:
    """Make the request for a prompt.

    Parameters
    ----------
    prompt : ParsedPrompt or None
        The prompt and its options; None: a request without a prompt at its end.
    messages : sequence of Message
        What it is asked about, from the top.
    note : str, optional
        A line for the model about the notebook's state, put behind the system prompt.
    steps : Steps, optional
        What earlier requests have read of the same dialog; default: all is read anew.

    Returns
    -------
    Request
        Ready to be sent.
    """
    steps = Steps() if steps is None else steps
    if prompt is not None and prompt.context not in ("above", "all"):
        steps = steps.aside()  # what begins elsewhere must not push out what begins at the top
    system = SYSTEM if prompt is None or prompt.system is None else prompt.system
    sent = steps.sent(messages, "\n\n".join(filter(None, (system, note))))
    params: Mapping[str, Any] = {}
    if prompt is not None:
        sent = sent.added("user", sendable(prompt.text))
        params = prompt.params
    asked = json.dumps(dict(params), sort_keys=True, ensure_ascii=True, default=repr)
    digest = hashlib.sha256(sent.digest + asked.encode("ascii")).hexdigest()
    return Request(sent.history, sent.tokens, digest, steps.cells(messages), params)
