"""Games in which something is changed by force, to see what it does to them: what every game's interventions share."""

from collections.abc import Collection, Sequence

from mmsim.core.bots import Bot
from mmsim.core.prepared_variant import PreparedVariant
from mmsim.core.rng import Purpose, Stream
from mmsim.core.seating import PythonBot
from mmsim.errors import UsageError, unknown


def chance(master: int, game: int) -> Stream:
    """What an intervention draws from: a stream of its own, so that everything else is drawn as it would be."""
    return Stream(master, Purpose.INTERVENTIONS, game)


def order(count: int, draws: Stream) -> list[int]:
    """All orders of so many things equally likely (Fisher and Yates)."""
    drawn = list(range(count))
    for last in range(count - 1, 0, -1):
        other = draws.below(last + 1)
        drawn[last], drawn[other] = drawn[other], drawn[last]
    return drawn


def check_interventions(names: Sequence[str], known: Collection[str], bots: Sequence[Bot]) -> None:
    """Refuse what a variant does not know, and bots that are asked move by move."""
    for name in names:
        if name not in known:
            raise unknown("intervention", name, known)
    for bot in bots:
        if names and isinstance(bot, PythonBot):
            raise UsageError(f"interventions are for the bots of the fast core; {bot.name} is written in Python")


def check_untouched(prepared: PreparedVariant) -> None:
    """A game with an intervention is no game that a record could tell of, or that can be stepped through."""
    if names := prepared.variant.interventions:
        raise UsageError(f"a game with {' and '.join(names)} is played as a whole, for its tables only")
