"""The fast core's games: from a seed to the end, one at a time or a whole shard into columns."""

from typing import Any

import numpy as np

from mmsim.core.accel import entry, jit
from mmsim.core.rng import Purpose
from mmsim.core.streams import draw_below, open_stream, set_seed
from mmsim.metromania.boards import LAYOUTS
from mmsim.metromania.mind.choice import play_on
from mmsim.metromania.mind.memory import SEATINGS, UNIFORM
from mmsim.metromania.mind.seats import choose
from mmsim.metromania.mind.turn import tell_turn
from mmsim.metromania.moves import find_turn, kth_move, nth_move
from mmsim.metromania.scoring import score_game
from mmsim.metromania.tables import write_rows
from mmsim.metromania.turns import clear_table, hand_out, lay_out, play_move

_LAYOUT, _DEAL, _BOT = int(Purpose.LAYOUT), int(Purpose.DEAL), int(Purpose.BOT)


@jit
def set_up(s: Any, b: Any, r: Any, deals: Any, master: Any, game: Any, rotations: Any, layout: Any) -> None:
    """The game of a seed, ready for its first decision; a layout below zero is drawn.

    So many games in a row as there are rotations of the bots share a layout and a deal.
    """
    set_seed(s, master, game // rotations)
    if layout < 0:
        open_stream(s, 0, _LAYOUT)
        layout = draw_below(s, 0, LAYOUTS)
    open_stream(s, 0, _DEAL)
    lay_out(s, b, layout)
    clear_table(s, b, r)
    hand_out(s, r, deals, draw_below(s, 0, deals.size // 24))
    set_seed(s, master, game)
    for seat in range(r.companies):
        open_stream(s, 1 + seat, _BOT + seat)
    find_turn(s, b, r)


@jit
def play_game(s: Any, b: Any, r: Any, deals: Any, seatings: Any, at: Any, m: Any, net: Any, views: Any) -> np.int64:
    """Play a game that is set up to its end and score it; returns the number of decisions."""
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, choose(s, b, r, deals, seatings, at, m, net, views))
        decisions += 1
    score_game(s, b, r, net)
    return decisions


@jit
def play_uniform(s: Any, b: Any, r: Any, net: Any) -> np.int64:
    """`play_game` with a uniform bot in every seat."""
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, kth_move(s, b, draw_below(s, 1 + s.seat, s.choices)))
        decisions += 1
    score_game(s, b, r, net)
    return decisions


@jit
def is_uniform(r: Any, bots: Any) -> bool:
    """Whether nobody thinks."""
    for seat in range(r.companies):  # noqa: SIM110 - compiled code has no all()
        if bots.kind[seat] != UNIFORM:
            return False
    return True


SHARD, SET_UP, MOVES, PLAY, CHOOSE, TELL, SCORE, ROWS = range(8)


@entry
def run(
    what: Any,
    number: Any,
    master: Any,
    game: Any,
    layout: Any,
    state: Any,
    board: Any,
    rules: Any,
    deals: Any,
    seatings: Any,
    network: Any,
    mind: Any,
    views: Any,
    moves: Any,
    games: Any,
    seats: Any,
    trips: Any,
    lines: Any,
) -> Any:
    """Everything Python asks of the core; one function, because every entry is compiled with all that is below it.

    SHARD: play as many games as there are rows in `games`, from `game` on; returns the number of decisions. Or one
    step of a game: SET_UP `game`; list its MOVES; PLAY move `number`; have its bot CHOOSE; TELL what the turn that
    begins with the bot's `number`-th move is worth; SCORE it; write its ROWS.
    """
    s, b, r, net, m = state[0], board[0], rules[0], network[0], mind[0]
    rotations = seatings.size // SEATINGS
    if what == SHARD:
        decisions = np.int64(0)
        for i in range(games.size):
            set_up(s, b, r, deals, master, game + i, rotations, np.int64(-1))
            at = (game + i) % rotations * SEATINGS
            if is_uniform(r, seatings[at]):
                decisions += play_uniform(s, b, r, net)
            else:
                decisions += play_game(s, b, r, deals, seatings, at, m, net, views)
            write_rows(s, b, r, game + i, i, games, seats, trips, lines)
        return decisions
    if what == SET_UP:
        set_up(s, b, r, deals, master, game, rotations, layout)
    elif what == MOVES:
        for k in range(s.choices):
            moves[k] = nth_move(s, b, k)
    elif what == PLAY:
        play_on(s, b, r, number)
    elif what == CHOOSE:
        return choose(s, b, r, deals, seatings, game % rotations * SEATINGS, m, net, views)
    elif what == TELL:
        at = game % rotations * SEATINGS
        tell_turn(views[0], b, r, seatings[at], m, number)
    elif what == SCORE:
        score_game(s, b, r, net)
    else:
        write_rows(s, b, r, game, number, games, seats, trips, lines)
    return np.int64(s.choices)
