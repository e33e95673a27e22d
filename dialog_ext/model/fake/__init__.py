"""A model for tests, lessons and demos: it answers from rules, offline."""

from __future__ import annotations

from dialog_ext.model.fake.answer import FakeResponseTyping
from dialog_ext.model.fake.errors import NoResponseRuleError
from dialog_ext.model.fake.model import FakeLLMModel
from dialog_ext.model.fake.sequence import FakeResponseSequence
from dialog_ext.model.fake.stream import FakeResponseStream

__all__ = [
    "FakeLLMModel",
    "FakeResponseSequence",
    "FakeResponseStream",
    "FakeResponseTyping",
    "NoResponseRuleError",
]
