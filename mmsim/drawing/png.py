"""A page of marks as pixels, drawn with Agg, the part of matplotlib that does so."""

from math import cos, radians, sin
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as Outline
from matplotlib.transforms import Affine2D
from PIL import Image

from mmsim.drawing.canvas import POINTS_PER_INCH, Canvas, Letters, Shape
from mmsim.drawing.palette import PAPER
from mmsim.drawing.text_width import font_file, text_width

_RENDERER: Any = RendererAgg  # matplotlib does not say of what types it is
_CODES = {"L": Outline.LINETO, "C": Outline.CURVE4}


def pixels(canvas: Canvas, dpi: int) -> Image.Image:
    """The page on paper, as an image."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a user's own settings do not change pictures
        scale = dpi / POINTS_PER_INCH
        width, height = round(canvas.width * scale), round(canvas.height * scale)
        renderer = _RENDERER(width, height, dpi)
        upright = Affine2D().scale(scale, -scale).translate(0, height)  # Agg counts from the lower left corner
        for mark in canvas.marks:
            if isinstance(mark, Shape):
                _draw_shape(renderer, mark, upright)
            else:
                _draw_letters(renderer, mark, scale)
        drawn = Image.fromarray(np.asarray(renderer.buffer_rgba()).copy())
    paper = Image.new("RGB", drawn.size, PAPER if canvas.paper == "none" else canvas.paper)
    paper.paste(drawn, mask=drawn.getchannel("A"))
    return paper


def _draw_shape(renderer: Any, mark: Shape, upright: Affine2D) -> None:
    points, codes = [], []
    for own, steps, closed in mark.strokes:
        points += [*own, *([own[0]] if closed else [])]
        codes += [Outline.MOVETO, *(_CODES[step] for step in steps or "L" * (len(own) - 1))]
        codes += [Outline.CLOSEPOLY] if closed else []
    pen = renderer.new_gc()
    pen.set_alpha(mark.opacity)
    pen.set_linewidth(mark.width if mark.edge != "none" else 0)
    if mark.edge != "none":
        pen.set_foreground(to_rgb(mark.edge), isRGBA=False)
    pen.set_capstyle("butt" if mark.dashes or mark.flat else "round")
    pen.set_joinstyle("round")
    if mark.dashes:
        pen.set_dashes(0, mark.dashes)
    face = None if mark.fill == "none" else to_rgb(mark.fill)
    renderer.draw_path(pen, Outline(points, codes), upright, face)
    pen.restore()


def _draw_letters(renderer: Any, mark: Letters, scale: float) -> None:
    pen = renderer.new_gc()
    pen.set_foreground(mark.colour)
    back = {"left": 0.0, "center": 0.5, "right": 1.0}[mark.align] * text_width(mark.text, mark.size, mark.weight)
    angle = radians(mark.angle)
    x, y = (mark.at[0] - back * cos(angle)) * scale, (mark.at[1] + back * sin(angle)) * scale
    font = FontProperties(fname=str(font_file(mark.weight)), size=mark.size)
    renderer.draw_text(pen, x, y, mark.text, font, mark.angle)
    pen.restore()
