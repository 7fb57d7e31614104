"""What Python asks of the engine: a game step by step, its score, its rows."""

from typing import Any, NamedTuple

import numpy as np

from mmsim.compiled.accel import entry
from mmsim.compiled.entry_points import Record, array_of, group
from mmsim.metro.engine import playout, scoring, tables, turns
from mmsim.metro.engine.moves import find_turn, kth_move
from mmsim.metro.engine.state import BOARD, DICE, RULES, STATE

MOST_MOVES = 1024


class Rows(NamedTuple):
    """Room for the rows of some games: an array a table."""

    games: Record
    seats: Record
    lines: Record


ROWS = group(Rows, **tables.ROWS)


@entry(state=STATE, board=BOARD, rules=RULES, dice=DICE, master=np.uint64, game=np.int64, games_a_deal=np.int64)
def set_up(state: Any, board: Any, rules: Any, dice: Any, master: Any, game: Any, games_a_deal: Any) -> None:
    """Bring a game of a master seed to its first decision."""
    playout.set_up(state[0], board[0], rules[0], dice[0], master, game, games_a_deal)


@entry(state=STATE, board=BOARD)
def clear_table(state: Any, board: Any) -> None:
    """Take everything off the table, so that a deal of one's own can be laid on it."""
    turns.clear_table(state[0], board[0])


@entry(state=STATE, board=BOARD, rules=RULES)
def begin(state: Any, board: Any, rules: Any) -> None:
    """Hand out what lies on the table and find the first decision."""
    turns.hand_out(state[0], board[0], rules[0])
    find_turn(state[0], board[0], rules[0])


@entry(state=STATE, rules=RULES, moves=array_of(np.int64))
def list_moves(state: Any, rules: Any, moves: Any) -> Any:
    """Write the numbers of all legal moves into `moves`; returns how many there are."""
    s, r = state[0], rules[0]
    for k in range(s.choices):
        moves[k] = kth_move(s, r, k)
    return np.int64(s.choices)


@entry(state=STATE, board=BOARD, rules=RULES, move=np.int64)
def play(state: Any, board: Any, rules: Any, move: Any) -> None:
    """Play a legal move."""
    turns.play_move(state[0], board[0], rules[0], move)


@entry(state=STATE, rules=RULES)
def score(state: Any, rules: Any) -> None:
    """Score a game that is over."""
    scoring.score_game(state[0], rules[0])


@entry(state=STATE, rules=RULES, rows=ROWS, game=np.int64, i=np.int64, status=np.int64)
def write_rows(state: Any, rules: Any, rows: Any, game: Any, i: Any, status: Any) -> None:
    """Write a game into the i-th place of the rows of all tables; one that a bot broke off has no winner."""
    s, r = state[0], rules[0]
    scoring.score_game(s, r)
    if status == tables.BOT_ERROR:
        s.winners = np.uint64(0)
    tables.write_rows(s, r, game, i, status, rows.games, rows.seats, rows.lines)
