"""Downloads: one function, with a deadline, a size cap and a cache."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .encoding import encode
from .pictures import png_from_bytes


@dataclass(frozen=True)
class Kind:
    """What a download may cost.

    Parameters
    ----------
    word : str
        What is downloaded, for messages.
    max_bytes : int
        Size cap, in bytes.
    seconds : float
        Time for the whole download, from connecting to the last byte.
    kept : int
        Number of results that the cache keeps.
    """

    word: str
    max_bytes: int
    seconds: float
    kept: int


IMAGE: Final = Kind("image", 25 << 20, 10.0, 128)
AUDIO: Final = Kind("audio", 50 << 20, 30.0, 32)


def is_url(text: object) -> bool:
    """Tell whether text is a whole http or https URL with a host, and nothing around it."""
    if not isinstance(text, str) or not text.isprintable() or " " in text:
        return False
    scheme, colon, rest = text.partition("://")
    host = rest.partition("/")[0].partition("?")[0].partition("#")[0]
    return bool(colon and scheme.lower() in ("http", "https") and host.rpartition("@")[2])


def fetch(url: str, kind: Kind) -> bytes:
    """Download one file.

    Parameters
    ----------
    url : str
        An http or https URL. Redirects are followed within http and https only, and never
        from https to http.
    kind : Kind
        The caps.

    Returns
    -------
    bytes
        The body of the answer.

    Raises
    ------
    ValueError
        If the download fails, takes longer than the deadline, ends early, or is larger than
        the cap. The text leaves out the URL's query and fragment: tokens stand there.

    Notes
    -----
    Proxies come from the environment, as ``urllib.request`` documents.
    """
    if not is_url(url):
        raise ValueError("Only http:// and https:// URLs can be downloaded")
    from .http_get import get

    return get(url, kind.word, kind.max_bytes, kind.seconds)


class _Running:
    """A download on its way; those who want the same wait for it."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.result: str | None = None
        self.failure = "Failed to download: it was interrupted"


class UrlCache:
    """Remembers the newest results by URL; all threads together fetch a URL once.

    Parameters
    ----------
    kind : Kind
        The caps of the downloads, and how many results are kept.
    convert : callable
        Makes the result, a str, of the downloaded bytes.

    Notes
    -----
    Who asks for a URL that is on its way waits for it, and gets its failure, too; failures
    are not kept.
    """

    def __init__(self, kind: Kind, convert: Callable[[bytes], str]) -> None:
        self._kind = kind
        self._convert = convert
        self._results: OrderedDict[str, str] = OrderedDict()
        self._running: dict[str, _Running] = {}
        self._lock = threading.Lock()

    def get(self, url: str) -> str:
        """Give the result for a URL; download it if it is not here.

        Parameters
        ----------
        url : str
            The URL, which is the key as it stands.

        Returns
        -------
        str
            What the conversion made.

        Raises
        ------
        ValueError
            As `fetch` and the conversion do.
        """
        with self._lock:
            if url in self._results:
                self._results.move_to_end(url)
                return self._results[url]
            running = self._running.get(url)
            if mine := running is None:
                running = self._running[url] = _Running()
        if mine:
            return self._download(url, running)
        running.done.wait()
        if running.result is None:
            raise ValueError(running.failure)
        return running.result

    def clear(self) -> None:
        """Forget every result."""
        with self._lock:
            self._results.clear()

    def __len__(self) -> int:
        return len(self._results)

    def _download(self, url: str, running: _Running) -> str:
        try:
            running.result = self._convert(fetch(url, self._kind))
        except ValueError as error:
            running.failure = str(error)
            raise
        finally:
            # Whatever happened, an interrupt too: those who wait are told.
            with self._lock:
                del self._running[url]
                if running.result is not None:
                    self._results[url] = running.result
                    while len(self._results) > self._kind.kept:
                        self._results.popitem(last=False)
            running.done.set()
        return running.result


def _sound(data: bytes) -> str:
    if not data:
        raise ValueError("The downloaded audio is empty; check the URL")
    return encode(data)


# The caches that the reference asks for: process-wide, keyed by URL.
images: Final = UrlCache(IMAGE, png_from_bytes)
sounds: Final = UrlCache(AUDIO, _sound)
