"""Metro behind the seam: the fast core for whole shards, and step by step for Python."""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmsim.core.game import BotError, Shard, Variant
from mmsim.core.seating import BotFailedError, PythonBot
from mmsim.core.warm import warm_up
from mmsim.metro import record, state, tables
from mmsim.metro.bots import seat_bots
from mmsim.metro.deal import central_tiles, number_colours
from mmsim.metro.play import Seed, check_board, play_uniform
from mmsim.metro.playout import play_shard
from mmsim.metro.position import Position, Prepared
from mmsim.metro.reference_scoring import result
from mmsim.metro.rules import RULES_VERSION, Ruleset, ruleset

if TYPE_CHECKING:
    import polars as pl

    from mmsim.core.frames import Frames


class Metro:
    """The game object of the house."""

    name = "metro"

    @property
    def tables(self) -> "dict[str, pl.Schema]":
        frames = _frames()
        return {table: frames.schema(table) for table in tables.ROWS}

    def prepare(self, variant: Variant) -> Prepared:
        return prepare(ruleset(variant.rules, variant.players), variant)

    def play_shard(self, prepared: Prepared, first_game: int, count: int) -> Shard:
        start_up()
        if any(isinstance(bot, PythonBot) for bot in prepared.bots):
            return _step_rows(prepared, first_game, count)
        return _play_rows(prepared, first_game, count)

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
            "bots": [{"bot": bot.spec, **bot.settings} for bot in prepared.bots],
            "seats": "rotate" if prepared.rotate else "fixed",
            "seed": prepared.seed,
        }

    def frame(self, prepared: Prepared, table: str, rows: NDArray[Any]) -> "pl.DataFrame":
        names = np.array([bot.spec for bot in prepared.bots])
        bots = names[:0]
        if table == "seats":
            players = prepared.rules.players
            games = rows["game"].astype(np.int64) if prepared.rotate else 0
            bots = names[(rows["seat"] + games) % players]
        return _frames().frame(table, rows, prepared.name, bots)

    def new_game(self, prepared: Prepared, game: int) -> Position:
        start_up()
        return Position(prepared, game)

    def record(self, prepared: Prepared, game: int) -> dict[str, Any]:
        position = self.new_game(prepared, game)
        dealt = position.dealt()
        position.play_out()
        bots = [bot.spec for bot in position.bots]
        seed = Seed(prepared.seed, game, prepared.rotate)
        return record.record_of(position, dealt, position.result(), bots, seed)

    def verify(self, told: dict[str, Any]) -> None:
        record.verify(told)

    def play_reference(self, prepared: Prepared, first_game: int, count: int) -> int:
        decisions = 0
        for game in range(first_game, first_game + count):
            table = play_uniform(prepared.rules, Seed(prepared.seed, game, prepared.rotate))
            result(table)
            decisions += len(table.history)
        return decisions

    def picture(self, told: dict[str, Any]) -> bytes:
        from mmsim.core.sheet import drawn  # matplotlib is slow to import; only pictures pay for it
        from mmsim.metro.draw import figure

        played = record.verify(told)
        return drawn(".svg", lambda: figure(played))


def _frames() -> "Frames":
    from mmsim.core.frames import Frames  # Polars takes a moment to import; a worker's first game does not wait

    return Frames(tables.ROWS, tables.WORDS, tables.NULLABLE)


def prepare(rules: Ruleset, variant: Variant) -> Prepared:
    """A variant whose ruleset is at hand."""
    check_board(variant.board)
    bots = seat_bots(variant.bots, rules.players)
    bot_record = state.new_record(state.BOTS)
    for who, bot in enumerate(bots):
        weights = list(bot.settings.values())
        bot_record[0].kind[who] = bot.kind
        bot_record[0].weights[state.WEIGHTS * who : state.WEIGHTS * who + len(weights)] = weights
    return Prepared(
        rules,
        bots,
        variant.seed,
        variant.seats == "rotate",
        variant.name or rules.variant,
        state.board_record(rules),
        state.rules_record(rules),
        bot_record,
    )


@cache
def _ready() -> float:
    """Compile, or load what has been compiled; the seconds it took."""
    tiny = prepare(ruleset("metro"), Variant("metro"))

    def run() -> None:
        rows = _play_rows(tiny, 0, 1)
        position = Position(tiny)
        position.legal_moves()
        position.write(0, tables.FINISHED, rows)

    return warm_up("metro", run)


def start_up() -> float:
    """Have the core ready; the seconds that took the first time."""
    return _ready()


def _step_rows(prepared: Prepared, first_game: int, count: int) -> Shard:
    """Games with a bot written in Python, step by step; a bot that fails ends its game."""
    rows = tables.empty_rows(prepared.rules, count)
    decisions, errors = 0, []
    for i in range(count):
        position, status = Position(prepared, first_game + i), tables.FINISHED
        try:
            position.play_out()
        except BotFailedError as failure:
            errors.append(BotError(position.game, failure.seat, failure.bot, failure.message))
            status = tables.BOT_ERROR
        decisions += len(position.history)
        position.write(i, status, rows)
    return Shard(rows, decisions, errors)


def _play_rows(prepared: Prepared, first_game: int, count: int) -> Shard:
    rows = tables.empty_rows(prepared.rules, count)
    decisions = play_shard(
        state.new_record(state.STATE, state.POSITIONS),
        prepared.board,
        prepared.rule_record,
        prepared.bot_record,
        state.new_record(state.DICE),
        state.new_record(state.MIND, state.MINDS),
        np.uint64(prepared.seed),
        np.int64(first_game),
        np.int64(prepared.rotate),
        rows["games"],
        rows["seats"],
        rows["lines"],
    )
    return Shard(rows, int(decisions))
