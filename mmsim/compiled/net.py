"""The nets of `core/nets.py` for compiled code: the same value from the numbers of a record's field `net`.

They lie as `Net.packed` puts them: how many units it has, the constant, the biases of the units, what the units count,
the direct weight of every input, then the weights of every input into all units. Sums go input by input in their
order, so that a value is the same on every machine. The number of units is read, not known when this is compiled: a
loop of a known length is unrolled and then not done several units at once (2.7 times as fast).
"""

from typing import Any

import numpy as np

from mmsim.compiled.accel import ix, jit
from mmsim.core.nets import UNITS

_NONE = np.float32(0.0)


def numbers(inputs: int) -> int:
    """How many numbers a net with so many inputs has."""
    return 2 + 2 * UNITS + inputs + UNITS * inputs


@jit
def net_value(bots: Any, at: Any, m: Any, row: Any, inputs: Any) -> float:
    """The value of the inputs in `m.inputs` from a place on, by the net in `bots.net` from a place on."""
    units, bias = np.int64(bots.net[ix(at)]), at + 2
    out = bias + UNITS
    direct = out + UNITS
    into = direct + inputs
    total = bots.net[ix(at + 1)]
    for unit in range(units):
        m.unit[ix(unit)] = bots.net[ix(bias + unit)]
    for i in range(inputs):
        amount = m.inputs[ix(row + i)]
        if amount != _NONE:
            total += amount * bots.net[ix(direct + i)]
            first = into + UNITS * i
            for unit in range(units):
                m.unit[ix(unit)] += amount * bots.net[ix(first + unit)]
    for unit in range(units):
        if m.unit[ix(unit)] > _NONE:
            total += m.unit[ix(unit)] * bots.net[ix(out + unit)]
    return np.float64(total)
