"""Matches between bots, played by the workers of a batch: their tables are read and not kept."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.batch.journal import Entry
from mmsim.batch.plan import Part
from mmsim.batch.pool import Pool
from mmsim.batch.session import Status, Watch
from mmsim.batch.worker import LESSONS, Task
from mmsim.core.game import Variant
from mmsim.games import find_game

_PARTS = 4  # of a match, so that progress moves and no worker waits for long

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class Match:
    """So many games of one line-up in a row, seats rotated; whole groups of games that share a deal."""

    variant: Variant
    first: int
    games: int
    games_a_deal: int

    def cut(self) -> Iterator[tuple[int, int]]:
        """First game and number of games of every part."""
        step = max(1, -(-self.games // _PARTS) // self.games_a_deal) * self.games_a_deal
        for done in range(0, self.games, step):
            yield self.first + done, min(step, self.games - done)


def seats_of_first(game: str, match: Match) -> NDArray[np.int64]:
    """For every game of a match the seat of the bot that its variant lists first."""
    seats = np.array([order.index(0) for order in find_game(game).prepare(match.variant).seating.orders])
    return np.asarray(seats[(match.first + np.arange(match.games)) % len(seats)])


class Arena:
    """Workers that play one match after another; which of them plays what changes nothing."""

    def __init__(self, game: str, workers: int, watch: Watch) -> None:
        self._game, self._workers, self._watch = game, workers, watch

    def __enter__(self) -> "Arena":
        with ExitStack() as stack:
            self._folder = Path(stack.enter_context(TemporaryDirectory(prefix="mmsim-")))
            self._pool = stack.enter_context(Pool(self._folder, self._game, self._workers))
            self._pool.get_ready(self._workers)
            find_game(self._game).start_up()  # compiled once, before workers need it
            self._leave = stack.pop_all()
        return self

    def __exit__(self, *problem: object) -> None:
        self._leave.close()

    def play(self, matches: Sequence[Match]) -> list[Tables]:
        """The tables of every match, their games in order."""
        parts = self._carry_out(matches, None)
        return [self._tables(of_match) for of_match in parts]

    def collect(self, matches: Sequence[Match], learner: str) -> list[pl.DataFrame]:
        """The decisions of a bot in the games of every match, to learn from."""
        parts = self._carry_out(matches, learner)
        return [self._read(LESSONS, of_match) for of_match in parts]

    def _carry_out(self, matches: Sequence[Match], learner: str | None) -> list[list[Part]]:
        """Have all games played; returns the parts of every match."""
        numbered = [(number, games) for number, match in enumerate(matches) for games in match.cut()]
        parts = [Part(number, match, *games) for number, (match, games) in enumerate(numbered)]
        status, began, settled = Status(sum(part.count for part in parts)), time.monotonic(), 0
        tasks = (
            Task(part, matches[part.variant].variant, _name(matches[part.variant]), learner=learner) for part in parts
        )
        for event in self._pool.play(tasks):
            if isinstance(event, Entry):
                settled += event.games
                status.errors += len(event.errors)
                status.done = settled
            else:
                status.done = settled + event.games
            status.tick(time.monotonic() - began)
            self._watch(status)
        return [[part for part in parts if part.variant == number] for number in range(len(matches))]

    def _tables(self, parts: Sequence[Part]) -> Tables:
        return {table: self._read(table, parts) for table in find_game(self._game).tables}

    def _read(self, table: str, parts: Sequence[Part]) -> pl.DataFrame:
        """A table of some parts, read and removed."""
        paths = [self._folder / table / part.file for part in parts]
        rows = pl.concat([pl.read_parquet(path, glob=False) for path in paths])
        for path in paths:
            path.unlink()
        return rows


def _name(match: Match) -> str:
    return f"{match.variant.rules} with {match.variant.bots}"
