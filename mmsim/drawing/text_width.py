"""How wide letters come out in the font of all drawings, which comes with matplotlib."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PIL import ImageFont

from mmsim.drawing.canvas import Weight
from mmsim.drawing.palette import FONT

_UNIT = 100  # size at which letters are measured
CAPITAL = 0.73  # height of a capital letter of the font, in font sizes


def font_file(weight: Weight) -> Path:
    """The file of the font; matplotlib is not imported to find it."""
    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        raise RuntimeError(f"matplotlib, which the font {FONT} comes with, is not installed")
    name = FONT.replace(" ", "") + ("-Bold" if weight == "bold" else "")
    return Path(found.origin).parent / "mpl-data" / "fonts" / "ttf" / f"{name}.ttf"


@cache
def _font(weight: Weight) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(font_file(weight)), _UNIT, layout_engine=ImageFont.Layout.BASIC)


@cache
def text_width(text: str, size: float, weight: Weight = "normal") -> float:
    """How wide a text comes out, in the unit of its size."""
    return _font(weight).getlength(text) * size / _UNIT


def fitting(text: str, size: float, room: float, weight: Weight = "normal") -> float:
    """The size, made smaller if the text would not fit into the room."""
    return min(size, size * room / max(text_width(text, size, weight), 1e-9))
