"""Fitting a net to decisions: of the turns compared at a decision, which did better than the others?

What a playout brought is full of chance that all turns of a decision share, so only differences within one count:
results and the net's values are both taken from the mean of their decision. A linear fit comes first; from there all
weights go on together by Adam (Kingma and Ba, ICLR 2015). The epoch that knew decisions held out best is kept:
few lessons are soon learnt by heart. Same lessons and seed, same net.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmsim.core.neural_net import UNITS, Net

Floats = NDArray[np.float32]
_RATE, _LAST_RATE = 2e-3, 2e-5
DECAY = 1e-3  # of weights, so that few lessons make a plain net
_BATCH = 256  # decisions a step
_LITTLE = 1e-3  # inputs that change less than that are left out of account
_MEAN, _SPREAD, _TINY = (
    0.1,
    0.001,
    1e-8,
)  # how fast averages follow, and a floor: Adam (Kingma and Ba 2015)
_FADED = 1e-4  # of a value: less than that decides nothing
_HELD_OUT = 8  # one game in so many is not learnt from


@dataclass(frozen=True)
class Lessons:
    """Decisions, each several rows one after another: the inputs of a net for a turn, and how its playout ended."""

    inputs: Floats  # [row, input]
    results: Floats  # [row]
    decision: NDArray[np.int64]  # [row]: 0, 0, 0, 1, 1, ...
    game: NDArray[np.int64]  # [decision]: any number that tells games apart

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.bincount(self.decision, minlength=len(self.game))

    def within(self, values: Floats) -> Floats:
        """Values of rows as differences from the mean of their decision."""
        means = np.bincount(self.decision, values, len(self.game)) / self.counts
        return (values - means[self.decision]).astype(np.float32)

    def chosen(self, wanted: NDArray[np.bool_]) -> "Lessons":
        """Only some of the decisions."""
        number = np.cumsum(wanted) - 1
        rows = wanted[self.decision]
        return Lessons(self.inputs[rows], self.results[rows], number[self.decision[rows]], self.game[wanted])

    def split(self) -> tuple["Lessons", "Lessons"]:
        """Those to learn from, and those of games that are held out."""
        held_out = self.game % _HELD_OUT == 0
        return self.chosen(~held_out), self.chosen(held_out)


@dataclass(frozen=True)
class Fit:
    """How well a net knows decisions that it has not learnt from."""

    epoch: int
    explained: float  # share of the variance within decisions; chance is most of it
    gain: float  # how much better the playouts of its turns went than those of the turn that is first by weight


def judge(lessons: Lessons, values: Floats, epoch: int) -> Fit:
    """How well a net's values of all rows agree with the results."""
    results, differences = lessons.within(lessons.results), lessons.within(values)
    explained = 1 - float(((results - differences) ** 2).sum() / (results**2).sum())
    first = np.flatnonzero(np.diff(lessons.decision, prepend=-1))
    order = np.lexsort((-values, lessons.decision))  # of equal ones the first
    gain = float((lessons.results[order[first]] - lessons.results[first]).mean())
    return Fit(epoch, explained, gain)


class _Weights:
    """The numbers that are fitted, and what Adam remembers of their gradients."""

    def __init__(self, inputs: int, seed: int, decay: float) -> None:
        self._decay = decay
        dice = np.random.default_rng(seed)
        self.into = (dice.standard_normal((inputs, UNITS)) * np.sqrt(1.5 / inputs)).astype(np.float32)
        self.bias = np.zeros(UNITS, np.float32)
        self.out = np.zeros(UNITS, np.float32)
        self.direct = np.zeros(inputs, np.float32)
        self._first = [np.zeros_like(weights) for weights in self.all()]
        self._second = [np.zeros_like(weights) for weights in self.all()]
        self.steps = 0
        self._first_out = 0.1 * dice.standard_normal(UNITS)

    def start_units(self) -> None:
        """Have the units count, which add nothing to a linear fit."""
        self.out[:] = self._first_out

    def all(self) -> list[Floats]:
        return [self.into, self.bias, self.out, self.direct]

    def copy(self) -> list[Floats]:
        return [weights.copy() for weights in self.all()]

    def set_to(self, kept: list[Floats]) -> None:
        for weights, values in zip(self.all(), kept, strict=True):
            weights[:] = values

    def values(self, inputs: Floats) -> tuple[Floats, Floats]:
        units = np.maximum(inputs @ self.into + self.bias, 0)
        return units @ self.out + inputs @ self.direct, units

    def units_used(self, inputs: Floats) -> NDArray[np.bool_]:
        """Which units ever add something; the others have faded away and would only cost time."""
        _, units = self.values(inputs)
        used: NDArray[np.bool_] = units.max(axis=0) * np.abs(self.out) > _FADED
        return used

    def step(self, inputs: Floats, units: Floats, error: Floats, rate: float) -> None:
        """One step against the gradient of the squared error."""
        to_units = np.outer(error, self.out) * (units > 0)
        gradients = [
            inputs.T @ to_units + self._decay * self.into,
            to_units.sum(axis=0),
            units.T @ error + self._decay * self.out,
            inputs.T @ error + self._decay * self.direct,
        ]
        self.steps += 1
        for weights, gradient, first, second in zip(self.all(), gradients, self._first, self._second, strict=True):
            first += _MEAN * (gradient - first)
            second += _SPREAD * (gradient * gradient - second)
            mean, spread = first / (1 - (1 - _MEAN) ** self.steps), second / (1 - (1 - _SPREAD) ** self.steps)
            weights -= (rate * mean / (np.sqrt(spread) + _TINY)).astype(np.float32)


def fit(
    lessons: Lessons,
    names: Sequence[str],
    seed: int,
    epochs: int,
    tell: Callable[[Fit], None],
    decay: float = DECAY,
) -> tuple[Net, Fit]:
    """The best net for decisions, and how well it does on those held out, by how much it explains of them.

    `tell` gets that of every epoch, 0 being the linear fit.
    """
    shift, scale = lessons.inputs.mean(axis=0), lessons.inputs.std(axis=0)
    scale = np.where(scale < _LITTLE, np.float32(np.inf), scale)
    learnt, unseen = lessons.split()
    learnt_inputs, unseen_inputs = (learnt.inputs - shift) / scale, (unseen.inputs - shift) / scale
    results = learnt.within(learnt.results)
    weights = _Weights(len(names), seed, decay)
    weights.direct[:] = _linear(learnt, learnt_inputs, results)
    best, kept = judge(unseen, weights.values(unseen_inputs)[0], 0), weights.copy()
    tell(best)
    weights.start_units()
    dice = np.random.default_rng(seed + 1)
    steps = epochs * -(-len(learnt.game) // _BATCH)
    for epoch in range(epochs):
        _learn(weights, learnt, learnt_inputs, results, dice.permutation(len(learnt.game)), steps)
        found = judge(unseen, weights.values(unseen_inputs)[0], epoch + 1)
        tell(found)
        if found.explained > best.explained:
            best, kept = found, weights.copy()
    weights.set_to(kept)
    return _net_of(weights, names, shift, scale, learnt_inputs), best


def _learn(
    weights: _Weights, lessons: Lessons, inputs: Floats, results: Floats, order: NDArray[np.int64], steps: int
) -> None:
    """Go through all decisions once; the rate falls from the first of all `steps` to the last."""
    counts = lessons.counts
    starts = np.cumsum(counts) - counts
    for at in range(0, len(order), _BATCH):
        batch = order[at : at + _BATCH]
        sizes = counts[batch]
        of = np.repeat(np.arange(len(batch)), sizes)
        rows = np.repeat(starts[batch] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        of_batch = inputs[rows]
        values, active = weights.values(of_batch)
        wrong = values - (np.bincount(of, values) / sizes)[of] - results[rows]
        rate = _RATE + (_LAST_RATE - _RATE) * weights.steps / steps
        weights.step(of_batch, active, (wrong / len(rows)).astype(np.float32), rate)


def _net_of(weights: _Weights, names: Sequence[str], shift: Floats, scale: Floats, learnt: Floats) -> Net:
    """The net for inputs as they are, without the units that do nothing."""
    used = weights.units_used(learnt)
    into, direct = weights.into[:, used] / scale[:, None], weights.direct / scale
    return Net(
        tuple(names),
        float(-(shift @ direct)),
        (weights.bias[used] - shift @ into).astype(np.float64),
        weights.out[used].astype(np.float64),
        direct.astype(np.float64),
        into.astype(np.float64),
    )


def _linear(lessons: Lessons, inputs: Floats, results: Floats) -> Floats:
    """The weights of a linear fit of differences within decisions (ridge regression)."""
    means = np.zeros((len(lessons.game), inputs.shape[1]))
    np.add.at(means, lessons.decision, inputs)
    means /= lessons.counts[:, None]
    differences = inputs - means[lessons.decision]
    squares = differences.T @ differences + 1e-3 * len(inputs) * np.eye(inputs.shape[1])
    found: Floats = np.linalg.solve(squares, differences.T @ results).astype(np.float32)
    return found
