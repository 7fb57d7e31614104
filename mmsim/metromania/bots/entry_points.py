"""The bots' entry points: whole games, one decision and its reasons, win chances, training examples.

With `engine/entry_points` these are all entry points of the compiled program.
"""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import entry_point, ix, jit
from mmsim.compiled.entry_points import array_of
from mmsim.compiled.rng import draw_below, open_stream
from mmsim.compiled.standings import win_share
from mmsim.compiled.training_examples import (
    MARGIN,
    SAMPLING_REQUEST,
    ExampleSampling,
    PositionSampling,
    example_rows,
    position_rows,
)
from mmsim.core.rng import CHANCES_PER_TURN, Purpose
from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.thinking import search, value_net, whole_turns
from mmsim.metromania.bots.thinking.heuristic_choice import plan_turn
from mmsim.metromania.bots.thinking.input_layout import INPUTS, MOST_CANDIDATES, VALUE_INPUTS, VALUE_ROW
from mmsim.metromania.bots.thinking.memory import (
    MEMORY,
    MOST_FEATURES,
    PLAYOUT,
    ROOT,
    SEATING_ROWS,
    SETTING,
    VIEW,
    Memory,
    Setting,
)
from mmsim.metromania.bots.thinking.memory import new_memory as new_memory
from mmsim.metromania.bots.thinking.net_choice import compare_turns, has_no_choice
from mmsim.metromania.bots.thinking.view import hide_hand, make_view
from mmsim.metromania.engine import entry_points, result_tables, setup
from mmsim.metromania.engine.scoring import score_game
from mmsim.metromania.engine.state import OPEN, copy_position
from mmsim.metromania.engine.turns import begin_turn, play_move, play_uniform

_CHANCES_PURPOSE = int(Purpose.CHANCES)
_EXAMPLES_PURPOSE = int(Purpose.EXAMPLES)
_ONE, _ZERO = np.uint64(1), np.uint64(0)

EXAMPLE_DTYPE = example_rows(INPUTS)
POSITION_DTYPE = position_rows(VALUE_INPUTS, MOST_FEATURES)
# as many turns of a decision as expert compares
EXAMPLE_SAMPLING = ExampleSampling(
    every=3, most=int(EXPERT.settings["candidates"]), rounds=2, kind=EXAMPLE_DTYPE, rows=1 << 12
)
POSITION_SAMPLING = PositionSampling(every=6, kind=POSITION_DTYPE, rows=256, judged_every=4, rounds=2)


@jit
def play_game(m: Memory, setting: Setting, row: Any) -> np.int64:
    """Play a game from its first decision to its end and score it; returns the number of decisions."""
    s, b, r = m.positions[0], setting.board[0], setting.rules[0]
    decisions = np.int64(0)
    while not s.over:
        play_move(s, b, r, search.choose(m, setting, row))
        decisions += 1
    score_game(s, b, r, m.network[0])
    return decisions


@entry_point(
    memory=MEMORY,
    setting=SETTING,
    rows=entry_points.ROWS,
    master=np.uint64,
    first=np.int64,
    games_per_deal=np.int64,
    layout=np.int64,
)
def play_games(memory: Any, setting: Any, rows: Any, master: Any, first: Any, games_per_deal: Any, layout: Any) -> Any:
    """Play as many games as there are rows in `games`, from game `first` on; returns the number of decisions.

    All are played on one layout, or on layouts that are drawn if it is below zero.
    """
    s, b, r, streams = memory.positions[0], setting.board[0], setting.rules[0], memory.streams[0]
    decisions = np.int64(0)
    for i in range(rows.games.size):
        game = first + i
        setup.set_up(s, b, r, streams, setting.deals, master, game, games_per_deal, layout)
        row = _seating_row(setting, game)
        if not setting.bots[row].kind.any():  # all of them are UNIFORM
            decisions += play_uniform(s, b, r, streams, memory.network[0])
        else:
            decisions += play_game(memory, setting, row)
        result_tables.write_rows(s, b, r, game, i, rows.games, rows.seats, rows.trips, rows.lines)
    return decisions


@jit
def _seating_row(setting: Setting, game: Any) -> np.int64:
    """The first row of the bots in the order in which they sit in a game."""
    return game % (setting.bots.size // SEATING_ROWS) * SEATING_ROWS


@entry_point(memory=MEMORY, setting=SETTING, rows=entry_points.ROWS, game=np.int64, i=np.int64)
def finish_game(memory: Any, setting: Any, rows: Any, game: Any, i: Any) -> Any:
    """Let the bots finish a game and write it as the i-th game of the rows; returns the number of decisions."""
    decisions = play_game(memory, setting, _seating_row(setting, game))
    s, b, r = memory.positions[0], setting.board[0], setting.rules[0]
    result_tables.write_rows(s, b, r, game, i, rows.games, rows.seats, rows.trips, rows.lines)
    return decisions


@entry_point(memory=MEMORY, setting=SETTING, seating=np.int64)
def choose(memory: Any, setting: Any, seating: Any) -> Any:
    """The move that the bot in turn chooses."""
    return search.choose(memory, setting, seating * SEATING_ROWS)


@entry_point(memory=MEMORY, setting=SETTING, wins=array_of(np.float64))
def sample_wins(memory: Any, setting: Any, wins: Any) -> None:
    """Play out a position, at the beginning of a turn, once for every row of `wins`: each player's share of the win.

    These are the odds for an onlooker who sees only public information. For every playout the hidden hands are
    drawn from the deals that agree with what is seen, and every company is played by a bot drawn from `PLAYOUT_BOTS`,
    whatever played it so far; the setting has them in its rows of bots after the first.
    """
    streams, t, b, r = memory.streams[0], memory.thoughts[0], setting.board[0], setting.rules[0]
    _hide_from_onlooker(memory, setting)
    open_stream(streams, 0, _CHANCES_PURPOSE + CHANCES_PER_TURN * memory.positions[0].turn)
    for i in range(wins.size // r.players):
        search.draw_deal(t, streams)
        for seat in range(r.companies):
            t.playout_bot[ix(seat)] = search.draw_playout_bot(streams, np.int64(0), False)
        search.begin_playout(memory, setting)
        if t.playout_deal >= 0:
            begin_turn(memory.positions[PLAYOUT], b, r)  # the legal moves depend on the hand
        search.finish_playout(memory, setting)
        for player in range(r.players):
            wins[i * r.players + player] = win_share(memory.positions[PLAYOUT].winners, player)


@jit
def _hide_from_onlooker(m: Memory, setting: Setting) -> None:
    """Put the public information into the root position, and find the deals that agree with it.

    Hands that no deal explains stay as they are.
    """
    s, root, t, b, r = m.positions[0], m.positions[ROOT], m.thoughts[0], setting.board[0], setting.rules[0]
    copy_position(root, s, b)
    t.deals = 0
    if r.hands == OPEN:
        return
    for seat in range(r.companies):
        hide_hand(root, r, seat)
    search.find_deals(root, r, t, setting.deals)
    if t.deals == 0:
        copy_position(root, s, b)


@entry_point(memory=MEMORY, setting=SETTING, seating=np.int64, turn=np.int64)
def explain_turn(memory: Any, setting: Any, seating: Any, turn: Any) -> None:
    """Write down the features of one of the turns that the bot in turn has just weighed."""
    v, t, bots = memory.positions[VIEW], memory.thoughts[0], setting.bots[seating * SEATING_ROWS]
    whole_turns.explain_turn(v, setting.board[0], setting.rules[0], bots, t, turn)


@entry_point(memory=MEMORY, setting=SETTING, rows=EXAMPLE_DTYPE, sampling=SAMPLING_REQUEST)
def collect_examples(memory: Any, setting: Any, rows: Any, sampling: Any) -> Any:
    """Play a game; write examples at one in `every` decisions of the learning seats; returns how many.

    An example has the inputs of the net for one of the decision's best turns, and the result of one playout by the bots
    in their seats, all from the same guess of the hidden information. One of them, drawn at random, is then played.
    The value net of the bot judges playouts after some rounds.
    """
    request, game = sampling[0], sampling[0].game
    s, b, r, streams = memory.positions[0], setting.board[0], setting.rules[0], memory.streams[0]
    setup.set_up(s, b, r, streams, setting.deals, request.master, game, request.games_per_deal, np.int64(-1))
    row = _seating_row(setting, game)
    written, decision = np.int64(0), np.int64(0)
    open_stream(streams, 0, _EXAMPLES_PURPOSE)
    while not s.over:
        learns = request.learners >> np.uint64(s.seat) & _ONE != _ZERO and written + MOST_CANDIDATES <= rows.size
        if learns and not has_no_choice(s, b) and draw_below(streams, 0, request.every) == 0:
            count = _write_decision(memory, setting, row, request, written, rows)
            for i in range(count):
                rows[written + i].game = request.game
                rows[written + i].decision = decision
            written += count
            decision += 1
        play_move(s, b, r, search.choose(memory, setting, row))
    return written


@entry_point(memory=MEMORY, setting=SETTING, rows=POSITION_DTYPE, sampling=SAMPLING_REQUEST)
def collect_positions(memory: Any, setting: Any, rows: Any, sampling: Any) -> Any:
    """Play a game; write positions at one in `every` turns, and how the game ended; returns how many.

    A position is written twice: for the company in turn, and for the one that has just moved. If rounds are asked for,
    the value nets of the bots judge it again that many rounds later.
    """
    request, game = sampling[0], sampling[0].game
    s, b, r, streams = memory.positions[0], setting.board[0], setting.rules[0], memory.streams[0]
    setup.set_up(s, b, r, streams, setting.deals, request.master, game, request.games_per_deal, np.int64(-1))
    row = _seating_row(setting, game)
    written, judged, turn = np.int64(0), np.int64(0), np.int64(1)
    later = request.rounds * r.companies
    open_stream(streams, 0, _EXAMPLES_PURPOSE)
    while not s.over:
        if s.turn != turn and s.bonus_line < 0:
            turn = np.int64(s.turn)
            while later > 0 and judged < written and rows[judged].turn + later <= turn:
                value_net.describe(s, memory, b, r, rows[judged].seat)
                value = value_net.value_of_inputs(memory.thoughts[0], setting, row, rows[judged].seat)
                rows[judged].judged = np.float32(value)
                judged += 1
            if draw_below(streams, 0, request.every) == 0 and written + 2 <= rows.size:
                _write_position(memory, setting, s.seat, rows[written])
                _write_position(memory, setting, (s.seat - 1) % r.companies, rows[written + 1])
                written += 2
        play_move(s, b, r, search.choose(memory, setting, row))
    score_game(s, b, r, memory.network[0])
    for i in range(written):
        rows[i].game = game
        rows[i].result = np.float32(search.playout_value(s, r, r.seat_player[ix(rows[i].seat)], MARGIN))
        if i >= judged:
            rows[i].judged = rows[i].result
    return written


@jit
def _write_position(m: Memory, setting: Setting, seat: Any, position: Any) -> None:
    """Write what the value net is given for a company."""
    t = m.thoughts[0]
    value_net.describe(m.positions[0], m, setting.board[0], setting.rules[0], seat)
    position.seat, position.turn = seat, m.positions[0].turn
    for i in range(VALUE_INPUTS):
        position.inputs[ix(i)] = t.inputs[ix(VALUE_ROW + i)]
    position.features = t.features
    for i in range(t.features):
        position.feature[ix(i)] = t.feature[ix(i)]


@jit
def _write_decision(m: Memory, setting: Setting, row: Any, request: Any, written: Any, examples: Any) -> np.int64:
    """The examples of one decision, and the plan of the turn that is played; returns how many turns were compared."""
    s, v, root, t = m.positions[0], m.positions[VIEW], m.positions[ROOT], m.thoughts[0]
    b, r = setting.board[0], setting.rules[0]
    make_view(m, s, b, r, m.streams[0])
    copy_position(root, v, b)
    m.streams[ROOT] = m.streams[VIEW]
    compare_turns(m, setting, row, request.most)
    count = np.int64(t.candidates)
    if count == 1:
        return np.int64(0)
    plan_turn(s, t, t.candidate[ix(draw_below(m.streams[0], 0, count))])
    for turn in range(count):
        search.note_turn(t, turn, t.candidate[ix(turn)])
        example = examples[written + turn]
        for i in range(INPUTS):
            example.inputs[ix(i)] = t.inputs[ix(INPUTS * turn + i)]
    search.find_deals(root, r, t, setting.deals)
    open_stream(m.streams[ROOT], 0, 1)
    search.draw_deal(t, m.streams[ROOT])
    for seat in range(r.companies):
        t.playout_bot[ix(seat)] = row
    for turn in range(count):
        result = search.play_turn_on(m, setting, row, np.int64(turn), request.rounds, MARGIN)
        examples[written + turn].result = np.float32(result)
    return count
