"""Setting up a game from its seed: the city (G6), the hands (S2-S5), an empty table (S6)."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.compiled.rng import Streams, draw_below, open_stream, set_seed
from mmsim.compiled.standings import clear_lead
from mmsim.core.rng import Purpose
from mmsim.metromania.engine.moves import note_far_ends
from mmsim.metromania.engine.state import (
    EDGES,
    FIRST_MARKERS,
    HAND,
    LINES,
    NOWHERE,
    REVERSED,
    SEATS,
    SECTOR_CELLS,
    SECTOR_VERTICES,
    TURNED_PIECES,
    VERTEX_WORDS,
    Board,
    Rules,
    State,
)
from mmsim.metromania.engine.turns import begin_turn
from mmsim.metromania.rules.board import LAYOUTS, PIECES, TURN_COMBINATIONS, TURNS

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_LAYOUT, _DEAL, _BOT = int(Purpose.LAYOUT), int(Purpose.DEAL), int(Purpose.BOT)
assert LAYOUTS < 2**32  # one draw of 32 bits


@jit
def lay_out(s: State, b: Board, layout: Any) -> None:
    """G6: put the pieces of a layout (by its number) into the city."""
    s.layout = layout
    for vertex in range(b.city_vertices, b.vertices):
        s.lanes[ix(vertex)] = _ZERO
    order, turning = layout // TURN_COMBINATIONS, layout % TURN_COMBINATIONS
    for k in range(PIECES):
        piece, turn = np.int64(b.piece_at[ix(PIECES * order + k)]), np.int64(b.turn_at[ix(PIECES * turning + k)])
        turned = TURNS * piece + turn
        kinds, cells = SECTOR_CELLS * turned, k * b.sector_cells
        for i in range(b.sector_cells):
            s.kind[ix(cells + i)] = b.piece_kinds[ix(kinds + i)]
        lanes, vertices = SECTOR_VERTICES * (TURNED_PIECES * k + turned), SECTOR_VERTICES * k
        new_vertices = np.int64(b.sector_own[ix(k)])
        for i in range(new_vertices):
            s.lanes[ix(b.sector_vertex[ix(vertices + i)])] = b.sector_lanes[ix(lanes + i)]
        for i in range(new_vertices, b.sector_vertices):  # slots of other cells, and counts
            s.lanes[ix(b.sector_vertex[ix(vertices + i)])] += b.sector_lanes[ix(lanes + i)]


@jit
def hand_out(s: State, r: Rules, deals: Any, deal: Any) -> None:
    """S2-S5: deal the hands of one row of a deal table."""
    for marker in range(12):
        s.marker_cell[ix(marker)] = NOWHERE
    replace_hands(s, r, deals, deal)


@jit
def replace_hands(s: State, r: Rules, deals: Any, deal: Any) -> None:
    """Replace the hands by those of a deal; markers that are placed stay where they are."""
    for seat in range(r.companies):
        for word in range(2):
            s.held[ix(2 * seat + word)] = np.uint64(word == 0)  # blank cells
            s.partner_placed[ix(2 * seat + word)] = _ZERO
        for i in range(r.hand_size):
            code = np.int64(deals[(deal * SEATS + seat) * HAND + i])
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
    s.seat = r.companies - 1 if r.first_round == REVERSED else np.int64(0)  # H3
    s.dug = s.has_started = s.markers_laid = s.passes = s.lines_noticed = s.over = 0
    s.bonus_line = s.turns_left = s.end_reason = s.end_seat = -1
    s.supply = r.stations
    s.started = s.ended = s.park_stations = s.lake_stations = _ZERO
    s.plan_length = s.scored = s.passes_made = 0
    s.start_overflows = s.end_overflows = s.short_supply = s.two_reasons = 0
    clear_lead(s)
    for word in range(VERTEX_WORDS):
        s.near_markers[ix(word)] = _ZERO
    for seat in range(SEATS):
        s.turns_taken[ix(seat)] = s.stations_made[ix(seat)] = 0
        s.points[ix(seat)] = s.player_points[ix(seat)] = 0
    for line in range(LINES):
        s.tunnels[ix(line)] = 0
        s.open[ix(line)] = s.stops[ix(line)] = s.exits[ix(line)] = _ZERO
        s.touching[ix(2 * line)] = s.touching[ix(2 * line + 1)] = _ZERO
        s.last_edge[ix(line)] = EDGES
        s.start_side[ix(line)] = s.end_side[ix(line)] = -1
    for vertex in range(b.vertices):  # one loop per dtype, so that each is vectorised
        s.place[ix(vertex)] = _ZERO
    for vertex in range(b.vertices):
        s.lines_at[ix(vertex)] = 0
        s.terminus_at[ix(vertex)] = 0
        s.station[ix(vertex)] = 0
    for vertex in range(b.vertices):
        s.end_free[ix(vertex)] = b.end_slots[ix(vertex)]
    for edge in range(b.edges):
        s.lines_along[ix(edge)] = 0
    for side in range(6):
        s.start_free[ix(side)] = b.starts[ix(side)]
        s.ends_free[ix(side)] = b.ends[ix(side)]
    note_far_ends(s)


@jit
def set_up(
    s: State,
    b: Board,
    r: Rules,
    streams: Streams,
    deals: Any,
    master: Any,
    game: Any,
    games_per_deal: Any,
    layout: Any,
) -> None:
    """Set up a game for its first decision; a layout below zero is drawn.

    `games_per_deal` consecutive games share a layout and a deal. Nine arguments: four records, the deals, a layout,
    and three numbers that seed the streams.
    """
    set_seed(streams, master, game // games_per_deal)
    open_stream(streams, 0, _DEAL)  # first: a row of the long table arrives from memory while the city is laid out
    hand_out(s, r, deals, draw_below(streams, 0, deals.size // (SEATS * HAND)))
    if layout < 0:
        open_stream(streams, 0, _LAYOUT)
        layout = draw_below(streams, 0, LAYOUTS)
    lay_out(s, b, layout)
    clear_table(s, b, r)
    set_seed(streams, master, game)
    for seat in range(r.companies):
        open_stream(streams, 1 + seat, _BOT + seat)
    begin_turn(s, b, r)
