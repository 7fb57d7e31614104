"""A variant ready to be played."""

from collections.abc import Sequence
from dataclasses import dataclass

from mmsim.core.bots import Bot, NetBot
from mmsim.core.game import Variant
from mmsim.core.seating import games_a_deal, rotated
from mmsim.metro.bots import seat_bots
from mmsim.metro.bots.border import Setting
from mmsim.metro.bots.thinking import memory
from mmsim.metro.engine import state
from mmsim.metro.rules.play import check_board
from mmsim.metro.rules.rulesets import Ruleset


@dataclass(frozen=True)
class Prepared:
    """A variant, ready to be played: its board, rules and bots as compiled code reads them."""

    rules: Ruleset
    bots: tuple[Bot, ...]
    seed: int
    rotate: bool
    name: str
    setting: Setting

    @property
    def rotations(self) -> int:
        return games_a_deal(self.rules.players, self.rotate)

    def bot_of(self, game: int, seat: int) -> int:
        """Which of the listed bots sits in a seat: with rotated seats they move on from game to game."""
        players = range(self.rules.players)
        return rotated(players, players, game % self.rotations)[seat]

    def seated(self, game: int) -> list[Bot]:
        """The bots of a game, seat by seat."""
        return rotated(self.bots, range(self.rules.players), game % self.rotations)


def prepare(rules: Ruleset, variant: Variant) -> Prepared:
    """A variant whose ruleset is at hand."""
    check_board(variant.board)
    bots = seat_bots(variant.bots, rules.players, variant.move_seconds)
    setting = Setting(state.board_record(rules), state.rules_record(rules), _listed(bots, rules))
    return Prepared(rules, bots, variant.seed, variant.rotate, rules.variant + variant.suffix, setting)


def pool_only(prepared: Prepared) -> Setting:
    """A variant whose listed bots are the pool of playouts."""
    bots = [seat_bots(spec, 1)[0] for spec in memory.POOL]
    return prepared.setting._replace(bots=_listed(bots, prepared.rules))


def _listed(bots: Sequence[Bot], rules: Ruleset) -> state.Record:
    """Bots as compiled code reads them, in the order in which they are listed."""
    record = state.new_record(memory.BOTS)
    for who, bot in enumerate(bots):
        weights = list(bot.settings.values())
        record[0].kind[who] = bot.kind
        record[0].weights[memory.WEIGHTS * who : memory.WEIGHTS * who + len(weights)] = weights
        if isinstance(bot, NetBot):
            record[0].net[memory.NET * who : memory.NET * (who + 1)] = bot.net.for_players(rules.players).packed()
    return record
