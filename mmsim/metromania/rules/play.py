"""One game from its seed: set up the table, play to the end with the reference engine."""

from collections.abc import Sequence

from mmsim.core.rng import Purpose, Stream
from mmsim.core.seed import Seed as Seed
from mmsim.metromania.rules.board import BoardSet, Layout, draw_layout
from mmsim.metromania.rules.deal import deal
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import carry_out, legal_moves
from mmsim.metromania.rules.rulesets import Ruleset


def set_up(board_set: BoardSet, rules: Ruleset, seed: Seed, layout: Layout | None = None) -> Game:
    """A game before its first move; the layout and the deal have random streams of their own."""
    layout = layout or draw_layout(seed.deal_stream(Purpose.LAYOUT, rules.players))
    return Game(board_set.city(layout), rules, deal(rules, seed.deal_stream(Purpose.DEAL, rules.players)))


def any_move(moves: Sequence[Move], draws: Stream) -> Move:
    """The choice of the bot `uniform`: all legal moves are equally likely."""
    return moves[draws.below(len(moves))]


def play_out(game: Game, seed: Seed) -> None:
    """Let `uniform` bots play a game to its end."""
    draws = [seed.bot_draws(seat) for seat in range(game.rules.companies)]
    while not game.over:
        carry_out(game, any_move(legal_moves(game), draws[game.seat]))
