"""A panel of players: what each kind of players shows, and the mean of all with the spread between them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mmsim.analysis import stats
from mmsim.analysis.estimates import Estimates
from mmsim.analysis.tables import Member

_NONE = stats.Combined(stats.Estimate(np.nan, np.nan, np.nan, np.inf, 0), 1.0, 0.0)


def pool(of_members: Sequence[tuple[Member, Sequence[Estimates]]], variants: Sequence[str]) -> list[Estimates]:
    """Every metric over all kinds of players that can tell it; the variants by the names all of them share."""
    names = dict.fromkeys(one.measure.name for _, found in of_members for one in found)
    pooled = []
    for name in names:
        members = [
            (member, replace(one, variants=tuple(variants)))
            for member, found in of_members
            for one in found
            if one.measure.name == name
        ]
        pooled.append(_pool(members))
    return pooled


def _pool(members: Sequence[tuple[Member, Estimates]]) -> Estimates:
    first = replace(members[0][1], members=tuple(members))
    counted = [_in_order(one, first.groups) for _, one in first.counted]
    if len(counted) == 1:
        return replace(counted[0], members=tuple(members))
    shape = first.means.shape
    combined = {place: _combine(counted, *place) for place in np.ndindex(shape)}
    found = np.array([combined[place].estimate.value for place in np.ndindex(shape)]).reshape(shape)
    variances = np.array([combined[place].estimate.se ** 2 for place in np.ndindex(shape)])
    return replace(
        first,
        means=found,
        games=np.sum([one.games for one in counted], axis=0),
        deals=np.min([one.deals for one in counted], axis=0),
        cov=np.diag(np.where(np.isfinite(variances), variances, 0.0)).reshape(*shape, *shape),
        intervals={place: _within(first.measure.unit, one.estimate) for place, one in combined.items()},
    )


def _within(unit: str, estimate: stats.Estimate) -> tuple[float, float]:
    """The ends of an interval; a share lies between 0 and 1, a distance is not negative."""
    low = max(estimate.low, 0.0) if unit in ("share", "share distance") else estimate.low
    return low, min(estimate.high, 1.0) if unit == "share" else estimate.high


def _in_order(one: Estimates, groups: Sequence[str]) -> Estimates:
    """Estimates with the groups of another member, in the same order; NaN where it has none."""
    if one.groups == tuple(groups):
        return one
    at = [one.groups.index(group) if group in one.groups else -1 for group in groups]
    missing = np.array([place < 0 for place in at])
    means = np.where(missing, np.nan, one.means[:, at])
    return replace(
        one,
        groups=tuple(groups),
        means=means,
        games=one.games[:, at],
        deals=one.deals[:, at],
        cov=one.cov[:, at][:, :, :, at],
        intervals={
            (v, g): one.intervals[v, place]
            for v in range(len(means))
            for g, place in enumerate(at)
            if (v, place) in one.intervals
        },
    )


def _combine(counted: Sequence[Estimates], variant: int, group: int) -> stats.Combined:
    known = [one.estimate(variant, group) for one in counted if one.known(variant, group)]
    known = [one for one in known if np.isfinite(one.se)] or known  # who played once tells nothing of the spread
    if not known:
        return _NONE
    return stats.random_effects([one.value for one in known], [one.se for one in known], [one.deals for one in known])
