"""What a model reads and answers: blocks, components, thunks, contexts, tools."""

from __future__ import annotations

from .audio import AudioBlock, AudioUrlBlock
from .blocks import CBlock, ImageBlock, ImageUrlBlock, make_image_block
from .chat import ChatContext, SimpleContext
from .component import Component, ComponentParseError
from .computed import ComputedModelOutputThunk
from .context import Context
from .function_tool import FunctionTool
from .message import Message
from .records import GenerateLog, GenerateType, GenerationMetadata, RawProviderResponse
from .representation import TemplateRepresentation
from .spans import Span, blockify, get_audio_from_component, get_images_from_component
from .thunk import ModelOutputThunk
from .tools import AbstractMelleaTool, ModelToolCall
from .turns import ContextTurn, ContextTypeMismatchError

__all__ = [
    "AbstractMelleaTool",
    "AudioBlock",
    "AudioUrlBlock",
    "CBlock",
    "ChatContext",
    "Component",
    "ComponentParseError",
    "ComputedModelOutputThunk",
    "Context",
    "ContextTurn",
    "ContextTypeMismatchError",
    "FunctionTool",
    "GenerateLog",
    "GenerateType",
    "GenerationMetadata",
    "ImageBlock",
    "ImageUrlBlock",
    "Message",
    "ModelOutputThunk",
    "ModelToolCall",
    "RawProviderResponse",
    "SimpleContext",
    "Span",
    "TemplateRepresentation",
    "blockify",
    "get_audio_from_component",
    "get_images_from_component",
    "make_image_block",
]
