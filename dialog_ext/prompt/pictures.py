"""Pictures as a model takes them: small enough, and PNG."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Final

from ..core import ImageBlock

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST_SIDE: Final = 768
"""Pixels; vendors scale larger pictures down themselves, and charge for the larger one."""


def as_png(payload: str) -> str | None:
    """Bring a notebook's picture into the form that a request carries.

    Parameters
    ----------
    payload : str
        Base64 of a PNG or JPEG file, as an output's ``data`` holds it.

    Returns
    -------
    str or None
        Base64 of a PNG of at most 768 pixels a side; None for what is no picture.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        picture = opened(payload)
        picture.load()
    except (OSError, ValueError, UnidentifiedImageError, Image.DecompressionBombError):
        return None
    small = max(picture.size) <= LONGEST_SIDE
    if small and picture.format == "PNG" and ImageBlock.is_valid_base64_png(payload):
        return payload
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return ImageBlock.pil_to_base64(picture)


def opened(payload: str) -> Image:
    """Open a base64 payload as a Pillow image; ``ValueError`` if it is no base64."""
    from PIL import Image

    return Image.open(io.BytesIO(base64.b64decode(payload)))
