"""Blocks of sound, by value or by URL."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import download
from .blocks import CBlock, checked_url
from .encoding import decode, encode, sniff_audio, uri_format

__all__ = ["AudioBlock", "AudioUrlBlock"]


class _Sound(CBlock):
    """What both kinds share: a format that is never blank."""

    _detected = False

    def __init__(self, value: str, named: str | None, meta: Mapping[str, Any] | None) -> None:
        super().__init__(value, meta)
        self._format = self._checked_format(named)

    @property
    def format(self) -> str:
        """The audio format, such as ``wav``; assigning checks as construction does."""
        return self._format

    @format.setter  # noqa: A003 - the reference names it so
    def format(self, named: str) -> None:
        self._format = self._checked_format(named)
        self._detected = False

    def _checked_format(self, named: Any) -> str:
        if not isinstance(named, str) or not named.strip():
            raise ValueError(
                f"The format of an {type(self).__name__} must be a non-empty string, "
                'such as "wav" or "mp3"'
            )
        return named


class AudioBlock(_Sound):
    """A sound by value: base64 of an audio file.

    Parameters
    ----------
    value : str
        Base64, with or without a data URI prefix; kept as given. What the data is, is not
        looked at.
    format : str, optional
        Such as ``wav`` or ``mp3``; without it, the subtype that the data URI names.
    meta : mapping, optional
        Anything about the sound; the block takes a copy.

    Raises
    ------
    ValueError
        If the value is not base64 or holds nothing, or if the format is blank or missing.
    """

    def __init__(
        self,
        value: str,
        format: str | None = None,  # noqa: A002 - the reference names it so
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(value, uri_format(value) if format is None else format, meta)
        self._detected = format is None

    @property
    def value(self) -> str:
        """The text as given.

        Assigning checks as construction does; a data URI then names the format anew, unless
        the format was given.
        """
        return str(self._underlying_value)

    @value.setter
    def value(self, v: str | None) -> None:
        self._underlying_value = self._checked(v)
        if self._detected and (found := uri_format(v)):
            self._format = found

    def _checked(self, value: Any) -> str:
        if not self.is_valid_base64_audio(value):
            raise ValueError("Invalid base64 string representation of audio")
        return str(value)

    @staticmethod
    def is_valid_base64_audio(s: str) -> bool:
        """Tell whether a text is base64 of at least one byte.

        Parameters
        ----------
        s : str
            The text; a data URI prefix, line breaks and missing padding do not matter.

        Returns
        -------
        bool
            False also for anything that is not a str.
        """
        return decode(s) is not None

    @staticmethod
    def detect_format(data: bytes) -> str | None:
        """Name the format of audio data by its first bytes.

        Parameters
        ----------
        data : bytes
            The file's data, not base64.

        Returns
        -------
        str or None
            Such as ``wav``, ``mp3``, ``flac``, ``ogg``; None if it is not known.
        """
        return sniff_audio(data)

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        format: str | None = None,  # noqa: A002 - the reference names it so
        meta: dict[str, Any] | None = None,
    ) -> AudioBlock:
        """Make a block of an audio file's data.

        Parameters
        ----------
        data : bytes
            The data.
        format : str, optional
            Its format; found from the data if not given.
        meta : dict, optional
            Anything about the sound.

        Returns
        -------
        AudioBlock
            With the data as base64.

        Raises
        ------
        ValueError
            If the data is empty, or if no format is given and none is found.
        """
        named = sniff_audio(data) if format is None else format
        if named is None:
            raise ValueError(
                'The audio format could not be detected; give one, such as format="wav"'
            )
        return cls(encode(data), named, meta)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002 - the reference names it so
        meta: dict[str, Any] | None = None,
    ) -> AudioBlock:
        """Make a block of an audio file.

        Parameters
        ----------
        path : str or PathLike
            The file.
        format : str, optional
            Its format; found from the data, not from the name, if not given.
        meta : dict, optional
            Anything about the sound.

        Returns
        -------
        AudioBlock
            With the file's data as base64.

        Raises
        ------
        ValueError
            If the file cannot be read, or as :meth:`from_bytes`. The text does not repeat the
            path, which may be a whole sound that was given in its place.
        """
        reason = None
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            reason = error.strerror or type(error).__name__
        except ValueError:
            reason = "not a path"
        # Outside the handlers, so that the error with the whole path is not chained.
        if reason is not None:
            raise ValueError(f"The audio file cannot be opened ({reason}); check the path")
        return cls.from_bytes(data, format, meta)

    @classmethod
    def from_url(
        cls,
        url: str,
        format: str | None = None,  # noqa: A002 - the reference names it so
        meta: dict[str, Any] | None = None,
    ) -> AudioBlock:
        """Download a sound now, and make a block of it.

        Parameters
        ----------
        url : str
            An http or https URL. It is fetched anew at each call: see :class:`AudioUrlBlock`
            for a sound that is used again.
        format : str, optional
            Its format; found from the data if not given.
        meta : dict, optional
            Anything about the sound.

        Returns
        -------
        AudioBlock
            With what was downloaded as base64.

        Raises
        ------
        ValueError
            If the URL is not http or https, the download fails, takes more than 30 s or
            exceeds 50 MiB, or as :meth:`from_bytes`.
        """
        return cls.from_bytes(download.fetch(url, download.AUDIO), format, meta)


class AudioUrlBlock(_Sound):
    """A sound by its URL; it is downloaded when it is sent.

    Parameters
    ----------
    value : str
        An http or https URL.
    format : str
        Such as ``wav`` or ``mp3``. It must be given.
    meta : mapping, optional
        Anything about the sound; the block takes a copy.

    Raises
    ------
    ValueError
        If the value is no such URL, or if the format is blank or missing.
    """

    def __init__(
        self,
        value: str,
        format: str | None = None,  # noqa: A002 - the reference names it so
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(value, format, meta)

    def _checked(self, value: Any) -> str:
        return checked_url(self, value)

    def resolve_base64(self) -> str:
        """Download the sound, once per URL in this process, and give it as base64.

        It blocks; in async code call it through ``asyncio.to_thread``.

        Returns
        -------
        str
            Base64 without prefix.

        Raises
        ------
        ValueError
            If the download fails, takes more than 30 s or exceeds 50 MiB, or if nothing comes.
        """
        return download.sounds.get(str(self))
