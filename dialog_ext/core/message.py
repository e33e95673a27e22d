"""The message: a component of one role and one text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from .audio import AudioBlock, AudioUrlBlock
from .blocks import CBlock, ImageBlock, ImageUrlBlock
from .component import Component
from .representation import TemplateRepresentation

if TYPE_CHECKING:
    from .spans import Span
    from .thunk import ModelOutputThunk
    from .tools import ModelToolCall

__all__ = ["Message"]


_FIELDS: Final = frozenset(
    {"role", "content", "images", "audio", "thinking", "tool_calls", "tool_call_id", "tool_name"}
)


class Message(Component["Message"]):
    """What one side of a conversation says; its fields are set once.

    Parameters
    ----------
    role : str
        ``system``, ``user``, ``assistant`` or ``tool``; others are taken, too.
    content : str
        The text.
    images : iterable of ImageBlock or ImageUrlBlock, optional
        Pictures that belong to it.
    audio : iterable of AudioBlock or AudioUrlBlock, optional
        Sounds that belong to it.
    thinking : str, optional
        A model's reasoning.
    tool_calls : list of dict, optional
        A model's tool calls, in OpenAI's form.
    tool_call_id : str, optional
        For the role ``tool``: the call that this answers.
    tool_name : str, optional
        For the role ``tool``: the tool that answers.

    Attributes
    ----------
    role, content, thinking, tool_calls, tool_call_id, tool_name
        The parameters, unchanged.
    images, audio : list or None
        A list of the message's own; None where there is nothing.

    Raises
    ------
    TypeError
        If role or content is not a str, or an attachment not a block of its kind.

    Examples
    --------
    >>> Message("user", "What is this?")
    Message('user', 'What is this?')
    """

    def __init__(
        self,
        role: str,
        content: str,
        *,
        images: Iterable[ImageBlock | ImageUrlBlock] | None = None,
        audio: Iterable[AudioBlock | AudioUrlBlock] | None = None,
        thinking: str | None = None,
        tool_calls: list[dict[str, Any]] | None = None,
        tool_call_id: str | None = None,
        tool_name: str | None = None,
    ) -> None:
        for name, text in (("role", role), ("content", content)):
            if not isinstance(text, str):
                raise TypeError(f"A message's {name} must be a str, not {type(text).__name__}")
        self.role = role
        self.content = content
        self.images: list[ImageBlock | ImageUrlBlock] | None = _blocks(
            images, (ImageBlock, ImageUrlBlock)
        )
        self.audio: list[AudioBlock | AudioUrlBlock] | None = _blocks(
            audio, (AudioBlock, AudioUrlBlock)
        )
        self.thinking = thinking
        self.tool_calls = tool_calls
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name

    def __setattr__(self, name: str, held: Any) -> None:
        if name in _FIELDS and name in self.__dict__:
            raise AttributeError(f"{name} of a message cannot be changed; make a new message")
        object.__setattr__(self, name, held)

    def parts(self) -> list[Span]:
        """Give the text as a block, then the pictures, then the sounds.

        Returns
        -------
        list of CBlock
            A new list.
        """
        return [CBlock(self.content), *(self.images or ()), *(self.audio or ())]

    def format_for_llm(self) -> TemplateRepresentation:
        """Give what a formatter needs to write the message.

        Returns
        -------
        TemplateRepresentation
            With everything that the message holds.
        """
        return TemplateRepresentation(
            obj=self,
            args={"role": self.role, "content": self.content},
            template_order=["*", "Message"],
            images=self.images,
            audio=self.audio,
            role=self.role,
            thinking=self.thinking,
            tool_calls=self.tool_calls,
            tool_call_id=self.tool_call_id,
            tool_name=self.tool_name,
        )

    def _parse(self, computed: ModelOutputThunk[Any]) -> Message:
        calls = [_wire_call(call) for call in computed.tool_calls or ()]
        return Message(
            "assistant", str(computed), thinking=computed.thinking, tool_calls=calls or None
        )

    def __repr__(self) -> str:
        text = self.content if len(self.content) <= 60 else self.content[:40] + "…"
        return f"{type(self).__name__}({self.role!r}, {text!r})"


def _wire_call(call: ModelToolCall) -> dict[str, Any]:
    """Write a tool call as OpenAI's interface has it."""
    import json

    arguments = json.dumps(dict(call.args), ensure_ascii=False, default=str)
    wire: dict[str, Any] = {"type": "function"}
    if call.tool_call_id is not None:
        wire["id"] = call.tool_call_id
    return {**wire, "function": {"name": call.name, "arguments": arguments}}


def _blocks(given: Iterable[Any] | None, kinds: tuple[type[CBlock], ...]) -> list[Any] | None:
    blocks = list(given) if given is not None else []
    for block in blocks:
        if not isinstance(block, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"An attachment must be {wanted}, not {type(block).__name__}")
    return blocks or None
