"""What ``%dialog`` and ``--dry-run`` print: the session's state and its requests, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..prompt.request import Request
from ..tokens import message_tokens

if TYPE_CHECKING:
    from .session import Session


def approx(tokens: int) -> str:
    """A number of tokens as an approximation.

    Examples
    --------
    >>> approx(3210)
    '≈ 3.2k'
    """
    return f"≈ {tokens}" if tokens < 1000 else f"≈ {tokens / 1000:.1f}k"


def ago(seconds: float) -> str:
    """A time span in words.

    Examples
    --------
    >>> ago(200)
    '3 min ago'
    """
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min"), (1, "s")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return "just now"


def state_report(session: Session) -> str:
    """The session's state in a few lines."""
    kinds = Counter(message.msg_type for message in session.dialog.messages)
    counted = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    rows = {
        "model": session.model_name,
        "notebook": session.source,
        "messages": f"{sum(kinds.values())}" + (f" ({counted})" if counted else ""),
        "tokens": f"{approx(session.preview().tokens)} would be sent with the next prompt",
        "last turn": _last_turn(session),
    }
    return "\n".join(f"{name:<10}{value}" for name, value in rows.items())


def _last_turn(session: Session) -> str:
    turn = session.last_turn
    if turn is None:
        return "none yet"
    known = turn.reply.provenance
    tokens = known["tokens"]
    return (
        f"{turn.reply.state} in {known['duration']:.1f} s by {known['model']}, "
        f"{approx(tokens['input'])} tokens in, {approx(tokens['output'])} out"
    )


def messages_report(request: Request) -> str:
    """The messages of a request, readable, each with its role and size."""
    messages = request.messages
    head = f"{len(messages)} messages, {approx(request.tokens)} tokens"
    if request.params:
        head += f", {', '.join(f'{name} {value}' for name, value in request.params.items())}"
    return "\n\n".join([head, *(_block(n, message) for n, message in enumerate(messages, 1))])


def _block(number: int, message: Mapping[str, Any]) -> str:
    size = approx(message_tokens(message))
    return f"── {number} {message['role']} ({size} tokens)\n{_text(message)}"


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "[picture]") for part in content)
