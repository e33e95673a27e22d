"""One wire message from a text, a picture, or a list of both."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from PIL.Image import Image

    LLMContentTyping: TypeAlias = str | Image | list[str | Image]

__all__ = ["LLMContentTyping", "LLMRoleTyping", "create_llm_message"]

LLMRoleTyping = Literal["system", "user", "assistant", "tool", "function"]
"""Who speaks. Other roles are taken too: providers add their own."""


def __getattr__(name: str) -> Any:
    """Make ``LLMContentTyping`` when it is asked for: only then is Pillow imported."""
    if name != "LLMContentTyping":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from typing import List, Union  # noqa: UP035 - the alias prints as documented

    from PIL.Image import Image

    return Union[str, Image, List[Union[str, Image]]]  # noqa: UP006, UP007 - prints as documented


def create_llm_message(message: LLMContentTyping, role: LLMRoleTyping = "user") -> dict[str, Any]:
    """Make a wire message.

    Parameters
    ----------
    message : str, PIL.Image.Image, or list of both
        A text becomes the content as it is; a picture or a list (or tuple) becomes a list
        of parts.
    role : str, default "user"
        Who speaks. It is not checked, since providers add roles of their own.

    Returns
    -------
    dict
        ``role`` and ``content``. Parts are ``{"type": "text", "text": ...}`` and
        ``{"type": "image_url", "image_url": ...}``, the latter a data URL.

    Raises
    ------
    TypeError
        If the content, or an item of the list, is neither text nor picture.

    See Also
    --------
    dialog_ext.history.pictures.data_url : Which format a picture is sent in.

    Examples
    --------
    >>> create_llm_message(["What is", "this?"])["content"][1]
    {'type': 'text', 'text': 'this?'}
    """
    if isinstance(message, str):
        return {"role": role, "content": message}
    if isinstance(message, list | tuple):
        return {"role": role, "content": [_part(item, i) for i, item in enumerate(message)]}
    if _is_picture(message):
        return {"role": role, "content": [_picture_part(message)]}
    raise TypeError(f"Unsupported content type - {message!r}")


def _part(item: Any, index: int) -> dict[str, str]:
    if isinstance(item, str):
        return {"type": "text", "text": item}
    if _is_picture(item):
        return _picture_part(item)
    raise TypeError(f"Unsupported type for message content item at #{index} - {item!r}")


def _picture_part(picture: Image) -> dict[str, str]:
    from dialog_ext.history.pictures import data_url

    return {"type": "image_url", "image_url": data_url(picture)}


def _is_picture(item: object) -> TypeGuard[Image]:
    """Tell whether it is a picture; before Pillow is loaded, nothing can be one."""
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(item, pillow.Image)
