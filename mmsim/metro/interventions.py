"""Interventions: where tiles are laid first, who is dealt which tiles, whose wagons stand where."""

from dataclasses import replace
from typing import Any

import numpy as np

from mmsim.compiled.stepwise import MAX_MOVES
from mmsim.core.interventions import chance, forced_seats
from mmsim.core.rng import Seed, Stream, shuffled
from mmsim.metro.bots import entry_points as bot_entry_points
from mmsim.metro.bots.playable_variant import MetroVariant
from mmsim.metro.engine import entry_points
from mmsim.metro.engine.state import NOBODY, lay_deal
from mmsim.metro.rules.reference import deal_from
from mmsim.metro.rules.rulesets import Ruleset

FIRST_TURNS, HANDS, WAGONS = "random_first_turns", "shuffled_hands", "shuffled_wagons"
INTERVENTIONS = {
    FIRST_TURNS: "every player has a random first turn",
    HANDS: "the tiles dealt are shuffled between the seats",
    WAGONS: "the wagons are shuffled between the seats",
}


def interventions(rules: Ruleset) -> dict[str, str]:
    """The interventions that a ruleset allows: with companies, wagons do not belong to players."""
    return {name: text for name, text in INTERVENTIONS.items() if not (name == WAGONS and rules.companies)}


class ChangedOpenings:
    """Games with interventions, set up one after another and played until the bots are free to choose."""

    def __init__(self, prepared: MetroVariant) -> None:
        self._prepared, self.memory, self.setting = prepared, bot_entry_points.new_memory(), prepared.setting
        self._moves = np.zeros(MAX_MOVES, np.int64)
        self._state = self.memory.positions[0]
        self._random_beginners = forced_seats(prepared.variant.interventions, FIRST_TURNS, prepared.rules.players)

    def open(self, game: int) -> int:
        """Set up a game and play its changed opening; returns the number of decisions made."""
        prepared, draws = self._prepared, chance(self._prepared.seed, game)
        names = prepared.variant.interventions
        if WAGONS in names:
            self.setting = prepared.setting._replace(board=self._shuffled_wagons(draws))
        board, rules, positions = self.setting.board, self.setting.rules, self.memory.positions
        entry_points.set_up(
            positions, board, rules, self.memory.streams, prepared.seed, game, prepared.seating.games_per_deal
        )
        if HANDS in names:
            self._shuffle_hands(game, draws)
        return self._first_round(game, draws) if self._random_beginners else 0

    def _shuffled_wagons(self, draws: Stream) -> Any:
        """The board with its wagons shuffled between the players."""
        board = self._prepared.setting.board.copy()
        owners, new_owner = board[0].owner, np.array(shuffled(range(self._prepared.rules.players), draws), np.uint8)
        owned = owners != NOBODY
        owners[owned] = new_owner[owners[owned]]
        return board

    def _shuffle_hands(self, game: int, draws: Stream) -> None:
        """Deal the same hands, shuffled between the seats."""
        rules, s, layout = self._prepared.rules, self._state, int(self._state.layout)
        dealt = deal_from(Seed(self._prepared.seed, game, self._prepared.seating.rotate), rules)
        hands = [
            dealt.supply[rules.hand * seat : rules.hand * (seat + 1)] for seat in shuffled(range(rules.players), draws)
        ]
        supply = (*(tile for hand in hands for tile in hand), *dealt.supply[rules.hand * rules.players :])
        entry_points.clear_table(self.memory.positions, self.setting.board)
        lay_deal(s, replace(dealt, supply=supply))
        entry_points.begin_game(self.memory.positions, self.setting.board, self.setting.rules)
        s.layout = layout

    def _first_round(self, game: int, draws: Stream) -> int:
        """Play the first turn of every player, random or as its bot chooses; returns the number of decisions."""
        decisions, seating = 0, self._prepared.seating.number(game)
        while self._state.turn <= self._prepared.rules.players and not self._state.over:
            if int(self._state.seat) in self._random_beginners:
                count = entry_points.list_moves(self.memory.positions, self.setting.rules, self._moves)
                move = int(self._moves[draws.below(int(count))])
            else:
                move = int(bot_entry_points.choose(self.memory, self.setting, seating))
            entry_points.play(self.memory.positions, self.setting.board, self.setting.rules, move)
            decisions += 1
        return decisions
