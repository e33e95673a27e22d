"""Attachments: named bytes that travel with a message."""

from __future__ import annotations

from typing import Any, Final

from .ids import ruuid4

tiny_png: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
"""A whole PNG of one transparent pixel, for examples and tests."""


class Attachment:
    """Bytes with a name, usually a picture.

    It is equal to its id, as a str; two attachments are equal if id, type and bytes are.

    Parameters
    ----------
    data : bytes
        The content.
    content_type : str
        Its MIME type.
    id : str, default ""
        Its name; coerced to str, and a :func:`ruuid4` if empty.

    Attributes
    ----------
    data, content_type, id
        The parameters.
    """

    def __init__(self, data: bytes, content_type: str, id: str = "") -> None:  # noqa: A002
        self.data = data
        self.content_type = content_type
        self.id = ruuid4() if id in ("", None) else str(id)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.id == other
        if isinstance(other, Attachment):
            return self._parts() == other._parts()
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        kind, size = self.content_type, len(self.data)
        return f"{type(self).__name__}(id={self.id!r}, content_type={kind!r}, {size:,} bytes)"

    def _parts(self) -> tuple[str, str, bytes]:
        return self.id, self.content_type, self.data

    def copy(self) -> Attachment:
        """Another attachment of the same id, type and bytes."""
        return type(self)(self.data, self.content_type, self.id)

    def todict(self) -> dict[str, Any]:
        """The attachment as data that JSON can hold.

        Returns
        -------
        dict
            ``id``, ``content_type``, and ``data`` in base64.
        """
        from binascii import b2a_base64

        data = b2a_base64(self.data, newline=False).decode("ascii")
        return {"id": self.id, "content_type": self.content_type, "data": data}
