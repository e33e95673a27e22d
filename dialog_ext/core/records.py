"""Records of a generation: how it ran, what the provider sent, what was logged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from .blocks import CBlock
    from .component import Component
    from .thunk import ModelOutputThunk

__all__ = ["GenerateLog", "GenerateType", "GenerationMetadata", "RawProviderResponse"]


class GenerateType(Enum):
    """How a value can be had from a thunk.

    Attributes
    ----------
    NONE
        Nothing generates it: it is computed, or nobody began.
    ASYNC
        ``avalue`` and ``astream`` may be used.
    SYNC
        It is generated without asyncio; ``avalue`` and ``astream`` are not available.
    """

    NONE = None
    ASYNC = 1
    SYNC = 2


@dataclass
class GenerationMetadata:
    """How a generation ran; the fields are filled as it proceeds.

    Parameters
    ----------
    usage : dict of str to int, optional
        Tokens: ``prompt_tokens``, ``completion_tokens``, ``total_tokens``.
    model : str, optional
        The model that was asked for.
    provider : str, optional
        Who served it, such as ``openai`` or ``ollama``.
    prompt_template : str, optional
        Source of the template that the action was rendered with.
    prompt_template_variables : dict, optional
        What the template was rendered with.
    ttfb_ms : float, optional
        Milliseconds to the first token; None where nothing was streamed.
    streaming : bool, default False
        Whether the answer was streamed.
    response_model : str, optional
        The model that the response names; it may differ from ``model``.
    finish_reasons : list of str, optional
        Why the answer ended, as a rule one for each choice.
    response_id : str, optional
        The provider's id of the response.
    logits : object, optional
        Scores of each token after the logits processors.
    raw_logits : object, optional
        Scores of each token as the model's head gave them.
    """

    usage: dict[str, int] | None = None
    model: str | None = None
    provider: str | None = None
    prompt_template: str | None = None
    prompt_template_variables: dict[str, Any] | None = None
    ttfb_ms: float | None = None
    streaming: bool = False
    response_model: str | None = None
    finish_reasons: list[str] | None = None
    response_id: str | None = None
    logits: Any | None = None
    raw_logits: Any | None = None


@dataclass
class RawProviderResponse:
    """The response in the provider's own form; what reads it depends on that provider.

    Parameters
    ----------
    provider : str, optional
        Who made the response; the same as the thunk's ``generation.provider``.
    response : object, optional
        The response object of the provider's library.
    streamed_chunks : list, optional
        One object for each chunk; None where nothing was streamed.
    """

    provider: str | None = None
    response: Any | None = None
    streamed_chunks: list[Any] | None = None


@dataclass
class GenerateLog:
    """An entry in the log of one generation.

    Parameters
    ----------
    date : datetime.datetime, optional
        When it was logged.
    prompt : str or list of dict, optional
        What was sent to the model.
    backend : str, optional
        Who was asked.
    model_options : dict, optional
        Options of the call.
    model_output : object, optional
        What the backend gave back, as it is.
    action : Component or CBlock, optional
        What set off the generation.
    result : ModelOutputThunk, optional
        What came of it.
    is_final_result : bool or None, default False
        Whether this is the result that counts.
    extra : dict, optional
        Anything else.
    """

    date: datetime | None = None
    prompt: str | list[dict[str, Any]] | None = None
    backend: str | None = None
    model_options: dict[str, Any] | None = None
    model_output: Any | None = None
    action: Component[Any] | CBlock | None = None
    result: ModelOutputThunk[Any] | None = None
    is_final_result: bool | None = False
    extra: dict[str, Any] | None = None
