"""Conversations as wire messages, and the files they are kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dialog_ext.history.history import LLMHistory
from dialog_ext.history.message import LLMRoleTyping, create_llm_message

if TYPE_CHECKING:
    from dialog_ext.history.message import LLMContentTyping

__all__ = ["LLMContentTyping", "LLMHistory", "LLMRoleTyping", "create_llm_message"]


def __getattr__(name: str) -> Any:
    """Make ``LLMContentTyping`` when it is asked for: only then is Pillow imported."""
    if name != "LLMContentTyping":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dialog_ext.history import message

    return message.LLMContentTyping
