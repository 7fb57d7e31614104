"""Interventions: where lines start, who is dealt which hand, who plays which opening."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.stepwise import MAX_MOVES
from mmsim.core.interventions import chance, forced_seats
from mmsim.core.rng import Stream, shuffled
from mmsim.metromania.bots import entry_points as bot_entry_points
from mmsim.metromania.bots.playable_variant import MetromaniaVariant
from mmsim.metromania.engine import entry_points
from mmsim.metromania.engine.state import HAND, SEATS

STARTS, HANDS, OPENINGS = "random_starts", "shuffled_hands", "exchanged_openings"
INTERVENTIONS = {
    STARTS: "every company starts its first line at random",
    HANDS: "the hands are shuffled between the seats",
    OPENINGS: "every company plays the first turn of another one, as far as it is legal",
}


class ChangedOpenings:
    """Games with interventions, set up one after another and played until the bots are free to choose."""

    def __init__(self, prepared: MetromaniaVariant) -> None:
        self._prepared, self.memory, self.setting = prepared, bot_entry_points.new_memory(), prepared.setting
        self._moves = np.zeros(MAX_MOVES, np.int64)
        self._state = self.memory.positions[0]
        self._random_starters = forced_seats(prepared.variant.interventions, STARTS, prepared.rules.companies)

    def open(self, game: int) -> int:
        """Set up a game and play its changed opening; returns the number of decisions made."""
        names, draws = self._prepared.variant.interventions, chance(self._prepared.seed, game)
        deals = self._prepared.setting.deals
        self._set_up(game, deals)
        if HANDS in names:
            deals = self._shuffled_hands(draws)
            self._set_up(game, deals)
        if OPENINGS in names:
            openings = self._first_round(game, draws)
            self._set_up(game, deals)
            return self._play_openings(game, openings, 1 + draws.below(len(openings) - 1))
        return sum(map(len, self._first_round(game, draws))) if self._random_starters else 0

    def _set_up(self, game: int, deals: NDArray[np.uint8]) -> None:
        seed, games_per_deal = self._prepared.seed, self._prepared.seating.games_per_deal
        board, rules, positions = self.setting.board, self.setting.rules, self.memory.positions
        layout = self._prepared.board_set.layout_at(game)
        number = -1 if layout is None else layout.index
        entry_points.set_up(positions, board, rules, self.memory.streams, deals, seed, game, games_per_deal, number)

    def _shuffled_hands(self, draws: Stream) -> NDArray[np.uint8]:
        """The hands of the game that is set up, shuffled between the seats, as a table of one deal."""
        companies, s = self._prepared.rules.companies, self._state
        dealt = (s.hand_marker << 2 | s.hand_kind).reshape(SEATS, HAND)
        hands = np.zeros((SEATS, HAND), np.uint8)
        hands[:companies] = dealt[shuffled(range(companies), draws)]
        return hands.ravel()

    def _first_round(self, game: int, draws: Stream) -> list[list[int]]:
        """Play the first turn of every company, with random starts if requested; returns the moves by seat."""
        companies = self._prepared.rules.companies
        played: list[list[int]] = [[] for _ in range(companies)]
        while self._state.turn <= companies and not self._state.over:
            seat = int(self._state.seat)
            if self._state.dug == 0 and seat in self._random_starters:
                legal = self._legal()
                move = int(legal[draws.below(len(legal))])
            else:
                move = self._choose(game)
            self._play(move)
            played[seat].append(move)
        return played

    def _play_openings(self, game: int, openings: list[list[int]], shift: int) -> int:
        """Every company plays the first turn of the seat `shift` places on; its bot replaces illegal moves."""
        decisions = 0
        for _ in openings:
            seat = int(self._state.seat)
            opening, turn = list(openings[(seat + shift) % len(openings)]), int(self._state.turn)
            while self._state.turn == turn and not self._state.over:
                move = opening.pop(0) if opening else None
                if move is None or move not in self._legal():
                    move, opening = self._choose(game), []
                self._play(move)
                decisions += 1
        return decisions

    def _legal(self) -> NDArray[np.int64]:
        count = entry_points.list_moves(self.memory.positions, self._prepared.setting.board, self._moves)
        return self._moves[:count]

    def _choose(self, game: int) -> int:
        return int(bot_entry_points.choose(self.memory, self._prepared.setting, self._prepared.seating.number(game)))

    def _play(self, move: Any) -> None:
        entry_points.play(self.memory.positions, self._prepared.setting.board, self._prepared.setting.rules, move)
