"""A game of dice behind the seam: what batches know of a game, and nothing that takes long to load.

Its rules are how it behaves: `dice` is a fair game, the others go wrong at game 77.
"""

import os
import signal
import time
from typing import Any

import numpy as np
import polars as pl

from mmsim import games
from mmsim.batch import worker
from mmsim.core.errors import unknown
from mmsim.core.game import BotError, Shard, Variant

BAD_GAME = 77
RULES = ("dice", "killed", "raising", "hanging", "bad-bot")
GAME_ROW = np.dtype([("game", np.uint64), ("turns", np.uint16)])
SEAT_ROW = np.dtype([("game", np.uint64), ("seat", np.uint8), ("score", np.int16), ("win_share", np.float32)])
ROWS = {"games": GAME_ROW, "seats": SEAT_ROW}


class Toy:
    """Everybody rolls a die as often as the game has turns."""

    name = "toy"

    @property
    def tables(self) -> dict[str, pl.Schema]:
        games = {"variant": pl.Categorical(), "game": pl.UInt64(), "turns": pl.UInt16()}
        seats = {"variant": pl.Categorical(), "game": pl.UInt64(), "seat": pl.UInt8(), "score": pl.Int16()}
        return {"games": pl.Schema(games), "seats": pl.Schema({**seats, "win_share": pl.Float32()})}

    def start_up(self) -> float:
        return 0.0

    def prepare(self, variant: Variant) -> Variant:
        if variant.rules not in RULES:
            raise unknown("ruleset", variant.rules, RULES)
        return variant

    def describe(self, prepared: Variant) -> dict[str, Any]:
        return {"name": self._name(prepared), "players": prepared.players or 2, "rules": prepared.rules}

    def rows_per_game(self, prepared: Variant) -> dict[str, int]:
        return {"games": 1, "seats": prepared.players or 2}

    def play_shard(self, prepared: Variant, first_game: int, count: int) -> Shard:
        players = prepared.players or 2
        rows = {"games": np.zeros(count, GAME_ROW), "seats": np.zeros(count * players, SEAT_ROW)}
        for i in range(count):
            self._play(prepared, first_game + i, rows["games"][i : i + 1], rows["seats"][i * players :][:players])
        errors = []
        if first_game <= BAD_GAME < first_game + count:
            errors = self._go_wrong(prepared.rules)
        return Shard(rows, int(rows["games"]["turns"].sum()), errors)

    def frame(self, prepared: Variant, table: str, rows: Any) -> pl.DataFrame:
        name = pl.repeat(self._name(prepared), len(rows), dtype=pl.String, eager=True).alias("variant")
        columns = [pl.Series(field, np.ascontiguousarray(rows[field])) for field in ROWS[table].names or ()]
        return pl.DataFrame([name.cast(pl.Categorical()), *columns])

    def _name(self, prepared: Variant) -> str:
        return f"{prepared.rules}-{prepared.players or 2}p{prepared.suffix}"

    def _play(self, prepared: Variant, game: int, row: Any, seats: Any) -> None:
        draws = np.random.Generator(np.random.Philox(key=prepared.seed, counter=game))
        turns = int(draws.integers(1, 5))
        row["game"], row["turns"] = game, turns
        scores = draws.integers(1, 7, (turns, len(seats))).sum(axis=0)
        seats["game"], seats["seat"], seats["score"] = game, range(len(seats)), scores
        seats["win_share"] = (scores == scores.max()) / (scores == scores.max()).sum()

    def _go_wrong(self, how: str) -> list[BotError]:
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "raising":
            raise ZeroDivisionError("no dice")
        if how == "hanging":
            time.sleep(600)
        return [BotError(BAD_GAME, 2, "mine", "chose to fly")] if how == "bad-bot" else []


def serve(*args: Any) -> None:
    """A worker process that knows the toy."""
    games._PACKAGES["toy"] = "tests.batch.toy"
    worker.serve(*args)
