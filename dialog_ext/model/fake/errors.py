"""What the fake model says when it has no answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dialog_ext.errors import DialogError
from dialog_ext.model.fake.conditions import message_texts

__all__ = ["NoResponseRuleError"]

_SHOWN_CHARACTERS = 80


class NoResponseRuleError(DialogError, AssertionError, LookupError):
    """No rule of a fake model matches what it was asked.

    It is an ``AssertionError``, since a test that asks the unexpected has failed, and a
    ``LookupError``, since that is what happened.

    Parameters
    ----------
    last_message : str
        The last message in a few words.

    Attributes
    ----------
    last_message : str
        The parameter, unchanged.
    """

    def __init__(self, last_message: str) -> None:
        super().__init__(
            "No response rule found for this message.",
            f"The last message was {last_message}; add a rule that matches it, "
            "or response_always(...).",
        )
        self.last_message = last_message
        self.args = (last_message,)

    @classmethod
    def about(cls, messages: Sequence[dict[str, Any]]) -> NoResponseRuleError:
        """Make the error for the messages that found no rule.

        Parameters
        ----------
        messages : sequence of dict
            What the model was asked.

        Returns
        -------
        NoResponseRuleError
            It names the role and the beginning of the text of the last message.
        """
        if not messages:
            return cls("missing (no messages at all)")
        last = messages[-1]
        role = last.get("role") if isinstance(last, dict) else None
        text = " ".join(" ".join(message_texts(last)).split())
        if len(text) > _SHOWN_CHARACTERS:
            text = text[: _SHOWN_CHARACTERS - 1] + "…"
        said = repr(text) if text else "without text"
        return cls(f"{said} (role {role!r})")
