"""Charts drawn by other processes."""

import os
import signal
from functools import partial

from mmsim.analysis.stats import Estimate
from mmsim.report.chart_workers import ChartWorkers
from mmsim.report.charts import Row, dot_chart


def _killed_elsewhere(here: int) -> str:
    if os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return "drawn here"


def test_a_chart_is_the_same_in_whichever_process_it_is_drawn() -> None:
    rows = [Row("turns", [Estimate(3.0, 2.5, 3.5, 0.25, 100), None])]
    chart = dot_chart("turns", "Three turns", "Turns.", rows, ["print", "other"], "turns")
    with ChartWorkers() as workers:
        assert workers.submit(chart.files)() == chart.files()


def test_the_task_of_a_killed_worker_runs_in_this_process() -> None:
    with ChartWorkers() as workers:
        assert workers.submit(partial(_killed_elsewhere, os.getpid()))() == "drawn here"
        assert workers.submit(partial(_killed_elsewhere, os.getpid()))() == "drawn here"
