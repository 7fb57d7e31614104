"""What games say about the constraints of a goal: estimates from the games of a ruleset and of the start on the same
layouts and deals, and verdicts that hold for all looks and all constraints together."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from math import inf, sqrt

from mmsim.analysis import stats
from mmsim.analysis.derived_metrics import SEAT_IMBALANCE, imbalance_squares, seat_imbalance
from mmsim.analysis.estimates import WIN_SHARE, Estimates, Moments
from mmsim.analysis.goals import Constraint
from mmsim.analysis.imbalance_limits import ImbalanceTest
from mmsim.analysis.stats import Array, Estimate
from mmsim.batch.confidence import MIN_DEALS, quantile, sequence_half_width
from mmsim.core.metrics import ORDINALS, Measure

_POWER = 0.99  # of the proof, if the search estimates right
_OWN, _START = 0, 1  # the two variants of the estimates


class Finding(StrEnum):
    """What is shown about a goal."""

    MET = "met"
    FAILED = "not met"
    OPEN = "undecided"

    @classmethod
    def of_all(cls, findings: Collection["Finding"]) -> "Finding":
        """What is shown about several things that must all be met."""
        return next((finding for finding in (cls.FAILED, cls.OPEN) if finding in findings), cls.MET)


@dataclass(frozen=True)
class Column:
    """A metric and group whose values are kept game by game."""

    metric: str
    group: str
    is_optional: bool = field(default=False, compare=False)  # left out where the metric has several groups


def columns_of(constraints: Sequence[Constraint], others: Sequence[str], players: int) -> tuple[Column, ...]:
    """What must be kept of every game: the win shares of all seats, what is limited, and some other metrics."""
    seats = [Column(WIN_SHARE, seat) for seat in ORDINALS[:players]]
    limited = [Column(limit.measure.name, limit.group) for limit in constraints if not limit.is_imbalance]
    optional = [Column(name, "", is_optional=True) for name in others if name != SEAT_IMBALANCE.name]
    return tuple(dict.fromkeys((*seats, *limited, *optional)))


class Evidence:
    """The games of a ruleset, block after block, and if paired of the start, with the same layouts and deals."""

    def __init__(self, columns: Sequence[Column], is_paired: bool) -> None:
        self.columns, self.games = columns, 0
        self._variants = ("ruleset", "start") if is_paired else ("ruleset",)
        self._moments = Moments(len(self._variants), len(columns), paired=True)

    def add(self, own: Array, *start: Array) -> None:
        """Values of the next games by column, deal and game of the deal."""
        self._moments.add([own, *start])
        self.games += own.shape[1] * own.shape[2]
        self.__dict__.pop("_estimates", None)

    @cached_property
    def _estimates(self) -> tuple[Array, Array, Array, Array]:
        return self._moments.estimates()

    @property
    def deals(self) -> int:
        return int(self._estimates[2].max())

    def estimates(self, measure: Measure, groups: Sequence[str], games: float = 1.0) -> Estimates:
        """The estimates of a metric; `games`: as if there were this many times as many."""
        means, counts, deals, cov = self._estimates
        at = [self.columns.index(Column(measure.name, group)) for group in groups]
        parts = means[:, at], counts[:, at] * games, deals[:, at] * games, cov[:, at][:, :, :, at] / games
        return Estimates(measure, self._variants, tuple(groups), *parts, paired=True)

    def _shares(self, measure: Measure, games: float = 1.0) -> Estimates:
        """The win shares of all seats, whose imbalance is measured."""
        seats = [column.group for column in self.columns if column.metric == WIN_SHARE]
        return self.estimates(replace(measure, name=WIN_SHARE, unit="share"), seats, games)

    def excess(self, limit: Constraint, games: float = 1.0) -> tuple[float, float]:
        """By how much a constraint is violated (negative: kept), with its standard error; `games` as in `estimates`."""
        if limit.is_imbalance and not limit.relative:
            value, se = ImbalanceTest.of(self._shares(limit.measure, games), _OWN).excess(limit.bound)
            return limit.sign * value, se
        if limit.is_imbalance:
            estimates = seat_imbalance(self._shares(limit.measure, games))
        else:
            estimates = self.estimates(limit.measure, [limit.group], games)
        own = float(estimates.means[_OWN, 0])
        if not limit.relative:
            return limit.sign * (own - limit.bound), sqrt(max(float(estimates.cov[_OWN, 0, _OWN, 0]), 0.0))
        start = float(estimates.means[_START, 0])
        variance = estimates.variance_of_difference(_OWN, _START, 0, paired=True)
        return limit.sign * (own - start) - limit.bound, sqrt(variance)

    def shown(self, measure: Measure, group: str, alpha: float) -> Estimate:
        """A metric of the ruleset with its interval at level 1 - alpha."""
        z = quantile(alpha)
        if Column(measure.name, group) not in self.columns:
            shares = self._shares(measure)
            squares, _ = imbalance_squares(shares)
            low, high = ImbalanceTest.of(shares, _OWN).interval(z)
            root = min(max(sqrt(max(squares[_OWN], 0.0)), low), high)
            return Estimate(root, low, high, (high - low) / (2 * z), self.deals)
        estimate = self.estimates(measure, [group]).estimate(_OWN, 0)
        half = z * estimate.se
        return replace(estimate, low=estimate.value - half, high=estimate.value + half)

    def difference(self, measure: Measure, group: str, alpha: float) -> Estimate:
        """How much a metric differs from the start, with its interval at level 1 - alpha."""
        is_kept = Column(measure.name, group) in self.columns
        estimates = self.estimates(measure, [group]) if is_kept else seat_imbalance(self._shares(measure))
        value = float(estimates.means[_OWN, 0] - estimates.means[_START, 0])
        se = sqrt(estimates.variance_of_difference(_OWN, _START, 0, paired=True))
        return Estimate(value, value - quantile(alpha) * se, value + quantile(alpha) * se, se, self.deals)

    # --- verdicts ----------------------------------------------------------------------------------------------------

    def violation(self, constraints: Sequence[Constraint]) -> float:
        """How far the constraints are from being kept, in tolerances of their metrics; 0 if all are."""
        return sum(max(self.excess(limit)[0], 0.0) / limit.measure.tolerance for limit in constraints)

    def look(self, constraints: Sequence[Constraint], alpha: float) -> Finding:
        """What may be said at any look, wrong with probability `alpha` at most over all looks and constraints."""
        share = alpha / len(constraints)
        return self._judge(constraints, lambda se: sequence_half_width(se, self.deals, share) if se else self._constant)

    def can_be_decided(self, constraints: Sequence[Constraint], alpha: float, games: int) -> bool:
        """True if a look after this many games may say something, should every estimate move by a standard error."""
        share, times = alpha / len(constraints), games / self.games
        excesses = [self.excess(limit) for limit in constraints]
        halves = [sequence_half_width(se / sqrt(times), self.deals * times, share) for _, se in excesses]
        may_be_met = all(value - se + half <= 0 for (value, se), half in zip(excesses, halves, strict=True))
        return may_be_met or any(value + se > half for (value, se), half in zip(excesses, halves, strict=True))

    def verdict(self, constraints: Sequence[Constraint], alpha: float) -> Finding:
        """What may be said after a number of games fixed beforehand, wrong with probability `alpha` at most."""
        z = quantile(alpha / len(constraints))
        return self._judge(constraints, lambda se: z * se if se else self._constant)

    @property
    def _constant(self) -> float:
        """The half width where no two deals differ."""
        return 0.0 if self.deals >= MIN_DEALS else inf

    def _judge(self, constraints: Sequence[Constraint], half_width: Callable[[float], float]) -> Finding:
        findings = []
        for limit in constraints:
            value, se = self.excess(limit)
            half = half_width(se)
            findings.append(Finding.MET if value + half <= 0 else Finding.FAILED if value > half else Finding.OPEN)
        return Finding.of_all(findings)

    def games_to_show(self, constraints: Sequence[Constraint], alpha: float) -> float:
        """Games after which `verdict` shows that the goal is met, with the planned power (Cohen 1988).

        A search flatters what it selects, so every constraint is taken to be worse by a standard error.
        """
        share = alpha / len(constraints)
        return max(self._games_for(limit, -sum(self.excess(limit)), share) for limit in constraints)

    def games_to_settle(self, constraints: Sequence[Constraint], alpha: float) -> float:
        """Games after which `verdict` shows that the goal is met, or that it is not, if the estimates are right."""
        share = alpha / len(constraints)
        excesses = {limit: self.excess(limit)[0] for limit in constraints}
        violated = [self._games_for(limit, value, share) for limit, value in excesses.items() if value > 0]
        return min(violated) if violated else max(self._games_for(limit, -excesses[limit], share) for limit in excesses)

    def _games_for(self, limit: Constraint, distance: float, alpha: float) -> float:
        """Games after which a constraint is shown to be kept or violated, if that is its distance from the limit."""
        if distance <= 0:
            return inf
        z, times = quantile(alpha) + stats.z_quantile(_POWER), 1.0
        for _ in range(20):  # not every standard error is quite proportional to 1 / sqrt(times)
            se = self.excess(limit, times)[1]
            times *= (z * se / distance) ** 2 if se else 1e-3
        return times * self.games
