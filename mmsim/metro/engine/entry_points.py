"""The entry points of the engine: a game step by step, its score, its rows."""

from collections import namedtuple
from typing import Any

import numpy as np

from mmsim.compiled.decorators import entry_point
from mmsim.compiled.entry_points import array_of, group
from mmsim.metro.engine import result_tables, scoring, setup
from mmsim.metro.engine.moves import find_turn_choices, kth_move
from mmsim.metro.engine.state import BOARD, RULES, STATE, STREAMS
from mmsim.metro.engine.turns import play_move

Rows = namedtuple("Rows", ["games", "seats", "lines"])  # arrays for the rows of some games
ROWS = group(Rows, **result_tables.ROWS)


@entry_point(
    state=STATE, board=BOARD, rules=RULES, streams=STREAMS, master=np.uint64, game=np.int64, games_per_deal=np.int64
)
def set_up(state: Any, board: Any, rules: Any, streams: Any, master: Any, game: Any, games_per_deal: Any) -> None:
    """Set up a game of a master seed for its first decision."""
    setup.set_up(state[0], board[0], rules[0], streams[0], master, game, games_per_deal)


@entry_point(state=STATE, board=BOARD)
def clear_table(state: Any, board: Any) -> None:
    """Clear the table, so that a given deal can be laid on it."""
    setup.clear_table(state[0], board[0])


@entry_point(state=STATE, board=BOARD, rules=RULES)
def begin_game(state: Any, board: Any, rules: Any) -> None:
    """Hand out the deal on the table and find the first decision."""
    setup.hand_out(state[0], board[0], rules[0])
    find_turn_choices(state[0], board[0], rules[0])


@entry_point(state=STATE, rules=RULES, moves=array_of(np.int64))
def list_moves(state: Any, rules: Any, moves: Any) -> Any:
    """Write the numbers of all legal moves into `moves`; returns how many there are."""
    s, r = state[0], rules[0]
    for k in range(s.choices):
        moves[k] = kth_move(s, r, k)
    return np.int64(s.choices)


@entry_point(state=STATE, board=BOARD, rules=RULES, move=np.int64)
def play(state: Any, board: Any, rules: Any, move: Any) -> None:
    play_move(state[0], board[0], rules[0], move)


@entry_point(state=STATE, rules=RULES)
def score(state: Any, rules: Any) -> None:
    scoring.score_game(state[0], rules[0])


@entry_point(state=STATE, rules=RULES, rows=ROWS, game=np.int64, i=np.int64, status=np.int64)
def write_rows(state: Any, rules: Any, rows: Any, game: Any, i: Any, status: Any) -> None:
    """Score a game and write its rows as the i-th of all tables; one stopped by a bot's error has no winner."""
    s, r = state[0], rules[0]
    scoring.score_game(s, r)
    if status == result_tables.BOT_ERROR:
        s.winners = np.uint64(0)
    result_tables.write_rows(s, r, game, i, status, rows.games, rows.seats, rows.lines)
