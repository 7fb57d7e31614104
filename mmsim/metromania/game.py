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
    result, verified_game = staticmethod(result), staticmethod(record.verify)

    def make_playable(self, variant: Variant) -> MetromaniaVariant:
        return prepare(board_file.load(variant.board), ruleset(variant.rules, variant.players), variant)

    def interventions(self, prepared: MetromaniaVariant) -> dict[str, str]:
        return INTERVENTIONS

    def interventions_by_seat(self, prepared: MetromaniaVariant) -> tuple[str, ...]:
        return (STARTS,)

    def rows_per_game(self, prepared: MetromaniaVariant) -> dict[str, int]:
        return result_tables.rows_per_game(prepared.rules.companies)

    def outcomes(self, prepared: MetromaniaVariant, rows: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.int64]]:
        games, companies = rows["games"], prepared.rules.companies
        possible = rows["trips"]["minutes"].reshape(len(games), -1) >= 0
        whole = {name: games[name].astype(np.int64) for name in ("turns", "margin", "lines_ended", "lines_blocked")}
        scores = np.zeros((len(games), prepared.players), np.int64)
        for seat, player in enumerate(prepared.rules.seat_player):
            scores[:, player] += rows["seats"]["score"].reshape(-1, companies)[:, seat]
        return {**whole, "trips_possible": possible.sum(axis=1), "points": scores.sum(axis=1), "score": scores}

    def mirrored_features(self, prepared: MetromaniaVariant) -> NDArray[np.int64]:
        return mirrored_features(prepared.board_set.side)

    def play_compiled(self, prepared: MetromaniaVariant, first_game: int, rows: dict[str, NDArray[Any]]) -> int:
        memory, deal, board_set = entry_points.new_memory(), prepared.games_per_deal, prepared.board_set
        end, decisions, game = first_game + len(rows["games"]), 0, first_game
        while game < end:  # games on the same city
            layout, per_city = board_set.layout_at(game), board_set.games_per_city
            stop = min(end, game - game % per_city + per_city) if per_city else end
            of_city = {
                table: rows[table][count * (game - first_game) : count * (stop - first_game)]
                for table, count in self.rows_per_game(prepared).items()
            }
            number, stretch = -1 if layout is None else layout.index, Rows(**of_city)
            decisions += int(
                entry_points.play_games(memory, prepared.setting, stretch, prepared.seed, game, deal, number)
            )
            game = stop
        return decisions

    def play_uniform(self, prepared: MetromaniaVariant, game: int) -> Game:
        seed = Seed(prepared.seed, game, prepared.seating.rotate)
        table = set_up(prepared.board_set, prepared.rules, seed, prepared.board_set.layout_at(game))
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
