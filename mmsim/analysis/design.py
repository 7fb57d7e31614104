"""Search for the smallest change of a ruleset that meets a goal, and prove it.

1. Race. Rulesets play the same layouts and deals block by block. One that is shown to violate the goal is dropped, and
   so is one that changes more than one that is shown to meet it: successive elimination (Even-Dar, Mannor and Mansour
   2006, J. Mach. Learn. Res. 7) with confidence sequences, whose error holds at all looks and over all rulesets.
2. Finalists. The smallest changes that seem to meet the goal are raced on by the other levels and boards. If none of
   them seems to meet it there too, it is the turn of the next ones.
3. Proof. The smallest finalist that is confirmed on held-out seeds, after a number of games planned from the search,
   with simultaneous 95 % intervals. Its neighbours, one knob away, then show whether less would do. What is far from
   the goal is excluded on the way, by interim looks that are much stricter (Haybittle 1971, Br. J. Radiol. 44; Peto et
   al. 1976, Br. J. Cancer 34), so that the last look loses next to nothing.

Everything is a function of the goal and its seed: whoever plays it again, with any number of workers, gets the same.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import ceil, inf, sqrt

from mmsim.analysis.design_games import Block, PlayBlocks
from mmsim.analysis.evidence import Column, Evidence, Finding, columns_of
from mmsim.analysis.goals import Constraint, Goal
from mmsim.analysis.knob_grid import Setting
from mmsim.analysis.proposals import Proposer
from mmsim.analysis.stats import Array
from mmsim.batch.confidence import ALPHA, FIRST_LOOK_GAMES, next_look
from mmsim.batch.experiment import GAMES_GROUP, cost_of, named_levels
from mmsim.core.levels import Level
from mmsim.core.variant import Variant
from mmsim.errors import UsageError
from mmsim.games import find_shell, find_statistics

_BATCH = 32  # rulesets that race together
_FINALISTS = 4
_MAX_RIVALS = 32  # smaller changes that the race has not excluded, and the proof tests too
_PROOF_TIMES = 4  # the proof plays at least this many games for each of the race, because selection flatters
_CLOSER_LOOK = 1 / 8  # of the games of a proof, at finalists that seem to meet the goal at all levels and on all boards
_INTERIM_LOOKS = (1 / 8, 1 / 4, 1 / 2)  # of the games of a proof, that only exclude
_INTERIM_SHARE = 0.01  # of the error rate, for each of them


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


@dataclass(frozen=True)
class Design:
    """What a search found: the smallest change that is confirmed, if any, and everything that was played."""

    goal: Goal
    constraints: tuple[Constraint, ...]
    others: tuple[str, ...]  # further metrics, to see what else changes
    cells: tuple[Cell, ...]  # of the search, the first is that of the race
    proof_cells: tuple[Cell, ...]
    start: Candidate
    winner: Candidate | None
    candidates: tuple[Candidate, ...]  # all that were played, in their order
    finalists: tuple[Candidate, ...]  # whose proof was played
    neighbours: tuple[Candidate, ...]
    elsewhere: tuple[Cell, ...]  # where the winner was played, too
    grid: int  # rulesets to choose from
    left: int  # smaller changes than the winner (or any) that were not played

    @property
    def not_excluded(self) -> list[Candidate]:
        """Smaller changes than the winner that no games exclude."""
        if self.winner is None:
            return []
        both = (*self.cells, *self.proof_cells)
        smaller = (c for c in (*self.candidates, *self.neighbours) if c.cost < self.winner.cost)
        unsure = [c for c in smaller if not any(c.findings.get(cell) is Finding.FAILED for cell in both)]
        return list({candidate.setting: candidate for candidate in unsure}.values())


class Search:
    """A search in progress."""

    def __init__(self, goal: Goal, play: PlayBlocks, report: Callable[[str], None] = lambda text: None) -> None:
        self.goal, self._play, self._report = goal, play, report
        self.grid, self.book = goal.grid()
        self.constraints = goal.constraints()
        self.columns = columns(goal)
        self.cells = tuple(
            Cell(level, board, goal.seed) for level in goal.required_levels() for board in goal.boards or (None,)
        )
        self._proposer: Proposer | None = None
        self._told: set[Setting] = set()
        self._legal: dict[Setting, bool] = {}
        self._blocks: dict[Block, Array] = {}
        self.candidates: dict[Setting, Candidate] = {}
        self._alpha = ALPHA / (min(goal.rulesets, self.grid.cells) * len(self.cells))

    def run(self) -> Design:
        start = self._candidate(self.book)
        while True:
            self._explore()
            finalists = sorted(self._promising(), key=self._rank)[:_FINALISTS]
            if not finalists:
                return self._prove(start, self._nearest())
            for cell in self.cells[1:]:
                for most in (0, int(self.goal.proof_games * _CLOSER_LOOK)):
                    self._race([one for one in finalists if self._is_promising(one)], cell, most)
            if standing := [one for one in finalists if self._is_promising(one)]:
                return self._prove(start, standing)

    # --- the race ---------------------------------------------------------------------------------------------------

    def _candidate(self, setting: Setting) -> Candidate:
        """The ruleset of a setting, known from now on."""
        if setting not in self.candidates:
            changes, cost = self.grid.changes(setting, self.book), self.grid.cost(setting, self.book)
            self.candidates[setting] = Candidate(setting, self._rules(setting), changes, cost)
        return self.candidates[setting]

    def _rules(self, setting: Setting) -> str:
        return ",".join((self.goal.base, *self.grid.changes(setting, self.book)))

    @cached_property
    def _by_cost(self) -> list[Setting]:
        """All settings, the smallest changes first."""
        return sorted(self.grid.settings(), key=lambda setting: self.grid.cost(setting, self.book))

    def _is_legal(self, setting: Setting) -> bool:
        if setting not in self._legal:
            try:
                find_shell(self.goal.game).explain(self._rules(setting), self.goal.players)
                self._legal[setting] = True
            except UsageError:  # a value contradicts another rule
                self._legal[setting] = False
        return self._legal[setting]

    def _unplayed(self) -> list[Setting]:
        """Legal settings that change less than the smallest one that is shown to meet the goal so far."""
        limit = self._ceiling
        cheaper = (setting for setting in self._by_cost if self.grid.cost(setting, self.book) < limit)
        return [setting for setting in cheaper if not self._is_played(setting) and self._is_legal(setting)]

    @property
    def _ceiling(self) -> float:
        """What the smallest change costs that is shown to meet the goal so far."""
        return min((one.cost for one in self._promising() if one.findings[self.cells[0]] is Finding.MET), default=inf)

    @property
    def _played(self) -> int:
        return sum(map(self._is_played, self.candidates))

    def _is_played(self, setting: Setting) -> bool:
        return setting in self.candidates and bool(self.candidates[setting].findings)

    def _explore(self) -> None:
        """Race rulesets until none is left that changes less than the best one, or enough have been played."""
        while (room := self.goal.rulesets - self._played) > 0 and (left := self._unplayed()):
            if unsure := self._unsure():  # first look closer at small changes, then at larger ones
                self._race(unsure, self.cells[0], self.goal.proof_games)
                continue
            single = [setting for setting in left if len(self.grid.changes(setting, self.book)) <= 1]
            wanted = single[:_BATCH] if single else left[:_BATCH] if len(left) <= room else self._ask(left)
            batch = [self._candidate(setting) for setting in wanted[:room]]
            self._race(batch, self.cells[0])

    def _ask(self, left: Sequence[Setting]) -> list[Setting]:
        """What Optuna proposes of the settings that are left, filled up with the smallest changes."""
        if self._proposer is None:
            self._proposer = Proposer(self.grid, self.goal.seed)
        for setting, candidate in self.candidates.items():
            if setting not in self._told:
                self._told.add(setting)
                evidence = candidate.evidence[self.cells[0]]
                excesses = [evidence.excess(limit)[0] / limit.measure.tolerance for limit in self.constraints]
                self._proposer.tell(setting, candidate.cost, excesses)
        proposed = self._proposer.ask(_BATCH, set(left))
        return [*dict.fromkeys((*proposed, *left[: _BATCH - len(proposed)]))]

    def _unsure(self) -> list[Candidate]:
        """The best rulesets that seem to meet the goal, if more games may show it."""
        race, most = self.cells[0], max(self.goal.games, self.goal.proof_games)
        best = sorted(self._promising(), key=self._rank)[:_FINALISTS]
        unsure = [one for one in best if one.cost < self._ceiling]
        return [one for one in unsure if self._is_worth_more(one, race, self.games_at(race.level, most))]

    def _is_worth_more(self, one: Candidate, cell: Cell, limit: int) -> bool:
        """True if a ruleset is undecided, and has not had the games of the race or may be decided by more."""
        evidence = one.evidence[cell]
        if one.findings[cell] is not Finding.OPEN or evidence.games >= limit:
            return False
        is_early = evidence.games < self.games_at(cell.level, self.goal.games)
        return is_early or evidence.can_be_decided(self.constraints, self._alpha, limit)

    def _race(self, candidates: Sequence[Candidate], cell: Cell, most: int = 0) -> None:
        """Play on until every ruleset is shown to meet the goal or not, changes more than one that does, or is too near
        to the limit for any verdict."""
        limit, games = self.games_at(cell.level, max(self.goal.games, most)), 0
        racing = list(candidates)
        while racing and games < limit:
            games = next_look(games, GAMES_GROUP, limit) if games else min(FIRST_LOOK_GAMES, limit)
            self._play_to(racing, cell, games)
            for one in racing:
                one.findings[cell] = one.evidence[cell].look(self.constraints, self._alpha)
            met = min((one.cost for one in racing if one.findings[cell] is Finding.MET), default=inf)
            racing = [one for one in racing if one.cost < met and self._is_worth_more(one, cell, limit)]
        self._report(self._progress(cell))

    def games_at(self, level: Level, games: int) -> int:
        """How many games a level plays for that many of the first: proportional to one over the root of its cost."""
        costs = [max(1.0, cost_of(self.goal.game, bots)) for bots in (level.bots, self.cells[0].level.bots)]
        share = min(1.0, 1 / sqrt(costs[0] / costs[1]))
        return max(GAMES_GROUP, round(games * share / GAMES_GROUP) * GAMES_GROUP)

    def _play_to(self, candidates: Sequence[Candidate], cell: Cell, games: int) -> None:
        """Have every candidate play this many games in a cell, all with the layouts and deals of the start."""
        blocks = []
        for one in candidates:
            done = one.evidence.setdefault(cell, Evidence(self.columns)).games
            if done < games:
                blocks.append(
                    (one, self._block(one.rules, cell, done, games), self._block(self.goal.base, cell, done, games))
                )
        missing = dict.fromkeys(block for _, *pair in blocks for block in pair if block not in self._blocks)
        self._blocks |= zip(missing, self._play([*missing]), strict=True)
        for one, own, start in blocks:
            one.evidence[cell].add(self._blocks[own], self._blocks[start])
        for _, own, _ in blocks:
            if own.variant.rules != self.goal.base:
                del self._blocks[own]  # no other ruleset is compared with it

    def _block(self, rules: str, cell: Cell, done: int, games: int) -> Block:
        variant = Variant(rules, self.goal.players, cell.board, cell.level.bots, cell.seed)
        return Block(variant, done, games - done)

    def _progress(self, cell: Cell) -> str:
        best = min(self._promising(), key=self._rank, default=None)
        shown = f"best so far: {best.title} ({best.finding(self.cells)})" if best else "none meets the goal so far"
        dropped = sum(one.finding(self.cells) is Finding.FAILED for one in self.candidates.values())
        return f"{self._played:,} rulesets played at {cell.name}, {dropped:,} dropped; {shown}"

    # --- the finalists and their proof ------------------------------------------------------------------------------

    def _promising(self) -> list[Candidate]:
        """Rulesets that nothing excludes, and that meet the goal as far as the estimates of the search go."""
        return list(filter(self._is_promising, self.candidates.values()))

    def _is_promising(self, one: Candidate) -> bool:
        """The other cells have fewer games than the race, so their estimates may miss the goal by a standard error."""
        race, *others = self.cells
        if race not in one.findings or one.finding(self.cells) is Finding.FAILED:
            return False
        excesses = (
            one.evidence[cell].excess(limit) for cell in others if cell in one.evidence for limit in self.constraints
        )
        return one.evidence[race].violation(self.constraints) == 0 and all(value <= se for value, se in excesses)

    def _violation(self, one: Candidate) -> float:
        """How far a ruleset is from the goal in the worst of the cells that it was played in."""
        return max(one.evidence[cell].violation(self.constraints) for cell in self.cells if cell in one.evidence)

    def _rank(self, candidate: Candidate) -> tuple[float, float]:
        """Small changes first; of equal ones the one that keeps the constraints most clearly."""
        evidence = candidate.evidence[self.cells[0]]
        slack = max(evidence.excess(limit)[0] / limit.measure.tolerance for limit in self.constraints)
        return candidate.cost, slack

    def _nearest(self) -> list[Candidate]:
        """The rulesets nearest to the goal that the search leaves open, for want of one that seems to meet it."""
        unsure = [one for one in self.candidates.values() if one.finding(self.cells) is Finding.OPEN]
        return sorted(unsure, key=self._violation)[:_FINALISTS]

    def _prove(self, start: Candidate, finalists: Sequence[Candidate]) -> Design:
        """Confirm the smallest finalist that can be confirmed, on seeds of its own, and test its neighbours."""
        held_out = int.from_bytes(sha256(f"{self.goal.seed}/proof".encode()).digest()[:7], "little")
        cells = tuple(Cell(cell.level, cell.board, held_out) for cell in self.cells)
        alpha = ALPHA / 2 / (max(len(finalists), 1) * len(cells))
        plans = [self._plan(finalist, cells, alpha) for finalist in finalists]
        winner, planned, tried = None, plans[0] if plans else {}, []
        for finalist, plan in zip(finalists, plans, strict=True):
            tried.append(finalist)
            for cell in cells:
                self._test([finalist], cell, plan[cell], alpha)
                if finalist.findings[cell] is not Finding.MET:
                    break
            if finalist.finding(cells) is Finding.MET:
                winner, planned = finalist, plan
                break
        neighbours: list[Candidate] = []
        family = ALPHA / 4
        while winner:  # a smaller change that is confirmed takes its place; families share the error rate
            neighbours = self._test_neighbours(winner, cells, planned, family)
            smaller = [one for one in neighbours if one.cost < winner.cost and one.finding(cells) is Finding.MET]
            if not smaller:
                break
            winner, family = smaller[0], family / 2
        elsewhere = self._elsewhere(cells) if winner else ()
        for cell in elsewhere:
            assert winner is not None
            self._test([winner], cell, self.games_at(cell.level, self.goal.games), ALPHA / len(elsewhere), drops=False)
        for cell in cells if winner or finalists else ():
            if played := (winner or finalists[0]).evidence.get(cell):
                self._test([start], cell, played.games, alpha, drops=False)
        return Design(
            goal=self.goal,
            constraints=self.constraints,
            others=other_metrics(self.goal),
            cells=self.cells,
            proof_cells=cells,
            start=start,
            winner=winner,
            candidates=tuple(one for one in self.candidates.values() if self.cells[0] in one.findings),
            finalists=tuple(tried),
            neighbours=tuple(neighbours),
            elsewhere=elsewhere,
            grid=self.grid.cells,
            left=sum(
                winner is None or self.grid.cost(setting, self.book) < winner.cost for setting in self._unplayed()
            ),
        )

    def _plan(self, finalist: Candidate, cells: Sequence[Cell], alpha: float) -> dict[Cell, float]:
        """Games of the proof in every cell, planned from the search."""
        planned = {}
        for searched, cell in zip(self.cells, cells, strict=True):
            evidence = finalist.evidence.get(searched) or finalist.evidence[self.cells[0]]
            games = evidence.games_to_show(self.constraints, alpha)
            planned[cell] = max(_PROOF_TIMES * evidence.games, games)
        return planned

    def _test(
        self, candidates: Sequence[Candidate], cell: Cell, games: float, alpha: float, drops: bool = True
    ) -> None:
        """Play a number of games that is fixed beforehand, and judge; interim looks drop what is far from the goal."""
        count = min(self.games_at(cell.level, self.goal.proof_games), games)
        testing = list(candidates)
        tested = testing[0].title if len(testing) == 1 else f"each of {len(testing)} rulesets"
        self._report(f"proof at {cell.name}: {_in_groups(count):,} games of {tested}")
        looks = [share for share in _INTERIM_LOOKS if count * share >= FIRST_LOOK_GAMES]
        for share in (*looks, 1.0):  # the same blocks of games whether it drops or not, so that none is played twice
            self._play_to(testing, cell, _in_groups(count * share))
            if share < 1 and not drops:
                continue
            level = alpha * (_INTERIM_SHARE if share < 1 else 1 - _INTERIM_SHARE * len(looks) * drops)
            for one in testing:
                one.findings[cell], one.alphas[cell] = one.evidence[cell].verdict(self.constraints, level), level
            testing = [one for one in testing if one.findings[cell] is not Finding.FAILED]

    def _test_neighbours(
        self, winner: Candidate, cells: Sequence[Cell], planned: dict[Cell, float], family: float
    ) -> list[Candidate]:
        """Test smaller changes, one knob away or left open by the race, until a cell excludes them; and larger ones one
        knob away, which cannot take the winner's place, with as many games as in the race."""
        near = [setting for setting in self.grid.neighbours(winner.setting, self.book) if self._is_legal(setting)]
        open_ones = [one.setting for one in self.candidates.values() if one.finding(self.cells) is not Finding.FAILED]
        rivals = [setting for setting in open_ones if self.grid.cost(setting, self.book) < winner.cost]
        settings = dict.fromkeys((*near, *rivals[:_MAX_RIVALS]))
        tested = [self._candidate(setting) for setting in settings]
        alpha = family / max(len(tested) * len(cells), 1)
        smaller = [one for one in tested if one.cost < winner.cost]
        for cell in cells:
            still = [one for one in smaller if one.finding(cells) is not Finding.FAILED]
            if still:
                self._test(still, cell, max(planned[cell], winner.evidence[cell].games), alpha)
        if larger := [one for one in tested if one.cost >= winner.cost]:
            self._test(larger, cells[0], self.goal.games, alpha)
        return sorted(tested, key=lambda one: one.cost)

    def _elsewhere(self, cells: Sequence[Cell]) -> tuple[Cell, ...]:
        """Further levels on the first board, and further boards at the first level."""
        first, words = cells[0], self.goal.elsewhere_levels
        known = {cell.level.name for cell in cells}
        levels = [level for level in (named_levels(self.goal.game, words) if words else ()) if level.name not in known]
        boards = [board for board in self.goal.elsewhere if board not in {cell.board for cell in cells}]
        return (
            *(Cell(level, first.board, first.seed) for level in levels),
            *(Cell(first.level, board, first.seed) for board in boards),
        )


def _in_groups(games: float) -> int:
    """A number of games, rounded up so that rotated seats come out even."""
    return ceil(games / GAMES_GROUP) * GAMES_GROUP


def other_metrics(goal: Goal) -> tuple[str, ...]:
    """The metrics that a sweep would draw, to see what else a change does."""
    limited = {limit.measure.name for limit in goal.constraints()}
    return tuple(name for name in find_statistics(goal.game).swept if name not in limited)


def columns(goal: Goal) -> tuple[Column, ...]:
    """What is kept of every game."""
    players = find_shell(goal.game).explain(goal.base, goal.players).players
    return columns_of(goal.constraints(), other_metrics(goal), players)
