"""Bytes in text: base64, data URIs, and what PNG and audio data look like. Pure."""

from __future__ import annotations

import binascii
import re
import struct
import zlib
from typing import Final

MAX_PIXELS: Final = 89_478_485
"""Most pixels of a picture that is decoded: 256 MiB at three bytes each, Pillow's own limit."""

_DATA_URI = re.compile(r"\s*data:([^,]*?);\s*base64\s*,", re.IGNORECASE)
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_INFLATED: Final = 1 << 18
_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_MIME_FORMATS: Final = {
    "x-wav": "wav",
    "wave": "wav",
    "mpeg": "mp3",
    "x-mpeg": "mp3",
    "x-mp3": "mp3",
    "x-flac": "flac",
}


def decode(text: object) -> bytes | None:
    """Read base64, with or without a data URI prefix, line breaks and padding.

    Parameters
    ----------
    text : object
        The text; anything but a str is not base64.

    Returns
    -------
    bytes or None
        The data; None if the text is not base64, or if nothing is in it.
    """
    if not isinstance(text, str):
        return None
    prefix = _DATA_URI.match(text)
    try:
        packed = b"".join((text[prefix.end() :] if prefix else text).encode("ascii").split())
        packed = packed.rstrip(b"=")
        return binascii.a2b_base64(packed + b"=" * (-len(packed) % 4), strict_mode=True) or None
    except ValueError:
        return None


def encode(data: bytes) -> str:
    """Write base64 without line breaks."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def uri_format(text: object) -> str | None:
    """Give the audio format that a data URI names.

    Parameters
    ----------
    text : object
        A data URI with base64 in it, or anything else.

    Returns
    -------
    str or None
        The MIME subtype, known aliases under their common name (``x-wav`` is ``wav``);
        None if there is no data URI or no subtype.
    """
    prefix = _DATA_URI.match(text) if isinstance(text, str) else None
    if prefix is None:
        return None
    subtype = prefix[1].partition(";")[0].partition("/")[2].strip()
    return _MIME_FORMATS.get(subtype.lower(), subtype) or None


def is_png(data: bytes) -> bool:
    """Tell whether data is one whole PNG picture.

    The chunks are walked from the signature to the end mark, with their checksums. Of the
    pixels only the first 256 KiB are unpacked: what stands behind is covered by the checksums,
    and a picture of usual size costs less than a millisecond.

    Parameters
    ----------
    data : bytes
        The data of the file.

    Returns
    -------
    bool
        False also for a picture of more than `MAX_PIXELS`.

    Notes
    -----
    Layout, checksums and the sizes of rows: PNG specification (third edition, W3C 2025),
    sections 5, 7.2 and 11.2.
    """
    if not data.startswith(_SIGNATURE):
        return False
    header: bytes = b""
    packed: list[memoryview] = []
    for kind, body in _chunks(data):
        if kind == b"IHDR" and not header:
            header = bytes(body)
        elif not header:
            return False
        elif kind == b"IDAT":
            packed.append(body)
        elif kind == b"IEND":
            rows = _row_bytes(header)
            return bool(rows) and _unpacks(packed, min(rows, _INFLATED))
    return False


def _chunks(data: bytes) -> list[tuple[bytes, memoryview]]:
    """Split into chunks up to IEND; what cannot be read ends the list."""
    view, at, chunks = memoryview(data), len(_SIGNATURE), []
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, end = data[at + 4 : at + 8], at + 8 + length
        if end + 4 > len(data):
            break
        # Only critical chunks (with a capital letter) count: a decoder may skip the others.
        checked = zlib.crc32(view[at + 4 : end]) == struct.unpack_from(">I", data, end)[0]
        if not checked and kind[:1].isupper():
            break
        chunks.append((kind, view[at + 8 : end]))
        if kind == b"IEND":
            break
        at = end + 4
    return chunks


def _row_bytes(header: bytes) -> int:
    """Bytes of the unpacked rows (at least, if interlaced); 0 for an impossible header."""
    if len(header) != 13:
        return 0
    width, height, depth, colour, packing, filtering, interlaced = struct.unpack(">IIBBBBB", header)
    if not 0 < width * height <= MAX_PIXELS or depth not in _DEPTHS.get(colour, ()):
        return 0
    if packing or filtering or interlaced > 1:
        return 0
    bits = width * depth * _CHANNELS[colour]
    return int(height * bits // 8 if interlaced else height * (1 + (bits + 7) // 8))


def _unpacks(packed: list[memoryview], wanted: int) -> bool:
    inflater, have = zlib.decompressobj(), 0
    try:
        for piece in packed:
            have += len(inflater.decompress(piece, wanted - have))
            if have >= wanted:
                return True
    except zlib.error:
        pass
    return False


def sniff_audio(data: bytes) -> str | None:
    """Name the audio format of data by its first bytes.

    Parameters
    ----------
    data : bytes
        The start of the file, or all of it.

    Returns
    -------
    str or None
        ``wav``, ``mp3``, ``flac``, ``ogg``, ``m4a``, ``mp4``, ``aac``, ``aiff``, ``webm``,
        ``amr`` or ``au``; None if it is none of them.

    Notes
    -----
    MPEG audio frames: ISO/IEC 11172-3, 2.4.1.3: eleven set bits, then version, layer,
    bit rate and sample rate, each with a reserved value. ADTS frames of AAC are the same with
    layer 0: ISO/IEC 13818-7, 6.2.
    """
    head = bytes(data[:12])
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return "wav"
    if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC"):
        return "aiff"
    if head[4:8] == b"ftyp":
        return "m4a" if head[8:12] in (b"M4A ", b"M4B ") else "mp4"
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if len(head) >= 4 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0:
        return "aac"
    if len(head) >= 4 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0:
        version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
        if version != 1 and layer == 1 and head[2] >> 4 != 15 and head[2] >> 2 & 3 != 3:
            return "mp3"
    return None


_MAGIC: Final = (
    (b"ID3", "mp3"),
    (b"fLaC", "flac"),
    (b"OggS", "ogg"),
    (b"\x1aE\xdf\xa3", "webm"),
    (b"#!AMR", "amr"),
    (b".snd", "au"),
)
