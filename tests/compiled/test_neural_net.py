"""Compiled code gives the same value as `Net.values`."""

import numpy as np
import pytest

from mmsim.compiled.neural_net import PackedNets, net_value, packed_size, value_net_value
from mmsim.core.neural_net import ACCUMULATORS, MOST_ACCUMULATORS, UNITS
from tests.core.test_neural_net import NAMES, VALUE_NAMES, some_net, some_value_net

MEMORY = np.dtype([("inputs", np.float32, 4 * len(NAMES)), ("unit", np.float32, UNITS)])


def test_a_value_is_that_of_the_readable_net() -> None:
    net = some_net(units=7)
    memory, nets = np.zeros(1, MEMORY).view(np.recarray)[0], PackedNets()
    assert nets.place(some_net(units=3).packed()) == 0
    at = nets.place(net.packed())  # the second net
    assert at == nets.place(net.packed()) == packed_size(len(NAMES))
    rows = np.random.default_rng(3).standard_normal((4, len(NAMES))).astype(np.float32)
    rows[1, 2] = 0
    memory.inputs[:] = rows.ravel()
    values = [net_value(nets.numbers, at, memory, len(NAMES) * i, len(NAMES)) for i in range(4)]
    assert np.allclose(values, net.values(rows), atol=1e-5)


VALUE_MEMORY = np.dtype(
    [
        ("inputs", np.float32, len(VALUE_NAMES) + MOST_ACCUMULATORS),
        ("unit", np.float32, UNITS),
        ("features", np.int64),
        ("feature", np.uint16, 8),
    ]
)


@pytest.mark.parametrize(("features", "sums"), [(0, ACCUMULATORS), (7, ACCUMULATORS), (7, 5), (7, MOST_ACCUMULATORS)])
def test_a_value_of_features_is_that_of_the_readable_net(features: int, sums: int) -> None:
    net, nets = some_value_net(features, sums=sums), PackedNets()
    nets.place(some_net().packed())
    at = nets.place(net.packed())
    memory = np.zeros(1, VALUE_MEMORY).view(np.recarray)[0]
    held = np.array([1, 4, 6])
    memory.inputs[:2] = 0.3, -2.0
    memory.inputs[2:] = 9.0  # of an earlier position
    memory.features, memory.feature[:3] = 3, held
    value = value_net_value(nets.numbers, at, memory, 0, len(VALUE_NAMES))
    assert np.allclose(value, net.values(np.array([[0.3, -2.0]]), [held]), atol=1e-4)
