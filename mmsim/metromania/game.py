"""Metromania behind the seam: what the house asks of it that is its own."""

from collections.abc import Mapping
from typing import Any, ClassVar

from mmsim.compiled.game import CompiledGame
from mmsim.core.game import Variant
from mmsim.core.interventions import check_untouched
from mmsim.metromania.bots import BOTS, entry_points
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.prepared_variant import Prepared, prepare
from mmsim.metromania.bots.thinking.memory import ELEMENTS
from mmsim.metromania.bots.training_examples import LESSONS
from mmsim.metromania.engine import tables
from mmsim.metromania.engine.entry_points import Rows
from mmsim.metromania.interventions import INTERVENTIONS, Opened
from mmsim.metromania.rules import boardfile
from mmsim.metromania.rules.play import Seed, play_out, set_up
from mmsim.metromania.rules.position import Game
from mmsim.metromania.rules.reference_scoring import Result, result
from mmsim.metromania.rules.rulesets import RULES_VERSION, ruleset
from mmsim.metromania.shell import record
from mmsim.metromania.shell.column_texts import TEXTS


class Metromania(CompiledGame):
    """The game object of the house."""

    name = "metromania"
    declared, words, texts = tables.TABLES, tables.WORDS, TEXTS
    thinking: ClassVar = entry_points
    rows, position, opened, lessons_asked = Rows, Position, Opened, LESSONS

    def ready(self, variant: Variant) -> Prepared:
        return prepare(boardfile.load(variant.board), ruleset(variant.rules, variant.players), variant)

    def interventions(self, prepared: Prepared) -> dict[str, str]:
        return INTERVENTIONS

    def elements(self, prepared: Prepared) -> dict[str, str]:
        hidden = prepared.rules.hands == "hidden"
        return {name: text for name, text in ELEMENTS.items() if not (name == "open_hands" and hidden)}

    def rows_per_game(self, prepared: Prepared) -> dict[str, int]:
        return tables.rows_per_game(prepared.rules.companies)

    def describe_rules(self, prepared: Prepared) -> dict[str, Any]:
        board_set, rules = prepared.board_set, prepared.rules
        return {
            "players": rules.players,
            "companies": rules.companies,
            "seat_player": list(rules.seat_player),
            "rules_version": RULES_VERSION,
            "ruleset": {"name": rules.name, **rules.knobs()},
            "board": {
                "set": board_set.name,
                "side": board_set.side,
                "pieces": [list(piece) for piece in board_set.pieces],
                "frame": list(board_set.frame),
            },
        }

    def play_uniform(self, prepared: Prepared, game: int) -> Game:
        dealt = Seed(prepared.seed, game // prepared.seating.games_a_deal)
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

    def record(self, prepared: Prepared, game: int) -> dict[str, Any]:
        check_untouched(prepared)
        seed, bots = Seed(prepared.seed, game), [bot.spec for bot in prepared.seating.at(game)]
        if all(bot == BOTS["uniform"] for bot in prepared.bots):  # the reference engine has nothing to compile
            return record.to_record(self.play_uniform(prepared, game), bots, seed)
        position = Position(prepared, game)
        position.play_out()
        return record.record_of(position, position.result(), bots, seed)
