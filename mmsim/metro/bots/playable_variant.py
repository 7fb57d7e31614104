"""A variant that can be played: rules, board and bots as compiled code reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mmsim.compiled.entry_points import Record, new_record
from mmsim.compiled.stepwise import CompiledVariant
from mmsim.core.bots import Bot, NetBot
from mmsim.core.seating import Seating
from mmsim.core.variant import Variant
from mmsim.metro.bots import find_bot, seat_bots
from mmsim.metro.bots.kinds import SPOILING
from mmsim.metro.bots.thinking import memory
from mmsim.metro.engine import state
from mmsim.metro.engine.board import board_record
from mmsim.metro.rules.board import check_board
from mmsim.metro.rules.deal import central_tiles, number_colours, wagons
from mmsim.metro.rules.rulesets import RULES_VERSION, Ruleset


@dataclass(frozen=True)
class MetroVariant(CompiledVariant):
    """A variant of Metro with its rules, its bots, and both as compiled code reads them."""

    rules: Ruleset
    setting: memory.Setting

    @cached_property
    def pool(self) -> memory.Setting:
        """The setting with one row of bots: those from which the players of playouts are drawn."""
        rows = new_record(memory.BOTS)
        _fill_row(rows[0], [find_bot(spec) for spec in memory.PLAYOUT_BOTS], self.rules)
        return self.setting._replace(bots=rows)

    @property
    def board_description(self) -> dict[str, Any]:
        return {
            "wagons": wagons(self.rules),
            "central_tiles": list(central_tiles()),
            "number_colours": {colour: list(stations) for colour, stations in number_colours().items()},
        }


def prepare(rules: Ruleset, variant: Variant) -> MetroVariant:
    check_board(variant.board)
    bots = seat_bots(variant.bots, rules.players, variant.move_seconds)
    seating = Seating(bots, range(rules.players), variant.rotate)
    setting = memory.Setting(board_record(rules), state.rules_record(rules), seating_rows(rules, seating))
    return MetroVariant(variant, rules, seating, setting, game="metro", rules_version=RULES_VERSION)


def seating_rows(rules: Ruleset, seating: Seating) -> Record:
    """The bots as compiled code reads them: one row for every order they sit in."""
    rows = new_record(memory.BOTS, len(seating.orders))
    for number, row in enumerate(rows):
        _fill_row(row, seating.at(number), rules)
    return rows


def _fill_row(row: memory.Bots, bots: Sequence[Bot], rules: Ruleset) -> None:
    """Put bots into a row of `BOTS`, seat by seat."""
    for seat, bot in enumerate(bots):
        settings = {**bot.settings, **({"others": 0.0} if bot.without_bits & SPOILING else {})}
        weights = list(settings.values())
        row.kind[seat], row.without[seat] = bot.kind, bot.without_bits
        row.weights[memory.WEIGHTS * seat : memory.WEIGHTS * seat + len(weights)] = weights
        if isinstance(bot, NetBot):
            net = bot.net.for_players(rules.players).packed()
            row.net[memory.NET_SIZE * seat : memory.NET_SIZE * (seat + 1)] = net
