"""A reply as it grows: values that a display shows and a notebook keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from .. import labels
from .render import sendable

State = Literal["waiting", "streaming", "done", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One state of a reply.

    Parameters
    ----------
    text : str
        The text so far, as the model gave it.
    state : {"waiting", "streaming", "done", "interrupted", "failed"}
        How far it is.
    reasoning : str
        The model's reasoning so far, where it gives any.
    provenance : Mapping
        What is kept beside the text: model, parameters, tokens, times, request.
    """

    text: str = ""
    state: State = "waiting"
    reasoning: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def grown(self, text: str) -> Self:
        """The same reply with more text."""
        return replace(self, text=text, state="streaming")

    def ended(self, state: State, text: str, reasoning: str, **provenance: Any) -> Self:
        """The same reply at its end; ``provenance`` is added to what is known."""
        known = {**self.provenance, **provenance}
        return replace(self, text=text, state=state, reasoning=reasoning, provenance=known)

    @property
    def shown(self) -> str:
        """The text as a page shows it and a file keeps it: marked where it was cut off."""
        if self.state == "waiting":
            return f"*Waiting for {self.provenance.get('model', 'the model')} …*"
        text = sendable(self.text)
        if self.state == "interrupted" or (self.state == "failed" and text):
            return f"{text.rstrip()}\n\n{labels.INTERRUPTED}".lstrip("\n")
        return text

    @property
    def data(self) -> dict[str, str]:
        """The MIME bundle of the reply's output."""
        return {"text/markdown": self.shown, "text/plain": self.shown}

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the reply's output: ``is_ai_res``, and ours in ``dialog_ext``."""
        ours: dict[str, Any] = {**self.provenance, "state": self.state}
        if self.reasoning:
            ours["reasoning"] = sendable(self.reasoning)
        is_reply = self.state != "waiting" and bool(self.shown)
        return ({"is_ai_res": True} if is_reply else {}) | {"dialog_ext": ours}

    @property
    def output(self) -> dict[str, Any]:
        """The reply as a notebook's output."""
        return {"output_type": "display_data", "data": self.data, "metadata": self.metadata}


def reply_text(text: str) -> str:
    r"""What the model is told of its earlier reply: the text without the mark of a cut.

    Examples
    --------
    >>> reply_text("Once upon\n\n*[Response interrupted]*")
    'Once upon'
    """
    stripped = text.rstrip()
    if stripped == labels.INTERRUPTED or stripped.endswith("\n" + labels.INTERRUPTED):
        return stripped.removesuffix(labels.INTERRUPTED).rstrip()
    return text
