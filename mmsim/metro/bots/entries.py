"""The fast core's games: from a seed to the end, one at a time or a whole shard into rows."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import entry, ix, jit
from mmsim.compiled.streams import open_stream, set_seed
from mmsim.core.rng import Purpose
from mmsim.metro.bots.greedy import choose_greedy
from mmsim.metro.bots.planner import choose_planner
from mmsim.metro.bots.search import choose_search
from mmsim.metro.bots.spoiler import choose_spoiler
from mmsim.metro.bots.thinking.view import count_unseen, hide
from mmsim.metro.bots.uniform import choose_uniform
from mmsim.metro.engine.moves import find_turn, kth_move
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.state import VIEW, WEIGHTS
from mmsim.metro.engine.tables import BOT_ERROR, FINISHED, write_rows
from mmsim.metro.engine.turns import (
    clear_table,
    draw_central,
    hand_out,
    play_move,
    shuffle_numbers,
    shuffle_shares,
    shuffle_supply,
)

_LAYOUT, _DEAL, _BOT = int(Purpose.LAYOUT), int(Purpose.DEAL), int(Purpose.BOT)
_UNIFORM, _GREEDY, _SPOILER, _PLANNER = range(4)


@jit
def shuffle(s: Any, b: Any, r: Any, dice: Any) -> None:
    """As `deal.deal`: everything that chance lays out."""
    if r.central:
        open_stream(dice, 0, _LAYOUT)
        draw_central(s, b, dice)
    open_stream(dice, 0, _DEAL)
    shuffle_supply(s, b, dice)
    if r.companies:
        shuffle_shares(s, dice)
    if r.numbers:
        shuffle_numbers(s, b, r, dice)


@jit
def set_up(s: Any, b: Any, r: Any, dice: Any, master: Any, game: Any, rotate: Any) -> None:
    """The game of a seed, ready for its first decision; with rotated seats several in a row are dealt the same."""
    clear_table(s, b)
    set_seed(dice, master, game // r.players if rotate else game)
    shuffle(s, b, r, dice)
    set_seed(dice, master, game)
    for seat in range(r.players):
        open_stream(dice, 1 + seat, _BOT + seat)
    hand_out(s, b, r)
    find_turn(s, b, r)


@jit
def choose(positions: Any, b: Any, r: Any, bots: Any, dice: Any, minds: Any, who: Any) -> np.int64:
    """The move of the bot in turn, which is the `who`-th of those listed."""
    s = positions[0]
    kind, stream = bots.kind[ix(who)], 1 + s.seat
    if kind == _UNIFORM:
        return choose_uniform(s, r, dice, stream)
    return _think(positions, b, r, bots, dice, minds, who, kind, stream)


@jit
def _think(
    positions: Any, b: Any, r: Any, bots: Any, dice: Any, minds: Any, who: Any, kind: Any, stream: Any
) -> np.int64:
    """The move of a bot that looks at its view, and at nothing else."""
    positions[VIEW] = positions[0]
    v, w, at = positions[VIEW], bots.weights, WEIGHTS * who
    mind = minds[0]
    hide(v, r, v.seat)
    count_unseen(v, b, mind)
    if kind == _GREEDY:
        return choose_greedy(v, b, r, mind, w, at, dice, stream)
    if kind == _SPOILER:
        return choose_spoiler(v, b, r, mind, w, at, dice, stream)
    if kind == _PLANNER:
        return choose_planner(v, b, r, mind, w, at, dice, stream)
    return choose_search(positions, b, r, minds, w, at, dice, stream)


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
        decisions += play_game(positions, b, r, bots[0], dice[0], minds, game % r.players if rotate else np.int64(0))
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
