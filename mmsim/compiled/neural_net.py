"""The nets of `core/neural_net.py` for compiled code: the same value from the numbers of a record's field `net`.

They lie as `Net.packed` puts them: how many units it has, the constant, the biases of the units, what the units count,
the direct weight of every input, then the weights of every input into all units. Sums go input by input in their
order, so that a value is the same on every machine. The number of units is read, not known when this is compiled: a
loop of a known length is unrolled and then not done several units at once (2.7 times as fast).
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.core.neural_net import UNITS

Nets: TypeAlias = Any  # a record with nets in its field `net`
Inputs: TypeAlias = Any  # a record with the fields `inputs` and `unit`

_NONE = np.float32(0.0)


def numbers(inputs: int) -> int:
    """How many numbers a net with so many inputs has."""
    return 2 + 2 * UNITS + inputs + UNITS * inputs


@jit
def net_value(nets: Nets, at: Any, given: Inputs, row: Any, inputs: Any) -> float:
    """The value of so many inputs, from a place on, by the net from a place on."""
    units, bias = np.int64(nets.net[ix(at)]), at + 2
    out = bias + UNITS
    direct = out + UNITS
    into = direct + inputs
    total = nets.net[ix(at + 1)]
    for unit in range(units):
        given.unit[ix(unit)] = nets.net[ix(bias + unit)]
    for i in range(inputs):
        amount = given.inputs[ix(row + i)]
        if amount != _NONE:
            total += amount * nets.net[ix(direct + i)]
            first = into + UNITS * i
            for unit in range(units):
                given.unit[ix(unit)] += amount * nets.net[ix(first + unit)]
    for unit in range(units):
        if given.unit[ix(unit)] > _NONE:
            total += given.unit[ix(unit)] * nets.net[ix(out + unit)]
    return np.float64(total)
