"""Pictures of outputs on their way to a request."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from dialog_ext.core import ImageBlock
from dialog_ext.dialog import Message
from dialog_ext.prompt.context import spans
from dialog_ext.prompt.pictures import LONGEST_SIDE, as_png, opened


def payload(mode: str = "RGB", size: tuple[int, int] = (4, 3), form: str = "PNG") -> str:
    buffer = io.BytesIO()
    Image.new(mode, size).save(buffer, form)
    return base64.b64encode(buffer.getvalue()).decode()


def test_a_small_png_stays_as_it_is() -> None:
    assert as_png(payload()) == payload()


@pytest.mark.parametrize(
    ("mode", "form"),
    [("RGB", "JPEG"), ("CMYK", "JPEG"), ("L", "JPEG"), ("RGBA", "PNG"), ("P", "PNG")],
)
def test_a_large_or_foreign_one_becomes_a_smaller_png(mode: str, form: str) -> None:
    png = as_png(payload(mode, (2000, 500), form))
    assert png is not None
    picture = opened(png)
    assert picture.format == "PNG"
    assert picture.size == (LONGEST_SIDE, 192)
    ImageBlock(png)


def test_a_png_without_its_end_is_written_anew() -> None:
    cut = base64.b64encode(base64.b64decode(payload())[:-12]).decode()
    png = as_png(cut)
    assert png is not None
    ImageBlock(png)


@pytest.mark.parametrize(
    "bad", ["", "no base64!", base64.b64encode(b"no picture").decode(), payload()[:40]]
)
def test_what_is_no_picture_is_left_out(bad: str) -> None:
    assert as_png(bad) is None
    output = {"output_type": "display_data", "data": {"image/png": bad}, "metadata": {}}
    (span,) = spans(Message("show()", output=[output]))
    assert span.images is None
