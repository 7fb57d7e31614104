"""Scripted players: one file per bot, each a small declared object. How they think is in `thinking`."""

from mmsim.core import seating
from mmsim.core.bots import Bot
from mmsim.metromania.bots.blocker import BLOCKER
from mmsim.metromania.bots.deepsearch import DEEPSEARCH
from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.greedy import GREEDY
from mmsim.metromania.bots.networker import NETWORKER
from mmsim.metromania.bots.planner import PLANNER
from mmsim.metromania.bots.runner import RUNNER
from mmsim.metromania.bots.search import SEARCH
from mmsim.metromania.bots.uniform import UNIFORM

BOTS: dict[str, Bot] = {
    bot.name: bot for bot in (UNIFORM, GREEDY, RUNNER, BLOCKER, NETWORKER, PLANNER, EXPERT, SEARCH, DEEPSEARCH)
}


def find_bot(spec: str) -> Bot:
    """The bot described by a text like `planner` or `planner:block=2.0,leader=0`."""
    return seating.find_bot(spec, BOTS)


def seat_bots(text: str, companies: int, move_seconds: float | None = None) -> tuple[Bot, ...]:
    """The bots of a list like `uniform` (for every company) or `planner,greedy,greedy,greedy`."""
    return seating.seat_bots(text, BOTS, companies, "companies", move_seconds)
