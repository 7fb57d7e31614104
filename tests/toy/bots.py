"""The bots: a declaration and a choice each."""

from collections.abc import Callable, Mapping

from mmsim.core.bots import Bot
from mmsim.core.rng import Stream
from mmsim.core.seating import Seating
from tests.toy.rules import MOVES, Position, Ruleset, Seed

ELEMENTS = {"rolling": "rolls of the die"}
INTERVENTIONS = {"first_holds": "the first player holds in the first turn"}
UNIFORM = Bot("uniform", "Takes any move.", "nothing")
BOLD = Bot("bold", "Always rolls.", "nothing", elements=ELEMENTS)
BOTS: Mapping[str, Bot] = {bot.name: bot for bot in (UNIFORM, BOLD)}
_CHOICES: dict[str, Callable[[Stream], str]] = {
    "uniform": lambda draws: MOVES[draws.below(2)],
    "bold": lambda draws: "roll",
}


def seated(rules: Ruleset, listed: tuple[Bot, ...], seed: Seed) -> list[Bot]:
    """Who sits where in a game."""
    return Seating(listed, range(rules.players), seed.rotate).at(seed.game)


def play(rules: Ruleset, listed: tuple[Bot, ...], seed: Seed, interventions: tuple[str, ...] = ()) -> Position:
    """A game from its seed."""
    position = Position(rules, seed.faces(rules))
    draws = [seed.bot_draws(seat) for seat in range(rules.players)]
    bots = seated(rules, listed, seed)
    if interventions:
        position.apply("hold")
    while not position.over:
        bot = bots[position.seat]
        position.apply("hold" if bot.without else _CHOICES[bot.name](draws[position.seat]))
    return position
