"""The fast core's games: from a seed to the end, one at a time or a whole shard into rows."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import entry, ix, jit
from mmsim.metro.bots.kinds import UNIFORM
from mmsim.metro.bots.thinking.choosing import choose
from mmsim.metro.bots.thinking.memory import VIEW
from mmsim.metro.bots.thinking.view import hide
from mmsim.metro.engine.moves import find_turn, kth_move
from mmsim.metro.engine.playout import play_uniform, set_up
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.tables import BOT_ERROR, FINISHED, write_rows
from mmsim.metro.engine.turns import clear_table, hand_out, play_move


@jit
def is_uniform(r: Any, bots: Any) -> bool:
    """Whether nobody thinks."""
    for seat in range(r.players):  # noqa: SIM110 - compiled code has no all()
        if bots.kind[ix(seat)] != UNIFORM:
            return False
    return True


@jit
def play_game(positions: Any, b: Any, r: Any, bots: Any, dice: Any, minds: Any, rotation: Any) -> np.int64:
    """Play a game that is set up to its end and score it; returns the number of decisions."""
    s = positions[0]
    decisions = np.int64(0)
    while not s.over:
        who = s.seat + rotation
        if who >= r.players:
            who -= r.players
        play_move(s, b, r, choose(positions, b, r, bots, dice, minds, who))
        decisions += 1
    score_game(s, r)
    return decisions


@entry
def play_shard(
    positions: Any,
    board: Any,
    rules: Any,
    bots: Any,
    dice: Any,
    minds: Any,
    master: Any,
    first: Any,
    rotate: Any,
    games: Any,
    seats: Any,
    lines: Any,
) -> Any:
    """Play as many games as there are rows in `games`, from game `first` on; returns the number of decisions."""
    s, b, r = positions[0], board[0], rules[0]
    decisions = np.int64(0)
    for i in range(games.size):
        game = first + i
        set_up(s, b, r, dice[0], master, game, rotate)
        if is_uniform(r, bots[0]):
            decisions += play_uniform(s, b, r, dice[0])
        else:
            rotation = game % r.players if rotate else np.int64(0)
            decisions += play_game(positions, b, r, bots[0], dice[0], minds, rotation)
        write_rows(s, r, game, i, np.int64(FINISHED), games, seats, lines)
    return decisions


@entry
def write_game(positions: Any, rules: Any, game: Any, i: Any, status: Any, games: Any, seats: Any, lines: Any) -> None:
    """The rows of a game that was played step by step; one that a bot broke off has no winner."""
    s, r = positions[0], rules[0]
    score_game(s, r)
    if status == BOT_ERROR:
        s.winners = np.uint64(0)
    write_rows(s, r, game, i, status, games, seats, lines)


SET_UP, MOVES, PLAY, CHOOSE, SCORE, SEE, CLEAR, BEGIN = range(8)


@entry
def step(
    positions: Any,
    board: Any,
    rules: Any,
    bots: Any,
    dice: Any,
    minds: Any,
    what: Any,
    master: Any,
    number: Any,
    rotate: Any,
    moves: Any,
) -> Any:
    """One step of a game for Python: set up game `number`, list its moves, play move `number`, choose as bot `number`,
    score, see what seat `number` sees, clear the table, or begin with what has been laid on it."""
    s, b, r = positions[0], board[0], rules[0]
    if what == SET_UP:
        set_up(s, b, r, dice[0], master, number, rotate)
    elif what == MOVES:
        for k in range(s.choices):
            moves[k] = kth_move(s, r, k)
    elif what == PLAY:
        play_move(s, b, r, number)
    elif what == CHOOSE:
        return choose(positions, b, r, bots[0], dice[0], minds, number)
    elif what == SCORE:
        score_game(s, r)
    elif what == SEE:
        positions[VIEW] = positions[0]
        hide(positions[VIEW], r, number)
    elif what == CLEAR:
        clear_table(s, b)
    else:
        hand_out(s, b, r)
        find_turn(s, b, r)
    return np.int64(s.choices)
