"""The inputs of expert's net: their names, and the place of each.

`net_inputs` computes those of a position. The file of the net lists their names, so a new name or meaning
needs a new net.
"""

from typing import NamedTuple

from mmsim.metromania.bots.turn_weights import FEATURE_COUNT, FEATURES
from mmsim.metromania.engine.state import SEATS

MOST_CANDIDATES = 16


# Inputs about every company: the one that has moved comes first, then the others in playing order.
class _OfCompany(NamedTuple):
    points: int
    kept: int
    trips: int
    ended: int
    nearer_end: int
    farther_end: int
    unstarted: int
    slack: int
    turns: int
    soon: int
    held: int
    unserved: int
    network: int
    projected: int
    next_points: int
    stuck: int
    stops: int
    met: int
    mate: int


COMPANY = len(_OfCompany._fields)
OF = _OfCompany(*range(COMPANY))  # the place of each
_OWN_TRIP = tuple(  # trips with an own marker, by the states of it and of its partner
    f"{own}_{partner}" for own in ("held", "laid", "served") for partner in ("held", "laid", "served")
)
_REST = (
    *(f"trip_{state}" for state in _OWN_TRIP),
    "trip_scores",  # own trips on which the company is on a fastest route
    "trip_passes_by",  # own trips that are possible without it
    "trip_one_end",  # own trips without a route: one end is on the company's network
    "trip_no_end",
    "trip_allies",  # own trips whose other marker is, or is likely to be, with a company of its network
    "guest_scores",  # trips of others on which the company is on a fastest route
    "guest_passes_by",  # trips of others that are possible without it
    "guest_ready",  # trips of others with stations at both ends, and no route
    "park",
    "lake",
    "park_near",  # a park station on the company's network
    "lake_near",
    "park_lake_scores",
    "spots_near",
    "spots_none",  # kinds of markers held for which there is no spot
    "room",
    "least_room",
    "ways",  # directions on a shortest way to an end
    "least_ways",
    "points_ahead",  # station points within two tunnels, of both lines
    "reserve",  # tunnels left
    "lead",
    "lead_projected",
    "ahead",  # players in front
    "lead_if_ended",  # the lead, the more the sooner the company may end the game
    "lead_if_others_end",
    "lead_projected_late",
    "leader_turns",  # of the rival with the highest projection
    "behind_in_turns",
    "first_to_end",
    "second_to_end",
    "supply",
    "lines_left",  # lines that may still end or be blocked before the building phase ends
    "unserved_all",
    "last_round",
    "over",
    "won",
    "lost",
    "turn",
    "rules_companies",
    "rules_mates",
    "rules_last_round",
    "rules_stop",
    "rules_open",
    "rules_shared",
    "rules_dig",
)
_REST_AT = SEATS * COMPANY
_AT = {name: _REST_AT + i for i, name in enumerate(_REST)}
OWN_TRIPS, SCORES, ALLIES, GUEST = _AT["trip_held_held"], _AT["trip_scores"], _AT["trip_allies"], _AT["guest_scores"]
PARK, SPOTS, ROOM, WAYS, LEAD = _AT["park"], _AT["spots_near"], _AT["room"], _AT["ways"], _AT["lead"]
SUPPLY, LAST_ROUND, OVER, TURN = _AT["supply"], _AT["last_round"], _AT["over"], _AT["turn"]
RULES = _AT["rules_companies"]
POSITION_NAMES = (
    *(f"{company}_{name}" for company in ("own", "next", "second", "third") for name in OF._fields),
    *_REST,
)
POSITION = len(POSITION_NAMES)

# The inputs of a turn: its features, its value by the weights, the position after it by the value net, and in detail.
INPUT_NAMES = (*FEATURES, "value", "judged", *POSITION_NAMES)
INPUTS = len(INPUT_NAMES)
VALUE_AT, JUDGED_AT, POSITION_AT = FEATURE_COUNT, FEATURE_COUNT + 1, FEATURE_COUNT + 2

# The inputs of the value net: the position, whether the company is in turn, and sums over the features of the board.
VALUE_NAMES = (*POSITION_NAMES, "in_turn")
VALUE_INPUTS = len(VALUE_NAMES)
VALUE_ROW = MOST_CANDIDATES * INPUTS  # where they are
