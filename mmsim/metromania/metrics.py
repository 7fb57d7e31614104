"""How the tables of Metromania are read: what is measured, which gaps of its rules are counted, what a report tells."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from mmsim.core import common_metrics as common
from mmsim.core.metrics import (
    ChartPlan,
    Gap,
    Metric,
    SectionPlan,
    Shape,
    Statistics,
    Values,
    by_word,
    mean,
    mean_where,
    of_games,
    single,
)
from mmsim.metromania.openings import OPENINGS
from mmsim.metromania.rules.board import PIECES, BoardSet

_TEST_TRIP = pl.col("trip") != "park_lake"
_POSSIBLE = pl.col("minutes").is_not_null()
_BLOCKED = pl.col("block_reason").is_not_null()
_STARTED = pl.col("start_side").is_not_null()
_COMPANIES = pl.col("involved").bitwise_count_ones()


def _line_fates(shape: Shape) -> Values:
    return {
        "ended": mean(pl.col("ended")),
        "blocked": mean(_BLOCKED),
        "never started": mean(~_STARTED),
        "under way": mean(_STARTED & ~pl.col("ended") & ~_BLOCKED),
    }


_SCORES = (
    common.score_parts(
        kept=pl.col("kept_points"), trip=pl.col("trip_points"), penalties=-pl.col("penalties").cast(pl.Float64)
    ),
    Metric(
        "points_forgone",
        "How many station points does a company lose because a line did not end?",
        "points",
        0.5,
        "seats",
        ("station_points", "kept_points"),
        single(mean(pl.col("station_points") - pl.col("kept_points"))),
    ),
)
_BUILDING = (
    of_games("coverage", "How much of the board is built on?", "share", 0.01),
    of_games("stations_left", "How many stations are left over?", "stations", 0.25),
)
_LINES = (
    Metric(
        "line_fates",
        "What becomes of a line?",
        "share",
        0.01,
        "lines",
        ("ended", "block_reason", "start_side"),
        _line_fates,
    ),
    Metric(
        "block_reason",
        "What do lines lack that are blocked?",
        "share",
        0.01,
        "lines",
        ("block_reason",),
        by_word("lines", "block_reason"),
    ),
    of_games("lines_ended", "How many lines of a game reach an end?", "lines", 0.05),
    of_games("lines_blocked", "How many lines of a game end up blocked?", "lines", 0.05, better="less"),
    Metric(
        "line_tunnels",
        "How long is a line that ended?",
        "tunnels",
        0.25,
        "lines",
        ("ended", "tunnels"),
        single(mean_where(pl.col("tunnels"), pl.col("ended"))),
    ),
    Metric(
        "line_stations",
        "How many stations does a line that ended serve?",
        "stations",
        0.1,
        "lines",
        ("ended", "stations"),
        single(mean_where(pl.col("stations"), pl.col("ended"))),
    ),
)
_TRIPS = (
    Metric(
        "trips_possible",
        "How many of the test trips are possible?",
        "share",
        0.01,
        "trips",
        ("trip", "minutes"),
        single(mean_where(_POSSIBLE, _TEST_TRIP)),
    ),
    Metric(
        "trip_minutes",
        "How long does a possible test trip take?",
        "minutes",
        0.25,
        "trips",
        ("trip", "minutes"),
        single(mean_where(pl.col("minutes").fill_null(0), _TEST_TRIP & _POSSIBLE)),
    ),
    Metric(
        "trip_companies",
        "How many companies are on a fastest route of a possible trip?",
        "companies",
        0.05,
        "trips",
        ("minutes", "involved"),
        single(mean_where(_COMPANIES, _POSSIBLE)),
        better="more",
    ),
    Metric("fault", "Why are trips impossible?", "share", 0.01, "trips", ("fault",), by_word("trips", "fault")),
    Metric(
        "park_lake_possible",
        "How often can one travel from the park to the lake?",
        "share",
        0.01,
        "trips",
        ("trip", "minutes"),
        single(mean_where(_POSSIBLE, ~_TEST_TRIP)),
    ),
    Metric(
        "park_lake_minutes",
        "How long does a possible trip from the park to the lake take?",
        "minutes",
        0.25,
        "trips",
        ("trip", "minutes"),
        single(mean_where(pl.col("minutes").fill_null(0), ~_TEST_TRIP & _POSSIBLE)),
    ),
    Metric(
        "markers_placed",
        "How many of its markers does a company place?",
        "markers",
        0.05,
        "seats",
        ("markers_placed",),
        single(mean(pl.col("markers_placed"))),
    ),
)

_GAPS = (
    Gap(
        "deadlock",
        "Nobody can build any more, and no end of the building phase has been triggered.",
        "The building phase ends there, without a last round.",
        "games",
        ("end_reason",),
        pl.col("end_reason") == "deadlock",
        "T4 P3",
    ),
    Gap(
        "pass",
        "A company in turn can neither dig nor place a station.",
        "It passes, and plays again when its turn comes.",
        "games",
        ("passes",),
        pl.col("passes") > 0,
        "T4",
    ),
    Gap(
        "start_overflow",
        "A line is to start, but no free start is left on the sides allowed to it.",
        "It may start at any free start.",
        "games",
        ("start_overflows",),
        pl.col("start_overflows") > 0,
        "B2",
    ),
    Gap(
        "end_overflow",
        "A line is to end, but no free end is left on the sides allowed to it.",
        "It may end at any free end.",
        "games",
        ("end_overflows",),
        pl.col("end_overflows") > 0,
        "D4",
    ),
    Gap(
        "short_supply",
        "A move would need two stations, and only one is left.",
        "The move is not allowed.",
        "games",
        ("short_supply",),
        pl.col("short_supply") > 0,
        "D5",
    ),
    Gap(
        "two_reasons",
        "Two reasons to end the building phase hold at once.",
        "The first of them in the order of the book is named; play is the same.",
        "games",
        ("two_reasons",),
        pl.col("two_reasons") > 0,
        "P1",
    ),
    Gap(
        "half_point",
        "A company keeps half of an odd number of points.",
        "Rounded as the ruleset says; down where the book is silent.",
        "seats",
        ("station_points", "lines_ended"),
        (pl.col("lines_ended") == 1) & (pl.col("station_points") % 2 == 1),
        "L1",
    ),
    Gap(
        "shared_trip",
        "Several companies are on a fastest route of one trip.",
        "Scored as the ruleset says; the editions differ with two players.",
        "trips",
        ("minutes", "involved"),
        _POSSIBLE & (_COMPANIES > 1),
        "TT4 TT6",
    ),
    Gap(
        "line_not_started",
        "A company's line was never started.",
        "It counts as neither ended nor blocked.",
        "lines",
        ("start_side",),
        ~_STARTED,
        "P2",
    ),
    replace(common.SHARED_WIN, rules="W1"),
)

_SCORING_DECIDES = "the winner of {track_decided_at_scoring} of games leads only after the final scoring"
_TRIPS_POSSIBLE = ("{trips_possible} of test trips are possible", " and take {trip_minutes} minutes")
_LINES_END = ("{line_fates[ended]} of lines reach an end, {line_fates[blocked]} are blocked",)
_SECTIONS = (
    replace(common.SCORES_SECTION, metrics=("score", "score_parts", "points_forgone", "margin", "spread")),
    common.TENSION_SECTION,
    replace(common.COURSE_SECTION, title=(_SCORING_DECIDES,)),
    replace(common.ENDS_SECTION, metrics=("end_reason", "turns", "coverage", "stations_left")),
    SectionPlan(
        "trips",
        "Trips",
        _TRIPS_POSSIBLE,
        tuple(metric.name for metric in _TRIPS),
        (
            ChartPlan(
                "trips-possible",
                _TRIPS_POSSIBLE,
                "Share of trips that are possible.",
                {"trips_possible": "test trips", "park_lake_possible": "park to lake"},
            ),
            ChartPlan(
                "faults",
                ("{fault.most} of trips fail by “{fault.most.name}”",),
                "Share of all trips, by worst fault.",
                {"fault": ""},
            ),
        ),
    ),
    SectionPlan(
        "lines",
        "Lines",
        _LINES_END,
        tuple(metric.name for metric in _LINES),
        (
            ChartPlan("lines", _LINES_END, "Share of lines.", {"line_fates": ""}),
            ChartPlan(
                "blocked",
                ("{block_reason.most} of lines are blocked by “{block_reason.most.name}”",),
                "Share of all lines, by what they lacked to go on.",
                {"block_reason": ""},
            ),
            ChartPlan(
                "line-tunnels",
                ("a line that ends has {line_tunnels} tunnels", " and {line_stations} stations"),
                "Tunnels of a line that ended.",
                {"line_tunnels": ""},
            ),
        ),
    ),
)


def _one_city(layout: pl.Expr, about: Mapping[str, Any]) -> pl.Expr:
    """The least number of a city: turned, it has the same parts in the same order, read from another sector on (G6)."""
    board = about["board"]
    symmetry = BoardSet(board["set"], board["side"], (), tuple(board["frame"])).symmetry
    number = layout.str.replace_all("-", "", literal=True).str.to_integer(base=36, dtype=pl.Int64)
    part = 36 ** len("1a")

    def read_from(sector: int) -> pl.Expr:
        before: int = part**sector
        rest: int = part ** (PIECES - sector)
        return number % rest * before + number // rest

    return pl.min_horizontal(read_from(-by % PIECES) for by in symmetry)


STATISTICS = Statistics(
    one_city=_one_city,
    limits=("The books do not print the pieces of the box; these boards are ours.",),
    metrics=(
        *common.SEATS,
        *_SCORES,
        *common.MARGINS,
        *common.TENSION,
        *common.COURSE,
        *_BUILDING,
        *common.ENDS,
        *_LINES,
        *_TRIPS,
        *common.BOTS,
    ),
    gaps=_GAPS,
    sections=_SECTIONS,
    course=(
        common.LEAD_CHANGES,
        "the winner of {track_decided_at_scoring:full} of games leads only after the final scoring",
        common.AHEAD_BY,
    ),
    ends=common.ENDS_BY,
    layout_outcomes={
        "track_lead_changes": "lead_changes",
        **{name: name for name in ("margin", "turns", "tunnels", "stations_left", "lines_ended", "lines_blocked")},
    },
    asked=("win_share", "seat_imbalance", "score", "margin", "turns", "trips_possible"),
    swept=(
        "seat_imbalance",
        "score",
        "margin",
        "track_lead_changes",
        "track_decided_at_scoring",
        "turns",
        "trips_possible",
        "spread",
    ),
    openings=OPENINGS,
)
