"""One turn: from a parsed prompt to its reply. The one place where the parts meet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

from .dialog import Message
from .errors import DialogError, ModelFailure
from .interrupts import HeldInterrupts
from .model import LLMModel, ResponseStream
from .model.base import display_name
from .prompt.grammar import ParsedPrompt
from .prompt.reply import Reply, State
from .prompt.request import Request, build_request
from .prompt.scope import messages_for
from .prompt.steps import Steps
from .tokens import approx_tokens

_SHORTEST: Final = 0.1
"""Seconds between two states of a reply on the page, while it is short."""

_PER_CHARACTER: Final = 0.5 / 80_000
"""Seconds more for each character: a page draws the whole text anew at each state, so a
fixed pace would leave it half a minute behind at the end of a long reply."""


class Display(Protocol):
    """Where a reply is shown: each state is appended, a list will do."""

    def append(self, reply: Reply, /) -> object:
        """Show this state in place of the one before."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that has ended."""

    request: Request
    reply: Reply


def run_turn(
    prompt: ParsedPrompt,
    dialog: Iterable[Message],
    model: LLMModel,
    display: Display,
    *,
    at: Message | None = None,
    note: str = "",
    steps: Steps | None = None,
    on_request: Callable[[Request], object] = lambda request: None,
    on_turn: Callable[[Turn], object] = lambda turn: None,
    clock: Callable[[], float] = time.monotonic,
) -> Turn:
    """Ask the model and show its reply as it comes.

    Parameters
    ----------
    prompt : ParsedPrompt
        What to ask, and how.
    dialog : iterable of Message
        The dialog's messages, from the top.
    model : LLMModel
        Whom to ask.
    display : Display
        Gets a state of the reply at once, then as it grows, and the whole at the end.
    at : Message, optional
        The prompt's own message: the model sees what stands above it, or what the prompt
        says; default: it stands below all others.
    note : str, optional
        A line for the model about the notebook's state.
    steps : Steps, optional
        What earlier turns have read of the same dialog; default: all is read anew.
    on_request : callable, optional
        Told of the request before it is sent.
    on_turn : callable, optional
        Told of the turn when it has ended, however it ended.
    clock : callable, optional
        Seconds, for the pace of the display and the duration of the turn.

    Returns
    -------
    Turn
        The request and the whole reply.

    Raises
    ------
    KeyboardInterrupt
        On an interrupt, after the stream was closed and the text so far was shown, marked.
    ModelFailure
        If the model raised; the text so far was shown, marked.
    """
    with HeldInterrupts() as interrupts:
        request = build_request(prompt, messages_for(dialog, at, prompt.context), note, steps)
        on_request(request)
        begin = clock()
        reply = Reply(provenance=_provenance(model, request))
        stream: ResponseStream | None = None
        failure: DialogError | None = None
        state: State = "failed"
        try:
            with interrupts.allowed():
                display.append(reply)
                stream = _stream(model.ask_stream(request.messages, **request.params))
                for text in paced(stream, clock):
                    if interrupts.came:  # a model that caught it is stopped all the same
                        break
                    display.append(reply.grown(text))
                state = "interrupted" if interrupts.came else "done"
        except KeyboardInterrupt:
            state = "interrupted"
        except DialogError as error:
            failure = error
        except BaseException as error:
            failure = ModelFailure(display_name(model), error, bool(stream and stream.content))
        reply = _ended(reply, state, stream, clock() - begin)
        on_turn(turn := Turn(request, reply))
        display.append(reply)
        if failure is not None:
            raise failure
        if state == "interrupted":
            raise KeyboardInterrupt
    return turn


def paced(pieces: Iterable[str], clock: Callable[[], float]) -> Iterator[str]:
    """Join pieces, and give the text so far whenever a page can take it.

    Parameters
    ----------
    pieces : iterable of str
        The pieces of a text as they come.
    clock : callable
        Seconds.

    Yields
    ------
    str
        The text so far: with the first piece, then at growing intervals. The end of the
        text may be missing from the last one.
    """
    text, due = [], clock()
    size = 0
    for piece in pieces:
        text.append(piece)
        size += len(piece)
        if size and clock() >= due:
            text = ["".join(text)]
            yield text[0]
            due = clock() + max(_SHORTEST, _PER_CHARACTER * size)


def _stream(answer: ResponseStream | Iterable[str]) -> ResponseStream:
    """What a model gave as a stream; a generator of str will do."""
    if isinstance(answer, ResponseStream):
        return answer
    return _PlainStream(answer)


class _PlainStream(ResponseStream):
    """A stream of bare str; what gives them is closed with it."""

    def _read_chunk(self, chunk: str) -> tuple[None, str]:
        return None, chunk


def _provenance(model: LLMModel, request: Request) -> dict[str, object]:
    return {
        "model": display_name(model),
        "params": dict(request.params),
        "tokens": {"input": request.tokens},
        "started": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "request": request.hash,
        "cells": list(request.cells),
    }


def _ended(reply: Reply, state: State, stream: ResponseStream | None, seconds: float) -> Reply:
    """The reply at its end, with all that came of it; the stream is closed."""
    text = reasoning = ""
    finish_reason = None
    if stream is not None:
        with suppress(Exception):  # the text is worth more than a source that will not close
            stream.close()
        text, reasoning = stream.content or "", stream.reasoning_content or ""
        finish_reason = stream.finish_reason
    tokens = {**reply.provenance["tokens"], "output": approx_tokens(text)}
    return reply.ended(
        state,
        text,
        reasoning,
        tokens=tokens,
        duration=round(seconds, 3),
        finish_reason=finish_reason,
    )
