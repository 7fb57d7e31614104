"""How the tables of Metro are read: its metrics, the gaps in its rules that are counted, its report sections."""

from dataclasses import replace

import polars as pl

from mmsim.core import common_metrics as common
from mmsim.core.metrics import ChartPlan, Metric, SectionPlan, Statistics, Wording, mean_where, of_games, single
from mmsim.metro.openings import OPENINGS

_SCORES = (common.score_parts(**{part: pl.col(f"{part}_points") for part in ("line", "number", "share", "bonus")}),)
_LINES = (
    of_games("lines_ended", "How many lines of a game reach an end?", "lines", 0.05),
    of_games("lines_to_centre", "How many lines of a game reach the centre?", "lines", 0.05),
    of_games("longest_line", "How long is the longest line of a game?", "tiles", 0.25),
    Metric(
        "line_tiles",
        "How many tiles does a line that ended pass?",
        "tiles",
        0.25,
        "lines",
        ("ended", "tiles"),
        single(mean_where(pl.col("tiles"), pl.col("ended"))),
    ),
)

_CENTRE = ("{lines_to_centre} lines of a game reach the centre", ", the longest passes {longest_line} tiles")
_LINES_SECTION = SectionPlan(
    "lines",
    "Lines",
    _CENTRE,
    tuple(metric.name for metric in _LINES),
    (
        ChartPlan(
            "lines-ended",
            ("{lines_ended} lines of a game reach an end",),
            "Lines of a game that reached an end.",
            {"lines_ended": ""},
        ),
        ChartPlan("lines-to-centre", _CENTRE, "Lines of a game that reached the centre.", {"lines_to_centre": ""}),
        ChartPlan(
            "longest-line",
            ("the longest line passes {longest_line} tiles", ", one that ends {line_tiles}"),
            "Tiles that the longest line of a game passes.",
            {"longest_line": ""},
        ),
    ),
)
_COURSE_SECTION = replace(common.COURSE_SECTION, title=("the winner leads for good after {track_decided} of a game",))

STATISTICS = Statistics(
    metrics=(
        *common.SEATS,
        *_SCORES,
        *common.MARGINS,
        *common.TENSION,
        *common.COURSE,
        *common.ENDS,
        *_LINES,
        *common.BOTS,
    ),
    gaps=(replace(common.SHARED_WIN, rules="X12"),),
    sections=(common.SCORES_SECTION, common.TENSION_SECTION, _COURSE_SECTION, common.ENDS_SECTION, _LINES_SECTION),
    course=(
        common.LEAD_CHANGES,
        "the winner of {track_decided_at_scoring:full} of games leads only after points given after the last tile",
        common.AHEAD_BY,
    ),
    layout_outcomes={"track_lead_changes": "lead_changes"}
    | {name: name for name in ("margin", "turns", "lines_ended")},
    primary_metrics=("win_share", "seat_imbalance", "score", "margin", "lines_to_centre", "longest_line"),
    swept=(
        "seat_imbalance",
        "score",
        "margin",
        "track_lead_changes",
        "turns",
        "lines_to_centre",
        "longest_line",
        "spread",
    ),
    openings=OPENINGS,
    words={
        "lines_to_centre": Wording(
            "lines to the centre", "more lines reach the centre", "fewer lines reach the centre"
        ),
        "longest_line": Wording("longest line", "the longest line is longer", "the longest line is shorter"),
        "lines_ended": Wording("lines that end", "more lines reach an end", "fewer lines reach an end"),
    },
)
