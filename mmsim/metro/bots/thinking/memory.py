"""The records of thinking: who sits where with which weights, and the working memory of one decision."""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled import neural_net
from mmsim.core.neural_net import UNITS
from mmsim.metro.bots import BOTS as DECLARED
from mmsim.metro.bots.thinking.inputs import INPUT_NAMES, MOST_CANDIDATES
from mmsim.metro.engine.state import ENTRIES, GRID, KINDS, NODES, SEATS, SUPPLY
from mmsim.metro.rules.rulesets import COMPANIES

Bots: TypeAlias = Any  # an element of an array of dtype BOTS
Thoughts: TypeAlias = Any  # an element of an array of dtype THOUGHTS
Positions: TypeAlias = Any  # an array of dtype STATE: the game, then what bots see and imagine, see below
AllThoughts: TypeAlias = Any  # an array of dtype THOUGHTS: those of the bot in turn, then of bots it imagines

WEIGHTS = max(len(bot.weights) for bot in DECLARED.values())  # places for the weights of a bot
INPUTS = len(INPUT_NAMES)
NET = neural_net.numbers(INPUTS)
BOTS = np.dtype(  # seat by seat
    [
        ("kind", np.int64, SEATS),
        ("without", np.int64, SEATS),  # bits of elements
        ("weights", np.float64, SEATS * WEIGHTS),
        ("net", np.float32, SEATS * NET),
    ],
    align=True,
)

POOL = "planner", "planner:others=0.5", "expert"  # of which the players of playouts are drawn, each as likely

EXPECTED = 4  # numbers a node: processors work on four at a time
TILES, CENTRE, BOTH = range(3)  # places among them

NEVER = -1e9  # what is worth less than anything that can be done

# What a bot thinks while it chooses a move; nothing of it lasts.
THOUGHTS = np.dtype(
    [
        # what is expected of the lines
        ("stake", np.float64, COMPANIES),  # what a point of every owner of wagons is worth to the player
        ("open_value", np.float64),  # what an open line is worth, whatever it is; below zero: what the next fields say
        # [node, what]: of a line that waits there the tiles it may still pass, how likely it ends in the centre, and
        # those tiles times whether it does; and nothing, so that a node is four numbers wide
        ("expected", np.float64, EXPECTED * NODES),
        ("track", np.float64, 4),  # how likely a track of an unseen tile goes out so many sides clockwise
        ("ahead", np.uint16, ENTRIES),  # [cell, side out]: the node where a line gets that leaves a cell
        ("stretch", np.float64, ENTRIES),  # the tiles it passes on the way
        # what a tile does
        ("unseen", np.int64, KINDS),  # tiles of every kind that are in a hidden hand or the supply
        ("best", np.float64, KINDS),  # [kind as it lies]: the best that can be done with it
        ("gain", np.float64, GRID * 16),  # [cell, side in, side out]: of a line sent through it; NEVER: it comes back
        ("number_gain", np.float64, GRID * 16),  # the same for the own station numbers
        ("pool", np.uint8, SUPPLY),  # what is shuffled when hidden things are guessed
        ("profit", np.float64, COMPANIES),  # what every company is expected to make
        ("value", np.float64, COMPANIES),  # and what that would make it worth
        # search
        ("open_of", np.float64, SEATS),  # [seat]: the `open_value` by which it plays in an imagined game
        ("candidate", np.int64, MOST_CANDIDATES),  # moves
        ("prior", np.float64, MOST_CANDIDATES),  # what they seemed worth before the search
        ("opinion", np.float64, MOST_CANDIDATES),  # what the net thinks of them: a share of wins
        ("total", np.float64, MOST_CANDIDATES),  # of their playouts
        ("count", np.float64, MOST_CANDIDATES),  # how many there were
        # expert
        ("inputs", np.float32, MOST_CANDIDATES * INPUTS),
        ("unit", np.float32, UNITS),
        ("loss", np.float64, COMPANIES),  # [owner]: what the next tile may cost the lines, each the worst way
        ("chance", np.float64, COMPANIES),  # and bring them, each the best way
        ("open", np.float64, COMPANIES),  # what is expected of the lines
        ("lines", np.float64, COMPANIES),  # how many there are
        ("standing", np.float64, SEATS),  # [player]: points and what is expected of the lines
        ("guide", np.int64, SEATS),  # [seat]: the bot among those listed by which it plays in a game played out
        ("answer", np.int64, KINDS),  # [kind]: GRID * kind as it lies + cell, where the player who answers lays it
    ],
    align=True,
)
_FIELDS = THOUGHTS.fields
assert _FIELDS is not None
EXPECTATIONS = int(_FIELDS["ahead"][1])  # bytes at the beginning of THOUGHTS: what an imagined game goes on with

# Besides the position itself there are a view of it, and what a bot that looks ahead makes of that.
# A game that is played out to the end by bots that think has as much room again, from `PLAYOUT` on.
VIEW, SAMPLE, PLAYOUT = 1, 2, 3
POSITIONS = PLAYOUT + 4
IMAGINED = 1  # the thoughts that go with an imagined game
PLAYED_OUT = 2  # from here on those of the bots in a game that is played out
THINKERS = PLAYED_OUT + 2
DICE_SETS = 3  # the chance of the game, of one that is played out, and of one that is imagined in that
