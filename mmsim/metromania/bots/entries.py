"""The compiled entry: whole games played by bots, one at a time or a whole shard into rows."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import entry, jit
from mmsim.metromania.bots.thinking.choice import play_on
from mmsim.metromania.bots.thinking.choosing import choose
from mmsim.metromania.bots.thinking.memory import SEATINGS, UNIFORM
from mmsim.metromania.bots.thinking.whole_turns import tell_turn
from mmsim.metromania.engine.moves import kth_move
from mmsim.metromania.engine.playout import play_uniform, set_up
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.tables import write_rows
from mmsim.metromania.engine.turns import play_move


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
            moves[k] = kth_move(s, b, k)
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
