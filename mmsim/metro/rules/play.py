"""One game from its seed: set up the table, play to the end with the reference engine."""

from mmsim.core.rng import Purpose
from mmsim.core.seed import Seed as Seed
from mmsim.errors import UsageError
from mmsim.metro.rules.deal import Deal, deal
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import carry_out, legal_moves
from mmsim.metro.rules.rulesets import Ruleset

BOARD = "metro"  # the name of the only board


def check_board(board: str | None) -> None:
    """Refuse any board but the only one; None means it."""
    if board not in (BOARD, None):
        raise UsageError(f"metro has one board, '{BOARD}', and no '{board}'")


def deal_from(seed: Seed, rules: Ruleset) -> Deal:
    """Everything that chance lays out in a game."""
    layout, draws = (seed.deal_stream(purpose, rules.players) for purpose in (Purpose.LAYOUT, Purpose.DEAL))
    return deal(rules, layout, draws)


def set_up(rules: Ruleset, seed: Seed) -> Game:
    """A game before its first move."""
    return Game(rules, deal_from(seed, rules))


def play_out(game: Game, seed: Seed) -> None:
    """Let `uniform` bots play a game to its end: all legal moves are equally likely."""
    draws = [seed.bot_draws(seat) for seat in range(game.rules.players)]
    while not game.over:
        moves = legal_moves(game)
        carry_out(game, moves[draws[game.seat].below(len(moves))])


def play_uniform(rules: Ruleset, seed: Seed) -> Game:
    """A whole game of `uniform` bots."""
    game = set_up(rules, seed)
    play_out(game, seed)
    return game
