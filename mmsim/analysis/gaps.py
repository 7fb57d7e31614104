"""Situations that rule books leave open or settle differently, and how often they came up.

A gap names the columns it is counted from; where a game does not count it, it is not told.
"""

from dataclasses import dataclass

import polars as pl

from mmsim.analysis.metric import Metric, Shape
from mmsim.analysis.tables import RunTables

_TOLERANCE = 0.01


@dataclass(frozen=True)
class Gap:
    """A situation: what it is, how it is read here, and in which rows of a table it came up."""

    name: str
    situation: str
    reading: str
    table: str
    needs: tuple[str, ...]
    came_up: pl.Expr

    @property
    def metric(self) -> Metric:
        """The share of games in which it came up."""
        here = self.came_up.fill_null(False)
        value = here if self.table == "games" else here.any()
        return Metric(self.name, self.situation, "share", self.table, self.needs, lambda shape: {"": value}, _TOLERANCE)


GAPS: tuple[Gap, ...] = (
    Gap(
        "deadlock",
        "Nobody can build any more, and no end of the building phase has been triggered.",
        "The building phase ends there, without a last round.",
        "games",
        ("end_reason", "passes"),
        pl.col("end_reason") == "deadlock",
    ),
    Gap(
        "pass",
        "A company in turn can neither dig nor place a station.",
        "It passes, and plays again when its turn comes.",
        "games",
        ("passes",),
        pl.col("passes") > 0,
    ),
    Gap(
        "start_overflow",
        "A line is to start, but no free start is left on the sides allowed to it.",
        "It may start at any free start.",
        "games",
        ("start_overflows",),
        pl.col("start_overflows") > 0,
    ),
    Gap(
        "end_overflow",
        "A line is to end, but no free end is left on the sides allowed to it.",
        "It may end at any free end.",
        "games",
        ("end_overflows",),
        pl.col("end_overflows") > 0,
    ),
    Gap(
        "short_supply",
        "A move would need two stations, and only one is left.",
        "The move is not allowed.",
        "games",
        ("short_supply",),
        pl.col("short_supply") > 0,
    ),
    Gap(
        "two_reasons",
        "Two reasons to end the building phase hold at once.",
        "The first of them in the order of the book is named; play is the same.",
        "games",
        ("two_reasons",),
        pl.col("two_reasons") > 0,
    ),
    Gap(
        "half_point",
        "A company keeps half of an odd number of points.",
        "Rounded as the ruleset says; down where the book is silent.",
        "seats",
        ("station_points", "lines_ended"),
        (pl.col("lines_ended") == 1) & (pl.col("station_points") % 2 == 1),
    ),
    Gap(
        "shared_trip",
        "Several companies are on a fastest route of one trip.",
        "Scored as the ruleset says; the editions differ with two players.",
        "trips",
        ("minutes", "involved"),
        pl.col("minutes").is_not_null() & (pl.col("involved").bitwise_count_ones() > 1),
    ),
    Gap(
        "line_not_started",
        "A company's line was never started.",
        "It counts as neither ended nor blocked.",
        "lines",
        ("start_side",),
        pl.col("start_side").is_null(),
    ),
    Gap(
        "shared_win",
        "Players are level after every tie-break of the book.",
        "They share the win.",
        "games",
        ("winner",),
        pl.col("winner").is_null(),
    ),
)


def known_gaps(run: RunTables) -> list[Gap]:
    """The gaps that this game's tables count."""
    schemas = Shape(run.tables).schemas
    return [gap for gap in GAPS if gap.metric.known(schemas)]
