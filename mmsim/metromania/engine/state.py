"""The records of compiled code: BOARD (a board set), RULES (a ruleset), STATE (a position), STREAMS (random draws).

Records have fixed sizes (up to side 12), so one compilation serves every board, ruleset and number of players.
Lines are bits: line `2 * seat + number` is a bit in one byte per vertex and per edge. The ways to dig from a vertex
are slots: twelve bits, `2 * direction + (0 left, 1 right)`, in one 16-bit lane each for free blank, R, C and E cells.

In compiled code a letter means one thing: `s` a position, `v` a position as a player sees it, `p` an imagined one, `b`
the board, `r` the rules, `t` what a bot thinks, `u` and `w` the vertices where a tunnel begins and ends, `d` its
direction.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.decorators import jit
from mmsim.compiled.entry_points import Record, new_record
from mmsim.compiled.intrinsics import copy_bytes
from mmsim.compiled.rng import streams_dtype
from mmsim.metromania.rules.board import LAYOUTS, PIECES, TURN_COMBINATIONS, TURNS
from mmsim.metromania.rules.deal import KINDS, LETTERS, Hands, Marker, deals_of
from mmsim.metromania.rules.lattice import MAX_SIDE
from mmsim.metromania.rules.rulesets import KNOBS, DealMode, Ruleset

# Elements of record arrays; a type checker cannot know their fields.
State: TypeAlias = Any  # of dtype STATE: a position
Board: TypeAlias = Any  # of dtype BOARD: the tables of a board set, only read
Rules: TypeAlias = Any  # of dtype RULES: a ruleset as numbers, only read

VERTEX_ROWS = 2 * MAX_SIDE + 1
VERTEX_WORDS = (VERTEX_ROWS + 1) // 2 + 2  # words with one bit per city vertex, and an empty word on either side
NEAR_WORDS = 3  # for the vertices around a cell: four rows of at most half a word
VERTICES = 3 * MAX_SIDE * (MAX_SIDE + 1) + 1 + 6 * MAX_SIDE
EDGES = 9 * MAX_SIDE**2 + 3 * MAX_SIDE + 12 * MAX_SIDE
CITY_CELLS = 6 * MAX_SIDE**2
FRAME = 6 * MAX_SIDE
CELLS = CITY_CELLS + FRAME
SECTOR_CELLS = MAX_SIDE**2
SECTOR_VERTICES = (MAX_SIDE + 1) * (MAX_SIDE + 2) // 2
TURNED_PIECES = PIECES * TURNS
ORDERS = LAYOUTS // TURN_COMBINATIONS  # of the pieces
SEATS = 4
LINES_PER_COMPANY = 2  # of a company
LINES = LINES_PER_COMPANY * SEATS
HAND = 6
FIRST_MARKERS = 3  # places in a hand for the first marker of each kind; second markers come after them
PATH = 64  # vertices of a line, its portal included
STATIONS = 64
MARKERS = 2 * len(LETTERS)
TRIPS = 7
PLANNED = 3  # tunnels of a turn that a bot plans at once, at most
NOWHERE = 0xFFFF  # in a table of 16-bit numbers: none

BLANK, LAKE, PARK = 0, 4, 5
CELL_CODES = {".": BLANK, "R": 1, "C": 2, "E": 3, "L": LAKE, "P": PARK}  # 1, 2, 3: spots, by their lane
SLOTS = 0xFFF
# Three bits above the twelve slots of the first three lanes count the spots, lakes and parks at a vertex.
SPOTS_AT, LAKES_AT, PARKS_AT = np.uint64(12), np.uint64(28), np.uint64(44)
SPOT_KINDS = 3
EVERY_LANE = np.uint64(0x0001_0001_0001_0001)

END_REASONS = ("both_lines", "stations", "lines", "deadlock")
BOTH_LINES, NO_STATIONS, ENOUGH_LINES, DEADLOCK = range(4)
BLOCK_REASONS = ("no_tunnel", "no_station", "no_marker", "no_cell")  # what a line lacks (P2)
LACKS_TUNNEL, LACKS_STATION, LACKS_MARKER, LACKS_CELL = range(4)
FAULTS = ("not_placed", "no_station", "no_route")  # why a trip is impossible (TT5)
NOT_PLACED, NO_STATION, NO_ROUTE = range(3)

BOARD = np.dtype(
    [
        ("side", np.int64),
        ("vertices", np.int64),
        ("city_vertices", np.int64),
        ("edges", np.int64),
        ("city_cells", np.int64),
        ("diggable", np.int64),  # cells that a tunnel may run in
        ("sector_vertices", np.int64),
        ("sector_cells", np.int64),
        ("neighbour", np.uint16, 6 * VERTICES),  # [vertex, direction]; VERTICES for none
        ("ring", np.uint16, 8 * VERTICES),  # [vertex, direction]: the same, with the first two directions repeated
        ("edge", np.uint16, 6 * VERTICES),  # [vertex, direction]
        ("slot_cell", np.uint16, 12 * VERTICES),  # [vertex, slot]
        ("corner", np.uint16, 3 * CELLS),  # [cell, 0..2]; of a frame cell the third is its portal
        ("corner_slots", np.uint16, 3 * CELLS),  # [cell, 0..2]: the slots at that corner that are in the cell
        # One bit per city vertex: rows of 16 bits (up to side 7) or 32, the lowest unused, four or two rows per word.
        ("row_bits", np.uint64),
        ("words", np.int64),  # how many are used; word 0 is empty
        ("bit", np.uint16, VERTICES),  # [city vertex]: 64 * word + bit
        ("row_bit", np.uint16, VERTEX_ROWS),  # [row]: 64 * word + bit of its first vertex
        ("row_first", np.uint16, VERTEX_ROWS + 1),  # [row]: its first vertex
        ("word_first", np.uint16, VERTEX_WORDS + 1),  # [word]: its first vertex
        ("near_word", np.uint8, CITY_CELLS),  # [city cell]: the first of `NEAR_WORDS` words with the vertices around it
        ("near_bits", np.uint64, NEAR_WORDS * CITY_CELLS),  # [city cell, word]: its corners and their neighbours
        ("end_vertices", np.int64),
        ("end_vertex", np.uint16, 12 * MAX_SIDE),  # the vertices with a slot to a portal of an E cell
        ("piece_at", np.uint8, PIECES * ORDERS),  # [order, sector]: the piece there
        ("turn_at", np.uint8, PIECES * TURN_COMBINATIONS),  # [turning, sector]: how it is turned
        ("sector_vertex", np.uint16, 6 * SECTOR_VERTICES),  # [sector, i]; those in no earlier sector come first
        ("sector_own", np.uint8, 6),  # [sector]: how many are in no earlier sector
        ("sector_lanes", np.uint64, 6 * TURNED_PIECES * SECTOR_VERTICES),  # [sector, piece, turn, i]
        ("piece_kinds", np.uint8, TURNED_PIECES * SECTOR_CELLS),  # [piece, turn, place]
        ("frame_side", np.uint8, FRAME),  # [frame cell]: its side
        ("starts", np.uint64, 6),  # [side]: bits of its S cells
        ("ends", np.int64, 6),  # [side]: how many E cells
        ("end_slots", np.uint16, VERTICES),  # [vertex]: slots that lead to the portal of an E cell
        ("far_end_slots", np.uint16, 6 * VERTICES),  # [vertex, side]: those of them far from a side (D4)
        ("turned_vertex", np.uint16, 6 * VERTICES),  # [turn, vertex]: where it comes to lie if the city is turned
        ("turned_edge", np.uint16, 6 * EDGES),  # [turn, edge]
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("companies", np.int64),
        ("players", np.int64),
        ("seat_player", np.int64, SEATS),
        ("hand_size", np.int64),
        *((name, np.int64) for name in KNOBS if name not in ("marker_set", "seat_points")),  # one is for deals only
        ("seat_points", np.int64, SEATS),
    ]
)


def _value(knob: str, choice: str) -> int:
    """A choice of a knob as a number: its index in the knob's choices."""
    return KNOBS[knob].choices.index(choice)


OPEN = _value("hands", "open")
FLAT = _value("station_points", "flat")
CEIL = _value("half_kept", "ceil")
MOST = _value("dig_duty", "most")
WHOLE = _value("start_turn", "whole")
STOP = _value("trigger_turn", "stop")
OTHERS, ROUND = _value("last_round", "others"), _value("last_round", "round")
PLAYERS = _value("last_turns", "players")
SHARED_NONE, SHARED_ALL = _value("shared_trip", "none"), _value("shared_trip", "all")
FAULT_NONE = _value("shared_fault", "none")
REVERSED = _value("first_round", "reversed")

STATE = np.dtype(
    [
        ("turn", np.int64),
        ("seat", np.int64),
        ("dug", np.int64),
        ("markers_laid", np.int64),
        ("has_started", np.int64),  # whether this turn has started a line (B1)
        ("bonus_line", np.int64),
        ("passes", np.int64),
        ("turns_left", np.int64),  # in the last round; -1: it has not begun
        ("lines_noticed", np.int64),  # whether the third trigger held before the bonus station that is due (P3)
        ("over", np.int64),
        ("end_reason", np.int64),
        ("end_seat", np.int64),  # the seat whose turn triggered the end; -1: none
        ("supply", np.int64),
        ("layout", np.int64),
        ("started", np.uint64),  # bits of lines
        ("ended", np.uint64),  # bits of lines
        ("turns_taken", np.int64, SEATS),
        ("points", np.int64, SEATS),
        ("stations_made", np.int64, SEATS),
        ("hand_marker", np.int64, SEATS * HAND),  # [seat, i]: 2 * letter + (0 the kind named first, 1 the other)
        ("hand_kind", np.int64, SEATS * HAND),  # [seat, i]: the lane of the marker's kind
        ("marker_cell", np.int64, 2 * len(LETTERS)),  # where it is placed, NOWHERE while held
        ("marker_holder", np.int64, 2 * len(LETTERS)),
        ("marker_kind", np.int64, 2 * len(LETTERS)),  # its lane
        ("held", np.uint64, 2 * SEATS),  # [seat, word]: lowest bit of the lane of every marker held; word 0: and blank
        ("partner_placed", np.uint64, 2 * SEATS),  # [seat, word]: those of them whose partner is placed (M2)
        # lines
        ("tunnels", np.int64, LINES),
        ("terminus", np.int64, LINES),
        ("direction", np.int64, LINES),
        ("last_edge", np.int64, LINES),  # along which it came to its terminus
        ("start_side", np.int64, LINES),
        ("end_side", np.int64, LINES),
        ("open", np.uint64, LINES),  # slots at the terminus open by angle and own path (D1-D3); 0: cannot be dug on
        ("stops", np.uint64, LINES),  # bits of the places on the path that have a station
        ("exits", np.uint64, LINES),  # slots at the terminus that end the line (D4)
        ("touching", np.uint64, 2 * LINES),  # [line, word]: ways at the terminus that lay a marker by its partner (M2)
        ("far_ends", np.uint64),  # bits of the sides with a free end far from them (D4)
        ("near_markers", np.uint64, VERTEX_WORDS),  # bits of the vertices around cells with a marker (M2), as `bit`
        ("path", np.uint16, LINES * PATH),
        # city
        ("start_free", np.uint64, 6),
        ("ends_free", np.int64, 6),
        ("station_at", np.uint16, STATIONS),
        ("park_stations", np.uint64),  # bits of stations
        ("lake_stations", np.uint64),
        # the next decision
        ("choices", np.int64),
        ("ways", np.uint64, 4),  # [line, word]: lanes blank or end, then first (word 1: second) marker of R, C, E
        ("start_sides", np.uint64),  # bits of the sides on which a line may start
        ("start_choices", np.int64),
        ("starts_listed", np.int64),  # whether `starts` lists them; else every free start on `start_sides` is allowed
        ("starts", np.uint64, 6),  # [side]: bits of 2 * place on the side + base vertex
        ("places", np.uint64, 2),  # [line]: bits of places for a station
        # the turn planned by the bot to move, if `plan_length` is above 0
        ("plan_turn", np.int64),
        ("plan_dug", np.int64),
        ("plan_length", np.int64),
        ("plan", np.int64, PLANNED),
        # the trips
        ("minutes", np.int64, TRIPS),  # -1: impossible
        ("trip_scores", np.int64, TRIPS * SEATS),
        ("involved", np.uint64, TRIPS),  # bits of seats
        ("fault", np.int64, TRIPS),  # -1: none
        ("changes", np.int64, TRIPS),
        ("sections", np.int64, TRIPS),
        ("kept", np.int64, SEATS),
        ("scores", np.int64, SEATS),
        ("standings", np.int64, SEATS),  # [player]: what decides who wins (W1)
        ("winners", np.uint64),  # bits of players
        # the lead on the score track, turn by turn
        ("player_points", np.int64, SEATS),
        ("scored", np.int64),  # whether this turn has scored points
        ("leader", np.int64),
        ("leader_since", np.int64),
        ("lead_changes", np.int64),
        # situations the rule books leave open
        ("passes_made", np.int64),
        ("start_overflows", np.int64),  # lines started elsewhere because the sides allowed were full (B2)
        ("end_overflows", np.int64),  # lines ended elsewhere because the sides allowed were full (D4)
        ("short_supply", np.int64),  # decisions with a tunnel that needs two stations, and one left (D5)
        ("two_reasons", np.int64),  # whether the building phase ended for two reasons at once (P3)
        # the city: only as much as the board has is copied, see `copy_position`
        ("place", np.uint64, VERTICES),  # [vertex]: one byte per line, its place on the path; 0: not there
        ("lanes", np.uint64, VERTICES),  # free slots by kind of cell, with counts above them: see SPOTS_AT
        ("end_free", np.uint16, VERTICES),  # slots to free E cells
        ("lines_at", np.uint8, VERTICES + 1),  # the last is for neighbours that do not exist: always 0
        ("terminus_at", np.uint8, VERTICES),
        ("lines_along", np.uint8, EDGES + 1),  # the last is for edges that do not exist
        ("station", np.uint8, VERTICES + 1),  # number of the station + 1
        ("kind", np.uint8, CITY_CELLS),
    ]
)

STREAMS = streams_dtype(SEATS)

_PLACE, _LANES, _END_FREE, _LINES_AT, _TERMINUS_AT, _LINES_ALONG, _STATION, _KIND = (
    dict(STATE.fields or {})[name][1]
    for name in ("place", "lanes", "end_free", "lines_at", "terminus_at", "lines_along", "station", "kind")
)


@jit
def copy_position(to: State, s: State, b: Board) -> None:
    """Make `to` the same position as `s`, on the same board; what the board does not have is left out."""
    copy_bytes(to, s, np.int64(0), np.int64(_PLACE))
    copy_bytes(to, s, np.int64(_PLACE), 8 * b.vertices)
    copy_bytes(to, s, np.int64(_LANES), 8 * b.vertices)
    copy_bytes(to, s, np.int64(_END_FREE), 2 * b.vertices)
    copy_bytes(to, s, np.int64(_LINES_AT), b.vertices)
    copy_bytes(to, s, np.int64(_TERMINUS_AT), b.vertices)
    copy_bytes(to, s, np.int64(_LINES_ALONG), b.edges)
    copy_bytes(to, s, np.int64(_STATION), b.vertices)
    copy_bytes(to, s, np.int64(_KIND), b.city_cells)


def rules_record(rules: Ruleset) -> Record:
    """A ruleset as numbers: a choice is its index in the knob's choices."""
    record = new_record(RULES)
    r = record[0]
    r.companies, r.players = rules.companies, rules.players
    r.seat_player[: rules.companies] = rules.seat_player
    r.hand_size = 2 * len(LETTERS) // rules.companies
    r.seat_points[: rules.companies] = rules.points_by_seat
    for name, value in rules.knobs().items():
        if name in (RULES.names or ()) and not KNOBS[name].examples:
            choices = KNOBS[name].choices
            setattr(r, name, choices.index(str(value)) if choices else int(value))
    return record


def deal_table(rules: Ruleset) -> NDArray[np.uint8]:
    """[deal, seat, place in the hand] -> the marker's code, flat, for all deals; built once and never changed."""
    return _deal_table(rules.deal, rules.seat_player, rules.marker_set)


@cache
def _deal_table(deal: DealMode, seat_player: tuple[int, ...], marker_set: str) -> NDArray[np.uint8]:
    return _encode_deals(deals_of(deal, seat_player, marker_set))


def hands_row(hands: Hands) -> NDArray[np.uint8]:
    """One deal as a row of `deal_table`."""
    return _encode_deals([hands])


def _encode_deals(deals: Sequence[Hands]) -> NDArray[np.uint8]:
    codes = _marker_codes(deals[0])  # every deal hands out the same markers
    hands = [hand for deal in deals for hand in deal]
    encoded = {hand: bytes(codes[marker] for marker in hand).ljust(HAND, b"\0") for hand in {*hands}}
    shape = len(deals), len(deals[0]), HAND
    table = np.zeros((len(deals), SEATS, HAND), np.uint8)
    table[:, : len(deals[0])] = np.frombuffer(b"".join(encoded[hand] for hand in hands), np.uint8).reshape(shape)
    return table.ravel()


def _marker_codes(hands: Hands) -> dict[Marker, int]:
    """The code of every marker in a deal: 8 * letter + 4 * (0, 1: which of the letter's two) + lane."""
    markers = sorted((marker for hand in hands for marker in hand), key=lambda marker: KINDS.index(marker.kind))
    codes, seen = {}, set()
    for marker in markers:
        codes[marker] = 8 * LETTERS.index(marker.letter) + 4 * (marker.letter in seen) + KINDS.index(marker.kind) + 1
        seen.add(marker.letter)
    return codes
