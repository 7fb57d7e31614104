"""What charts show: legends, bars, bands of tolerance, tooltips."""

import re
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmsim.analysis.stats import Estimate
from mmsim.report import chart_style, charts
from mmsim.report.charts import Chart, Row
from mmsim.report.page import PRELOADED

SERIES = ("print", "print+loyal,change_minutes=2", "print+no-corruption", "v2")


def about(value: float, half: float = 0.02) -> Estimate:
    return Estimate(value, value - half, value + half, half / 2, 100)


def rows(tolerance: float = 0.05) -> list[Row]:
    label = "game over when the lead is taken for good"
    return [Row(label, [about(0.5 + i / 100) for i in range(4)], tolerance), Row("short", [about(0.2)] * 4, tolerance)]


def lay_out(figure: Any) -> None:
    figure.get_layout_engine().execute(figure)
    figure.draw_without_rendering()


def svg(draw: "partial[object]", title: str = "A title") -> str:
    return Chart("name", title, "", draw).files()["svg"].decode()  # type: ignore[arg-type]


def test_a_legend_fits_into_its_chart_beside_long_labels() -> None:
    with chart_style.settings():
        figure = charts.draw_dots(rows(), SERIES, "share", None)
        lay_out(figure)
        (legend,) = figure.legends
        box, whole = legend.get_window_extent(), figure.bbox
        assert box.x0 >= whole.x0 - 1
        assert box.x1 <= whole.x1 + 1
        assert box.y0 >= figure.axes[0].get_window_extent().y1 - 1  # above the chart, not over it


def test_the_last_tick_label_of_an_axis_fits_into_the_chart() -> None:
    with chart_style.settings():
        wide = [
            Estimate(0.05, 0.0, 0.10, 0.02, 9),
            Estimate(0.05, 0.007, 0.10, 0.02, 9),
            Estimate(0.04, 0.0, 0.167, 0.04, 9),
        ]
        figure = charts.draw_by_variant(wide, ["print", "print+loyal", "print+no-corruption"], "share distance", 0.0)
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine(None)  # as it is saved
        figure.draw_without_rendering()
        axes, numbers = figure.axes[0], figure.axes[0].get_xticklabels()
        shown = [text.get_window_extent().x1 for text in numbers if text.get_position()[0] <= axes.get_xlim()[1]]
        assert max(shown) <= figure.bbox.x1


def test_a_legend_is_read_row_by_row_in_the_order_drawn() -> None:
    with chart_style.settings():
        figure = charts.draw_dots(rows(), ["a", "b", "c", "d" * 20], "share", None)
        lay_out(figure)
        texts = figure.legends[0].get_texts()
        placed = sorted(texts, key=lambda text: (-round(text.get_window_extent().y0), text.get_window_extent().x0))
        assert [text.get_text() for text in placed] == ["a", "b", "c", "d" * 20]


def test_the_parts_of_a_score_are_in_the_legend_from_left_to_right() -> None:
    parts = np.array([[0.3, 8.0, -6.0, -1.0]])
    with chart_style.settings():
        figure = charts.draw_stacked_score(parts, ["kept", "trip", "fault", "fine"], [about(1.3)], ["print"], "points")
        lay_out(figure)
        texts = figure.legends[0].get_texts()
        placed = sorted(texts, key=lambda text: (-round(text.get_window_extent().y0), text.get_window_extent().x0))
        assert [text.get_text() for text in placed] == ["fine", "fault", "kept", "trip", "score"]


def test_the_bars_of_scores_add_up_to_all_seats() -> None:
    values = np.arange(-18, 40, 3)
    shares = np.full(len(values), 1 / len(values))
    with chart_style.settings():
        figure = charts.draw_distribution([(values, shares)], ["print"], "points")
        assert sum(bar.get_height() for bar in figure.axes[0].patches) == pytest.approx(100)
        assert len(figure.axes[0].patches) <= 18
        assert not figure.axes[0].lines


@pytest.mark.parametrize("tolerance", [0.05, 0.3])
def test_an_axis_shows_what_is_within_tolerance(tolerance: float) -> None:
    with chart_style.settings():
        figure = charts.draw_by_variant([about(0.5), about(0.51)], SERIES[:2], "share", tolerance)
        low, high = figure.axes[0].get_xlim()
        assert low <= 100 * (0.5 - tolerance) < 100 * (0.5 + tolerance) <= high


def test_a_response_shows_what_is_within_tolerance_of_its_first_dot() -> None:
    with chart_style.settings():
        lines = {"print": [about(5.0), about(5.01)]}
        low, high = charts.draw_response(["1", "2"], lines, "dig", "points", 0.5).axes[0].get_ylim()
        assert low <= 4.5 < 5.5 <= high


def test_one_variant_alone_has_no_band() -> None:
    with chart_style.settings():
        figure = charts.draw_by_variant([about(0.5)], SERIES[:1], "share", 0.3)
        low, high = figure.axes[0].get_xlim()
        assert high - low < 10


def test_marks_have_tooltips_with_their_values() -> None:
    drawn = svg(partial(charts.draw_dots, rows(), SERIES, "share", None))
    tooltips = re.findall(r"<title>([^<]*)</title>", drawn)
    assert "short, print: 20\u00a0% (18 to 22)" in tooltips
    assert len(tooltips) == 16  # a mark and a line for every variant of two rows
    assert "tooltip:" not in drawn
    stacked = partial(
        charts.draw_stacked_score, np.array([[1.0, -2.0]]), ["a", "<b>"], [about(-1.0)], ["print"], "points"
    )
    assert "<title>print, &lt;b&gt;: −2.00</title>" in svg(stacked)


def test_what_the_fork_server_loads_is_safe_to_fork() -> None:
    """Polars has threads of its own, which a fork would leave behind."""
    program = f"import sys, {', '.join(PRELOADED)}; print('polars' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout == "False\n"
