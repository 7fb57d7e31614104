"""Small neural nets of bots, and the readable file they are stored in.

The output of a net is linear in the inputs plus one hidden layer of rectified linear units. Inputs are named, so a bot
refuses a file that was made for other inputs. A bot has a net that compares its moves, and a net that judges positions.
"""

import base64
import json
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

FORMAT = "mmsim-nets-1"
UNITS = 32  # at most
_LARGEST = 1e9  # number in a net; compiled code adds products of them in single precision
ACCUMULATORS = 16  # sums over the features of a board that a value net has beside its inputs, if not told otherwise
MOST_ACCUMULATORS = 64
SUMS = tuple(f"sum_{i}" for i in range(MOST_ACCUMULATORS))  # their names
_DIGITS = 5  # significant ones, in a file
_EMBEDDING = np.dtype("<f2")  # in a file


class _NetFile(Struct, frozen=True):
    """A net in a file."""

    constant: float
    bias: list[float]
    out: list[float]
    inputs: dict[str, list[float]]  # its direct weight, then those into the units
    embedding: str = ""  # of the features of a board, base64


class _File(Struct, frozen=True):
    choice: dict[str, Any]
    about: dict[str, Any] = {}
    value: dict[str, Any] | None = None
    board_value: dict[str, Any] | None = None


@dataclass(frozen=True)
class Net:
    """A net: `constant + inputs @ direct + relu(bias + inputs @ into) @ out`."""

    inputs: tuple[str, ...]
    constant: float
    bias: NDArray[np.float64]  # [unit]
    out: NDArray[np.float64]  # [unit]
    direct: NDArray[np.float64]  # [input]
    into: NDArray[np.float64]  # [input, unit]

    @classmethod
    def linear(cls, inputs: tuple[str, ...], **weights: float) -> "Net":
        """A net without units: a weighted sum of some inputs."""
        direct = np.array([weights.get(name, 0.0) for name in inputs])
        return cls(inputs, 0.0, np.zeros(0), np.zeros(0), direct, np.zeros((len(inputs), 0)))

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

    def text(self, embedding: str = "") -> str:
        """The net in a file: one line per input, its direct weight before those into the units."""
        rows = ",\n".join(
            f"   {json.dumps(name)}: {_numbers([direct, *into])}"
            for name, direct, into in zip(self.inputs, self.direct, self.into, strict=True)
        )
        return (
            f'{{\n  "constant": {_numbers([self.constant])[1:-1]},\n  "bias": {_numbers(self.bias)},\n'
            f'  "out": {_numbers(self.out)},\n  "inputs": {{\n{rows}\n  }}{embedding}\n }}'
        )


@dataclass(frozen=True)
class ValueNet:
    """A net that judges positions; its last inputs may be sums over the features of the board.

    The sums are `relu(embedding[0] + embedding[1 + feature])`, over all features that hold.
    """

    net: Net
    embedding: NDArray[np.float32] | None = None  # [1 + feature, sum]

    def values(self, rows: NDArray[Any], features: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """The net's value of every row of inputs, with the features that hold there."""
        if self.embedding is None:
            return self.net.values(rows)
        sums = [self.embedding[0] + self.embedding[1 + held.astype(np.int64)].sum(axis=0) for held in features]
        return self.net.values(np.hstack([rows, np.maximum(np.array(sums), 0)]))

    def packed(self) -> NDArray[np.float32]:
        """All numbers in the order of compiled code, see `mmsim.compiled.neural_net`."""
        if self.embedding is not None:
            sums = self.embedding.shape[1]
            return np.concatenate([[sums], self.net.packed(), self.embedding.ravel()]).astype(np.float32)
        net = self.net  # with sums that are not used
        into = np.concatenate([net.into, np.zeros((ACCUMULATORS, len(net.bias)))])
        direct = np.concatenate([net.direct, np.zeros(ACCUMULATORS)])
        net = replace(net, inputs=(*net.inputs, *SUMS[:ACCUMULATORS]), direct=direct, into=into)
        return np.concatenate([[0], net.packed()]).astype(np.float32)

    def text(self) -> str:
        if self.embedding is None:
            return self.net.text()
        numbers = base64.b64encode(self.embedding.astype(_EMBEDDING).tobytes()).decode()
        return self.net.text(f',\n  "embedding": "{numbers}"')


@dataclass(frozen=True)
class BotNets:
    """The nets of a bot: one that compares its moves, one that judges positions on any board, one for some boards."""

    choice: Net
    value: ValueNet | None = None
    board_value: ValueNet | None = None  # for boards with the features of its embedding
    about: Mapping[str, Any] = field(default_factory=dict)  # their provenance; plain JSON

    def value_for(self, features: int) -> ValueNet | None:
        """The value net for a board with this number of features."""
        net = self.board_value
        return net if net and net.embedding is not None and len(net.embedding) == 1 + features else self.value

    def text(self) -> str:
        nets = {"choice": self.choice, "value": self.value, "board_value": self.board_value}
        parts = "".join(f',\n "{name}": {net.text()}' for name, net in nets.items() if net is not None)
        about = json.dumps(self.about, indent=1, ensure_ascii=False)
        return f'{{\n "format": "{FORMAT}",\n "about": {about}{parts}\n}}\n'

    def write(self, path: Path) -> None:
        write_output(path, self.text().encode())

    @property
    def digest(self) -> str:
        nets = (net for net in (self.choice, self.value, self.board_value) if net is not None)
        return sha256(b"".join(net.packed().tobytes() for net in nets)).hexdigest()[:12]


def _numbers(values: Sequence[float] | NDArray[np.float64]) -> str:
    return "[" + ", ".join(f"{value:.{_DIGITS}g}" for value in values) + "]"


def read_nets(path: Path, inputs: tuple[str, ...], value_inputs: tuple[str, ...]) -> BotNets:
    """The nets in a file, made for these inputs; cached until the file changes."""
    with failing_with(f"cannot read weights {path}", UsageError):
        changed = path.stat().st_mtime_ns
    return _read(path, changed, inputs, value_inputs)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int, inputs: tuple[str, ...], value_inputs: tuple[str, ...]) -> BotNets:
    content = read_json(path, "weights")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UsageError(f'weights {path} are not nets: there is no "format": "{FORMAT}"')
    try:
        file = convert(content, _File)
    except UsageError as error:
        raise UsageError(f"weights {path} are not nets: {error}") from error
    choice, _ = _net_of(path, file.choice, inputs)
    value = board_value = None
    if file.value is not None:
        value = ValueNet(_net_of(path, file.value, value_inputs)[0])
    if file.board_value is not None:
        sums = SUMS[: _count_sums(file.board_value)]
        net, embedding = _net_of(path, file.board_value, (*value_inputs, *sums))
        board_value = ValueNet(net, _embedding_of(path, embedding, len(sums)))
    return BotNets(choice, value, board_value, file.about)


def _net_of(path: Path, content: Any, inputs: tuple[str, ...]) -> tuple[Net, str]:
    try:
        file = convert(content, _NetFile, example="[0.5, -1.0]")
    except UsageError as error:
        raise UsageError(f"weights {path} are not nets: {error}") from error
    if {*file.inputs} != {*inputs}:
        lacking, strange = sorted({*inputs} - {*file.inputs}), sorted({*file.inputs} - {*inputs})
        difference = f"{lacking[0]} is missing" if lacking else f"{strange[0]} is unknown"
        raise UsageError(f"weights {path} are for other inputs than this bot has: {difference}")
    units = len(file.bias)
    rows = [file.inputs[name] for name in inputs]
    if units > UNITS or len(file.out) != units or any(len(row) != 1 + units for row in rows):
        raise UsageError(f"weights {path} have rows of different lengths, or more than {UNITS} units")
    table, bias, out = np.array(rows), np.array(file.bias), np.array(file.out)
    if not all((np.abs(numbers) <= _LARGEST).all() for numbers in (bias, out, table, file.constant)):
        raise UsageError(f"weights {path} have a number that is not finite, or larger than {_LARGEST:g}")
    return Net(inputs, file.constant, bias, out, table[:, 0], table[:, 1:]), file.embedding


def _count_sums(content: Mapping[str, Any]) -> int:
    """The number of sums among the inputs of a net in a file, at least one."""
    inputs = content.get("inputs")
    return max(1, sum(name in SUMS for name in inputs)) if isinstance(inputs, dict) else ACCUMULATORS


def _embedding_of(path: Path, text: str, sums: int) -> NDArray[np.float32]:
    try:
        numbers = np.frombuffer(base64.b64decode(text, validate=True), _EMBEDDING).reshape(-1, sums)
    except ValueError as error:
        raise UsageError(f"weights {path} have an embedding that is damaged: {error}") from error
    if not len(numbers) or not np.isfinite(numbers).all():
        raise UsageError(f"weights {path} have an embedding without numbers, or with one that is not finite")
    return numbers.astype(np.float32)
