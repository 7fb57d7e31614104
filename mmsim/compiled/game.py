"""A game with compiled code behind the seam: what is the same whatever the game."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.startup import warm_up
from mmsim.core.game import GameRows, Variant
from mmsim.core.interventions import check_interventions, check_untouched
from mmsim.core.prepared_variant import PreparedVariant
from mmsim.core.seating import PythonBot
from mmsim.core.stepwise import Steps, chances_by_turn, play_step_by_step
from mmsim.core.training_examples import Lessons, collect_lessons
from mmsim.tables.columns import empty_rows, row_types
from mmsim.tables.game_tables import TabledGame


class OpenedTable(Protocol):
    """Where games are set up in which something is changed by force."""

    memory: Any
    setting: Any

    def open(self, game: int) -> int:
        """Bring a game to where nothing is forced any more; the decisions made."""


class CompiledGame(TabledGame, ABC):
    """The part of the seam that all games fill alike whose code is compiled: they say what is their own."""

    name: ClassVar[str]
    thinking: ClassVar[Any]  # `bots/entry_points.py`: what Python asks of the bots
    rows: ClassVar[Any]  # the named tuple of an array a table that compiled code writes
    position: ClassVar[Any]  # a game one decision after another: (prepared, game)
    opened: ClassVar[Any]  # (prepared) -> OpenedTable
    lessons_asked: ClassVar[Lessons]

    @abstractmethod
    def ready(self, variant: Variant) -> PreparedVariant:
        """A variant, ready to be played."""

    @abstractmethod
    def interventions(self, prepared: Any) -> dict[str, str]:
        """What can be changed by force in games of a variant."""

    @abstractmethod
    def rows_per_game(self, prepared: Any) -> dict[str, int]:
        """How many rows every table has for a game."""

    @abstractmethod
    def describe_rules(self, prepared: Any) -> dict[str, Any]:
        """What a manifest says of rules, players and board."""

    @abstractmethod
    def play_uniform(self, prepared: Any, game: int) -> Any:
        """A game that `uniform` bots play with the reference engine."""

    @abstractmethod
    def result(self, table: Any) -> Any:
        """The outcome of a game of the reference engine."""

    @abstractmethod
    def read_record(self, written: dict[str, Any]) -> Any:
        """A record played again with the reference engine; raises an error that says what differs."""

    @abstractmethod
    def first_decision(self, table: Any, seed: Mapping[str, Any]) -> Steps[Any]:
        """The same game as one of the reference engine, with the seed of its record, at its first decision."""

    def prepare(self, variant: Variant) -> Any:
        prepared = self.ready(variant)
        check_interventions(variant.interventions, self.interventions(prepared), prepared.bots)
        return prepared

    def start_up(self) -> float:
        return warm_up(self.name)

    def play_games(self, prepared: PreparedVariant, first_game: int, count: int) -> GameRows:
        """Games inside compiled code, or step by step where a bot is written in Python."""
        rows = empty_rows(self._row_types, self.rows_per_game(prepared), count)
        if prepared.variant.interventions:
            return self._play_changed(prepared, first_game, rows)
        if any(isinstance(bot, PythonBot) for bot in prepared.bots):
            return play_step_by_step((self.position(prepared, first_game + i) for i in range(count)), rows)
        memory, deal = self.thinking.new_memory(), prepared.seating.games_a_deal
        decisions = self.thinking.play_games(
            memory, prepared.setting, self.rows(**rows), prepared.seed, first_game, deal
        )
        return GameRows(rows, int(decisions))

    def _play_changed(self, prepared: PreparedVariant, first_game: int, rows: dict[str, NDArray[Any]]) -> GameRows:
        """Games in which something is changed by force, into rows that have room for them."""
        table: OpenedTable = self.opened(prepared)
        places, decisions = self.rows(**rows), 0
        for i in range(len(rows["games"])):
            decisions += table.open(first_game + i)
            decisions += int(self.thinking.finish_game(table.memory, table.setting, places, first_game + i, i))
        return GameRows(rows, decisions)

    @cached_property
    def _row_types(self) -> dict[str, np.dtype[Any]]:
        return row_types(self.declared)

    def play_reference(self, prepared: Any, first_game: int, count: int) -> int:
        decisions = 0
        for game in range(first_game, first_game + count):
            table = self.play_uniform(prepared, game)
            self.result(table)
            decisions += len(table.history)
        return decisions

    def lessons(self, prepared: PreparedVariant, first_game: int, count: int, learner: str) -> NDArray[Any]:
        play = partial(self.thinking.collect_lessons, self.thinking.new_memory(), prepared.setting)
        return collect_lessons(prepared, range(first_game, first_game + count), learner, self.lessons_asked, play)

    def chances(self, written: dict[str, Any], playouts: int) -> NDArray[Any]:
        table = self.read_record(written)
        position = self.first_decision(table, written["seed"])
        return chances_by_turn(position, table.history, playouts, table.rules.players, self.result(table).winners)

    def describe(self, prepared: PreparedVariant) -> dict[str, Any]:
        return {
            "game": self.name,
            "name": prepared.name,
            **self.describe_rules(prepared),
            "bots": [{"bot": bot.spec, **bot.about} for bot in prepared.bots],
            "seats": prepared.variant.seats,
            "seed": prepared.seed,
        }

    def new_game(self, prepared: PreparedVariant, game: int) -> Any:
        check_untouched(prepared)
        return self.position(prepared, game)

    def verify(self, written: dict[str, Any]) -> None:
        self.read_record(written)
