"""The records of thinking: who sits where with which weights, and the working memory of one decision."""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled import neural_net
from mmsim.core.neural_net import UNITS, Net
from mmsim.metromania.bots.thinking.inputs import POSITION_NAMES
from mmsim.metromania.engine.state import CELLS, LINES, MARKERS, PLANNED, SEATS, STATIONS, TRIPS, VERTEX_WORDS, VERTICES

Bots: TypeAlias = Any  # an element of an array of dtype BOTS
Thoughts: TypeAlias = Any  # an element of an array of dtype THOUGHTS: what a bot has in mind
Views: TypeAlias = Any  # an array of VIEWS elements of dtype STATE

UNIFORM, WEIGHING, SEARCH, EXPERT = range(4)  # kinds of bots

# What a whole turn is weighed by. The amounts are in points, tunnels or plain counts, as the words say.
FEATURES = {
    "points": "station points scored this turn",
    "kept": "station points scored this turn, as far as the lines are likely to end",
    "finish": "points made earlier that the turn makes likelier to be kept",
    "ends": "gain in the chance to end the company's lines",
    "shorter": "tunnels by which the shortest free ways to an end have become shorter",
    "race": "the same, counted more the closer another company is to ending both its lines",
    "marker": "markers laid",
    "near_spot": "how much nearer the lines are to free spots for markers still held",
    "served": "own markers that get their first station",
    "served_partner": "markers of others, of a letter the company has too, that get their first station",
    "served_other": "all other markers that get their first station",
    "stations": "stations made",
    "meets": "lines met at new stations",
    "joins": "lines joined to the company's network",
    "allies": "markers with the letters of its own, laid or likely held by companies newly joined to its network",
    "partner": "markers laid whose partner is, or is likely to be, on a line of the company's network",
    "park_lake": "first stations at the park or at the lake",
    "block": "cells taken that other companies need next, counted by how close they are to an end",
    "leader": "the same, counted for the company in front only",
    "room": "ways left open at the ends of the lines, on the board as it is before the turn",
    "trips": "points and penalties of the trips as they stand, for the company",
    "rivals": "points and penalties of the trips as they stand, for the company in front of the others",
    "close": "points ahead of the best other company, before the turn, when it ends the second line",
    "tunnels": "tunnels dug",
}
(
    POINTS,
    KEPT,
    FINISH,
    ENDS,
    SHORTER,
    RACE,
    MARKER,
    NEAR_SPOT,
    SERVED,
    SERVED_PARTNER,
    SERVED_OTHER,
    NEW_STATIONS,
    MEETS,
    JOINS,
    ALLIES,
    PARTNER,
    PARK_LAKE_STATION,
    BLOCK,
    LEADER,
    ROOM,
    TRIP_POINTS,
    RIVALS,
    CLOSE,
    DUG,
) = range(len(FEATURES))
WIDTH = len(FEATURES)

# What the weights stand beside: how the features themselves are reckoned.
PARAMETERS = {
    "ahead": "tunnels of a turn it plans at once",
    "trials": "turns of which it works out the trips to the end before it chooses",
    "reach_slack": "how much a spare tunnel adds to the chance to end a line (log-odds)",
    "reach_far": "how much a tunnel still to dig takes from the chance to end a line (log-odds)",
    "reach_base": "the chance to end a line with no spare tunnel, next to an end (log-odds)",
    "unstarted": "the chance to end a line not yet started",
    "fade": "how fast the worth of a spot fades with every tunnel between",
    "noise": "how much chance is mixed into its values",
    "margin": "how much the margin in points counts beside the win, in playouts",
    "playouts": "games played out to the end to choose a turn",
    "turns": "turns that the playouts compare",
    "candidates": "turns that its net compares",
    "prior": "playouts that its net's opinion of a turn counts for",
}
(
    AHEAD,
    TRIALS,
    REACH_SLACK,
    REACH_FAR,
    REACH_BASE,
    UNSTARTED,
    FADE,
    NOISE,
    MARGIN,
    PLAYOUTS,
    TURNS_COMPARED,
    CANDIDATES,
    PRIOR,
) = range(len(PARAMETERS))
WEIGHTS = WIDTH + len(PARAMETERS)
DISTANCES, SLACKS = 32, 16  # the chance to end a line is a table of tunnels to go and tunnels to spare
CHANCES = DISTANCES * SLACKS
_SPARE = 8  # tunnels to spare: more do not count
END_VALUES = DISTANCES + 1  # the last: too far away to have a chance
NEAR = 8  # tunnels: a spot further away does not count
NEARNESS = 16  # places for tunnels to a spot; all those beyond NEAR mean none

# Elements of the game that a bot can be told to do without; one that knows no other move may use them all the same.
ELEMENTS = {
    "bonus": "bonus stations",
    "intermediate": "intermediate stations",
    "others_lines": "markers laid beside lines of other companies",
    "blocking": "tunnels in cells that other companies need next",
    "second_line": "the second line",
    "open_hands": "open hands of other players",
}
BONUS_STATIONS, INTERMEDIATE, OTHERS_LINES, BLOCKING, SECOND_LINE, OPEN_HANDS = (
    1 << bit for bit in range(len(ELEMENTS))
)
_SHUNNED = -1000.0  # the weight of what a bot does without

# The inputs of a net for a turn: its features, its value as the bot weighs it, and the position after it.
INPUT_NAMES = (*FEATURES, "value", *POSITION_NAMES)
INPUTS = len(INPUT_NAMES)
VALUE_AT, POSITION_AT = WIDTH, WIDTH + 1
NET = neural_net.numbers(INPUTS)

BOTS = np.dtype(
    [
        ("kind", np.int64, SEATS),
        ("without", np.int64, SEATS),  # bits of elements
        ("weight", np.float64, SEATS * WEIGHTS),  # [seat, feature], then [seat, parameter]
        ("chance", np.float64, SEATS * CHANCES),  # [seat, tunnels to go, tunnels to spare]
        # [seat, tunnels left up to NEAR, tunnels to a spot]: how near it is, 0 if out of reach
        ("nearness", np.float64, SEATS * (NEAR + 1) * NEARNESS),
        ("net_at", np.int64, SEATS),  # [seat]: where its net begins; bots with the same net share it
        ("net", np.float32, SEATS * NET),  # as `mmsim.compiled.neural_net` reads it
    ]
)

# Bits of what may be unserved by stations: the markers, then park and lake.
ALL_MARKERS = (1 << MARKERS) - 1
PARK, LAKE = MARKERS, MARKERS + 1

VIEWS = 4  # copies of a position: what is seen, a turn tried out, a world sampled, a playout
POOL = "planner:noise=1", "networker", "expert:candidates=4"  # of which the opponents in playouts are drawn
POOL_PLACES = 0, 0, 0, 1, 1, 2  # in it, each as likely as the others
# Rows of `BOTS` for an order of the bots: who sits where, then for each bot of the pool one with it in every seat.
SEATING_ROWS = 1 + len(POOL)
WORDS = VERTEX_WORDS
LEAST_POINTS = -1000.0  # fewer than anybody can have
FAR_AWAY = 24  # tunnels: what a line without any way to an end counts as
FAR = 255  # tunnels: no way at all, or more than can matter
PLANES = 5  # bits of a distance
DEPTH = PLANNED
FIRST_MOVES = 512
KINDS_OF_SPOTS = 3
_NEEDED = LINES * 12  # cells that are needed next: at the end of every line the slots of its terminus
MOST_CANDIDATES = 16
MOST_DEALS = 1 << 12
_WAITING = 12 * DEPTH
TRIPS_KEPT = 32  # networks whose trips are kept
TRIP_KEY = 1 + 2 * TRIPS + STATIONS  # words: the rules, the ends of the trips, the places of the stations
PLANS = 2 * (DEPTH + 1)  # [tunnels, whether a marker is laid]

THOUGHTS = np.dtype(
    [
        # free ways as bits of vertices: [passable to whom, direction 0 to 2, word]
        ("free", np.uint64, 2 * 3 * WORDS),
        ("spots", np.uint64, 3 * WORDS),  # [kind, word]: vertices at which a spot is free
        ("wave", np.uint64, WORDS),
        ("target", np.uint64, WORDS),  # vertices that a wave is to reach
        ("unreached", np.uint64, WORDS),
        ("plane", np.uint64, PLANES * WORDS),
        ("end_bits", np.uint64, 6 * WORDS),  # [side, word]: vertices from which a line that started there may end
        ("ends_found", np.uint64),  # bits of the sides for which those are known
        ("far", np.uint8, KINDS_OF_SPOTS * VERTICES + 8),  # [kind, vertex] -> tunnels to a spot
        ("spots_ahead", np.uint32, VERTICES + 8),  # [vertex]: bytes of tunnels to spots R, C, E above an empty one
        ("ahead", np.uint32, 6 * (VERTICES + 1)),  # [side, vertex]: the same with tunnels to an end
        ("maps_made", np.uint64),  # bits of the sides for which it is made
        ("need", np.float64, CELLS),  # [cell]: how much other companies need it next
        ("need_leader", np.float64, CELLS),
        ("needed", np.uint16, _NEEDED),  # the cells with an entry there
        ("needs", np.int64),
        ("unserved", np.uint64),  # bits of the markers placed, of park and lake without a station
        ("marker_at", np.int64, MARKERS),  # its cell, where it is placed or laid by the plan being tried
        ("held_kinds", np.uint64),  # lowest bit of the lane of every kind the company holds, blank cells too
        ("network", np.uint64, LINES),  # [line]: bits of the lines it is connected with
        ("own_network", np.uint64),
        ("standing", np.float64, SEATS),  # points as the game stands, without what nobody but its company knows
        ("trip_points", np.float64, SEATS),
        # networks whose trips are known, then the one that is asked about: what sets it apart, see `reckon_trips`
        ("trip_key", np.uint64, (TRIPS_KEPT + 1) * TRIP_KEY),
        ("trips_known", np.uint64, TRIPS_KEPT),  # a byte a trip: bits of the companies that score, and POSSIBLE
        ("trips_before", np.float64, SEATS),
        ("rival", np.int64),  # the other company in front
        ("holder", np.float64, MARKERS * SEATS),  # [marker, seat]: the chance that it holds it
        ("kept_share", np.float64),
        ("rival_turns", np.float64),
        ("race", np.float64, DISTANCES),  # [tunnels to go]: how far behind in the race to the ends
        ("before", np.float64, 2),  # [line]: what the ends of the lines are worth as they are
        ("chance", np.float64, 2),  # [line]: to end it, as it is
        # [line, tunnels planned, tunnels to go, up to DISTANCES]: what the end of a line is worth by its chance to end
        ("end_value", np.float64, 2 * (DEPTH + 1) * END_VALUES),
        ("end_values_known", np.uint64, 2 * (DEPTH + 1)),  # [line, tunnels planned]: bits of those worked out
        ("explaining", np.int64),  # whether amounts are written down
        ("amount", np.float64, WIDTH),
        # the plan being tried, [tunnel]
        ("planned", np.int64),  # how many tunnels are planned
        ("first", np.int64),  # its first move
        ("vertex", np.int64, DEPTH),
        ("cell", np.int64, DEPTH),
        # plans that wait to be gone on with
        ("waiting", np.int64),
        ("wait_depth", np.int64, _WAITING),
        ("wait_at", np.int64, _WAITING),
        ("wait_direction", np.int64, _WAITING),
        ("wait_edge", np.int64, _WAITING),
        ("wait_station", np.int64, _WAITING),
        ("wait_value", np.float64, _WAITING),
        ("wait_kinds", np.uint64, _WAITING),
        ("wait_made", np.int64, _WAITING),
        ("wait_unserved", np.uint64, _WAITING),
        ("wait_network", np.uint64, _WAITING),
        ("wait_codes", np.int64, _WAITING),
        ("wait_cell", np.int64, _WAITING),
        # the best plans for one line that begin with a first move
        ("firsts", np.int64),
        ("first_line", np.int64, FIRST_MOVES),
        ("best", np.float64, FIRST_MOVES * PLANS),
        ("best_codes", np.int64, FIRST_MOVES * PLANS),  # its moves, and above them how many stations it makes
        ("line_best", np.int64, 2 * PLANS),  # [line, plan]: place of the best of them, -1 for none
        ("line_value", np.float64, 2 * PLANS),  # and its value
        (
            "rest_plan",
            np.int64,
            4 * (DEPTH + 1),
        ),  # [line, may lay a marker, tunnels left]: place of the best
        ("rest_length", np.int64, 4 * (DEPTH + 1)),  # and how many of the tunnels it has
        ("rest_value", np.float64, 4 * (DEPTH + 1)),  # and its value, 0 for none
        # whole turns: the best one for every first move
        ("value", np.float64, FIRST_MOVES),
        ("turn_code", np.int64, FIRST_MOVES * DEPTH),
        ("turn_length", np.int64, FIRST_MOVES),
        ("turn_made", np.int64, FIRST_MOVES),
        ("turn_own", np.float64, FIRST_MOVES),  # points of the trips it gains, and the best rival
        ("turn_rival", np.float64, FIRST_MOVES),
        ("turn_cell", np.int64, FIRST_MOVES * DEPTH),  # where its tunnels lie, once it is tried out
        ("tried", np.uint8, FIRST_MOVES),
        ("played", np.uint8, FIRST_MOVES),  # whether all of it could be played when it was tried out
        ("twin", np.int64, FIRST_MOVES),  # the first move along the same edge whose turn is worth the same; -1: none
        ("first_there", np.uint8, FIRST_MOVES),  # whether there is a station where a first tunnel ends
        # turns for a net to compare, its inputs and what it says; then what that is reckoned from
        ("candidates", np.int64),
        ("candidate", np.int64, MOST_CANDIDATES),  # its first move
        ("candidate_value", np.float64, MOST_CANDIDATES),
        ("inputs", np.float32, MOST_CANDIDATES * INPUTS),
        ("unit", np.float32, UNITS),
        ("own_room", np.float64, 2),  # [line]: directions open at its terminus; -1: it does not go on
        ("own_ways", np.float64, 2),  # [line]: those of them on a shortest way to an end
        ("own_points", np.float64),  # station points within two tunnels
        ("own_reserve", np.float64),  # tunnels left
        ("spot_near", np.int64, KINDS_OF_SPOTS),  # [kind]: tunnels from an own line to a free one
        ("player_stands", np.float64, SEATS),
        # search: the turns compared, what their playouts and the net brought, the deals that may be
        ("compared", np.int64),
        ("search_code", np.int64, MOST_CANDIDATES * DEPTH),
        ("search_length", np.int64, MOST_CANDIDATES),
        ("search_sum", np.float64, MOST_CANDIDATES),
        ("search_count", np.int64, MOST_CANDIDATES),
        ("search_mean", np.float64, MOST_CANDIDATES),  # of the playouts and the net's opinion
        ("search_net", np.float64, MOST_CANDIDATES),  # that opinion
        ("search_out", np.uint8, MOST_CANDIDATES),
        ("search_deal", np.int64),  # the world of the playouts that are compared; -1: no hand is hidden
        ("search_chance", np.uint64),
        ("guide", np.int64, SEATS),  # [seat]: the row of `BOTS` by which it plays in that world
        ("deals", np.int64),
        ("deal", np.uint16, MOST_DEALS),
    ],
    align=True,
)


def weight_names() -> tuple[str, ...]:
    """All weights by their place in a row of `BOTS.weight`."""
    return (*FEATURES, *PARAMETERS)


def fill_net(bots: Bots, seat: int, given: Net) -> None:
    """Give a bot its net; where a bot before it has the same one, the two share it."""
    numbers = given.packed()
    for place in range(seat + 1):
        there = bots.net[NET * place : NET * (place + 1)]
        if place == seat or np.array_equal(there, numbers):
            bots.net_at[seat] = NET * place
            there[:] = numbers
            return


def fill(bots: Bots, seat: int, kind: int, weights: dict[str, float], without: int = 0) -> None:
    """Seat a bot: its weights, what it does without, and the tables that follow from its parameters."""
    row = np.array([weights.get(name, 0.0) for name in weight_names()])
    bots.kind[seat], bots.without[seat] = kind, without
    if without & BLOCKING:
        row[BLOCK], row[LEADER] = _SHUNNED, 0.0
    bots.weight[WEIGHTS * seat : WEIGHTS * (seat + 1)] = row
    parameter = row[WIDTH:]
    to_go, spare = np.arange(DISTANCES)[:, None], np.arange(SLACKS)[None, :]
    odds = parameter[REACH_BASE] + parameter[REACH_SLACK] * np.minimum(spare, _SPARE) - parameter[REACH_FAR] * to_go
    bots.chance[CHANCES * seat : CHANCES * (seat + 1)] = (1 / (1 + np.exp(-odds))).ravel()
    left, away = np.arange(NEAR + 1)[:, None], np.arange(NEARNESS)[None, :]
    near = np.where((away <= left) & (away <= NEAR), (parameter[FADE] ** np.arange(DISTANCES))[:NEARNESS], 0.0)
    bots.nearness[near.size * seat : near.size * (seat + 1)] = near.ravel()
