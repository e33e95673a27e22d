"""create_llm_message, and the format in which a picture is sent."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from dialog_ext.history import LLMHistory, create_llm_message
from dialog_ext.history.pictures import _file_bytes


def sent(picture: Image.Image) -> tuple[str, bytes]:
    """Media type and bytes of the one part that a lone picture gives."""
    (part,) = create_llm_message(picture)["content"]
    assert set(part) == {"type", "image_url"}
    head, _, data = part["image_url"].partition(";base64,")
    assert head.startswith("data:")
    return head.removeprefix("data:"), base64.b64decode(data, validate=True)


def shown(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as opened:
        opened.load()
        return opened


def photo(size: tuple[int, int] = (24, 16)) -> Image.Image:
    return Image.radial_gradient("L").resize(size).convert("RGB")


# content


def test_a_text_is_the_content() -> None:
    assert create_llm_message("hi") == {"role": "user", "content": "hi"}


def test_a_list_gives_parts() -> None:
    message = create_llm_message(["a", Image.new("RGB", (2, 2)), "b"])
    text, picture, more = message["content"]
    assert text == {"type": "text", "text": "a"}
    assert more == {"type": "text", "text": "b"}
    assert picture["type"] == "image_url"
    assert isinstance(picture["image_url"], str)
    assert picture["image_url"].startswith("data:image/png;base64,")
    assert set(picture) == {"type", "image_url"}


def test_a_tuple_counts_as_a_list() -> None:
    assert create_llm_message(("a", "b")) == create_llm_message(["a", "b"])
    assert create_llm_message([])["content"] == []


def test_a_lone_picture_gives_a_list_with_one_item() -> None:
    assert len(create_llm_message(Image.new("L", (1, 1)))["content"]) == 1


@pytest.mark.parametrize("role", ["system", "tool", "developer", "", None, 3])
def test_the_role_is_not_checked(role: Any) -> None:
    assert create_llm_message("x", role) == {"role": role, "content": "x"}
    assert LLMHistory().with_message(role, "x")[0]["role"] == role


@pytest.mark.parametrize("item", [123, None, ["a"], {"type": "text"}, b"x"])
def test_bad_item(item: Any) -> None:
    with pytest.raises(TypeError) as got:
        create_llm_message(["a", item])
    start = "Unsupported type for message content item at #1 - "
    assert str(got.value) == start + repr(item)


@pytest.mark.parametrize("content", [123, None, {"a": 1}, b"x", {"a"}, object])
def test_bad_content(content: Any) -> None:
    with pytest.raises(TypeError) as got:
        create_llm_message(content)
    assert str(got.value) == f"Unsupported content type - {content!r}"


def test_a_generator_is_no_list() -> None:
    def texts() -> Iterator[str]:
        yield "a"

    with pytest.raises(TypeError, match=r"^Unsupported content type - <generator"):
        create_llm_message(texts())  # type: ignore[arg-type]  # the point of the test


# pictures that were drawn


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I", "I;16"])
def test_drawn_pictures_are_png_without_loss(mode: str) -> None:
    picture = photo().convert("L").convert(mode) if mode != "P" else photo().convert("P")
    mime, data = sent(picture)
    assert mime == "image/png"
    again = shown(data)
    assert again.size == picture.size
    if mode == "I":
        assert again.convert("I").tobytes() == picture.tobytes()
    else:
        assert again.convert("RGBA").tobytes() == picture.convert("RGBA").tobytes()


@pytest.mark.parametrize(
    ("mode", "sent_mode"),
    [
        ("CMYK", "RGB"),
        ("YCbCr", "RGB"),
        ("HSV", "RGB"),
        ("F", "L"),
        ("RGBX", "RGB"),
        ("PA", "RGBA"),
        ("La", "LA"),
        ("RGBa", "RGBA"),
    ],
)
def test_modes_that_png_lacks(mode: str, sent_mode: str) -> None:
    picture = Image.new(mode, (3, 2))
    mime, data = sent(picture)
    assert mime == "image/png"
    assert shown(data).size == (3, 2)
    assert data == sent(picture.convert(sent_mode))[1]


@pytest.mark.parametrize(("mode", "is_kept"), [("CMYK", False), ("LAB", False), ("RGB", True)])
def test_a_colour_profile_goes_with_its_colours(mode: str, is_kept: bool) -> None:
    picture = Image.new(mode, (2, 2))
    picture.info["icc_profile"] = b"profile"
    assert ("icc_profile" in shown(sent(picture)[1]).info) is is_kept
    assert picture.info["icc_profile"] == b"profile"


def test_transparency_survives() -> None:
    picture = Image.new("RGBA", (2, 1), (255, 0, 0, 0))
    picture.putpixel((1, 0), (0, 0, 255, 128))
    assert shown(sent(picture)[1]).getpixel((1, 0)) == (0, 0, 255, 128)


def test_the_same_picture_gives_the_same_bytes() -> None:
    assert sent(photo()) == sent(photo())


# pictures from files

FORMATS = [
    ("JPEG", "image/jpeg"),
    ("PNG", "image/png"),
    ("WEBP", "image/webp"),
    ("GIF", "image/gif"),
    ("MPO", "image/jpeg"),
]


def file_of(folder: Path, kind: str) -> Path:
    path = folder / f"picture.{kind.lower()}"
    more = {"save_all": True, "append_images": [photo().rotate(90)]} if kind == "MPO" else {}
    photo().save(path, kind, **more)
    return path


@pytest.mark.parametrize("is_loaded", [False, True])
@pytest.mark.parametrize(("kind", "mime"), FORMATS)
def test_a_file_is_sent_as_it_is(kind: str, mime: str, is_loaded: bool, tmp_path: Path) -> None:
    path = file_of(tmp_path, kind)
    with Image.open(path) as picture:
        if is_loaded:
            picture.load()
        assert sent(picture) == (mime, path.read_bytes())
        assert sent(picture) == (mime, path.read_bytes())


@pytest.mark.parametrize(("kind", "mime"), FORMATS)
def test_bytes_in_memory_are_sent_as_they_are(kind: str, mime: str, tmp_path: Path) -> None:
    data = file_of(tmp_path, kind).read_bytes()
    assert sent(Image.open(io.BytesIO(data))) == (mime, data)


def test_an_animation_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "two.gif"
    frames = [Image.new("L", (4, 4), shade) for shade in (0, 200)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    with Image.open(path) as picture:
        assert sent(picture) == ("image/gif", path.read_bytes())
        picture.seek(1)
        mime, data = sent(picture)
    assert mime == "image/png"
    assert shown(data).convert("L").getpixel((0, 0)) == 200


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_a_file_that_was_drawn_on_is_sent_as_it_looks(kind: str, tmp_path: Path) -> None:
    with Image.open(file_of(tmp_path, kind)) as picture:
        picture.load()
        ImageDraw.Draw(picture).line((0, 0, 23, 15), fill=0)
        mime, data = sent(picture)
        assert mime == "image/png"
        assert shown(data).convert("RGB").tobytes() == picture.convert("RGB").tobytes()


def test_another_palette_is_another_picture(tmp_path: Path) -> None:
    path = tmp_path / "p.png"
    photo().convert("P").save(path)
    with Image.open(path) as picture:
        picture.putpalette([i % 256 for i in range(768)])
        _, data = sent(picture)
        assert data != path.read_bytes()
        assert shown(data).convert("RGB").tobytes() == picture.convert("RGB").tobytes()


@pytest.mark.parametrize("change", [lambda p: p.crop((0, 0, 5, 5)), lambda p: p.copy()])
def test_what_is_made_from_a_file_is_drawn(change: Any, tmp_path: Path) -> None:
    with Image.open(file_of(tmp_path, "JPEG")) as picture:
        assert sent(change(picture))[0] == "image/png"


def test_a_thumbnail_of_a_file_is_sent_small(tmp_path: Path) -> None:
    with Image.open(file_of(tmp_path, "JPEG")) as picture:
        picture.thumbnail((6, 6))
        mime, data = sent(picture)
    assert mime == "image/png"
    assert max(shown(data).size) == 6


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_jpeg_whose_bytes_are_out_of_reach_stays_a_jpeg(is_gone: bool, tmp_path: Path) -> None:
    path = file_of(tmp_path, "JPEG")
    picture = Image.open(path if is_gone else io.BytesIO(path.read_bytes()))
    picture.load()
    path.unlink()
    mime, data = sent(picture)
    assert mime == "image/jpeg"
    again = shown(data)
    assert again.quantization == picture.quantization
    assert again.size == picture.size


def test_a_file_that_was_replaced_is_not_sent(tmp_path: Path) -> None:
    path = file_of(tmp_path, "PNG")
    with Image.open(path) as picture:
        picture.load()
        Image.new("RGB", (24, 16)).save(path)
        assert shown(sent(picture)[1]).tobytes() == picture.tobytes()
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(30))
        assert shown(sent(picture)[1]).tobytes() == picture.tobytes()
        path.write_text("no picture")
        assert shown(sent(picture)[1]).tobytes() == picture.tobytes()


def test_other_formats_become_png(tmp_path: Path) -> None:
    for kind in ("BMP", "TIFF"):
        with Image.open(file_of(tmp_path, kind)) as picture:
            mime, data = sent(picture)
            assert mime == "image/png"
            assert shown(data).tobytes() == picture.tobytes()


def test_a_stream_that_cannot_go_back() -> None:
    class OneWay(io.BytesIO):
        def tell(self) -> int:
            raise io.UnsupportedOperation("tell")

    out = io.BytesIO()
    photo().save(out, "BMP")
    picture = Image.open(io.BytesIO(out.getvalue()))
    picture.format = "PNG"
    picture.fp = OneWay(out.getvalue())
    mime, data = sent(picture)
    assert mime == "image/png"
    assert shown(data).tobytes() == photo().tobytes()


def test_reading_the_file_leaves_its_place() -> None:
    out = io.BytesIO()
    photo().save(out, "PNG")
    picture = Image.open(out)
    place = out.tell()
    assert list(_file_bytes(picture)) == [out.getvalue()]
    assert out.tell() == place > 0


@given(st.lists(st.text(max_size=5)))
@settings(max_examples=30)
def test_any_texts(texts: list[str]) -> None:
    content = create_llm_message(texts)["content"]
    assert [part["text"] for part in content] == texts
