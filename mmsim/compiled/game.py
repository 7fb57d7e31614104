"""The part of `SimulatedGame` that all compiled games share."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.startup import warm_up
from mmsim.compiled.stepwise import CompiledVariant, Steps, play_step_by_step, win_chances_by_turn
from mmsim.compiled.training_examples import SAMPLING_REQUEST, ExampleSampling, PositionSampling
from mmsim.core.bots import NetBot
from mmsim.core.game import GameRows
from mmsim.core.interventions import check_interventions, check_no_interventions
from mmsim.core.python_bots import PythonBot
from mmsim.core.variant import Variant
from mmsim.tables.columns import empty_rows
from mmsim.tables.frames import TabledGame


class ChangedOpening(Protocol):
    """Sets up games with interventions and plays their changed openings."""

    memory: Any
    setting: Any

    def open(self, game: int) -> int:
        """Play a game until its bots choose freely; returns the number of decisions made."""


class CompiledGame(TabledGame):
    """A game whose engine and bots are compiled; each game adds the members that are specific to it."""

    bot_entry_points: ClassVar[Any]  # the module `bots/entry_points.py`
    rows_type: ClassVar[Any]  # a named tuple with one array per table, written by compiled code
    position_type: ClassVar[Any]  # (prepared, game) -> a game that is played one decision at a time
    changed_opening_type: ClassVar[Any]  # (prepared) -> ChangedOpening
    example_sampling: ClassVar[ExampleSampling]
    position_sampling: ClassVar[PositionSampling]  # of games whose bots have value nets
    result: ClassVar[Any]  # (game of the reference engine) -> its outcome
    verified_game: ClassVar[Any]  # (record) -> its game, replayed by the reference engine; RecordError if they differ

    @abstractmethod
    def make_playable(self, variant: Variant) -> CompiledVariant:
        """The variant with everything that compiled code needs."""

    @abstractmethod
    def play_uniform(self, prepared: Any, game: int) -> Any:
        """A game of `uniform` bots, played by the reference engine."""

    @abstractmethod
    def first_decision(self, table: Any, seed: Mapping[str, Any]) -> Steps[Any]:
        """The game of the reference engine, with the seed of its record, at its first decision."""

    def prepare(self, variant: Variant) -> CompiledVariant:
        prepared = self.make_playable(variant)
        check_interventions(self, prepared)
        return prepared

    def start_up(self) -> float:
        return warm_up(self.name)

    def play_games(self, prepared: CompiledVariant, first_game: int, count: int) -> GameRows:
        """Play games in compiled code, or step by step if a bot is written in Python."""
        rows = empty_rows(self.row_types, self.rows_per_game(prepared), count)
        if prepared.variant.interventions:
            return self._play_changed(prepared, first_game, rows)
        if any(isinstance(bot, PythonBot) for bot in prepared.bots):
            return play_step_by_step((self.position_type(prepared, first_game + i) for i in range(count)), rows)
        return GameRows(rows, self.play_compiled(prepared, first_game, rows))

    def play_compiled(self, prepared: Any, first_game: int, rows: dict[str, NDArray[Any]]) -> int:
        """Play games in compiled code into rows; returns the number of decisions."""
        memory, deal = self.bot_entry_points.new_memory(), prepared.seating.games_per_deal
        played = self.rows_type(**rows)
        return int(self.bot_entry_points.play_games(memory, prepared.setting, played, prepared.seed, first_game, deal))

    def _play_changed(self, prepared: CompiledVariant, first_game: int, rows: dict[str, NDArray[Any]]) -> GameRows:
        """Play games with interventions into rows."""
        table: ChangedOpening = self.changed_opening_type(prepared)
        row_arrays, decisions = self.rows_type(**rows), 0
        for i in range(len(rows["games"])):
            decisions += table.open(first_game + i)
            decisions += int(
                self.bot_entry_points.finish_game(table.memory, table.setting, row_arrays, first_game + i, i)
            )
        return GameRows(rows, decisions)

    def play_reference(self, prepared: Any, first_game: int, count: int) -> int:
        decisions = 0
        for game in range(first_game, first_game + count):
            table = self.play_uniform(prepared, game)
            self.result(table)
            decisions += len(table.history)
        return decisions

    def training_examples(self, prepared: CompiledVariant, first_game: int, count: int, learner: str) -> NDArray[Any]:
        sampling, memory = self.example_sampling, self.bot_entry_points.new_memory()
        rows = np.zeros(sampling.rows, sampling.kind).view(np.recarray)
        request, examples = np.zeros(1, SAMPLING_REQUEST).view(np.recarray), [rows[:0].copy()]
        for game in range(first_game, first_game + count):
            learners = sum(1 << seat for seat, bot in enumerate(prepared.seating.at(game)) if bot.spec == learner)
            request[0] = (
                *(prepared.seed, game, prepared.games_per_deal, learners),
                *(sampling.every, sampling.most, sampling.rounds),
            )
            collected = int(self.bot_entry_points.collect_examples(memory, prepared.setting, rows, request))
            examples.append(rows[:collected].copy())
        return np.concatenate(examples)

    def training_positions(
        self, prepared: CompiledVariant, first_game: int, count: int
    ) -> tuple[NDArray[Any], NDArray[np.uint16]]:
        sampling, memory = self.position_sampling, self.bot_entry_points.new_memory()
        judged = sampling.judged_every and all(isinstance(bot, NetBot) for bot in prepared.seating.bots)
        every, rounds = (sampling.judged_every, sampling.rounds) if judged else (sampling.every, 0)
        rows = np.zeros(sampling.rows, sampling.kind).view(np.recarray)
        request, positions = np.zeros(1, SAMPLING_REQUEST).view(np.recarray), [rows[:0].copy()]
        for game in range(first_game, first_game + count):
            request[0] = prepared.seed, game, prepared.games_per_deal, 0, every, 0, rounds
            collected = int(self.bot_entry_points.collect_positions(memory, prepared.setting, rows, request))
            positions.append(rows[:collected].copy())
        collected_rows = np.concatenate(positions)
        feature = collected_rows["feature"]
        held = np.arange(feature.shape[1]) < collected_rows["features"][:, None]
        columns = [name for name in sampling.kind.names or () if name != "feature"]
        return collected_rows[columns], feature[held]

    def mirrored_features(self, prepared: Any) -> NDArray[np.int64]:
        return np.zeros(0, np.int64)

    def win_chances(self, written: dict[str, Any], playouts: int) -> NDArray[Any]:
        table = self.verified_game(written)
        position = self.first_decision(table, written["seed"])
        return win_chances_by_turn(position, table.history, playouts, table.rules.players, self.result(table).winners)

    def new_game(self, prepared: CompiledVariant, game: int) -> Any:
        check_no_interventions(prepared)
        return self.position_type(prepared, game)

    def verify(self, written: dict[str, Any]) -> None:
        self.verified_game(written)
