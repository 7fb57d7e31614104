"""The metrics, gaps and sections of columns that every game has; a game takes over what it wants to tell."""

from operator import sub

import polars as pl

from mmsim.core.metrics import (
    ChartPlan,
    Gap,
    Metric,
    OfRows,
    SectionPlan,
    by_bot,
    by_player,
    by_word,
    mean,
    single,
)

_FIRST = pl.col("player") == 0
_WON = pl.col("winner").is_not_null()
_DECIDED = pl.col("decided_turn") / pl.col("turns")

SEATS = (
    Metric(
        "win_share",
        "How often does each player win, by playing order?",
        "share",
        0.01,
        "seats",
        ("player", "win_share"),
        by_player(pl.col("win_share")),
    ),
    Metric(
        "first_seat_advantage",
        "How much more than a fair share does the first player win?",
        "share difference",
        0.01,
        "seats",
        ("player", "win_share"),
        single(
            OfRows(
                (
                    ("sum", pl.when(_FIRST).then(pl.col("win_share").cast(pl.Float64)).otherwise(0)),
                    ("sum", _FIRST),
                    ("max", pl.col("player")),
                ),
                lambda won, seats, last: won / seats - 1 / (last + 1),
            )
        ),
    ),
    Metric(
        "shared_wins", "How often is the win shared?", "share", 0.01, "games", ("winner",), single(~_WON), better="less"
    ),
    Metric(
        "score",
        "How many points does a seat score?",
        "points",
        0.5,
        "seats",
        ("score",),
        single(mean(pl.col("score"))),
    ),
    Metric(
        "seat_score",
        "How many points does a seat of each player score, by playing order?",
        "points",
        0.5,
        "seats",
        ("player", "score"),
        by_player(pl.col("score")),
    ),
)
MARGINS = (
    Metric(
        "margin",
        "How far is the winner ahead of the next player?",
        "points",
        0.5,
        "games",
        ("margin",),
        single(pl.col("margin")),
        better="less",
    ),
    Metric(
        "spread",
        "How far apart are the best and the worst seat?",
        "points",
        0.5,
        "seats",
        ("score",),
        single(OfRows((("max", pl.col("score")), ("min", pl.col("score"))), sub)),
        better="less",
    ),
)
COURSE = (
    Metric(
        "lead_changes",
        "How often does the lead change hands?",
        "changes",
        0.1,
        "games",
        ("lead_changes",),
        single(pl.col("lead_changes")),
        better="more",
    ),
    Metric(
        "decided",
        "How much of a game is over when the winner takes the lead for good?",
        "share",
        0.01,
        "games",
        ("decided_turn", "turns"),
        single(_DECIDED.clip(0, 1)),
        better="more",
    ),
    Metric(
        "decided_turn",
        "In which turn does the winner take the lead for good?",
        "turns",
        0.5,
        "games",
        ("decided_turn",),
        single(pl.col("decided_turn")),
        better="more",
    ),
    Metric(
        "comeback",
        "How often does the winner take the lead for good only in the second half?",
        "share",
        0.01,
        "games",
        ("decided_turn", "turns", "winner"),
        single(pl.when(_WON).then(_DECIDED > 0.5)),
        better="more",
    ),
    Metric(
        "decided_at_scoring",
        "How often does only the final scoring decide?",
        "share",
        0.01,
        "games",
        ("decided_turn", "turns", "winner"),
        single(pl.when(_WON).then(_DECIDED > 1)),
    ),
    Metric("turns", "How many turns does a game take?", "turns", 0.5, "games", ("turns",), single(pl.col("turns"))),
)
ENDS = (
    Metric(
        "end_reason",
        "Why does a game end?",
        "share",
        0.01,
        "games",
        ("end_reason",),
        by_word("games", "end_reason"),
    ),
)
BOTS = (
    Metric(
        "bot_win_share",
        "How often does a seat with each bot win?",
        "share",
        0.01,
        "seats",
        ("bot", "win_share"),
        by_bot(pl.col("win_share")),
    ),
    Metric(
        "bot_score",
        "How many points does a seat with each bot score?",
        "points",
        0.5,
        "seats",
        ("bot", "score"),
        by_bot(pl.col("score")),
    ),
)

SHARED_WIN = Gap(
    "shared_win",
    "Players are level after every tie-break of the book.",
    "They share the win.",
    "games",
    ("winner",),
    pl.col("winner").is_null(),
)

LEAD_CHANGES = "the lead changes hands {lead_changes} times ({lead_changes:interval})"
AHEAD_BY = "the winner is ahead by {margin:full}"
ENDS_BY = ("{end_reason.most:full} of games end by “{end_reason.most.name}”", ", after {turns:full}")

SCORES_SECTION = SectionPlan(
    "scores",
    "Scores",
    ("a seat scores {score} points", "; best and worst lie {spread} apart"),
    ("score", "score_parts", "margin", "spread"),
)
COURSE_SECTION = SectionPlan(
    "drama",
    "Drama",
    ("the lead changes {lead_changes} times", ", and the winner is {margin} points ahead"),
    ("lead_changes", "decided", "comeback", "decided_at_scoring", "decided_turn", "margin", "turns"),
    (
        ChartPlan(
            "decided",
            ("the winner leads for good after {decided} of a game",),
            "",
            {
                "decided": "game over when the lead is taken for good",
                "comeback": "winner takes the lead in the second half",
                "decided_at_scoring": "only the scoring decides",
            },
        ),
        ChartPlan(
            "lead-changes",
            ("the lead changes {lead_changes} times", ", and the winner is {margin} points ahead"),
            "Changes of the lead in a game.",
            {"lead_changes": ""},
        ),
    ),
)
ENDS_SECTION = SectionPlan(
    "ends",
    "Ends",
    ("{end_reason.most} of games end by “{end_reason.most.name}”",),
    ("end_reason", "turns"),
    (
        ChartPlan(
            "ends",
            ("{end_reason.most} of games end by “{end_reason.most.name}”",),
            "Share of games.",
            {"end_reason": ""},
        ),
        ChartPlan("turns", ("a game takes {turns} turns",), "Turns of a game.", {"turns": ""}),
    ),
    ENDS_BY,
)
