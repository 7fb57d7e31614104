"""Who sits where: lists of bots as they are written, and the seat every bot has in every game."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import gcd
from typing import Any

from mmsim.core.bots import Bot
from mmsim.core.python_bots import find_python_bot
from mmsim.core.rng import games_per_deal
from mmsim.core.ruleset import parse_settings
from mmsim.errors import UsageError

MAX_ROTATED_PLAYERS = 9  # with different bots: there are 8! ways to sit round a table


def split_bots(text: str) -> list[str]:
    """The bots of a list: commas separate them, and a part like `leader=0` belongs to the bot before it."""
    specs: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if specs and "=" in part and ":" not in part:
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def bot_names(text: str) -> list[str]:
    """The names of the bots of a list, without their settings."""
    return [spec.partition(":")[0] for spec in split_bots(text)]


def find_bot(spec: str, known: Mapping[str, Bot], move_seconds: float | None = None) -> Bot:
    """The bot of a text like `planner`, `planner:block=2.0,leader=0` or `./mybot.py:MyBot`."""
    name, _, settings = spec.partition(":")
    if name in known:
        bot = known[name]
    else:
        bot, settings = find_python_bot(name, settings, known, move_seconds)
    parts = filter(None, (part.strip() for part in settings.split(",")))
    return bot.changed_by(parse_settings(parts, f"bot '{spec}'", "weight"))


def seat_bots(
    text: str, known: Mapping[str, Bot], seats: int, seats_are: str, move_seconds: float | None = None
) -> tuple[Bot, ...]:
    """The bots of a list like `uniform` (for every seat) or `planner,greedy,greedy,greedy`.

    `seats_are` is what errors call the seats, like "players". With `move_seconds` bots in Python run in processes of
    their own, with this time limit per move.
    """
    bots = [find_bot(spec, known, move_seconds) for spec in split_bots(text)]
    if len(bots) not in (1, seats):
        raise UsageError(f"--bots names {len(bots)} bots for {seats} {seats_are}; name one for all or {seats} of them")
    return tuple(bots * seats if len(bots) == 1 else bots)


@dataclass(frozen=True)
class Seating:
    """Who sits where in every game of a variant, and which of its games share a deal."""

    bots: tuple[Bot, ...]  # as they are listed, seat by seat
    seat_player: Sequence[int]  # the player of every seat
    rotate: bool

    @cached_property
    def orders(self) -> list[tuple[int, ...]]:
        """Who sits where in game 0, 1, 2 ... of a cycle, see `seat_orders`."""
        names = [bot_name(bot.spec, bot.description) for bot in self.bots]
        return seat_orders(names, self.seat_player, self.rotate)

    @property
    def games_per_deal(self) -> int:
        return games_per_deal(len({*self.seat_player}), self.rotate)

    def number(self, game: int) -> int:
        """Which of the orders a game has."""
        return game % len(self.orders)

    def at(self, game: int) -> list[Bot]:
        """The bots of a game, seat by seat."""
        return [self.bots[index] for index in self.orders[self.number(game)]]


def bot_name(spec: str, description: Any) -> str:
    """A name to sort and distinguish bots by: two classes in Python may have the same spec, but not the same digest."""
    return json.dumps([spec, description], sort_keys=True)


def seat_orders(names: Sequence[str], seat_player: Sequence[int], rotate: bool) -> list[tuple[int, ...]]:
    """Who sits where in game 0, 1, 2 ... of a cycle: for every seat the index of a bot in the list of names.

    With rotated seats, the games of a deal keep the bots in one order round the table, each game moving them on by one
    player. The order changes from deal to deal; after a cycle, every way to seat the bots has been played equally
    often. Names are sorted first, so the order of the list changes no game. A player keeps the bots of all their seats.
    """
    if not rotate:
        return [tuple(range(len(names)))]
    seats, players = range(len(names)), sorted({*seat_player})
    check_rotation(len(players), names, rotate)
    seats_of = [[seat for seat in seats if seat_player[seat] == player] for player in players]
    orders = []
    for circle in circles([tuple(names[seat] for seat in player_seats) for player_seats in seats_of]):
        for rotation in range(len(circle)):
            order = [0] * len(names)
            for player_seats, source in zip(seats_of, circle[rotation:] + circle[:rotation], strict=True):
                for seat, index in zip(player_seats, seats_of[source], strict=True):
                    order[seat] = index
            orders.append(tuple(order))
    return orders


def check_rotation(players: int, names: Sequence[Any], rotate: bool) -> None:
    """Refuse to rotate more different players than all ways to seat them can be listed for."""
    if rotate and players > MAX_ROTATED_PLAYERS and any(name != names[0] for name in names):
        raise UsageError(
            f"seats rotate among at most {MAX_ROTATED_PLAYERS} players with different bots, not {players}; keep seats "
            "fixed, or name one bot for all"
        )


def circles(names: Sequence[tuple[str, ...]]) -> list[tuple[int, ...]]:
    """Ways to sit round a table, as indices into a list of names, that together cover all seatings equally often.

    Two ways are the same if they differ only by who sits first, or by which of several equal names sits where. A way
    that looks the same after fewer steps than there are seats is listed less often, since its rotations repeat.
    """
    if len({*names}) == 1:
        return [tuple(range(len(names)))]
    first, *others = sorted(range(len(names)), key=lambda index: names[index])
    circle_of: dict[Any, tuple[int, ...]] = {}
    distinct_rotations: dict[Any, int] = {}
    for rest in permutations(others):
        around = [names[index] for index in (first, *rest)]
        rotations = {tuple(around[by:] + around[:by]) for by in range(len(around))}
        if (key := min(rotations)) not in circle_of:
            circle_of[key], distinct_rotations[key] = (first, *rest), len(rotations)
    unit = gcd(*distinct_rotations.values())
    repeats = max(distinct_rotations.values()) // unit
    return [
        circle
        for repeat in range(repeats)
        for key, circle in circle_of.items()
        if repeat < distinct_rotations[key] // unit
    ]
