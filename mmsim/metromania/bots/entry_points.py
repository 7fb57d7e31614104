"""What Python asks of the bots: whole games, one decision and its reasons, win chances, training examples.

With `engine/entry_points` these are all entry points of the compiled program.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import entry_point, jit
from mmsim.compiled.entry_points import array_of, group, new_record
from mmsim.core.training_examples import ASKED
from mmsim.metromania.bots.kinds import UNIFORM
from mmsim.metromania.bots.thinking import dispatch, training_examples, whole_turns, win_chances
from mmsim.metromania.bots.thinking.memory import (
    BOTS,
    POSITIONS,
    SEATING_ROWS,
    THOUGHTS,
    VIEW,
    Bots,
    Memory,
    Setting,
)
from mmsim.metromania.bots.thinking.training_examples import EXAMPLE
from mmsim.metromania.engine import entry_points, playout, tables
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.state import BOARD, RULES, STATE, Rules
from mmsim.metromania.engine.trips import NETWORK
from mmsim.metromania.engine.turns import play_move

SETTING = group(Setting, board=BOARD, rules=RULES, deals=entry_points.DEALS, bots=BOTS)
MEMORY = group(Memory, positions=STATE, network=NETWORK, thoughts=THOUGHTS)


def new_memory() -> Memory:
    """Memory for one game after another."""
    return Memory(new_record(STATE, POSITIONS), new_record(NETWORK), new_record(THOUGHTS))


@jit
def is_uniform(r: Rules, bots: Bots) -> bool:
    """Whether every bot plays at random."""
    for seat in range(r.companies):  # noqa: SIM110 - compiled code has no all()
        if bots.kind[seat] != UNIFORM:
            return False
    return True


@jit
def play_game(m: Memory, setting: Setting, row: Any) -> np.int64:
    """Play a game that is set up to its end and score it; returns the number of decisions."""
    s, b, r = m.positions[0], setting.board[0], setting.rules[0]
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, dispatch.choose(m, setting, row))
        decisions += 1
    score_game(s, b, r, m.network[0])
    return decisions


@entry_point(
    memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, master=np.uint64, first=np.int64, games_per_deal=np.int64
)
def play_games(memory: Any, setting: Any, rows: Any, master: Any, first: Any, games_per_deal: Any) -> Any:
    """Play as many games as there are rows in `games`, from game `first` on; returns the number of decisions."""
    s, b, r = memory.positions[0], setting.board[0], setting.rules[0]
    decisions = np.int64(0)
    for i in range(rows.games.size):
        game = first + i
        playout.set_up(s, b, r, setting.deals, master, game, games_per_deal, np.int64(-1))
        row = _seating_row(setting, game)
        if is_uniform(r, setting.bots[row]):
            decisions += playout.play_uniform(s, b, r, memory.network[0])
        else:
            decisions += play_game(memory, setting, row)
        tables.write_rows(s, b, r, game, i, rows.games, rows.seats, rows.trips, rows.lines)
    return decisions


@jit
def _seating_row(setting: Setting, game: Any) -> np.int64:
    """The first row of the bots in the order in which they sit in a game."""
    return game % (setting.bots.size // SEATING_ROWS) * SEATING_ROWS


@entry_point(memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, game=np.int64, i=np.int64)
def finish_game(memory: Any, setting: Any, rows: Any, game: Any, i: Any) -> Any:
    """Let the bots finish a game and write it as the i-th game of the rows; returns the number of decisions."""
    decisions = play_game(memory, setting, _seating_row(setting, game))
    s, b, r = memory.positions[0], setting.board[0], setting.rules[0]
    tables.write_rows(s, b, r, game, i, rows.games, rows.seats, rows.trips, rows.lines)
    return decisions


@entry_point(memory=MEMORY, setting=SETTING, seating=np.int64)
def choose(memory: Any, setting: Any, seating: Any) -> Any:
    """The move that the bot in turn chooses."""
    return dispatch.choose(memory, setting, seating * SEATING_ROWS)


@entry_point(memory=MEMORY, setting=SETTING, wins=array_of(np.float64))
def sample_wins(memory: Any, setting: Any, wins: Any) -> None:
    """Play a position out once for every row of `wins` and write each player's share of the win.

    The rows of the setting's bots after the first are those of which the players of playouts are drawn.
    """
    win_chances.sample_wins(memory, setting, wins)


@entry_point(memory=MEMORY, setting=SETTING, seating=np.int64, turn=np.int64)
def explain_turn(memory: Any, setting: Any, seating: Any, turn: Any) -> None:
    """Write down the features of one of the turns that the bot in turn has just weighed."""
    v, t, bots = memory.positions[VIEW], memory.thoughts[0], setting.bots[seating * SEATING_ROWS]
    whole_turns.explain_turn(v, setting.board[0], setting.rules[0], bots, t, turn)


@entry_point(memory=MEMORY, setting=SETTING, rows=EXAMPLE, sampling=ASKED)
def collect_examples(memory: Any, setting: Any, rows: Any, sampling: Any) -> Any:
    """Play a game and write some of its decisions into rows; returns how many rows."""
    wanted, game = sampling[0], sampling[0].game
    s, b, r, master = memory.positions[0], setting.board[0], setting.rules[0], wanted.master
    playout.set_up(s, b, r, setting.deals, master, game, wanted.games_per_deal, np.int64(-1))
    return training_examples.collect(memory, setting, _seating_row(setting, game), wanted, rows)
