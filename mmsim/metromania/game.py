"""Metromania behind the seam: what the house asks of it that is its own."""

from collections.abc import Mapping
from typing import Any, ClassVar

from mmsim.compiled.game import CompiledGame
from mmsim.core.interventions import check_no_interventions
from mmsim.core.variant import Variant
from mmsim.metromania.bots import BOTS, entry_points
from mmsim.metromania.bots.kinds import ELEMENTS
from mmsim.metromania.bots.playable_variant import MetromaniaVariant, prepare
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.thinking.training_examples import EXAMPLES
from mmsim.metromania.engine import tables
from mmsim.metromania.engine.entry_points import Rows
from mmsim.metromania.interventions import INTERVENTIONS, ChangedGames
from mmsim.metromania.rules import boardfile
from mmsim.metromania.rules.play import Seed, play_out, set_up
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference_scoring import Result, result
from mmsim.metromania.rules.rulesets import ruleset
from mmsim.metromania.shell import record
from mmsim.metromania.shell.column_texts import TEXTS


class Metromania(CompiledGame):
    """The game object of the house."""

    name = "metromania"
    declared, words, texts = tables.TABLES, tables.WORDS, TEXTS
    bot_entry_points: ClassVar = entry_points
    rows, position, opened, examples_wanted = Rows, Position, ChangedGames, EXAMPLES

    def make_playable(self, variant: Variant) -> MetromaniaVariant:
        return prepare(boardfile.load(variant.board), ruleset(variant.rules, variant.players), variant)

    def interventions(self, prepared: MetromaniaVariant) -> dict[str, str]:
        return INTERVENTIONS

    def elements(self, prepared: MetromaniaVariant) -> dict[str, str]:
        hidden = prepared.rules.hands == "hidden"
        return {name: text for name, text in ELEMENTS.items() if not (name == "open_hands" and hidden)}

    def rows_per_game(self, prepared: MetromaniaVariant) -> dict[str, int]:
        return tables.rows_per_game(prepared.rules.companies)

    def play_uniform(self, prepared: MetromaniaVariant, game: int) -> Game:
        dealt = Seed(prepared.seed, game // prepared.seating.games_per_deal)
        table = set_up(prepared.board_set, prepared.rules, dealt)
        play_out(table, Seed(prepared.seed, game))
        return table

    def result(self, table: Game) -> Result:
        return result(table)

    def read_record(self, written: dict[str, Any]) -> Game:
        return record.verify(written)

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
