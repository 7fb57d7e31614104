"""Scripted players: one file a bot, each a small declared object."""

from mmsim.core.errors import UsageError, unknown
from mmsim.metromania.bots.blocker import BLOCKER
from mmsim.metromania.bots.custom import from_file, installed, names_file
from mmsim.metromania.bots.declare import Bot
from mmsim.metromania.bots.greedy import GREEDY
from mmsim.metromania.bots.networker import NETWORKER
from mmsim.metromania.bots.planner import PLANNER
from mmsim.metromania.bots.runner import RUNNER
from mmsim.metromania.bots.search import SEARCH
from mmsim.metromania.bots.uniform import UNIFORM

__all__ = ["BOTS", "Bot", "find_bot", "seat_bots", "split_bots"]
BOTS: dict[str, Bot] = {bot.name: bot for bot in (UNIFORM, GREEDY, RUNNER, BLOCKER, NETWORKER, PLANNER, SEARCH)}


def find_bot(spec: str) -> Bot:
    """The bot of a text like `planner`, `planner:block=2.0,leader=0` or `./mybot.py:MyBot`."""
    name, _, settings = spec.partition(":")
    if names_file(name):
        cls, _, settings = settings.partition(":")
        return from_file(name, cls).changed_by(_changes(spec, settings))
    bots = BOTS if name in BOTS else {**BOTS, **installed()}
    if name not in bots:
        raise unknown("bot", name, bots)
    return bots[name].changed_by(_changes(spec, settings))


def _changes(spec: str, settings: str) -> dict[str, str]:
    changes = {}
    for setting in filter(None, (part.strip() for part in settings.split(","))):
        key, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"bot '{spec}': '{setting}' is not of the form weight=value")
        changes[key.strip()] = value.strip()
    return changes


def split_bots(text: str) -> list[str]:
    """The bots of a list: commas separate them, and a part like `leader=0` belongs to the bot before it."""
    specs: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if specs and "=" in part and ":" not in part:
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def seat_bots(text: str, companies: int) -> list[Bot]:
    """The bots of a list like `uniform` (for every company) or `planner,greedy,greedy,greedy`."""
    specs = split_bots(text)
    if len(specs) not in (1, companies):
        raise UsageError(
            f"--bots names {len(specs)} bots for {companies} companies; name one for all or {companies} of them"
        )
    bots = [find_bot(spec) for spec in specs]
    return bots * companies if len(bots) == 1 else bots
