"""A ladder of bots: every pair meets, one of the one against the rest of the other and the other way round.

All line-ups play the same layouts and deals, and in every line-up the bots move through all seats, so that nothing
but the bots differs.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import combinations
from multiprocessing import get_context

import numpy as np
import polars as pl

from mmsim.analysis import ratings, stats
from mmsim.analysis.ratings import Gap, Ratings
from mmsim.analysis.stats import Estimate
from mmsim.core.errors import UsageError
from mmsim.core.game import Game, Variant
from mmsim.games import find_game

_PIECES = 4  # tasks a line-up is cut into, so that progress moves and no process waits for long


@dataclass(frozen=True)
class Match:
    """What a ladder is played under."""

    game: str
    rules: str
    players: int | None
    board: str
    seed: int


@dataclass(frozen=True)
class Duel:
    """One of a bot against the others in every other seat: its share of the wins."""

    bot: str
    others: str
    share: Estimate
    games: int


@dataclass(frozen=True)
class Ladder:
    """The bots of a ladder, strongest first, and how every pair fared."""

    ratings: Ratings
    duels: list[Duel]
    players: int
    failed: int  # games that a bot's error stopped

    @property
    def alike(self) -> list[Gap]:
        """The pairs that these games cannot tell apart."""
        return [gap for gap in self.ratings.gaps if not gap.apart]


def play_ladder(
    match: Match, bots: Sequence[str], games: int, workers: int, tell: Callable[[int, int], None]
) -> Ladder:
    """Play `games` games of every pair and rate the bots; `tell` hears how many games of how many are done."""
    if len(set(bots)) != len(bots):
        raise UsageError("a ladder names every bot once; one is there twice")
    if len(bots) < 2:
        raise UsageError("a ladder needs at least two bots")
    game = find_game(match.game)
    about = game.describe(game.prepare(_variant(match, bots[0])))
    players, seat_player = int(about["players"]), list(about["seat_player"])
    lineups = [
        (one, rest) for pair in combinations(bots, 2) for one, rest in (pair, pair[::-1])[: 1 if players == 2 else 2]
    ]
    each = max(players, games // (1 if players == 2 else 2) // players * players)
    for one, rest in lineups:  # bad names are told before anything is played
        game.prepare(_variant(match, _seating(one, rest, seat_player)))
    tasks = [
        (number, _variant(match, _seating(one, rest, seat_player)), first, count)
        for number, (one, rest) in enumerate(lineups)
        for first, count in _pieces(each, players)
    ]
    done, frames = 0, []
    tell(0, each * len(lineups))
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        waiting = {pool.submit(_play, match.game, task, players): task for task in tasks}
        for future in as_completed(waiting):
            frames.append(future.result())
            done += waiting[future][3]
            tell(done, each * len(lineups))
    seats = pl.concat(frames).sort("lineup", "game", "player")
    failed = seats.filter(pl.col("status") != "finished")["game"].len() // players
    seats = seats.filter(pl.col("status") == "finished")
    ranked = seats.select(game=pl.col("lineup") * each + pl.col("game"), cluster="cluster", bot="bot", rank="rank")
    return Ladder(ratings.rate(ranked), _duels(seats, game, match, lineups, players), players, failed)


def _variant(match: Match, bots: str) -> Variant:
    return Variant(match.rules, match.players, match.board, bots, match.seed, "rotate")


def _seating(one: str, rest: str, seat_player: Sequence[int]) -> str:
    return ",".join(one if player == 0 else rest for player in seat_player)


def _pieces(games: int, players: int) -> Iterator[tuple[int, int]]:
    """A line-up's games in a few pieces of whole rotations."""
    step = max(players, -(-games // _PIECES) // players * players)
    for first in range(0, games, step):
        yield first, min(step, games - first)


def _play(name: str, task: tuple[int, Variant, int, int], players: int) -> pl.DataFrame:
    """One row a player of some games of a line-up."""
    number, variant, first, count = task
    game = find_game(name)
    prepared = game.prepare(variant)
    shard = game.play_shard(prepared, first, count)
    status = game.frame(prepared, "games", shard["games"]).select("game", pl.col("status").cast(pl.String))
    seats = game.frame(prepared, "seats", shard["seats"]).unique(["game", "player"], maintain_order=True)
    return seats.join(status, on="game", maintain_order="left").select(
        lineup=pl.lit(number, pl.Int64),
        game=pl.col("game").cast(pl.Int64),
        cluster=pl.col("game").cast(pl.Int64) // players,
        player=pl.col("player").cast(pl.Int64),
        bot=pl.col("bot").cast(pl.String),
        rank=pl.col("rank").cast(pl.Int64),
        win_share=pl.col("win_share").cast(pl.Float64),
        status="status",
    )


def _duels(
    seats: pl.DataFrame, game: Game, match: Match, lineups: Sequence[tuple[str, str]], players: int
) -> list[Duel]:
    """The win share of the one in every line-up; games that share a layout and a deal are one observation."""
    names = {
        spec: game.describe(game.prepare(_variant(match, spec)))["bots"][0]["bot"] for pair in lineups for spec in pair
    }
    duels = []
    for number, (one, rest) in enumerate(lineups):
        own = seats.filter((pl.col("lineup") == number) & (pl.col("bot") == names[one]))
        clusters = own.group_by("cluster", maintain_order=True).agg(pl.col("win_share").mean())["win_share"].to_numpy()
        if clusters.size == 0:
            continue
        se = float(np.std(clusters, ddof=1) / np.sqrt(clusters.size)) if clusters.size > 1 else float("nan")
        share = stats.share_estimate(float(clusters.mean()), se, float(own.height), clusters.size)
        duels.append(Duel(names[one], names[rest], share, own.height))
        if players == 2:
            other = Estimate(1 - share.value, 1 - share.high, 1 - share.low, share.se, share.clusters)
            duels.append(Duel(names[rest], names[one], other, own.height))
    return duels
