"""The style that all drawings share: paper, ink, font, and the width of text in that font."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL import ImageFont

Weight = Literal["normal", "bold"]

PAPER = "#FFFFFF"
INK = "#2B2B2B"
FAINT = "#6E6A62"
FONT = "DejaVu Sans"  # ships with matplotlib, so that a drawing looks the same everywhere
CAPITAL_HEIGHT = 0.73  # height of its capital letters, in font sizes
_MEASURED_SIZE = 100  # font size at which text is measured


def font_file(weight: Weight) -> Path:
    """The file of the font, found without importing matplotlib."""
    matplotlib = find_spec("matplotlib")
    if matplotlib is None or matplotlib.origin is None:
        raise RuntimeError(f"matplotlib, which the font {FONT} ships with, is not installed")
    name = FONT.replace(" ", "") + ("-Bold" if weight == "bold" else "")
    return Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf" / f"{name}.ttf"


@cache
def _font(weight: Weight) -> "ImageFont.FreeTypeFont":
    from PIL import ImageFont  # slow to import; text on a terminal needs colours only

    return ImageFont.truetype(str(font_file(weight)), _MEASURED_SIZE, layout_engine=ImageFont.Layout.BASIC)


@cache
def text_width(text: str, size: float, weight: Weight = "normal") -> float:
    """The width of a text, in the unit of its size."""
    return _font(weight).getlength(text) * size / _MEASURED_SIZE


def fitting_size(text: str, size: float, width: float, weight: Weight = "normal") -> float:
    """The font size, reduced if the text would be wider than `width`."""
    return min(size, size * width / max(text_width(text, size, weight), 1e-9))
