"""Nets in files: what is written is read again, and a file that is no net is refused in a sentence."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmsim.core.neural_net import (
    ACCUMULATORS,
    FORMAT,
    MOST_ACCUMULATORS,
    SUMS,
    UNITS,
    BotNets,
    Net,
    ValueNet,
    read_nets,
)
from mmsim.errors import UsageError

NAMES = ("points", "ends", "lead")
VALUE_NAMES = ("points", "turn")


def some_net(units: int = 4, seed: int = 1, names: tuple[str, ...] = NAMES) -> Net:
    dice = np.random.default_rng(seed)
    return Net(
        names,
        0.5,
        dice.standard_normal(units),
        dice.standard_normal(units),
        dice.standard_normal(len(names)),
        dice.standard_normal((len(names), units)),
    )


def some_value_net(
    features: int = 0, seed: int = 1, names: tuple[str, ...] = VALUE_NAMES, sums: int = ACCUMULATORS
) -> ValueNet:
    if not features:
        return ValueNet(some_net(seed=seed, names=names))
    embedding = np.random.default_rng(seed).standard_normal((1 + features, sums)).astype(np.float16)
    return ValueNet(some_net(seed=seed, names=(*names, *SUMS[:sums])), embedding.astype(np.float32))


def some_nets(seed: int = 1) -> BotNets:
    return BotNets(some_net(seed=seed), some_value_net(), some_value_net(features=7), {"seed": seed})


def read(path: Path) -> BotNets:
    return read_nets(path, NAMES, VALUE_NAMES)


def test_nets_that_are_written_are_read_again(tmp_path: Path) -> None:
    nets, path = some_nets(), tmp_path / "nets.json"
    nets.write(path)
    found = read(path)
    rows = np.random.default_rng(2).standard_normal((20, 3))
    assert np.allclose(found.choice.values(rows), nets.choice.values(rows), atol=1e-3)
    held = [np.arange(i % 7) for i in range(20)]
    for net, written in ((found.value, nets.value), (found.board_value, nets.board_value)):
        assert net is not None
        assert written is not None
        assert np.allclose(net.values(rows[:, :2], held), written.values(rows[:, :2], held), atol=1e-2)
    assert found.about == {"seed": 1}
    found.write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("sums", [1, 5, MOST_ACCUMULATORS])
def test_a_value_net_may_have_another_number_of_sums(tmp_path: Path, sums: int) -> None:
    net = some_value_net(features=7, sums=sums)
    BotNets(some_net(), some_value_net(), net).write(tmp_path / "nets.json")
    found = read(tmp_path / "nets.json").board_value
    assert found is not None
    assert found.embedding is not None
    assert found.embedding.shape == (8, sums)
    rows, held = np.array([[0.3, -2.0]]), [np.array([1, 4, 6])]
    assert np.allclose(found.values(rows, held), net.values(rows, held), rtol=1e-3, atol=1e-2)


def test_a_file_may_have_no_value_net(tmp_path: Path) -> None:
    BotNets(some_net()).write(tmp_path / "nets.json")
    found = read(tmp_path / "nets.json")
    assert found.value is found.board_value is found.value_for(7) is None


def test_the_value_net_is_the_one_for_the_features_of_the_board() -> None:
    nets = some_nets()
    assert nets.value_for(7) is nets.board_value
    assert nets.value_for(6) is nets.value
    assert nets.value_for(0) is nets.value


def test_every_net_counts_in_the_digest() -> None:
    nets = some_nets()
    changes: list[dict[str, Any]] = [
        *({"choice": some_net(seed=2)}, {"value": some_value_net(seed=2)}),
        *({"board_value": some_value_net(7, seed=2)}, {"board_value": None}),
    ]
    digests = {nets.digest, *(replace(nets, **change).digest for change in changes)}
    assert len(digests) == 5
    assert replace(nets, about={}).digest == nets.digest


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "nets.json"
    some_nets(seed=1).write(path)
    one = read(path).digest
    some_nets(seed=2).write(path)
    assert read(path).digest != one


def test_the_order_of_inputs_is_that_of_the_bot_and_not_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "nets.json"
    some_nets().write(path)
    turned = read_nets(path, NAMES[::-1], VALUE_NAMES).choice
    assert turned.direct.tolist() == read(path).choice.direct[::-1].tolist()


def without(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda net_file: net_file.pop(key)


def with_value(key: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda net_file: net_file.update({key: value})


def in_net(spoil: Callable[[dict[str, Any]], object], net: str = "choice") -> Callable[[dict[str, Any]], object]:
    return lambda net_file: spoil(net_file[net])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (without("format"), f'are not nets: there is no "format": "{FORMAT}"'),
        (without("choice"), "are not nets: 'choice' is missing"),
        (with_value("value", 3), "value = 3 is not"),
        (in_net(without("bias")), "are not nets: 'bias' is missing"),
        (in_net(lambda net: net["inputs"].pop("ends")), "other inputs than this bot has: ends is missing"),
        (in_net(lambda net: net["inputs"].update(speed=[0] * 5)), "inputs than this bot has: speed is unknown"),
        (in_net(with_value("out", [1.0])), "rows of different lengths"),
        (in_net(with_value("out", ["a"] * 2)), r'out\[0\] = "a" is not a number'),
        (in_net(with_value("constant", 1e999)), "a number that is not finite"),
        (in_net(with_value("inputs", [])), r"inputs = \[\] is not a JSON object, every value a list like"),
        (in_net(with_value("bias", 3)), r"bias = 3 is not a list like \[0.5, -1.0\]"),
        (in_net(with_value("embedding", "AAA"), "board_value"), "an embedding that is damaged"),
        (in_net(with_value("embedding", "AAAA"), "board_value"), "an embedding that is damaged"),
        (in_net(with_value("embedding", ""), "board_value"), "an embedding without numbers"),
        (in_net(with_value("embedding", "/////" * 64 + "///="), "board_value"), "embedding"),
    ],
)
def test_a_file_that_is_no_net_is_refused(tmp_path: Path, spoil: Callable[[Any], object], says: str) -> None:
    path = tmp_path / "net.json"
    net_file = json.loads(some_nets().text())
    spoil(net_file)
    path.write_text(json.dumps(net_file))
    with pytest.raises(UsageError, match=says):
        read(path)


def test_a_file_that_is_not_there_or_not_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read weights .*gone.json: No such file"):
        read(tmp_path / "gone.json")
    (tmp_path / "net.json").write_text("{")
    with pytest.raises(UsageError, match="not valid JSON"):
        read(tmp_path / "net.json")


def test_a_net_has_room_for_so_many_units_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    replace(some_nets(), choice=some_net(UNITS + 1)).write(path)
    with pytest.raises(UsageError, match=f"more than {UNITS} units"):
        read(path)
