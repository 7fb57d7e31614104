"""Records of games: reading files of them, the parts that all games have, and the first thing wrong with one."""

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from mmsim.core.knobs import Knob, Value, check_knob
from mmsim.errors import MmsimError, UsageError, unknown
from mmsim.system.files import failing_with

Move = TypeVar("Move", bound=tuple[Any, ...])
FORMAT = "mmsim-record/1"
_SEAT_KEYS = ("seat", "player", "bot")
_MOVE_KEYS = ("turn", "seat", "move")


class RecordError(MmsimError):
    """A record that is malformed, or contradicts the rules."""


@dataclass(frozen=True)
class Source:
    """A record, or the reason why it cannot be read, and the line on which it begins."""

    line: int
    record: Any = None
    problem: str | None = None


def dumps(record: dict[str, Any]) -> str:
    """A record as one line of text, so that a file can hold many."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def read_records(text: str) -> Iterator[Source]:
    """The records of a file: a single one, or one per line."""
    whole = _parse(1, text)
    lines = [_parse(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if whole.problem is None or not any(isinstance(source.record, dict) for source in lines):
        yield whole
    else:
        yield from lines


def read_text(file: Path) -> str:
    """The text of a record file; `-` is stdin."""
    try:
        with failing_with(f"cannot read record file {file}", UsageError):
            return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read record file {file}: it is not UTF-8 text") from error


def read_one(file: Path) -> Any:
    """The first record of a file."""
    source = next(read_records(read_text(file)))
    if source.problem is not None:
        raise RecordError(f"{file}:{source.line}: {source.problem}")
    return source.record


def _parse(line: int, text: str) -> Source:
    """The record of a text that begins on this line of its file."""
    try:
        return Source(line, json.loads(text))
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" + (f" of line {error.lineno}" if "\n" in text.strip() else "")
        problem = f"not JSON: {error.msg} at {place}"
    except (RecursionError, ValueError) as error:
        problem = f"not a game record: {error}"
    if not text.strip():
        problem = "it is empty, not a game record"
    elif not text.lstrip().startswith("{"):
        problem = "it is not a game record, which is JSON and begins with {"
    elif not text.rstrip().endswith("}"):
        lines = text.rstrip().splitlines()
        place = f"column {len(lines[-1])}" + (f" of line {len(lines)}" if len(lines) > 1 else "")
        problem = f"the record is cut off at {place}"
    return Source(line, problem=problem)


def check_head(record: Any, game: str, keys: Iterable[str]) -> None:
    """Check format and game of a record, and that it has no other keys."""
    if not isinstance(record, dict):
        raise RecordError("a record is a JSON object, this is not")
    for key, expected in (("format", FORMAT), ("game", game)):
        if record.get(key) != expected:
            raise RecordError(f"'{key}' is {json.dumps(record.get(key))}, not \"{expected}\"")
    check_only_keys(record, keys, "the record")


def get_field(part: Any, key: str, kind: type | tuple[type, ...], where: str) -> Any:
    """A value of an object of a record; it must be there and have the right type."""
    if not isinstance(part, dict):
        raise RecordError(f"{where} must be a JSON object, not {json.dumps(part)}")
    if key not in part:
        raise RecordError(f"{where}: '{key}' is missing")
    value = part[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RecordError(f"{where}: '{key}' has a value of the wrong type: {json.dumps(value)}")
    return value


def check_only_keys(part: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    known = tuple(keys)
    for key in part:
        if key not in known:
            raise RecordError(f"{where}: {unknown('key', key, known)}")


def check_turn(move: Any, number: int, turn: int, seat: int, over: bool) -> None:
    """Check that a move of a record belongs to this turn and seat of a game that is not over."""
    where = f"move {number}"
    if over:
        raise RecordError(f"{where}: the game was over after move {number - 1}")
    for key, now, first in (("turn", turn, 0), ("seat", seat, 1)):  # a record counts seats from 0, people from 1
        if get_field(move, key, int, where) != now:
            raise RecordError(f"{where}: the record says {key} {move[key] + first}, but it is {key} {now + first}")


def check_legal(move: Move, legal: Sequence[Move], describe: Callable[[Move], str], where: str) -> None:
    """Check that a move is legal; the error names the most similar legal move."""
    if move not in legal:
        nearest = max(legal, key=lambda option: sum(a == b for a, b in zip(move, option, strict=True)))
        raise RecordError(f"{where}: {describe(move)} is not legal; the nearest legal move is {describe(nearest)}")


def check_same(written: Any, actual: Any, where: str) -> None:
    """Compare recursively; the error names the place of the first difference."""
    if isinstance(actual, dict) and isinstance(written, dict):
        for key in (*actual, *(k for k in written if k not in actual)):
            if (key in written) != (key in actual):
                raise RecordError(f"{where}: '{key}' {'does not belong here' if key in written else 'is missing'}")
            check_same(written[key], actual[key], f"{where}.{key}")
    elif isinstance(actual, list) and isinstance(written, list) and len(written) == len(actual):
        for i, (written_item, actual_item) in enumerate(zip(written, actual, strict=True)):
            check_same(written_item, actual_item, f"{where}[{i}]")
    elif written != actual or type(written) is not type(actual):
        raise RecordError(f"{where}: the record says {json.dumps(written)}, but it is {json.dumps(actual)}")


# --- parts that the records of all games have -------------------------------------------------------------------------


class GameInProgress(Protocol):
    @property
    def turn(self) -> int: ...
    @property
    def seat(self) -> int: ...
    @property
    def over(self) -> bool: ...


def write_seats(seat_player: Collection[int], bots: Collection[str]) -> list[dict[str, Any]]:
    return [
        {"seat": seat, "player": player, "bot": bot}
        for seat, (player, bot) in enumerate(zip(seat_player, bots, strict=True))
    ]


def read_seats(record: Any) -> list[int]:
    """The player behind every seat, in playing order."""
    players = []
    for seat, entry in enumerate(get_field(record, "seats", list, "the record")):
        where = f"seats[{seat}]"
        if get_field(entry, "seat", int, where) != seat:
            raise RecordError(f"{where}: 'seat' is {entry['seat']}, not {seat}; seats are in playing order")
        get_field(entry, "bot", str, where)
        players.append(get_field(entry, "player", int, where))
        check_only_keys(entry, _SEAT_KEYS, where)
    return players


def check_seed(record: Any, keys: Mapping[str, type]) -> None:
    """The seed must have exactly these keys, with values of these types."""
    seed = get_field(record, "seed", dict, "the record")
    for key, kind in keys.items():
        get_field(seed, key, kind, "seed")
    check_only_keys(seed, keys, "seed")


def read_knobs(ruleset: Mapping[str, Any], known: Mapping[str, Knob]) -> dict[str, Value]:
    """The knobs of a record's ruleset: all must be there, and in their proper type."""
    for knob in known:
        if knob not in ruleset:
            raise RecordError(f"ruleset: the knob '{knob}' is missing")
    try:
        knobs = {knob: check_knob(known, knob, value) for knob, value in ruleset.items() if knob != "name"}
    except UsageError as error:
        raise RecordError(f"ruleset: {error}") from error
    check_same({knob: ruleset[knob] for knob in knobs}, knobs, "ruleset")  # a number in quotes is not a number
    return knobs


def check_move_keys(move: Mapping[str, Any], kind: str, keys: Collection[str], where: str) -> None:
    """A move of a kind must have no keys but those of all moves and its own."""
    for key in move:
        if key not in (*_MOVE_KEYS, *keys):
            raise RecordError(f"{where}: '{key}' does not belong to a move '{kind}'")


def read_move_kind(move: Any, kinds: Collection[str], where: str) -> str:
    kind: str = get_field(move, "move", str, where)
    if kind not in kinds:
        raise RecordError(f"{where}: {unknown('move', kind, kinds)}")
    return kind


def read_moves(record: Any) -> list[Any]:
    moves: list[Any] = get_field(record, "moves", list, "the record")
    return moves


def check_over(record: Any, game: GameInProgress) -> None:
    """The game must be over after the last move of its record."""
    if not game.over:
        raise RecordError(
            f"the record stops after move {len(record['moves'])}, but the game goes on: seat {game.seat + 1} is to "
            f"move in turn {game.turn}"
        )
