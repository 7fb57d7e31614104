"""The fast core's turns: set up a game, play a move, notice the end of the building phase."""

from typing import Any

import numpy as np

from mmsim.compiled.accel import count_bits, inlined, ix, jit, lowest_bit, rarely, scratch_like
from mmsim.compiled.lead import clear_lead, note_lead
from mmsim.metromania.engine.copies import copy_position
from mmsim.metromania.engine.moves import (
    BONUS,
    END,
    PASS,
    START,
    STATION,
    any_lane,
    end_slots,
    find_bonus,
    find_tunnels,
    find_turn,
    kth_choice,
    list_starts,
    note_far_ends,
    note_marker,
    note_touching,
    sides_far_from,
    ways_on,
)
from mmsim.metromania.engine.state import (
    BOTH_LINES,
    DEADLOCK,
    EDGES,
    ENOUGH_LINES,
    EVERY_LANE,
    FIRST_MARKERS,
    HAND,
    LACKS_CELL,
    LACKS_MARKER,
    LACKS_STATION,
    LACKS_TUNNEL,
    LINES,
    MOST,
    NO_STATIONS,
    NOWHERE,
    OTHERS,
    PATH,
    ROUND,
    SEATS,
    SECTOR_CELLS,
    SECTOR_VERTICES,
    STOP,
    TURNED_PIECES,
    VERTEX_WORDS,
    VERTICES,
    Board,
    Rules,
    State,
)
from mmsim.metromania.engine.stations import meets, open_slots, place_station, splits
from mmsim.metromania.rules.board import LAYOUTS, PIECES, TURNINGS, TURNS

_ONE, _ZERO = np.uint64(1), np.uint64(0)

assert LAYOUTS < 2**32


# --- setting up ----------------------------------------------------------------------------------------------


@jit
def lay_out(s: State, b: Board, layout: Any) -> None:
    """G6: put the pieces of a layout (by its number) into the city."""
    s.layout = layout
    for v in range(b.vertices):
        s.lanes[ix(v)] = _ZERO
    order, turning = layout // TURNINGS, layout % TURNINGS
    for k in range(PIECES):
        piece, turn = np.int64(b.piece_at[ix(PIECES * order + k)]), np.int64(b.turn_at[ix(PIECES * turning + k)])
        turned = TURNS * piece + turn
        kinds, cells = SECTOR_CELLS * turned, k * b.sector_cells
        for i in range(b.sector_cells):
            s.kind[ix(cells + i)] = b.piece_kinds[ix(kinds + i)]
        lanes, vertices = SECTOR_VERTICES * (TURNED_PIECES * k + turned), SECTOR_VERTICES * k
        for i in range(b.sector_vertices):
            s.lanes[ix(b.sector_vertex[ix(vertices + i)])] += b.sector_lanes[
                ix(lanes + i)
            ]  # slots of other cells, and counts


@jit
def hand_out(s: State, r: Rules, deals: Any, which: Any) -> None:
    """S2-S5: give out one deal of a deal table."""
    for marker in range(12):
        s.marker_cell[ix(marker)] = NOWHERE
    give_hands(s, r, deals, which)


@jit
def give_hands(s: State, r: Rules, deals: Any, which: Any) -> None:
    """Say that the hands were those of a deal; markers that are placed stay where they are."""
    for seat in range(r.companies):
        for word in range(2):
            s.held[ix(2 * seat + word)] = np.uint64(word == 0)  # blank cells
            s.partner_placed[ix(2 * seat + word)] = _ZERO
        for i in range(r.hand_size):
            code = np.int64(deals[(which * SEATS + seat) * HAND + i])
            marker, kind = code >> 2, code & 3
            s.hand_marker[ix(HAND * seat + i)] = marker
            s.hand_kind[ix(HAND * seat + i)] = kind
            s.marker_kind[ix(marker)] = kind
            s.marker_holder[ix(marker)] = seat
            if s.marker_cell[ix(marker)] == NOWHERE:
                at = 2 * seat + np.int64(i >= FIRST_MARKERS)
                bit = _ONE << np.uint64(16 * kind)
                s.held[ix(at)] |= bit
                if s.marker_cell[ix(marker ^ 1)] != NOWHERE:
                    s.partner_placed[ix(at)] |= bit


@jit
def clear_table(s: State, b: Board, r: Rules) -> None:
    """S6: nothing built, nobody has moved."""
    s.turn = 1
    s.seat = 0
    s.dug = 0
    s.markers_laid = 0
    s.bonus_line = -1
    s.passes = 0
    s.last_turns = -1
    s.lines_noticed = 0
    s.over = 0
    s.end_reason = -1
    s.supply = r.stations
    s.started = _ZERO
    s.ended = _ZERO
    s.park_stations = _ZERO
    s.lake_stations = _ZERO
    s.plan_length = 0
    s.passes_made = 0
    s.start_overflows = 0
    s.end_overflows = 0
    s.short_supply = 0
    s.two_reasons = 0
    s.scored = 0
    clear_lead(s)
    for word in range(VERTEX_WORDS):
        s.near_markers[ix(word)] = _ZERO
    for seat in range(SEATS):
        s.turns_taken[ix(seat)] = 0
        s.points[ix(seat)] = 0
        s.player_points[ix(seat)] = 0
        s.stations_made[ix(seat)] = 0
    for line in range(LINES):
        s.tunnels[ix(line)] = 0
        s.open[ix(line)] = _ZERO
        s.stops[ix(line)] = _ZERO
        s.exits[ix(line)] = _ZERO
        s.touching[ix(2 * line)] = _ZERO
        s.touching[ix(2 * line + 1)] = _ZERO
        s.last_edge[ix(line)] = EDGES
        s.start_side[ix(line)] = -1
        s.end_side[ix(line)] = -1
    for v in range(b.vertices):
        s.lines_at[ix(v)] = 0
        s.terminus_at[ix(v)] = 0
        s.station[ix(v)] = 0
        s.end_free[ix(v)] = b.end_slots[ix(v)]
    for edge in range(b.edges):
        s.lines_along[ix(edge)] = 0
    for side in range(6):
        s.start_free[ix(side)] = b.starts[ix(side)]
        s.ends_free[ix(side)] = b.ends[ix(side)]
    note_far_ends(s)


# --- playing a move ------------------------------------------------------------------------------------------


@inlined
def play_move(s: State, b: Board, r: Rules, move: Any) -> None:
    """Play a legal move and make the next decision ready."""
    if s.plan_length > 0 and s.bonus_line < 0:
        _follow_plan(s, move)
    play_choice(s, b, r, move & 7, move >> 3 & 1, move >> 4 & 255, move >> 12)


@inlined
def play_choice(s: State, b: Board, r: Rules, kind: Any, number: Any, what: Any, extra: Any) -> None:
    """Play a legal move that is taken apart already, where no bot plans its turns."""
    if kind == PASS:
        s.passes += 1
        s.passes_made += 1
    else:
        s.passes = 0
    if _put_down(s, b, r, kind, number, what, extra):
        return
    if turn_is_over(s, b, r, kind):
        end_turn(s, b, r)
    else:
        s.places[0] = _ZERO
        s.places[1] = _ZERO


@inlined
def _put_down(s: State, b: Board, r: Rules, kind: Any, number: Any, what: Any, extra: Any) -> bool:
    """Change what lies on the table; returns whether the next decision is about a bonus station (I3)."""
    line = 2 * s.seat + number
    if rarely(kind in (BONUS, STATION)):
        place_station(s, b, r, np.int64(s.path[ix(PATH * line + what)]))
    elif kind <= END:
        if rarely(kind == START):
            _start(s, b, r, line, what, extra)
        else:
            _dig(s, b, r, line, what, extra)
        if rarely(kind == END):
            s.bonus_line = number
            if find_bonus(s) > 0:
                _notice_lines(s, b, r)
                s.choices = count_bits(s.places[0]) + 1
                return True
    s.bonus_line = -1
    return False


@jit
def _follow_plan(s: State, move: Any) -> None:
    """Forget a bot's plan when its turn is over or another move is played."""
    step = s.dug - s.plan_dug
    if s.plan_turn != s.turn or step >= s.plan_length or s.plan[ix(step)] != move:
        s.plan_length = 0


@inlined
def turn_is_over(s: State, b: Board, r: Rules, kind: Any) -> bool:
    """T1, T3, P4: as the reference engine; if it is not, the next tunnel's choices are ready."""
    if kind in (STATION, PASS) or s.dug == r.dig:
        return True
    if rarely(r.trigger_turn == STOP and stops_turn(s, b, r)):
        return True
    if find_tunnels(s, b, r) == 0:
        return True
    if rarely(r.dig_duty == MOST):
        keep_dutiful(s, b, r)
    return False


@inlined
def begin_turn(s: State, b: Board, r: Rules) -> None:
    """T1-T4: make the first decision of a turn ready."""
    find_turn(s, b, r)
    if rarely(r.dig_duty == MOST):
        keep_dutiful(s, b, r)


@jit
def keep_dutiful(s: State, b: Board, r: Rules) -> None:
    """T3, `dig_duty=most`: of the ways to place the next tunnel keep those after which the turn can come to most."""
    if s.dug + 1 == r.dig:
        return
    if s.start_choices > 0:
        list_starts(s, b)
    kept = scratch_like(s)  # of it, `ways` and `starts` of the best so far, and in `dug` what they come to
    k = np.int64(0)
    for at in range(4):
        rest = s.ways[ix(at)]
        while rest != _ZERO:
            if _comes_to_most(s, b, r, kept, k):
                kept.ways[ix(at)] |= rest & (~rest + _ONE)
            rest &= rest - _ONE
            k += 1
    for side in range(6):
        rest = s.starts[ix(side)] if s.start_choices > 0 else _ZERO
        while rest != _ZERO:
            if _comes_to_most(s, b, r, kept, k):
                kept.starts[ix(side)] |= rest & (~rest + _ONE)
            rest &= rest - _ONE
            k += 1
    s.start_choices = 0
    s.choices -= k
    for at in range(4):
        s.ways[ix(at)] = kept.ways[ix(at)]
        s.choices += count_bits(s.ways[ix(at)])
    for side in range(6):
        s.starts[ix(side)] = kept.starts[ix(side)]
        s.start_choices += count_bits(s.starts[ix(side)])
    s.choices += s.start_choices


@jit
def _comes_to_most(s: State, b: Board, r: Rules, kept: State, k: Any) -> bool:
    """T3: whether the turn can come to as many tunnels after the k-th choice as after the best so far."""
    kind, number, what, extra = kth_choice(s, b, k)
    tunnels = tunnels_in_reach(s, b, r, kind, number, what, extra)
    if tunnels > kept.dug:  # what was kept comes to less
        kept.dug = tunnels
        for at in range(4):
            kept.ways[ix(at)] = _ZERO
        for side in range(6):
            kept.starts[ix(side)] = _ZERO
    return tunnels == kept.dug


@jit
def tunnels_in_reach(s: State, b: Board, r: Rules, kind: Any, number: Any, what: Any, extra: Any) -> np.int64:
    """T3: how many tunnels the turn can come to after a move; one that a trigger stops has done its duty."""
    then = scratch_like(s)
    copy_position(then, s, b)
    bonus_due = _put_down(then, b, r, kind, number, what, extra)
    if then.dug == r.dig or (r.trigger_turn == STOP and stops_turn(then, b, r)):
        return np.int64(r.dig)
    if not bonus_due:
        find_tunnels(then, b, r)
    most = np.int64(then.dug)
    for k in range(then.choices):
        follower, of_line, there, more = kth_choice(then, b, np.int64(k))
        most = max(most, tunnels_in_reach(then, b, r, follower, of_line, there, more))
        if most == r.dig:
            break
    return most


@inlined
def is_far(side: Any, from_side: Any) -> bool:
    """B2, D4: whether a side of the city is neither another one nor next to it."""
    return sides_far_from(from_side) >> np.uint64(side) & _ONE != _ZERO


@inlined
def start_tunnel(b: Board, frame_cell: Any, base: Any) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """B1: the side a line starts on, its portal, the base vertex it reaches, and the direction."""
    cell = b.city_cells + frame_cell
    side = frame_cell // b.side
    # Base 0 lies towards the side's first corner: direction side + 4 from the portal; base 1 the next one round.
    portal, w = np.int64(b.corner[ix(3 * cell + 2)]), np.int64(b.corner[ix(3 * cell + base)])
    return side, portal, w, (side + 4 - base) % 6


@inlined
def _start(s: State, b: Board, r: Rules, line: Any, frame_cell: Any, base: Any) -> None:
    """B1: from the portal to one of the base vertices."""
    side, portal, w, d = start_tunnel(b, frame_cell, base)
    s.started |= _ONE << np.uint64(line)
    s.start_side[ix(line)] = side
    s.start_overflows += (line & 1) * np.int64(not is_far(side, s.start_side[ix(line & ~1)]))
    s.start_free[ix(side)] &= ~(_ONE << np.uint64(frame_cell - side * b.side))
    s.path[ix(PATH * line)] = portal
    _advance(s, b, r, line, portal, w, d)


@inlined
def _dig(s: State, b: Board, r: Rules, line: Any, slot: Any, marker: Any) -> None:
    """Section 5: from the terminus by a slot, laying a marker if one is named; or to a portal, ending the line."""
    u = s.terminus[ix(line)]
    d = slot >> 1
    cell, w = np.int64(b.slot_cell[ix(12 * u + slot)]), np.int64(b.neighbour[ix(6 * u + d)])
    if rarely(cell >= b.city_cells):  # D4
        side = (cell - b.city_cells) // b.side
        s.end_side[ix(line)] = side
        if not is_far(side, s.start_side[ix(line)]):
            s.end_overflows += 1
        s.ended |= _ONE << np.uint64(line)
        s.ends_free[ix(side)] -= 1
        note_far_ends(s)
        for i in range(2):
            s.end_free[ix(b.corner[ix(3 * cell + i)])] &= ~np.uint64(b.corner_slots[ix(3 * cell + i)])
        for other in range(2 * r.companies):
            if s.open[ix(other)] != _ZERO:
                s.exits[ix(other)] = end_slots(s, b, r, s.start_side[ix(other)], s.terminus[ix(other)])
    else:
        for i in range(3):
            s.lanes[ix(b.corner[ix(3 * cell + i)])] &= ~(np.uint64(b.corner_slots[ix(3 * cell + i)]) * EVERY_LANE)
    if rarely(marker > 0):
        _lay_marker(s, b, r, line >> 1, marker - 1, cell)
    s.terminus_at[ix(u)] &= ~(1 << line) & 0xFF
    _advance(s, b, r, line, u, w, d)


@jit
def _lay_marker(s: State, b: Board, r: Rules, seat: Any, place: Any, cell: Any) -> None:
    """M1: a marker leaves the hand for a cell; M2: its partner's holder must mind it from now on."""
    marker = s.hand_marker[ix(HAND * seat + place)]
    s.marker_cell[ix(marker)] = cell
    s.markers_laid += 1
    note_marker(s, b, cell)
    bit = _ONE << np.uint64(16 * s.hand_kind[ix(HAND * seat + place)])
    at = 2 * seat + np.int64(place >= FIRST_MARKERS)
    s.held[ix(at)] &= ~bit
    s.partner_placed[ix(at)] &= ~bit
    holder = s.marker_holder[ix(marker ^ 1)]
    if holder >= 0 and s.marker_cell[ix(marker ^ 1)] == NOWHERE:  # nobody knows what a hidden hand must mind
        _mind_partner(s, holder, marker ^ 1)
        for line in range(2 * holder, 2 * holder + 2):
            note_touching(s, b, r, line)


@jit
def _mind_partner(s: State, seat: Any, marker: Any) -> None:
    """M2: the partner of a marker that a company holds is placed."""
    place = np.int64(0)
    while s.hand_marker[ix(HAND * seat + place)] != marker:
        place += 1
    at = 2 * seat + np.int64(place >= FIRST_MARKERS)
    s.partner_placed[ix(at)] |= _ONE << np.uint64(16 * s.hand_kind[ix(HAND * seat + place)])


@inlined
def _advance(s: State, b: Board, r: Rules, line: Any, u: Any, w: Any, d: Any) -> None:
    """A line goes from u to w: its path, and the stations that makes (ST6)."""
    bit = 1 << line
    edge = np.int64(b.edge[ix(6 * u + d)])
    at_u = (s.station[ix(u)] == 0) & splits(s, line, s.last_edge[ix(line)], u, edge)  # ST4
    at_w = meets(s, line, w, edge)
    place = s.tunnels[ix(line)] + 1
    s.tunnels[ix(line)] = place
    s.path[ix(PATH * line + place)] = w
    s.place[ix(VERTICES * line + w)] = place
    s.lines_at[ix(w)] |= bit
    s.lines_along[ix(edge)] |= bit
    s.terminus[ix(line)] = w
    s.direction[ix(line)] = d
    s.last_edge[ix(line)] = edge
    s.dug += 1
    if at_u:
        place_station(s, b, r, u)
    if s.ended >> np.uint64(line) & _ONE != _ZERO:
        s.open[ix(line)] = _ZERO
        return
    s.terminus_at[ix(w)] |= bit
    s.exits[ix(line)] = end_slots(s, b, r, s.start_side[ix(line)], w)
    note_touching(s, b, r, line)
    if at_w:
        place_station(s, b, r, w)  # opens all angles of lines that end here, this one too
        return
    if s.station[ix(w)] != 0:
        s.stops[ix(line)] |= _ONE << np.uint64(place)
    s.open[ix(line)] = open_slots(s, b, r, line)


# --- the end of a turn and of the building phase ---------------------------------------------------------------


@inlined
def is_blocked(s: State, b: Board, r: Rules, line: Any) -> bool:
    """P2: nothing could be dug on a started, unfinished line if a turn of its company began now."""
    if s.supply >= 2 and s.lanes[ix(s.terminus[ix(line)])] & s.open[ix(line)] != _ZERO:
        return False  # a free blank cell: the usual case
    first, second = ways_on(s, b, r, line, r.markers_per_turn)
    return first | second == _ZERO


@inlined
def _blank_ahead(s: State) -> np.uint64:
    """The bits of lines that can surely go on, into a free blank cell; some of the others may go on too."""
    if s.supply < 2:
        return _ZERO
    found = _ZERO
    for line in range(LINES):
        free = s.lanes[ix(s.terminus[ix(line)])] & s.open[ix(line)]
        found |= np.uint64(free != _ZERO) << np.uint64(line)
    return found


@inlined
def blocked_lines(s: State, b: Board, r: Rules) -> np.uint64:
    """The bits of all blocked lines."""
    blocked = _ZERO
    rest = s.started & ~s.ended
    while rest != _ZERO:
        line = lowest_bit(rest)
        if is_blocked(s, b, r, line):
            blocked |= _ONE << np.uint64(line)
        rest &= rest - _ONE
    return blocked


@jit
def block_reason(s: State, b: Board, r: Rules, line: Any) -> np.int64:
    """P2: what a blocked line lacks, the first of tunnels, stations, markers that would have let it go on."""
    if s.tunnels[ix(line)] == r.tunnels_per_line:
        return np.int64(LACKS_TUNNEL)
    supply = s.supply
    s.supply = 2
    first, second = ways_on(s, b, r, line, r.markers_per_turn)
    s.supply = supply
    if first | second != _ZERO:
        return np.int64(LACKS_STATION)
    free = any_lane(s.lanes[ix(s.terminus[ix(line)])])
    return np.int64(LACKS_MARKER) if free & s.open[ix(line)] != _ZERO else np.int64(LACKS_CELL)


@inlined
def enough_lines(s: State, b: Board, r: Rules) -> bool:
    """P1: whether so many lines are ended or blocked that the building phase ends."""
    if count_bits(s.started) >= r.end_lines and rarely(count_bits(s.started & ~_blank_ahead(s)) >= r.end_lines):
        return count_bits(s.ended | blocked_lines(s, b, r)) >= r.end_lines
    return False


@jit
def _notice_lines(s: State, b: Board, r: Rules) -> None:
    """P3: keep in mind what has come true before a bonus station is placed, which may free a blocked line."""
    s.lines_noticed = np.int64(r.trigger_turn == STOP and s.last_turns < 0 and enough_lines(s, b, r))


@inlined
def trigger(s: State, b: Board, r: Rules) -> np.int64:
    """P1, P3: why the building phase ends, the first of what has come true; -1 if it does not."""
    both_lines = s.ended & s.ended >> _ONE & np.uint64(0x55) != _ZERO
    enough = s.lines_noticed != 0 or enough_lines(s, b, r)
    if both_lines or s.supply == 0:
        s.two_reasons = np.int64(enough or (both_lines and s.supply == 0))
        return np.int64(BOTH_LINES) if both_lines else np.int64(NO_STATIONS)
    return np.int64(ENOUGH_LINES) if enough else np.int64(-1)


@jit
def stops_turn(s: State, b: Board, r: Rules) -> bool:
    """P3, P4: whether a trigger has come true where that ends the turn; none matters in the last round (P5)."""
    return bool(s.last_turns < 0 and trigger(s, b, r) >= 0)


@jit
def last_turns(s: State, r: Rules) -> np.int64:
    """P5: how many turns are still played after the one that has triggered the end."""
    others = r.companies - 1
    return others if r.last_round == OTHERS else others - s.seat if r.last_round == ROUND else np.int64(0)


@inlined
def end_turn(s: State, b: Board, r: Rules) -> None:
    """P3, P5, T4: look for a trigger, begin or go on with the last round, pass the turn on."""
    s.turns_taken[ix(s.seat)] += 1
    if s.scored:
        note_lead(s, s.player_points, r.players)
        s.scored = 0
    if s.last_turns >= 0:  # P5: no further trigger matters
        s.last_turns -= 1
        s.over = np.int64(s.last_turns == 0)
    else:
        reason = trigger(s, b, r)
        if reason >= 0:
            s.end_reason = reason
            s.last_turns = last_turns(s, r)
            s.over = np.int64(s.last_turns == 0)
        elif s.passes == r.companies:  # T4
            s.end_reason = DEADLOCK
            s.over = 1
    if s.over:
        s.choices = 0
        return
    s.turn += 1
    s.seat = s.seat + 1 if s.seat + 1 < r.companies else np.int64(0)
    s.dug = 0
    s.markers_laid = 0
    s.lines_noticed = 0
    begin_turn(s, b, r)
