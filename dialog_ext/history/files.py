"""Read a file of messages and check it; write a file whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISREG
from typing import Any

__all__ = ["checked_messages", "read_text", "write_whole"]


def read_text(file: str | os.PathLike[str]) -> str:
    """Read a text file.

    Parameters
    ----------
    file : str or path
        A UTF-8 file, with or without a byte order mark.

    Returns
    -------
    str
        Its text.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileNotFoundError(f"File not found: {os.fspath(file)}") from None


def checked_messages(data: Any, kind: str) -> list[dict[str, Any]]:
    """Check that a file held a list of messages.

    Parameters
    ----------
    data : Any
        What was read.
    kind : str
        The kind of file, for the error: ``"JSON"`` or ``"YAML"``.

    Returns
    -------
    list of dict
        ``data``.

    Raises
    ------
    ValueError
        If it is no list, or an item is no dict, has no role or content, or a role that
        is no text.
    """
    if not isinstance(data, list):
        raise ValueError(f"{kind} file must contain a list of messages")
    for index, message in enumerate(data):
        if not isinstance(message, dict):
            raise ValueError(f"Message at index {index} must be a dictionary")
        if "role" not in message or "content" not in message:
            raise ValueError(f"Message at index {index} must have 'role' and 'content' fields")
        if not isinstance(message["role"], str):
            raise ValueError(f"Message at index {index} must have a text as its role")
    return data


def write_whole(file: str | os.PathLike[str], data: bytes) -> None:
    """Write a file aside and put it in its place; a failure leaves the old one as it was.

    Parameters
    ----------
    file : str or path
        Missing parent folders are made. A link stays a link, and the permissions of an
        existing file stay. What is no regular file (a pipe, a device) is written directly.
    data : bytes
        The whole content.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    target = Path(os.path.realpath(file))
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        mode: int | None = target.stat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not S_ISREG(mode):
        target.write_bytes(data)
        return
    _replace(target, lambda aside: _write(aside, data, mode))


def _replace(target: Path, write: Callable[[Path], None]) -> None:
    # File systems allow 255 bytes; a character may take four.
    aside = target.with_name(f".{target.name[:50]}.{os.urandom(6).hex()}.tmp")
    try:
        write(aside)
        aside.replace(target)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise


def _write(aside: Path, data: bytes, mode: int | None) -> None:
    with aside.open("xb") as out:
        if mode is not None:
            with suppress(OSError):
                aside.chmod(S_IMODE(mode))
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
