"""How the tables of the toy are read."""

import polars as pl

from mmsim.core import common_metrics as common
from mmsim.core.metrics import ChartPlan, RuleGap, SectionPlan, Statistics, of_games

_ROLLS = of_games("rolls", "How many dice are rolled in a game?", "dice", 0.1)
_TITLE = ("{rolls} dice are rolled in a game", " of {turns} turns")

STATISTICS = Statistics(
    metrics=(*common.SEATS, *common.MARGINS, *common.COURSE, *common.ENDS, _ROLLS, *common.BOTS),
    gaps=(
        RuleGap("no_roll", "Nobody rolls a die.", "The game counts.", "games", pl.col("rolls") == 0),
        common.SHARED_WIN,
    ),
    sections=(
        common.SCORES_SECTION,
        common.COURSE_SECTION,
        common.ENDS_SECTION,
        SectionPlan(
            "rolls", "Rolls", _TITLE, ("rolls",), (ChartPlan("rolls", _TITLE, "Dice rolled in a game.", {"rolls": ""}),)
        ),
    ),
    course=(common.LEAD_CHANGES, common.AHEAD_BY, "{rolls:full} are rolled"),
    layout_outcomes={},
    primary_metrics=("win_share", "score", "rolls"),
    swept=("score", "rolls", "margin"),
)
