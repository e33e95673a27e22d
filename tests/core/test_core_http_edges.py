"""Downloads: what needs no server."""

from __future__ import annotations

import io
import urllib.request
from typing import Any

import pytest

from dialog_ext.core import ImageUrlBlock
from dialog_ext.core.http_get import _ascii, _Redirects, _RefusedError


@pytest.mark.parametrize("target", ["http://a/y", "HTTP://a/y", "ftp://a/y", "file:///y"])
def test_https_is_not_left(target: str) -> None:
    request, answer, headers = urllib.request.Request("https://a/x"), io.BytesIO(), {}
    headers["location"] = target
    checks: list[Any] = [
        lambda: _Redirects().redirect_request(request, answer, 302, "", headers, target),  # type: ignore[arg-type]
    ]
    if target.lower()[:4] != "http":
        checks.append(lambda: _Redirects().http_error_302(request, answer, 302, "", headers))  # type: ignore[arg-type]
    for check in checks:
        with pytest.raises(_RefusedError, match="redirects from https to"):
            check()
    assert answer.closed


def test_https_may_follow_http() -> None:
    request = urllib.request.Request("http://a/x")
    followed = _Redirects().redirect_request(
        request,
        io.BytesIO(),
        302,
        "",
        {},  # type: ignore[arg-type]
        "https://a/y",
    )
    assert followed is not None
    assert followed.full_url == "https://a/y"


def test_no_secrets_in_messages() -> None:
    for url in ("http://user:SECRET@127.0.0.1:1/a", "http://127.0.0.1:1/a?key=SECRET#SECRET"):
        with pytest.raises(ValueError, match="Failed to download") as caught:
            ImageUrlBlock(url).resolve_base64()
        error: BaseException | None = caught.value
        while error is not None:
            assert "SECRET" not in str(error)
            error = error.__cause__


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://a/b%20c?d=%2F&e=f,g;h#i", "http://a/b%20c?d=%2F&e=f,g;h"),
        ("http://bücher.example/ä?ö=ü", "http://xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC"),
        ("https://[::1]:8080", "https://[::1]:8080"),
    ],
)
def test_urls_are_sent_as_ascii(url: str, sent: str) -> None:
    from urllib.parse import urlsplit

    assert _ascii(urlsplit(url)) == sent
