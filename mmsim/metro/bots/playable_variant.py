"""A variant that can be played: rules, board and bots as compiled code reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mmsim.compiled.entry_points import new_record
from mmsim.compiled.neural_net import PackedNets
from mmsim.compiled.stepwise import CompiledVariant
from mmsim.core.bots import Bot, NetBot
from mmsim.core.seating import Seating
from mmsim.core.variant import Variant
from mmsim.metro.bots import find_bot, seat_bots
from mmsim.metro.bots.thinking import memory
from mmsim.metro.engine import state
from mmsim.metro.engine.board import board_record
from mmsim.metro.rules.board import check_board, wagons
from mmsim.metro.rules.deal import central_tiles, number_colours
from mmsim.metro.rules.rulesets import RULES_VERSION, Ruleset


@dataclass(frozen=True)
class MetroVariant(CompiledVariant):
    """A variant of Metro with its rules, its bots, and both as compiled code reads them."""

    rules: Ruleset
    setting: memory.Setting

    @cached_property
    def pool(self) -> memory.Setting:
        """The setting with one row of bots: those from which the players of playouts are drawn."""
        rows, nets = new_record(memory.BOTS), PackedNets()
        _fill_row(rows[0], [find_bot(spec) for spec in memory.PLAYOUT_BOTS], nets)
        return self.setting._replace(bots=rows, nets=nets.numbers)

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
    setting = make_setting(rules, seating)
    return MetroVariant(variant, rules, seating, setting, game="metro", rules_version=RULES_VERSION)


def make_setting(rules: Ruleset, seating: Seating) -> memory.Setting:
    """A variant as compiled code reads it: one row of bots for every order they sit in."""
    rows, nets = new_record(memory.BOTS, len(seating.orders)), PackedNets()
    for number, row in enumerate(rows):
        _fill_row(row, seating.at(number), nets)
    return memory.Setting(board_record(rules), state.rules_record(rules), rows, nets.numbers)


def _fill_row(row: memory.Bots, bots: Sequence[Bot], nets: PackedNets) -> None:
    """Put bots into a row of `BOTS`, seat by seat."""
    for seat, bot in enumerate(bots):
        weights = list(bot.settings.values())
        row.kind[seat] = bot.kind
        row.weights[memory.WEIGHTS * seat : memory.WEIGHTS * seat + len(weights)] = weights
        if isinstance(bot, NetBot):
            row.net_at[seat] = nets.place(bot.nets.choice.packed())
