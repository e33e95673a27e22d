"""Downloads, against a real HTTP server on loopback."""

from __future__ import annotations

import base64
import contextlib
import io
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from PIL import Image

from dialog_ext.core import (
    AudioBlock,
    AudioUrlBlock,
    ImageBlock,
    ImageUrlBlock,
    download,
    make_image_block,
)


def saved(image: Image.Image, kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def bomb() -> bytes:
    """A whole PNG of 20,000 x 20,000 pixels in a few kilobytes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    packer = zlib.compressobj(9)
    row = b"\0" * (20_000 // 8 + 1)
    packed = b"".join(packer.compress(row) for _ in range(20_000)) + packer.flush()
    header = struct.pack(">IIBBBBB", 20_000, 20_000, 1, 0, 0, 0, 0)
    return b"".join(
        [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", header), chunk(b"IDAT", packed), chunk(b"IEND", b"")]
    )


PNG = saved(Image.effect_noise((40, 40), 90))
JPEG = saved(Image.new("RGB", (9, 8), "blue"), "JPEG")
WAV = b"RIFF\x24\0\0\0WAVEfmt "
BOMB = bomb()
BODIES = {
    "/png": PNG,
    "/ü.png": PNG,
    "/png?size=1": PNG,
    "/jpeg": JPEG,
    "/gif": saved(Image.new("P", (3, 3)), "GIF"),
    "/wav": WAV,
    "/noise": b"\x80" * 64,
    "/truncated": PNG[: len(PNG) // 2],
    "/truncated-jpeg": JPEG[: len(JPEG) // 2],
    "/bomb": BOMB,
    "/empty": b"",
    "/text": b"<html>",
    "/eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n",
}
REDIRECTS = {
    "/to-png": "/png",
    "/to-file": "file:///etc/passwd",
    "/to-ftp": "ftp://127.0.0.1/a.png",
    "/to-data": "data:image/png;base64,AAAA",
    "/to-itself": "/to-itself",
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        from urllib.parse import unquote

        path = unquote(self.path)
        self.server.seen[path] += 1
        self.server.agents.append(self.headers.get("User-Agent"))
        self.close_connection = True
        if path in BODIES:
            return self.reply(200, BODIES[path], length=len(BODIES[path]))
        if path in REDIRECTS:
            return self.reply(302, b"", Location=REDIRECTS[path], length=0)
        special: dict[str, Callable[[], None]] = {
            "/declared": lambda: self.reply(200, b"", length=10**9),
            "/undeclared": self.endless,
            "/undeclared-wav": lambda: self.reply(200, WAV, length=None),
            "/short": lambda: self.reply(200, PNG[:50], length=len(PNG)),
            "/hang": lambda: self.wait(),
            "/hang-after-headers": lambda: (self.reply(200, b"", length=50), self.wait())[0],
            "/drip": lambda: self.drip(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", b"x"),
            "/drip-headers": lambda: self.drip(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
            "/slow-png": lambda: (time.sleep(0.05), self.reply(200, PNG, length=len(PNG)))[1],
            "/broken": lambda: self.wfile.write(b"no http at all\r\n\r\n") and None,
        }
        special.get(path, lambda: self.reply(404, b"gone", length=4))()
        return None

    def reply(self, status: int, body: bytes, length: int | None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def endless(self) -> None:
        self.reply(200, b"", length=None)
        while not self.server.over.is_set():
            self.wfile.write(b"x" * 65536)

    def wait(self) -> None:
        self.server.over.wait(10)

    def drip(self, head: bytes, again: bytes) -> None:
        self.wfile.write(head)
        while not self.server.over.wait(0.01):
            self.wfile.write(again)

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            super().handle()

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: Counter[str] = Counter()
        self.agents: list[str | None] = []
        self.over = threading.Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def server(running: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    running.seen.clear()
    running.agents.clear()
    download.images.clear()
    download.sounds.clear()
    return running


def capped(monkeypatch: pytest.MonkeyPatch, **caps: Any) -> None:
    """Tighten the caps, so that the tests need neither megabytes nor seconds."""
    image, audio = replace(download.IMAGE, **caps), replace(download.AUDIO, **caps)
    monkeypatch.setattr(download, "AUDIO", audio)
    monkeypatch.setattr(download.images, "_kind", image)
    monkeypatch.setattr(download.sounds, "_kind", audio)


def image(url: str) -> str:
    return ImageUrlBlock(url).resolve_base64()


def converted(url: str) -> str:
    return str(make_image_block(url, convert_to_base64=True))


def sound(url: str) -> str:
    return AudioUrlBlock(url, "wav").resolve_base64()


def sound_now(url: str) -> str:
    return str(AudioBlock.from_url(url, "wav"))


IMAGE_WAYS = [image, converted]
ALL_WAYS = [image, converted, sound, sound_now]


def test_caps() -> None:
    assert (download.IMAGE.max_bytes, download.IMAGE.seconds) == (25 * 2**20, 10)
    assert (download.AUDIO.max_bytes, download.AUDIO.seconds) == (50 * 2**20, 30)
    assert (download.IMAGE.kept, download.AUDIO.kept) == (128, 32)


@pytest.mark.parametrize("way", IMAGE_WAYS)
def test_png_comes_byte_for_byte(server: Server, way: Any) -> None:
    for path in ("/png", "/ü.png", "/png?size=1", "/png#part", "/to-png"):
        assert base64.b64decode(way(server.url(path))) == PNG
    assert set(server.agents) != {None}
    assert not any((agent or "").startswith("Python-urllib") for agent in server.agents)


@pytest.mark.parametrize(("path", "size"), [("/jpeg", (9, 8)), ("/gif", (3, 3))])
def test_other_pictures_become_png(server: Server, path: str, size: tuple[int, int]) -> None:
    text = image(server.url(path))
    assert ImageBlock(text).value == text
    with Image.open(io.BytesIO(base64.b64decode(text))) as back:
        assert (back.format, back.size) == ("PNG", size)


@pytest.mark.parametrize("way", IMAGE_WAYS)
@pytest.mark.parametrize(
    "path", ["/truncated", "/truncated-jpeg", "/bomb", "/empty", "/text", "/noise", "/eps"]
)
def test_what_is_no_picture(server: Server, way: Any, path: str) -> None:
    with pytest.raises(ValueError, match=r".{10}"):
        way(server.url(path))
    assert len(download.images) == 0


def test_bomb_is_no_block() -> None:
    assert len(BOMB) < 100_000
    text = base64.b64encode(BOMB).decode()
    assert not ImageBlock.is_valid_base64_png(text)
    with pytest.raises(ValueError, match="Invalid base64"):
        ImageBlock(text)


@pytest.mark.parametrize("way", ALL_WAYS)
@pytest.mark.parametrize("path", ["/gone", "/to-itself", "/short", "/broken"])
def test_failed_downloads(server: Server, way: Any, path: str) -> None:
    with pytest.raises(ValueError, match="Failed to download") as caught:
        way(server.url(path + "?token=secret")) if path == "/gone" else way(server.url(path))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("way", ALL_WAYS)
@pytest.mark.parametrize("path", ["/to-file", "/to-ftp", "/to-data"])
def test_redirects_to_other_schemes(server: Server, way: Any, path: str) -> None:
    with pytest.raises(ValueError, match="Failed to download") as caught:
        way(server.url(path))
    assert "redirects" in str(caught.value)
    assert "passwd" not in str(caught.value)


@pytest.mark.parametrize("way", ALL_WAYS)
def test_nobody_listens(server: Server, way: Any) -> None:
    import socket

    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(ValueError, match="Failed to download"):
            way(f"http://127.0.0.1:{bound.getsockname()[1]}/a.png")
    with pytest.raises(ValueError, match="Failed to download"):
        way("http://127.0.0.1:99999/a.png")


@pytest.mark.parametrize("way", ALL_WAYS)
@pytest.mark.parametrize("path", ["/declared", "/undeclared", "/png"])
def test_too_large(server: Server, way: Any, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    capped(monkeypatch, max_bytes=1000)
    with pytest.raises(ValueError, match="exceeds"):
        way(server.url(path))


def test_exactly_the_cap_is_not_too_large(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    capped(monkeypatch, max_bytes=len(WAV))
    assert base64.b64decode(sound(server.url("/wav"))) == WAV
    capped(monkeypatch, max_bytes=len(WAV) - 1)
    with pytest.raises(ValueError, match="exceeds"):
        sound_now(server.url("/wav"))


def test_exactly_the_cap_without_a_declared_size(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    capped(monkeypatch, max_bytes=len(WAV))
    assert base64.b64decode(sound(server.url("/undeclared-wav"))) == WAV
    capped(monkeypatch, max_bytes=len(WAV) - 1)
    with pytest.raises(ValueError, match="exceeds"):
        sound_now(server.url("/undeclared-wav"))


def test_no_program_is_run_for_a_picture(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import EpsImagePlugin

    ran: list[Any] = []
    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", lambda *args, **options: ran.append(args))
    with pytest.raises(ValueError, match="decoded"):
        image(server.url("/eps"))
    assert ran == []


def test_declared_size_is_refused_before_it_is_read(server: Server) -> None:
    with pytest.raises(ValueError, match="exceeds"):
        image(server.url("/declared"))


@pytest.mark.parametrize("way", [image, sound_now])
@pytest.mark.parametrize("path", ["/hang", "/hang-after-headers", "/drip", "/drip-headers"])
def test_slow_servers(server: Server, way: Any, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    capped(monkeypatch, seconds=0.05)
    with pytest.raises(ValueError, match="Failed to download"):
        way(server.url(path))


def test_no_thread_stays_behind(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    capped(monkeypatch, seconds=0.05)
    before = {thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)}
    image(server.url("/png"))
    with pytest.raises(ValueError, match="Failed"):
        image(server.url("/drip"))
    timers = [t for t in threading.enumerate() if isinstance(t, threading.Timer)]
    for timer in set(timers) - before:
        timer.join(1)
        assert not timer.is_alive()


@pytest.mark.parametrize("way", IMAGE_WAYS)
def test_one_download_per_url(server: Server, way: Any) -> None:
    texts = {way(server.url("/png")) for _ in range(3)} | {image(server.url("/png"))}
    assert len(texts) == 1
    assert server.seen["/png"] == 1
    image(server.url("/png?size=1"))
    assert server.seen["/png?size=1"] == 1


def test_one_download_per_sound_but_from_url_fetches_anew(server: Server) -> None:
    for _ in range(3):
        assert base64.b64decode(sound(server.url("/wav"))) == WAV
    assert server.seen["/wav"] == 1
    for n in (2, 3):
        assert AudioBlock.from_url(server.url("/wav"), meta={"a": 1}).format == "wav"
        assert server.seen["/wav"] == n


def test_failures_are_not_kept(server: Server) -> None:
    for n in (1, 2):
        with pytest.raises(ValueError, match="404"):
            image(server.url("/gone"))
        assert server.seen["/gone"] == n


def test_a_changed_block_fetches_its_new_url(server: Server) -> None:
    block = ImageUrlBlock(server.url("/png"))
    block.resolve_base64()
    block.value = server.url("/jpeg")
    block.resolve_base64()
    assert (server.seen["/png"], server.seen["/jpeg"]) == (1, 1)


def test_threads_share_one_download(server: Server) -> None:
    with ThreadPoolExecutor(6) as pool:
        texts = set(pool.map(image, [server.url("/slow-png")] * 12))
    assert len(texts) == 1
    assert server.seen["/slow-png"] == 1


def test_threads_share_a_failure_and_wait_once(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    capped(monkeypatch, seconds=0.2)

    def failure(url: str) -> str:
        with pytest.raises(ValueError, match="Failed to download") as caught:
            image(url)
        return str(caught.value)

    start = threading.Barrier(4)
    with ThreadPoolExecutor(4) as pool:
        texts = list(
            pool.map(lambda url: (start.wait(), failure(url))[1], [server.url("/hang")] * 4)
        )
    assert len(set(texts)) == 1
    assert server.seen["/hang"] == 1


@pytest.mark.parametrize(("cache", "way", "size"), [("images", image, 128), ("sounds", sound, 32)])
def test_the_longest_unused_goes_first(
    server: Server, cache: str, way: Any, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    monkeypatch.setattr(download, "fetch", lambda url, kind: (fetched.append(url), PNG)[1])
    urls = [f"http://127.0.0.1/{i}" for i in range(size)]
    for url in urls:
        way(url)
    way(urls[0])
    way("http://127.0.0.1/one-more")
    assert len(getattr(download, cache)) == size
    assert len(fetched) == size + 1
    way(urls[0])
    assert len(fetched) == size + 1
    way(urls[1])
    assert len(fetched) == size + 2


def test_empty_sound(server: Server) -> None:
    for way in (sound, sound_now):
        with pytest.raises(ValueError, match=r"empty|Invalid"):
            way(server.url("/empty"))


def test_format_of_a_downloaded_sound(server: Server) -> None:
    assert AudioBlock.from_url(server.url("/wav")).format == "wav"
    with pytest.raises(ValueError, match="format"):
        AudioBlock.from_url(server.url("/noise"))
    assert AudioBlock.from_url(server.url("/noise"), "pcm").format == "pcm"


def test_user_names_do_not_get_into_messages(server: Server) -> None:
    url = server.url("/png").replace("//", "//user:password@")
    for way in ALL_WAYS:
        with pytest.raises(ValueError, match="Failed to download") as caught:
            way(url)
        assert "password" not in str(caught.value)


def test_errors_are_short(server: Server) -> None:
    for call in (partial(image, server.url("/gone")), partial(image, server.url("/text"))):
        with pytest.raises(ValueError, match=r".") as caught:
            call()
        assert len(str(caught.value).splitlines()) <= 2
        assert len(str(caught.value)) < 400
