"""What charts show: legends whole and in order, bars, bands of tolerance, values for whoever points at a mark."""

import re
from functools import partial

import numpy as np
import pytest

from mmsim.analysis.stats import Estimate
from mmsim.drawing.canvas import Canvas, Letters, Shape
from mmsim.drawing.letters import text_width
from mmsim.report import charts, style
from mmsim.report.charts import Chart, Row
from mmsim.report.plot import Axis, Plot, round_numbers

SERIES = ("print", "print+loyal,change_minutes=2", "print+no-corruption", "v2")


def about(value: float, half: float = 0.02) -> Estimate:
    return Estimate(value, value - half, value + half, half / 2, 100)


def rows(tolerance: float = 0.05) -> list[Row]:
    label = "game over when the lead is taken for good"
    return [Row(label, [about(0.5 + i / 100) for i in range(4)], tolerance), Row("short", [about(0.2)] * 4, tolerance)]


def svg(draw: "partial[Canvas]", title: str = "A title") -> str:
    return Chart("one", title, "", draw).file("svg").decode()


def legend(canvas: Canvas, names: list[str]) -> list[Letters]:
    """What is written in a legend, as it is read: row by row."""
    texts = [mark for mark in canvas.marks if isinstance(mark, Letters) and mark.text in names]
    return sorted(texts, key=lambda text: (text.at[1], text.at[0]))[: len(names)]


def boxes(canvas: Canvas, colour: str) -> list[tuple[float, float, float, float]]:
    """Areas of a colour: left, top, right, bottom."""
    corners = [
        np.array(mark.strokes[0].points) for mark in canvas.marks if isinstance(mark, Shape) and mark.fill == colour
    ]
    return [(*box.min(axis=0), *box.max(axis=0)) for box in corners if len(box) == 4]


def test_a_legend_lies_within_its_chart_whatever_stands_left_of_it() -> None:
    canvas = charts.draw_dots(rows(), SERIES, "share", None)
    texts = legend(canvas, list(SERIES))
    assert [text.text for text in texts] == list(SERIES)
    assert all(0 < text.at[0] < text.at[0] + text_width(text.text, text.size) < canvas.width for text in texts)
    bands = boxes(canvas, style.GRID)
    assert max(text.at[1] for text in texts) < min(top for _, top, _, _ in bands)  # above the chart, not over it


def test_a_legend_is_read_row_by_row_in_the_order_drawn() -> None:
    names = ["a", "b", "c", "d" * 20]
    texts = legend(charts.draw_dots(rows(), names, "share", None), names)
    assert [text.text for text in texts] == names
    assert len({text.at[1] for text in texts}) == 2


def test_the_parts_of_a_score_are_named_as_they_lie_from_left_to_right() -> None:
    parts = np.array([[0.3, 8.0, -6.0, -1.0]])
    canvas = charts.draw_stacked_score(parts, ["kept", "trip", "fault", "fine"], [about(1.3)], ["print"])
    order = ["fine", "fault", "kept", "trip", "score"]
    assert [text.text for text in legend(canvas, order)] == order
    lefts = [max(boxes(canvas, style.colour(part)), key=lambda box: box[3])[0] for part in (3, 2, 0, 1)]
    assert lefts == sorted(lefts)


def test_scores_are_bars_that_hold_all_of_them() -> None:
    values = np.arange(-18, 40, 3)
    shares = np.full(len(values), 1 / len(values))
    drawn = svg(partial(charts.draw_distribution, [(values, shares)], ["print"], "points"))
    heights = [float(share) for share in re.findall(r"points, print: ([\d.]+) %</title>", drawn)]
    assert sum(heights) == pytest.approx(100, abs=0.5)
    assert len(heights) <= 18


@pytest.mark.parametrize("tolerance", [0.05, 0.3])
def test_an_axis_shows_what_is_within_tolerance(tolerance: float) -> None:
    canvas = charts.draw_by_variant([about(0.5), about(0.51)], SERIES[:2], "share", tolerance)
    bands = boxes(canvas, style.GRID)
    assert len(bands) == 2
    (base,) = [mark for mark in canvas.marks if isinstance(mark, Shape) and mark.edge == style.GRID]
    low, high = (x for x, _ in base.strokes[-1].points)
    assert all(low < left < right < high for left, _, right, _ in bands)
    assert bands[0][2] - bands[0][0] > 0.5 * (high - low)


def test_a_response_shows_what_is_within_tolerance_of_its_first_dot() -> None:
    canvas = charts.draw_response(["1", "2"], {"print": [about(5.0), about(5.01)]}, "dig", "points", 0.5)
    ((_, top, _, bottom),) = boxes(canvas, style.GRID)
    (base,) = [mark for mark in canvas.marks if isinstance(mark, Shape) and mark.edge == style.GRID]
    assert 0 < top < bottom < base.strokes[-1].points[0][1]


def test_one_variant_alone_has_no_band() -> None:
    assert not boxes(charts.draw_by_variant([about(0.5)], SERIES[:1], "share", 0.3), style.GRID)


def test_marks_say_their_values_to_whoever_points_at_them() -> None:
    drawn = svg(partial(charts.draw_dots, rows(), SERIES, "share", None))
    tips = re.findall(r"<title>([^<]*)</title>", drawn)
    assert "short, print: 20\u00a0% (18 to 22)" in tips
    assert len(tips) == 16  # a mark and a line for every variant of two rows
    stacked = partial(charts.draw_stacked_score, np.array([[1.0, -2.0]]), ["a", "<b>"], [about(-1.0)], ["print"])
    assert "<title>print, &lt;b&gt;: −2.00</title>" in svg(stacked)


def test_a_chart_on_a_page_has_the_colours_of_the_page_and_no_title() -> None:
    chart = Chart("one", 'The "title"', "", partial(charts.draw_dots, rows(), SERIES, "share", None))
    inline = chart.inline()
    assert 'aria-label="The &quot;title&quot;"' in inline
    assert 'fill="var(--s0)"' in inline
    assert not re.search("#[0-9a-fA-F]{6}", inline)
    assert "font-weight" not in inline
    assert "font-weight" in chart.file("svg").decode()


@pytest.mark.parametrize(
    ("low", "high", "most", "found"),
    [
        (0.0, 10.0, 6, [0, 2, 4, 6, 8, 10]),
        (-6.3, -4.8, 9, [-6.2, -6.0, -5.8, -5.6, -5.4, -5.2, -5.0, -4.8]),
        (42.2, 43.26, 4, [42.5, 43.0]),
        (0.99, 1.01, 5, [0.99, 0.995, 1.0, 1.005, 1.01]),
    ],
)
def test_numbers_on_an_axis_are_round(low: float, high: float, most: int, found: list[float]) -> None:
    assert round_numbers(low, high, most) == pytest.approx(found)


def test_an_axis_names_its_numbers_with_as_many_digits_as_they_need() -> None:
    axis = Axis(low=-0.5, high=0.5)
    assert axis.ticks(5) == [(-0.4, "−0.4"), (-0.2, "−0.2"), (0.0, "0.0"), (0.2, "0.2"), (0.4, "0.4")]


def test_an_axis_reaches_a_little_beyond_its_marks_and_where_there_is_only_one_too() -> None:
    plot = Plot(Axis(), Axis())
    plot.dot((3.0, 0.0), "o", style.INK)
    plot.line([(-np.inf, 0.0), (np.inf, 0.0)], style.INK, 1)
    plot.reach()
    for axis in (plot.x, plot.y):
        axis.settle()
    assert plot.x.low < 3.0 < plot.x.high
    assert plot.y.low < 0.0 < plot.y.high
    assert [plot.x.share(-np.inf), plot.x.share(3.0), plot.x.share(np.inf)] == pytest.approx([0.0, 0.5, 1.0])
