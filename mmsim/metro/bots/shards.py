"""Whole shards of games into rows, and how the core is got ready."""

from functools import cache

import numpy as np

from mmsim.compiled.warm import warm_up
from mmsim.core.game import BotError, Shard, Variant
from mmsim.core.seating import BotFailedError
from mmsim.metro.bots.entries import play_shard
from mmsim.metro.bots.position import Position
from mmsim.metro.bots.prepared import Prepared, prepare
from mmsim.metro.bots.thinking import memory
from mmsim.metro.engine import state, tables
from mmsim.metro.rules.rulesets import ruleset


@cache
def _ready() -> float:
    """Compile, or load what has been compiled; the seconds it took."""
    tiny = prepare(ruleset("metro"), Variant("metro"))

    def run() -> None:
        rows = play_rows(tiny, 0, 1)
        position = Position(tiny)
        position.legal_moves()
        position.write(0, tables.FINISHED, rows)

    return warm_up("metro", run)


def start_up() -> float:
    """Have the core ready; the seconds that took the first time."""
    return _ready()


def step_rows(prepared: Prepared, first_game: int, count: int) -> Shard:
    """Games with a bot written in Python, step by step; a bot that fails ends its game."""
    rows = tables.empty_rows(prepared.rules, count)
    decisions, errors = 0, []
    for i in range(count):
        position, status = Position(prepared, first_game + i), tables.FINISHED
        try:
            position.play_out()
        except BotFailedError as failure:
            errors.append(BotError(position.game, failure.seat, failure.bot, failure.message))
            status = tables.BOT_ERROR
        decisions += len(position.history)
        position.write(i, status, rows)
    return Shard(rows, decisions, errors)


def play_rows(prepared: Prepared, first_game: int, count: int) -> Shard:
    rows = tables.empty_rows(prepared.rules, count)
    decisions = play_shard(
        state.new_record(state.STATE, memory.POSITIONS),
        prepared.board,
        prepared.rule_record,
        prepared.bot_record,
        state.new_record(state.DICE),
        state.new_record(memory.THOUGHTS, memory.MINDS),
        np.uint64(prepared.seed),
        np.int64(first_game),
        np.int64(prepared.rotate),
        rows["games"],
        rows["seats"],
        rows["lines"],
    )
    return Shard(rows, int(decisions))
