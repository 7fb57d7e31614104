"""Interventions, games with one thing changed to see what it does: the parts that all games share."""

from collections.abc import Iterable, Sequence

from mmsim.core.game import SimulatedGame
from mmsim.core.python_bots import PythonBot
from mmsim.core.rng import Purpose, Stream
from mmsim.core.variant import PlayableVariant
from mmsim.errors import UsageError, unknown


def chance(master: int, game: int) -> Stream:
    """The random stream of an intervention: its own, so that everything else is drawn as without it."""
    return Stream(master, Purpose.INTERVENTIONS, game)


OF_SEATS = "@"  # between an intervention and the seats that it is limited to, from 1: random_starts@1+3


def of_seats(name: str, seats: Iterable[int]) -> str:
    """An intervention limited to some seats, which count from 0."""
    return f"{name}{OF_SEATS}{'+'.join(str(seat + 1) for seat in sorted(seats))}"


def forced_seats(names: Sequence[str], name: str, seats: int) -> frozenset[int]:
    """The seats that an intervention forces: all, those it is limited to, or none."""
    if name in names:
        return frozenset(range(seats))
    limited = (limit.split("+") for base, _, limit in (known.partition(OF_SEATS) for known in names) if base == name)
    return frozenset(int(seat) - 1 for limits in limited for seat in limits)


def check_interventions(game: SimulatedGame, prepared: PlayableVariant) -> None:
    """Refuse unknown interventions, seats where they cannot be limited to some, and bots that are not compiled."""
    names, bots = prepared.variant.interventions, prepared.bots
    known, by_seat = game.interventions(prepared), game.interventions_by_seat(prepared)
    for name in names:
        base, _, limit = name.partition(OF_SEATS)
        if base not in known:
            raise unknown("intervention", name, known)
        seats = {str(seat + 1) for seat in range(len(bots))}
        if OF_SEATS in name and (base not in by_seat or not {*limit.split("+")} <= seats):
            raise UsageError(f"'{name}' does not name seats 1 to {len(bots)} of an intervention by seat")
    for bot in bots:
        if names and isinstance(bot, PythonBot):
            raise UsageError(f"interventions need compiled bots; {bot.name} is written in Python")


def check_no_interventions(prepared: PlayableVariant) -> None:
    """A game with an intervention has no record and cannot be stepped through."""
    if names := prepared.variant.interventions:
        raise UsageError(f"a game with {' and '.join(names)} is played as a whole, for its tables only")
