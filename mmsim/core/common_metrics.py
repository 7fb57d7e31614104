"""The metrics, gaps and sections of columns that every game has; a game takes over what it wants to tell."""

from operator import sub

import polars as pl

from mmsim.core.metrics import (
    ChartPlan,
    Gap,
    Metric,
    OfRows,
    SectionPlan,
    Values,
    by_bot,
    by_player,
    by_word,
    mean,
    of_games,
    single,
)

_FIRST = pl.col("player") == 0
_WON = pl.col("winner").is_not_null()
_DECIDED = pl.col("decided_turn") / pl.col("turns")


def score_parts(**parts: pl.Expr) -> Metric:
    """What a score is made of: a number of a row of `seats` for every part."""
    needs = tuple(column for part in parts.values() for column in part.meta.root_names())
    values: Values = {name: mean(part) for name, part in parts.items()}
    return Metric(
        "score_parts", "Where do a seat's points come from?", "points", 0.5, "seats", needs, lambda shape: values
    )


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
    of_games("margin", "How far is the winner ahead of the next player?", "points", 0.5, better="less"),
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
TENSION = (  # of the games whose chances to win are known (`mmsim chances`)
    Metric(
        "lead_changes",
        "How often does the expected winner change?",
        "changes",
        0.1,
        "tension",
        ("lead_changes",),
        single(mean(pl.col("lead_changes"))),
        better="more",
    ),
    Metric(
        "decided",
        "How much of a game is over when its winner becomes the expected one for good?",
        "share",
        0.02,
        "tension",
        ("decided",),
        single(mean(pl.col("decided"))),
        better="more",
    ),
    Metric(
        "comeback",
        "How often is the winner behind after half of the turns?",
        "share",
        0.02,
        "tension",
        ("comeback",),
        single(mean(pl.col("comeback"))),
        better="more",
    ),
    Metric(
        "tension",
        "How open is it who will win, on average over the turns?",
        "share",
        0.02,
        "tension",
        ("tension",),
        single(mean(pl.col("tension"))),
        better="more",
    ),
    Metric(
        "drama",
        "How far is the winner behind, on average over the turns?",
        "drama",
        0.02,
        "tension",
        ("drama",),
        single(mean(pl.col("drama"))),
        better="more",
    ),
)
COURSE = (
    Metric(
        "track_lead_changes",
        "How often does the lead on the score track change hands?",
        "changes",
        0.1,
        "games",
        ("lead_changes",),
        single(pl.col("lead_changes")),
        better="more",
    ),
    Metric(
        "track_decided",
        "How much of a game is over when the winner takes the lead on the score track for good?",
        "share",
        0.01,
        "games",
        ("decided_turn", "turns"),
        single(_DECIDED.clip(0, 1)),
        better="more",
    ),
    Metric(
        "track_decided_turn",
        "In which turn does the winner take the lead on the score track for good?",
        "turns",
        0.5,
        "games",
        ("decided_turn",),
        single(pl.col("decided_turn")),
        better="more",
    ),
    Metric(
        "track_comeback",
        "How often does the winner take the lead on the score track for good only in the second half?",
        "share",
        0.01,
        "games",
        ("decided_turn", "turns", "winner"),
        single(pl.when(_WON).then(_DECIDED > 0.5)),
        better="more",
    ),
    Metric(
        "track_decided_at_scoring",
        "How often does the winner lead on the score track only after the final scoring?",
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

LEAD_CHANGES = "the lead on the score track changes hands {track_lead_changes} times ({track_lead_changes:interval})"
AHEAD_BY = "the winner is ahead by {margin:full}"
ENDS_BY = ("{end_reason.most:full} of games end by “{end_reason.most.name}”", ", after {turns:full}")

SCORES_SECTION = SectionPlan(
    "scores",
    "Scores",
    ("a seat scores {score} points", "; best and worst lie {spread} apart"),
    ("score", "score_parts", "margin", "spread"),
)
TENSION_SECTION = SectionPlan(
    "tension",
    "Tension",
    ("the winner is the expected one for good after {decided} of a game",),
    ("lead_changes", "decided", "comeback", "tension", "drama"),
    (
        ChartPlan(
            "tension",
            ("the winner is the expected one for good after {decided} of a game",),
            "By the chances to win after every turn, from games played out to the end.",
            {
                "decided": "game over when the winner is expected for good",
                "comeback": "winner behind at half-time",
                "tension": "openness",
            },
        ),
        ChartPlan(
            "expected-winner",
            ("the expected winner changes {lead_changes} times",),
            "Changes of the expected winner in a game.",
            {"lead_changes": ""},
        ),
    ),
    (
        "chances to win were estimated after every turn of a sample of games by playing them out with a pool of bots",
        ", for an onlooker who sees no hidden hand",
    ),
)
COURSE_SECTION = SectionPlan(
    "score-track",
    "Score track",
    ("the lead on the track changes {track_lead_changes} times", ", and the winner is {margin} points ahead"),
    (
        "track_lead_changes",
        "track_decided",
        "track_comeback",
        "track_decided_at_scoring",
        "track_decided_turn",
        "margin",
        "turns",
    ),
    (
        ChartPlan(
            "track-decided",
            ("the winner leads the track for good after {track_decided} of a game",),
            "",
            {
                "track_decided": "game over when the lead is taken for good",
                "track_comeback": "winner takes the lead in the second half",
                "track_decided_at_scoring": "winner leads only after the scoring",
            },
        ),
        ChartPlan(
            "track-lead-changes",
            ("the lead on the track changes {track_lead_changes} times", ", and the winner is {margin} points ahead"),
            "Changes of the lead on the score track in a game.",
            {"track_lead_changes": ""},
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
