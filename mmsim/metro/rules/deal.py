"""The deal, everything random before the first turn: the supply, the central tiles, the shares, the station numbers.

The central tiles come from the stream of the layout, everything else from that of the deal, the supply first: two
variants with the same seed have the same supply.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mmsim.core.rng import Stream, shuffled
from mmsim.metro.rules.board import CENTRE
from mmsim.metro.rules.rulesets import COMPANIES, Ruleset
from mmsim.metro.rules.tiles import SIDES, TILES, turned

_HERE = Path(__file__).parent
PERCENTS = (10, 20, 30, 40)


@cache
def central_tiles() -> tuple[str, ...]:
    """X17: the codes of the eight central tiles, chosen by us because the book does not print them."""
    return tuple(tomllib.loads((_HERE / "central.toml").read_text(encoding="utf-8"))["tiles"])


@cache
def number_colours() -> dict[str, tuple[int, ...]]:
    """X18: the stations of each colour, chosen by us because the book does not print them."""
    colours = tomllib.loads((_HERE / "numbers.toml").read_text(encoding="utf-8"))["colours"]
    return {colour: tuple(stations) for colour, stations in colours.items()}


@dataclass(frozen=True)
class Deal:
    """Everything that is shuffled before the first tile is drawn."""

    supply: tuple[str, ...]  # all 60 tiles in the order in which they are drawn
    central: tuple[str, ...] = ()  # X17: the tiles on the four centre cells, as they lie
    piles: tuple[tuple[int, ...], ...] = ()  # X15: for every percentage the companies from the top of its pile
    numbers: tuple[tuple[int, ...], ...] = ()  # X18: the station numbers of every player


def deal(rules: Ruleset, layout: Stream, draws: Stream) -> Deal:
    """Shuffle everything the rules need."""
    supply = tuple(shuffled(TILES, draws))
    piles = tuple(tuple(shuffled(range(COMPANIES), draws)) for _ in PERCENTS) if rules.companies else ()
    numbers = _numbers(rules, draws) if rules.numbers else ()
    return Deal(supply, _central(layout) if rules.central else (), piles, numbers)


def _central(layout: Stream) -> tuple[str, ...]:
    """X17: four of the eight, each turned at random."""
    left = list(central_tiles())
    return tuple(turned(left.pop(layout.below(len(left))), layout.below(len(SIDES))) for _ in CENTRE)


def _numbers(rules: Ruleset, draws: Stream) -> tuple[tuple[int, ...], ...]:
    """X18: `numbers_per_colour` of each colour for every player."""
    count = rules.numbers_per_colour
    colours = [shuffled(stations, draws) for stations in number_colours().values()]
    return tuple(
        tuple(sorted(n for colour in colours for n in colour[count * seat : count * (seat + 1)]))
        for seat in range(rules.players)
    )
