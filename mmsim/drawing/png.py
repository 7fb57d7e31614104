"""A page of marks as pixels, drawn with Agg, the renderer of matplotlib."""

from math import cos, radians, sin
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from PIL import Image

from mmsim.drawing.canvas import POINTS_PER_INCH, Canvas, Shape, Text
from mmsim.drawing.style import PAPER, font_file, text_width

_RENDERER: Any = RendererAgg  # matplotlib does not declare its types
_PATH_CODES = {"L": Path.LINETO, "C": Path.CURVE4}


def rasterize(canvas: Canvas, dpi: int) -> Image.Image:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # the user's settings must not change pictures
        scale = dpi / POINTS_PER_INCH
        width, height = round(canvas.width * scale), round(canvas.height * scale)
        renderer = _RENDERER(width, height, dpi)
        upwards = Affine2D().scale(scale, -scale).translate(0, height)  # Agg counts from the lower left corner
        for mark in canvas.marks:
            if isinstance(mark, Shape):
                _draw_shape(renderer, mark, upwards)
            else:
                _draw_text(renderer, mark, scale)
        rendered = Image.fromarray(np.asarray(renderer.buffer_rgba()).copy())
    page = Image.new("RGB", rendered.size, PAPER)
    page.paste(rendered, mask=rendered.getchannel("A"))
    return page


def _draw_shape(renderer: Any, shape: Shape, transform: Affine2D) -> None:
    points, codes = [], []
    for stroke_points, steps, closed in shape.strokes:
        points += [*stroke_points, *([stroke_points[0]] if closed else [])]
        codes += [Path.MOVETO, *(_PATH_CODES[step] for step in steps or "L" * (len(stroke_points) - 1))]
        codes += [Path.CLOSEPOLY] if closed else []
    pen = renderer.new_gc()
    pen.set_linewidth(shape.width if shape.edge != "none" else 0)
    if shape.edge != "none":
        pen.set_foreground(to_rgb(shape.edge), isRGBA=False)
    pen.set_capstyle("butt" if shape.dashes else "round")
    pen.set_joinstyle("round")
    if shape.dashes:
        pen.set_dashes(0, shape.dashes)
    face = None if shape.fill == "none" else to_rgb(shape.fill)
    renderer.draw_path(pen, Path(points, codes), transform, face)
    pen.restore()


def _draw_text(renderer: Any, mark: Text, scale: float) -> None:
    pen = renderer.new_gc()
    pen.set_foreground(mark.colour)
    shift = {"left": 0.0, "center": 0.5, "right": 1.0}[mark.align] * text_width(mark.text, mark.size, mark.weight)
    angle = radians(mark.angle)
    x, y = (mark.at[0] - shift * cos(angle)) * scale, (mark.at[1] + shift * sin(angle)) * scale
    font = FontProperties(fname=str(font_file(mark.weight)), size=mark.size)
    renderer.draw_text(pen, x, y, mark.text, font, mark.angle)
    pen.restore()
