"""What Python asks of the bots: whole games, one decision, what a player sees.

With `engine/entry_points` these are all entries of the compiled program.
"""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.accel import entry, ix, jit
from mmsim.compiled.entry_points import Record, array_of, group, new_record
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
    AllThoughts,
    Bots,
    Positions,
)
from mmsim.metro.bots.thinking.training_examples import LESSON
from mmsim.metro.bots.thinking.view import hide
from mmsim.metro.engine import entry_points, playout, tables
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.state import BOARD, DICE, RULES, STATE, Board, Rules
from mmsim.metro.engine.turns import play_move


class Setting(NamedTuple):
    """A variant as compiled code reads it."""

    board: Record
    rules: Record
    bots: Record  # for every order of the bots a record: who sits where


class Memory(NamedTuple):
    """What compiled code works in: the game that is played, its chance, and what its bots have in mind."""

    positions: Record  # the game, then what bots see and imagine
    dice: Record  # of the game, then of games that are played out
    thoughts: Record


SETTING = group(Setting, board=BOARD, rules=RULES, bots=BOTS)
MEMORY = group(Memory, positions=STATE, dice=DICE, thoughts=THOUGHTS)


def new_memory() -> Memory:
    """Memory for one game after another."""
    return Memory(new_record(STATE, POSITIONS), new_record(DICE, DICE_SETS), new_record(THOUGHTS, THINKERS))


@jit
def is_uniform(r: Rules, bots: Bots) -> bool:
    """Whether nobody thinks."""
    for seat in range(r.players):  # noqa: SIM110 - compiled code has no all()
        if bots.kind[ix(seat)] != UNIFORM:
            return False
    return True


@jit
def play_game(positions: Positions, b: Board, r: Rules, bots: Bots, dice: Any, thoughts: AllThoughts) -> np.int64:
    """Play a game that is set up to its end and score it; returns the number of decisions."""
    s = positions[0]
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, dispatch.choose(positions, b, r, bots, dice, thoughts, s.seat))
        decisions += 1
    score_game(s, r)
    return decisions


@entry(memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, master=np.uint64, first=np.int64, games_a_deal=np.int64)
def play_games(memory: Any, setting: Any, rows: Any, master: Any, first: Any, games_a_deal: Any) -> Any:
    """Play as many games as there are rows in `games`, from game `first` on; returns the number of decisions."""
    positions, dice, thoughts = memory.positions, memory.dice, memory.thoughts
    s, b, r, seatings = positions[0], setting.board[0], setting.rules[0], np.int64(setting.bots.size)
    decisions = np.int64(0)
    for i in range(rows.games.size):
        game = first + i
        playout.set_up(s, b, r, dice[0], master, game, games_a_deal)
        bots = setting.bots[game % seatings]
        if is_uniform(r, bots):
            decisions += playout.play_uniform(s, b, r, dice[0])
        else:
            decisions += play_game(positions, b, r, bots, dice, thoughts)
        tables.write_rows(s, r, game, i, np.int64(tables.FINISHED), rows.games, rows.seats, rows.lines)
    return decisions


@entry(memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, game=np.int64, i=np.int64)
def finish_game(memory: Any, setting: Any, rows: Any, game: Any, i: Any) -> Any:
    """Let the bots play a game on to its end, into the i-th place of the rows; returns the number of decisions."""
    positions, b, r = memory.positions, setting.board[0], setting.rules[0]
    bots = setting.bots[game % setting.bots.size]
    decisions = play_game(positions, b, r, bots, memory.dice, memory.thoughts)
    finished = np.int64(tables.FINISHED)
    tables.write_rows(positions[0], r, game, i, finished, rows.games, rows.seats, rows.lines)
    return decisions


@entry(memory=MEMORY, setting=SETTING, seating=np.int64)
def choose(memory: Any, setting: Any, seating: Any) -> Any:
    """The move that the bot in turn chooses."""
    b, r, bots, dice = setting.board[0], setting.rules[0], setting.bots[seating], memory.dice
    seat = memory.positions[0].seat
    return dispatch.choose(memory.positions, b, r, bots, dice, memory.thoughts, seat)


@entry(memory=MEMORY, setting=SETTING, wins=array_of(np.float64))
def sample_wins(memory: Any, setting: Any, wins: Any) -> None:
    """Play a position out for every row of `wins`, a share of the win a player; the bots listed are the pool."""
    b, r, bots = setting.board[0], setting.rules[0], setting.bots[0]
    win_chances.sample_wins(memory.positions, b, r, bots, memory.dice, memory.thoughts, wins)


@entry(memory=MEMORY, setting=SETTING, seat=np.int64)
def show(memory: Any, setting: Any, seat: Any) -> None:
    """Put what the player behind a seat may see into the place for a view."""
    memory.positions[VIEW] = memory.positions[0]
    hide(memory.positions[VIEW], setting.rules[0], seat)


@entry(memory=MEMORY, setting=SETTING, rows=LESSON, asked=ASKED)
def collect_lessons(memory: Any, setting: Any, rows: Any, asked: Any) -> Any:
    """Play a game and write some of its decisions into rows; returns how many rows."""
    asked_for = asked[0]
    game, learners, every, most = asked_for.game, asked_for.learners, asked_for.every, asked_for.most
    b, r, dice = setting.board[0], setting.rules[0], memory.dice
    bots = setting.bots[game % setting.bots.size]
    playout.set_up(memory.positions[0], b, r, dice[0], asked_for.master, game, asked_for.games_a_deal)
    return training_examples.collect(
        memory.positions, b, r, bots, dice, memory.thoughts, learners, every, most, game, rows
    )
