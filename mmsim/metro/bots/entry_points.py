"""The bots' entry points: whole games, one decision, a player's view, win chances, training examples.

With `engine/entry_points` these are all entry points of the compiled program.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import entry_point, ix, jit
from mmsim.compiled.entry_points import array_of
from mmsim.compiled.rng import draw_below, next_seed, open_stream
from mmsim.compiled.standings import win_share
from mmsim.compiled.training_examples import MARGIN, SAMPLING_REQUEST, ExampleSampling, example_rows
from mmsim.core.rng import CHANCES_PER_TURN, Purpose
from mmsim.metro.bots.evaluator import EVALUATOR
from mmsim.metro.bots.thinking import search
from mmsim.metro.bots.thinking.input_layout import INPUTS, MOST_CANDIDATES
from mmsim.metro.bots.thinking.memory import MEMORY, PLAYOUT, PLAYOUT_BOTS, SAMPLE, SETTING, VIEW, Memory, Setting
from mmsim.metro.bots.thinking.memory import new_memory as new_memory
from mmsim.metro.bots.thinking.net_choice import compare_moves
from mmsim.metro.bots.thinking.view import ONLOOKER, count_unseen, determinize, hide
from mmsim.metro.engine import entry_points, result_tables, setup
from mmsim.metro.engine.moves import find_turn_choices
from mmsim.metro.engine.scoring import score_game
from mmsim.metro.engine.turns import play_move, play_uniform

_CHANCES_PURPOSE = int(Purpose.CHANCES)
_EXAMPLES_PURPOSE = int(Purpose.EXAMPLES)
_ONE, _ZERO = np.uint64(1), np.uint64(0)

EXAMPLE_DTYPE = example_rows(INPUTS)
# as many moves of a decision as evaluator compares
EXAMPLE_SAMPLING = ExampleSampling(
    every=2, most=int(EVALUATOR.settings["candidates"]), rounds=0, kind=EXAMPLE_DTYPE, rows=1 << 11
)


@jit
def play_game(m: Memory, setting: Setting, row: Any) -> np.int64:
    """Play a game from its first decision to its end and score it; returns the number of decisions."""
    s, b, r = m.positions[0], setting.board[0], setting.rules[0]
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, search.choose(m, setting, row, s.seat))
        decisions += 1
    score_game(s, r)
    return decisions


@entry_point(
    memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, master=np.uint64, first=np.int64, games_per_deal=np.int64
)
def play_games(memory: Any, setting: Any, rows: Any, master: Any, first: Any, games_per_deal: Any) -> Any:
    """Play as many games as there are rows in `games`, from game `first` on; returns the number of decisions."""
    s, b, r, streams = memory.positions[0], setting.board[0], setting.rules[0], memory.streams[0]
    decisions = np.int64(0)
    for i in range(rows.games.size):
        game = first + i
        setup.set_up(s, b, r, streams, master, game, games_per_deal)
        row = game % setting.bots.size
        if not setting.bots[row].kind.any():  # all of them are UNIFORM
            decisions += play_uniform(s, b, r, streams)
        else:
            decisions += play_game(memory, setting, row)
        result_tables.write_rows(s, r, game, i, np.int64(result_tables.FINISHED), rows.games, rows.seats, rows.lines)
    return decisions


@entry_point(memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, game=np.int64, i=np.int64)
def finish_game(memory: Any, setting: Any, rows: Any, game: Any, i: Any) -> Any:
    """Let the bots finish a game and write it as the i-th game of the rows; returns the number of decisions."""
    decisions = play_game(memory, setting, game % setting.bots.size)
    s, r, finished = memory.positions[0], setting.rules[0], np.int64(result_tables.FINISHED)
    result_tables.write_rows(s, r, game, i, finished, rows.games, rows.seats, rows.lines)
    return decisions


@entry_point(memory=MEMORY, setting=SETTING, seating=np.int64)
def choose(memory: Any, setting: Any, seating: Any) -> Any:
    """The move that the bot in turn chooses."""
    return search.choose(memory, setting, seating, memory.positions[0].seat)


@entry_point(memory=MEMORY, setting=SETTING, wins=array_of(np.float64))
def sample_wins(memory: Any, setting: Any, wins: Any) -> None:
    """Play a position at the beginning of a turn out once for every row of `wins`: each player's share of the win.

    These are the odds for an onlooker who sees only public information. For every playout the hidden
    information (tiles in hands and in the supply, shares, station numbers) is sampled from everything consistent
    with it, all equally likely. Every player then plays like one of the setting's bots, `PLAYOUT_BOTS`, whatever played
    that seat so far.
    """
    memory.positions[VIEW] = memory.positions[0]
    v, t, b, r = memory.positions[VIEW], memory.thoughts[0], setting.board[0], setting.rules[0]
    streams, onlooker = memory.streams[0], np.int64(ONLOOKER)
    hide(v, r, onlooker)
    count_unseen(v, b, t, onlooker)
    open_stream(streams, 0, _CHANCES_PURPOSE + CHANCES_PER_TURN * v.turn)
    for i in range(wins.size // r.players):
        memory.positions[SAMPLE] = memory.positions[VIEW]
        determinize(memory.positions[SAMPLE], b, r, t, streams, np.int64(0), onlooker)
        find_turn_choices(memory.positions[SAMPLE], b, r)
        for seat in range(r.players):
            t.playout_bot[ix(seat)] = draw_below(streams, 0, np.int64(len(PLAYOUT_BOTS)))
        search.begin_playout(memory, r, next_seed(streams, 0))
        search.finish_playout(memory, setting, np.int64(0))
        for player in range(r.players):
            wins[i * r.players + player] = win_share(memory.positions[PLAYOUT].winners, player)


@entry_point(memory=MEMORY, setting=SETTING, seat=np.int64)
def show(memory: Any, setting: Any, seat: Any) -> None:
    """Write what the player in a seat may see into the position kept for views."""
    memory.positions[VIEW] = memory.positions[0]
    hide(memory.positions[VIEW], setting.rules[0], seat)


@entry_point(memory=MEMORY, setting=SETTING, rows=EXAMPLE_DTYPE, sampling=SAMPLING_REQUEST)
def collect_examples(memory: Any, setting: Any, rows: Any, sampling: Any) -> Any:
    """Play a game; write examples at one in `every` decisions of the learning seats; returns how many.

    An example has the inputs of the net for one of the decision's best moves, and the result of one playout by the bots
    in their seats, all from the same guess of the hidden information. One of them, drawn at random, is then played.
    """
    request, game = sampling[0], sampling[0].game
    s, b, r, t, streams = memory.positions[0], setting.board[0], setting.rules[0], memory.thoughts[0], memory.streams[0]
    setup.set_up(s, b, r, streams, request.master, game, request.games_per_deal)
    row = game % setting.bots.size
    written, decision = np.int64(0), np.int64(0)
    open_stream(streams, 0, _EXAMPLES_PURPOSE)
    while not s.over:
        learns = request.learners >> np.uint64(s.seat) & _ONE != _ZERO and written + MOST_CANDIDATES <= rows.size
        if learns and s.choices > 1 and draw_below(streams, 0, request.every) == 0:
            count = _write_decision(memory, setting, row, request.most, written, rows)
            for i in range(count):
                rows[written + i].game = request.game
                rows[written + i].decision = decision
            if count > 1:
                written += count
                decision += 1
                play_move(s, b, r, t.candidate[ix(draw_below(streams, 0, count))])
                continue
        play_move(s, b, r, search.choose(memory, setting, row, s.seat))
    return written


@jit
def _write_decision(m: Memory, setting: Setting, row: Any, most: Any, written: Any, examples: Any) -> np.int64:
    """The examples of one decision; returns how many moves were compared."""
    m.positions[VIEW] = m.positions[0]
    v, t, b, r = m.positions[VIEW], m.thoughts[0], setting.board[0], setting.rules[0]
    hide(v, r, v.seat)
    count_unseen(v, b, t, v.seat)
    count = compare_moves(m, setting, row, v.seat, most)
    if count < 2:
        return count
    m.positions[SAMPLE] = m.positions[VIEW]
    determinize(m.positions[SAMPLE], b, r, t, m.streams[0], np.int64(0), v.seat)
    playout_seed = next_seed(m.streams[0], 0)
    for seat in range(r.players):
        t.playout_bot[ix(seat)] = seat
    for c in range(count):
        example = examples[written + c]
        for i in range(INPUTS):
            example.inputs[ix(i)] = t.inputs[ix(INPUTS * c + i)]
        search.begin_playout(m, r, playout_seed)
        p = m.positions[PLAYOUT]
        seat = p.seat
        play_move(p, b, r, t.candidate[ix(c)])
        search.finish_playout(m, setting, row)
        example.result = np.float32(search.playout_value(p, r, seat, MARGIN))
    return count
