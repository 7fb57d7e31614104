"""Matches between bots, played by the workers of a batch; their tables are read and not kept."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.batch.confidence import Tally
from mmsim.batch.plan import Part
from mmsim.batch.pool import Pool
from mmsim.batch.session import Status, Watch, follow
from mmsim.batch.worker import CHANCES, EXAMPLES, FEATURES, POSITIONS, SUMS, Task
from mmsim.core.variant import Variant
from mmsim.games import find_game
from mmsim.system.temporary import temporary_folder

_PARTS_PER_MATCH = 4  # so that progress is visible and no worker idles for long

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class Match:
    """Consecutive games of one line-up with rotated seats; whole deals."""

    variant: Variant
    first: int
    games: int
    games_per_deal: int

    def parts(self) -> Iterator[tuple[int, int]]:
        """First game and number of games of every part."""
        step = max(1, -(-self.games // _PARTS_PER_MATCH) // self.games_per_deal) * self.games_per_deal
        for done in range(0, self.games, step):
            yield self.first + done, min(step, self.games - done)


def one_against_others(game: str, variant: Variant, bot: str, opponent: str, first: int, games: int) -> Match:
    """One player's seats played by a bot, all others by another one; seats rotate."""
    return _match(game, variant, lambda player: bot if player == 0 else opponent, first, games)


def mixed_match(game: str, variant: Variant, bots: Sequence[str], games: int) -> Match:
    """Games in which players are given the bots in turn, or all the only one; seats rotate."""
    return _match(game, variant, lambda player: bots[player % len(bots)], 0, games)


def _match(game: str, variant: Variant, bot_of: Callable[[int], str], first: int, games: int) -> Match:
    """The whole deals of some games with a bot for every player."""
    description = find_game(game).prepare(replace(variant, bots=bot_of(1), seats="rotate")).description
    bots, deal = ",".join(map(bot_of, description.seat_player)), description.games_per_deal
    seated = replace(variant, bots=bots, seats="rotate")
    return Match(seated, first - first % deal, max(deal, games - games % deal), deal)


def first_bot_by_deal(game: str, match: Match, tables: Tables) -> NDArray[np.float64]:
    """The mean win share over each deal of the bot that the variant lists first."""
    shares = tables["seats"]["win_share"].to_numpy().astype(float).reshape(match.games, -1)
    orders = find_game(game).prepare(match.variant).seating.orders
    seats = np.array([order.index(0) for order in orders])
    games = np.arange(match.games)
    first_shares = shares[games, seats[(match.first + games) % len(seats)]]
    return np.asarray(first_shares.reshape(-1, match.games_per_deal).mean(axis=1))


@dataclass(frozen=True)
class HeldOutResult:
    """The win share of one bot against others of one kind, in games it was not fitted to."""

    variant: str
    opponent: str
    players: int
    games: int
    share: float
    half_width: float  # of the 95 % interval; a deal is one observation


class MatchRunner:
    """Workers that play matches; the number of workers does not change the games."""

    def __init__(self, game: str, workers: int, watch: Watch) -> None:
        self._game, self._workers, self._watch = game, workers, watch

    def __enter__(self) -> "MatchRunner":
        with ExitStack() as stack:
            self._folder = stack.enter_context(temporary_folder())
            self._pool = stack.enter_context(Pool(self._folder, self._game, self._workers))
            self._pool.start_workers(self._workers)
            find_game(self._game).start_up()  # compiled once, before workers need it
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *problem: object) -> None:
        self._exit.close()

    def play(self, matches: Sequence[Match]) -> list[Tables]:
        """The tables of every match, their games in order."""
        tables = find_game(self._game).tables
        return [{table: self._read(table, parts) for table in tables} for parts in self._run(matches)]

    def evaluate(self, matches: Sequence[tuple[str, Match]]) -> list[HeldOutResult]:
        """The win share of the bot listed first in every match, against the opponent named with it."""
        results = []
        all_tables = self.play([match for _, match in matches])
        for (opponent, match), tables in zip(matches, all_tables, strict=True):
            share = Tally.of(first_bot_by_deal(self._game, match, tables))
            name = find_game(self._game).prepare(match.variant).name
            games = match.games_per_deal * share.count
            result = HeldOutResult(name, opponent, match.games_per_deal, games, share.mean, share.half_width())
            results.append(result)
        return results

    def collect_examples(self, matches: Sequence[Match], learner: str) -> list[pl.DataFrame]:
        """The decisions of a bot in the games of every match, as training examples."""
        return [self._read(EXAMPLES, parts) for parts in self._run(matches, learner)]

    def collect_positions(self, matches: Sequence[Match]) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Positions of the games of every match, and the features of their boards."""
        for parts in self._run(matches, positions=True):
            yield self._read(POSITIONS, parts), self._read(FEATURES, parts)

    def win_chances(self, matches: Sequence[Match], playouts: int) -> list[pl.DataFrame]:
        """The chances to win in the games of every match, one row per game, turn and player."""
        return [self._read(CHANCES, parts) for parts in self._run(matches, playouts=playouts)]

    def sum_up(self, matches: Sequence[Match]) -> pl.DataFrame:
        """Sums over all games of every match, one row each; see `sums_of_games`."""
        return pl.concat([self._read(SUMS, parts).sum() for parts in self._run(matches, sums=True)])

    def _run(
        self,
        matches: Sequence[Match],
        learner: str | None = None,
        positions: bool = False,
        sums: bool = False,
        playouts: int = 0,
    ) -> list[list[Part]]:
        """Have all games played, for what a `Task` may want of them; returns the parts of every match."""
        numbered = [(number, part) for number, match in enumerate(matches) for part in match.parts()]
        parts = [Part(number, match, *games) for number, (match, games) in enumerate(numbered)]
        status, costs = Status(sum(part.count for part in parts)), [1.0] * len(matches)

        def task(part: Part) -> Task:
            variant = matches[part.variant].variant
            name, games_per_row = f"{variant.rules} with {variant.bots}", part.count if sums else 0
            return Task(
                part,
                variant,
                name,
                learner=learner,
                positions=positions,
                games_per_row=games_per_row,
                playouts=playouts,
            )

        for _ in follow(self._pool.play(map(task, parts)), status, costs, time.monotonic(), self._watch):
            pass  # what is wanted of a part is in its files
        return [[part for part in parts if part.variant == number] for number in range(len(matches))]

    def _read(self, table: str, parts: Sequence[Part]) -> pl.DataFrame:
        """A table of some parts; its files are deleted."""
        paths = [self._folder / table / part.file for part in parts]
        rows = pl.concat([pl.read_parquet(path, glob=False) for path in paths])
        for path in paths:
            path.unlink()
        return rows
