"""The neural nets of `core/neural_net.py` for compiled code: the same value from an array of numbers.

Their order is that of `Net.packed`: number of hidden units, constant, biases of the units, output weights of the units,
direct weights of the inputs, then the weights of each input into all units. Inputs are summed in order, so that a value
is the same on every machine. The number of units is data, not a constant: LLVM would unroll a loop of known length
instead of vectorising it (2.7 times slower).
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmsim.compiled.decorators import ix, jit
from mmsim.core.neural_net import ACCUMULATORS, UNITS

Nets: TypeAlias = Any  # an array of packed nets
Inputs: TypeAlias = Any  # a record with the fields `inputs` and `unit`

_ZERO = np.float32(0.0)


class PackedNets:
    """Nets one after another, as compiled code reads them; equal ones share a place."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._nets: list[NDArray[np.float32]] = []
        self._size = 0

    def place(self, net: NDArray[np.float32]) -> int:
        """The place of a packed net, which is added if it is new."""
        key = net.tobytes()
        if key not in self._places:
            self._places[key] = self._size
            self._nets.append(net)
            self._size += net.size
        return self._places[key]

    @property
    def numbers(self) -> NDArray[np.float32]:
        return np.concatenate([np.zeros(0, np.float32), *self._nets])


@jit
def packed_size(inputs: Any) -> Any:
    """The number of numbers in a packed net."""
    return 2 + 2 * UNITS + inputs + UNITS * inputs


@jit
def net_value(nets: Nets, at: Any, memory: Inputs, row: Any, inputs: Any) -> float:
    """The value that the net at index `at` gives to the inputs from index `row` on."""
    units, bias = np.int64(nets[ix(at)]), at + 2
    output = bias + UNITS
    direct = output + UNITS
    hidden = direct + inputs
    total = nets[ix(at + 1)]
    for unit in range(units):
        memory.unit[ix(unit)] = nets[ix(bias + unit)]
    for i in range(inputs):
        amount = memory.inputs[ix(row + i)]
        if amount != _ZERO:
            total += amount * nets[ix(direct + i)]
            first = hidden + UNITS * i
            for unit in range(units):
                memory.unit[ix(unit)] += amount * nets[ix(first + unit)]
    for unit in range(units):
        if memory.unit[ix(unit)] > _ZERO:
            total += memory.unit[ix(unit)] * nets[ix(output + unit)]
    return np.float64(total)


@jit
def value_net_value(nets: Nets, at: Any, memory: Inputs, row: Any, inputs: Any) -> float:
    """The value that the value net at index `at` gives to the inputs from index `row` on and to the features listed.

    The sums over the features are written after the inputs; they are 0 for a net without an embedding. The order of the
    numbers is that of `ValueNet.packed`.
    """
    sums, first = np.int64(nets[ix(at)]), row + inputs
    all_inputs = inputs + (sums if sums > 0 else np.int64(ACCUMULATORS))
    embedding = at + 1 + packed_size(all_inputs)
    for i in range(all_inputs - inputs):
        memory.inputs[ix(first + i)] = _ZERO
    if sums > 0:
        for i in range(sums):
            memory.inputs[ix(first + i)] = nets[ix(embedding + i)]
        for place in range(memory.features):
            feature = embedding + sums * (1 + np.int64(memory.feature[ix(place)]))
            for i in range(sums):
                memory.inputs[ix(first + i)] += nets[ix(feature + i)]
        for i in range(sums):
            memory.inputs[ix(first + i)] = max(memory.inputs[ix(first + i)], _ZERO)
    return net_value(nets, at + 1, memory, row, all_inputs)
