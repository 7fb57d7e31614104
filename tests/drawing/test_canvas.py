"""Canvases: which marks a frame has, what an SVG contains, and how text is fitted."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from mmsim.drawing.board_canvas import BoardCanvas, mean, picture_kind, rotate_points
from mmsim.drawing.canvas import Canvas, FrameSpan
from mmsim.drawing.style import fitting_size, text_width
from mmsim.errors import UsageError


def texts(canvas: Canvas) -> list[str | None]:
    return [element.text for element in ElementTree.fromstring(canvas.svg()).iter("{http://www.w3.org/2000/svg}text")]


def test_a_frame_has_the_marks_that_are_visible_in_it() -> None:
    page = BoardCanvas(0, 10, 0, 10, animated=True)
    page.text((1, 1), "always", 1)
    page.during(2, 4).text((1, 1), "some", 1)
    page.during(3).text((1, 1), "from then on", 1)
    assert texts(page.canvas) == ["always", "some", "from then on"]
    frames = [texts(page.canvas.at_frame(frame))[1:] for frame in range(5)]
    assert frames == [[], [], ["some"], ["some", "from then on"], ["from then on"]]


def test_an_element_names_its_frames() -> None:
    assert [FrameSpan(3, None).element_id(7), FrameSpan(3, 4).element_id(8)] == ["when-3--7", "when-3-4-8"]


def test_text_of_users_is_escaped() -> None:
    page = BoardCanvas(0, 10, 0, 10)
    page.text((1, 1), "<b> & 'c'", 1, gid='"quoted"')
    assert texts(page.canvas) == ["<b> & 'c'"]


def test_an_inset_is_moved_and_scaled() -> None:
    page = BoardCanvas(0, 8, 0, 8)  # 72 points per edge
    page.inset((2, 6), 0.5).area([[(0, 0), (2, 0), (2, 2)]], "#000000")
    (shape,) = page.canvas.marks
    assert shape.strokes[0].points == [(144, 144), (216, 144), (216, 72)]  # type: ignore[union-attr]


def test_text_is_made_smaller_only_if_it_does_not_fit() -> None:
    width = text_width("a title", 2.0)
    assert fitting_size("a title", 2.0, 2 * width) == 2.0
    assert fitting_size("a title", 2.0, width / 2) == pytest.approx(1.0)


def test_points_are_rotated_then_moved() -> None:
    (x, y), _ = rotate_points([(1, 0), (0, 0)], 90, (5, 5))
    assert (x, y) == (pytest.approx(5), pytest.approx(6))
    assert mean([(0, 0), (2, 4)]) == (1, 2)


def test_only_svg_and_png_are_drawn() -> None:
    assert picture_kind(Path("board.SVG")) == ".svg"
    with pytest.raises(UsageError, match="the name of a picture ends in .svg or .png"):
        picture_kind(Path("board.jpg"))
