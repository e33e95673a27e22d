"""A component as a template reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audio import AudioBlock, AudioUrlBlock
    from .blocks import ImageBlock, ImageUrlBlock
    from .tools import AbstractMelleaTool

__all__ = ["TemplateRepresentation"]


@dataclass
class TemplateRepresentation:
    """A component as the attributes that a formatter reads.

    Parameters
    ----------
    obj : object
        The component that is represented.
    args : dict
        Values for the template, by name.
    tools : dict of str to AbstractMelleaTool, optional
        Tools on offer, by the name of their function.
    fields : list, optional
        Values for a template that counts on positions, in order.
    template : str, optional
        A Jinja2 template to render with.
    template_order : list of str, optional
        Which templates, or sections of one, come first.
    images : list of ImageBlock or ImageUrlBlock, optional
        Pictures that belong to it.
    audio : list of AudioBlock or AudioUrlBlock, optional
        Sounds that belong to it.
    role : {"system", "user", "assistant", "tool"}, optional
        Role of its message; None leaves the choice to the formatter, which takes
        ``assistant`` for what a model made and ``user`` for the rest.
    thinking : str, optional
        Reasoning that goes with the message.
    tool_calls : list of dict, optional
        An assistant's tool calls, in OpenAI's form.
    tool_call_id : str, optional
        For the role ``tool``: id of the call that this answers, as the provider gave it.
    tool_name : str, optional
        For the role ``tool``: name of the tool that this is a result of.
    provider_fields : dict of str to dict, optional
        More fields for the wire message, by provider (``openai`` stands for the family
        that speaks that protocol, ``*`` for all). A known field wins over one of these;
        a provider that the request does not meet is an error when it is sent.
    """

    obj: Any
    args: dict[str, Any]
    tools: dict[str, AbstractMelleaTool[..., Any]] | None = None
    fields: list[Any] | None = None
    template: str | None = None
    template_order: list[str] | None = None
    images: list[ImageBlock | ImageUrlBlock] | None = None
    audio: list[AudioBlock | AudioUrlBlock] | None = None
    role: str | None = None
    thinking: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    provider_fields: dict[str, dict[str, Any]] | None = None
