"""What a message contributes when messages are merged into one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .kinds import scode, snote, sprompt

if TYPE_CHECKING:
    from .message import Message

_TICKS: Final = re.compile(r"`{3,}")


def merged_content(message: Message, mtype: str) -> str:
    """Give a message's content as a message of some kind understands it.

    Parameters
    ----------
    message : Message
        What is merged.
    mtype : str
        The kind of what it is merged into.

    Returns
    -------
    str
        Code in a fence where that is markdown; a prompt under headings, with its reply if
        there is one, where that is a note; else the content as it is.
    """
    content = message.content
    if message.msg_type == scode and mtype in (snote, sprompt):
        ticks = max(map(len, _TICKS.findall(content)), default=2) + 1
        return f"{'`' * ticks}python\n{content}\n{'`' * ticks}"
    if message.msg_type == sprompt and mtype == snote:
        reply = message.ai_res
        return f"## AI Prompt\n{content}" + (f"\n## AI Response\n{reply}" if reply else "")
    return content
