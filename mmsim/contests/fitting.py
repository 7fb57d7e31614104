"""Fit a neural net to decisions: of the turns compared at a decision, which did better than the others?

The result of a playout is mostly chance that all turns of a decision share, so only differences within a decision
count: results and the net's values are both centred on the mean of their decision. A linear fit comes first; from
there, or from a net that is there already, all weights are trained together by Adam (Kingma and Ba, ICLR 2015). The
epoch that explains held-out decisions best is kept, because few examples are soon overfitted. The same examples and
seed give the same net.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmsim.core.neural_net import UNITS, Net
from mmsim.errors import UsageError

Floats = NDArray[np.float32]
_LEARNING_RATE, _LAST_LEARNING_RATE = 2e-3, 2e-5
RETRAINING_RATE = 0.3  # of the learning rate, for a net that is there already
WEIGHT_DECAY = 1e-3
_BATCH_SIZE = 256  # decisions
_MIN_SD = 1e-3  # inputs that vary less are ignored
_MEAN_RATE, _VARIANCE_RATE, _EPSILON = 0.1, 0.001, 1e-8  # of Adam: 1 - beta1, 1 - beta2, epsilon
_MIN_UNIT_VALUE = 1e-4  # a hidden unit that never adds more is removed
_HELD_OUT = 8  # one game in this many is held out
_RIDGE = 1e-3
TOO_FEW = "too few games to learn from some and to hold out others; play more games"


@dataclass(frozen=True)
class TrainingExamples:
    """Decisions of several consecutive rows each: the inputs of a net for a turn, and how its playout ended."""

    inputs: Floats  # [row, input]
    results: Floats  # [row]
    decision: NDArray[np.int64]  # [row]: 0, 0, 0, 1, 1, ...
    game: NDArray[np.int64]  # [decision]: games with the same number are held out together

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows per decision."""
        return np.bincount(self.decision, minlength=len(self.game))

    def centred(self, values: Floats) -> Floats:
        """Values of rows as differences from the mean of their decision."""
        means = np.bincount(self.decision, values, len(self.game)) / self.counts
        return (values - means[self.decision]).astype(np.float32)

    def subset(self, decisions: NDArray[np.bool_]) -> "TrainingExamples":
        number = np.cumsum(decisions) - 1
        rows = decisions[self.decision]
        return TrainingExamples(
            self.inputs[rows], self.results[rows], number[self.decision[rows]], self.game[decisions]
        )

    def split(self) -> tuple["TrainingExamples", "TrainingExamples"]:
        """The training set, and the held-out set of other games."""
        held_out = self.game % _HELD_OUT == 0
        return self.subset(~held_out), self.subset(held_out)


@dataclass(frozen=True)
class Fit:
    """How well a net predicts held-out decisions, or the results of held-out games."""

    epoch: int
    explained: float  # share of the variance, for decisions of that within each; most of the rest is chance
    gain: float | None = None  # for decisions: how much better playouts of its turns went than those of the first turn


def evaluate(examples: TrainingExamples, values: Floats, epoch: int) -> Fit:
    """How well a net's values of all rows agree with the results."""
    results, predictions = examples.centred(examples.results), examples.centred(values)
    explained = 1 - float(((results - predictions) ** 2).sum() / (results**2).sum())
    first = np.flatnonzero(np.diff(examples.decision, prepend=-1))
    order = np.lexsort((-values, examples.decision))  # the first of equal values
    gain = float((examples.results[order[first]] - examples.results[first]).mean())
    return Fit(epoch, explained, gain)


class AdamWeights:
    """The weights of a net, and Adam's moving averages of their gradients."""

    def __init__(self, *weights: Floats) -> None:
        self._all = weights
        self._first_moments = [np.zeros_like(some) for some in weights]
        self._second_moments = [np.zeros_like(some) for some in weights]
        self.steps = 0

    def copy(self) -> list[Floats]:
        return [weights.copy() for weights in self._all]

    def restore(self, saved: list[Floats]) -> None:
        for weights, values in zip(self._all, saved, strict=True):
            weights[:] = values


class _Weights(AdamWeights):
    """The weights of a net with one hidden layer."""

    def __init__(self, inputs: int, seed: int, decay: float) -> None:
        self._decay = decay
        rng = np.random.default_rng(seed)
        self.hidden = (rng.standard_normal((inputs, UNITS)) * np.sqrt(1.5 / inputs)).astype(np.float32)
        self.bias = np.zeros(UNITS, np.float32)
        self.out = np.zeros(UNITS, np.float32)
        self.direct = np.zeros(inputs, np.float32)
        super().__init__(self.hidden, self.bias, self.out, self.direct)
        self._initial_out = 0.1 * rng.standard_normal(UNITS)

    def enable_units(self) -> None:
        """Give the hidden units, which add nothing to the linear fit, their initial weights."""
        self.out[:] = self._initial_out

    def start_from(self, net: Net, shift: Floats, scale: Floats) -> None:
        """Take the weights of a net for inputs that are not standardised; units that it lacks add nothing at first."""
        units, known = len(net.bias), np.where(np.isfinite(scale), scale, 0)
        self.hidden[:, :units] = net.into * known[:, None]
        self.bias[:units] = net.bias + shift @ net.into
        self.out[:units] = net.out
        self.direct[:] = net.direct * known

    def values(self, inputs: Floats) -> tuple[Floats, Floats]:
        units = np.maximum(inputs @ self.hidden + self.bias, 0)
        return units @ self.out + inputs @ self.direct, units

    def step(self, inputs: Floats, units: Floats, error: Floats, rate: float) -> None:
        """One step of Adam against the gradient of the squared error."""
        to_units = np.outer(error, self.out) * (units > 0)
        gradients = [
            inputs.T @ to_units + self._decay * self.hidden,
            to_units.sum(axis=0),
            units.T @ error + self._decay * self.out,
            inputs.T @ error + self._decay * self.direct,
        ]
        self.steps += 1
        moments = zip(self._first_moments, self._second_moments, strict=True)
        for weights, gradient, (first, second) in zip(self._all, gradients, moments, strict=True):
            first += _MEAN_RATE * (gradient - first)
            second += _VARIANCE_RATE * (gradient * gradient - second)
            mean, spread = (
                first / (1 - (1 - _MEAN_RATE) ** self.steps),
                second / (1 - (1 - _VARIANCE_RATE) ** self.steps),
            )
            weights -= (rate * mean / (np.sqrt(spread) + _EPSILON)).astype(np.float32)

    def to_net(self, names: Sequence[str], shift: Floats, scale: Floats, inputs: Floats) -> Net:
        """The net for inputs that are not standardised, without the units that do nothing."""
        used = self.values(inputs)[1].max(axis=0) * np.abs(self.out) > _MIN_UNIT_VALUE
        hidden, direct = self.hidden[:, used] / scale[:, None], self.direct / scale
        return Net(
            tuple(names),
            float(-(shift @ direct)),
            (self.bias[used] - shift @ hidden).astype(np.float64),
            self.out[used].astype(np.float64),
            direct.astype(np.float64),
            hidden.astype(np.float64),
        )


def fit(
    examples: TrainingExamples,
    names: Sequence[str],
    seed: int,
    epochs: int,
    on_epoch: Callable[[Fit], None],
    decay: float = WEIGHT_DECAY,
    start: Net | None = None,
) -> tuple[Net, Fit]:
    """The net that explains most of the held-out decisions, and how well it does.

    `on_epoch` is called after every epoch; epoch 0 is the linear fit, or the net to start from.
    """
    shift, scale = examples.inputs.mean(axis=0), examples.inputs.std(axis=0)
    scale = np.where(scale < _MIN_SD, np.float32(np.inf), scale)
    training, held_out = examples.split()
    if not len(training.game) or not len(held_out.game):
        raise UsageError(TOO_FEW)
    inputs, held_out_inputs = (training.inputs - shift) / scale, (held_out.inputs - shift) / scale
    results = training.centred(training.results)
    weights = _Weights(len(names), seed, decay)
    if start:
        weights.start_from(start, shift, scale)
    else:
        weights.direct[:] = _linear_fit(training, inputs, results)
    best, saved = evaluate(held_out, weights.values(held_out_inputs)[0], 0), weights.copy()
    on_epoch(best)
    if not start:
        weights.enable_units()
    rng = np.random.default_rng(seed + 1)
    total_steps = epochs * -(-len(training.game) // _BATCH_SIZE)
    for epoch in range(epochs):
        order = rng.permutation(len(training.game))
        _train_epoch(weights, training, inputs, results, order, total_steps, RETRAINING_RATE if start else 1.0)
        current = evaluate(held_out, weights.values(held_out_inputs)[0], epoch + 1)
        on_epoch(current)
        if current.explained > best.explained:
            best, saved = current, weights.copy()
    weights.restore(saved)
    return weights.to_net(names, shift, scale, inputs), best


def _train_epoch(
    weights: _Weights,
    examples: TrainingExamples,
    inputs: Floats,
    results: Floats,
    order: NDArray[np.int64],
    total_steps: int,
    pace: float,
) -> None:
    """One pass over all decisions; the learning rate falls from the first of `total_steps` to the last."""
    counts = examples.counts
    starts = np.cumsum(counts) - counts
    for at in range(0, len(order), _BATCH_SIZE):
        batch = order[at : at + _BATCH_SIZE]
        sizes = counts[batch]
        decision = np.repeat(np.arange(len(batch)), sizes)
        rows = np.repeat(starts[batch] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        batch_inputs = inputs[rows]
        values, units = weights.values(batch_inputs)
        error = values - (np.bincount(decision, values) / sizes)[decision] - results[rows]
        rate = _LEARNING_RATE + (_LAST_LEARNING_RATE - _LEARNING_RATE) * weights.steps / total_steps
        weights.step(batch_inputs, units, (error / len(rows)).astype(np.float32), pace * rate)


def _linear_fit(examples: TrainingExamples, inputs: Floats, results: Floats) -> Floats:
    """The weights of a ridge regression of differences within decisions."""
    means = np.zeros((len(examples.game), inputs.shape[1]))
    np.add.at(means, examples.decision, inputs)
    means /= examples.counts[:, None]
    differences = inputs - means[examples.decision]
    squares = differences.T @ differences + _RIDGE * len(inputs) * np.eye(inputs.shape[1])
    weights: Floats = np.linalg.solve(squares, differences.T @ results).astype(np.float32)
    return weights
