"""`mmsim ladder`: bots against bots, rated."""

from pathlib import Path
from typing import Annotated

from mmsim.analysis.ladder import Ladder, rate_ladder
from mmsim.batch.experiment import named_levels
from mmsim.cli import options
from mmsim.cli.console import print_json, print_table, save, say
from mmsim.cli.options import option
from mmsim.cli.progress import show_progress
from mmsim.contests.ladder import LadderSettings, play_ladder
from mmsim.core.seating import split_bots
from mmsim.drawing.board_canvas import picture_kind
from mmsim.errors import UsageError
from mmsim.games import find_shell_and_rules
from mmsim.report.charts import Chart, Row, dot_chart
from mmsim.system.processes import cores

_SMALLEST_P = 0.005  # the smallest p-value that does not round to 0.00


def ladder(
    bots: Annotated[
        str | None, option("--bots LIST", "At least two bots, separated by commas. Default: all but the slow ones.")
    ] = None,
    levels: Annotated[
        list[str] | None, option("--levels RANGE", "Levels of play instead of bots: club..master, or all.")
    ] = None,
    game: options.GameName = None,
    rules: options.Rules = None,
    players: options.Players = None,
    board: options.Board = None,
    games: Annotated[int, option("--games N", "Games per pair of bots.", min=8)] = 2000,
    seed: options.Seed = 1,
    isolate: options.Isolate = False,
    move_seconds: options.MoveSeconds = None,
    workers: options.Workers = None,
    chart: Annotated[Path | None, option("--chart FILE", "Draw ratings and intervals (.svg or .png).")] = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Every pair plays the same deals from all seats: one of the first bot against others of the second, and the
    reverse. The counted win shares come first. Ratings are Plackett-Luce strengths on the Elo scale: 400 points more
    mean ten times the odds of finishing ahead. A test says whether one rating per bot fits the shares.
    """
    kind = picture_kind(chart) if chart else ""
    shell, spec = find_shell_and_rules(game, rules)
    shell.check_board(board)
    if bots and levels:
        raise UsageError("a ladder is of bots or of levels of play; drop --bots or --levels")
    titles = {level.bots: level.name for level in named_levels(shell.name, levels)} if levels else {}
    quick = [name for name in shell.bots if name not in shell.slow_bots]
    names = split_bots(bots) if bots else [*titles] or quick
    conditions = LadderSettings(shell.name, spec, players, board, seed, options.move_limit(isolate, move_seconds))
    with show_progress(quiet) as progress:
        played = play_ladder(conditions, names, games, workers or cores(), progress, titles)
    rated = rate_ladder(played)
    if as_json:
        print_json(rated.as_json())
    else:
        _print_ladder(rated)
    if chart is not None:
        save("chart", chart, _draw_ratings(rated).files()[kind[1:]])


def _print_ladder(ladder: Ladder) -> None:
    ratings, players = ladder.ratings, ladder.players
    order = [rating.bot for rating in ratings.bots]
    shares = {
        (duel.bot, duel.others): f"{duel.share.value:.1%} ±{(duel.share.high - duel.share.low) / 2:.1%}"
        for duel in ladder.duels
    }
    rows = [[bot, *(shares.get((bot, other), "") for other in order)] for bot in order]
    title = f"Share of wins, one (row) against {players - 1} (column); equal is {1 / players:.0%}"
    print_table(["", *order], rows, title)
    numbers = ("rating", "low", "high", "games")
    rows = [
        [
            rating.bot,
            *(f"{elo:+.0f}" for elo in (rating.elo.value, rating.elo.low, rating.elo.high)),
            f"{rating.games:,}",
        ]
        for rating in ratings.bots
    ]
    print_table(("bot", *numbers), rows, "Ratings (Elo scale, 95 % intervals)", numbers)
    say(_describe_fit(ladder))
    for gap in ladder.undecided:
        say(
            f"{gap.stronger} and {gap.weaker}: no difference in their ratings found yet "
            f"(adjusted p = {gap.p_adjusted:.2f}); more games may find one"
        )
    if not ladder.undecided:
        say("the ratings of every two of these bots differ (Holm-adjusted, 5 %)")
    if ladder.failed:
        say(f"{ladder.failed} games were stopped by a bot's error and are left out")
    say(f"{ratings.games:,} games of {ratings.deals:,} deals, each played from every seat")


def _describe_fit(ladder: Ladder) -> str:
    fit = ladder.fit
    if fit is None:
        return "there are too few pairs or deals to test whether one rating per bot fits these games"
    p = f"p = {fit.p_value:.2f}" if fit.p_value >= _SMALLEST_P else "p < 0.01"
    if fit.fits and fit.agrees:
        return f"one rating per bot fits these games ({p})"
    outside = (
        f"the intervals of {fit.outside} of {fit.lineups} counted shares do not contain what the ratings predict; "
        "go by the shares"
    )
    if fit.fits:
        return f"ratings use the whole order of every game, and the wins disagree with them: {outside}"
    return f"one rating per bot does not fit these games ({p}): {outside}"


def _draw_ratings(ladder: Ladder) -> Chart:
    best, second, *_ = ladder.ratings.bots
    title = f"{best.bot} is the strongest bot, {best.elo.value - second.elo.value:.0f} points ahead of {second.bot}"
    note = "Plackett-Luce ratings on the Elo scale with 95 % intervals; the average bot is at 0."
    rows = [Row(rating.bot, [rating.elo]) for rating in ladder.ratings.bots]
    return dot_chart("ladder", title, note, rows, ["rating"], "points on the Elo scale", 0.0)
