"""The seed of one game, and the streams of random numbers that come from it."""

from dataclasses import dataclass

from mmsim.core.rng import Purpose, Stream
from mmsim.core.seating import games_per_deal


@dataclass(frozen=True)
class Seed:
    """What decides a game besides its ruleset and board; with rotated seats several games share layout and deal."""

    master: int
    game: int = 0
    rotate: bool = False

    def stream(self, purpose: int) -> Stream:
        """A stream that belongs to this game only."""
        return Stream(self.master, purpose, self.game)

    def deal_stream(self, purpose: int, players: int) -> Stream:
        """The stream for a layout or a deal."""
        return Stream(self.master, purpose, self.game // games_per_deal(players, self.rotate))

    def bot_draws(self, seat: int) -> Stream:
        return self.stream(Purpose.BOT + seat)
