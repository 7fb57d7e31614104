"""What is measured: every metric, with the question it answers and the difference in it that does not matter."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from mmsim.analysis.metric import Metric, Shape, Values
from mmsim.core.errors import unknown

ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th")  # players in playing order


def _plain(expression: pl.Expr) -> Callable[[Shape], Values]:
    return lambda shape: {"": expression}


_COMMON = pl.col("trip") != "park_lake"
_POSSIBLE = pl.col("minutes").is_not_null()
_BLOCKED = pl.col("block_reason").is_not_null()


def _part(value: pl.Expr, mask: pl.Expr) -> pl.Expr:
    """The mean of a value over some rows of a game; null where there are none."""
    return (value.cast(pl.Float64) * mask).sum() / mask.sum()


def _by_player(value: pl.Expr) -> Callable[[Shape], Values]:
    def values(shape: Shape) -> Values:
        return {ORDINALS[player]: _part(value, pl.col("player") == player) for player in range(shape.players)}

    return values


def _by_bot(value: pl.Expr) -> Callable[[Shape], Values]:
    """One value for every bot; none where all are the same."""

    def values(shape: Shape) -> Values:
        bots = shape.bots if len(shape.bots) > 1 else []
        return {bot: _part(value, pl.col("bot") == bot) for bot in bots}

    return values


def _end_reasons(shape: Shape) -> Values:
    return {word: pl.col("end_reason") == word for word in shape.words("games", "end_reason")}


def _reasons(table: str, column: str) -> Callable[[Shape], Values]:
    """The share of a game's rows with each word of a column; rows without a word count too."""

    def values(shape: Shape) -> Values:
        return {word: (pl.col(column) == word).fill_null(False).mean() for word in shape.words(table, column)}

    return values


_GAINED = ("kept_points", "trip_points", "line_points", "number_points", "share_points", "bonus_points")


def _score_parts(shape: Shape) -> Values:
    """What a score is made of: whichever kinds of points a game has; none where there is only one."""
    columns = shape.schemas["seats"]
    parts = {name.removesuffix("_points"): pl.col(name).mean() for name in _GAINED if name in columns}
    if "penalties" in columns:
        parts["penalties"] = -pl.col("penalties").cast(pl.Float64).mean()
    return parts if len(parts) > 1 else {}


def _fates(shape: Shape) -> Values:
    return {
        "ended": pl.col("ended").mean(),
        "blocked": _BLOCKED.mean(),
        "never started": pl.col("start_side").is_null().mean(),
        "under way": (pl.col("start_side").is_not_null() & ~pl.col("ended") & ~_BLOCKED).mean(),
    }


_WON = pl.col("winner").is_not_null()
_DECIDED = pl.col("decided_turn") / pl.col("turns")

METRICS: tuple[Metric, ...] = (
    Metric(
        "win_share",
        "How often does each player win, by playing order?",
        "share",
        "seats",
        ("player", "win_share"),
        _by_player(pl.col("win_share")),
        0.01,
    ),
    Metric(
        "first_seat_advantage",
        "How much more than a fair share does the first player win?",
        "share difference",
        "seats",
        ("player", "win_share"),
        _plain(_part(pl.col("win_share"), pl.col("player") == 0) - 1 / (pl.col("player").max() + 1)),
        0.01,
    ),
    Metric(
        "shared_wins",
        "How often is the win shared?",
        "share",
        "games",
        ("winner",),
        _plain(~_WON),
        0.01,
        "less",
    ),
    Metric(
        "score",
        "How many points does a seat score?",
        "points",
        "seats",
        ("score",),
        _plain(pl.col("score").mean()),
        0.5,
    ),
    Metric(
        "seat_score",
        "How many points does a seat of each player score, by playing order?",
        "points",
        "seats",
        ("player", "score"),
        _by_player(pl.col("score")),
        0.5,
    ),
    Metric(
        "score_parts",
        "Where do a seat's points come from?",
        "points",
        "seats",
        ("score",),
        _score_parts,
        0.5,
    ),
    Metric(
        "points_forgone",
        "How many station points does a company lose because a line did not end?",
        "points",
        "seats",
        ("station_points", "kept_points"),
        _plain((pl.col("station_points") - pl.col("kept_points")).mean()),
        0.5,
    ),
    Metric(
        "margin",
        "How far is the winner ahead of the next player?",
        "points",
        "games",
        ("margin",),
        _plain(pl.col("margin")),
        0.5,
        "less",
    ),
    Metric(
        "spread",
        "How far apart are the best and the worst seat?",
        "points",
        "seats",
        ("score",),
        _plain(pl.col("score").max() - pl.col("score").min()),
        0.5,
        "less",
    ),
    Metric(
        "lead_changes",
        "How often does the lead change hands?",
        "changes",
        "games",
        ("lead_changes",),
        _plain(pl.col("lead_changes")),
        0.1,
        "more",
    ),
    Metric(
        "decided",
        "How much of a game is over when the winner takes the lead for good?",
        "share",
        "games",
        ("decided_turn", "turns"),
        _plain(_DECIDED.clip(0, 1)),
        0.01,
        "more",
    ),
    Metric(
        "decided_turn",
        "In which turn does the winner take the lead for good?",
        "turns",
        "games",
        ("decided_turn",),
        _plain(pl.col("decided_turn")),
        0.5,
        "more",
    ),
    Metric(
        "comeback",
        "How often does the winner take the lead for good only in the second half?",
        "share",
        "games",
        ("decided_turn", "turns", "winner"),
        _plain(pl.when(_WON).then(_DECIDED > 0.5)),
        0.01,
        "more",
    ),
    Metric(
        "decided_at_scoring",
        "How often does only the final scoring decide?",
        "share",
        "games",
        ("decided_turn", "turns", "winner"),
        _plain(pl.when(_WON).then(_DECIDED > 1)),
        0.01,
    ),
    Metric("turns", "How many turns does a game take?", "turns", "games", ("turns",), _plain(pl.col("turns")), 0.5),
    Metric(
        "coverage",
        "How much of the board is built on?",
        "share",
        "games",
        ("coverage",),
        _plain(pl.col("coverage")),
        0.01,
    ),
    Metric(
        "stations_left",
        "How many stations are left over?",
        "stations",
        "games",
        ("stations_left",),
        _plain(pl.col("stations_left")),
        0.25,
    ),
    Metric("end_reason", "Why does a game end?", "share", "games", ("end_reason",), _end_reasons, 0.01),
    Metric(
        "line_fates",
        "What becomes of a line?",
        "share",
        "lines",
        ("ended", "block_reason", "start_side"),
        _fates,
        0.01,
    ),
    Metric(
        "block_reason",
        "What do lines lack that are blocked?",
        "share",
        "lines",
        ("block_reason",),
        _reasons("lines", "block_reason"),
        0.01,
    ),
    Metric(
        "lines_ended",
        "How many lines of a game reach an end?",
        "lines",
        "games",
        ("lines_ended",),
        _plain(pl.col("lines_ended")),
        0.05,
    ),
    Metric(
        "lines_to_centre",
        "How many lines of a game reach the centre?",
        "lines",
        "games",
        ("lines_to_centre",),
        _plain(pl.col("lines_to_centre")),
        0.05,
    ),
    Metric(
        "longest_line",
        "How long is the longest line of a game?",
        "tiles",
        "games",
        ("longest_line",),
        _plain(pl.col("longest_line")),
        0.25,
    ),
    Metric(
        "lines_blocked",
        "How many lines of a game end up blocked?",
        "lines",
        "games",
        ("lines_blocked",),
        _plain(pl.col("lines_blocked")),
        0.05,
        "less",
    ),
    Metric(
        "line_tunnels",
        "How long is a line that ended?",
        "tunnels",
        "lines",
        ("ended", "tunnels"),
        _plain(_part(pl.col("tunnels"), pl.col("ended"))),
        0.25,
    ),
    Metric(
        "line_tiles",
        "How many tiles does a line that ended pass?",
        "tiles",
        "lines",
        ("ended", "tiles"),
        _plain(_part(pl.col("tiles"), pl.col("ended"))),
        0.25,
    ),
    Metric(
        "line_stations",
        "How many stations does a line that ended serve?",
        "stations",
        "lines",
        ("ended", "stations"),
        _plain(_part(pl.col("stations"), pl.col("ended"))),
        0.1,
    ),
    Metric(
        "trips_possible",
        "How many of the test trips are possible?",
        "share",
        "trips",
        ("trip", "minutes"),
        _plain(_part(_POSSIBLE, _COMMON)),
        0.01,
    ),
    Metric(
        "trip_minutes",
        "How long does a possible test trip take?",
        "minutes",
        "trips",
        ("trip", "minutes"),
        _plain(_part(pl.col("minutes").fill_null(0), _COMMON & _POSSIBLE)),
        0.25,
    ),
    Metric(
        "trip_companies",
        "How many companies are on a fastest route of a possible trip?",
        "companies",
        "trips",
        ("minutes", "involved"),
        _plain(_part(pl.col("involved").bitwise_count_ones(), _POSSIBLE)),
        0.05,
        "more",
    ),
    Metric("fault", "Why are trips impossible?", "share", "trips", ("fault",), _reasons("trips", "fault"), 0.01),
    Metric(
        "park_lake_possible",
        "How often can one travel from the park to the lake?",
        "share",
        "trips",
        ("trip", "minutes"),
        _plain(_part(_POSSIBLE, ~_COMMON)),
        0.01,
    ),
    Metric(
        "park_lake_minutes",
        "How long does a possible trip from the park to the lake take?",
        "minutes",
        "trips",
        ("trip", "minutes"),
        _plain(_part(pl.col("minutes").fill_null(0), ~_COMMON & _POSSIBLE)),
        0.25,
    ),
    Metric(
        "markers_placed",
        "How many of its markers does a company place?",
        "markers",
        "seats",
        ("markers_placed",),
        _plain(pl.col("markers_placed").mean()),
        0.05,
    ),
    Metric(
        "bot_win_share",
        "How often does a seat with each bot win?",
        "share",
        "seats",
        ("bot", "win_share"),
        _by_bot(pl.col("win_share")),
        0.01,
    ),
    Metric(
        "bot_score",
        "How many points does a seat with each bot score?",
        "points",
        "seats",
        ("bot", "score"),
        _by_bot(pl.col("score")),
        0.5,
    ),
)


def known_metrics(tables: Mapping[str, pl.LazyFrame]) -> list[Metric]:
    """The metrics that tables have the columns for."""
    schemas = Shape(tables).schemas
    return [metric for metric in METRICS if metric.known(schemas)]


def find_metrics(names: Iterable[str], among: Sequence[Metric] = METRICS) -> list[Metric]:
    """Metrics by name."""
    by_name = {metric.name: metric for metric in among}
    found = []
    for name in names:
        if name not in by_name:
            raise unknown("metric", name, by_name)
        found.append(by_name[name])
    return found
