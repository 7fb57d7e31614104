"""What makes a layout fair or long: outcomes of an atlas regressed on features of its layouts, tested on others."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmsim.analysis.atlas import Atlas
from mmsim.analysis.stats import LEVEL as CONFIDENCE
from mmsim.analysis.stats import Array, z_quantile

_HELD_OUT = 5  # one layout in this many is held out for testing
_RIDGE = 1.0  # penalty, so that collinear columns do no harm


@dataclass(frozen=True)
class FeatureEffect:
    """The effect of a feature, all others being equal: of one standard deviation, or of its presence."""

    feature: str
    value: float
    half_width: float  # of its 95 % interval
    is_switch: bool  # the feature is present or absent


@dataclass(frozen=True)
class Explained:
    """How well features predict an outcome on held-out layouts."""

    effects: list[FeatureEffect]  # the largest first
    r2: float  # of the variance that is not noise
    r2_neighbours: float  # the same for a model that knows which pieces are neighbours, and how they are turned


def explain(
    features: Mapping[str, NDArray[np.float64]], neighbours: NDArray[np.int64], raw: Array, reliability: float
) -> Explained:
    """Fit raw means of layouts by least squares; R2 is that of held-out layouts, without the noise of their games."""
    held_out = np.arange(len(raw)) % _HELD_OUT == 0
    names = [name for name, values in features.items() if values.std() > 0]
    columns = np.column_stack([features[name] for name in names])
    switches = [set(np.unique(features[name])) <= {0.0, 1.0} for name in names]
    units = np.where(switches, 1.0, columns.std(axis=0))
    scaled = (columns - columns.mean(axis=0)) / units
    fit, errors = _fit(scaled[~held_out], raw[~held_out])
    z = z_quantile((1 + CONFIDENCE) / 2)
    effects = [
        FeatureEffect(name, float(value), float(z * error), switch)
        for name, value, error, switch in zip(names, fit[1:], errors[1:], switches, strict=True)
    ]
    codes, index = np.unique(neighbours, return_inverse=True)
    known = np.zeros((len(raw), len(codes)))
    np.add.at(known, (np.arange(len(raw))[:, None], index.reshape(neighbours.shape)), 1.0)
    known -= known.mean(axis=0)
    fit_known, _ = _fit(known[~held_out], raw[~held_out])
    return Explained(
        sorted(effects, key=lambda effect: -abs(effect.value)),
        _r2(scaled, fit, raw, held_out) / reliability,
        _r2(known, fit_known, raw, held_out) / reliability,
    )


def explain_unevenness(atlas: Atlas, level: int) -> Explained:
    """What features of layouts say about their squared unevenness."""
    features, neighbours = atlas.space.features(atlas.numbers.tolist()), atlas.space.neighbours(atlas.numbers.tolist())
    squares = ((atlas.raw_shares(level) - 1 / atlas.players) ** 2).mean(axis=1)
    return explain(features, neighbours, squares, atlas.unevenness_reliability(level))


def _fit(columns: Array, values: Array) -> tuple[Array, Array]:
    """Coefficients, the constant first, and their standard errors, which allow for unequal variances (White 1980)."""
    with_constant = np.column_stack([np.ones(len(columns)), columns])
    penalty = np.diag([0.0, *[_RIDGE] * columns.shape[1]])
    inverse = np.linalg.inv(with_constant.T @ with_constant + penalty)
    fit = inverse @ with_constant.T @ values
    weighted = with_constant * (values - with_constant @ fit)[:, None]
    return fit, np.sqrt(np.diag(inverse @ (weighted.T @ weighted) @ inverse))


def _r2(columns: Array, fit: Array, values: Array, held_out: NDArray[np.bool_]) -> float:
    """The share of the variance of held-out values that a fit predicts."""
    wrong = values[held_out] - fit[0] - columns[held_out] @ fit[1:]
    return float(1 - (wrong**2).mean() / values[held_out].var())
