"""One HTTP GET with a deadline; imported when something is downloaded."""

from __future__ import annotations

import http.client
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPMessage
from typing import IO, Any, cast
from urllib.parse import SplitResult, quote, urlsplit

_PIECE = 1 << 16


class Deadline:
    """A point in time at which every watched socket is shut down.

    Parameters
    ----------
    seconds : float
        Time from now.

    Notes
    -----
    A socket's own timeout starts anew with every byte, so a server that sends one byte now
    and then would be read for ever.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._shut)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @property
    def left(self) -> float:
        """Seconds left, at least a millisecond: 0 would mean no timeout to a socket."""
        return max(self._end - time.monotonic(), 1e-3)

    @property
    def passed(self) -> bool:
        """True once the time is over."""
        return time.monotonic() >= self._end

    def watch(self, sock: socket.socket) -> None:
        """Shut this socket, too, when the time is over."""
        self._sockets.append(sock)
        if self.passed:
            self._shut()

    def _shut(self) -> None:
        for sock in self._sockets:
            with suppress(OSError):
                # A TLS socket's own shutdown would take its TLS layer from the reader.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


class _Watched:
    """Mixed into a connection class: the deadline bounds connecting and reading."""

    deadline: Deadline

    def connect(self) -> None:
        self.timeout = self.deadline.left
        super().connect()  # type: ignore[misc]  # the connection class stands behind this one
        self.deadline.watch(self.sock)  # type: ignore[attr-defined]  # set by connect


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects within http and https, but never from https to http."""

    max_redirections = 5

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Refuse other schemes; the rest is left to the base class."""
        scheme = urlsplit(newurl).scheme.lower()
        if scheme != "https" and (scheme != "http" or req.type == "https"):
            fp.close()
            raise _RefusedError(f"it redirects from {req.type} to {scheme}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)

    def http_error_302(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> Any:
        """Look at the scheme before the base class does: its own error names the whole URL."""
        target = headers.get("location") or headers.get("uri") or ""
        scheme = urlsplit(target).scheme.lower()
        if scheme and scheme not in ("http", "https"):
            fp.close()
            raise _RefusedError(f"it redirects from {req.type} to {scheme}")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _RefusedError(Exception):
    """An answer that is not followed; the text is for the user."""


def get(url: str, word: str, max_bytes: int, seconds: float) -> bytes:
    """Download a body.

    Parameters
    ----------
    url : str
        An http or https URL.
    word : str
        What it is, for messages.
    max_bytes : int
        Size cap.
    seconds : float
        Time for all of it.

    Returns
    -------
    bytes
        The body.

    Raises
    ------
    ValueError
        If that does not succeed.
    """
    parts = urlsplit(url)
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    failed = f"Failed to download the {word} from {shown}:"
    if "@" in parts.netloc:
        raise ValueError(f"{failed} user names in URLs are not supported")
    with Deadline(seconds) as deadline:
        try:
            with _opener(deadline).open(_ascii(parts), timeout=deadline.left) as answer:
                body = _body(answer, max_bytes, deadline)
        except urllib.error.HTTPError as error:
            error.close()
            raise ValueError(f"{failed} HTTP {error.code} {error.reason}".rstrip()) from error
        except Exception as error:
            if deadline.passed or isinstance(error, TimeoutError):
                raise ValueError(f"{failed} it took more than {seconds:g} s") from error
            raise ValueError(f"{failed} {_reason(error)}") from error
    if body is None:
        raise ValueError(f"The {word} at {shown} exceeds {max_bytes} bytes ({max_bytes >> 20} MiB)")
    return body


def _ascii(parts: SplitResult) -> str:
    """Write a URL as HTTP takes it: host names in Punycode, the rest percent-encoded."""
    host = parts.netloc.encode("idna").decode() if not parts.netloc.isascii() else parts.netloc
    path = quote(parts.path, safe="%/:=&~+!$,;'@()*[]")
    query = quote(parts.query, safe="%/:=&?~+!$,;'@()*[]")
    return f"{parts.scheme}://{host}{path}{'?' * bool(query)}{query}"


def _reason(error: Exception) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return " ".join(str(reason).split())[:200] or type(reason).__name__


def _opener(deadline: Deadline) -> urllib.request.OpenerDirector:
    """Make an opener that knows http, https and proxies, and no other scheme."""
    plain = type("Plain", (_Watched, http.client.HTTPConnection), {"deadline": deadline})
    secure = type("Secure", (_Watched, http.client.HTTPSConnection), {"deadline": deadline})

    class Http(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(cast("Callable[..., http.client.HTTPConnection]", plain), req)

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(cast("Callable[..., http.client.HTTPConnection]", secure), req)

    opener = urllib.request.OpenerDirector()
    opener.addheaders = [("User-Agent", "dialog_ext"), ("Accept", "*/*")]
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
        urllib.request.HTTPErrorProcessor(),
        Http(),
        Https(),
    ):
        opener.add_handler(handler)
    return opener


def _body(answer: Any, max_bytes: int, deadline: Deadline) -> bytes | None:
    """Read all of it; None if it is more than the cap."""
    declared = answer.headers.get("Content-Length", "")
    length = int(declared) if declared.isdecimal() else None
    if length is not None and length > max_bytes:
        return None
    pieces, size = [], 0
    while piece := answer.read1(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > max_bytes:
            return None
    if deadline.passed:
        raise TimeoutError
    if length is not None and size < length:
        raise _RefusedError(f"it ended after {size} of {length} bytes")
    return b"".join(pieces)
