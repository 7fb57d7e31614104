"""What Python asks of the bots: whole games, one decision, what a turn was weighed by.

With `engine/entry_points` these are all entries of the compiled program.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.accel import entry, jit
from mmsim.compiled.entry_points import Record, array_of, group, new_record
from mmsim.core.training_examples import ASKED
from mmsim.metromania.bots.thinking import dispatch, training_examples, whole_turns, win_chances
from mmsim.metromania.bots.thinking.memory import BOTS, SEATING_ROWS, THOUGHTS, UNIFORM, VIEWS, Bots, Thoughts, Views
from mmsim.metromania.bots.thinking.training_examples import LESSON
from mmsim.metromania.engine import entry_points, playout, tables
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.state import BOARD, RULES, STATE, Board, Rules, State
from mmsim.metromania.engine.trips import NETWORK, Network
from mmsim.metromania.engine.turns import play_move


class Setting(NamedTuple):
    """A variant as compiled code reads it."""

    board: Record
    rules: Record
    deals: NDArray[np.uint8]
    bots: Record  # for every order of the bots `SEATING_ROWS` records: who sits where, then the pool of playouts


class Memory(NamedTuple):
    """What compiled code works in: the game that is played, and what its bots have in mind."""

    state: Record
    network: Record
    thoughts: Record
    views: Record


SETTING = group(Setting, board=BOARD, rules=RULES, deals=entry_points.DEALS, bots=BOTS)
MEMORY = group(Memory, state=STATE, network=NETWORK, thoughts=THOUGHTS, views=STATE)


def new_memory() -> Memory:
    """Memory for one game after another."""
    return Memory(new_record(STATE), new_record(NETWORK), new_record(THOUGHTS), new_record(STATE, VIEWS))


@jit
def play_game(
    s: State, b: Board, r: Rules, deals: Any, seatings: Any, at: Any, t: Thoughts, net: Network, views: Views
) -> np.int64:
    """Play a game that is set up to its end and score it; returns the number of decisions.

    Nine arguments, those of `choosing.choose`: compiled code passes records on one by one.
    """
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, dispatch.choose(s, b, r, deals, seatings, at, t, net, views))
        decisions += 1
    score_game(s, b, r, net)
    return decisions


@jit
def is_uniform(r: Rules, bots: Bots) -> bool:
    """Whether nobody thinks."""
    for seat in range(r.companies):  # noqa: SIM110 - compiled code has no all()
        if bots.kind[seat] != UNIFORM:
            return False
    return True


@entry(memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, master=np.uint64, first=np.int64, games_a_deal=np.int64)
def play_games(memory: Any, setting: Any, rows: Any, master: Any, first: Any, games_a_deal: Any) -> Any:
    """Play as many games as there are rows in `games`, from game `first` on; returns the number of decisions."""
    s, net, t, views = memory.state[0], memory.network[0], memory.thoughts[0], memory.views
    b, r, deals, bots = setting.board[0], setting.rules[0], setting.deals, setting.bots
    seatings = bots.size // SEATING_ROWS
    decisions = np.int64(0)
    for i in range(rows.games.size):
        game = first + i
        playout.set_up(s, b, r, deals, master, game, games_a_deal, np.int64(-1))
        at = game % seatings * SEATING_ROWS
        if is_uniform(r, bots[at]):
            decisions += playout.play_uniform(s, b, r, net)
        else:
            decisions += play_game(s, b, r, deals, bots, at, t, net, views)
        tables.write_rows(s, b, r, game, i, rows.games, rows.seats, rows.trips, rows.lines)
    return decisions


@entry(memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, game=np.int64, i=np.int64)
def finish_game(memory: Any, setting: Any, rows: Any, game: Any, i: Any) -> Any:
    """Let the bots play a game on to its end, into the i-th place of the rows; returns the number of decisions."""
    s, net, t, views = memory.state[0], memory.network[0], memory.thoughts[0], memory.views
    b, r, bots = setting.board[0], setting.rules[0], setting.bots
    at = game % (bots.size // SEATING_ROWS) * SEATING_ROWS
    decisions = play_game(s, b, r, setting.deals, bots, at, t, net, views)
    tables.write_rows(s, b, r, game, i, rows.games, rows.seats, rows.trips, rows.lines)
    return decisions


@entry(memory=MEMORY, setting=SETTING, seating=np.int64)
def choose(memory: Any, setting: Any, seating: Any) -> Any:
    """The move that the bot in turn chooses."""
    s, net, t = memory.state[0], memory.network[0], memory.thoughts[0]
    b, r, at = setting.board[0], setting.rules[0], seating * SEATING_ROWS
    return dispatch.choose(s, b, r, setting.deals, setting.bots, at, t, net, memory.views)


@entry(memory=MEMORY, setting=SETTING, wins=array_of(np.float64))
def sample_wins(memory: Any, setting: Any, wins: Any) -> None:
    """Play a position out for every row of `wins`, a share of the win a player; the pool is all its bots."""
    s, net, t, views = memory.state[0], memory.network[0], memory.thoughts[0], memory.views
    win_chances.sample_wins(s, setting.board[0], setting.rules[0], setting.deals, setting.bots, t, net, views, wins)


@entry(memory=MEMORY, setting=SETTING, seating=np.int64, turn=np.int64)
def explain_turn(memory: Any, setting: Any, seating: Any, turn: Any) -> None:
    """Write down the features of one of the turns that the bot in turn has just weighed."""
    bots = setting.bots[seating * SEATING_ROWS]
    whole_turns.explain_turn(memory.views[0], setting.board[0], setting.rules[0], bots, memory.thoughts[0], turn)


@entry(memory=MEMORY, setting=SETTING, rows=LESSON, asked=ASKED)
def collect_lessons(memory: Any, setting: Any, rows: Any, asked: Any) -> Any:
    """Play a game and write some of its decisions into rows; returns how many rows."""
    asked_for = asked[0]
    game, learners, every, most = asked_for.game, asked_for.learners, asked_for.every, asked_for.most
    s, net, t, views = memory.state[0], memory.network[0], memory.thoughts[0], memory.views
    b, r, deals, bots = setting.board[0], setting.rules[0], setting.deals, setting.bots
    playout.set_up(s, b, r, deals, asked_for.master, game, asked_for.games_a_deal, np.int64(-1))
    at = game % (bots.size // SEATING_ROWS) * SEATING_ROWS
    return training_examples.collect(s, b, r, deals, bots, at, t, net, views, learners, every, most, game, rows)
