"""What Python asks of the bots: whole games, one decision, a player's view, win chances, training examples.

With `engine/entry_points` these are all entry points of the compiled program.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import entry_point, ix, jit
from mmsim.compiled.entry_points import array_of, group, new_record
from mmsim.core.training_examples import ASKED
from mmsim.metro.bots.kinds import UNIFORM
from mmsim.metro.bots.thinking import dispatch, training_examples, win_chances
from mmsim.metro.bots.thinking.memory import (
    BOTS,
    DICE_SETS,
    POSITIONS,
    THINKERS,
    THOUGHTS,
    VIEW,
    Bots,
    Memory,
    Setting,
)
from mmsim.metro.bots.thinking.training_examples import EXAMPLE
from mmsim.metro.bots.thinking.view import hide
from mmsim.metro.engine import entry_points, playout, tables
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.state import BOARD, DICE, RULES, STATE, Rules
from mmsim.metro.engine.turns import play_move

SETTING = group(Setting, board=BOARD, rules=RULES, bots=BOTS)
MEMORY = group(Memory, positions=STATE, dice=DICE, thoughts=THOUGHTS)


def new_memory() -> Memory:
    """Memory for one game after another."""
    return Memory(new_record(STATE, POSITIONS), new_record(DICE, DICE_SETS), new_record(THOUGHTS, THINKERS))


@jit
def is_uniform(r: Rules, bots: Bots) -> bool:
    """Whether every bot plays at random."""
    for seat in range(r.players):  # noqa: SIM110 - compiled code has no all()
        if bots.kind[ix(seat)] != UNIFORM:
            return False
    return True


@jit
def play_game(m: Memory, setting: Setting, row: Any) -> np.int64:
    """Play a game that is set up to its end and score it; returns the number of decisions."""
    s, b, r = m.positions[0], setting.board[0], setting.rules[0]
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, dispatch.choose(m, setting, row, s.seat))
        decisions += 1
    score_game(s, r)
    return decisions


@entry_point(
    memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, master=np.uint64, first=np.int64, games_per_deal=np.int64
)
def play_games(memory: Any, setting: Any, rows: Any, master: Any, first: Any, games_per_deal: Any) -> Any:
    """Play as many games as there are rows in `games`, from game `first` on; returns the number of decisions."""
    s, b, r, dice = memory.positions[0], setting.board[0], setting.rules[0], memory.dice[0]
    decisions = np.int64(0)
    for i in range(rows.games.size):
        game = first + i
        playout.set_up(s, b, r, dice, master, game, games_per_deal)
        row = game % setting.bots.size
        if is_uniform(r, setting.bots[row]):
            decisions += playout.play_uniform(s, b, r, dice)
        else:
            decisions += play_game(memory, setting, row)
        tables.write_rows(s, r, game, i, np.int64(tables.FINISHED), rows.games, rows.seats, rows.lines)
    return decisions


@entry_point(memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, game=np.int64, i=np.int64)
def finish_game(memory: Any, setting: Any, rows: Any, game: Any, i: Any) -> Any:
    """Let the bots finish a game and write it as the i-th game of the rows; returns the number of decisions."""
    decisions = play_game(memory, setting, game % setting.bots.size)
    s, r, finished = memory.positions[0], setting.rules[0], np.int64(tables.FINISHED)
    tables.write_rows(s, r, game, i, finished, rows.games, rows.seats, rows.lines)
    return decisions


@entry_point(memory=MEMORY, setting=SETTING, seating=np.int64)
def choose(memory: Any, setting: Any, seating: Any) -> Any:
    """The move that the bot in turn chooses."""
    return dispatch.choose(memory, setting, seating, memory.positions[0].seat)


@entry_point(memory=MEMORY, setting=SETTING, wins=array_of(np.float64))
def sample_wins(memory: Any, setting: Any, wins: Any) -> None:
    """Play a position out once for every row of `wins` and write each player's share of the win.

    The bots of the setting are those of which the players of playouts are drawn.
    """
    win_chances.sample_wins(memory, setting, wins)


@entry_point(memory=MEMORY, setting=SETTING, seat=np.int64)
def show(memory: Any, setting: Any, seat: Any) -> None:
    """Write what the player in a seat may see into the position kept for views."""
    memory.positions[VIEW] = memory.positions[0]
    hide(memory.positions[VIEW], setting.rules[0], seat)


@entry_point(memory=MEMORY, setting=SETTING, rows=EXAMPLE, sampling=ASKED)
def collect_examples(memory: Any, setting: Any, rows: Any, sampling: Any) -> Any:
    """Play a game and write some of its decisions into rows; returns how many rows."""
    wanted, game = sampling[0], sampling[0].game
    b, r = setting.board[0], setting.rules[0]
    playout.set_up(memory.positions[0], b, r, memory.dice[0], wanted.master, game, wanted.games_per_deal)
    return training_examples.collect(memory, setting, game % setting.bots.size, wanted, rows)
