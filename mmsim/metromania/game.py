"""Metromania behind the seam: the fast core for whole games, and step by step for Python."""

from typing import Any

from numpy.typing import NDArray

from mmsim.compiled.warm import warm_up
from mmsim.core.game import GameRows, Variant
from mmsim.core.interventions import check_interventions, check_untouched
from mmsim.core.tabled import TabledGame, Texts
from mmsim.metromania.bots import BOTS
from mmsim.metromania.bots.chances import chances
from mmsim.metromania.bots.lessons import collect_lessons
from mmsim.metromania.bots.position import Position
from mmsim.metromania.bots.prepared import Prepared, prepare
from mmsim.metromania.bots.thinking.memory import ELEMENTS
from mmsim.metromania.bots.whole_games import play_games
from mmsim.metromania.engine import tables
from mmsim.metromania.interventions import INTERVENTIONS, Intervened, play_intervened
from mmsim.metromania.rules import boardfile
from mmsim.metromania.rules.play import Seed, play_out, set_up
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.rules.rulesets import RULES_VERSION, ruleset
from mmsim.metromania.shell import record


class Metromania(TabledGame):
    """The game object of the house."""

    name = "metromania"
    declared, words = tables.TABLES, tables.WORDS

    def texts(self) -> Texts:
        from mmsim.metromania.engine.texts import TEXTS  # Polars takes a moment to import

        return TEXTS

    def prepare(self, variant: Variant) -> Prepared:
        prepared = prepare(boardfile.load(variant.board), ruleset(variant.rules, variant.players), variant)
        check_interventions(variant.interventions, INTERVENTIONS, prepared.bots)
        return Intervened(**vars(prepared), interventions=variant.interventions) if variant.interventions else prepared

    def start_up(self) -> float:
        return warm_up(self.name)

    def play_games(self, prepared: Prepared, first_game: int, count: int) -> GameRows:
        if isinstance(prepared, Intervened):
            return play_intervened(prepared, first_game, count)
        return play_games(prepared, first_game, count)

    def interventions(self, prepared: Prepared) -> dict[str, str]:
        return INTERVENTIONS

    def elements(self, prepared: Prepared) -> dict[str, str]:
        hidden = prepared.rules.hands == "hidden"
        return {name: text for name, text in ELEMENTS.items() if not (name == "sight" and hidden)}

    def lessons(self, prepared: Prepared, first_game: int, count: int, learner: str) -> NDArray[Any]:
        return collect_lessons(prepared, first_game, count, learner)

    def chances(self, written: dict[str, Any], playouts: int) -> NDArray[Any]:
        seed = written["seed"]
        return chances(record.verify(written), seed["master"], seed["game"], playouts)

    def rows_per_game(self, prepared: Prepared) -> dict[str, int]:
        return tables.rows_per_game(prepared.rules.companies)

    def describe(self, prepared: Prepared) -> dict[str, Any]:
        board_set, rules = prepared.board_set, prepared.rules
        return {
            "game": self.name,
            "name": prepared.name,
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
            "bots": [{"bot": bot.spec, **bot.about} for bot in prepared.bots],
            "seats": "rotate" if prepared.seating.rotate else "fixed",
            "seed": prepared.seed,
        }

    def new_game(self, prepared: Prepared, game: int) -> "Position":
        check_untouched(prepared)
        return Position(prepared, game)

    def record(self, prepared: Prepared, game: int) -> dict[str, Any]:
        check_untouched(prepared)
        seed, bots = Seed(prepared.seed, game), [bot.spec for bot in prepared.seating.at(game)]
        if all(bot == BOTS["uniform"] for bot in prepared.bots):  # the reference engine has nothing to compile
            table = set_up(
                prepared.board_set, prepared.rules, Seed(prepared.seed, game // prepared.seating.games_a_deal)
            )
            play_out(table, seed)
            return record.to_record(table, bots, seed)
        position = Position(prepared, game)
        position.play_out()
        return record.record_of(position, position.result(), bots, seed)

    def verify(self, written: dict[str, Any]) -> None:
        record.verify(written)

    def play_reference(self, prepared: Prepared, first_game: int, count: int) -> int:
        decisions = 0
        for game in range(first_game, first_game + count):
            seed = Seed(prepared.seed, game)
            table = set_up(prepared.board_set, prepared.rules, seed)
            play_out(table, seed)
            result(table)
            decisions += len(table.history)
        return decisions
