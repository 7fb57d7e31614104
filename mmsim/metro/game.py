"""Metro behind the seam: what the house asks of it that is its own."""

from collections.abc import Mapping
from typing import Any, ClassVar

from mmsim.compiled.game import CompiledGame
from mmsim.core.game import Variant
from mmsim.core.interventions import check_untouched
from mmsim.metro.bots import BOTS, entry_points
from mmsim.metro.bots.kinds import ELEMENTS
from mmsim.metro.bots.position import Position
from mmsim.metro.bots.prepared_variant import Prepared, prepare
from mmsim.metro.bots.training_examples import LESSONS
from mmsim.metro.engine import tables
from mmsim.metro.engine.entry_points import Rows
from mmsim.metro.interventions import Opened, interventions
from mmsim.metro.rules.deal import central_tiles, number_colours
from mmsim.metro.rules.play import Seed, play_uniform
from mmsim.metro.rules.position import Game
from mmsim.metro.rules.reference_scoring import Result, result
from mmsim.metro.rules.rulesets import RULES_VERSION, ruleset
from mmsim.metro.shell import record
from mmsim.metro.shell.column_texts import TEXTS


class Metro(CompiledGame):
    """The game object of the house."""

    name = "metro"
    declared, words, texts = tables.TABLES, tables.WORDS, TEXTS
    thinking: ClassVar = entry_points
    rows, position, opened, lessons_asked = Rows, Position, Opened, LESSONS

    def ready(self, variant: Variant) -> Prepared:
        return prepare(ruleset(variant.rules, variant.players), variant)

    def interventions(self, prepared: Prepared) -> dict[str, str]:
        return interventions(prepared.rules)

    def elements(self, prepared: Prepared) -> dict[str, str]:
        modules = {"wagons": prepared.rules.stations, "exchanges": prepared.rules.companies}
        return {name: text for name, text in ELEMENTS.items() if modules.get(name, True)}

    def rows_per_game(self, prepared: Prepared) -> dict[str, int]:
        return tables.rows_per_game(prepared.rules)

    def describe_rules(self, prepared: Prepared) -> dict[str, Any]:
        rules = prepared.rules
        return {
            "players": rules.players,
            "seat_player": list(range(rules.players)),
            "rules_version": RULES_VERSION,
            "ruleset": {"name": rules.name, **rules.knobs()},
            "board": {
                "wagons": record.wagons(rules),
                "central_tiles": list(central_tiles()),
                "number_colours": {colour: list(stations) for colour, stations in number_colours().items()},
            },
        }

    def play_uniform(self, prepared: Prepared, game: int) -> Game:
        return play_uniform(prepared.rules, Seed(prepared.seed, game, prepared.seating.rotate))

    def result(self, table: Game) -> Result:
        return result(table)

    def read_record(self, written: dict[str, Any]) -> Game:
        return record.verify(written)

    def first_decision(self, table: Game, seed: Mapping[str, Any]) -> Position:
        prepared = prepare(table.rules, Variant(table.rules.name, seed=seed["master"]))
        return Position(prepared, seed["game"], table.deal)

    def record(self, prepared: Prepared, game: int) -> dict[str, Any]:
        check_untouched(prepared)
        seed, bots = Seed(prepared.seed, game, prepared.seating.rotate), [bot.spec for bot in prepared.seating.at(game)]
        if all(bot == BOTS["uniform"] for bot in prepared.bots):  # the reference engine has nothing to compile
            table = self.play_uniform(prepared, game)
            return record.record_of(table, table.deal, result(table), bots, seed)
        position = Position(prepared, game)
        dealt = position.dealt()
        position.play_out()
        return record.record_of(position, dealt, position.result(), bots, seed)
