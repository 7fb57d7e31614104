"""A variant ready to be played."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mmsim.compiled.entry_points import Record, new_record
from mmsim.core.bots import Bot, NetBot
from mmsim.core.game import Variant
from mmsim.core.prepared_variant import PreparedVariant
from mmsim.core.seating import Seating
from mmsim.metro.bots import seat_bots
from mmsim.metro.bots.entry_points import Setting
from mmsim.metro.bots.kinds import SPOILING
from mmsim.metro.bots.thinking import memory
from mmsim.metro.engine import state
from mmsim.metro.engine.board import board_record
from mmsim.metro.rules.play import check_board
from mmsim.metro.rules.rulesets import Ruleset


@dataclass(frozen=True)
class Prepared(PreparedVariant):
    """A variant, ready to be played."""

    rules: Ruleset
    setting: Setting

    @cached_property
    def pool(self) -> Setting:
        """The setting with one row of bots: the pool of playouts."""
        rows = new_record(memory.BOTS)
        _fill(rows[0], [seat_bots(spec, 1)[0] for spec in memory.POOL], self.rules)
        return self.setting._replace(bots=rows)


def prepare(rules: Ruleset, variant: Variant) -> Prepared:
    """A variant whose ruleset is at hand."""
    check_board(variant.board)
    bots = seat_bots(variant.bots, rules.players, variant.move_seconds)
    seating = Seating(bots, range(rules.players), variant.rotate)
    setting = Setting(board_record(rules), state.rules_record(rules), seating_rows(rules, seating))
    return Prepared(variant, rules, seating, setting)


def seating_rows(rules: Ruleset, seating: Seating) -> Record:
    """The bots as compiled code reads them: for every order they sit in a row, in it who sits where."""
    rows = new_record(memory.BOTS, len(seating.orders))
    for number, row in enumerate(rows):
        _fill(row, seating.at(number), rules)
    return rows


def _fill(row: memory.Bots, bots: Sequence[Bot], rules: Ruleset) -> None:
    """Put bots into a row of `BOTS`, one place after another."""
    for who, bot in enumerate(bots):
        settings = {**bot.settings, **({"others": 0.0} if bot.without_bits & SPOILING else {})}
        weights = list(settings.values())
        row.kind[who], row.without[who] = bot.kind, bot.without_bits
        row.weights[memory.WEIGHTS * who : memory.WEIGHTS * who + len(weights)] = weights
        if isinstance(bot, NetBot):
            row.net[memory.NET * who : memory.NET * (who + 1)] = bot.net.for_players(rules.players).packed()
