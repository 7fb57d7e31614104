"""The rulesets that a design compares, and the games they play.

All rulesets of a cell play the same layouts and deals. The start plays along only where a goal or guard compares a
ruleset with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

from mmsim.analysis.design_games import Block, PlayBlocks
from mmsim.analysis.evidence import Column, Evidence, Finding, columns_of
from mmsim.analysis.goals import Goal
from mmsim.analysis.knob_grid import Setting
from mmsim.analysis.stats import Array
from mmsim.batch.experiment import GAMES_GROUP, cost_of
from mmsim.core.levels import Level
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.games import find_shell, find_statistics


@dataclass(frozen=True)
class Cell:
    """Who plays, on which board and which deals."""

    level: Level
    board: str | None
    seed: int

    @property
    def name(self) -> str:
        return f"{self.level.name} on {self.board}" if self.board else self.level.name


@dataclass
class Candidate:
    """A ruleset, and what its games say."""

    setting: Setting
    rules: str
    changes: tuple[str, ...]
    cost: float
    evidence: dict[Cell, Evidence] = field(default_factory=dict)
    findings: dict[Cell, Finding] = field(default_factory=dict)
    alphas: dict[Cell, float] = field(default_factory=dict)  # error rate of the finding in a cell of the proof

    @property
    def title(self) -> str:
        return " and ".join(self.changes) or "no change"

    def finding(self, cells: Iterable[Cell]) -> Finding:
        """What is shown in some cells together: a goal must be met in all of them."""
        return Finding.of_all([self.findings.get(cell, Finding.OPEN) for cell in cells])

    def is_excluded(self, cells: Iterable[Cell]) -> bool:
        return self.finding(cells) is Finding.FAILED


class Candidates:
    """The rulesets that a goal allows, those known so far, and their games."""

    def __init__(self, goal: Goal, play: PlayBlocks) -> None:
        self.goal, self._play = goal, play
        self.grid, self.book = goal.grid()
        self.constraints = goal.constraints()
        self.columns = columns(goal)
        self._first_level = goal.required_levels()[0]
        self.is_paired = any(limit.relative for limit in self.constraints)
        self._legal: dict[Setting, bool] = {}
        self._blocks: dict[Block, Array] = {}
        self.known: dict[Setting, Candidate] = {}

    def get(self, setting: Setting) -> Candidate:
        """The ruleset of a setting, known from now on."""
        if setting not in self.known:
            changes, cost = self.grid.changes(setting, self.book), self.grid.cost(setting, self.book)
            self.known[setting] = Candidate(setting, self._rules(setting), changes, cost)
        return self.known[setting]

    def _rules(self, setting: Setting) -> str:
        return ",".join((self.goal.base, *self.grid.changes(setting, self.book)))

    @cached_property
    def by_cost(self) -> list[Setting]:
        """All settings, the smallest changes first."""
        return sorted(self.grid.settings(), key=lambda setting: self.grid.cost(setting, self.book))

    def is_legal(self, setting: Setting) -> bool:
        if setting not in self._legal:
            try:
                find_shell(self.goal.game).explain(self._rules(setting), self.goal.players)
                self._legal[setting] = True
            except UsageError:  # a value contradicts another rule
                self._legal[setting] = False
        return self._legal[setting]

    def games_at(self, level: Level, games: int) -> int:
        """How many games a level plays for that many of the first: proportional to one over the root of its cost."""
        costs = [max(1.0, cost_of(self.goal.game, bots)) for bots in (level.bots, self._first_level.bots)]
        share = min(1.0, 1 / sqrt(costs[0] / costs[1]))
        return max(GAMES_GROUP, round(games * share / GAMES_GROUP) * GAMES_GROUP)

    def play_to(self, candidates: Sequence[Candidate], cell: Cell, games: int) -> None:
        """Have every candidate play this many games in a cell."""
        blocks = []
        for one in candidates:
            evidence = one.evidence.setdefault(cell, Evidence(self.columns, self.is_paired))
            if (done := evidence.games) < games:
                own = [self._block(rules, cell, done, games) for rules in (one.rules, self.goal.base)]
                blocks.append((evidence, own if self.is_paired else own[:1]))
        missing = dict.fromkeys(block for _, both in blocks for block in both if block not in self._blocks)
        self._blocks |= zip(missing, self._play([*missing]), strict=True)
        for evidence, both in blocks:
            evidence.add(*(self._blocks[block] for block in both))
        for block in missing:
            if not (self.is_paired and block.variant.rules == self.goal.base):
                del self._blocks[block]  # nothing else is compared with it

    def against_start(self, one: Candidate, cell: Cell, games: int) -> Evidence:
        """A ruleset and the start on the same deals."""
        if self.is_paired and one.evidence[cell].games >= games:
            return one.evidence[cell]
        evidence = Evidence(self.columns, is_paired=True)
        evidence.add(*self._play([self._block(rules, cell, 0, games) for rules in (one.rules, self.goal.base)]))
        return evidence

    def _block(self, rules: str, cell: Cell, done: int, games: int) -> Block:
        variant = Variant(rules, self.goal.players, cell.board, cell.level.bots, cell.seed)
        return Block(variant, done, games - done)


def other_metrics(goal: Goal) -> tuple[str, ...]:
    """The metrics that a sweep would draw, to see what else a change does."""
    limited = {limit.measure.name for limit in goal.constraints()}
    return tuple(name for name in find_statistics(goal.game).swept if name not in limited)


def columns(goal: Goal) -> tuple[Column, ...]:
    """What is kept of every game."""
    players = find_shell(goal.game).explain(goal.base, goal.players).players
    return columns_of(goal.constraints(), other_metrics(goal), players)
