"""Pictures of an animated canvas, which holds every frame of a game: as SVG, one frame, a GIF or a contact sheet."""

import math
from collections.abc import Callable, Sequence
from io import BytesIO

from PIL import Image

from mmsim.drawing.canvas import Canvas
from mmsim.drawing.style import PAPER

_FRAME_DPI = 72
_GAP = 12  # pixels between the frames of a contact sheet
_LAST_FRAME_FACTOR = 4  # the last frame of a GIF is shown this many times as long


def svg(draw: Callable[[], Canvas]) -> bytes:
    """All frames at once; the id of each element says in which frames it is visible."""
    return draw().to_bytes(".svg")


def picture(draw: Callable[[], Canvas], frame: int, kind: str) -> bytes:
    return draw().at_frame(frame).to_bytes(kind)


def gif(draw: Callable[[], Canvas], frames: Sequence[int], seconds: float) -> bytes:
    """Some frames one after another, in a loop."""
    first, *others = _images(draw, frames)
    file = BytesIO()
    durations = [round(1000 * seconds)] * len(others) + [round(1000 * seconds * _LAST_FRAME_FACTOR)]
    first.save(file, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    return file.getvalue()


def contact_sheet(draw: Callable[[], Canvas], frames: Sequence[int]) -> bytes:
    """Some frames side by side as one PNG, row by row."""
    images = _images(draw, frames)
    columns = math.ceil(math.sqrt(len(images)))
    width, height = images[0].width + _GAP, images[0].height + _GAP
    rows = math.ceil(len(images) / columns)
    sheet = Image.new("RGB", (columns * width + _GAP, rows * height + _GAP), PAPER)
    for i, image in enumerate(images):
        sheet.paste(image, (_GAP + i % columns * width, _GAP + i // columns * height))
    file = BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()


def _images(draw: Callable[[], Canvas], frames: Sequence[int]) -> list[Image.Image]:
    from mmsim.drawing.png import rasterize  # matplotlib is slow to import; an SVG does without it

    canvas = draw()
    return [rasterize(canvas.at_frame(frame), _FRAME_DPI) for frame in frames]
