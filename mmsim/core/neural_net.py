"""Small neural nets of bots, and the readable files they are stored in.

The output is linear in the inputs plus one hidden layer of rectified linear units. Inputs are named, so a bot refuses a
file that was made for other inputs.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from mmsim.errors import UsageError
from mmsim.system.files import failing_with, read_json, write_output
from mmsim.system.validation import convert

FORMAT = "mmsim-net-1"
UNITS = 32  # at most
_DIGITS = 5  # significant ones, in a file
_OF_PLAYERS = re.compile(r"of_(\d+)_players")


class _NetFile(Struct, frozen=True):
    """The content of a file of a net, or of the part of it for a number of players."""

    constant: float
    bias: list[float]
    out: list[float]
    inputs: dict[str, list[float]]  # its direct weight, then those into the units
    about: dict[str, Any] = {}


@dataclass(frozen=True)
class Net:
    """A net: `constant + inputs @ direct + relu(bias + inputs @ into) @ out`."""

    inputs: tuple[str, ...]
    constant: float
    bias: NDArray[np.float64]  # [unit]
    out: NDArray[np.float64]  # [unit]
    direct: NDArray[np.float64]  # [input]
    into: NDArray[np.float64]  # [input, unit]
    about: Mapping[str, Any] = field(default_factory=dict)  # its provenance; plain JSON
    by_players: Mapping[int, "Net"] = field(default_factory=dict)  # nets for particular numbers of players

    def values(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """The net's value of every row of inputs."""
        values: NDArray[np.float64] = (
            self.constant + rows @ self.direct + np.maximum(self.bias + rows @ self.into, 0) @ self.out
        )
        return values

    def packed(self) -> NDArray[np.float32]:
        """All numbers in the order of compiled code, see `mmsim.compiled.neural_net`."""
        units = len(self.bias)
        padded = np.zeros((len(self.inputs), UNITS))
        padded[:, :units] = self.into
        bias, out = np.zeros(UNITS), np.zeros(UNITS)
        bias[:units], out[:units] = self.bias, self.out
        return np.concatenate([[units, self.constant], bias, out, self.direct, padded.ravel()]).astype(np.float32)

    def for_players(self, players: int) -> "Net":
        return self.by_players.get(players, self)

    def text(self) -> str:
        """The file of this net: one line per input, its direct weight before those into the units."""
        others = "".join(
            f',\n "of_{players}_players": {{\n{net._parts_text()}\n }}' for players, net in self.by_players.items()
        )
        return f'{{\n "format": "{FORMAT}",\n{self._parts_text()}{others}\n}}\n'

    def _parts_text(self) -> str:
        rows = ",\n".join(
            f"  {json.dumps(name)}: {_numbers([direct, *into])}"
            for name, direct, into in zip(self.inputs, self.direct, self.into, strict=True)
        )
        return (
            f' "about": {json.dumps(self.about, indent=1, ensure_ascii=False)},\n'
            f' "constant": {_numbers([self.constant])[1:-1]},\n "bias": {_numbers(self.bias)},\n'
            f' "out": {_numbers(self.out)},\n "inputs": {{\n{rows}\n }}'
        )

    def write(self, path: Path) -> None:
        write_output(path, self.text().encode())

    @property
    def digest(self) -> str:
        nets = [self, *self.by_players.values()]
        return sha256(b"".join(net.packed().tobytes() for net in nets)).hexdigest()[:12]


def _numbers(values: Sequence[float] | NDArray[np.float64]) -> str:
    return "[" + ", ".join(f"{value:.{_DIGITS}g}" for value in values) + "]"


def read_net(path: Path, inputs: tuple[str, ...]) -> Net:
    """The net in a file, made for these inputs; cached until the file changes."""
    with failing_with(f"cannot read weights {path}", UsageError):
        changed = path.stat().st_mtime_ns
    return _read(path, changed, inputs)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int, inputs: tuple[str, ...]) -> Net:
    content = read_json(path, "weights")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UsageError(f'weights {path} are not a net: there is no "format": "{FORMAT}"')
    by_players = {}
    for key, net in content.items():
        if players := _OF_PLAYERS.fullmatch(key):
            by_players[int(players[1])] = _net_of(path, net, inputs)
    return replace(_net_of(path, content, inputs), by_players=by_players)


def _net_of(path: Path, content: Any, inputs: tuple[str, ...]) -> Net:
    try:
        file = convert(content, _NetFile, example="[0.5, -1.0]")
    except UsageError as error:
        raise UsageError(f"weights {path} are not a net: {error}") from error
    if {*file.inputs} != {*inputs}:
        lacking, strange = sorted({*inputs} - {*file.inputs}), sorted({*file.inputs} - {*inputs})
        difference = f"{lacking[0]} is missing" if lacking else f"{strange[0]} is unknown"
        raise UsageError(f"weights {path} are for other inputs than this bot has: {difference}")
    units = len(file.bias)
    rows = [file.inputs[name] for name in inputs]
    if units > UNITS or len(file.out) != units or any(len(row) != 1 + units for row in rows):
        raise UsageError(f"weights {path} have rows of different lengths, or more than {UNITS} units")
    table, bias, out = np.array(rows), np.array(file.bias), np.array(file.out)
    if not all(np.isfinite(numbers).all() for numbers in (bias, out, table, file.constant)):
        raise UsageError(f"weights {path} have a number that is not finite")
    return Net(inputs, file.constant, bias, out, table[:, 0], table[:, 1:], file.about)
