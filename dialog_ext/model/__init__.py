"""Models: what they can do, the stream of an answer, and one that works offline."""

from __future__ import annotations

from dialog_ext.model.base import LLMModel
from dialog_ext.model.fake import (
    FakeLLMModel,
    FakeResponseSequence,
    FakeResponseStream,
    FakeResponseTyping,
    NoResponseRuleError,
)
from dialog_ext.model.stream import ResponseStream, Usage

__all__ = [
    "FakeLLMModel",
    "FakeResponseSequence",
    "FakeResponseStream",
    "FakeResponseTyping",
    "LLMModel",
    "NoResponseRuleError",
    "ResponseStream",
    "Usage",
]
