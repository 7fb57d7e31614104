"""The rules: in every turn everybody rolls a die or holds; most points win.

The editions beside `dice` go wrong in game 77: batches must cope with that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from mmsim.core.knobs import number
from mmsim.core.ruleset import BaseRuleset
from mmsim.plain_game import PlainPosition

EDITIONS: dict[str, dict[str, Any]] = {name: {} for name in ("dice", "killed", "raising", "hanging", "bad-bot")}
END_REASONS = ("last_turn",)


@dataclass(frozen=True)
class ToyRules(BaseRuleset):
    hold: int = number(3, 1, 6, "R2", "Points of somebody who holds.")
    longest: int = number(4, 1, 9, "R1", "Turns of the longest game.")


class ToyPosition(PlainPosition):
    """The dice are rolled beforehand, turn by turn, for every player."""

    def set_up(self) -> None:
        turns, players = 1 + self.draws.below(self.rules.longest), self.rules.players
        self.dice = [[1 + self.draws.below(6) for _ in range(players)] for _ in range(turns)]
        self.points = [0] * players
        self.totals: list[list[int]] = []  # after every turn

    @property
    def over(self) -> bool:
        return self.turn > len(self.dice)

    @property
    def scores(self) -> Sequence[int]:
        return self.points

    def legal_moves(self) -> list[str]:
        return [] if self.over else ["hold", "roll"]

    def play(self, move: str) -> None:
        self.points[self.seat] += self.dice[self.turn - 1][self.seat] if move == "roll" else self.rules.hold
        self.seat += 1
        if self.seat == self.rules.players:
            self.totals.append(list(self.points))
            self.turn, self.seat = self.turn + 1, 0

    def result(self) -> dict[str, Any]:
        return {"end_reason": END_REASONS[0], **super().result()}

    def column_values(self) -> Mapping[str, Any]:
        leaders = [max(range(len(points)), key=points.__getitem__) for points in self.totals]
        winner = self.winners[0] if len(self.winners) == 1 else -1
        behind = [turn for turn, leader in enumerate(leaders, 1) if leader != winner]
        return {
            "end_reason": 0,
            "lead_changes": sum(one != other for one, other in pairwise(leaders)),
            "decided_turn": -1 if winner < 0 else max(behind, default=0) + 1,
            "rolls": sum(move == "roll" for _, _, move in self.history),
        }
