"""The inputs of expert's net: their names, and where each of them is.

`position_features` says how they are reckoned. A file of weights names them, so a new name, or meaning, needs new
weights.
"""

TENS = 0.1  # points are told in tens
MOST_CANDIDATES = 12

# What is said of the player who moves, of the next one, of the rival in front, and of all rivals on average.
_OF_A_PLAYER = (
    "standing",  # points and what is expected of the open lines
    "points",
    "lines",  # open ones
    "loss",  # what one more tile may cost the open lines, each the worst way
    "chance",  # and bring them, each the best way
)
STANDING, POINTS, LINES, LOSS, CHANCE = range(len(_OF_A_PLAYER))
PLAYER = len(_OF_A_PLAYER)
OWN, NEXT, FRONT, MEAN = range(4)
_WHO = ("own", "next", "front", "mean")
_REST = (
    "value",  # of the move, by planner
    "behind",  # how much less than planner's best move
    "after",  # what the position is worth then, with what is expected then
    "place",
    "draw",
    "exchange",
    "wagon",
    "kept",  # a move that leaves the hand as it is: what its best tile would bring
    "threat",  # what all others' best answers change for the player, on average over the tiles that are not seen
    "threat_next",
    "answer",  # what they gain by them
    "answer_next",
    "lead",  # over the rival in front
    "ahead",  # rivals in front
    "late",  # how much of the board is full
    "lead_late",
    "threat_late",
    "loss_late",
    "front_late",
    "numbers",  # points of own station numbers
    "rules_players",
    "rules_free",
    "rules_hand",
    "rules_companies",
    "rules_stations",
    "rules_central",
    "rules_numbers",
)
_AT = {name: len(_WHO) * PLAYER + i for i, name in enumerate(_REST)}
VALUE, BEHIND, AFTER, MOVE, KEPT = _AT["value"], _AT["behind"], _AT["after"], _AT["place"], _AT["kept"]
THREAT, LEAD, LATE, RULES = _AT["threat"], _AT["lead"], _AT["late"], _AT["rules_players"]
INPUT_NAMES = (*(f"{who}_{what}" for who in _WHO for what in _OF_A_PLAYER), *_REST)
