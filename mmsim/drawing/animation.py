"""A film: one canvas that holds every moment of a game: an SVG to step through, a picture, a GIF, a sheet."""

import math
from collections.abc import Callable, Sequence
from io import BytesIO

from PIL import Image

from mmsim.drawing.canvas import Canvas
from mmsim.drawing.palette import PAPER

_FRAME_DPI = 72  # of the pictures in a GIF or on a contact sheet
_GAP = 12  # pixels between the pictures of a contact sheet
_LAST = 4  # how many times as long the last picture of a GIF is shown


def svg(draw: Callable[[], Canvas]) -> bytes:
    """Everything at once; the ids of its groups say when each thing is there."""
    return draw().saved(".svg")


def picture(draw: Callable[[], Canvas], moment: int, kind: str) -> bytes:
    """One moment."""
    return draw().at(moment).saved(kind)


def gif(draw: Callable[[], Canvas], moments: Sequence[int], seconds: float) -> bytes:
    """Some moments one after another, over and over."""
    first, *others = _frames(draw, moments)
    made = BytesIO()
    times = [round(1000 * seconds)] * len(others) + [round(1000 * seconds * _LAST)]
    first.save(made, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    return made.getvalue()


def contact_sheet(draw: Callable[[], Canvas], moments: Sequence[int]) -> bytes:
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


def _frames(draw: Callable[[], Canvas], moments: Sequence[int]) -> list[Image.Image]:
    from mmsim.drawing.png import pixels  # matplotlib is slow to import; an SVG does without it

    film = draw()
    return [pixels(film.at(moment), _FRAME_DPI) for moment in moments]
