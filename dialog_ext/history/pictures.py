"""A picture as a data URL: its own bytes where it came from a file, PNG where it was drawn."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["data_url"]

_SENT_AS_THEY_ARE: Final = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",  # several JPEG pictures in one file; every JPEG reader shows the first
    "WEBP": "image/webp",
    "GIF": "image/gif",
}
"""Formats that models read, by Pillow's name."""

_PNG_MODES: Final = frozenset({"1", "L", "LA", "I;16", "P", "RGB", "RGBA"})

_NEAREST_PNG_MODE: Final = {"F": "L", "I": "I;16", "La": "LA", "PA": "RGBA", "RGBa": "RGBA"}
"""What other modes are sent as; RGB where none is named."""


def data_url(picture: Image) -> str:
    """Encode a picture, without loss wherever that is possible.

    Parameters
    ----------
    picture : PIL.Image.Image
        Any picture.

    Returns
    -------
    str
        A data URL with base64 payload. An unchanged picture from a JPEG, PNG, WebP or GIF
        file that can still be read is the file's bytes. A JPEG whose bytes are out of
        reach is encoded again with its own tables. All others are PNG.
    """
    mime, data = _original(picture) or _jpeg_again(picture) or ("image/png", _png(picture))
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


def _original(picture: Image) -> tuple[str, bytes] | None:
    """Give the media type and bytes of the file that the picture is still the same as."""
    mime = _SENT_AS_THEY_ARE.get(picture.format or "")
    if mime is None:
        return None
    # Comparing loads the picture, which closes its file: read that first.
    for data in list(_file_bytes(picture)):
        if _shows_the_same(data, picture):
            return mime, data
    return None


def _file_bytes(picture: Image) -> Iterator[bytes]:
    """Read what may be the picture's file: the one it reads from, or the one of its name."""
    fp = getattr(picture, "fp", None)
    if fp is not None:
        try:
            place = fp.tell()
            try:
                fp.seek(0)
                yield fp.read()
            finally:
                fp.seek(place)
        except (OSError, ValueError, AttributeError):
            pass  # closed, or a stream that cannot go back
    name = getattr(picture, "filename", "")
    if name:
        with suppress(OSError, ValueError, TypeError):  # it may be moved or removed since
            yield Path(name).read_bytes()


def _shows_the_same(data: bytes, picture: Image) -> bool:
    """Tell whether a file's first frame is the picture as it is now, pixel for pixel."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            return (
                opened.format == picture.format
                and opened.size == picture.size
                and opened.tobytes() == picture.tobytes()
                and opened.mode == picture.mode
                and opened.getpalette() == picture.getpalette()
            )
    except Exception:  # a decoder may raise anything on a file that was changed since
        return False


def _jpeg_again(picture: Image) -> tuple[str, bytes] | None:
    """Encode a picture that came as JPEG by the tables it came with; None if it did not."""
    if picture.format != "JPEG" or picture.mode not in {"L", "RGB"}:
        return None
    if any(True for _ in _file_bytes(picture)):
        return None  # its file is there and shows another picture: this one was drawn on
    out = io.BytesIO()
    try:
        picture.save(out, "JPEG", quality="keep")
    except (OSError, ValueError):
        return None
    return "image/jpeg", out.getvalue()


def _png(picture: Image) -> bytes:
    if picture.mode not in _PNG_MODES:
        picture = picture.convert(_NEAREST_PNG_MODE.get(picture.mode, "RGB"))
        # A profile of inks or of CIELAB has no meaning for the RGB that is sent instead.
        picture.info.pop("icc_profile", None)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
