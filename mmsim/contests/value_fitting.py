"""Fit a value net to positions: how will the game end for the player who looks at it?

The net has the inputs of a position and sums over the features of the board that hold (an embedding, as in the NNUE of
chess engines). A linear fit of the inputs comes first; from there, or from a net that is there already, all weights are
trained together by Adam (Kingma and Ba, ICLR 2015). In half of the batches the board is mirrored. The epoch that
explains held-out games best is kept. The same positions and seed give the same net.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmsim.contests.fitting import RETRAINING_RATE, TOO_FEW, AdamWeights, Fit, Floats
from mmsim.core.neural_net import ACCUMULATORS, SUMS, UNITS, Net, ValueNet
from mmsim.errors import UsageError

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # at run time only where a net is fitted: it is slow to import

_LEARNING_RATE, _LAST_LEARNING_RATE = 1e-3, 1e-5
_DECAY, _EMBEDDING_DECAY = 1e-5, 2e-4
_BATCH_SIZE = 1024
_MIN_SD = 1e-3  # inputs that vary less are ignored
_MEAN_RATE, _VARIANCE_RATE, _EPSILON = 0.1, 0.001, 1e-8  # of Adam: 1 - beta1, 1 - beta2, epsilon
_HELD_OUT = 16  # one deal in this many is held out
_RIDGE = 1e-3
_LINEAR_FIT = 200_000  # positions, at most


class PositionRows(NamedTuple):
    """Positions of some games."""

    inputs: NDArray[np.float16]  # [position, input]
    results: Floats  # [position]
    targets: Floats  # [position]: what a net is fitted to, the result or something near it
    deal: NDArray[np.int64]  # [position]: deals with the same number are held out together
    feature_counts: NDArray[np.int64]  # [position]
    features: NDArray[np.uint16]  # of all positions, one after another


@dataclass(frozen=True)
class Positions:
    """Positions as a value net is given them, and how the games ended."""

    inputs: NDArray[np.float16]  # [position, input]
    features: NDArray[np.uint16]  # of all positions, one after another
    starts: NDArray[np.int64]  # [position]: where its features start; then the number of all
    results: Floats  # [position]
    targets: Floats  # [position]: what a net is fitted to
    deal: NDArray[np.int64]  # [position]: deals with the same number are held out together

    @classmethod
    def joined(cls, parts: Iterable[PositionRows]) -> "Positions":
        inputs, results, targets, deal, counts, features = map(np.concatenate, zip(*parts, strict=True))
        return cls(inputs, features, np.concatenate([[0], np.cumsum(counts)]), results, targets, deal)

    def batch(self, rows: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int32], NDArray[np.int32]]:
        """The inputs and the features of some positions, and where the features of each start."""
        counts = self.starts[rows + 1] - self.starts[rows]
        starts = np.concatenate([[0], np.cumsum(counts)])
        places = np.repeat(self.starts[rows] - starts[:-1], counts) + np.arange(starts[-1])
        return self.inputs[rows].astype(np.float32), self.features[places].astype(np.int32), starts.astype(np.int32)


class _Weights(AdamWeights):
    """The weights of a value net for standardised inputs."""

    def __init__(self, inputs: int, features: int, sums: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sums = sums if features else 0
        self.embedding = (0.05 * rng.standard_normal((features, sums))).astype(np.float32)
        self.embedding_bias = np.zeros(sums, np.float32)
        self.hidden = (rng.standard_normal((inputs + sums, UNITS)) / np.sqrt(inputs + sums)).astype(np.float32)
        self.bias = np.zeros(UNITS, np.float32)
        self.out = (0.05 * rng.standard_normal(UNITS)).astype(np.float32)
        self.direct = np.zeros(inputs, np.float32)
        self.constant = np.zeros(1, np.float32)
        self._decays = [_EMBEDDING_DECAY, 0.0, _DECAY, 0.0, _DECAY, 0.0, 0.0]
        super().__init__(
            *(self.embedding, self.embedding_bias),
            *(self.hidden, self.bias, self.out, self.direct, self.constant),
        )

    def start_from(self, value_net: ValueNet, shift: NDArray[np.float64], scale: NDArray[np.float64]) -> None:
        """Take the weights of a net for inputs that are not standardised; units that it lacks add nothing at first."""
        net, inputs, units = value_net.net, len(self.direct), len(value_net.net.bias)
        known = np.where(np.isfinite(scale), scale, 0)
        self.hidden[:inputs, :units] = net.into[:inputs] * known[:, None]
        self.hidden[inputs:, :units] = net.into[inputs:]
        self.bias[:units] = net.bias + shift @ net.into[:inputs]
        self.out[:] = 0
        self.out[:units] = net.out
        self.direct[:] = net.direct[:inputs] * known
        self.constant[:] = net.constant + shift @ net.direct[:inputs]
        if value_net.embedding is not None:
            self.embedding_bias[:], self.embedding[:] = value_net.embedding[0], value_net.embedding[1:]

    def forward(self, inputs: Floats, held: "csr_array") -> tuple[Floats, Floats, Floats]:
        """The values of positions, and what goes into the units and comes out of them."""
        sums = np.maximum(held @ self.embedding + self.embedding_bias, 0)
        joined = np.concatenate([inputs, sums], axis=1)
        units = np.maximum(joined @ self.hidden + self.bias, 0)
        return units @ self.out + inputs @ self.direct + self.constant, joined, units

    def step(self, joined: Floats, units: Floats, held: "csr_array", error: Floats, rate: float) -> None:
        """One step of Adam against the gradient of the squared error."""
        inputs = joined[:, : len(self.direct)]
        to_units = np.outer(error, self.out) * (units > 0)
        to_sums = to_units @ self.hidden[len(self.direct) :].T * (joined[:, len(self.direct) :] > 0)
        gradients = [
            *(held.T @ to_sums, to_sums.sum(axis=0)),
            *(joined.T @ to_units, to_units.sum(axis=0)),
            *(units.T @ error, inputs.T @ error, error.sum(keepdims=True)),
        ]
        self.steps += 1
        first_scale, second_scale = (1 - (1 - beta) ** self.steps for beta in (_MEAN_RATE, _VARIANCE_RATE))
        moments = zip(self._first_moments, self._second_moments, self._decays, strict=True)
        for weights, gradient, (first, second, decay) in zip(self._all, gradients, moments, strict=True):
            if decay:
                gradient = gradient + np.float32(decay) * weights
            first += np.float32(_MEAN_RATE) * (gradient - first)
            second += np.float32(_VARIANCE_RATE) * (gradient * gradient - second)
            spread = np.sqrt(second * np.float32(1 / second_scale)) + np.float32(_EPSILON)
            weights -= np.float32(rate / first_scale) * first / spread


def fit_values(
    positions: Positions,
    names: Sequence[str],
    mirrored: NDArray[np.int64],
    seed: int,
    epochs: int,
    on_epoch: Callable[[Fit], None],
    sums: int = ACCUMULATORS,
    start: ValueNet | None = None,
) -> tuple[ValueNet, Fit]:
    """The value net that explains held-out games best; `mirrored` says which feature each becomes in a mirror.

    If `mirrored` is empty the net has no features; otherwise positions without features are left out.
    """
    held_out, counts = positions.deal % _HELD_OUT == 0, np.diff(positions.starts)
    usable = counts > 0 if len(mirrored) else np.ones(len(counts), bool)
    training, judged = np.flatnonzero(usable & ~held_out), np.flatnonzero(usable & held_out)
    if not len(training) or not len(judged):
        raise UsageError(TOO_FEW)
    rng = np.random.default_rng(seed + 1)
    sample = rng.permutation(training)[:_LINEAR_FIT]
    inputs = positions.inputs[np.sort(sample)].astype(np.float64)
    shift, scale = inputs.mean(axis=0), inputs.std(axis=0)
    scale = np.where(scale < _MIN_SD, np.inf, scale)
    weights = _Weights(len(names), len(mirrored), sums, seed)
    if start:
        weights.start_from(start, shift, scale)
    else:
        _fit_linear(weights, (inputs - shift) / scale, positions.targets[np.sort(sample)])
    standard = shift.astype(np.float32), scale.astype(np.float32)
    total_steps = max(1, epochs * (len(training) // _BATCH_SIZE))
    best, saved = _judge(weights, positions, judged, standard, 0), weights.copy()
    on_epoch(best)
    for epoch in range(epochs):
        order = rng.permutation(training)
        for at in range(0, len(order) - _BATCH_SIZE + 1, _BATCH_SIZE):
            rows = np.sort(order[at : at + _BATCH_SIZE])
            batch, held = _prepare(positions, rows, standard, mirrored if rng.random() < 0.5 else None, weights)
            values, joined, units = weights.forward(batch, held)
            error = (values - positions.targets[rows]) / np.float32(len(rows))
            rate = _LEARNING_RATE + (_LAST_LEARNING_RATE - _LEARNING_RATE) * weights.steps / total_steps
            weights.step(joined, units, held, error, RETRAINING_RATE * rate if start else rate)
        current = _judge(weights, positions, judged, standard, epoch + 1)
        on_epoch(current)
        if current.explained > best.explained:
            best, saved = current, weights.copy()
    weights.restore(saved)
    return _to_net(weights, names, shift, scale), best


def _prepare(
    positions: Positions,
    rows: NDArray[np.int64],
    standard: tuple[Floats, Floats],
    mirrored: NDArray[np.int64] | None,
    weights: _Weights,
) -> tuple[Floats, "csr_array"]:
    """Standardised inputs, and the features that hold as a sparse matrix."""
    from scipy.sparse import csr_array

    inputs, features, starts = positions.batch(rows)
    count = len(weights.embedding)
    if not count:
        features, starts = features[:0], np.zeros_like(starts)
    elif mirrored is not None:
        features = mirrored[features].astype(np.int32)
    held = csr_array((np.ones(len(features), np.float32), features, starts), shape=(len(rows), count))
    return (inputs - standard[0]) / standard[1], held


def _fit_linear(weights: _Weights, inputs: NDArray[np.float64], targets: Floats) -> None:
    """Begin with a ridge regression on the inputs alone."""
    mean = float(targets.mean())
    squares = inputs.T @ inputs + _RIDGE * len(inputs) * np.eye(inputs.shape[1])
    weights.direct[:] = np.linalg.solve(squares, inputs.T @ (targets - mean))
    weights.constant[:] = mean


def _judge(
    weights: _Weights, positions: Positions, rows: NDArray[np.int64], standard: tuple[Floats, Floats], epoch: int
) -> Fit:
    """How well the values of held-out positions agree with the results."""
    errors = 0.0
    for at in range(0, len(rows), 8 * _BATCH_SIZE):
        some = rows[at : at + 8 * _BATCH_SIZE]
        values, _, _ = weights.forward(*_prepare(positions, some, standard, None, weights))
        errors += float(((values - positions.results[some]) ** 2).sum())
    return Fit(epoch, 1 - errors / len(rows) / float(positions.results[rows].var()))


def _to_net(
    weights: _Weights, names: Sequence[str], shift: NDArray[np.float64], scale: NDArray[np.float64]
) -> ValueNet:
    """The net for inputs that are not standardised."""
    count = len(names)
    hidden = weights.hidden.astype(np.float64)
    hidden[:count] /= scale[:, None]
    direct = weights.direct / scale
    bias = weights.bias - shift @ hidden[:count]
    return ValueNet(
        Net(
            (*names, *SUMS[: len(hidden) - count]),
            float(weights.constant[0] - shift @ direct),
            bias,
            weights.out.astype(np.float64),
            np.concatenate([direct, np.zeros(len(hidden) - count)]),
            hidden,
        ),
        np.concatenate([weights.embedding_bias[None], weights.embedding]) if len(weights.embedding) else None,
    )
