"""Contexts and histories that are kept from one request to the next, and share their past."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from ..core import ChatContext, Context
from ..dialog import Message
from ..history import LLMHistory
from ..tokens import message_tokens
from .context import CellSpan, said, spans
from .render import sendable

_SYSTEMS: Final = 2
"""System prompts whose histories are kept: the usual one, and one that differs by a note."""
_SPARE: Final = 100
"""Messages that are kept beyond twice those in use, before the rest is forgotten."""


class Sent(NamedTuple):
    """Wire messages down to one message of a dialog.

    Parameters
    ----------
    history : LLMHistory
        The wire messages.
    tokens : int
        Their approximate size.
    digest : bytes
        SHA-256 of the last one and of the digest of those before it, 32 bytes.
    """

    history: LLMHistory
    tokens: int = 0
    digest: bytes = bytes(32)

    def added(self, role: str, content: object) -> Sent:
        """Add one wire message; its content is what ``LLMHistory.with_message`` takes."""
        history = self.history.with_message(role, content)  # type: ignore[arg-type]
        message = history[-1]
        text = json.dumps(message, sort_keys=True, ensure_ascii=True, default=repr)
        digest = hashlib.sha256(self.digest + text.encode("ascii")).digest()
        return Sent(history, self.tokens + message_tokens(message), digest)


class Read:
    """One message of a dialog, and what a model reads of it."""

    __slots__ = ("message", "spans")

    def __init__(self, message: Message) -> None:
        self.message = message
        self.spans: tuple[CellSpan, ...] = tuple(spans(message))


class Step:
    """What a model is given down to one message of a dialog."""

    __slots__ = ("context", "read", "sent")

    def __init__(self, read: Read, above: Context) -> None:
        self.read = read
        for span in read.spans:
            above = above.add(span)
        self.context = above
        self.sent: dict[str, Sent] = {}


class Steps:
    """Remembers what was read of a dialog, so that an edit costs what stands below it.

    A request for messages whose first ones are those of an earlier request shares the
    context's nodes and the history's with it, up to the first message that has changed.
    """

    def __init__(self) -> None:
        self._reads: dict[int, Read] = {}
        self._steps: list[Step] = []
        self._systems: list[str] = []

    def aside(self) -> Steps:
        """Give steps for some other messages of the dialog, which are not read twice."""
        steps = Steps()
        steps._reads = self._reads
        return steps

    def forget(self, message: Message | None) -> None:
        """Note that a message has changed."""
        self._reads.pop(id(message), None)

    def context(self, messages: Sequence[Message]) -> Context:
        """Turn messages into the context that stands for them.

        Parameters
        ----------
        messages : sequence of Message
            From the top.

        Returns
        -------
        Context
            A ``ChatContext`` of :class:`CellSpan`, oldest first.
        """
        steps = self._down_to(messages)
        return steps[-1].context if steps else ChatContext()

    def sent(self, messages: Sequence[Message], system: str) -> Sent:
        """Turn messages into the wire messages that stand for them.

        Parameters
        ----------
        messages : sequence of Message
            From the top.
        system : str
            The system prompt; none is sent if it is empty.

        Returns
        -------
        Sent
            The system prompt, then one wire message a span.
        """
        steps = self._down_to(messages)
        self._use(system)
        known = next((i for i in reversed(range(len(steps))) if system in steps[i].sent), -1)
        sent = steps[known].sent[system] if known >= 0 else _begun(system)
        for step in islice(steps, known + 1, None):
            for span in step.read.spans:
                sent = sent.added(span.role, said(span))
            step.sent[system] = sent
        return sent

    def cells(self, messages: Sequence[Message]) -> tuple[str, ...]:
        """Give the ids of the messages of which a model reads something, each once."""
        reads = (step.read for step in self._down_to(messages))
        return tuple(dict.fromkeys(read.message.id for read in reads if read.spans))

    def _down_to(self, messages: Sequence[Message]) -> Sequence[Step]:
        """The steps of these messages; those that are known are taken as they are."""
        same = sum(1 for _ in self._same(messages))
        if same == len(messages):
            return self._steps if same == len(self._steps) else self._steps[:same]
        del self._steps[same:]
        for message in islice(messages, same, None):
            above = self._steps[-1].context if self._steps else ChatContext()
            self._steps.append(Step(self._read(message), above))
        self._prune()
        return self._steps

    def _same(self, messages: Sequence[Message]) -> Iterator[Step]:
        reads = self._reads
        for message, step in zip(messages, self._steps, strict=False):
            if step.read.message is not message or reads.get(id(message)) is not step.read:
                return
            yield step

    def _read(self, message: Message) -> Read:
        read = self._reads.get(id(message))
        if read is None:
            read = self._reads[id(message)] = Read(message)
        return read

    def _prune(self) -> None:
        """Forget messages that are gone, in place: the steps that stand aside share this."""
        if len(self._reads) > 2 * len(self._steps) + _SPARE:
            kept = {id(step.read.message): step.read for step in self._steps}
            self._reads.clear()
            self._reads.update(kept)

    def _use(self, system: str) -> None:
        """Keep the histories of the system prompts that were used last."""
        if system in self._systems:
            self._systems.remove(system)
        self._systems.append(system)
        while len(self._systems) > _SYSTEMS:
            old = self._systems.pop(0)
            for step in self._steps:
                step.sent.pop(old, None)


def _begun(system: str) -> Sent:
    sent = Sent(LLMHistory())
    return sent.added("system", sendable(system)) if system else sent
