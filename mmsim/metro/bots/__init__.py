"""Scripted players: one file a bot, each a small declared object with its choice in compiled code."""

from mmsim.core.errors import UsageError, unknown
from mmsim.metro.bots.declare import Bot, Seated
from mmsim.metro.bots.greedy import GREEDY
from mmsim.metro.bots.planner import PLANNER
from mmsim.metro.bots.python import PythonBot, is_python, load_bot
from mmsim.metro.bots.search import SEARCH
from mmsim.metro.bots.spoiler import SPOILER
from mmsim.metro.bots.uniform import UNIFORM

# The order is that of the numbers by which compiled code knows them.
BOTS: dict[str, Bot] = {bot.name: bot for bot in (UNIFORM, GREEDY, SPOILER, PLANNER, SEARCH)}

Player = Seated | PythonBot

__all__ = ["BOTS", "Bot", "Player", "PythonBot", "Seated", "seat_bots"]


def seat_bots(text: str, players: int) -> tuple[Player, ...]:
    """The bots of a list like `planner` (for every player) or `search:playouts=100,seed=2,greedy,greedy,greedy`."""
    items: list[str] = []
    for item in text.split(","):
        if items and "=" in item and ":" not in item:
            items[-1] += f",{item}"  # another parameter of the bot before
        else:
            items.append(item.strip())
    bots: list[Player] = [load_bot(item) if is_python(item) else _seated(item) for item in items]
    if len(bots) == 1:
        bots *= players
    if len(bots) != players:
        raise UsageError(f"there are {len(bots)} bots for {players} players; name one for all or {players} of them")
    return tuple(bots)


def _seated(item: str) -> Seated:
    name, _, rest = item.partition(":")
    if name not in BOTS:
        raise unknown("bot", name, BOTS)
    values: dict[str, str] = {}
    for setting in rest.split(",") if rest else ():
        parameter, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise UsageError(f"'{setting}' in bot '{item}' is not of the form parameter=value")
        if parameter in values:
            raise UsageError(f"bot '{item}' sets {parameter} twice; keep one of them")
        values[parameter] = value
    return BOTS[name].seated(values)
