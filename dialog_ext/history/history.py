"""A conversation as wire messages: a sequence whose versions share their past."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from dialog_ext.history.chain import pushed
from dialog_ext.history.files import checked_messages, read_text, write_whole
from dialog_ext.history.message import LLMRoleTyping, create_llm_message
from dialog_ext.history.sequence import MessageSequence, frozen_message

if TYPE_CHECKING:
    from dialog_ext.history.message import LLMContentTyping

__all__ = ["LLMContentTyping", "LLMHistory", "LLMRoleTyping", "create_llm_message"]


def __getattr__(name: str) -> Any:
    """Make ``LLMContentTyping`` when it is asked for: only then is Pillow imported."""
    if name != "LLMContentTyping":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dialog_ext.history import message

    return message.LLMContentTyping


class LLMHistory(MessageSequence, is_bare=True):
    """The messages of a conversation, oldest first; a value that never changes.

    Every method that adds something gives a new history of the same class, with the
    attributes that a subclass has set. It shares all messages with the one it came from,
    so it costs one message in time and memory, however long the conversation is, and
    threads may read and extend a history without locks.

    Parameters
    ----------
    history : iterable of dict, optional
        The messages. They usually have ``role`` and ``content``; any further keys, and
        values of any type, are kept. Nothing done to the given dicts later reaches the
        history.

    Raises
    ------
    TypeError
        If a message is no dict.

    Notes
    -----
    Histories are equal if their messages are, in the same order; the order of the keys
    inside a message does not count. A subclass's histories can equal those of this class.

    The hash is kept, and is made from that of the version before and the last message.
    It differs from one Python process to the next, as that of a str does.

    An object in a message that equals only itself (its class defines no ``__eq__``)
    cannot be copied without becoming unequal; it is kept, and given out, as it is.

    Examples
    --------
    >>> asked = LLMHistory().with_user_message("Why?")
    >>> asked.with_assistant_message("Because.")
    <LLMHistory object with 2 messages>
    >>> asked
    <LLMHistory object with 1 message>
    """

    __slots__ = ()

    def with_message(
        self,
        role: LLMRoleTyping,
        message: LLMContentTyping | None,
        *,
        tool_calls: Sequence[dict[str, Any]] | None = None,
        name: str | None = None,
        tool_call_id: str | None = None,
    ) -> Self:
        """Append a message.

        Parameters
        ----------
        role : str
            Who speaks.
        message : str, PIL.Image.Image, or list of both
            The content, as for :func:`create_llm_message`. None is taken where there are
            ``tool_calls``, since such a message may have no content.
        tool_calls : sequence of dict, optional
            The calls that an assistant's message asks for.
        name : str, optional
            The name of the speaker, or of the function that answers.
        tool_call_id : str, optional
            The call that a tool's message answers.

        Returns
        -------
        LLMHistory
            A new history; this one stays as it is.

        Raises
        ------
        TypeError
            If the content is of another type, or ``tool_calls`` no sequence of dicts.
        """
        made: dict[str, Any]
        if tool_calls and message is None:
            made = {"role": role, "content": None}
        else:
            content: Any = message
            made = create_llm_message(content, role)
        if name is not None:
            made["name"] = name
        if tool_calls is not None:
            made["tool_calls"] = _checked_calls(tool_calls)
        if tool_call_id is not None:
            made["tool_call_id"] = tool_call_id
        return self._at(pushed(self._node, frozen_message(made)))

    def with_user_message(self, message: LLMContentTyping) -> Self:
        """Append a message of the user.

        Parameters
        ----------
        message : str, PIL.Image.Image, or list of both
            The content.

        Returns
        -------
        LLMHistory
            A new history.

        Raises
        ------
        TypeError
            If the content is of another type.
        """
        return self.with_message("user", message)

    def with_assistant_message(self, message: LLMContentTyping) -> Self:
        """Append a message of the assistant.

        Parameters
        ----------
        message : str, PIL.Image.Image, or list of both
            The content.

        Returns
        -------
        LLMHistory
            A new history.

        Raises
        ------
        TypeError
            If the content is of another type.
        """
        return self.with_message("assistant", message)

    def with_system_prompt(self, message: LLMContentTyping) -> Self:
        """Put a system message at the front, in place of one that is there.

        Everything behind it is hashed anew, so this takes time in proportion to the
        length; the messages themselves stay shared.

        Parameters
        ----------
        message : str, PIL.Image.Image, or list of both
            The content.

        Returns
        -------
        LLMHistory
            A new history.

        Raises
        ------
        TypeError
            If the content is of another type.
        """
        rest = self._messages()
        if rest and rest[0].get("role") == "system":
            del rest[0]
        return self._of((frozen_message(create_llm_message(message, "system")), *rest))

    def dump_json(self, file: str | os.PathLike[str], **params: Any) -> None:
        """Write the messages to a JSON file, whole or not at all.

        Parameters
        ----------
        file : str or path
            The file, UTF-8; missing parent folders are made.
        **params : Any
            For ``json.dumps``, over the defaults ``indent=2``, ``ensure_ascii=False`` and
            ``sort_keys=True``.

        Raises
        ------
        OSError
            If the file cannot be written.
        TypeError, ValueError
            If a message holds what JSON cannot; the file stays as it was.
        """
        import json

        text = json.dumps(
            self.to_json(), **{"indent": 2, "ensure_ascii": False, "sort_keys": True, **params}
        )
        # Half of a surrogate pair has no UTF-8 form; Python's escape for it is JSON's.
        write_whole(file, text.encode("utf-8", "backslashreplace"))

    def dump_yaml(self, file: str | os.PathLike[str], **params: Any) -> None:
        """Write the messages to a YAML file, whole or not at all.

        Only what a safe loader reads is written; tuples are written as lists.

        Parameters
        ----------
        file : str or path
            The file, UTF-8; missing parent folders are made.
        **params : Any
            For ``yaml.dump``, over the defaults ``default_flow_style=False``,
            ``allow_unicode=True``, ``indent=2``, ``sort_keys=True`` and the safe dumper.

        Raises
        ------
        OSError
            If the file cannot be written.
        yaml.YAMLError, TypeError
            If a message holds what safe YAML cannot; the file stays as it was.
        ImportError
            If PyYAML is not installed.
        """
        from dialog_ext.history.yaml_text import yaml_bytes

        write_whole(file, yaml_bytes(self._messages(), params))

    @classmethod
    def load_json(cls, file: str | os.PathLike[str]) -> Self:
        """Read messages from a JSON file.

        Parameters
        ----------
        file : str or path
            A UTF-8 file.

        Returns
        -------
        LLMHistory
            A history of this class.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        json.JSONDecodeError
            If it is no JSON.
        ValueError
            If it is no list of messages, each with a role, which is a text, and content.
        """
        import json

        return cls(checked_messages(json.loads(read_text(file)), "JSON"))

    @classmethod
    def load_yaml(cls, file: str | os.PathLike[str]) -> Self:
        """Read messages from a YAML file, by the safe loader.

        Parameters
        ----------
        file : str or path
            A UTF-8 file.

        Returns
        -------
        LLMHistory
            A history of this class.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        yaml.YAMLError
            If it is no YAML.
        ValueError
            If it is no list of messages, each with a role, which is a text, and content.
        ImportError
            If PyYAML is not installed.
        """
        import yaml

        return cls(checked_messages(yaml.safe_load(read_text(file)), "YAML"))


def _checked_calls(tool_calls: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    if isinstance(tool_calls, list | tuple) and all(isinstance(c, dict) for c in tool_calls):
        return list(tool_calls)
    raise TypeError(f"tool_calls is a list of dicts, not {tool_calls!r}")
