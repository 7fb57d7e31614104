"""A variant ready to be played, and the one way to call the compiled core."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.warm import warm_up
from mmsim.core.bots import Bot
from mmsim.core.game import Variant
from mmsim.core.seating import PythonBot, games_a_deal
from mmsim.metromania.bots import seat_bots, seated
from mmsim.metromania.bots.entries import SET_UP, SHARD, run
from mmsim.metromania.bots.thinking import memory
from mmsim.metromania.engine import state, tables
from mmsim.metromania.engine.trips import new_network
from mmsim.metromania.rules.board import BoardSet
from mmsim.metromania.rules.rulesets import Ruleset, ruleset

_MOST_MOVES = 1024


@dataclass(frozen=True)
class Prepared:
    """A variant, ready to be played: its board, rules and deals as compiled code reads them."""

    board_set: BoardSet
    rules: Ruleset
    bots: tuple[Bot, ...]
    seed: int
    board: state.Record
    rule_record: state.Record
    deals: NDArray[np.uint8]
    seatings: state.Record  # a row for every rotation of the bots
    name: str

    @property
    def rotations(self) -> int:
        return len(self.seatings) // memory.SEATINGS

    @property
    def has_python_bots(self) -> bool:
        return any(isinstance(bot, PythonBot) for bot in self.bots)

    def seated(self, game: int) -> list[Bot]:
        """The bots of a game, seat by seat."""
        return seated(self.rules, self.bots, game % self.rotations)

    def names(self, game: int) -> list[str]:
        """How the bots of a game are called in tables and records, seat by seat."""
        return [bot.spec for bot in self.seated(game)]


def prepare(board_set: BoardSet, rules: Ruleset, variant: Variant) -> Prepared:
    """A variant whose board set and ruleset are at hand."""
    bots = seat_bots(variant.bots, rules.companies)
    return Prepared(
        board_set,
        rules,
        bots,
        variant.seed,
        state.board_record(board_set),
        state.rules_record(rules),
        state.deal_table(rules),
        seatings(rules, bots, variant.rotate),
        rules.variant + variant.suffix,
    )


def seatings(rules: Ruleset, bots: Sequence[Bot], rotate: bool) -> state.Record:
    """The bots as compiled code reads them, for every rotation."""
    rotations = games_a_deal(rules.players, rotate)
    rows = np.zeros(rotations * memory.SEATINGS, memory.BOTS).view(np.recarray)
    for rotation in range(rotations):
        first = rotation * memory.SEATINGS
        for seat, bot in enumerate(seated(rules, bots, rotation)):
            memory.fill(rows[first], seat, bot.kind, bot.settings)
            if bot.kind == memory.SEARCH:
                for other in range(rules.companies):  # everybody plays its playouts by its own weights
                    memory.fill(rows[first + 1 + seat], other, memory.WEIGHING, bot.settings)
    return rows


class Memory:
    """The core's working memory for one variant, and the one way to call it."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.state = state.new_record(state.STATE)
        self.moves = np.zeros(_MOST_MOVES, np.int64)
        self._deals = prepared.deals
        self._network = new_network()
        self.mind = state.new_record(memory.MIND)
        self.views = np.zeros(memory.VIEWS, state.STATE).view(np.recarray)
        self._no_rows = tables.empty_rows(prepared.rules.companies, 0)

    def set_up(self, game: int, layout: int, hands: NDArray[np.uint8] | None) -> None:
        """A game at its first decision; a layout below zero is drawn, and so are the hands if none are given."""
        if hands is not None:
            self._deals = hands
        self.run(SET_UP, game=game, layout=layout)
        self._deals = self.prepared.deals

    def run(
        self,
        what: int,
        number: int = 0,
        game: int = 0,
        layout: int = -1,
        rows: Mapping[str, NDArray[Any]] | None = None,
    ) -> int:
        """Do one of the things `playout.run` can do."""
        prepared, into = self.prepared, rows or self._no_rows
        return int(
            run(
                np.int64(what),
                np.int64(number),
                np.uint64(prepared.seed),
                np.int64(game),
                np.int64(layout),
                self.state,
                prepared.board,
                prepared.rule_record,
                self._deals,
                prepared.seatings,
                self._network,
                self.mind,
                self.views,
                self.moves,
                into["games"],
                into["seats"],
                into["trips"],
                into["lines"],
            )
        )


@cache
def start_up() -> float:
    """Have the core ready: compile it, or load what has been compiled; the seconds that took the first time."""
    board_set = BoardSet("tiny", 3, (("." * 1, "." * 3, "." * 5),) * 6, ("S.E",) * 6)
    tiny = prepare(board_set, ruleset("print"), Variant("print"))
    rows = tables.empty_rows(tiny.rules.companies, 1)
    return warm_up("metromania", lambda: Memory(tiny).run(SHARD, rows=rows))
