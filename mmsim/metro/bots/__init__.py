"""Scripted players: one file per bot, each a small declared object. How they think is in `thinking`."""

from mmsim.core import seating
from mmsim.core.bots import Bot
from mmsim.metro.bots.evaluator import EVALUATOR
from mmsim.metro.bots.greedy import GREEDY
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.search import SEARCH
from mmsim.metro.bots.spoiler import SPOILER
from mmsim.metro.bots.uniform import UNIFORM

BOTS: dict[str, Bot] = {bot.name: bot for bot in (UNIFORM, GREEDY, SPOILER, PLANNER, EVALUATOR, SEARCH)}


def find_bot(spec: str) -> Bot:
    """The bot described by a text like `greedy` or `greedy:open=9,given=0`."""
    return seating.find_bot(spec, BOTS)


def seat_bots(text: str, players: int, move_seconds: float | None = None) -> tuple[Bot, ...]:
    """The bots of a list like `planner` (for every player) or `search:playouts=100,prior=2,greedy,greedy,greedy`."""
    return seating.seat_bots(text, BOTS, players, "players", move_seconds)
