"""The section on boards: whether what was found on average holds on every one of them."""

from collections import Counter

import numpy as np

from mmsim.analysis import number_format as fmt
from mmsim.analysis.board_effects import OnBoards, same_on_boards
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE
from mmsim.analysis.stats import Estimate
from mmsim.report import charts, sentences
from mmsim.report.charts import Row
from mmsim.report.report_data import ReportData
from mmsim.report.run_words import RunWords
from mmsim.report.sections import DOTS_NOTE, Section, Table, slug


def board_by_board(data: ReportData) -> Section | None:
    """Whether what was found on average over boards holds on every one of them, at the level that is shown."""
    if not data.board_comparisons:
        return None
    sentences_on_boards = sentences.on_every_board(data, RunWords(data).titles)
    chart_list, rows = [], []
    for over_levels in data.primary:
        comparison = over_levels.at(data.shown.level.name)
        if comparison is None:
            continue
        same = same_on_boards(comparison, data.board_comparisons)
        unit = fmt.difference_unit(comparison.measure.unit)
        label = fmt.label(comparison.measure.name, comparison.group)
        if comparison.measure.name == SEAT_IMBALANCE.name:
            title = f"{data.name_of(comparison.variant)} against {data.names[0]}, {label}, board by board"
            chart_rows = [Row(board, [difference]) for board, difference in same.differences.items()]
            chart_rows.append(Row("on average", [comparison.difference]))
            name = slug(f"boards-{data.name_of(comparison.variant)}-{label}")
            chart_list.append(charts.dot_chart(name, title, DOTS_NOTE, chart_rows, ["difference"], unit, 0.0))
        low, high = (
            fmt.value(Estimate(end, end, end, comparison.difference.se, 2), unit, signed=True) for end in same.range
        )
        count = len(same.differences)
        direction = "all" if same.direction else f"{max(_signs(same).values())} of {count}"
        rows.append(
            [
                data.name_of(comparison.variant),
                label,
                fmt.with_interval(comparison.difference, unit, signed=True),
                f"{low} to {high}",
                direction,
                f"{len(same.shown)} of {count}",
            ]
        )
    columns = ["variant", "metric", "on average", "lowest and highest", "boards with the same sign", "shown on"]
    caption = f"Every difference on every board{data.level_clause}"
    tables = [Table(caption, columns, rows, words=2)] if rows else []
    title = (sentences_on_boards or ["The same on every board?"])[-1].removesuffix(".")
    boards = f"Boards: {', '.join(data.board_comparisons)}. Differences are averages over them."
    return Section("every-board", "Board by board", title, [*sentences_on_boards[:-1], boards], chart_list, tables)


def _signs(same: OnBoards) -> Counter[float]:
    return Counter(float(np.sign(difference.value)) for difference in same.differences.values())
