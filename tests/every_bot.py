"""Prints some moves of every bot of both games.

The same script runs as compiled code, as plain Python (`MMSIM_JIT=0`) and with bounds checks (`MMSIM_BOUNDSCHECK=1`).
"""

import json
from collections.abc import Iterator

from mmsim.core.variant import Variant
from mmsim.games import find_game
from mmsim.metro.bots import BOTS as METRO_BOTS
from mmsim.metromania.bots import BOTS as METROMANIA_BOTS

# Hands hidden and open, two players with two companies each, second markers in a hand, a supply that runs out.
# The last number: decisions before `search` chooses, which plays to the end; in Metro it searches only when the board
# is more than half full.
METROMANIA = (
    ("print", 4, 78),
    ("v2+loyal", 3, 74),
    ("nl+advanced", 2, 74),
    ("en1+regular", 2, 50),
    ("print+hidden,stations=12", 4, 66),
)
METRO = (
    ("metro", 4, 52),
    ("metro+hand3+free", 2, 52),
    ("metro+companies+stations", 3, 74),
    ("metro+central+numbers", 4, 52),
)
EARLY = 12  # arbitrary decisions before the other bots choose
# The planner with other weights, and the bots that search always calls: two rulesets each, in turn.
SIMILAR = {"metromania": ("greedy", "runner", "blocker", "networker", "expert"), "metro": ("evaluator",)}
QUICK_SETTINGS = {
    ("metromania", "search"): "search:playouts=2,turns=2,candidates=2,ahead=1,trials=1",
    ("metromania", "deepsearch"): "deepsearch:playouts=2,turns=2,candidates=2,ahead=1,trials=1",
    ("metromania", "expert"): "expert:candidates=2",
    ("metro", "evaluator"): "evaluator:candidates=2",
    ("metro", "search"): "search:playouts=2,width=2,candidates=2",
}


def moves(game: str, rules: str, players: int, bots: str, late: int) -> list[str]:
    """The moves that bots choose in the middle of a game."""
    searching = "search" in bots
    engine = find_game(game)
    board = "compact" if game == "metromania" else "metro"
    position = engine.new_game(engine.prepare(Variant(rules, players, board, bots, seed=11)), 0)
    for number in range(late if searching else EARLY):
        legal = position.legal_moves()
        position.apply(legal[7 * number % len(legal)])
    chosen = []
    while not position.over and len(chosen) < (1 if searching else 4 if game == "metromania" else 2):
        move = position.bot_move()
        chosen.append(str(move))
        position.apply(move)
    return chosen


def lines() -> Iterator[str]:
    """One line of JSON per bot and ruleset, with the moves chosen."""
    for game, variants, bots in (("metromania", METROMANIA, METROMANIA_BOTS), ("metro", METRO, METRO_BOTS)):
        for number, (rules, players, late) in enumerate(variants):
            for name in bots:
                if name in SIMILAR[game] and (number - SIMILAR[game].index(name)) % len(variants) > 1:
                    continue
                bot = QUICK_SETTINGS.get((game, name), name)
                yield json.dumps([game, rules, players, bot, moves(game, rules, players, bot, late)])


if __name__ == "__main__":
    for line in lines():
        print(line)
