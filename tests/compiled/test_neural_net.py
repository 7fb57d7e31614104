"""Compiled code gives the same value as `Net.values`."""

import numpy as np

from mmsim.compiled.neural_net import net_value, packed_size
from mmsim.core.neural_net import UNITS
from tests.core.test_neural_net import NAMES, some_net

BOTS = np.dtype([("net", np.float32, 2 * packed_size(len(NAMES)))])
MEMORY = np.dtype([("inputs", np.float32, 4 * len(NAMES)), ("unit", np.float32, UNITS)])


def test_a_value_is_that_of_the_readable_net() -> None:
    net = some_net(units=7)
    bots, memory = np.zeros(1, BOTS).view(np.recarray)[0], np.zeros(1, MEMORY).view(np.recarray)[0]
    at = packed_size(len(NAMES))  # the second net
    bots.net[at:] = net.packed()
    rows = np.random.default_rng(3).standard_normal((4, len(NAMES))).astype(np.float32)
    rows[1, 2] = 0
    memory.inputs[:] = rows.ravel()
    values = [net_value(bots, np.int64(at), memory, np.int64(len(NAMES) * i), np.int64(len(NAMES))) for i in range(4)]
    assert np.allclose(values, net.values(rows), atol=1e-5)
