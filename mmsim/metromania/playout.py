"""The fast core's games: from a seed to the end, one at a time or a whole shard into columns."""

from typing import Any

import numpy as np

from mmsim.core.accel import entry, jit
from mmsim.core.rng import Purpose
from mmsim.core.streams import draw_below, open_stream, set_seed
from mmsim.metromania.boards import LAYOUTS
from mmsim.metromania.moves import find_turn, kth_move
from mmsim.metromania.scoring import score_game
from mmsim.metromania.tables import write_rows
from mmsim.metromania.turns import clear_table, hand_out, lay_out, play_move

_LAYOUT, _DEAL, _BOT = int(Purpose.LAYOUT), int(Purpose.DEAL), int(Purpose.BOT)


@jit
def set_up(s: Any, b: Any, r: Any, deals: Any, master: Any, game: Any, layout: Any) -> None:
    """The game of a seed, ready for its first decision; a layout below zero is drawn."""
    set_seed(s, master, game)
    if layout < 0:
        open_stream(s, 0, _LAYOUT)
        layout = draw_below(s, 0, LAYOUTS)
    open_stream(s, 0, _DEAL)
    lay_out(s, b, layout)
    clear_table(s, b, r)
    hand_out(s, r, deals, draw_below(s, 0, deals.size // 24))
    for seat in range(r.companies):
        open_stream(s, 1 + seat, _BOT + seat)
    find_turn(s, b, r)


@jit
def choose(s: Any, b: Any) -> np.int64:
    """The move of the bot in turn: any of its choices, all equally likely."""
    return kth_move(s, b, draw_below(s, 1 + s.seat, s.choices))


@jit
def play_game(s: Any, b: Any, r: Any, net: Any) -> np.int64:
    """Play a game that is set up to its end and score it; returns the number of decisions."""
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, choose(s, b))
        decisions += 1
    score_game(s, b, r, net)
    return decisions


@entry
def play_shard(
    state: Any,
    board: Any,
    rules: Any,
    deals: Any,
    network: Any,
    master: Any,
    first: Any,
    games: Any,
    seats: Any,
    trips: Any,
    lines: Any,
) -> Any:
    """Play as many games as there are rows in `games`, from game `first` on; returns the number of decisions."""
    s, b, r, net = state[0], board[0], rules[0], network[0]
    decisions = np.int64(0)
    for i in range(games.size):
        game = first + i
        set_up(s, b, r, deals, master, game, np.int64(-1))
        decisions += play_game(s, b, r, net)
        write_rows(s, b, r, game, i, games, seats, trips, lines)
    return decisions


SET_UP, MOVES, PLAY, CHOOSE, SCORE = range(5)


@entry
def step(
    state: Any,
    board: Any,
    rules: Any,
    deals: Any,
    network: Any,
    what: Any,
    master: Any,
    number: Any,
    layout: Any,
    moves: Any,
) -> Any:
    """One step of a game for Python: set up game `number`, list its moves, play move `number`, choose, or score."""
    s, b, r = state[0], board[0], rules[0]
    if what == SET_UP:
        set_up(s, b, r, deals, master, number, layout)
    elif what == MOVES:
        for k in range(s.choices):
            moves[k] = kth_move(s, b, k)
    elif what == PLAY:
        play_move(s, b, r, number)
    elif what == CHOOSE:
        return choose(s, b)
    else:
        score_game(s, b, r, network[0])
    return np.int64(s.choices)
