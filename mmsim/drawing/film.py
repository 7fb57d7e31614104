"""A film: one figure that holds every moment of a game: an SVG to step through, a picture, a GIF, a sheet."""

import math
import re
from collections.abc import Callable, Sequence
from io import BytesIO

from matplotlib.figure import Figure
from PIL import Image

from mmsim.drawing.palette import PAPER
from mmsim.drawing.sheet import Moments, own_settings, saved

_FRAME_DPI = 72  # of the pictures in a GIF or on a contact sheet
_GAP = 12  # pixels between the pictures of a contact sheet
_MANY_DIGITS = re.compile(rb"(\d\.\d\d)\d+")  # a hundredth of a point is fine enough
_LAST = 4  # how many times as long the last picture of a GIF is shown


def svg(draw: Callable[[], Figure]) -> bytes:
    """Everything at once; the ids of its groups say when each thing is there."""
    with own_settings():
        return _MANY_DIGITS.sub(rb"\1", saved(".svg", draw()))


def picture(draw: Callable[[], Figure], moment: int, kind: str) -> bytes:
    """One moment."""
    with own_settings():
        figure = draw()
        _show(figure, moment)
        return saved(kind, figure)


def gif(draw: Callable[[], Figure], moments: Sequence[int], seconds: float) -> bytes:
    """Some moments one after another, over and over."""
    first, *others = _frames(draw, moments)
    made = BytesIO()
    times = [round(1000 * seconds)] * len(others) + [round(1000 * seconds * _LAST)]
    first.save(made, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    return made.getvalue()


def contact_sheet(draw: Callable[[], Figure], moments: Sequence[int]) -> bytes:
    """Some moments side by side as one PNG, row by row."""
    frames = _frames(draw, moments)
    columns = math.ceil(math.sqrt(len(frames)))
    width, height = frames[0].width + _GAP, frames[0].height + _GAP
    rows = math.ceil(len(frames) / columns)
    sheet = Image.new("RGB", (columns * width + _GAP, rows * height + _GAP), PAPER)
    for i, frame in enumerate(frames):
        sheet.paste(frame, (_GAP + i % columns * width, _GAP + i // columns * height))
    made = BytesIO()
    sheet.save(made, "PNG")
    return made.getvalue()


def _frames(draw: Callable[[], Figure], moments: Sequence[int]) -> list[Image.Image]:
    with own_settings():
        figure = draw()
        frames = []
        for moment in moments:
            _show(figure, moment)
            frames.append(Image.open(BytesIO(saved(".png", figure, _FRAME_DPI))).convert("RGB"))
        return frames


def _show(figure: Figure, moment: int) -> None:
    """Hide what is not there at a moment."""
    for artist in figure.axes[0].get_children():
        there = Moments.of(artist.get_gid())
        if there is not None:
            artist.set_visible(moment in there)
