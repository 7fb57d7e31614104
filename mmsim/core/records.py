"""Records of games: reading files of them, the parts that all games have, and the first thing wrong with one."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from msgspec import UNSET, Struct

from mmsim.core.knobs import Knob, Value, check_knob
from mmsim.errors import MmsimError, UsageError
from mmsim.system.files import failing_with, read_input
from mmsim.system.validation import abbreviated, convert

Move = TypeVar("Move", bound=tuple[Any, ...])
FORMAT = "mmsim-record/1"


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


def write_seats(seat_player: Collection[int], bots: Collection[str]) -> list[dict[str, Any]]:
    return [
        {"seat": seat, "player": player, "bot": bot}
        for seat, (player, bot) in enumerate(zip(seat_player, bots, strict=True))
    ]


def write_move(turn: int, seat: int, move: Any, **effects: Any) -> dict[str, Any]:
    """A named tuple of a kind and what that kind of move needs; its other fields are None."""
    kind, *values = ((key, value) for key, value in move._asdict().items() if value is not None)
    details = {key: list(value) if isinstance(value, tuple) else value for key, value in values}
    return {"turn": turn, "seat": seat, "move": kind[1], **details, **effects}


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
            return read_input(file).decode()
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
    is_cut_off = not text.rstrip().endswith("}")
    try:
        return Source(line, json.loads(text))
    except json.JSONDecodeError as error:
        is_cut_off |= error.pos >= len(text.rstrip())
        place = f"column {error.colno}" + (f" of line {error.lineno}" if "\n" in text.strip() else "")
        problem = f"not JSON: {error.msg} at {place}"
    except (RecursionError, ValueError) as error:
        problem = f"not a game record: {error}"
    if not text.strip():
        problem = "it is empty, not a game record"
    elif not text.lstrip().startswith("{"):
        problem = "it is not a game record, which is JSON and begins with {"
    elif is_cut_off:
        lines = text.rstrip().splitlines()
        place = f"column {len(lines[-1])}" + (f" of line {len(lines)}" if len(lines) > 1 else "")
        problem = f"the record is cut off at {place}"
    return Source(line, problem=problem)


class RecordPart(Struct, forbid_unknown_fields=True):
    """A JSON object of a record, with just these keys."""


class RecordedSeat(RecordPart):
    seat: int
    player: int
    bot: str


class RecordedRuleset(Struct):
    """The knobs beside the name are checked by `read_knobs`."""

    name: str


class RecordedMove(RecordPart):
    """The keys of every move; a game whose moves have more of them tags a subclass for each kind with `move`."""

    turn: int
    seat: int


class GameRecord(RecordPart):
    """The keys of every record; what the rules decide is left to the replay."""

    format: str
    game: str
    ruleset: RecordedRuleset
    seats: list[RecordedSeat]
    moves: list[Any]
    result: dict[str, Any]


_Record = TypeVar("_Record", bound=GameRecord)


def read_record(record: Any, game: str, kind: type[_Record]) -> _Record:
    """A record of a game, its shape and the order of its seats checked."""
    if not isinstance(record, dict):
        raise RecordError("a record is a JSON object, this is not")
    for key, expected in (("format", FORMAT), ("game", game)):
        if record.get(key) != expected:
            raise RecordError(f"'{key}' is {abbreviated(record.get(key))}, not \"{expected}\"")
    try:
        typed = convert(record, kind)
    except UsageError as error:
        numbered = re.sub(r"^moves\[(\d+)\](?: =|:)", lambda place: f"move {int(place[1]) + 1}:", str(error))
        raise RecordError(numbered) from error
    for number, entry in enumerate(typed.seats):
        if entry.seat != number:
            raise RecordError(f"seats[{number}]: 'seat' is {entry.seat}, not {number}; seats are in playing order")
    return typed


def read_move(written: RecordedMove, kind: type[Move]) -> Move:
    """The move of a game, a named tuple, that a record's tagged one stands for."""
    values = {key: getattr(written, key, UNSET) for key in kind._fields[1:]}  # type: ignore[attr-defined]
    tag: Any = written.__struct_config__.tag
    return kind(tag, **{key: value for key, value in values.items() if value is not UNSET})


# --- what the rules decide --------------------------------------------------------------------------------------------


class GameInProgress(Protocol):
    turn: int
    seat: int

    @property
    def over(self) -> bool: ...


def check_turn(move: RecordedMove, number: int, game: GameInProgress) -> None:
    """Check that a move of a record belongs to this turn and seat of a game that is not over."""
    where = f"move {number}"
    if game.over:
        raise RecordError(f"{where}: the game was over after move {number - 1}")
    for key, written, now in (("turn", move.turn, game.turn), ("seat", move.seat + 1, game.seat + 1)):
        if written != now:  # a record counts seats from 0, people from 1
            raise RecordError(f"{where}: the record says {key} {written}, but it is {key} {now}")


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
    elif isinstance(actual, list | tuple) and isinstance(written, list | tuple) and len(written) == len(actual):
        for i, (written_item, actual_item) in enumerate(zip(written, actual, strict=True)):
            check_same(written_item, actual_item, f"{where}[{i}]")
    elif written != actual or type(written) is not type(actual):
        raise RecordError(f"{where}: the record says {json.dumps(written)}, but it is {json.dumps(actual)}")


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


def check_over(record: GameRecord, game: GameInProgress) -> None:
    """The game must be over after the last move of its record."""
    if not game.over:
        raise RecordError(
            f"the record stops after move {len(record.moves)}, but the game goes on: seat {game.seat + 1} is to "
            f"move in turn {game.turn}"
        )
