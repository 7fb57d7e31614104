"""One game from its seed: set up the table, play to the end with the reference engine."""

from collections.abc import Sequence
from dataclasses import dataclass

from mmsim.core.rng import Purpose, Stream
from mmsim.metromania.rules.board import BoardSet, Layout, draw_layout
from mmsim.metromania.rules.deal import deal
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import carry_out, legal_moves
from mmsim.metromania.rules.rulesets import Ruleset


@dataclass(frozen=True)
class Seed:
    """What makes a game the game it is, next to its ruleset and board set."""

    master: int
    game: int = 0

    def stream(self, purpose: int) -> Stream:
        return Stream(self.master, purpose, self.game)


def set_up(board_set: BoardSet, rules: Ruleset, seed: Seed, layout: Layout | None = None) -> Game:
    """An untouched game; the layout and the deal come from streams of their own."""
    layout = layout or draw_layout(seed.stream(Purpose.LAYOUT))
    return Game(board_set.city(layout), rules, deal(rules, seed.stream(Purpose.DEAL)))


def any_move(moves: Sequence[Move], draws: Stream) -> Move:
    """The choice of the bot `uniform`: any legal move, all equally likely."""
    return moves[draws.below(len(moves))]


def play_out(game: Game, seed: Seed) -> None:
    """Let `uniform` bots play a game to its end."""
    draws = [seed.stream(Purpose.BOT + seat) for seat in range(game.rules.companies)]
    while not game.over:
        carry_out(game, any_move(legal_moves(game), draws[game.seat]))
