"""The records of thinking: a variant as compiled code reads it, the seating, and the working memory of a decision.

A letter means the same thing in all compiled code of a game: `s` the position of the game, `v` a player's view of it,
`p` an imagined position, `b` the board, `r` the rules, `t` the thoughts, `m` the memory.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mmsim.compiled.entry_points import Record, array_of, group, new_record
from mmsim.core.neural_net import UNITS
from mmsim.metro.bots import BOTS as DECLARED
from mmsim.metro.bots.thinking.input_layout import INPUTS, MOST_CANDIDATES
from mmsim.metro.engine.state import BOARD, ENTRIES, GRID, KINDS, NODES, RULES, SEATS, STATE, STREAMS, SUPPLY
from mmsim.metro.rules.rulesets import COMPANIES

Bots: TypeAlias = Any  # an element of an array of dtype BOTS
Thoughts: TypeAlias = Any  # an element of an array of dtype THOUGHTS


class Setting(NamedTuple):
    """A variant as compiled code reads it."""

    board: Record
    rules: Record
    bots: Record  # one row for every order of the bots
    nets: Record  # the numbers of their nets, one net after another


class Memory(NamedTuple):
    """What compiled code works in: the game being played, its random streams, and the thoughts of its bots."""

    positions: Record  # the game, then the places numbered below
    streams: Record  # random streams, in the same places: of the game and of a playout
    thoughts: Record  # of the bot in turn, then the places numbered below


# Places in `Memory.positions`. A bot that thinks in a playout has as many again, from `PLAYOUT` on.
VIEW, SAMPLE, PLAYOUT = 1, 2, 3  # what a player sees; that with a move made or hidden things guessed; a playout
POSITIONS = PLAYOUT + 4
IMAGINED, PLAYOUT_THOUGHTS = 1, 2  # places in `Memory.thoughts`: for an imagined position; of the bots in a playout
THINKERS = PLAYOUT_THOUGHTS + 2

WEIGHTS = max(len(bot.weights) for bot in DECLARED.values())  # places for the weights of a bot
PLAYOUT_BOTS = "planner", "planner:others=0.5", "evaluator"  # those that play in playouts, equally likely

# One row for every order of the bots: who sits where.
BOTS = np.dtype(
    [
        ("kind", np.int64, SEATS),
        ("weights", np.float64, SEATS * WEIGHTS),  # [seat, weight]
        ("net_at", np.int64, SEATS),  # [seat]: where its net begins in `Setting.nets`
    ],
    align=True,
)

EXPECTED = 4  # numbers per node: processors work on four at a time
TILES, CENTRE, BOTH = range(3)  # places among them
NEVER = -1e9  # less than any possible value

# What a bot thinks while it chooses a move; nothing of it is kept for the next decision.
THOUGHTS = np.dtype(
    [
        # what is expected of the lines
        ("stake", np.float64, COMPANIES),  # [owner]: what one of its points is worth to the player
        ("open_value", np.float64),  # fixed value of any open line; negative: use the expectations below
        # [node, number]: of a line that waits there the tiles it may still pass, the probability that it ends in the
        # centre, the product of both, and a zero that makes a node four numbers wide
        ("expected", np.float64, EXPECTED * NODES),
        ("track", np.float64, 4),  # [sides clockwise]: probability that a track of an unseen tile leaves there
        ("ahead", np.uint16, ENTRIES),  # [cell, side out]: the node that a line leaving the cell reaches
        ("stretch", np.float64, ENTRIES),  # the tiles it passes on the way
        # what a tile does
        ("unseen", np.int64, KINDS),  # [kind]: tiles in hidden hands or in the supply
        ("best", np.float64, KINDS),  # [kind as it lies]: value of its best placement
        ("gain", np.float64, GRID * 16),  # [cell, side in, side out]: of a line sent through it; NEVER: it comes back
        ("number_gain", np.float64, GRID * 16),  # the same for the player's station numbers
        ("shuffled", np.uint8, SUPPLY),  # what hidden things are drawn from
        ("profit", np.float64, COMPANIES),  # [company]: expected profit
        ("value", np.float64, COMPANIES),  # [company]: its value with that profit
        # search
        ("open_of", np.float64, SEATS),  # [seat]: the `open_value` by which it plays in a playout
        ("candidate", np.int64, MOST_CANDIDATES),  # moves
        ("prior", np.float64, MOST_CANDIDATES),  # their values before the search
        ("opinion", np.float64, MOST_CANDIDATES),  # their values by the net: shares of the win
        ("total", np.float64, MOST_CANDIDATES),  # sums of their playouts
        ("count", np.float64, MOST_CANDIDATES),  # numbers of their playouts
        # evaluator
        ("inputs", np.float32, MOST_CANDIDATES * INPUTS),
        ("unit", np.float32, UNITS),
        ("loss", np.float64, COMPANIES),  # [owner]: what the next tile may cost its lines, each in the worst case
        ("possible_gain", np.float64, COMPANIES),  # [owner]: what it may bring them, each in the best case
        ("open", np.float64, COMPANIES),  # [owner]: what is expected of its open lines
        ("lines", np.float64, COMPANIES),  # [owner]: how many there are
        ("standing", np.float64, SEATS),  # [player]: points and what is expected of the open lines
        ("playout_bot", np.int64, SEATS),  # [seat]: place in the row of `BOTS` of the bot that plays it in a playout
        ("reply", np.int64, KINDS),  # [kind]: where a rival would place it: GRID * kind as it lies + cell
    ],
    align=True,
)
_FIELDS = THOUGHTS.fields
assert _FIELDS is not None
EXPECTATIONS = int(_FIELDS["ahead"][1])  # bytes at the beginning of THOUGHTS: what an imagined game starts from

SETTING = group(Setting, board=BOARD, rules=RULES, bots=BOTS, nets=array_of(np.float32))
MEMORY = group(Memory, positions=STATE, streams=STREAMS, thoughts=THOUGHTS)


def new_memory() -> Memory:
    """Memory for one game after another."""
    return Memory(new_record(STATE, POSITIONS), new_record(STREAMS, POSITIONS), new_record(THOUGHTS, THINKERS))
