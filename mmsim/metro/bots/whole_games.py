"""Whole games, many at a time, into rows."""

from mmsim.core.game import GameRows
from mmsim.core.seating import PythonBot
from mmsim.core.steps import play_step_by_step
from mmsim.metro.bots import border
from mmsim.metro.bots.position import Position
from mmsim.metro.bots.prepared import Prepared
from mmsim.metro.engine import tables
from mmsim.metro.engine.border import Rows


def play_games(prepared: Prepared, first_game: int, count: int) -> GameRows:
    """Games inside compiled code, or step by step where a bot is written in Python."""
    rows = tables.rows_for(prepared.rules, count)
    if any(isinstance(bot, PythonBot) for bot in prepared.bots):
        return play_step_by_step((Position(prepared, first_game + i) for i in range(count)), rows)
    memory, setting = border.new_memory(), prepared.setting
    decisions = border.play_games(
        memory, setting, Rows(**rows), prepared.seed, first_game, prepared.seating.games_a_deal
    )
    return GameRows(rows, int(decisions))
