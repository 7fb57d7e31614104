"""Metro as the rest of mmsim sees it: a compiled game."""

from collections.abc import Mapping
from typing import Any, ClassVar

from mmsim.compiled.game import CompiledGame
from mmsim.core.interventions import check_no_interventions
from mmsim.core.rng import Seed
from mmsim.core.variant import Variant
from mmsim.metro.bots import BOTS, entry_points
from mmsim.metro.bots.playable_variant import MetroVariant, prepare
from mmsim.metro.bots.position import Position
from mmsim.metro.engine import result_tables
from mmsim.metro.engine.entry_points import Rows
from mmsim.metro.interventions import FIRST_TURNS, ChangedOpenings, interventions
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference import play_uniform
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.rules.rulesets import ruleset
from mmsim.metro.shell import record
from mmsim.metro.shell.column_texts import TEXTS


class Metro(CompiledGame):
    name = "metro"
    declared, words, texts = result_tables.TABLES, result_tables.WORDS, TEXTS
    bot_entry_points: ClassVar = entry_points
    rows_type, position_type, changed_opening_type = Rows, Position, ChangedOpenings
    example_sampling = entry_points.EXAMPLE_SAMPLING
    result, verified_game = staticmethod(result), staticmethod(record.verify)

    def make_playable(self, variant: Variant) -> MetroVariant:
        return prepare(ruleset(variant.rules, variant.players), variant)

    def interventions(self, prepared: MetroVariant) -> dict[str, str]:
        return interventions(prepared.rules)

    def interventions_by_seat(self, prepared: MetroVariant) -> tuple[str, ...]:
        return (FIRST_TURNS,)

    def rows_per_game(self, prepared: MetroVariant) -> dict[str, int]:
        return result_tables.rows_per_game(prepared.rules)

    def play_uniform(self, prepared: MetroVariant, game: int) -> Game:
        return play_uniform(prepared.rules, Seed(prepared.seed, game, prepared.seating.rotate))

    def first_decision(self, table: Game, seed: Mapping[str, Any]) -> Position:
        prepared = prepare(table.rules, Variant(table.rules.name, seed=seed["master"]))
        return Position(prepared, seed["game"], table.deal)

    def record(self, prepared: MetroVariant, game: int) -> dict[str, Any]:
        check_no_interventions(prepared)
        seed, bots = Seed(prepared.seed, game, prepared.seating.rotate), [bot.spec for bot in prepared.seating.at(game)]
        if all(bot == BOTS["uniform"] for bot in prepared.bots):  # the reference engine has nothing to compile
            table = self.play_uniform(prepared, game)
            return record.record_of(table, result(table), bots, seed)
        position = Position(prepared, game)
        position.play_out()
        return record.record_of(position, position.result(), bots, seed)
