"""The rules: in every turn everybody rolls a die or holds; most points win.

The editions beside `dice` go wrong in game 77: batches must cope with that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mmsim.core.game import IllegalMove
from mmsim.core.knobs import Value, knobs_of, number, overridden
from mmsim.core.rng import Purpose, Stream
from mmsim.core.seating import games_a_deal
from mmsim.core.specs import read_spec
from mmsim.errors import unknown

RULES_VERSION = 1
EDITIONS = ("dice", "killed", "raising", "hanging", "bad-bot")
MOVES = ("hold", "roll")
END_REASONS = ("last_turn",)


@dataclass(frozen=True)
class Ruleset:
    """What is played."""

    name: str
    players: int = 2
    hold: int = number(3, 1, 6, "R2", "Points of somebody who holds.")
    longest: int = number(4, 1, 9, "R1", "Turns of the longest game.")


KNOBS = knobs_of(Ruleset)


@dataclass(frozen=True)
class Spec:
    """A ruleset as it is written."""

    edition: str
    settings: tuple[tuple[str, Value], ...] = ()

    def with_overrides(self, overrides: Mapping[str, object]) -> "Spec":
        return replace(self, settings=overridden(KNOBS, self.settings, overrides))


def _named(edition: str, modifiers: list[str]) -> Spec:
    if edition not in EDITIONS or modifiers:
        raise unknown("ruleset", "+".join([edition, *modifiers]), EDITIONS)
    return Spec(edition)


def ruleset(text: str, players: int | None) -> Ruleset:
    """The ruleset of a spec like `dice,hold=2`."""
    spec = read_spec(text, _named)
    changes: dict[str, Any] = dict(spec.settings)
    name = ",".join([spec.edition, *(f"{knob}={value}" for knob, value in spec.settings)])
    return Ruleset(name, players or 2, **changes)


@dataclass(frozen=True)
class Seed:
    """What makes a game the game it is, next to its ruleset."""

    master: int
    game: int
    rotate: bool = False

    def faces(self, rules: Ruleset) -> list[list[int]]:
        """What everybody would roll, turn by turn."""
        draws = Stream(self.master, Purpose.DEAL, self.game // games_a_deal(rules.players, self.rotate))
        turns = 1 + draws.below(rules.longest)
        return [[1 + draws.below(6) for _ in range(rules.players)] for _ in range(turns)]

    def bot_draws(self, seat: int) -> Stream:
        return Stream(self.master, Purpose.BOT + seat, self.game)


@dataclass
class Position:
    """A game in progress."""

    rules: Ruleset
    faces: list[list[int]]
    turn: int = 1
    seat: int = 0
    history: list[tuple[int, int, str]] = field(default_factory=list)  # turn, seat, move
    totals: list[list[int]] = field(default_factory=list)  # points of everybody after every turn

    def __post_init__(self) -> None:
        self.scores = [0] * self.rules.players

    @property
    def over(self) -> bool:
        return self.turn > len(self.faces)

    def legal_moves(self) -> list[str]:
        return [] if self.over else list(MOVES)

    def view(self, seat: int) -> dict[str, Any]:
        return {"seat": seat, "turn": self.turn, "scores": tuple(self.scores)}

    def apply(self, move: str) -> None:
        if move not in self.legal_moves():
            raise IllegalMove.of(move, self.seat, self.turn)
        self.history.append((self.turn, self.seat, move))
        self.scores[self.seat] += self.faces[self.turn - 1][self.seat] if move == "roll" else self.rules.hold
        self.seat += 1
        if self.seat == self.rules.players:
            self.totals.append(list(self.scores))
            self.turn, self.seat = self.turn + 1, 0

    def result(self) -> dict[str, Any]:
        best = max(self.scores)
        winners = [player for player, score in enumerate(self.scores) if score == best]
        return {"end_reason": END_REASONS[0], "scores": list(self.scores), "winners": winners}
