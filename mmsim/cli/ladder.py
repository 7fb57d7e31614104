"""`mmsim ladder`: bots against bots, rated."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from mmsim.cli import completion
from mmsim.cli.common import Board, GameName, Isolate, MoveSeconds, Players, Rules, Seed, console, move_limit
from mmsim.cli.run_control import Quiet, Workers, watched
from mmsim.core.seating import split_bots
from mmsim.errors import UsageError
from mmsim.games import find_rules
from mmsim.system.files import write_output
from mmsim.system.processes import cores

_LEAST_P = 0.005  # rounded to two decimals it is the least that is not nothing

if TYPE_CHECKING:
    from mmsim.analysis.ladder import Ladder
    from mmsim.report.charts import Chart


def ladder(
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.bots,
            help="Bots, with commas, at least two; if not given, all but the slow ones.",
        ),
    ] = None,
    game: GameName = None,
    rules: Rules = None,
    players: Players = None,
    board: Board = None,
    games: Annotated[int, typer.Option(min=8, help="Games of every pair of bots.")] = 2000,
    seed: Seed = 1,
    isolate: Isolate = False,
    move_seconds: MoveSeconds = None,
    workers: Workers = None,
    chart: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Draw the ratings with their intervals (.svg or .png).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Let every bot meet every other on the same layouts and deals from all seats, and rate them.

    One of a bot sits with others of another one, and the other way round. Counted shares come first. Ratings are
    Plackett-Luce strengths on the Elo scale, 400 more being ten times as likely to finish in front; whether one
    number a bot fits the shares is tested.
    """
    from mmsim.analysis.ladder import rate_ladder  # Polars and the compiler are slow to import
    from mmsim.contests.ladder import Conditions, play_ladder

    if chart is not None and chart.suffix not in (".svg", ".png"):
        raise UsageError(f"a chart is .svg or .png, not {chart.name}")
    shell, spec = find_rules(game, rules)
    names = [name for name in shell.bots if name not in shell.slow] if bots is None else split_bots(bots)
    with watched(quiet) as watch:
        played = play_ladder(
            Conditions(shell.name, spec, players, board, seed, move_limit(isolate, move_seconds)),
            *(names, games, workers or cores(), watch),
        )
    found = rate_ladder(played)
    if as_json:
        typer.echo(json.dumps(_as_json(found), indent=1))
    else:
        _print(found)
    if chart is not None:
        write_output(chart, _chart(found).files()[chart.suffix[1:]])
        typer.echo(f"chart -> {chart}", err=True)


def _print(found: "Ladder") -> None:
    screen = console()
    rest = found.players - 1
    title = f"Share of wins, one (row) against {rest} (column); equal is {1 / found.players:.0%}"
    order = [one.bot for one in found.ratings.bots]
    shares = {(duel.bot, duel.others): duel.share for duel in found.duels}
    table = Table("", *order, title=title, title_justify="left")
    for bot in order:
        cells = [shares.get((bot, other)) for other in order]
        table.add_row(bot, *(f"{s.value:.1%} ±{(s.high - s.low) / 2:.1%}" if s else "" for s in cells))
    screen.print(table)
    table = Table("bot", title="Ratings (Elo scale, 95 % intervals)", title_justify="left")
    for heading in ("rating", "low", "high", "games"):
        table.add_column(heading, justify="right")
    for one in found.ratings.bots:
        table.add_row(one.bot, f"{one.elo:+.0f}", f"{one.elo_low:+.0f}", f"{one.elo_high:+.0f}", f"{one.games:,}")
    screen.print(table)
    screen.print(_fit_sentence(found))
    for gap in found.alike:
        screen.print(
            f"{gap.stronger} and {gap.weaker} cannot be told apart by their ratings "
            f"(adjusted p = {gap.p_adjusted:.2f}); more games might"
        )
    if not found.alike:
        screen.print("every two of these bots can be told apart by their ratings (Holm-adjusted, 5 %)")
    if found.failed:
        screen.print(f"{found.failed} games were stopped by a bot's error and are left out")
    screen.print(
        f"{found.ratings.games:,} games on {found.ratings.deals:,} layouts and deals, each played from every seat"
    )


def _fit_sentence(found: "Ladder") -> str:
    fit = found.fit
    if fit is None:
        return "whether one rating a bot fits these games cannot be told: there are too few pairs or deals"
    p = f"p = {fit.p_value:.2f}" if fit.p_value >= _LEAST_P else "p < 0.01"
    if fit.fits and fit.agrees:
        return f"one rating a bot fits these games ({p})"
    outside = (
        f"of {fit.lineups} counted shares {fit.outside} have an interval that leaves out what the ratings say; "
        "go by the shares"
    )
    if fit.fits:
        return f"ratings go by the whole order of every game, and the wins say otherwise: {outside}"
    return f"one rating a bot does not fit these games ({p}): {outside}"


def _chart(found: "Ladder") -> "Chart":
    from mmsim.analysis.ratings import ELO
    from mmsim.analysis.stats import Estimate
    from mmsim.report.charts import Row
    from mmsim.report.figures import dots

    def on_elo(e: Estimate) -> Estimate:
        return Estimate(e.value * ELO, e.low * ELO, e.high * ELO, e.se * ELO, e.deals)

    best = found.ratings.bots[0]
    second = found.ratings.bots[1]
    title = f"{best.bot} is the strongest bot, {best.elo - second.elo:.0f} points ahead of {second.bot}"
    note = "Plackett-Luce ratings on the Elo scale with 95 % intervals; the average bot is at 0."
    rows = [Row(one.bot, [on_elo(one.strength)]) for one in found.ratings.bots]
    return dots("ladder", title, note, rows, ["rating"], "points on the Elo scale", 0.0)


def _as_json(found: "Ladder") -> dict[str, object]:
    return {
        "ratings": [
            {"bot": one.bot, "elo": one.elo, "low": one.elo_low, "high": one.elo_high, "games": one.games}
            for one in found.ratings.bots
        ],
        "duels": [
            {
                "bot": duel.bot,
                "others": duel.others,
                "win_share": duel.share.value,
                "low": duel.share.low,
                "high": duel.share.high,
                "games": duel.games,
            }
            for duel in found.duels
        ],
        "cannot_be_told_apart": [[gap.stronger, gap.weaker] for gap in found.alike],
        "ratings_fit": None
        if found.fit is None
        else {**vars(found.fit), "fits": found.fit.fits, "agrees": found.fit.agrees},
        "games": found.ratings.games,
        "failed": found.failed,
    }
