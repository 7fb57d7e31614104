"""The records of thinking: a variant as compiled code reads it, the seating, and the working memory of a decision.

A letter means the same thing in all compiled code of a game: `s` the position of the game, `v` a player's view of it,
`p` an imagined position, `b` the board, `r` the rules, `t` the thoughts, `m` the memory. A tunnel leads from vertex
`u` to vertex `w`.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mmsim.compiled.entry_points import Record, array_of, group, new_record
from mmsim.core.neural_net import MOST_ACCUMULATORS, UNITS
from mmsim.metromania.bots.thinking.input_layout import MOST_CANDIDATES, VALUE_INPUTS, VALUE_ROW
from mmsim.metromania.bots.turn_weights import FEATURE_COUNT, WEIGHT_NAMES
from mmsim.metromania.engine import state
from mmsim.metromania.engine.entry_points import DEALS
from mmsim.metromania.engine.state import BOARD, MARKERS, RULES, SEATS, SPOT_KINDS, STATE, STREAMS, VERTICES
from mmsim.metromania.engine.trips import NETWORK

Bots: TypeAlias = Any  # an element of an array of dtype BOTS
Thoughts: TypeAlias = Any  # an element of an array of dtype THOUGHTS


class Setting(NamedTuple):
    """A variant as compiled code reads it."""

    board: Record
    rules: Record
    deals: Record
    bots: Record  # `SEATING_ROWS` rows for every order of the bots
    nets: Record  # the numbers of their nets, one net after another


class Memory(NamedTuple):
    """What compiled code works in: the game being played, its random streams, and the thoughts of its bots."""

    positions: Record  # the game, then the places numbered below
    streams: Record  # random streams, in the same places: of the game, a view, a playout and its root
    network: Record  # the subway network, for the trips
    thoughts: Record


# Places in `Memory.positions`: what the company in turn sees, that after a turn is tried out, a playout, and the view
# that all playouts of a decision begin from.
VIEW, TRIAL, PLAYOUT, ROOT = 1, 2, 3, 4
POSITIONS = ROOT + 1

WEIGHTS = len(WEIGHT_NAMES)
DISTANCES, SLACKS = 32, 16  # the chance to end a line is a table of tunnels to go and tunnels to spare
CHANCES = DISTANCES * SLACKS
NEAR = 8  # tunnels: a spot further away does not count
NEARNESS = 16  # places for tunnels to a spot; all those beyond NEAR mean none
PLAYOUT_BOTS = "planner:noise=1", "networker", "expert:candidates=4"  # those that play in playouts
PLAYOUT_ODDS = 0, 0, 0, 1, 1, 2  # places among them, equally likely
JUDGED_ODDS = 0, 1, 2, 2, 2, 2  # the same for playouts that the value net judges: they are short, and good play pays

# For every order of the bots one row that says who sits where, then one per bot of `PLAYOUT_BOTS` with it in all seats.
SEATING_ROWS = 1 + len(PLAYOUT_BOTS)
BOTS = np.dtype(
    [
        ("kind", np.int64, SEATS),
        ("weights", np.float64, SEATS * WEIGHTS),  # [seat, weight]: features, then parameters
        ("chance", np.float64, SEATS * CHANCES),  # [seat, tunnels to go, tunnels to spare]
        # [seat, tunnels left up to NEAR, tunnels to a spot]: how near it is, 0 if out of reach
        ("nearness", np.float64, SEATS * (NEAR + 1) * NEARNESS),
        ("net_at", np.int64, SEATS),  # [seat]: where its net begins in `Setting.nets`
        ("value_net_at", np.int64, SEATS),  # [seat]: where its value net begins
    ]
)

# Bits of what may be unserved by stations: the markers, then park and lake.
ALL_MARKERS = (1 << MARKERS) - 1
PARK, LAKE = MARKERS, MARKERS + 1

END_VALUES = DISTANCES + 1  # the last: too far away to have a chance
WORDS = state.VERTEX_WORDS
LEAST_POINTS = -1000.0  # fewer than anybody can have
FAR_AWAY = 24  # tunnels: what a line without any way to an end counts as
FAR = 255  # tunnels: no way at all, or more than can matter
PLANES = 5  # bits of a distance
DEPTH = state.PLANNED
FIRST_MOVES = 512
MOST_DEALS = 1 << 12
MOST_FEATURES = 320  # of a position that the value net judges; a game of four companies has up to about 250
TRIPS_CACHED = 32  # networks whose trips are cached
TRIP_KEY = 1 + 2 * state.TRIPS + state.STATIONS  # words: the rules, the ends of the trips, the places of the stations
PLANS = 2 * (DEPTH + 1)  # [tunnels, whether a marker is laid]
_NEEDED = state.LINES * 12  # cells needed next: the slots at the terminus of every line
_WAITING = 12 * DEPTH

# What a bot thinks while it chooses a turn. Only the cached trips are kept for the next decision.
THOUGHTS = np.dtype(
    [
        # free ways as bits of vertices: [own or others, direction 0 to 2, word]
        ("free", np.uint64, 2 * 3 * WORDS),
        ("spots", np.uint64, SPOT_KINDS * WORDS),  # [kind, word]: vertices at which a spot is free
        ("wave", np.uint64, WORDS),
        ("target", np.uint64, WORDS),  # vertices that a wave should reach
        ("unreached", np.uint64, WORDS),
        ("plane", np.uint64, PLANES * WORDS),
        ("end_bits", np.uint64, 6 * WORDS),  # [side, word]: vertices from which a line that started there may end
        ("ends_found", np.uint64),  # bits of the sides for which those are known
        ("far", np.uint8, SPOT_KINDS * VERTICES + 8),  # [kind, vertex] -> tunnels to a spot
        ("spots_ahead", np.uint32, VERTICES + 8),  # [vertex]: bytes of tunnels to spots R, C, E above an empty one
        ("ahead", np.uint32, 6 * (VERTICES + 1)),  # [side, vertex]: the same with tunnels to an end
        ("maps_made", np.uint64),  # bits of the sides for which it is up to date
        ("need", np.float64, state.CELLS),  # [cell]: how much other companies need it next
        ("need_leader", np.float64, state.CELLS),
        ("needed", np.uint16, _NEEDED),  # the cells for which it is not 0
        ("needed_count", np.int64),
        ("unserved", np.uint64),  # bits of the markers placed, of park and lake without a station
        ("marker_at", np.int64, MARKERS),  # [marker]: its cell, where it is placed or laid by the plan being tried
        ("held_kinds", np.uint64),  # lowest bit of the lane of every kind the company holds, and of blank cells
        ("connected", np.uint64, state.LINES),  # [line]: bits of the lines it is connected with
        ("own_connected", np.uint64),  # bits of the lines that the company's are connected with
        ("standing", np.float64, SEATS),  # points if the game were over, without what only the company itself knows
        ("trip_points", np.float64, SEATS),
        # the keys of the networks whose trips are cached, then of the network looked up
        ("trip_key", np.uint64, (TRIPS_CACHED + 1) * TRIP_KEY),
        ("cached_trips", np.uint64, TRIPS_CACHED),  # one byte per trip: bits of the companies that score, and POSSIBLE
        ("trips_before", np.float64, SEATS),
        ("rival", np.int64),  # the company in front of the others
        ("holder", np.float64, MARKERS * SEATS),  # [marker, seat]: the chance that it holds it
        ("kept_share", np.float64),
        ("rival_turns", np.float64),
        ("race", np.float64, DISTANCES),  # [tunnels to go]: how far behind in the race to the ends
        ("before", np.float64, 2),  # [line]: value of its end as it is
        ("chance", np.float64, 2),  # [line]: the chance to end it from where it is
        # [line, tunnels planned, tunnels to go, up to DISTANCES]: value of the end of a line by its chance to end
        ("end_value", np.float64, 2 * (DEPTH + 1) * END_VALUES),
        ("end_values_known", np.uint64, 2 * (DEPTH + 1)),  # [line, tunnels planned]: bits of those worked out
        ("explaining", np.int64),  # whether amounts are written down, and which
        ("amount", np.float64, FEATURE_COUNT),
        # the plan being tried, [tunnel]
        ("planned", np.int64),  # how many tunnels are planned
        ("first", np.int64),  # place of its first move
        ("vertex", np.int64, DEPTH),
        ("cell", np.int64, DEPTH),
        # the stack of plans to be continued
        ("waiting", np.int64),
        ("wait_depth", np.int64, _WAITING),
        ("wait_at", np.int64, _WAITING),
        ("wait_direction", np.int64, _WAITING),
        ("wait_edge", np.int64, _WAITING),
        ("wait_station", np.int64, _WAITING),
        ("wait_value", np.float64, _WAITING),
        ("wait_kinds", np.uint64, _WAITING),
        ("wait_stations", np.int64, _WAITING),
        ("wait_unserved", np.uint64, _WAITING),
        ("wait_connected", np.uint64, _WAITING),
        ("wait_codes", np.int64, _WAITING),
        ("wait_cell", np.int64, _WAITING),
        # the best plans for one line that begin with a first move
        ("firsts", np.int64),
        ("first_line", np.int64, FIRST_MOVES),
        ("best", np.float64, FIRST_MOVES * PLANS),
        ("best_codes", np.int64, FIRST_MOVES * PLANS),  # its moves, and in the bits above how many stations it makes
        ("line_best", np.int64, 2 * PLANS),  # [line, plan]: place of the best of them, -1 for none
        ("line_value", np.float64, 2 * PLANS),  # and its value
        # [line, may lay a marker, tunnels left]: place of the best plan for the tunnels left by the other line
        ("rest_plan", np.int64, 4 * (DEPTH + 1)),
        ("rest_length", np.int64, 4 * (DEPTH + 1)),  # how many of the tunnels it has
        ("rest_value", np.float64, 4 * (DEPTH + 1)),  # and its value, 0 for none
        # whole turns: the best one for every first move
        ("value", np.float64, FIRST_MOVES),
        ("turn_code", np.int64, FIRST_MOVES * DEPTH),
        ("turn_length", np.int64, FIRST_MOVES),
        ("turn_stations", np.int64, FIRST_MOVES),  # how many it makes
        ("turn_own", np.float64, FIRST_MOVES),  # points that it gains by the trips, and the company in front
        ("turn_rival", np.float64, FIRST_MOVES),
        ("turn_cell", np.int64, FIRST_MOVES * DEPTH),  # where its tunnels lie, once it has been tried out
        ("tried", np.uint8, FIRST_MOVES),
        ("played", np.uint8, FIRST_MOVES),  # whether all of it could be played then
        ("twin", np.int64, FIRST_MOVES),  # the first move along the same edge whose turn is worth the same; -1: none
        ("first_at_station", np.uint8, FIRST_MOVES),  # whether there is a station where a first tunnel ends
        # turns for the net to compare, its inputs and values; then what the inputs are computed from
        ("candidates", np.int64),
        ("candidate", np.int64, MOST_CANDIDATES),  # its first move
        ("candidate_value", np.float64, MOST_CANDIDATES),
        ("inputs", np.float32, VALUE_ROW + VALUE_INPUTS + MOST_ACCUMULATORS),  # the last are those of the value net
        ("unit", np.float32, UNITS),
        ("own_room", np.float64, 2),  # [line]: directions open at its terminus; -1: it does not go on
        ("own_ways", np.float64, 2),  # [line]: those of them on a shortest way to an end
        ("own_points", np.float64),  # station points within two tunnels
        ("own_reserve", np.float64),  # tunnels left
        ("spot_near", np.int64, SPOT_KINDS),  # [kind]: tunnels from an own line to a free one
        ("player_stands", np.float64, SEATS),
        # the board as features of the value net
        ("features", np.int64),
        ("feature", np.uint16, MOST_FEATURES),
        ("in_order", np.int64, SEATS),  # the companies in playing order from the one that looks
        ("place_of", np.int64, SEATS),  # [company]: its place in playing order; 0 for all companies of the player
        # search: the turns compared, the results of their playouts and the net, the deals that are possible
        ("compared", np.int64),
        ("search_code", np.int64, MOST_CANDIDATES * DEPTH),
        ("search_length", np.int64, MOST_CANDIDATES),
        ("search_sum", np.float64, MOST_CANDIDATES),
        ("search_count", np.int64, MOST_CANDIDATES),
        ("search_mean", np.float64, MOST_CANDIDATES),  # of the playouts and the net's value
        ("search_net", np.float64, MOST_CANDIDATES),  # value by the net
        ("search_out", np.uint8, MOST_CANDIDATES),  # whether it has been dropped
        ("playout_deal", np.int64),  # the hands guessed for the next playouts; -1: no hand is hidden
        ("playout_chance", np.uint64),  # their seed
        ("playout_bot", np.int64, SEATS),  # [seat]: the row of `BOTS` of the bot that plays it in a playout
        ("deals", np.int64),
        ("deal", np.uint16, MOST_DEALS),
    ],
    align=True,
)

SETTING = group(Setting, board=BOARD, rules=RULES, deals=DEALS, bots=BOTS, nets=array_of(np.float32))
MEMORY = group(Memory, positions=STATE, streams=STREAMS, network=NETWORK, thoughts=THOUGHTS)


def new_memory() -> Memory:
    """Memory for one game after another."""
    positions, streams = new_record(STATE, POSITIONS), new_record(STREAMS, POSITIONS)
    return Memory(positions, streams, new_record(NETWORK), new_record(THOUGHTS))
