"""The games of a ladder: every pair of bots meets, one of the one against others of the other and the other way round.

All line-ups play the same layouts and deals, and in every line-up the bots move through all seats, so that nothing
but the bots differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from mmsim.batch.experiment import ReadyVariant
from mmsim.batch.session import Watch
from mmsim.contests.matches import Arena, Match, Tables
from mmsim.core.game import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game


@dataclass(frozen=True)
class Conditions:
    """What a ladder is played under."""

    game: str
    rules: str
    players: int | None
    board: str | None
    seed: int
    move_seconds: float | None = None  # bots in Python have processes of their own, and so long for a move

    def variant(self, bots: str) -> Variant:
        return Variant(self.rules, self.players, self.board, bots, self.seed, "rotate", move_seconds=self.move_seconds)


@dataclass(frozen=True)
class Lineup:
    """One of a bot, and others of another one in every other seat; as their names are in tables."""

    one: str
    others: str


@dataclass(frozen=True)
class LadderGames:
    """The games of a ladder that came to an end."""

    players: int
    lineups: list[Lineup]
    seats: pl.DataFrame  # a row a player: lineup, game, deal, player, bot, rank, win_share
    games: int  # of every line-up
    failed: int  # games that a bot's error stopped


def play_ladder(conditions: Conditions, bots: Sequence[str], games: int, workers: int, watch: Watch) -> LadderGames:
    """Play `games` games of every pair."""
    if len(set(bots)) != len(bots):
        raise UsageError("a ladder names every bot once; one is there twice")
    if len(bots) < 2:
        raise UsageError("a ladder needs at least two bots")
    game = find_game(conditions.game)
    alone = {spec: ReadyVariant.of(game, conditions.variant(spec)) for spec in bots}
    about = alone[bots[0]].about
    players, seat_player = int(about["players"]), list(about["seat_player"])
    ways = 1 if players == 2 else 2  # with two players the other way round is the same
    meetings = [meeting for pair in combinations(bots, 2) for meeting in (pair, pair[::-1])[:ways]]
    games_a_deal = alone[bots[0]].games_a_deal
    each = max(games_a_deal, games // ways // games_a_deal * games_a_deal)
    matches = [
        Match(
            conditions.variant(",".join(one if player == 0 else rest for player in seat_player)), 0, each, games_a_deal
        )
        for one, rest in meetings
    ]
    with Arena(conditions.game, workers, watch) as arena:
        played = arena.play(matches)
    seats = pl.concat([_seats(number, tables, games_a_deal) for number, tables in enumerate(played)])
    stopped = pl.col("status") != "finished"
    failed = seats.filter(stopped).height // players
    if seats.filter(~stopped).is_empty():
        raise MmsimError("every game of the ladder was stopped by a bot's error; mmsim play shows what it is")
    names = {spec: str(ready.about["bots"][0]["bot"]) for spec, ready in alone.items()}
    lineups = [Lineup(names[one], names[rest]) for one, rest in meetings]
    return LadderGames(players, lineups, seats.filter(~stopped).drop("status"), each, failed)


def _seats(number: int, tables: Tables, games_a_deal: int) -> pl.DataFrame:
    """One row a player of the games of a line-up, in their order."""
    status = tables["games"].select("game", pl.col("status").cast(pl.String))
    seats = tables["seats"].unique(["game", "player"], maintain_order=True).join(status, on="game")
    return seats.select(
        lineup=pl.lit(number, pl.Int64),
        game=pl.col("game").cast(pl.Int64),
        deal=pl.col("game").cast(pl.Int64) // games_a_deal,
        player=pl.col("player").cast(pl.Int64),
        bot=pl.col("bot").cast(pl.String),
        rank=pl.col("rank").cast(pl.Int64),
        win_share=pl.col("win_share").cast(pl.Float64),
        status="status",
    ).sort("game", "player")
