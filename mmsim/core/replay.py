"""A finished game to step through, as its story tells it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReplaySeat:
    name: str
    colour: str
    bot: str
    player: int


@dataclass(frozen=True)
class ReplayStep:
    """A step of a replay: before the first move, after every move, and while scores are counted."""

    turn: int
    seat: int | None  # whose move it was
    text: str  # what has happened, in words
    points: Sequence[int]  # of every seat
    hands: Sequence[str]  # what every seat holds


@dataclass(frozen=True)
class Replay:
    """A finished game to step through."""

    heading: str
    seats: Sequence[ReplaySeat]
    steps: Sequence[ReplayStep]
    hidden: bool  # whether players see only their own hands
    verdict: str
    animation: Callable[[], Any]  # a canvas with all steps in one, for `drawing/animation.py`
    winners: Sequence[int]  # players
    chances: Sequence[Sequence[float]] = ()  # [turn, player]: to win, before the first turn and after each, if known

    @property
    def title(self) -> str:
        """Who beat whom, and how closely."""
        players = sorted({seat.player for seat in self.seats})
        names = {player: " and ".join(seat.name for seat in self.seats if seat.player == player) for player in players}
        scores = {
            player: sum(
                points for seat, points in zip(self.seats, self.steps[-1].points, strict=True) if seat.player == player
            )
            for player in players
        }
        best = scores[self.winners[0]]
        if len(self.winners) > 1:
            return f"{', '.join(names[player] for player in self.winners)} share the win with {best} each"
        others = [player for player in players if player not in self.winners]
        if not others:
            return f"{names[self.winners[0]]} scores {best}"
        rival = max(others, key=lambda player: scores[player])
        how = " on the tie-break" if scores[rival] == best else ""
        return f"{names[self.winners[0]]} beats {names[rival]}{how}, {best} to {scores[rival]}"

    def win_chances_at(self, step: int) -> Sequence[float]:
        """Every player's chance to win at a step: that after the last turn completed by then."""
        turn = self.steps[step].turn
        return self.chances[turn if step >= self.end_of_turn(turn) else turn - 1]

    def end_of_turn(self, turn: int) -> int:
        """The step after a turn, before any scores are counted."""
        return max((i for i, step in enumerate(self.steps) if step.seat is not None and step.turn <= turn), default=0)
