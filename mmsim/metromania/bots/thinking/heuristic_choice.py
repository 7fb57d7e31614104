"""A weighing bot's decision: the best of all whole turns, a few of them tried out to see the trips."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.rng import Streams, draw_below, next_fraction, open_stream
from mmsim.metromania.bots.kinds import UNIFORM
from mmsim.metromania.bots.thinking.evaluation import survey_position
from mmsim.metromania.bots.thinking.features import place_value, weight
from mmsim.metromania.bots.thinking.line_plans import NEVER
from mmsim.metromania.bots.thinking.memory import DEPTH, TRIAL, VIEW, Bots, Memory, Thoughts
from mmsim.metromania.bots.thinking.trip_cache import score_trips
from mmsim.metromania.bots.thinking.view import make_view
from mmsim.metromania.bots.thinking.whole_turns import weigh_turns
from mmsim.metromania.bots.turn_weights import Feature, Parameter
from mmsim.metromania.engine.moves import BONUS, DECLINE, DIG, END, START, decode_move_compiled, kth_move
from mmsim.metromania.engine.placing import start_tunnel
from mmsim.metromania.engine.state import FIRST_MARKERS, HAND, PATH, Board, Rules, State, copy_position
from mmsim.metromania.engine.trips import stations_at_cell
from mmsim.metromania.engine.turns import play_move

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_TIE_BREAK = 1e-7  # noise that decides between equal turns
_UNTRIED, _TRIED, _ANY = 0, 1, 2  # which turns to look at, by `Thoughts.tried`


@jit
def may_play(s: State, b: Board, code: Any) -> bool:
    """Whether a tunnel, or the station at the beginning of a turn, is legal now."""
    kind, number, place, extra = decode_move_compiled(code)
    if s.over or s.bonus_line >= 0:
        return False
    if kind in (DIG, END):
        word = np.int64(0)
        lane = np.int64(0)
        if kind == DIG and extra > 0:
            word = np.int64(extra > FIRST_MARKERS)
            lane = s.hand_kind[ix(HAND * s.seat + extra - 1)]
        return s.ways[ix(2 * number + word)] >> np.uint64(16 * lane + place) & _ONE != _ZERO
    for k in range(s.choices):  # noqa: SIM110 - compiled code has no any()
        if kth_move(s, b, k) == code:
            return True
    return False


@jit
def weigh(m: Memory, b: Board, r: Rules, bots: Bots) -> np.int64:
    """Weigh the turns of the company in turn in the view; returns the place of the first move of the best."""
    t, seat = m.thoughts[0], m.positions[VIEW].seat
    weigh_untried(m, b, r, bots)
    if weight(bots, seat, Feature.TRIPS) != 0.0 or weight(bots, seat, Feature.RIVALS) != 0.0:
        for _ in range(np.int64(weight(bots, seat, Parameter.TRIALS))):
            first = best_untried(t)
            if first < 0:
                break
            _try_out(m, b, r, bots, first)
        return _best_turn(t, _TRIED)
    return _best_turn(t, _ANY)


@jit
def weigh_untried(m: Memory, b: Board, r: Rules, bots: Bots) -> None:
    """Weigh the turns of the company in turn in the view, without what they change about the trips."""
    v, streams, t = m.positions[VIEW], m.streams[VIEW], m.thoughts[0]
    survey_position(v, b, r, bots, t, m.network[0])
    weigh_turns(v, b, r, bots, t)
    open_stream(streams, 0, 0)
    noise = _TIE_BREAK + weight(bots, v.seat, Parameter.NOISE)
    for first in range(t.firsts):
        t.value[ix(first)] += noise * next_fraction(streams, 0)
        t.turn_own[ix(first)] = 0.0
        t.turn_rival[ix(first)] = 0.0


@jit
def best_untried(t: Thoughts) -> np.int64:
    """Place of the first move of the best turn not tried out yet; -1 for none."""
    return _best_turn(t, _UNTRIED)


@inlined
def _best_turn(t: Thoughts, which: Any) -> np.int64:
    best, best_first = 2.0 * NEVER, np.int64(-1)
    for first in range(t.firsts):
        better = (t.value[ix(first)] > best) & (which == _ANY or t.tried[ix(first)] == which)
        best, best_first = t.value[ix(first)] if better else best, np.int64(first) if better else best_first
    return best_first


@jit
def _try_out(m: Memory, b: Board, r: Rules, bots: Bots, first: Any) -> None:
    """Play a turn on a copy and add the points of the trips after it."""
    v, p, t = m.positions[VIEW], m.positions[TRIAL], m.thoughts[0]
    t.tried[ix(first)] = 1
    if t.turn_stations[ix(first)] == 0 and not _may_change_trips(v, b, t, first):
        return
    seat = v.seat
    twin = t.twin[ix(first)]
    if twin >= 0 and t.tried[ix(twin)] and _leads_to_the_same(v, b, t, first, twin):
        own, rival = t.turn_own[ix(twin)], t.turn_rival[ix(twin)]
    else:
        play_turn(m, b, r, first)
        score_trips(p, b, r, m.network[0], t)
        own = t.trip_points[ix(seat)] - t.trips_before[ix(seat)]
        rival = t.trip_points[ix(t.rival)] - t.trips_before[ix(t.rival)]
    t.turn_own[ix(first)] = own
    t.turn_rival[ix(first)] = rival
    t.value[ix(first)] += weight(bots, seat, Feature.TRIPS) * own + weight(bots, seat, Feature.RIVALS) * rival


@jit
def _may_change_trips(v: State, b: Board, t: Thoughts, first: Any) -> bool:
    """Whether a turn that makes no station reaches one, lays a marker beside one, or lets both lines meet."""
    begin, other_begin = v.terminus[ix(2 * v.seat)], v.terminus[ix(2 * v.seat + 1)]
    at, other_at = begin, other_begin
    if at == other_at:
        return True
    for i in range(t.turn_length[ix(first)]):
        kind, number, place, extra = decode_move_compiled(t.turn_code[ix(DEPTH * first + i)])
        if kind > END:
            return False
        if kind == START:
            _, _, w, _ = start_tunnel(b, place, extra)
        else:
            u = other_at if number else at
            w = np.int64(b.neighbour[ix(6 * u + (place >> 1))])
            if extra > 0 and stations_at_cell(v, b, b.slot_cell[ix(12 * u + place)]) != _ZERO:
                return True
        if v.station[ix(w)] != 0 or w == (begin if number else other_begin):
            return True
        for j in range(i):
            if t.vertex[ix(j)] == w:
                return True
        t.vertex[ix(i)] = w
        if number:
            other_at = w
        else:
            at = w
    return False


@jit
def play_turn(m: Memory, b: Board, r: Rules, first: Any) -> None:
    """Play a turn on a copy of the view, as far as possible, and write down where its tunnels lie."""
    v, p, t = m.positions[VIEW], m.positions[TRIAL], m.thoughts[0]
    copy_position(p, v, b)
    t.played[ix(first)] = 0
    for i in range(t.turn_length[ix(first)]):
        code = t.turn_code[ix(DEPTH * first + i)]
        if p.seat != v.seat or not may_play(p, b, code):
            return
        t.turn_cell[ix(DEPTH * first + i)] = _cell_of(p, b, code)
        play_move(p, b, r, code)
    t.played[ix(first)] = 1


@inlined
def _cell_of(s: State, b: Board, code: Any) -> np.int64:
    """The cell of the tunnel of a move; -1 for other moves."""
    kind, number, place, _ = decode_move_compiled(code)
    if kind == START:
        return b.city_cells + place
    if kind > END:
        return np.int64(-1)
    return np.int64(b.slot_cell[ix(12 * s.terminus[ix(2 * s.seat + number)] + place)])


@inlined
def _leads_to_the_same(v: State, b: Board, t: Thoughts, first: Any, twin: Any) -> bool:
    """Whether a turn leads to the same stations as its twin, which was tried out: all of it can be played too."""
    if not t.played[ix(twin)]:
        return False
    cell = _cell_of(v, b, t.turn_code[ix(DEPTH * first)])
    for i in range(1, t.turn_length[ix(twin)]):  # noqa: SIM110 - compiled code has no any()
        if t.turn_cell[ix(DEPTH * twin + i)] == cell:
            return False
    return True


@jit
def choose_bonus(m: Memory, b: Board, r: Rules, bots: Bots) -> np.int64:
    """I3: the best place for a bonus station, or none if no place is worth a station."""
    v, t = m.positions[VIEW], m.thoughts[0]
    survey_position(v, b, r, bots, t, m.network[0])
    best, chosen = 0.0, np.int64(DECLINE)
    for k in range(v.choices):
        code = kth_move(v, b, k)
        kind, number, place, _ = decode_move_compiled(code)
        if kind == BONUS:
            vertex = np.int64(v.path[ix(PATH * (2 * v.seat + number) + place)])
            value = place_value(v, b, r, bots, t, 2 * v.seat + number, vertex, t.unserved, t.own_connected)
            if value > best:
                best, chosen = value, code
    return chosen


@jit
def is_planned(s: State, b: Board) -> bool:
    """Whether the next tunnel of this turn is already planned, and can still be dug."""
    step = s.dug - s.plan_dug
    return s.plan_length > step and s.plan_turn == s.turn and s.bonus_line < 0 and may_play(s, b, s.plan[ix(step)])


@jit
def begin_plan(s: State, length: Any) -> None:
    """Begin the plan of a turn that has been chosen, so that its next tunnels need no thought."""
    s.plan_turn = s.turn
    s.plan_dug = s.dug
    s.plan_length = length


@jit
def plan_turn(s: State, t: Thoughts, first: Any) -> None:
    """Make the turn that begins with a first move the plan of the company in turn."""
    begin_plan(s, t.turn_length[ix(first)])
    for i in range(s.plan_length):
        s.plan[ix(i)] = t.turn_code[ix(DEPTH * first + i)]


@jit
def choose_by_weights(s: State, m: Memory, b: Board, r: Rules, streams: Streams, bots: Bots) -> np.int64:
    """The move of a bot that plays at random or weighs turns."""
    if bots.kind[ix(s.seat)] == UNIFORM:
        return kth_move(s, b, draw_below(streams, 1 + s.seat, s.choices))
    if s.choices == 1:
        return kth_move(s, b, np.int64(0))
    if is_planned(s, b):
        return s.plan[ix(s.dug - s.plan_dug)]
    make_view(m, s, b, r, streams)
    if s.bonus_line >= 0:
        return choose_bonus(m, b, r, bots)
    plan_turn(s, m.thoughts[0], weigh(m, b, r, bots))
    return s.plan[0]
