"""From the dialog to what the model is given: messages to spans to wire messages. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from .. import labels
from ..core import ChatContext, Context, ImageBlock
from ..core import Message as Span
from ..dialog import Message, scode, snote, sprompt
from ..history import LLMHistory
from .pictures import as_png, opened
from .render import code_block, pictures, sendable
from .reply import reply_text

if TYPE_CHECKING:
    from PIL.Image import Image

SYSTEM: Final = (
    "You work in a Jupyter notebook beside the person who writes it. The messages are the "
    "notebook's cells from its top to the prompt: notes, code with its outputs and errors, "
    "earlier prompts and your replies to them. Answer the last message in Markdown."
)
"""The system prompt where the user gives none."""

NOT_RUN: Final = (
    "Some code above ran in an earlier kernel: its variables do not exist until it runs again."
)
"""Told to the model where a notebook's saved cells have not run in this kernel."""

_CONTROL = re.compile(r"\s*%(?:dialog\b|(?:re|un)?load_ext\s+dialog_ext\b)")


class CellSpan(Span):
    """One span of the context, with the id of the cell that it came from.

    Parameters
    ----------
    role : {"user", "assistant"}
        Who says it.
    text : str
        What the model reads.
    cell : str or None
        Id of the cell; None for what comes from no cell.
    images : iterable of ImageBlock
        The cell's pictures.
    """

    def __init__(
        self, role: str, text: str, cell: str | None, images: Iterable[ImageBlock] = ()
    ) -> None:
        super().__init__(role, text, images=list(images) or None)
        self.cell = cell


def context_of(messages: Iterable[Message]) -> Context:
    """Turn messages into the context that stands for them.

    Parameters
    ----------
    messages : iterable of Message
        A dialog's messages, from the top.

    Returns
    -------
    Context
        A ``ChatContext`` of :class:`CellSpan`, oldest first.
    """
    context: Context = ChatContext()
    for message in messages:
        for span in spans(message):
            context = context.add(span)
    return context


def spans(message: Message) -> Iterator[CellSpan]:
    """Give what the model reads of one message: nothing, one span, or two.

    Cells that only steer this extension (``%dialog``, ``%load_ext dialog_ext``), skipped
    and empty ones, and prompts that brought no reply say nothing to a model.

    Parameters
    ----------
    message : Message
        A message of a dialog.

    Yields
    ------
    CellSpan
        In the order in which the model reads them.
    """
    content = message.content
    if message.skipped or not content.strip():
        return
    if message.msg_type == sprompt:
        if answer := reply_text(message.ai_res):
            yield CellSpan("user", sendable(content), message.id)
            yield CellSpan("assistant", sendable(answer), message.id)
    elif message.msg_type == scode:
        if not _only_steers(content):
            outputs = message.output or []
            images = [ImageBlock(png) for png in map(as_png, pictures(outputs)) if png]
            yield CellSpan("user", code_block(content, outputs), message.id, images)
    else:
        label = labels.NOTE if message.msg_type == snote else labels.RAW
        yield CellSpan("user", f"{label}\n{sendable(content)}", message.id)


def _only_steers(source: str) -> bool:
    return all(map(_CONTROL.match, filter(str.strip, source.splitlines())))


def history_of(context: Context, system: str) -> LLMHistory:
    """Turn a context into wire messages.

    Parameters
    ----------
    context : Context
        What stands above the prompt.
    system : str
        The system prompt; none is sent if it is empty.

    Returns
    -------
    LLMHistory
        The system prompt, then one message a span.
    """
    history = LLMHistory()
    if system:
        history = history.with_system_prompt(sendable(system))
    for span in context.as_list():
        history = history.with_message(span.role, said(span))  # type: ignore[union-attr]
    return history


def said(span: Any) -> str | list[str | Image]:
    """The content of the wire message of a span: its text, and its pictures behind it."""
    text: str = span.content
    return [text, *(opened(str(block)) for block in span.images)] if span.images else text
