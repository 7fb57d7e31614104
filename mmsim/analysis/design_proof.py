"""Prove what a search found, on seeds that it did not use.

1. The smallest finalist is confirmed after a number of games planned from the search, with simultaneous 95 % intervals.
2. Its neighbours, one knob away, and every smaller change that the search left open, then show whether less would do.
   Where no finalist is confirmed and all rulesets were played, those left open show whether any other would do.
3. The answer is played at other levels and on other boards.

Interim looks decide what is clear before (Haybittle 1971, Br. J. Radiol. 44; Peto et al. 1976, Br. J. Cancer 34). The
looks share the error rate, the first ones little of it, so that the last one loses next to nothing.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from math import ceil, inf

from mmsim.analysis.design_candidates import Candidate, Candidates, Cell
from mmsim.analysis.evidence import Evidence, Finding
from mmsim.analysis.knob_grid import Setting
from mmsim.batch.confidence import ALPHA, FIRST_LOOK_GAMES
from mmsim.batch.experiment import GAMES_GROUP, named_levels

_FINALISTS = 4
_MAX_RIVALS = 32  # rulesets that the search has not excluded, and the proof tests too
_MORE_THAN_RACE = 4  # the proof plays at least this many games for each of the race, because selection flatters
_LOOKS = {1 / 8: 0.01, 1 / 4: 0.02, 1 / 2: 0.07, 3 / 4: 0.15}  # share of the games -> share of the error rate
_ELSEWHERE = 1 / 8  # of the games of a proof, at further levels and on further boards


class Proof:
    """A proof in progress."""

    def __init__(self, candidates: Candidates, searched: Sequence[Cell], report: Callable[[str], None]) -> None:
        self._candidates, self._searched, self._report = candidates, searched, report
        self._goal, self._constraints = candidates.goal, candidates.constraints
        held_out = int.from_bytes(sha256(f"{self._goal.seed}/proof".encode()).digest()[:7], "little")
        self.cells = tuple(Cell(cell.level, cell.board, held_out) for cell in searched)
        self._alpha = ALPHA / 2 / ((_FINALISTS + 1) * len(self.cells))  # of a test of a finalist, or of the start
        self._planned: dict[Cell, float] = {}  # games of the winner
        self.winner: Candidate | None = None
        self.effects: Evidence | None = None
        self.finalists: list[Candidate] = []
        self.neighbours: list[Candidate] = []
        self.elsewhere: tuple[Cell, ...] = ()

    @property
    def has_room(self) -> bool:
        return len(self.finalists) < _FINALISTS

    def confirm(self, finalist: Candidate) -> None:
        """Test a finalist at every level and on every board, until one does not confirm it."""
        planned = self._plan(finalist)
        self.finalists.append(finalist)
        for cell in self.cells:
            self._test([finalist], cell, planned[cell], self._alpha)
            if finalist.findings[cell] is not Finding.MET:
                return
        self.winner, self._planned = finalist, planned

    def test_rivals(self) -> None:
        """Test what else might do: smaller changes than the answer or, where there is none, all that are left open."""
        family = ALPHA / 4
        while True:  # a smaller change that is confirmed takes the place of the answer; families share the error rate
            before = self.winner
            self._test_family(self._near(before) if before else [], family)
            if self.winner is before:
                return
            family /= 2

    def play_others(self) -> None:
        """Play the answer elsewhere, and the start where the answer was played."""
        self._play_elsewhere()
        self._play_start()

    def _plan(self, finalist: Candidate) -> dict[Cell, float]:
        """Games of the proof in every cell, planned from the search."""
        planned = {}
        for searched, cell in zip(self._searched, self.cells, strict=True):
            evidence = finalist.evidence.get(searched) or finalist.evidence[self._searched[0]]
            games = evidence.games_to_show(self._constraints, self._alpha)
            planned[cell] = max(_MORE_THAN_RACE * evidence.games, games)
        return planned

    def _test(
        self, candidates: Sequence[Candidate], cell: Cell, games: float, alpha: float, looks_early: bool = True
    ) -> None:
        """Play a number of games that is fixed beforehand, and judge; interim looks may decide before."""
        count = min(self._candidates.games_at(cell.level, self._goal.proof_games), games)
        testing = [one for one in candidates if one.finding([cell]) is Finding.OPEN]
        tested = candidates[0].title if len(candidates) == 1 else f"each of {len(candidates)} rulesets"
        self._report(f"proof at {cell.name}: {_in_groups(count):,} games of {tested}")
        looks = {look: spent for look, spent in _LOOKS.items() if count * look >= FIRST_LOOK_GAMES and looks_early}
        for share, spent in {**looks, 1.0: 1 - sum(looks.values())}.items():
            self._candidates.play_to(testing, cell, _in_groups(count * share))
            for one in testing:
                one.alphas[cell] = alpha * spent
                one.findings[cell] = one.evidence[cell].verdict(self._constraints, one.alphas[cell])
            testing = [one for one in testing if one.findings[cell] is Finding.OPEN]

    # --- would less do, or any other? -------------------------------------------------------------------------------

    def _near(self, winner: Candidate) -> list[Setting]:
        near = self._candidates.grid.neighbours(winner.setting, self._candidates.book)
        return [setting for setting in near if self._candidates.is_legal(setting)]

    def _test_family(self, near: Sequence[Setting], family: float) -> None:
        """Test smaller changes, one knob away or left open by the search, until a cell excludes them; and larger ones
        one knob away, which cannot take the winner's place, with as many games as in the race. The smallest change that
        is confirmed is the winner."""
        limit = self.winner.cost if self.winner else inf
        excluding = (*self._searched, *self.cells)
        open_ones = [one for one in self._candidates.known.values() if not one.is_excluded(excluding)]
        rivals = sorted((one for one in open_ones if one.cost < limit), key=lambda one: one.cost)
        settings = dict.fromkeys((*near, *(one.setting for one in rivals[:_MAX_RIVALS])))
        tested = [self._candidates.get(setting) for setting in settings]
        alpha = family / max(len(tested) * len(self.cells), 1)
        smaller = [one for one in tested if one.cost < limit]
        for cell in self.cells:
            if still := [one for one in smaller if not one.is_excluded(self.cells)]:
                played = self.winner.evidence[cell].games if self.winner else 0
                self._test(still, cell, max(self._planned.get(cell, inf), played), alpha)
        if larger := [one for one in tested if one.cost >= limit]:
            self._test(larger, self.cells[0], self._goal.games, alpha)
        self.neighbours = sorted(tested, key=lambda one: one.cost)
        met = (one for one in self.neighbours if one.cost < limit and one.finding(self.cells) is Finding.MET)
        self.winner = next(met, self.winner)

    # --- what else is played ----------------------------------------------------------------------------------------

    def _play_elsewhere(self) -> None:
        """Play the winner at further levels on the first board, and on further boards at the first level."""
        if self.winner is None:
            return
        first, words = self.cells[0], self._goal.elsewhere_levels
        known = {cell.level.name for cell in self.cells}
        levels = [level for level in (named_levels(self._goal.game, words) if words else ()) if level.name not in known]
        boards = [board for board in self._goal.elsewhere if board not in {cell.board for cell in self.cells}]
        self.elsewhere = (
            *(Cell(level, first.board, first.seed) for level in levels),
            *(Cell(first.level, board, first.seed) for board in boards),
        )
        most = max(self._goal.games, int(self._goal.proof_games * _ELSEWHERE))
        for cell in self.elsewhere:
            self._test([self.winner], cell, self._candidates.games_at(cell.level, most), ALPHA / len(self.elsewhere))

    def _play_start(self) -> None:
        """Play the start where others were tested, to say what changes."""
        start = self._candidates.get(self._candidates.book)
        tested = [*self.finalists, *self.neighbours]
        for cell in self.cells:
            if cell not in start.findings and any(cell in one.findings for one in tested):
                if self.winner and self._candidates.is_paired:  # the games are there: it played along
                    self._test([start], cell, self._planned[cell], self._alpha)
                else:
                    games = self._candidates.games_at(cell.level, self._goal.games)
                    self._test([start], cell, games, self._alpha, looks_early=False)
        if self.winner:
            games = min(self._goal.games, self.winner.evidence[self.cells[0]].games)
            self.effects = self._candidates.against_start(self.winner, self.cells[0], games)


def _in_groups(games: float) -> int:
    """A number of games, rounded up so that rotated seats come out even."""
    return ceil(games / GAMES_GROUP) * GAMES_GROUP
