"""What a context is made of, and helpers that take any of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from .audio import AudioBlock, AudioUrlBlock
from .blocks import CBlock, ImageBlock, ImageUrlBlock
from .component import Component
from .representation import TemplateRepresentation
from .thunk import ModelOutputThunk

__all__ = ["Span", "blockify", "get_audio_from_component", "get_images_from_component"]

if TYPE_CHECKING:
    Span: TypeAlias = Component[Any] | CBlock | ModelOutputThunk[Any]
else:
    Span = Component | CBlock | ModelOutputThunk

_Block = TypeVar("_Block")
_ABSENT: Any = object()


def blockify(s: str | Span) -> Span:
    """Wrap a str in a block; give everything else back as it is.

    Parameters
    ----------
    s : str, CBlock, Component or ModelOutputThunk
        A thunk may be uncomputed.

    Returns
    -------
    CBlock, Component or ModelOutputThunk
        The same object, unless a str was given.

    Raises
    ------
    TypeError
        If it is none of them.
    """
    if isinstance(s, str):
        return CBlock(s)
    if isinstance(s, CBlock | Component | ModelOutputThunk):
        return s
    raise TypeError(
        f"blockify takes a str, CBlock, Component or ModelOutputThunk, not {type(s).__name__}"
    )


def get_images_from_component(c: Component[Any]) -> list[ImageBlock | ImageUrlBlock] | None:
    """Give the pictures that belong to a component.

    Parameters
    ----------
    c : Component
        Its attribute ``images`` counts, None and empty included; only without the attribute
        does what :meth:`~Component.format_for_llm` declares.

    Returns
    -------
    list of ImageBlock or ImageUrlBlock, or None
        The very list, where it is one; never an empty one.

    Raises
    ------
    TypeError
        If the attribute is neither list nor tuple, or holds something else.

    Notes
    -----
    A component whose attribute says None while its representation declares pictures is not
    seen here. Asking the representation each time would format every component that has no
    pictures, whenever a backend looks for some.
    """
    return _attachments(c, "images", (ImageBlock, ImageUrlBlock))


def get_audio_from_component(c: Component[Any]) -> list[AudioBlock | AudioUrlBlock] | None:
    """Give the sounds that belong to a component.

    Parameters
    ----------
    c : Component
        Its attribute ``audio`` counts, None and empty included; only without the attribute
        does what :meth:`~Component.format_for_llm` declares.

    Returns
    -------
    list of AudioBlock or AudioUrlBlock, or None
        The very list, where it is one; never an empty one.

    Raises
    ------
    TypeError
        If the attribute is neither list nor tuple, or holds something else.

    See Also
    --------
    get_images_from_component : Says why an empty attribute ends the search.
    """
    return _attachments(c, "audio", (AudioBlock, AudioUrlBlock))


def _attachments(c: Any, name: str, kinds: tuple[type[_Block], ...]) -> list[Any] | None:
    found = getattr(c, name, _ABSENT)
    if found is _ABSENT:
        found = getattr(_representation(c), name, None)
    if not isinstance(found, list | tuple | None):
        raise TypeError(f"{type(c).__name__}.{name} must be a list, not {type(found).__name__}")
    for block in found or ():
        if not isinstance(block, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(
                f"{type(c).__name__}.{name} must hold {wanted}, not {type(block).__name__}"
            )
    return (found if isinstance(found, list) else list(found)) if found else None


def _representation(c: Any) -> TemplateRepresentation | None:
    if not isinstance(c, Component):
        return None
    try:
        shown = c.format_for_llm()
    except NotImplementedError:
        return None
    return shown if isinstance(shown, TemplateRepresentation) else None
