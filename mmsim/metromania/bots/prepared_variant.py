"""A variant ready to be played."""

from dataclasses import dataclass
from functools import cached_property

from mmsim.compiled.entry_points import Record, new_record
from mmsim.core.bots import Bot, NetBot
from mmsim.core.game import Variant
from mmsim.core.prepared_variant import PreparedVariant
from mmsim.core.seating import Seating
from mmsim.metromania.bots import find_bot, seat_bots
from mmsim.metromania.bots.entry_points import Setting
from mmsim.metromania.bots.thinking import memory
from mmsim.metromania.engine import state
from mmsim.metromania.engine.board import board_record
from mmsim.metromania.rules.board import BoardSet
from mmsim.metromania.rules.rulesets import Ruleset


@dataclass(frozen=True)
class Prepared(PreparedVariant):
    """A variant, ready to be played."""

    rules: Ruleset
    setting: Setting
    board_set: BoardSet

    @cached_property
    def pool(self) -> Setting:
        """The setting in which nobody sits anywhere yet, and the pool of playouts is ready."""
        rows = new_record(memory.BOTS, memory.SEATING_ROWS)
        _fill_pool(rows[1:], self.rules)
        return self.setting._replace(bots=rows)


def prepare(board_set: BoardSet, rules: Ruleset, variant: Variant) -> Prepared:
    """A variant whose board set and ruleset are at hand."""
    seating = Seating(seat_bots(variant.bots, rules.companies, variant.move_seconds), rules.seat_player, variant.rotate)
    setting = Setting(
        board_record(board_set),
        state.rules_record(rules),
        state.deal_table(rules),
        seating_rows(rules, seating),
    )
    return Prepared(variant, rules, seating, setting, board_set)


def seating_rows(rules: Ruleset, seating: Seating) -> Record:
    """The bots as compiled code reads them, for every order they sit in."""
    rows = new_record(memory.BOTS, len(seating.orders) * memory.SEATING_ROWS)
    pool = rows[1 : memory.SEATING_ROWS]
    if any(bot.kind == memory.SEARCH for bot in seating.bots):
        _fill_pool(pool, rules)
    for number in range(len(seating.orders)):
        first = number * memory.SEATING_ROWS
        for seat, bot in enumerate(seating.at(number)):
            _seat(rows[first], seat, bot, rules.players)
        rows[first + 1 : first + memory.SEATING_ROWS] = pool
    return rows


def _fill_pool(rows: Record, rules: Ruleset) -> None:
    """For each bot of the pool a row with it in every seat."""
    for place, spec in enumerate(memory.POOL):
        for seat in range(rules.companies):
            _seat(rows[place], seat, find_bot(spec), rules.players)


def _seat(row: memory.Bots, seat: int, bot: Bot, players: int) -> None:
    """Seat a bot in a row of `BOTS`."""
    memory.fill(row, seat, bot.kind, bot.settings, bot.without_bits)
    if isinstance(bot, NetBot):
        memory.fill_net(row, seat, bot.net.for_players(players))
