"""The entry points of the engine: a game step by step, its score, its rows."""

from collections import namedtuple
from typing import Any

import numpy as np

from mmsim.compiled.decorators import entry_point
from mmsim.compiled.entry_points import array_of, group
from mmsim.metromania.engine import result_tables, scoring, setup
from mmsim.metromania.engine.moves import kth_move
from mmsim.metromania.engine.state import BOARD, RULES, STATE, STREAMS
from mmsim.metromania.engine.trips import NETWORK
from mmsim.metromania.engine.turns import play_move

DEALS = array_of(np.uint8)
Rows = namedtuple("Rows", ["games", "seats", "trips", "lines"])  # arrays for the rows of some games
ROWS = group(Rows, **result_tables.ROWS)


@entry_point(
    state=STATE,
    board=BOARD,
    rules=RULES,
    streams=STREAMS,
    deals=DEALS,
    master=np.uint64,
    game=np.int64,
    games_per_deal=np.int64,
    layout=np.int64,
)
def set_up(
    state: Any,
    board: Any,
    rules: Any,
    streams: Any,
    deals: Any,
    master: Any,
    game: Any,
    games_per_deal: Any,
    layout: Any,
) -> None:
    """Set up a game of a master seed for its first decision, with the arguments of `setup.set_up`."""
    setup.set_up(state[0], board[0], rules[0], streams[0], deals, master, game, games_per_deal, layout)


@entry_point(state=STATE, board=BOARD, moves=array_of(np.int64))
def list_moves(state: Any, board: Any, moves: Any) -> Any:
    """Write the numbers of all legal moves into `moves`; returns how many there are."""
    s, b = state[0], board[0]
    for k in range(s.choices):
        moves[k] = kth_move(s, b, k)
    return np.int64(s.choices)


@entry_point(state=STATE, board=BOARD, rules=RULES, move=np.int64)
def play(state: Any, board: Any, rules: Any, move: Any) -> None:
    play_move(state[0], board[0], rules[0], move)


@entry_point(state=STATE, board=BOARD, rules=RULES, network=NETWORK)
def score(state: Any, board: Any, rules: Any, network: Any) -> None:
    scoring.score_game(state[0], board[0], rules[0], network[0])


@entry_point(state=STATE, board=BOARD, rules=RULES, rows=ROWS, game=np.int64, i=np.int64)
def write_rows(state: Any, board: Any, rules: Any, rows: Any, game: Any, i: Any) -> None:
    """Write the rows of a scored game as the i-th of all tables."""
    result_tables.write_rows(state[0], board[0], rules[0], game, i, rows.games, rows.seats, rows.trips, rows.lines)
