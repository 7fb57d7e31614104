"""Interventions, games with one thing changed to see what it does: the parts that all games share."""

from collections.abc import Collection, Sequence

from mmsim.core.bots import Bot
from mmsim.core.python_bots import PythonBot
from mmsim.core.rng import Purpose, Stream
from mmsim.core.variant import PlayableVariant
from mmsim.errors import UsageError, unknown


def chance(master: int, game: int) -> Stream:
    """The random stream of an intervention: its own, so that everything else is drawn as without it."""
    return Stream(master, Purpose.INTERVENTIONS, game)


def check_interventions(names: Sequence[str], known: Collection[str], bots: Sequence[Bot]) -> None:
    """Refuse unknown interventions, and bots in Python, which are not compiled."""
    for name in names:
        if name not in known:
            raise unknown("intervention", name, known)
    for bot in bots:
        if names and isinstance(bot, PythonBot):
            raise UsageError(f"interventions need compiled bots; {bot.name} is written in Python")


def check_no_interventions(prepared: PlayableVariant) -> None:
    """A game with an intervention has no record and cannot be stepped through."""
    if names := prepared.variant.interventions:
        raise UsageError(f"a game with {' and '.join(names)} is played as a whole, for its tables only")
