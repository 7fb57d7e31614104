"""The games of a design: blocks of games of one ruleset, played on the workers of a batch and kept in files.

A file is named after what is in it (rules, board, bots, seed, games and columns), so a search that was stopped finds
what was played before, and so does one with other limits of the same metrics.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl

from mmsim.analysis.estimates import SEPARATOR, TableMetrics
from mmsim.analysis.evidence import Column
from mmsim.analysis.run_metrics import find_metric
from mmsim.analysis.stats import Array
from mmsim.analysis.tables import FINISHED, TENSION
from mmsim.analysis.win_chances import tension_table, with_temperature
from mmsim.batch.experiment import game_seconds
from mmsim.batch.session import Watch
from mmsim.contests.matches import Match, MatchRunner
from mmsim.core.metrics import MetricGrouping
from mmsim.core.variant import PlayableVariant, Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game
from mmsim.system.files import read_bytes, remove_stale_temporaries, write_atomically

_CHUNK_S = 10.0  # of one core by declared costs: what a killed search loses
_PLAYOUTS = 50  # after every turn, where a goal is about the chances to win
_CHANCES_S = 0.2  # about what these take in a game


@dataclass(frozen=True)
class Block:
    """Consecutive games of a variant."""

    variant: Variant
    first: int
    games: int


PlayBlocks = Callable[[Sequence[Block]], list[Array]]  # values of every block by column, deal and game of the deal


class KeptGames:
    """Plays blocks, or reads those that a folder has; a context manager, because workers may be running."""

    def __init__(self, game: str, columns: Sequence[Column], folder: Path, workers: int, watch: Watch) -> None:
        self._game, self._columns, self._folder = game, tuple(columns), folder
        self._start: Callable[[], MatchRunner] = lambda: MatchRunner(game, workers, watch)
        self._runner: MatchRunner | None = None
        self._exit = ExitStack()
        self._prepared = cache(find_game(game).prepare)
        self._needs_chances = any(find_metric(game, column.metric).table == TENSION for column in columns)

    def __enter__(self) -> "KeptGames":
        remove_stale_temporaries(self._folder, re.compile(r"\w+\.npz"))
        return self

    def __exit__(self, *problem: object) -> None:
        self._exit.close()

    def __call__(self, blocks: Sequence[Block]) -> list[Array]:
        pieces = [piece for block in blocks for piece in self._cut(block)]
        kept = {piece: self._read(piece) for piece in dict.fromkeys(pieces)}
        values = {piece: array for piece, array in kept.items() if array is not None}
        for chunk in self._chunks(piece for piece, array in kept.items() if array is None):
            for piece, array in zip(chunk, self._play(chunk), strict=True):
                content = io.BytesIO()
                np.savez(content, values=array)
                write_atomically(self._file(piece), content.getvalue(), synced=False)
                values[piece] = array
        return [np.concatenate([values[piece] for piece in self._cut(block)], axis=1) for block in blocks]

    def _seconds(self, block: Block) -> float:
        return block.games * self._game_seconds(block.variant)

    def _game_seconds(self, variant: Variant) -> float:
        return game_seconds(self._game, variant.bots) + _CHANCES_S * self._needs_chances

    def _cut(self, block: Block) -> Iterator[Block]:
        """A block in pieces, each of which has a file."""
        deal = self._prepared(block.variant).games_per_deal
        step = max(int(_CHUNK_S / self._game_seconds(block.variant)) // deal, 1) * deal
        for done in range(0, block.games, step):
            yield replace(block, first=block.first + done, games=min(step, block.games - done))

    def _chunks(self, pieces: Iterable[Block]) -> Iterator[list[Block]]:
        """Pieces that are played together, so that all workers are busy and a killed search loses little."""
        chunk: list[Block] = []
        for piece in pieces:
            if chunk and sum(map(self._seconds, (*chunk, piece))) > _CHUNK_S:
                yield chunk
                chunk = []
            chunk.append(piece)
        if chunk:
            yield chunk

    def _file(self, block: Block) -> Path:
        key = self._prepared(block.variant).fingerprint, block.first, block.games, self._columns
        return self._folder / f"{sha256(repr(key).encode()).hexdigest()[:32]}.npz"

    def _read(self, block: Block) -> Array | None:
        """The values in the file of a block; None if it is not there, or damaged."""
        try:
            with np.load(io.BytesIO(read_bytes(self._file(block)))) as file:
                values: Array = file["values"]  # with a checksum
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        return values

    def _play(self, chunk: Sequence[Block]) -> list[Array]:
        if self._runner is None:
            self._runner = self._exit.enter_context(self._start())
        prepared = [self._prepared(block.variant) for block in chunk]
        matches = [
            Match(block.variant, block.first, block.games, variant.games_per_deal)
            for block, variant in zip(chunk, prepared, strict=True)
        ]
        played = self._runner.play(matches)
        if self._needs_chances:
            for tables, chances in zip(played, self._runner.win_chances(matches, _PLAYOUTS), strict=True):
                tables[TENSION] = tension_table(with_temperature(chances, 1.0))  # not fitted: no game depends on others
        return [
            self._values(variant, {name: frame.lazy() for name, frame in tables.items()})
            for variant, tables in zip(prepared, played, strict=True)
        ]

    def _values(self, variant: PlayableVariant, tables: dict[str, pl.LazyFrame]) -> Array:
        """The columns of the games of one variant."""
        names = dict.fromkeys(column.metric for column in self._columns)
        metrics = [find_metric(self._game, name) for name in names]
        unfinished = tables["games"].filter(pl.col("status") != FINISHED).select(pl.len()).collect().item()
        if unfinished:
            raise MmsimError(
                f"{unfinished} games of {variant.name} were stopped by a bot's error; a design needs them all"
            )
        grouping = MetricGrouping(tables)
        rows: dict[Column, Array] = {}
        for table in dict.fromkeys(metric.table for metric in metrics):
            of_table = TableMetrics([metric for metric in metrics if metric.table == table], grouping)
            (values,) = of_table.deals(tables, {variant.name: variant.games_per_deal})
            for name, row in zip(of_table.names, values, strict=True):
                metric, group = name.split(SEPARATOR)
                rows[Column(metric, group)] = row
        missing = np.full_like(next(iter(rows.values())), np.nan)
        for column in self._columns:
            if column not in rows and not column.is_optional:
                groups = ", ".join(row.group for row in rows if row.metric == column.metric)
                raise UsageError(f"{column.metric} is counted by group; name one of {groups} after it")
        return np.stack([rows.get(column, missing) for column in self._columns])
