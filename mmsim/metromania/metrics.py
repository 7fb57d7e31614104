"""How the tables of Metromania are read: its metrics, the gaps in its rules that are counted, its report sections."""

from dataclasses import replace
from typing import NamedTuple

import polars as pl

from mmsim.core import common_metrics as common
from mmsim.core.metrics import (
    ChartPlan,
    Metric,
    MetricGrouping,
    RuleGap,
    SectionPlan,
    Statistics,
    Values,
    Wording,
    by_word,
    mean,
    mean_where,
    of_games,
    single,
)
from mmsim.core.variant import VariantDescription
from mmsim.metromania.openings import OPENINGS
from mmsim.metromania.rules.board import PIECES, BoardSet

_TEST_TRIP = pl.col("trip") != "park_lake"
_POSSIBLE = pl.col("minutes").is_not_null()
_MINUTES = pl.col("minutes").fill_null(0)
_BLOCKED = pl.col("block_reason").is_not_null()
_STARTED = pl.col("start_side").is_not_null()
_COMPANIES = pl.col("involved").bitwise_count_ones()


def _line_fates(shape: MetricGrouping) -> Values:
    return {
        "ended": mean(pl.col("ended")),
        "blocked": mean(_BLOCKED),
        "never started": mean(~_STARTED),
        "under way": mean(_STARTED & ~pl.col("ended") & ~_BLOCKED),
    }


class _Mean(NamedTuple):
    """The mean of a value over the rows of a game in a table, or over some of them."""

    table: str
    value: pl.Expr
    where: pl.Expr | None = None

    def metric(self, name: str, question: str, unit: str, tolerance: float, *, better: str = "") -> Metric:
        value, where = self.value, self.where
        needs = {*value.meta.root_names(), *(() if where is None else where.meta.root_names())}
        values = single(mean(value) if where is None else mean_where(value, where))
        return Metric(name, question, unit, tolerance, self.table, tuple(sorted(needs)), values, better=better)


class _When(NamedTuple):
    """A condition on the rows of a table, and the rules that settle what happens then."""

    table: str
    came_up: pl.Expr
    rules: str

    def gap(self, name: str, situation: str, reading: str) -> RuleGap:
        return RuleGap(name, situation, reading, self.table, self.came_up, self.rules)


def _share_of_words(column: str, question: str, table: str) -> Metric:
    """The share of the rows of a game with each word of a column."""
    return Metric(column, question, "share", 0.01, table, (column,), by_word(table, column))


_SCORES = (
    common.score_parts(
        kept=pl.col("kept_points"), trip=pl.col("trip_points"), penalties=-pl.col("penalties").cast(pl.Float64)
    ),
    _Mean("seats", pl.col("station_points") - pl.col("kept_points")).metric(
        "points_forgone", "How many station points does a company lose because a line did not end?", "points", 0.5
    ),
)
_BUILDING = (
    of_games("coverage", "How much of the board is built on?", "share", 0.01),
    of_games("stations_left", "How many stations are left over?", "stations", 0.25),
)
_FATE_COLUMNS = ("ended", "block_reason", "start_side")
_LINES = (
    Metric("line_fates", "What becomes of a line?", "share", 0.01, "lines", _FATE_COLUMNS, _line_fates),
    _share_of_words("block_reason", "What do lines lack that are blocked?", "lines"),
    of_games("lines_ended", "How many lines of a game reach an end?", "lines", 0.05),
    of_games("lines_blocked", "How many lines of a game end up blocked?", "lines", 0.05, better="less"),
    _Mean("lines", pl.col("tunnels"), pl.col("ended")).metric(
        "line_tunnels", "How long is a line that ended?", "tunnels", 0.25
    ),
    _Mean("lines", pl.col("stations"), pl.col("ended")).metric(
        "line_stations", "How many stations does a line that ended serve?", "stations", 0.1
    ),
)
_TRIPS = (
    _Mean("trips", _POSSIBLE, _TEST_TRIP).metric(
        "trips_possible", "How many of the test trips are possible?", "share", 0.01
    ),
    _Mean("trips", _MINUTES, _TEST_TRIP & _POSSIBLE).metric(
        "trip_minutes", "How long does a possible test trip take?", "minutes", 0.25
    ),
    _Mean("trips", _COMPANIES, _POSSIBLE).metric(
        "trip_companies",
        "How many companies are on a fastest route of a possible trip?",
        "companies",
        0.05,
        better="more",
    ),
    _share_of_words("fault", "Why are trips impossible?", "trips"),
    _Mean("trips", _POSSIBLE, ~_TEST_TRIP).metric(
        "park_lake_possible", "How often can one travel from the park to the lake?", "share", 0.01
    ),
    _Mean("trips", _MINUTES, ~_TEST_TRIP & _POSSIBLE).metric(
        "park_lake_minutes", "How long does a possible trip from the park to the lake take?", "minutes", 0.25
    ),
    _Mean("seats", pl.col("markers_placed")).metric(
        "markers_placed", "How many of its markers does a company place?", "markers", 0.05
    ),
)

_GAPS = (
    _When("games", pl.col("end_reason") == "deadlock", "T4 P3").gap(
        "deadlock",
        "Nobody can build any more, and no end of the building phase has been triggered.",
        "The building phase ends there, without a last round.",
    ),
    _When("games", pl.col("passes") > 0, "T4").gap(
        "pass",
        "A company in turn can neither dig nor place a station.",
        "It passes, and plays again when its turn comes.",
    ),
    _When("games", pl.col("start_overflows") > 0, "B2").gap(
        "start_overflow",
        "A line is to start, but no free start is left on the sides allowed to it.",
        "It may start at any free start.",
    ),
    _When("games", pl.col("end_overflows") > 0, "D4").gap(
        "end_overflow",
        "A line is to end, but no free end is left on the sides allowed to it.",
        "It may end at any free end.",
    ),
    _When("games", pl.col("short_supply") > 0, "D5").gap(
        "short_supply",
        "A move would need two stations, and only one is left.",
        "The move is not allowed.",
    ),
    _When("games", pl.col("two_reasons") > 0, "P1").gap(
        "two_reasons",
        "Two reasons to end the building phase hold at once.",
        "The first of them in the order of the book is named; play is the same.",
    ),
    _When("seats", (pl.col("lines_ended") == 1) & (pl.col("station_points") % 2 == 1), "L1").gap(
        "half_point",
        "A company keeps half of an odd number of points.",
        "Rounded as the ruleset says; down where the book is silent.",
    ),
    _When("trips", _POSSIBLE & (_COMPANIES > 1), "TT4 TT6").gap(
        "shared_trip",
        "Several companies are on a fastest route of one trip.",
        "Scored as the ruleset says; the editions differ with two players.",
    ),
    _When("lines", ~_STARTED, "P2").gap(
        "line_not_started",
        "A company's line was never started.",
        "It counts as neither ended nor blocked.",
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
                ("trips most often fail by {fault.leading}",),
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
                ("lines are most often blocked by {block_reason.leading}",),
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


def _one_city(layout: pl.Expr, description: VariantDescription) -> pl.Expr:
    """One number for all rotations of a city: the least of its layout codes, read from each sector (G6)."""
    board = description.board
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
    words={
        "trips_possible": Wording("possible trips", "more trips are possible", "fewer trips are possible"),
        "lines_ended": Wording("lines that end", "more lines reach an end", "fewer lines reach an end"),
        "lines_blocked": Wording("blocked lines", "more lines are blocked", "fewer lines are blocked"),
    },
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
    layout_outcomes={
        "track_lead_changes": "lead_changes",
        **{name: name for name in ("margin", "turns", "tunnels", "stations_left", "lines_ended", "lines_blocked")},
    },
    primary_metrics=("win_share", "seat_imbalance", "score", "margin", "turns", "trips_possible"),
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
