"""Pillow pictures to base64 PNG and back; Pillow is imported when it is needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from .encoding import MAX_PIXELS, encode, is_png

if TYPE_CHECKING:
    from PIL.Image import Image

# Pillow's other readers run programs (EPS), or are for no pictures of the web.
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO", "AVIF")
_PNG_MODES: Final = frozenset({"1", "L", "LA", "I;16", "P", "RGB", "RGBA"})
_NEAREST_MODES: Final = {"La": "LA", "RGBa": "RGBA", "PA": "RGBA", "I": "I;16"}
_DEEP_MODES: Final = frozenset({"F", "I;16B", "I;16L", "I;16N"})


def is_picture(thing: Any) -> TypeGuard[Image]:
    """Tell whether a thing is a Pillow picture; where Pillow is not loaded, nothing is."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(thing, module.Image)


def png_of(image: Image) -> str:
    """Encode a picture as base64 PNG.

    Parameters
    ----------
    image : PIL.Image.Image
        Of any mode; one that PNG lacks is converted to the nearest that it has.

    Returns
    -------
    str
        Base64 without prefix or line breaks.

    Raises
    ------
    TypeError
        If it is not a Pillow picture.
    ValueError
        If its pixels cannot be read or written.
    """
    from io import BytesIO

    if not is_picture(image):
        raise TypeError(f"expects a PIL image, not {type(image).__name__}")
    buffer = BytesIO()
    try:
        _check_size(image)
        if image.mode in _DEEP_MODES:
            image = image.convert("I")
        if image.mode not in _PNG_MODES:
            image = image.convert(_NEAREST_MODES.get(image.mode, "RGB"))
        image.save(buffer, "PNG")
    except Exception as error:
        raise ValueError(f"The picture cannot be written as PNG: {error}") from error
    return encode(buffer.getvalue())


def png_from_bytes(data: bytes) -> str:
    """Decode a picture file, and give it as base64 PNG.

    Parameters
    ----------
    data : bytes
        A PNG, JPEG, GIF, WebP, BMP, TIFF, ICO or AVIF file. A PNG is passed on byte for
        byte, once it was decoded.

    Returns
    -------
    str
        Base64 without prefix or line breaks. Photographs are turned upright, since their
        orientation tag does not survive.

    Raises
    ------
    ValueError
        If the file is damaged, cut off, no picture, or of more than `MAX_PIXELS` pixels.
    """
    from io import BytesIO

    from PIL import Image, ImageOps

    try:
        Image.init()
        formats: list[str] = [name for name in _FORMATS if name in Image.OPEN]
        with Image.open(BytesIO(data), formats=formats) as image:
            _check_size(image)
            image.load()
            if is_png(data):
                return encode(data)
            return png_of(ImageOps.exif_transpose(image))
    # Pillow raises OSError, SyntaxError, struct.error, its bomb error and more.
    except Exception as error:
        raise ValueError(f"The picture cannot be decoded: {error}") from error


def _check_size(image: Image) -> None:
    width, height = image.size
    if not 0 < width * height <= MAX_PIXELS:
        raise ValueError(f"{width} x {height} pixels are none, or more than {MAX_PIXELS}")
