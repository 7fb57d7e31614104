"""Whole shards of games into rows."""

from typing import Any

from numpy.typing import NDArray

from mmsim.core.game import BotError, Shard
from mmsim.core.seating import BotFailedError, PythonBot
from mmsim.metro.bots import border
from mmsim.metro.bots.position import Position
from mmsim.metro.bots.prepared import Prepared
from mmsim.metro.engine import tables
from mmsim.metro.engine.border import Rows


def play_shard(prepared: Prepared, first_game: int, count: int) -> Shard:
    """Games inside compiled code, or step by step where a bot is written in Python."""
    rows = tables.empty_rows(prepared.rules, count)
    if any(isinstance(bot, PythonBot) for bot in prepared.bots):
        return _step_by_step(prepared, first_game, count, rows)
    memory, setting = border.new_memory(), prepared.setting
    decisions = border.play_shard(memory, setting, Rows(**rows), prepared.seed, first_game, prepared.rotate)
    return Shard(rows, int(decisions))


def _step_by_step(prepared: Prepared, first_game: int, count: int, rows: dict[str, NDArray[Any]]) -> Shard:
    """Games with a bot written in Python; one that fails ends its game."""
    decisions, errors = 0, []
    for i in range(count):
        position = Position(prepared, first_game + i)
        try:
            position.play_out()
        except BotFailedError as failure:
            errors.append(BotError(position.game, failure.seat, failure.bot, failure.message))
        position.write_rows(rows, i)
        decisions += len(position.history)
    return Shard(rows, decisions, errors)
