"""Pictures of an animated canvas, which holds every frame of a game: one frame, or several as a GIF."""

from collections.abc import Callable, Sequence
from io import BytesIO

from mmsim.drawing.canvas import Canvas

_FRAME_DPI = 72
_LAST_FRAME_FACTOR = 4  # the last frame of a GIF is shown this many times as long


def picture(draw: Callable[[], Canvas], frame: int, kind: str) -> bytes:
    return draw().at_frame(frame).to_bytes(kind)


def gif(draw: Callable[[], Canvas], frames: Sequence[int], seconds: float) -> bytes:
    """Some frames one after another, in a loop."""
    from mmsim.drawing.png import rasterize  # matplotlib is slow to import; an SVG does without it

    canvas = draw()
    first, *others = (rasterize(canvas.at_frame(frame), _FRAME_DPI) for frame in frames)
    file = BytesIO()
    durations = [round(1000 * seconds)] * len(others) + [round(1000 * seconds * _LAST_FRAME_FACTOR)]
    first.save(file, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    return file.getvalue()
