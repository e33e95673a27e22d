"""Blocks of content: text, and pictures by value or by URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import download
from .encoding import decode, is_png
from .pictures import is_picture, png_of

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["CBlock", "ImageBlock", "ImageUrlBlock", "make_image_block"]


class CBlock:
    """A text that a model reads or wrote.

    Parameters
    ----------
    value : str or None
        The text; None stands for a block that has none.
    meta : mapping, optional
        Anything about the block; the block takes a copy, an empty dict without it.
    cache : bool, default False
        A hint that an engine may keep its state for this block. Experimental.

    Attributes
    ----------
    meta : dict
        What is known about the block.
    cache : bool
        The parameter, unchanged.

    Raises
    ------
    TypeError
        If the value is neither str nor None.

    Examples
    --------
    >>> str(CBlock("text")), str(CBlock(None))
    ('text', '')
    """

    def __init__(
        self, value: str | None, meta: Mapping[str, Any] | None = None, *, cache: bool = False
    ) -> None:
        self._underlying_value = self._checked(value)
        self._meta: dict[str, Any] = dict(meta) if meta else {}
        self.cache = cache

    @property
    def value(self) -> str | None:
        """The text as given; assigning checks as construction does."""
        return self._underlying_value

    @value.setter
    def value(self, v: str | None) -> None:
        self._underlying_value = self._checked(v)

    @property
    def meta(self) -> dict[str, Any]:
        """What is known about the block; the block's own dict."""
        return self._meta

    def _checked(self, value: Any) -> str | None:
        """Give the value if this kind of block may hold it; subclasses narrow this."""
        if value is not None and not isinstance(value, str):
            raise TypeError(
                f"The value of a {type(self).__name__} should always be a string or None, "
                f"not {type(value).__name__}"
            )
        return value

    def __str__(self) -> str:
        return self._underlying_value or ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_short(self._underlying_value)})"


class ImageBlock(CBlock):
    """A picture by value: base64 of a PNG.

    Parameters
    ----------
    value : str
        Base64 of a PNG, with or without a data URI prefix; kept as given.
    meta : mapping, optional
        Anything about the picture; the block takes a copy.

    Raises
    ------
    ValueError
        If the value is not base64 of a whole PNG, at construction and at assignment.

    See Also
    --------
    make_image_block : Makes one from a picture, a URL or base64.
    """

    def __init__(self, value: str, meta: Mapping[str, Any] | None = None) -> None:
        super().__init__(value, meta)

    def _checked(self, value: Any) -> str:
        if not self.is_valid_base64_png(value):
            raise ValueError("Invalid base64 string representation of a PNG image")
        return str(value)

    @staticmethod
    def is_valid_base64_png(s: str) -> bool:
        """Tell whether a text is base64 of a whole PNG.

        Parameters
        ----------
        s : str
            The text; a data URI prefix, line breaks and missing padding do not matter.

        Returns
        -------
        bool
            False also for anything that is not a str, for a file that is cut off, and for a
            picture of more than 89,478,485 pixels, which could not be decoded safely.
        """
        data = decode(s)
        return data is not None and is_png(data)

    @staticmethod
    def pil_to_base64(image: Image) -> str:
        """Encode a Pillow picture as base64 PNG.

        Parameters
        ----------
        image : PIL.Image.Image
            Of any mode; one that PNG lacks is converted.

        Returns
        -------
        str
            Base64 without prefix or line breaks.

        Raises
        ------
        TypeError
            If it is not a Pillow picture.
        ValueError
            If it cannot be written.
        """
        return png_of(image)

    @classmethod
    def from_pil_image(cls, image: Image, meta: dict[str, Any] | None = None) -> ImageBlock:
        """Make a block of a Pillow picture.

        Parameters
        ----------
        image : PIL.Image.Image
            The picture.
        meta : dict, optional
            Anything about it.

        Returns
        -------
        ImageBlock
            With the picture as base64 PNG.

        Raises
        ------
        TypeError, ValueError
            As :meth:`pil_to_base64`.
        """
        return cls(png_of(image), meta)


class ImageUrlBlock(CBlock):
    """A picture by its URL, for models that fetch it themselves.

    Parameters
    ----------
    value : str
        An http or https URL.
    meta : mapping, optional
        Anything about the picture; the block takes a copy.

    Raises
    ------
    ValueError
        If the value is no such URL, at construction and at assignment.
    """

    def __init__(self, value: str, meta: Mapping[str, Any] | None = None) -> None:
        super().__init__(value, meta)

    def _checked(self, value: Any) -> str:
        return checked_url(self, value)

    def resolve_base64(self) -> str:
        """Download the picture, once per URL in this process, and give it as base64 PNG.

        It blocks; in async code call it through ``asyncio.to_thread``.

        Returns
        -------
        str
            Base64 without prefix.

        Raises
        ------
        ValueError
            If the download fails, takes more than 10 s or exceeds 25 MiB, or if what comes
            cannot be decoded: damaged, cut off, or of too many pixels.
        """
        return download.images.get(str(self))


def make_image_block(
    src: str | Image, *, convert_to_base64: bool = False, meta: dict[str, Any] | None = None
) -> ImageBlock | ImageUrlBlock:
    """Make the block that fits a picture's source.

    Parameters
    ----------
    src : str or PIL.Image.Image
        A Pillow picture, an http or https URL, or base64 of a PNG with or without prefix.
    convert_to_base64 : bool, default False
        Download what a URL names, through the same cache as
        :meth:`ImageUrlBlock.resolve_base64`; of no effect on other sources.
    meta : dict, optional
        Anything about the picture.

    Returns
    -------
    ImageBlock or ImageUrlBlock
        The latter for a URL that is not to be downloaded.

    Raises
    ------
    ValueError
        If a str is neither URL nor base64 PNG, or if the download or its decoding fails.
    TypeError
        If the source is neither str nor Pillow picture.
    """
    if is_picture(src):
        return ImageBlock.from_pil_image(src, meta)
    if not isinstance(src, str):
        raise TypeError(
            f"make_image_block expects a PIL image or a string, not {type(src).__name__}"
        )
    if download.is_url(src):
        if convert_to_base64:
            return ImageBlock(download.images.get(src), meta)
        return ImageUrlBlock(src, meta)
    if ImageBlock.is_valid_base64_png(src):
        return ImageBlock(src, meta)
    raise ValueError(
        f"make_image_block could not interpret {_short(src)}: "
        "give an http(s) URL or base64 of a PNG (or open the file with PIL)"
    )


def checked_url(block: CBlock, value: Any) -> str:
    """Give the value if it is an http or https URL; ValueError otherwise."""
    if not download.is_url(value):
        raise ValueError(
            f"The value of a {type(block).__name__} must be an http:// or https:// URL, "
            f"not {_short(value)}"
        )
    return str(value)


def _short(value: Any) -> str:
    text = value if value is None or isinstance(value, str) else repr(value)
    return repr(text if text is None or len(text) <= 60 else text[:40] + "…")
