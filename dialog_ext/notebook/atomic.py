"""Writing a file so that there is a whole one at any time."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .errors import NotebookError


def replace_file(path: Path, data: bytes) -> None:
    """Write a file aside and rename it into place.

    Parameters
    ----------
    path : Path
        The file. A symbolic link stays one: what it points to is replaced.
    data : bytes
        The new content.

    Raises
    ------
    NotebookError
        If that fails, on a full disk for one; the file is as it was, nothing is left aside.

    Notes
    -----
    Permissions stay, and the owner where the system lets us; a new file gets what the umask
    leaves. Other hard links to the file keep the old content.
    """
    try:
        target = path.resolve()
        aside = target.with_name(f".{target.name[:50]}.{os.getpid()}.{os.urandom(4).hex()}")
        try:
            _write(aside, data, target)
            aside.replace(target)
        except BaseException:
            with suppress(OSError):
                aside.unlink()
            raise
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        said = getattr(error, "strerror", None) or error
        raise NotebookError(f"{path} cannot be written: {said}. It is as it was.") from error


def _write(aside: Path, data: bytes, like: Path) -> None:
    """Write a new file with the permissions of another, down to the disk."""
    try:
        known = like.stat()
    except FileNotFoundError:
        known = None
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if known is None else 0o600)
    with open(handle, "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
        stream.write(data)
        stream.flush()
        os.fsync(handle)
    if known is not None:
        if hasattr(os, "chown"):
            with suppress(OSError):
                os.chown(aside, known.st_uid, known.st_gid)
        aside.chmod(known.st_mode & 0o7777)
