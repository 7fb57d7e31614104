"""One game from its seed, played by the reference engine."""

from dataclasses import dataclass

from mmsim.core.rng import Purpose, Stream
from mmsim.core.seating import games_a_deal
from mmsim.errors import UsageError
from mmsim.metro.rules.deal import Deal, deal
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import carry_out, legal_moves
from mmsim.metro.rules.rulesets import Ruleset

BOARD = "metro"  # the name of the one board there is


@dataclass(frozen=True)
class Seed:
    """What makes a game the game it is, next to its ruleset; with rotated seats several games are dealt the same."""

    master: int
    game: int = 0
    rotate: bool = False

    def dealt(self, rules: Ruleset) -> Deal:
        """Everything that chance lays out."""
        game = self.game // games_a_deal(rules.players, self.rotate)
        layout, draws = (Stream(self.master, purpose, game) for purpose in (Purpose.LAYOUT, Purpose.DEAL))
        return deal(rules, layout, draws)

    def bot_draws(self, seat: int) -> Stream:
        return Stream(self.master, Purpose.BOT + seat, self.game)


def check_board(board: str | None) -> None:
    """There is one board, and no other to be asked for; a variant that names none means this one."""
    if board not in (BOARD, None):
        raise UsageError(f"metro has one board, '{BOARD}', and no '{board}'")


def play_uniform(rules: Ruleset, seed: Seed) -> Game:
    """A game in which everybody plays any legal move, as the bot `uniform` of the fast core does."""
    game = Game(rules, seed.dealt(rules))
    draws = [seed.bot_draws(seat) for seat in range(rules.players)]
    while not game.over:
        moves = legal_moves(game)
        carry_out(game, moves[draws[game.seat].below(len(moves))])
    return game
