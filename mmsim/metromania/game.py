"""Metromania as the rest of mmsim sees it: a compiled game."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.game import CompiledGame
from mmsim.core.interventions import check_no_interventions
from mmsim.core.rng import Seed
from mmsim.core.variant import Variant
from mmsim.metromania.bots import BOTS, entry_points
from mmsim.metromania.bots.playable_variant import MetromaniaVariant, prepare
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.thinking.board_features import mirrored_features
from mmsim.metromania.engine import result_tables
from mmsim.metromania.engine.entry_points import Rows
from mmsim.metromania.interventions import INTERVENTIONS, STARTS, ChangedOpenings
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference import play_out, set_up
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.rules.rulesets import ruleset
from mmsim.metromania.shell import record
from mmsim.metromania.shell.column_texts import TEXTS


class Metromania(CompiledGame):
    name = "metromania"
    declared, words, texts = result_tables.TABLES, result_tables.WORDS, TEXTS
    bot_entry_points: ClassVar = entry_points
    rows_type, position_type, changed_opening_type = Rows, Position, ChangedOpenings
    example_sampling = entry_points.EXAMPLE_SAMPLING
    position_sampling = entry_points.POSITION_SAMPLING
    result, read_record = staticmethod(result), staticmethod(record.verify)

    def make_playable(self, variant: Variant) -> MetromaniaVariant:
        return prepare(board_file.load(variant.board), ruleset(variant.rules, variant.players), variant)

    def interventions(self, prepared: MetromaniaVariant) -> dict[str, str]:
        return INTERVENTIONS

    def interventions_by_seat(self, prepared: MetromaniaVariant) -> tuple[str, ...]:
        return (STARTS,)

    def rows_per_game(self, prepared: MetromaniaVariant) -> dict[str, int]:
        return result_tables.rows_per_game(prepared.rules.companies)

    def mirrored_features(self, prepared: MetromaniaVariant) -> NDArray[np.int64]:
        return mirrored_features(prepared.board_set.side)

    def play_uniform(self, prepared: MetromaniaVariant, game: int) -> Game:
        seed = Seed(prepared.seed, game, prepared.seating.rotate)
        table = set_up(prepared.board_set, prepared.rules, seed)
        play_out(table, seed)
        return table

    def first_decision(self, table: Game, seed: Mapping[str, Any]) -> Position:
        prepared = prepare(table.city.board_set, table.rules, Variant(table.rules.name, seed=seed["master"]))
        return Position(prepared, seed["game"], table.city.layout, table.dealt)

    def record(self, prepared: MetromaniaVariant, game: int) -> dict[str, Any]:
        check_no_interventions(prepared)
        seed, bots = Seed(prepared.seed, game), [bot.spec for bot in prepared.seating.at(game)]
        if all(bot == BOTS["uniform"] for bot in prepared.bots):  # the reference engine has nothing to compile
            table = self.play_uniform(prepared, game)
            return record.record_of(table, result(table), bots, seed)
        position = Position(prepared, game)
        position.play_out()
        return record.record_of(position, position.result(), bots, seed)
