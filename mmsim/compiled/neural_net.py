"""The neural nets of `core/neural_net.py` for compiled code: the same value from the numbers in a record's field `net`.

Their order is that of `Net.packed`: number of hidden units, constant, biases of the units, output weights of the units,
direct weights of the inputs, then the weights of each input into all units. Inputs are summed in order, so that a value
is the same on every machine. The number of units is data, not a constant: LLVM would unroll a loop of known length
instead of vectorising it (2.7 times slower).
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.decorators import ix, jit
from mmsim.core.neural_net import UNITS

Nets: TypeAlias = Any  # a record with nets in its field `net`
Inputs: TypeAlias = Any  # a record with the fields `inputs` and `unit`

_ZERO = np.float32(0.0)


def packed_size(inputs: int) -> int:
    """The number of numbers in a packed net."""
    return 2 + 2 * UNITS + inputs + UNITS * inputs


@jit
def net_value(nets: Nets, at: Any, memory: Inputs, row: Any, inputs: Any) -> float:
    """The value that the net at index `at` gives to the inputs from index `row` on."""
    units, bias = np.int64(nets.net[ix(at)]), at + 2
    output = bias + UNITS
    direct = output + UNITS
    hidden = direct + inputs
    total = nets.net[ix(at + 1)]
    for unit in range(units):
        memory.unit[ix(unit)] = nets.net[ix(bias + unit)]
    for i in range(inputs):
        amount = memory.inputs[ix(row + i)]
        if amount != _ZERO:
            total += amount * nets.net[ix(direct + i)]
            first = hidden + UNITS * i
            for unit in range(units):
                memory.unit[ix(unit)] += amount * nets.net[ix(first + unit)]
    for unit in range(units):
        if memory.unit[ix(unit)] > _ZERO:
            total += memory.unit[ix(unit)] * nets.net[ix(output + unit)]
    return np.float64(total)
