"""A variant that can be played: rules, board and bots as compiled code reads them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mmsim.compiled.entry_points import Record, new_record
from mmsim.compiled.neural_net import PackedNets
from mmsim.compiled.stepwise import CompiledVariant
from mmsim.core.bots import Bot, NetBot
from mmsim.core.seating import Seating
from mmsim.core.variant import Variant
from mmsim.metromania.bots import find_bot, seat_bots
from mmsim.metromania.bots.kinds import SEARCH
from mmsim.metromania.bots.thinking import memory
from mmsim.metromania.bots.thinking.board_features import feature_count
from mmsim.metromania.bots.turn_weights import WEIGHT_NAMES, Parameter
from mmsim.metromania.engine import state
from mmsim.metromania.engine.board import board_record
from mmsim.metromania.rules.board import BoardSet
from mmsim.metromania.rules.rulesets import RULES_VERSION, Ruleset

_MOST_SPARE = 8  # tunnels to spare: more do not count


@dataclass(frozen=True)
class MetromaniaVariant(CompiledVariant):
    """A variant of Metromania with its board set, rules and bots, all of it also as compiled code reads it."""

    rules: Ruleset
    setting: memory.Setting
    board_set: BoardSet

    @cached_property
    def pool(self) -> memory.Setting:
        """The setting with one seating: empty seats, then the rows of the bots that play in playouts."""
        rows, nets = new_record(memory.BOTS, memory.SEATING_ROWS), PackedNets()
        _fill_playout_rows(rows[1:], nets, self.rules, self.board_set.side)
        return self.setting._replace(bots=rows, nets=nets.numbers)

    @property
    def board_description(self) -> dict[str, Any]:
        board = self.board_set
        return {
            "set": board.name,
            "side": board.side,
            "pieces": [list(piece) for piece in board.pieces],
            "frame": list(board.frame),
            **({"layout": board.layout.code} if board.layout else {}),
            **({"games_per_city": board.games_per_city} if board.games_per_city else {}),
        }


def prepare(board_set: BoardSet, rules: Ruleset, variant: Variant) -> MetromaniaVariant:
    bots = seat_bots(variant.bots, rules.companies, variant.move_seconds)
    seating = Seating(bots, rules.seat_player, variant.rotate)
    setting = make_setting(board_set, rules, state.deal_table(rules), seating)
    return MetromaniaVariant(
        variant, rules, seating, setting, board_set, game="metromania", rules_version=RULES_VERSION
    )


def make_setting(board_set: BoardSet, rules: Ruleset, deals: Record, seating: Seating) -> memory.Setting:
    """A variant as compiled code reads it: `SEATING_ROWS` rows of bots for every order they sit in."""
    rows, nets = new_record(memory.BOTS, len(seating.orders) * memory.SEATING_ROWS), PackedNets()
    playout_rows = rows[1 : memory.SEATING_ROWS]
    if any(bot.kind == SEARCH for bot in seating.bots):
        _fill_playout_rows(playout_rows, nets, rules, board_set.side)
    for number in range(len(seating.orders)):
        first = number * memory.SEATING_ROWS
        for seat, bot in enumerate(seating.at(number)):
            _fill_seat(rows[first], seat, bot, nets, board_set.side)
        rows[first + 1 : first + memory.SEATING_ROWS] = playout_rows
    board = board_record(replace(board_set, layout=None, games_per_city=0))  # its tables serve all layouts
    return memory.Setting(board, state.rules_record(rules), deals, rows, nets.numbers)


def _fill_playout_rows(rows: Record, nets: PackedNets, rules: Ruleset, side: int) -> None:
    """For each bot that plays in playouts a row with it in every seat."""
    for place, spec in enumerate(memory.PLAYOUT_BOTS):
        for seat in range(rules.companies):
            _fill_seat(rows[place], seat, find_bot(spec), nets, side)


def _fill_seat(row: memory.Bots, seat: int, bot: Bot, nets: PackedNets, side: int) -> None:
    """Put a bot into a row of `BOTS`: its weights, the tables that follow from its parameters, and its net."""
    settings, size = bot.settings, memory.WEIGHTS
    weights = np.array([settings.get(name, 0.0) for name in WEIGHT_NAMES])
    row.kind[seat] = bot.kind
    row.weights[size * seat : size * (seat + 1)] = weights
    to_go, spare = np.arange(memory.DISTANCES)[:, None], np.arange(memory.SLACKS)[None, :]
    base, per_spare, per_tunnel = weights[[Parameter.REACH_BASE, Parameter.REACH_SLACK, Parameter.REACH_FAR]]
    odds = base + per_spare * np.minimum(spare, _MOST_SPARE) - per_tunnel * to_go
    row.chance[memory.CHANCES * seat : memory.CHANCES * (seat + 1)] = (1 / (1 + np.exp(-odds))).ravel()
    left, away = np.arange(memory.NEAR + 1)[:, None], np.arange(memory.NEARNESS)[None, :]
    fading = (weights[Parameter.FADE] ** np.arange(memory.DISTANCES))[: memory.NEARNESS]
    near = np.where((away <= left) & (away <= memory.NEAR), fading, 0.0)
    row.nearness[near.size * seat : near.size * (seat + 1)] = near.ravel()
    if isinstance(bot, NetBot):
        row.net_at[seat] = nets.place(bot.nets.choice.packed())
        value = bot.nets.value_for(feature_count(side))
        assert value is not None, f"{bot.spec} has no value net"
        row.value_net_at[seat] = nets.place(value.packed())
