"""Fitting a net to decisions: it learns differences within decisions, and nothing else."""

import numpy as np
import pytest

from mmsim.contests.fitting import Fit, TrainingExamples, evaluate, fit

NAMES = ("one", "two", "three", "still")


def some_examples(decisions: int = 1200, noise: float = 0.1) -> TrainingExamples:
    """Results that hang on a product of two inputs, and on chance that all turns of a decision share."""
    dice = np.random.default_rng(5)
    counts = dice.integers(2, 7, decisions)
    decision = np.repeat(np.arange(decisions), counts)
    inputs = dice.standard_normal((len(decision), 4)).astype(np.float32)
    inputs[:, 3] = 1.0  # an input that never changes
    shared = 5 * dice.standard_normal(decisions)[decision]
    results = np.maximum(inputs[:, 0], 0) - 0.5 * inputs[:, 1] + noise * dice.standard_normal(len(decision)) + shared
    return TrainingExamples(inputs, results.astype(np.float32), decision, np.arange(decisions) // 5)


def fitted(seed: int = 1, epochs: int = 100) -> tuple[str, list[Fit]]:
    curve: list[Fit] = []
    net, _ = fit(some_examples(), NAMES, seed, epochs, curve.append)
    return net.text(), curve


def test_a_net_finds_what_a_line_cannot() -> None:
    _, curve = fitted()
    assert [point.epoch for point in curve] == list(range(101))
    assert 0.4 < curve[0].explained < 0.9  # linear
    assert curve[-1].explained > 0.93
    assert curve[-1].gain > curve[0].gain > 0.5


def test_the_same_examples_and_seed_give_the_same_net() -> None:
    assert fitted(seed=1, epochs=20)[0] == fitted(seed=1, epochs=20)[0] != fitted(seed=2, epochs=20)[0]


@pytest.mark.parametrize(("decisions", "noise", "epochs"), [(60, 3.0, 40), (400, 1.0, 60)])
def test_the_net_of_the_best_epoch_is_kept_and_takes_inputs_that_are_not_standardised(
    decisions: int, noise: float, epochs: int
) -> None:
    examples = some_examples(decisions, noise)
    curve: list[Fit] = []
    net, kept = fit(examples, NAMES, 1, epochs, curve.append)
    assert kept == max(curve, key=lambda point: point.explained) != curve[-1]
    unseen = examples.split()[1]
    again = evaluate(unseen, net.values(unseen.inputs).astype(np.float32), kept.epoch)
    assert abs(again.explained - kept.explained) < 1e-3
    assert net.direct[3] == 0  # an input that never changes says nothing


def test_a_linear_fit_that_no_epoch_betters_is_a_net_without_units() -> None:
    examples = some_examples(60, noise=3.0)
    net, kept = fit(examples, NAMES, 1, 0, lambda point: None)
    assert kept.epoch == 0
    assert len(net.out) == 0
    assert net.values(examples.inputs).std() > 0


def test_more_decay_makes_a_plainer_net() -> None:
    rich, plain = (fit(some_examples(), NAMES, 1, 60, lambda point: None, decay)[0] for decay in (0.0, 0.03))
    assert len(plain.out) < len(rich.out)
    assert np.abs(plain.direct).sum() < np.abs(rich.direct).sum()


def test_held_out_games_are_not_in_the_training_set() -> None:
    learnt, unseen = some_examples().split()
    assert not set(learnt.game) & set(unseen.game)
    assert len(learnt.game) + len(unseen.game) == 1200
    assert np.abs(np.bincount(unseen.decision, unseen.centred(unseen.results))).max() < 1e-3


def test_a_net_to_start_from_is_epoch_0_and_is_improved() -> None:
    examples = some_examples()
    start, known = fit(examples, NAMES, 1, 10, lambda point: None)
    same, first = fit(examples, NAMES, 2, 0, lambda point: None, start=start)
    assert first.explained == pytest.approx(known.explained, abs=1e-4)
    np.testing.assert_allclose(
        examples.centred(same.values(examples.inputs).astype(np.float32)),
        examples.centred(start.values(examples.inputs).astype(np.float32)),
        atol=0.01,
    )
    _, better = fit(examples, NAMES, 2, 40, lambda point: None, start=start)
    assert better.explained > known.explained + 0.005
