"""Metrics, rule gaps and report sections of the columns that all games share; a game picks those it wants."""

from operator import sub

import polars as pl

from mmsim.core.metrics import (
    ChartPlan,
    Metric,
    OfRows,
    RuleGap,
    SectionPlan,
    Statistics,
    Values,
    Wording,
    by_bot,
    by_player,
    by_word,
    mean,
    metric_of,
    of_games,
)

_FIRST = pl.col("player") == 0
_WON = pl.col("winner").is_not_null()
_DECIDED = pl.col("decided_turn") / pl.col("turns")
_FIRST_WIN_SHARE = OfRows(
    (
        ("sum", pl.when(_FIRST).then(pl.col("win_share").cast(pl.Float64)).otherwise(0)),
        ("sum", _FIRST),
        ("max", pl.col("player")),
    ),
    lambda won, seats, last: won / seats - 1 / (last + 1),
)
_SPREAD = OfRows((("max", pl.col("score")), ("min", pl.col("score"))), sub)


def score_parts(**parts: pl.Expr) -> Metric:
    """The parts of a score: one number of a row of `seats` each."""
    needs = tuple(column for part in parts.values() for column in part.meta.root_names())
    values: Values = {name: mean(part) for name, part in parts.items()}
    question = "Where do a seat's points come from?"
    return Metric("score_parts", question, "points", 0.5, "seats", needs, lambda grouping: values)


def _by_group(name: str, question: str, unit: str, tolerance: float, column: str, group: str) -> Metric:
    """The mean of a column of `seats` for every player or every bot."""
    grouped = {"player": by_player, "bot": by_bot}[group](pl.col(column))
    return Metric(name, question, unit, tolerance, "seats", (group, column), grouped)


def _tension_metric(name: str, question: str, unit: str, tolerance: float) -> Metric:
    """A metric of the column of the chances to win with its name."""
    return metric_of("tension", name, question, unit, tolerance, mean(pl.col(name)), better="more")


SEATS = (
    _by_group("win_share", "How often does each player win, by playing order?", "share", 0.01, "win_share", "player"),
    metric_of(
        "seats",
        "first_seat_advantage",
        "How much more than a fair share does the first player win?",
        "share difference",
        0.01,
        _FIRST_WIN_SHARE,
    ),
    metric_of("games", "shared_wins", "How often is the win shared?", "share", 0.01, ~_WON, better="less"),
    metric_of("seats", "score", "How many points does a seat score?", "points", 0.5, mean(pl.col("score"))),
    _by_group(
        "seat_score",
        "How many points does a seat of each player score, by playing order?",
        "points",
        0.5,
        "score",
        "player",
    ),
)
MARGINS = (
    of_games("margin", "How far is the winner ahead of the next player?", "points", 0.5, better="less"),
    metric_of(
        "seats", "spread", "How far apart are the best and the worst seat?", "points", 0.5, _SPREAD, better="less"
    ),
)
TENSION = (  # of games with estimated chances to win (`mmsim chances`)
    _tension_metric("lead_changes", "How often does the expected winner change?", "changes", 0.1),
    _tension_metric(
        "decided", "How much of a game is over when its winner becomes the expected one for good?", "share", 0.02
    ),
    _tension_metric("comeback", "How often is the winner behind after half of the turns?", "share", 0.02),
    _tension_metric("tension", "How open is it who will win, on average over the turns?", "share", 0.02),
    _tension_metric("drama", "How far is the winner behind, on average over the turns?", "drama", 0.02),
)
COURSE = (
    metric_of(
        "games",
        "track_lead_changes",
        "How often does the lead in score change hands?",
        "changes",
        0.1,
        pl.col("lead_changes"),
        better="more",
    ),
    metric_of(
        "games",
        "track_decided",
        "How much of a game is over when the winner takes the lead in score for good?",
        "share",
        0.01,
        _DECIDED.clip(0, 1),
        better="more",
    ),
    metric_of(
        "games",
        "track_decided_turn",
        "In which turn does the winner take the lead in score for good?",
        "turns",
        0.5,
        pl.col("decided_turn"),
        better="more",
    ),
    metric_of(
        "games",
        "track_comeback",
        "How often does the winner take the lead in score for good only in the second half?",
        "share",
        0.01,
        pl.when(_WON).then(_DECIDED > 0.5),
        better="more",
    ),
    metric_of(
        "games",
        "track_decided_at_scoring",
        "How often does the winner lead in score only after the final scoring?",
        "share",
        0.01,
        pl.when(_WON).then(_DECIDED > 1),
    ),
    of_games("turns", "How many turns does a game take?", "turns", 0.5),
)
ENDS = (
    Metric(
        "end_reason", "Why does a game end?", "share", 0.01, "games", ("end_reason",), by_word("games", "end_reason")
    ),
)
BOTS = (
    _by_group("bot_win_share", "How often does a seat with each bot win?", "share", 0.01, "win_share", "bot"),
    _by_group("bot_score", "How many points does a seat with each bot score?", "points", 0.5, "score", "bot"),
)

SHARED_WIN = RuleGap(
    "shared_win",
    "Players are level after every tie-break of the book.",
    "They share the win.",
    "games",
    pl.col("winner").is_null(),
)

LEAD_CHANGES = "the lead in score changes hands {track_lead_changes} times ({track_lead_changes:interval})"
AHEAD_BY = "the winner is ahead by {margin:full}"
ENDS_BY = ("games most often end by {end_reason.leading:full}", "; they take {turns:full}")

WORDS = {
    "layout_spread": Wording("spread of a seat's chances over layouts", "layouts matter more", "layouts matter less"),
    "win_share": Wording("wins of the {group} seat", "the {group} seat wins more", "the {group} seat wins less"),
    "seat_imbalance": Wording("unevenness of the seats", "the seats are less even", "the seats are more even"),
    "shared_wins": Wording("shared wins", "more wins are shared", "fewer wins are shared"),
    "score": Wording("score", "scores are higher", "scores are lower"),
    "seat_score": Wording("score of the {group} seat", "the {group} seat scores more", "the {group} seat scores less"),
    "margin": Wording("winning margin", "winners are further ahead", "games end closer"),
    "spread": Wording("distance from best to worst", "the field is wider apart", "the field is closer together"),
    "turns": Wording("length", "games are longer", "games are shorter"),
    "track_lead_changes": Wording(
        "changes of the lead", "the lead changes hands more often", "the lead changes hands less often"
    ),
    "track_decided": Wording(
        "when the winner leads for good", "winners lead for good later", "winners lead for good earlier"
    ),
    "track_comeback": Wording(
        "leads taken late", "more winners take the lead late", "fewer winners take the lead late"
    ),
    "lead_changes": Wording(
        "changes of the expected winner",
        "the expected winner changes more often",
        "the expected winner changes less often",
    ),
    "decided": Wording("moment of decision", "games are decided later", "games are decided earlier"),
    "comeback": Wording("comebacks", "there are more comebacks", "there are fewer comebacks"),
    "tension": Wording("tension", "it stays more open who wins", "it stays less open who wins"),
    "drama": Wording("drama", "winners come from further behind", "winners come from less far behind"),
}

SCORES_SECTION = SectionPlan(
    "scores",
    "Scores",
    ("a seat scores {score} on average", "; best and worst are {spread} apart"),
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
    "lead",
    "Lead",
    ("the lead in score changes {track_lead_changes} times", ", and the winner is {margin} ahead"),
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
            ("the winner leads in score for good after {track_decided} of a game",),
            "",
            {
                "track_decided": "game over when the lead is taken for good",
                "track_comeback": "winner takes the lead in the second half",
                "track_decided_at_scoring": "winner leads only after the scoring",
            },
        ),
        ChartPlan(
            "track-lead-changes",
            ("the lead in score changes {track_lead_changes} times", ", and the winner is {margin} ahead"),
            "Changes of the lead in score in a game.",
            {"track_lead_changes": ""},
        ),
    ),
)
ENDS_SECTION = SectionPlan(
    "ends",
    "Ends",
    ("games most often end by {end_reason.leading}",),
    ("end_reason", "turns"),
    (
        ChartPlan(
            "ends",
            ("games most often end by {end_reason.leading}",),
            "Share of games.",
            {"end_reason": ""},
        ),
        ChartPlan("turns", ("a game takes {turns} turns",), "Turns of a game.", {"turns": ""}),
    ),
    ENDS_BY,
)

BASIC_STATISTICS = Statistics(  # of a game that has no `metrics.py`
    metrics=(*SEATS, *MARGINS, *COURSE, *ENDS, *BOTS),
    gaps=(SHARED_WIN,),
    sections=(SCORES_SECTION, COURSE_SECTION, ENDS_SECTION),
    course=(LEAD_CHANGES, AHEAD_BY),
    layout_outcomes={},
    primary_metrics=("win_share", "score"),
    swept=("score", "margin"),
)
