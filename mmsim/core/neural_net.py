"""Small nets that bots go by: what one is, and the readable file it is kept in.

A net has an output that is linear in its inputs plus what its units add: each unit is a sum of inputs, counted where it
is above zero. Inputs have names, so a file says what it was made for and a bot refuses a file made for other inputs.
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
from numpy.typing import NDArray

from mmsim.errors import UsageError
from mmsim.system.files import read_bytes, write_output

FORMAT = "mmsim-net-1"
UNITS = 32  # the most a net has
_DIGITS = 5  # significant ones, in a file
_OF_PLAYERS = re.compile(r"of_(\d+)_players")
_PARTS = ("constant", "bias", "out", "inputs")


@dataclass(frozen=True)
class Net:
    """A net: `constant + inputs @ direct + relu(bias + inputs @ into) @ out`."""

    inputs: tuple[str, ...]
    constant: float
    bias: NDArray[np.float64]  # [unit]
    out: NDArray[np.float64]  # [unit]
    direct: NDArray[np.float64]  # [input]
    into: NDArray[np.float64]  # [input, unit]
    about: Mapping[str, Any] = field(default_factory=dict)  # where it comes from; plain JSON
    of_players: Mapping[int, "Net"] = field(default_factory=dict)  # others for some numbers of players

    def values(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """The net's value of every row of inputs."""
        values: NDArray[np.float64] = (
            self.constant + rows @ self.direct + np.maximum(self.bias + rows @ self.into, 0) @ self.out
        )
        return values

    def packed(self) -> NDArray[np.float32]:
        """All numbers in the order in which compiled code reads them: see `mmsim.compiled.neural_net`."""
        units = len(self.bias)
        wide = np.zeros((len(self.inputs), UNITS))
        wide[:, :units] = self.into
        bias, out = np.zeros(UNITS), np.zeros(UNITS)
        bias[:units], out[:units] = self.bias, self.out
        return np.concatenate([[units, self.constant], bias, out, self.direct, wide.ravel()]).astype(np.float32)

    def for_players(self, players: int) -> "Net":
        """The net for a number of players."""
        return self.of_players.get(players, self)

    def text(self) -> str:
        """The file of this net: an input a line, its direct weight before those into the units."""
        others = "".join(
            f',\n "of_{players}_players": {{\n{net._parts_text()}\n }}' for players, net in self.of_players.items()
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
        """What tells this net from any other."""
        nets = [self, *self.of_players.values()]
        return sha256(b"".join(net.packed().tobytes() for net in nets)).hexdigest()[:12]


def _numbers(values: Sequence[float] | NDArray[np.float64]) -> str:
    return "[" + ", ".join(f"{value:.{_DIGITS}g}" for value in values) + "]"


def read_net(path: Path, inputs: tuple[str, ...]) -> Net:
    """The net of a file, made for these inputs; a file that has not changed is read once."""
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise UsageError(f"cannot read weights {path}: {error.strerror}") from error
    return _read(path, changed, inputs)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int, inputs: tuple[str, ...]) -> Net:
    try:
        found = json.loads(read_bytes(path).decode())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read weights {path}: {getattr(error, 'strerror', None) or error}") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"weights {path} are not valid JSON: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise UsageError(f'weights {path} are not a net: there is no "format": "{FORMAT}"')
    of_players = {}
    for name, net in found.items():
        if players := _OF_PLAYERS.fullmatch(name):
            of_players[int(players[1])] = _net_of(path, net, inputs)
    return replace(_net_of(path, found, inputs), of_players=of_players)


def _net_of(path: Path, found: Any, inputs: tuple[str, ...]) -> Net:
    for part in _PARTS:
        if not isinstance(found, dict) or part not in found:
            raise UsageError(f"weights {path} have no {part}")
    named = found["inputs"]
    if not isinstance(named, dict) or set(named) != set(inputs):
        lacking = sorted({*inputs} - {*named})
        strange = sorted({*named} - {*inputs})
        what = f"{lacking[0]} is missing" if lacking else f"{strange[0]} is unknown"
        raise UsageError(f"weights {path} are for other inputs than this bot has: {what}")
    try:
        bias, out = np.array(found["bias"], float), np.array(found["out"], float)
        table = np.array([named[name] for name in inputs], float)
        constant = float(found["constant"])
    except (TypeError, ValueError) as error:
        raise UsageError(f"weights {path} have something else than numbers: {error}") from error
    units = len(bias) if bias.ndim == 1 else -1
    if units > UNITS or out.shape != (units,) or table.shape != (len(inputs), 1 + units):
        raise UsageError(f"weights {path} have rows of different lengths, or more than {UNITS} units")
    if not all(np.isfinite(numbers).all() for numbers in (bias, out, table, constant)):
        raise UsageError(f"weights {path} have a number that is not finite")
    return Net(inputs, constant, bias, out, table[:, 0], table[:, 1:], found.get("about", {}))
