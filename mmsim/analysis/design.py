"""Search for the smallest change of a ruleset that meets a goal.

1. Race. Rulesets play the same layouts and deals block by block. One that is shown to violate the goal is dropped, and
   so is one that changes more than one that is shown to meet it: successive elimination (Even-Dar, Mannor and Mansour
   2006, J. Mach. Learn. Res. 7) with confidence sequences, whose error holds at all looks and over all rulesets.
2. Finalists. The smallest changes that seem to meet the goal are raced on by the other levels and boards. If none of
   them seems to meet it there too, it is the turn of the next ones.
3. Proof, in `design_proof.py`.

Everything is a function of the goal and its seed: whoever plays it again, with any number of workers, gets the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from mmsim.analysis.design_candidates import Candidate, Candidates, Cell, other_metrics
from mmsim.analysis.design_games import PlayBlocks
from mmsim.analysis.design_proof import Proof
from mmsim.analysis.evidence import Evidence, Finding
from mmsim.analysis.goals import Constraint, Goal
from mmsim.analysis.knob_grid import Setting
from mmsim.analysis.proposals import Proposer
from mmsim.batch.confidence import ALPHA, FIRST_LOOK_GAMES, next_look
from mmsim.batch.experiment import GAMES_GROUP

_BATCH = 32  # rulesets that race together
_LEADERS = 4  # that are raced on before larger changes are played
_NEAREST = 4  # rulesets to prove where none seems to meet the goal
_CLOSER_LOOK = 1 / 8  # of the games of a proof, at rulesets that seem to meet the goal


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
    effects: Evidence | None  # the winner and the start on the same deals
    candidates: tuple[Candidate, ...]  # all that were played, in their order
    finalists: tuple[Candidate, ...]  # whose proof was played
    neighbours: tuple[Candidate, ...]
    elsewhere: tuple[Cell, ...]  # where the winner was played, too
    grid: int  # rulesets to choose from
    left: int  # smaller changes than the winner (or any) that were not played

    @property
    def not_excluded(self) -> list[Candidate]:
        """Rulesets that no games exclude and that change less than the winner, if there is one."""
        both = (*self.cells, *self.proof_cells)
        known = {one.setting: one for one in (*self.candidates, *self.neighbours) if not one.is_excluded(both)}
        return [one for one in known.values() if self.winner is None or one.cost < self.winner.cost]


class Search:
    """A search in progress."""

    def __init__(self, goal: Goal, play: PlayBlocks, report: Callable[[str], None] = lambda text: None) -> None:
        self.goal, self._report = goal, report
        self.candidates = Candidates(goal, play)
        self._constraints = self.candidates.constraints
        self.cells = tuple(
            Cell(level, board, goal.seed) for level in goal.required_levels() for board in goal.boards or (None,)
        )
        self._proof = Proof(self.candidates, self.cells, report)
        self._proposer: Proposer | None = None
        self._told: set[Setting] = set()
        self._most = max(goal.games, int(goal.proof_games * _CLOSER_LOOK))
        self._alpha = ALPHA / (min(goal.rulesets, self.candidates.grid.cells) * len(self.cells))

    def run(self) -> Design:
        proof = self._proof
        while not proof.winner and proof.has_room and (finalist := self._next_finalist()):
            proof.confirm(finalist)
        if proof.winner or self._race_all():
            proof.test_rivals()
        elif not proof.finalists:
            for one in self._nearest():
                proof.confirm(one)
        proof.play_others()
        known, limit = self.candidates, proof.winner.cost if proof.winner else inf
        return Design(
            goal=self.goal,
            constraints=self._constraints,
            others=other_metrics(self.goal),
            cells=self.cells,
            proof_cells=proof.cells,
            start=known.get(known.book),
            winner=proof.winner,
            effects=proof.effects,
            candidates=tuple(one for one in known.known.values() if self.cells[0] in one.findings),
            finalists=tuple(proof.finalists),
            neighbours=tuple(proof.neighbours),
            elsewhere=proof.elsewhere,
            grid=known.grid.cells,
            left=len(self._unplayed(limit)),
        )

    # --- the race ---------------------------------------------------------------------------------------------------

    def _unplayed(self, limit: float) -> list[Setting]:
        """Legal settings that cost less than a limit."""
        known = self.candidates
        cheaper = (setting for setting in known.by_cost if known.grid.cost(setting, known.book) < limit)
        return [setting for setting in cheaper if not self._is_played(setting) and known.is_legal(setting)]

    @property
    def _ceiling(self) -> float:
        """What the smallest change costs that is shown to meet the goal so far."""
        return min((one.cost for one in self._promising() if one.findings[self.cells[0]] is Finding.MET), default=inf)

    @property
    def _played(self) -> int:
        return sum(map(self._is_played, self.candidates.known))

    def _is_played(self, setting: Setting) -> bool:
        return setting in self.candidates.known and bool(self.candidates.known[setting].findings)

    def _explore(self) -> None:
        """Race rulesets until none is left that changes less than the best one, or enough have been played."""
        grid, book = self.candidates.grid, self.candidates.book
        while (room := self.goal.rulesets - self._played) > 0 and (left := self._unplayed(self._ceiling)):
            if unsure := self._unsure():  # first look closer at small changes, then at larger ones
                self._race(unsure, self.cells[0], self._most)
                continue
            single = [setting for setting in left if len(grid.changes(setting, book)) <= 1]
            wanted = single[:_BATCH] if single else left[:_BATCH] if len(left) <= room else self._ask(left)
            batch = [self.candidates.get(setting) for setting in wanted[:room]]
            self._race(batch, self.cells[0], self.goal.games)

    def _ask(self, left: Sequence[Setting]) -> list[Setting]:
        """What Optuna proposes of the settings that are left, filled up with the smallest changes."""
        if self._proposer is None:
            self._proposer = Proposer(self.candidates.grid, self.goal.seed)
        for setting, candidate in self.candidates.known.items():
            if setting not in self._told:
                self._told.add(setting)
                evidence = candidate.evidence[self.cells[0]]
                excesses = [evidence.excess(limit)[0] / limit.measure.tolerance for limit in self._constraints]
                self._proposer.tell(setting, candidate.cost, excesses)
        proposed = self._proposer.ask(_BATCH, set(left))
        return [*dict.fromkeys((*proposed, *left[: _BATCH - len(proposed)]))]

    def _unsure(self) -> list[Candidate]:
        """The best rulesets that seem to meet the goal, if more games may show it."""
        race = self.cells[0]
        best = sorted(self._promising(), key=self._rank)[:_LEADERS]
        limit, unsure = self.candidates.games_at(race.level, self._most), [c for c in best if c.cost < self._ceiling]
        return [one for one in unsure if self._is_worth_more(one, race, limit)]

    def _is_worth_more(self, one: Candidate, cell: Cell, limit: int) -> bool:
        """True if a ruleset is undecided, and has not had the games of the race or may be decided by more."""
        evidence = one.evidence[cell]
        if one.findings[cell] is not Finding.OPEN or evidence.games >= limit:
            return False
        is_early = evidence.games < self.candidates.games_at(cell.level, self.goal.games)
        return is_early or evidence.can_be_decided(self._constraints, self._alpha, limit)

    def _race(self, candidates: Sequence[Candidate], cell: Cell, most: int) -> None:
        """Play on until every ruleset is shown to meet the goal or not, changes more than one that does, or is too near
        to the limit for any verdict."""
        limit, games = self.candidates.games_at(cell.level, most), 0
        racing = list(candidates)
        while racing and games < limit:
            games = next_look(games, GAMES_GROUP, limit) if games else min(FIRST_LOOK_GAMES, limit)
            self.candidates.play_to(racing, cell, games)
            for one in racing:
                one.findings[cell] = one.evidence[cell].look(self._constraints, self._alpha)
            met = min((one.cost for one in racing if one.findings[cell] is Finding.MET), default=inf)
            racing = [one for one in racing if one.cost < met and self._is_worth_more(one, cell, limit)]
        self._report(self._progress(cell))

    def _progress(self, cell: Cell) -> str:
        best = min(self._promising(), key=self._rank, default=None)
        shown = f"best so far: {best.title} ({best.finding(self.cells)})" if best else "none meets the goal so far"
        dropped = sum(one.is_excluded(self.cells) for one in self.candidates.known.values())
        return f"{self._played:,} rulesets played at {cell.name}, {dropped:,} dropped; {shown}"

    # --- the finalists ----------------------------------------------------------------------------------------------

    def _next_finalist(self) -> Candidate | None:
        """The smallest change that seems to meet the goal at every level and on every board, and was not proved yet."""
        while True:
            self._explore()
            one = min(self._promising(), key=self._rank, default=None)
            if one is None or self._stands(one):
                return one

    def _stands(self, one: Candidate) -> bool:
        """Race a ruleset on in the other cells; returns if it still seems to meet the goal."""
        for cell in self.cells[1:]:
            for most in (self.goal.games, self._most):
                if self._is_promising(one):
                    self._race([one], cell, most)
        return self._is_promising(one)

    def _promising(self) -> list[Candidate]:
        """Rulesets that nothing excludes, that no proof left open, and that meet the goal by the estimates of the
        search."""
        return list(filter(self._is_promising, self.candidates.known.values()))

    def _is_promising(self, one: Candidate) -> bool:
        """The other cells have fewer games than the race, so their estimates may miss the goal by a standard error."""
        race, *others = self.cells
        if race not in one.findings or one.is_excluded(self.cells) or one in self._proof.finalists:
            return False
        excesses = (
            one.evidence[cell].excess(limit) for cell in others if cell in one.evidence for limit in self._constraints
        )
        return one.evidence[race].violation(self._constraints) == 0 and all(value <= se for value, se in excesses)

    def _violation(self, one: Candidate) -> float:
        """How far a ruleset is from the goal in the worst of the cells that it was played in."""
        return max(one.evidence[cell].violation(self._constraints) for cell in self.cells if cell in one.evidence)

    def _rank(self, candidate: Candidate) -> tuple[float, float]:
        """Small changes first; of equal ones the one that keeps the constraints most clearly."""
        evidence = candidate.evidence[self.cells[0]]
        slack = max(evidence.excess(limit)[0] / limit.measure.tolerance for limit in self._constraints)
        return candidate.cost, slack

    def _nearest(self) -> list[Candidate]:
        """The rulesets nearest to the goal that the search leaves open, for want of one that seems to meet it."""
        unsure = [one for one in self.candidates.known.values() if one.finding(self.cells) is Finding.OPEN]
        return sorted(unsure, key=self._violation)[:_NEAREST]

    def _race_all(self) -> bool:
        """Race every ruleset that was not played, if there are not too many of them; returns if there were not."""
        left = self._unplayed(inf)
        if len(left) > self.goal.rulesets - self._played:
            return False
        for first in range(0, len(left), _BATCH):
            self._race([*map(self.candidates.get, left[first : first + _BATCH])], self.cells[0], self.goal.games)
        return True
