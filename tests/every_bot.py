"""Every bot of both games plays a little and its moves are printed: the same script for compiled code, for plain
Python (`MMSIM_JIT=0`) and for compiled code that checks its indices (`MMSIM_BOUNDSCHECK=1`)."""

import json
from collections.abc import Iterator

from mmsim.core.game import Variant
from mmsim.games import find_game
from mmsim.metro.bots import BOTS as METRO_BOTS
from mmsim.metromania.bots import BOTS as METROMANIA_BOTS

# Hands hidden and open, two players with two companies each, second markers in a hand, a supply that runs out.
METROMANIA = ("print", 4), ("v2+loyal", 3), ("nl+advanced", 2), ("en1+regular", 2), ("print+hidden,stations=12", 4)
ALIKE = "greedy", "runner", "blocker", "networker"  # planner with other weights: two rulesets each, in turn
METRO = ("metro", 4), ("metro+hand3+free", 2), ("metro+companies+stations", 3), ("metro+central+numbers", 4)
HASTY = {
    ("metromania", "search"): "search:playouts=2,turns=2,candidates=2,ahead=1,trials=1",
    ("metromania", "expert"): "expert:candidates=2",
    ("metro", "expert"): "expert:candidates=2",
    ("metro", "search"): "search:playouts=4,width=2",
}
EARLY, LATE = 12, 66  # decisions of nobody in particular before that; search plays to the end


def moves(game: str, rules: str, players: int, bots: str) -> list[str]:
    """What the bots choose in a game that is under way."""
    searching = "search" in bots
    skip = LATE if searching and game == "metromania" else EARLY
    found = find_game(game)
    board = "compact" if game == "metromania" else "metro"
    position = found.new_game(found.prepare(Variant(rules, players, board, bots, seed=11)), 0)
    for number in range(skip):
        legal = position.legal_moves()
        position.apply(legal[7 * number % len(legal)])
    chosen = []
    while not position.over and len(chosen) < (1 if searching else 5 if game == "metromania" else 3):
        move = position.bot_move()
        chosen.append(str(move))
        position.apply(move)
    return chosen


def lines() -> Iterator[str]:
    """A line of JSON a bot and ruleset: who they are, and the moves chosen."""
    for game, variants, bots in (("metromania", METROMANIA, METROMANIA_BOTS), ("metro", METRO, METRO_BOTS)):
        for number, (rules, players) in enumerate(variants):
            for name in bots:
                if game == "metromania" and name in ALIKE and (number - ALIKE.index(name)) % len(variants) > 1:
                    continue
                bot = HASTY.get((game, name), name)
                yield json.dumps([game, rules, players, bot, moves(game, rules, players, bot)])


if __name__ == "__main__":
    for line in lines():
        print(line)
