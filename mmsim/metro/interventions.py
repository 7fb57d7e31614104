"""What can be changed by force: where tiles are laid first, who is dealt what, whose wagons stand where."""

from dataclasses import replace
from typing import Any

import numpy as np

from mmsim.core.interventions import chance, order
from mmsim.core.rng import Stream
from mmsim.metro.bots import entry_points as bot_entry_points
from mmsim.metro.bots.prepared_variant import Prepared
from mmsim.metro.engine import entry_points
from mmsim.metro.engine.state import NOBODY, lay_deal
from mmsim.metro.rules.play import Seed
from mmsim.metro.rules.rulesets import Ruleset

FIRST_TURNS, HANDS, WAGONS = "random_first_turns", "shuffled_hands", "shuffled_wagons"
INTERVENTIONS = {
    FIRST_TURNS: "every player has a random first turn",
    HANDS: "the tiles dealt are shuffled between the seats",
    WAGONS: "the wagons are shuffled between the seats",
}


def interventions(rules: Ruleset) -> dict[str, str]:
    """Those that a ruleset allows: with companies no wagon is a player's own."""
    return {name: text for name, text in INTERVENTIONS.items() if not (name == WAGONS and rules.companies)}


class Opened:
    """Where one game after another is set up and opened."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared, self.memory, self.setting = prepared, bot_entry_points.new_memory(), prepared.setting
        self._moves = np.zeros(entry_points.MOST_MOVES, np.int64)
        self._state = self.memory.positions[0]

    def open(self, game: int) -> int:
        """Bring a game to where nothing is forced any more; the decisions made."""
        prepared, draws = self._prepared, chance(self._prepared.seed, game)
        names = prepared.variant.interventions
        if WAGONS in names:
            self.setting = prepared.setting._replace(board=self._shuffled_wagons(draws))
        board, rules, positions = self.setting.board, self.setting.rules, self.memory.positions
        entry_points.set_up(
            positions, board, rules, self.memory.dice, prepared.seed, game, prepared.seating.games_a_deal
        )
        if HANDS in names:
            self._shuffle_hands(game, draws)
        return self._first_round(draws) if FIRST_TURNS in names else 0

    def _shuffled_wagons(self, draws: Stream) -> Any:
        """The board with other owners of the wagons."""
        board = self._prepared.setting.board.copy()
        owners, new = board[0].owner, np.array(order(self._prepared.rules.players, draws), np.uint8)
        owned = owners != NOBODY
        owners[owned] = new[owners[owned]]
        return board

    def _shuffle_hands(self, game: int, draws: Stream) -> None:
        """Deal the tiles that are dealt to the seats in another order."""
        rules, s, layout = self._prepared.rules, self._state, int(self._state.layout)
        dealt = Seed(self._prepared.seed, game, self._prepared.seating.rotate).dealt(rules)
        hands = [dealt.supply[rules.hand * seat : rules.hand * (seat + 1)] for seat in order(rules.players, draws)]
        supply = (*(tile for hand in hands for tile in hand), *dealt.supply[rules.hand * rules.players :])
        entry_points.clear_table(self.memory.positions, self.setting.board)
        lay_deal(s, replace(dealt, supply=supply))
        entry_points.begin(self.memory.positions, self.setting.board, self.setting.rules)
        s.layout = layout

    def _first_round(self, draws: Stream) -> int:
        """Let everybody have a random first turn; the decisions made."""
        decisions = 0
        while self._state.turn <= self._prepared.rules.players and not self._state.over:
            count = entry_points.list_moves(self.memory.positions, self.setting.rules, self._moves)
            move = int(self._moves[draws.below(int(count))])
            entry_points.play(self.memory.positions, self.setting.board, self.setting.rules, move)
            decisions += 1
        return decisions
