"""Metro behind the seam: the fast core for whole games, and step by step for Python."""

from typing import Any

from numpy.typing import NDArray

from mmsim.compiled.warm import warm_up
from mmsim.core.game import GameRows, Variant
from mmsim.core.interventions import check_interventions, check_untouched
from mmsim.core.tabled import TabledGame, Texts
from mmsim.metro.bots import BOTS
from mmsim.metro.bots.chances import chances
from mmsim.metro.bots.kinds import ELEMENTS
from mmsim.metro.bots.lessons import collect_lessons
from mmsim.metro.bots.position import Position
from mmsim.metro.bots.prepared import Prepared, prepare
from mmsim.metro.bots.whole_games import play_games
from mmsim.metro.engine import tables
from mmsim.metro.interventions import Intervened, interventions, play_intervened
from mmsim.metro.rules.deal import central_tiles, number_colours
from mmsim.metro.rules.play import Seed, play_uniform
from mmsim.metro.rules.reference_scoring import result
from mmsim.metro.rules.rulesets import RULES_VERSION, ruleset
from mmsim.metro.shell import record


class Metro(TabledGame):
    """The game object of the house."""

    name = "metro"
    declared, words = tables.TABLES, tables.WORDS

    def texts(self) -> Texts:
        from mmsim.metro.engine.texts import TEXTS  # Polars takes a moment to import

        return TEXTS

    def prepare(self, variant: Variant) -> Prepared:
        prepared = prepare(ruleset(variant.rules, variant.players), variant)
        check_interventions(variant.interventions, interventions(prepared.rules), prepared.bots)
        return Intervened(**vars(prepared), interventions=variant.interventions) if variant.interventions else prepared

    def start_up(self) -> float:
        return warm_up(self.name)

    def play_games(self, prepared: Prepared, first_game: int, count: int) -> GameRows:
        if isinstance(prepared, Intervened):
            return play_intervened(prepared, first_game, count)
        return play_games(prepared, first_game, count)

    def interventions(self, prepared: Prepared) -> dict[str, str]:
        return interventions(prepared.rules)

    def elements(self, prepared: Prepared) -> dict[str, str]:
        modules = {"wagons": prepared.rules.stations, "exchanges": prepared.rules.companies}
        return {name: text for name, text in ELEMENTS.items() if modules.get(name, True)}

    def lessons(self, prepared: Prepared, first_game: int, count: int, learner: str) -> NDArray[Any]:
        return collect_lessons(prepared, first_game, count, learner)

    def chances(self, written: dict[str, Any], playouts: int) -> NDArray[Any]:
        seed = written["seed"]
        return chances(record.verify(written), seed["master"], seed["game"], playouts)

    def rows_per_game(self, prepared: Prepared) -> dict[str, int]:
        return tables.rows_per_game(prepared.rules)

    def describe(self, prepared: Prepared) -> dict[str, Any]:
        rules = prepared.rules
        return {
            "game": self.name,
            "name": prepared.name,
            "players": rules.players,
            "seat_player": list(range(rules.players)),
            "rules_version": RULES_VERSION,
            "ruleset": {"name": rules.name, **rules.knobs()},
            "board": {
                "wagons": record.wagons(rules),
                "central_tiles": list(central_tiles()),
                "number_colours": {colour: list(stations) for colour, stations in number_colours().items()},
            },
            "bots": [{"bot": bot.spec, **bot.about} for bot in prepared.bots],
            "seats": "rotate" if prepared.seating.rotate else "fixed",
            "seed": prepared.seed,
        }

    def new_game(self, prepared: Prepared, game: int) -> Position:
        check_untouched(prepared)
        return Position(prepared, game)

    def record(self, prepared: Prepared, game: int) -> dict[str, Any]:
        check_untouched(prepared)
        seed, bots = Seed(prepared.seed, game, prepared.seating.rotate), [bot.spec for bot in prepared.seating.at(game)]
        if all(bot == BOTS["uniform"] for bot in prepared.bots):  # the reference engine has nothing to compile
            table = play_uniform(prepared.rules, seed)
            return record.record_of(table, table.deal, result(table), bots, seed)
        position = self.new_game(prepared, game)
        dealt = position.dealt()
        position.play_out()
        return record.record_of(position, dealt, position.result(), bots, seed)

    def verify(self, written: dict[str, Any]) -> None:
        record.verify(written)

    def play_reference(self, prepared: Prepared, first_game: int, count: int) -> int:
        decisions = 0
        for game in range(first_game, first_game + count):
            table = play_uniform(prepared.rules, Seed(prepared.seed, game, prepared.seating.rotate))
            result(table)
            decisions += len(table.history)
        return decisions
