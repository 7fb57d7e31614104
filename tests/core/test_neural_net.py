"""Nets in files: what is written is read again, and a file that is no net is refused in a sentence."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmsim.core.neural_net import FORMAT, UNITS, Net, read_net
from mmsim.errors import UsageError

NAMES = ("points", "ends", "lead")


def some_net(units: int = 4, seed: int = 1) -> Net:
    dice = np.random.default_rng(seed)
    return Net(
        NAMES,
        0.5,
        dice.standard_normal(units),
        dice.standard_normal(units),
        dice.standard_normal(3),
        dice.standard_normal((3, units)),
        {"seed": seed},
    )


def test_a_net_that_is_written_is_read_again(tmp_path: Path) -> None:
    net, path = some_net(), tmp_path / "net.json"
    net.write(path)
    found = read_net(path, NAMES)
    rows = np.random.default_rng(2).standard_normal((20, 3))
    assert np.allclose(found.values(rows), net.values(rows), atol=1e-3)
    assert found.about == {"seed": 1}
    found.write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_a_file_has_nets_of_their_own_for_some_numbers_of_players(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    both = replace(some_net(), by_players={4: some_net(seed=2)})
    both.write(path)
    found = read_net(path, NAMES)
    assert found.for_players(4).about == {"seed": 2}
    assert found.for_players(3).about == {"seed": 1}
    assert found.digest != replace(found, by_players={}).digest
    assert found.text() == both.text()


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    some_net(seed=1).write(path)
    one = read_net(path, NAMES).digest
    some_net(seed=2).write(path)
    assert read_net(path, NAMES).digest != one


def test_the_order_of_inputs_is_that_of_the_bot_and_not_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    some_net().write(path)
    turned = read_net(path, NAMES[::-1])
    assert turned.direct.tolist() == read_net(path, NAMES).direct[::-1].tolist()


def without(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda net_file: net_file.pop(key)


def with_value(key: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda net_file: net_file.update({key: value})


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (without("format"), f'are not a net: there is no "format": "{FORMAT}"'),
        (without("bias"), "are not a net: 'bias' is missing"),
        (lambda net_file: net_file["inputs"].pop("ends"), "other inputs than this bot has: ends is missing"),
        (lambda net_file: net_file["inputs"].update(speed=[0] * 5), "other inputs than this bot has: speed is unknown"),
        (with_value("out", [1.0]), "rows of different lengths"),
        (with_value("out", ["a"] * 2), r'out\[0\] = "a" is not a number'),
        (with_value("constant", 1e999), "a number that is not finite"),
        (with_value("inputs", []), r"inputs = \[\] is not a JSON object, every value a list like"),
        (with_value("bias", 3), r"bias = 3 is not a list like \[0.5, -1.0\]"),
    ],
)
def test_a_file_that_is_no_net_is_refused(tmp_path: Path, spoil: Callable[[Any], object], says: str) -> None:
    path = tmp_path / "net.json"
    net_file = json.loads(some_net().text())
    spoil(net_file)
    path.write_text(json.dumps(net_file))
    with pytest.raises(UsageError, match=says):
        read_net(path, NAMES)


def test_a_file_that_is_not_there_or_not_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read weights .*gone.json: No such file"):
        read_net(tmp_path / "gone.json", NAMES)
    (tmp_path / "net.json").write_text("{")
    with pytest.raises(UsageError, match="not valid JSON"):
        read_net(tmp_path / "net.json", NAMES)


def test_a_net_has_room_for_so_many_units_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    some_net(UNITS + 1).write(path)
    with pytest.raises(UsageError, match=f"more than {UNITS} units"):
        read_net(path, NAMES)
