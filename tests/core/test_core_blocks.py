"""Blocks: what they hold, and what they refuse, on construction and on assignment."""

from __future__ import annotations

import base64
import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from dialog_ext.core import (
    AudioBlock,
    AudioUrlBlock,
    CBlock,
    Component,
    FunctionTool,
    ImageBlock,
    ImageUrlBlock,
    Message,
    ModelOutputThunk,
    ModelToolCall,
    TemplateRepresentation,
    blockify,
    get_audio_from_component,
    get_images_from_component,
    make_image_block,
)

URL = "https://example.org/a.png"
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int = 1, height: int = 1, rows: bytes = b"\0\0", depth: int = 8) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(rows))
    return SIGNATURE + chunk(b"IHDR", header) + body + chunk(b"IEND", b"")


PNG = saved(Image.new("RGB", (3, 2), "red"))
PNG64 = b64(PNG)
WAV = b"RIFF\x24\0\0\0WAVEfmt "
WAV64 = b64(WAV)


# -- CBlock


@pytest.mark.parametrize("value", [42, 1.5, b"bytes", ["a"], CBlock("x"), True])
def test_cblock_takes_strings_only(value: Any) -> None:
    with pytest.raises(TypeError, match="should always be a string or None"):
        CBlock(value)
    block = CBlock("kept")
    with pytest.raises(TypeError, match="should always be a string or None"):
        block.value = value
    assert block.value == str(block) == "kept"


def test_cblock_of_none() -> None:
    block = CBlock(None)
    assert block.value is None
    assert str(block) == ""
    block.value = "text"
    assert str(block) == "text"
    block.value = None
    assert block.value is None


def test_meta_is_a_copy_and_readable_by_both_names() -> None:
    given_meta = {"a": 1}
    for block in (
        CBlock("x", given_meta),
        ImageBlock(PNG64, given_meta),
        ImageUrlBlock(URL, given_meta),
        AudioBlock(WAV64, "wav", given_meta),
        AudioUrlBlock(URL, "wav", given_meta),
        make_image_block(URL, meta=given_meta),
        AudioBlock.from_bytes(WAV, meta=given_meta),
    ):
        assert block.meta == block._meta == given_meta
        block.meta["b"] = 2
        assert block._meta["b"] == 2
    assert given_meta == {"a": 1}
    assert CBlock("x").meta == {}
    assert CBlock("x").meta is not CBlock("x").meta


def test_cache_is_a_flag() -> None:
    assert CBlock("x").cache is False
    assert CBlock("x", cache=True).cache is True


# -- pictures by content


@pytest.mark.parametrize(
    "value",
    [
        PNG64,
        f"data:image/png;base64,{PNG64}",
        f"data:image/png;name=a;base64,{PNG64}",
        PNG64.rstrip("="),
        "\n".join(PNG64[i : i + 20] for i in range(0, len(PNG64), 20)) + "\n",
        b64(png()),
        b64(png() + b"trailing bytes after the end"),
        b64(saved(Image.new("RGBA", (300, 300)))),
        b64(saved(Image.new("1", (9, 9)))),
        b64(saved(Image.new("P", (9, 9)))),
        b64(saved(Image.new("I;16", (9, 9)))),
    ],
)
def test_good_pictures_stay_as_given(value: str) -> None:
    assert ImageBlock.is_valid_base64_png(value) is True
    block = ImageBlock(value)
    assert block.value == str(block) == value


NO_PICTURES: list[Any] = [
    "",
    "text",
    "data:image/png;base64,",
    "data:image/png," + PNG64,
    "é" + PNG64,
    PNG64[:-1] + "*",
    URL,
    None,
    42,
    PNG,
    b64(b""),
    b64(SIGNATURE),
    b64(SIGNATURE + b"\0" * 50),
    b64(PNG[:-1]),
    b64(PNG[:-12]),
    b64(PNG[: len(PNG) // 2]),
    b64(PNG[8:]),
    b64(PNG.replace(b"IHDR", b"IHDX")),
    b64(saved(Image.new("RGB", (3, 2)), "JPEG")),
    b64(saved(Image.new("RGB", (3, 2)), "GIF")),
    b64(png(width=0)),
    b64(png(width=60_000, height=60_000)),
    b64(png(rows=b"\0")),
    b64(png(depth=3)),
    b64(SIGNATURE + chunk(b"IHDR", b"\0" * 13) + chunk(b"IEND", b"")),
]


@pytest.mark.parametrize("value", NO_PICTURES)
def test_anything_else_is_no_picture(value: Any) -> None:
    assert ImageBlock.is_valid_base64_png(value) is False
    with pytest.raises(ValueError, match="Invalid base64"):
        ImageBlock(value)
    block = ImageBlock(PNG64)
    with pytest.raises(ValueError, match="Invalid base64"):
        block.value = value
    assert block.value == PNG64


@given(st.data())
def test_a_damaged_picture_is_no_picture(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(PNG) - 1))
    flip = data.draw(st.integers(1, 255))
    broken = bytearray(PNG)
    broken[at] ^= flip
    # Every chunk of this picture is critical, and each byte is under a checksum.
    assert not ImageBlock.is_valid_base64_png(b64(bytes(broken)))
    assert not ImageBlock.is_valid_base64_png(b64(PNG[:at]))


MODES = [
    "1",
    "L",
    "LA",
    "La",
    "P",
    "PA",
    "RGB",
    "RGBA",
    "RGBa",
    "RGBX",
    "CMYK",
    "YCbCr",
    "LAB",
    "HSV",
]
MODES += ["I", "I;16", "I;16B", "F"]


@pytest.mark.parametrize("mode", MODES)
def test_pillow_pictures_of_every_mode(mode: str) -> None:
    image = Image.new(mode, (4, 3))
    text = ImageBlock.pil_to_base64(image)
    with Image.open(io.BytesIO(base64.b64decode(text))) as back:
        assert (back.format, back.size) == ("PNG", (4, 3))
    assert ImageBlock.from_pil_image(image, {"m": mode}).meta == {"m": mode}
    assert type(make_image_block(image)) is ImageBlock


def test_pillow_pictures_round_trip() -> None:
    image = Image.frombytes("RGB", (2, 2), bytes(range(12)))
    block = ImageBlock.from_pil_image(image)
    with Image.open(io.BytesIO(base64.b64decode(str(block)))) as back:
        assert back.tobytes() == image.tobytes()


def test_pillow_pictures_that_cannot_be_saved() -> None:
    noise = Image.effect_noise((64, 64), 90)
    files = [saved(noise, kind) for kind in ("PNG", "JPEG")]
    cut = [Image.open(io.BytesIO(file[: len(file) // 2])) for file in files]
    for broken in [Image.new("RGB", (0, 5)), *cut]:
        with pytest.raises(ValueError, match="picture"):
            ImageBlock.pil_to_base64(broken)
        with pytest.raises(ValueError, match="picture"):
            make_image_block(broken)
    with pytest.raises(TypeError, match="PIL image"):
        ImageBlock.pil_to_base64("no picture")  # type: ignore[arg-type]


def test_subclass_makes_its_own() -> None:
    class Mine(ImageBlock):
        pass

    assert type(Mine.from_pil_image(Image.new("L", (1, 1)))) is Mine


# -- addresses


@pytest.mark.parametrize("value", ["http://a.b", "https://a.b/c?d#e", "HTTPS://A.B/c", URL])
def test_addresses(value: str) -> None:
    assert ImageUrlBlock(value).value == value
    assert AudioUrlBlock(value, "wav").value == value
    assert type(make_image_block(value)) is ImageUrlBlock


NO_URLS: list[Any] = ["", "ftp://a.b/c", "file:///etc/passwd", "a.b/c", "http://", "http:///c"]
NO_URLS += [
    PNG64,
    f"data:image/png;base64,{PNG64}",
    "http://a b/c",
    "http://a.b/\n",
    None,
    42,
    b"http://a",
]


@pytest.mark.parametrize("value", NO_URLS)
def test_other_addresses_are_refused(value: Any) -> None:
    for make in (ImageUrlBlock, lambda v: AudioUrlBlock(v, "wav"), AudioBlock.from_url):
        with pytest.raises(ValueError, match="http"):
            make(value)
    for block in (ImageUrlBlock(URL), AudioUrlBlock(URL, "wav")):
        with pytest.raises(ValueError, match="http"):
            block.value = value
        assert block.value == URL


def test_long_values_are_not_repeated_in_errors() -> None:
    for make in (ImageUrlBlock, make_image_block, ImageBlock, AudioBlock.from_file):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the length is the point
            make("x" * 100_000)
        assert len(str(caught.value)) < 300


# -- make_image_block


@pytest.mark.parametrize("src", [1, None, b"bytes", ["a"], CBlock("x")])
def test_make_image_block_of_no_source(src: Any) -> None:
    with pytest.raises(TypeError, match="expects a PIL image or a string"):
        make_image_block(src)


@pytest.mark.parametrize("src", ["", "text", "ftp://a.b/c.png", "/tmp/a.png", b64(PNG[:-1])])
def test_make_image_block_of_odd_text(src: str) -> None:
    with pytest.raises(ValueError, match="could not interpret"):
        make_image_block(src)


@pytest.mark.parametrize("convert", [True, False])
def test_make_image_block_of_base64(convert: bool) -> None:
    for text in (PNG64, f"data:image/png;base64,{PNG64}"):
        block = make_image_block(text, convert_to_base64=convert, meta={"a": 1})
        assert type(block) is ImageBlock
        assert (block.value, block.meta) == (text, {"a": 1})


# -- sounds


@pytest.mark.parametrize(
    "value", ["", "*", "data:audio/wav;base64,", None, 42, b"AAAA", "é", "AAAAA"]
)
def test_no_sound(value: Any) -> None:
    assert AudioBlock.is_valid_base64_audio(value) is False
    with pytest.raises(ValueError, match="Invalid base64"):
        AudioBlock(value, "wav")
    block = AudioBlock(WAV64, "wav")
    with pytest.raises(ValueError, match="Invalid base64"):
        block.value = value
    assert block.value == WAV64


@pytest.mark.parametrize(
    "value", ["AAAA", "AA", "AA==", "AA\nAA\n", f"data:audio/wav;base64,{WAV64}"]
)
def test_content_of_a_sound_is_not_looked_at(value: str) -> None:
    assert AudioBlock.is_valid_base64_audio(value) is True
    assert str(AudioBlock(value, "anything")) == value


@pytest.mark.parametrize(
    ("mime", "name"),
    [
        ("audio/wav", "wav"),
        ("audio/x-wav", "wav"),
        ("audio/wave", "wav"),
        ("audio/mpeg", "mp3"),
        ("audio/x-mpeg", "mp3"),
        ("audio/x-mp3", "mp3"),
        ("audio/mp3", "mp3"),
        ("audio/x-flac", "flac"),
        ("audio/flac", "flac"),
        ("audio/ogg", "ogg"),
        ("audio/ogg;codecs=opus", "ogg"),
        ("audio/x-strange", "x-strange"),
    ],
)
def test_format_from_a_data_uri(mime: str, name: str) -> None:
    assert AudioBlock(f"data:{mime};base64,{WAV64}").format == name
    assert AudioBlock(f"data:{mime};base64,{WAV64}", "pcm").format == "pcm"


@pytest.mark.parametrize("name", [None, "", "  ", "\t\n"])
def test_format_is_never_blank(name: Any) -> None:
    for make in (lambda: AudioBlock(WAV64, name), lambda: AudioUrlBlock(URL, name)):
        with pytest.raises(ValueError, match="non-empty"):
            make()
    for block in (AudioBlock(WAV64, "wav"), AudioUrlBlock(URL, "wav")):
        with pytest.raises(ValueError, match="non-empty"):
            block.format = name
        assert block.format == "wav"
    with pytest.raises(ValueError, match="non-empty"):
        AudioBlock(f"data:;base64,{WAV64}")
    with pytest.raises(ValueError, match="non-empty"):
        AudioUrlBlock(URL)


SOUNDS = [
    (WAV, "wav"),
    (b"RIFF\0\0\0\0AVI ", None),
    (b"ID3\x04" + b"\0" * 20, "mp3"),
    (b"\xff\xfb\x90\x64", "mp3"),
    (b"\xff\xf3\x40\xc4", "mp3"),
    (b"\xff\xf1\x50\x80", "aac"),
    (b"\xff\xfe\x41\x00", None),  # text in UTF-16
    (b"\xff\xfb\xf0\x00", None),  # a bit rate that does not exist
    (b"fLaC\0\0\0\x22", "flac"),
    (b"OggS\0\x02", "ogg"),
    (b"\0\0\0\x20ftypM4A \0", "m4a"),
    (b"\0\0\0\x20ftypisom\0", "mp4"),
    (b"FORM\0\0\0\0AIFF", "aiff"),
    (b"\x1aE\xdf\xa3\x01", "webm"),
    (PNG, None),
    (b"", None),
    (b"plain text", None),
]


@pytest.mark.parametrize(("data", "name"), SOUNDS)
def test_format_from_content(data: bytes, name: str | None, tmp_path: Path) -> None:
    assert AudioBlock.detect_format(data) == name
    file = tmp_path / "mislabelled.ogg"
    file.write_bytes(data)
    for make in (lambda: AudioBlock.from_bytes(data), lambda: AudioBlock.from_file(file)):
        if name is None:
            with pytest.raises(ValueError, match="format"):
                make()
        else:
            block = make()
            assert (block.format, base64.b64decode(str(block))) == (name, data)


def test_format_follows_a_data_uri_that_is_assigned() -> None:
    block = AudioBlock(f"data:audio/wav;base64,{WAV64}")
    block.value = f"data:audio/mpeg;base64,{WAV64}"
    assert block.format == "mp3"
    block.value = WAV64
    assert block.format == "mp3"
    named = AudioBlock(f"data:audio/wav;base64,{WAV64}", "pcm")
    named.value = f"data:audio/mpeg;base64,{WAV64}"
    assert named.format == "pcm"


def test_given_format_wins(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(WAV)
    assert AudioBlock.from_bytes(WAV, "pcm").format == "pcm"
    assert AudioBlock.from_bytes(b"raw", "pcm", {"a": 1}).meta == {"a": 1}
    assert AudioBlock.from_file(str(tmp_path / "a"), "pcm").format == "pcm"
    with pytest.raises(ValueError, match="Invalid base64"):
        AudioBlock.from_bytes(b"", "wav")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    secret = "s" * 500
    for path in (tmp_path / "none.wav", tmp_path, secret * 20, "nul\0byte", tmp_path / secret):
        with pytest.raises(ValueError, match="path") as caught:
            AudioBlock.from_file(path)
        assert secret not in str(caught.value)
        assert caught.value.__cause__ is None


# -- blockify and attachments


def test_blockify() -> None:
    assert type(blockify("x")) is CBlock
    assert str(blockify("x")) == "x"
    for span in (
        CBlock("x"),
        ImageBlock(PNG64),
        Component(),
        Message("user", ""),
        ModelOutputThunk(None),
    ):
        assert blockify(span) is span
    for odd in (1, None, b"x", object()):
        with pytest.raises(TypeError, match=type(odd).__name__):
            blockify(odd)  # type: ignore[arg-type]


class Leaf(Component[str]):
    def format_for_llm(self) -> str:
        return ""


class Declares(Component[str]):
    formatted = 0

    def format_for_llm(self) -> TemplateRepresentation:
        type(self).formatted += 1
        return TemplateRepresentation(
            self, {}, images=[ImageUrlBlock(URL)], audio=[AudioUrlBlock(URL, "wav")]
        )


CASES = [
    ("images", get_images_from_component, [ImageBlock(PNG64), ImageUrlBlock(URL)]),
    ("audio", get_audio_from_component, [AudioBlock(WAV64, "wav"), AudioUrlBlock(URL, "wav")]),
]


@pytest.mark.parametrize(("name", "read", "blocks"), CASES)
def test_attachments(name: str, read: Any, blocks: list[Any]) -> None:
    leaf: Any = Leaf()
    assert read(leaf) is None
    setattr(leaf, name, blocks)
    assert read(leaf) is blocks
    setattr(leaf, name, tuple(blocks))
    assert read(leaf) == blocks
    for nothing in (None, [], ()):
        setattr(leaf, name, nothing)
        assert read(leaf) is None
    for odd in (["text"], [CBlock("x")], blocks[0], "text", 42):
        setattr(leaf, name, odd)
        with pytest.raises(TypeError, match=name):
            read(leaf)
    assert read(Component()) is None


@pytest.mark.parametrize(("name", "read", "blocks"), CASES)
def test_representation_is_asked_only_without_the_attribute(
    name: str, read: Any, blocks: list[Any]
) -> None:
    declares: Any = Declares()
    Declares.formatted = 0
    assert [str(block) for block in read(declares)] == [URL]
    assert Declares.formatted == 1
    setattr(declares, name, None)
    assert read(declares) is None
    setattr(declares, name, [])
    assert read(declares) is None
    assert Declares.formatted == 1


def test_message() -> None:
    picture, sound = ImageBlock(PNG64), AudioBlock(WAV64, "wav")
    calls = [{"id": "1"}]
    message = Message(
        "tool",
        "text",
        images=(picture,),
        audio=iter([sound]),
        thinking="hm",
        tool_calls=calls,
        tool_call_id="i",
        tool_name="n",
    )
    assert get_images_from_component(message) == [picture]
    assert get_audio_from_component(message) == [sound]
    text, *attached = message.parts()
    assert (str(text), attached) == ("text", [picture, sound])
    form = message.format_for_llm()
    assert (form.obj, form.args["content"], form.role) == (message, "text", "tool")
    assert (form.images, form.audio, form.thinking) == ([picture], [sound], "hm")
    assert (form.tool_calls, form.tool_call_id, form.tool_name) == (calls, "i", "n")
    plain = Message("user", "text")
    assert plain.images is plain.audio is plain.tool_calls is None
    assert get_images_from_component(plain) is None
    assert repr(plain) == "Message('user', 'text')"
    assert isinstance(plain, Component)


def test_message_is_checked() -> None:
    for call in (
        lambda: Message("user", 42),  # type: ignore[arg-type]
        lambda: Message(None, "x"),  # type: ignore[arg-type]
        lambda: Message("user", "x", images=["text"]),  # type: ignore[list-item]
        lambda: Message("user", "x", audio=[ImageBlock(PNG64)]),  # type: ignore[list-item]
    ):
        with pytest.raises(TypeError):
            call()


def test_message_from_an_answer() -> None:
    mot: ModelOutputThunk[Any] = ModelOutputThunk("yes")
    mot.thinking = "hm"
    mot.tool_calls = [ModelToolCall("f", FunctionTool(len), {"a": 1}, "id")]
    message = Message("user", "?").parse(mot)
    assert message.tool_calls is not None
    (call,) = message.tool_calls
    assert (call["id"], call["type"], call["function"]["name"]) == ("id", "function", "f")
    assert json.loads(call["function"]["arguments"]) == {"a": 1}
    assert (message.role, message.content, message.thinking) == ("assistant", "yes", "hm")
