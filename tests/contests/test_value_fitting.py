"""Fitting a value net to positions: it learns from inputs and from the features of the board, mirrored or not."""

import numpy as np
import pytest

from mmsim.contests.fitting import Fit
from mmsim.contests.value_fitting import PositionRows, Positions, fit_values
from mmsim.core.neural_net import ValueNet

NAMES = ("one", "two", "still")
MIRRORED = np.array([1, 0, 3, 2, 4, 5])


def some_rows(count: int = 40_000, seed: int = 5, features: bool = True) -> PositionRows:
    """Results that hang on an input, and on whether two features or their mirror images hold together."""
    dice = np.random.default_rng(seed)
    inputs = dice.standard_normal((count, 3)).astype(np.float16)
    inputs[:, 2] = 1.0
    held = dice.random((count, 6)) < 0.5
    pairs = (held[:, 0] & held[:, 2]).astype(float) + (held[:, 1] & held[:, 3])
    results = inputs[:, 0] + 2 * pairs + 0.3 * dice.standard_normal(count)
    listed = np.nonzero(held)[1].astype(np.uint16)
    counts = held.sum(axis=1).astype(np.int64) if features else np.zeros(count, np.int64)
    results = results.astype(np.float32)
    return PositionRows(inputs, results, results, np.arange(count), counts, listed if features else listed[:0])


def fitted(seed: int = 1, epochs: int = 30, mirrored: np.ndarray = MIRRORED) -> tuple[ValueNet, list[Fit]]:
    curve: list[Fit] = []
    net, _ = fit_values(Positions.joined([some_rows()]), NAMES, mirrored, seed, epochs, curve.append)
    return net, curve


def test_a_net_learns_what_only_the_features_say() -> None:
    net, curve = fitted()
    without, plain_curve = fitted(mirrored=np.zeros(0, np.int64))
    assert [point.epoch for point in curve] == list(range(31))
    assert max(point.explained for point in plain_curve) < 0.6
    assert curve[-1].explained > 0.85
    assert without.embedding is None
    assert net.embedding is not None
    assert net.embedding.shape[0] == 7


def test_the_net_takes_inputs_that_are_not_standardised() -> None:
    net, curve = fitted()
    rows = some_rows(4000, seed=9)
    held = np.split(rows.features, np.cumsum(rows.feature_counts)[:-1])
    error = rows.results - net.values(rows.inputs.astype(float), held)
    assert abs(1 - error.var() / rows.results.var() - max(point.explained for point in curve)) < 0.03


def test_a_net_is_fitted_to_targets_and_judged_by_results() -> None:
    rows = some_rows()
    noisy = rows.results + 3 * np.random.default_rng(1).standard_normal(len(rows.results)).astype(np.float32)
    explained = []
    for targets in (noisy, rows.results):
        positions = Positions.joined([rows._replace(results=noisy, targets=targets)])
        explained.append(fit_values(positions, NAMES, MIRRORED, 1, 10, lambda point: None)[1].explained)
    blurred, clear = explained
    assert clear > blurred  # targets without the noise make a better net
    assert clear < 0.5  # and the noise of the results cannot be explained


@pytest.mark.parametrize("sums", [3, 32])
def test_a_net_has_as_many_sums_as_asked_for(sums: int) -> None:
    net, _ = fit_values(Positions.joined([some_rows(4000)]), NAMES, MIRRORED, 1, 1, lambda point: None, sums)
    assert net.embedding is not None
    assert net.embedding.shape == (7, sums)
    assert len(net.net.inputs) == 3 + sums


def test_the_same_positions_and_seed_give_the_same_net() -> None:
    one, same, other = (fitted(seed, epochs=1)[0].packed() for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_positions_of_other_boards_count_only_for_the_net_without_features() -> None:
    both = Positions.joined([some_rows(), some_rows(8000, seed=6, features=False)])
    alone = Positions.joined([some_rows()])
    nets = [fit_values(positions, NAMES, MIRRORED, 1, 1, lambda point: None)[0] for positions in (both, alone)]
    assert np.array_equal(nets[0].packed(), nets[1].packed())
    plain = [
        fit_values(positions, NAMES, np.zeros(0, np.int64), 1, 1, lambda point: None)[0] for positions in (both, alone)
    ]
    assert not np.array_equal(plain[0].packed(), plain[1].packed())


@pytest.mark.parametrize("rows", [np.array([0]), np.array([5, 2, 9])])
def test_a_batch_has_the_features_of_its_positions(rows: np.ndarray) -> None:
    some = some_rows(10)
    inputs, features, starts = Positions.joined([some]).batch(rows)
    held = np.split(some.features, np.cumsum(some.feature_counts)[:-1])
    assert np.array_equal(inputs, some.inputs[rows].astype(np.float32))
    for i, row in enumerate(rows):
        assert np.array_equal(features[starts[i] : starts[i + 1]], held[row])


@pytest.mark.parametrize("mirrored", [MIRRORED, np.zeros(0, np.int64)])
def test_a_net_to_start_from_is_epoch_0_and_is_improved(mirrored: np.ndarray) -> None:
    start, curve = fitted(epochs=2, mirrored=mirrored)
    positions, again = Positions.joined([some_rows()]), list[Fit]()
    net, _ = fit_values(positions, NAMES, mirrored, 7, 0, again.append, start=start)
    assert again[0].explained == pytest.approx(max(point.explained for point in curve), abs=1e-4)
    rows, held = positions.inputs[:50].astype(float), [np.array([0, 2])] * 50
    np.testing.assert_allclose(net.values(rows, held), start.values(rows, held), atol=1e-3)
    fit_values(positions, NAMES, mirrored, 7, 4, again.append, start=start)
    assert again[-1].explained > again[0].explained
