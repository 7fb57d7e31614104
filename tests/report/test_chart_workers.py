"""Charts drawn by other processes."""

import os
import signal
from functools import partial

from mmsim.analysis.stats import Estimate
from mmsim.report.chart_workers import Drawers
from mmsim.report.charts import Row
from mmsim.report.figures import dots


def _killed_elsewhere(here: int) -> str:
    if os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return "drawn here"


def test_a_chart_is_the_same_whoever_draws_it() -> None:
    rows = [Row("turns", [Estimate(3.0, 2.5, 3.5, 0.25, 100), None])]
    chart = dots("turns", "Three turns", "Turns.", rows, ["print", "other"], "turns")
    with Drawers() as drawers:
        assert drawers.ask(chart.files)() == chart.files()


def test_what_a_killed_process_was_to_draw_is_drawn_here() -> None:
    with Drawers() as drawers:
        assert drawers.ask(partial(_killed_elsewhere, os.getpid()))() == "drawn here"
        assert drawers.ask(partial(_killed_elsewhere, os.getpid()))() == "drawn here"
