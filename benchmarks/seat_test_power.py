"""How often the tests of seats find a difference in simulated runs: the table of docs/explanation/statistics.md.

    python -m benchmarks.seat_test_power
    python -m benchmarks.seat_test_power runs/NAME   # of blocks of a run's games, first two variants

Win shares are those of an audit of `print` against `last_round=round` (four players, 20,000 games; search 2,380), and
some that never were; `together` is the share of deals whose chance is the same in both variants.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.analysis import stats
from mmsim.analysis.compare import difference, difference_p_value
from mmsim.analysis.derived_metrics import any_change_p_value, evenness_change, seat_imbalance
from mmsim.analysis.estimates import WIN_SHARE, Estimates
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.tables import open_run
from mmsim.core.metrics import ORDINALS, Measure

_RUNS, _NULL_RUNS = 1000, 4000  # simulated per line of the table
_BLOCKS = (250, 500, 1000, 2000)  # games
_FAMILY = 48  # tests that share an error rate of 5 %
_MEASURE = Measure(WIN_SHARE, "How often does each player win?", "share", 0.01)


@dataclass(frozen=True)
class Case:
    name: str
    before: tuple[float, ...]  # win shares of the reference in per cent
    after: tuple[float, ...]
    together: float
    games: tuple[int, ...]


CASES = (
    Case("planner", (26.8, 28.3, 23.9, 21.0), (23.4, 26.3, 25.6, 24.7), 0.85, (1000, 2000, 4000)),
    Case("expert", (34.9, 26.5, 21.3, 17.3), (28.6, 25.6, 23.0, 22.8), 0.8, (250, 500, 1000)),
    Case("networker", (24.7, 35.3, 21.0, 19.0), (23.0, 34.1, 21.6, 21.3), 0.8, (2000, 4000, 8000)),
    Case("search", (33.1, 26.6, 22.2, 18.1), (25.3, 25.2, 26.2, 23.3), 0.0, (500, 1000, 2000)),
    Case("no change, even", (25.0,) * 4, (25.0,) * 4, 0.5, (400, 1000, 4000)),
    Case("no change, even, not paired", (25.0,) * 4, (25.0,) * 4, 0.0, (1000,)),
    Case("no change, uneven", (33.0, 27.0, 22.0, 18.0), (33.0, 27.0, 22.0, 18.0), 0.5, (400, 1000, 4000)),
    Case("no change, two players", (50.0, 50.0), (50.0, 50.0), 0.5, (1000,)),
    Case("no change, six players", (100 / 6,) * 6, (100 / 6,) * 6, 0.5, (1000,)),
)


def joint_chances(case: Case) -> NDArray[np.float64]:
    """The chance that one seat wins a deal in the reference and another in the variant."""
    before, after = (np.array(shares) / sum(shares) for shares in (case.before, case.after))
    low, high = (np.concatenate([[0.0], np.cumsum(shares)]) for shares in (before, after))
    same_chance = np.minimum(low[1:, None], high[None, 1:]) - np.maximum(low[:-1, None], high[None, :-1])
    joint = case.together * np.maximum(same_chance, 0) + (1 - case.together) * np.outer(before, after)
    chances: NDArray[np.float64] = joint / joint.sum()
    return chances


def _estimates(counts: NDArray[Any], halves: tuple[Estimates, ...] = ()) -> Estimates:
    """Win shares of two variants, from how often every pair of seats won."""
    games, players = float(counts.sum()), len(counts)
    shares = counts / games
    means = np.array([shares.sum(axis=1), shares.sum(axis=0)])
    cov = np.zeros((2, players, 2, players))
    for v in range(2):
        cov[v, :, v, :] = (np.diag(means[v]) - np.outer(means[v], means[v])) / (games - 1)
    cov[0, :, 1, :] = (shares - np.outer(means[0], means[1])) / (games - 1)
    cov[1, :, 0, :] = cov[0, :, 1, :].T
    number = np.full((2, players), games)
    groups = ORDINALS[:players]
    return Estimates(_MEASURE, ("before", "after"), groups, means, number, number, cov, True, halves=halves)


def simulate(case: Case, games: int, rng: np.random.Generator) -> Estimates:
    joint = joint_chances(case)
    halves = [rng.multinomial(games // 2, joint.ravel()).reshape(joint.shape) for _ in range(2)]
    return _estimates(halves[0] + halves[1], tuple(map(_estimates, halves)))


def p_values(shares: Estimates) -> tuple[float, float, float]:
    """Of the imbalance, of the contrast along the reference's own deviation, and of a change in any seat."""
    imbalance = difference_p_value(*difference(seat_imbalance(shares), 0, 1, 0))
    contrast = evenness_change(shares, 0, 1)
    evenness = 1.0
    if contrast is not None:
        evenness = stats.two_sided_p(contrast[0].value, contrast[0].se, contrast[0].df)
    return imbalance, evenness, any_change_p_value(shares, 0, 1)


def rejections(case: Case, games: int, alpha: float, runs: int = _RUNS, seed: int = 1) -> NDArray[np.float64]:
    """How often each of the three tests finds a difference."""
    rng = np.random.default_rng(seed)
    found = np.array([p_values(simulate(case, games, rng)) for _ in range(runs)]) < alpha
    shares: NDArray[np.float64] = found.mean(axis=0)
    return shares


def of_run(folder: Path) -> Iterator[tuple[str, int, int, NDArray[np.float64]]]:
    """Level, games per block, blocks and rejections, in blocks of the games of a run."""
    for level in open_run(folder).by_level:
        won = []
        for variant in level.variants[:2]:
            seats = level.tables["seats"].filter(pl.col("variant") == variant.name).sort("game", "player").collect()
            won.append(seats["win_share"].cast(pl.Float64).to_numpy().reshape(-1, variant.players))
        before, after = won
        for games in _BLOCKS:
            found = []
            for first in range(0, len(before) - games + 1, games):
                halves = [before[part].T @ after[part] for h in (0, 1) for part in [slice(first + h, first + games, 2)]]
                found.append(p_values(_estimates(halves[0] + halves[1], tuple(map(_estimates, halves)))))
            if found:
                yield level.level.name, games, len(found), (np.array(found) < ALPHA / _FAMILY).mean(axis=0)


def main() -> None:
    if len(sys.argv) > 1:
        print("| level | games | blocks | imbalance | more or less even | any seat |")
        print("|---|---|---|---|---|---|")
        for name, games, blocks, shares in of_run(Path(sys.argv[1])):
            print(f"| {name} | {games:,} | {blocks} | {' | '.join(f'{share:.2f}' for share in shares)} |")
        return
    print("| four of | games | tested at | imbalance | more or less even | any seat |")
    print("|---|---|---|---|---|---|")
    for case in CASES:
        is_null = case.before == case.after
        alpha, level = (ALPHA, "0.05") if is_null else (ALPHA / _FAMILY, f"0.05 / {_FAMILY}")
        for games in case.games:
            shares = rejections(case, games, alpha, _NULL_RUNS if is_null else _RUNS)
            cells = " | ".join(f"{share:.3f}" if is_null else f"{share:.2f}" for share in shares)
            print(f"| {case.name} | {games:,} | {level} | {cells} |")


if __name__ == "__main__":
    main()
