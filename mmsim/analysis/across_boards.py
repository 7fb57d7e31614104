"""Several rulesets on several boards: what holds on average over the boards, and on which of them.

An average over boards has the sampling error of their games only, so it says nothing about boards that were not played.
That a difference holds on every one of many random boards does say something about others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mmsim.analysis import stats
from mmsim.analysis.compare import Comparison, ComparisonOverLevels
from mmsim.analysis.estimates import Estimates, by_name
from mmsim.analysis.level_verdict import ALPHA
from mmsim.analysis.stats import Estimate


def average_boards(by_board: Sequence[Sequence[Estimates]], variants: Sequence[str]) -> list[Estimates]:
    """Every metric that all boards have, as the mean over boards with equal weights."""
    boards = [by_name(estimates) for estimates in by_board]
    return [
        _average([replace(estimates[name], variants=tuple(variants)) for estimates in boards])
        for name in boards[0]
        if all(name in estimates and estimates[name].groups == boards[0][name].groups for estimates in boards)
    ]


def _average(boards: Sequence[Estimates]) -> Estimates:
    """The games of different boards are independent of one another."""
    first, count = boards[0], len(boards)
    means = np.mean([estimates.means for estimates in boards], axis=0)
    shares = [estimates.shares for estimates in boards if estimates.shares]
    averaged = replace(
        first,
        means=means,
        games=np.sum([estimates.games for estimates in boards], axis=0),
        deals=np.sum([estimates.deals for estimates in boards], axis=0),
        cov=np.sum([estimates.cov for estimates in boards], axis=0) / count**2,
        intervals={},
        halves=tuple(map(_average, zip(*(estimates.halves for estimates in boards), strict=True))),
        shares=_average(shares) if len(shares) == count else None,
    )
    bounded = {cell for estimates in boards for cell in estimates.intervals if averaged.known(*cell)}
    return replace(averaged, intervals={cell: _interval(averaged, *cell) for cell in bounded})


def _interval(averaged: Estimates, variant: int, group: int) -> tuple[float, float]:
    """The interval of a mean whose boards had intervals of their own: that of a normal variable, within its range."""
    value, se = float(averaged.means[variant, group]), float(np.sqrt(averaged.cov[variant, group, variant, group]))
    half = stats.z_quantile((1 + stats.LEVEL) / 2) * se
    low, high = value - half, value + half
    return max(low, 0.0), min(high, 1.0) if averaged.measure.unit == "share" else high


@dataclass(frozen=True)
class BoardDifferences:
    """A difference, board by board."""

    differences: Mapping[str, Estimate]  # board -> what was measured on it
    significant: Sequence[str]  # boards that show it, in the direction of most, after Holm's correction

    @property
    def direction(self) -> int:
        """1 or -1 if the difference has this sign on all boards, else 0."""
        signs = {int(np.sign(difference.value)) for difference in self.differences.values()}
        return signs.pop() if len(signs) == 1 else 0

    @property
    def range(self) -> tuple[float, float]:
        values = [difference.value for difference in self.differences.values()]
        return min(values), max(values)


def differences_by_board(differences: Mapping[str, Estimate]) -> BoardDifferences:
    """Test a difference on every board."""
    mean = np.mean([difference.value for difference in differences.values()])
    p_values = stats.holm([stats.two_sided_p(known.value, known.se, known.df) for known in differences.values()])
    significant = [
        board
        for (board, difference), p in zip(differences.items(), p_values, strict=True)
        if p < ALPHA and np.sign(difference.value) == np.sign(mean)
    ]
    return BoardDifferences(differences, significant)


def comparison_by_board(
    comparison: Comparison, by_board: Mapping[str, Sequence[ComparisonOverLevels]]
) -> BoardDifferences:
    """A comparison of two variants at one level, board by board."""
    return differences_by_board(
        {
            board: same.difference
            for board, comparisons in by_board.items()
            for over_levels in comparisons
            for same in over_levels.levels
            if (same.measure.name, same.group, same.variant, same.level)
            == (comparison.measure.name, comparison.group, comparison.variant, comparison.level)
        }
    )


def first_against_last(shares: Estimates) -> Estimate:
    """How far the first group of the reference is ahead of the last, for example the first player ahead of the last."""
    known = [g for g in range(len(shares.groups)) if shares.known(0, g)]
    first, last = known[0], known[-1]
    value = float(shares.means[0, first] - shares.means[0, last])
    cov = shares.cov[0][:, 0]
    variance = float(cov[first, first] + cov[last, last] - 2 * cov[first, last])
    deals = int(min(shares.deals[0, first], shares.deals[0, last]))
    return stats.estimate(value, float(np.sqrt(max(variance, 0.0))), deals)
