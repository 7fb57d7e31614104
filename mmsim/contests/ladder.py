"""Play a ladder: for every pair, one copy of the first bot plays against copies of the second, and vice versa.

All line-ups play the same layouts and deals, and in every line-up the bots rotate through all seats, so that nothing
but the bots differs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

import polars as pl

from mmsim.batch.session import Watch
from mmsim.contests.matches import MatchRunner, Tables, one_against_others
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game


@dataclass(frozen=True)
class LadderSettings:
    """What all games of a ladder have in common."""

    game: str
    rules: str
    players: int | None
    board: str | None
    seed: int
    move_seconds: float | None = None  # time per move of Python bots, which then run in processes of their own

    def variant(self, bots: str) -> Variant:
        return Variant(self.rules, self.players, self.board, bots, self.seed, "rotate", move_seconds=self.move_seconds)


@dataclass(frozen=True)
class Lineup:
    """One copy of `bot`, and copies of `others` in all other seats, named as in the tables."""

    bot: str
    others: str


@dataclass(frozen=True)
class LadderGames:
    players: int
    lineups: list[Lineup]
    seats: pl.DataFrame  # one row per player: lineup, game, deal, player, bot, rank, win_share
    games: int  # per line-up
    failed: int  # games stopped by a bot's error


def play_ladder(
    settings: LadderSettings,
    bots: Sequence[str],
    games: int,
    workers: int,
    watch: Watch,
    titles: Mapping[str, str] = MappingProxyType({}),
) -> LadderGames:
    """`titles`: what bots are called in the results, if not by their specs."""
    if len(set(bots)) != len(bots):
        raise UsageError("a ladder names every bot once; one is named twice")
    if len(bots) < 2:
        raise UsageError("a ladder needs at least two bots")
    game = find_game(settings.game)
    alone = {spec: game.prepare(settings.variant(spec)) for spec in bots}
    description = alone[bots[0]].description
    players, games_per_deal = description.players, description.games_per_deal
    directions = 1 if players == 2 else 2  # with two players both directions are the same
    meetings = [meeting for pair in combinations(bots, 2) for meeting in (pair, pair[::-1])[:directions]]
    variant = settings.variant(bots[0])
    matches = [one_against_others(settings.game, variant, *pair, 0, games // directions) for pair in meetings]
    with MatchRunner(settings.game, workers, watch) as runner:
        played = runner.play(matches)
    seats = pl.concat([_seats(number, tables, games_per_deal) for number, tables in enumerate(played)])
    finished = seats.filter(pl.col("status") == "finished").drop("status")
    if finished.is_empty():
        raise MmsimError("every game of the ladder was stopped by a bot's error; mmsim play shows what it is")
    specs = {spec: ready.bots[0].spec for spec, ready in alone.items()}  # as tables have them
    names = {spec: titles.get(spec, full) for spec, full in specs.items()}
    lineups = [Lineup(names[bot], names[others]) for bot, others in meetings]
    named = finished.with_columns(pl.col("bot").replace({full: names[spec] for spec, full in specs.items()}))
    return LadderGames(players, lineups, named, matches[0].games, (seats.height - finished.height) // players)


def _seats(number: int, tables: Tables, games_per_deal: int) -> pl.DataFrame:
    """One row per player of the games of a line-up, in their order."""
    status = tables["games"].select("game", pl.col("status").cast(pl.String))
    seats = tables["seats"].unique(["game", "player"], maintain_order=True).join(status, on="game")
    return seats.select(
        pl.lit(number, pl.Int64).alias("lineup"),
        pl.col("game").cast(pl.Int64),
        (pl.col("game").cast(pl.Int64) // games_per_deal).alias("deal"),
        pl.col("player").cast(pl.Int64),
        pl.col("bot").cast(pl.String),
        pl.col("rank").cast(pl.Int64),
        pl.col("win_share").cast(pl.Float64),
        "status",
    ).sort("game", "player")
