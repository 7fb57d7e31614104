"""The inputs of evaluator's net: their names, and the place of each.

`net_inputs` computes them. The file of the net lists their names, so a new name or meaning needs a new net.
"""

TENS = 0.1  # points are counted in tens
MOST_CANDIDATES = 12

# Inputs about the player who moves, the next player, the rival in front, and the average of all rivals.
_PLAYER_QUANTITIES = (
    "standing",  # points and expected points of the open lines
    "points",
    "lines",  # number of open ones
    "loss",  # what one more tile may cost the open lines, each in the worst case
    "chance",  # what it may bring them, each in the best case
)
STANDING, POINTS, LINES, LOSS, POSSIBLE_GAIN = range(len(_PLAYER_QUANTITIES))
PLAYER = len(_PLAYER_QUANTITIES)
_PLAYERS = ("own", "next", "front", "mean")
OWN, NEXT, LEADER, MEAN = range(0, len(_PLAYERS) * PLAYER, PLAYER)  # where their inputs begin
_REST = (
    "value",  # of the move, by the planner
    "behind",  # how much less than the planner's best move
    "after",  # value of the position after the move
    "place",
    "draw",
    "exchange",
    "wagon",
    "kept",  # for a move that keeps the hand: the value of its best tile
    "threat",  # what the best replies of all rivals change for the player, on average over the unseen tiles
    "threat_next",
    "answer",  # what the rivals gain by them
    "answer_next",
    "lead",  # over the rival in front
    "ahead",  # rivals in front
    "late",  # share of the board that is full
    "lead_late",
    "threat_late",
    "loss_late",
    "front_late",
    "numbers",  # points of the player's station numbers
    "rules_players",
    "rules_free",
    "rules_hand",
    "rules_companies",
    "rules_stations",
    "rules_central",
    "rules_numbers",
)
_AT = {name: len(_PLAYERS) * PLAYER + i for i, name in enumerate(_REST)}
VALUE, BEHIND, AFTER, MOVE, KEPT = _AT["value"], _AT["behind"], _AT["after"], _AT["place"], _AT["kept"]
THREAT, LEAD, PROGRESS, RULES = _AT["threat"], _AT["lead"], _AT["late"], _AT["rules_players"]
INPUT_NAMES = (*(f"{player}_{quantity}" for player in _PLAYERS for quantity in _PLAYER_QUANTITIES), *_REST)
INPUTS = len(INPUT_NAMES)
