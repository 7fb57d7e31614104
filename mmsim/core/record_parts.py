"""The parts that the records of all games have: seats, seed, knobs, moves. Errors name the place."""

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from mmsim.core.knobs import Knob, Value, check_knob
from mmsim.core.records import RecordError, get, only_keys, same
from mmsim.errors import UsageError, unknown

_SEAT_KEYS = ("seat", "player", "bot")
_MOVE_KEYS = ("turn", "seat", "move")


class GameInProgress(Protocol):
    """A game of a reference engine."""

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
    for seat, entry in enumerate(get(record, "seats", list, "the record")):
        where = f"seats[{seat}]"
        if get(entry, "seat", int, where) != seat:
            raise RecordError(f"{where}: 'seat' is {entry['seat']}, not {seat}; seats are in playing order")
        get(entry, "bot", str, where)
        players.append(get(entry, "player", int, where))
        only_keys(entry, _SEAT_KEYS, where)
    return players


def check_seed(record: Any, keys: Mapping[str, type]) -> None:
    """The seed must have exactly these keys, with values of these types."""
    seed = get(record, "seed", dict, "the record")
    for key, kind in keys.items():
        get(seed, key, kind, "seed")
    only_keys(seed, keys, "seed")


def read_knobs(ruleset: Mapping[str, Any], known: Mapping[str, Knob]) -> dict[str, Value]:
    """The knobs of a record's ruleset: all must be there, and in their proper type."""
    for knob in known:
        if knob not in ruleset:
            raise RecordError(f"ruleset: the knob '{knob}' is missing")
    try:
        knobs = {knob: check_knob(known, knob, value) for knob, value in ruleset.items() if knob != "name"}
    except UsageError as error:
        raise RecordError(f"ruleset: {error}") from error
    same({knob: ruleset[knob] for knob in knobs}, knobs, "ruleset")  # a number in quotes is no number
    return knobs


def check_move_keys(move: Mapping[str, Any], kind: str, keys: Collection[str], where: str) -> None:
    """A move of a kind must have no keys but those of all moves and its own."""
    for key in move:
        if key not in (*_MOVE_KEYS, *keys):
            raise RecordError(f"{where}: '{key}' does not belong to a move '{kind}'")


def read_move_kind(move: Any, kinds: Collection[str], where: str) -> str:
    kind: str = get(move, "move", str, where)
    if kind not in kinds:
        raise RecordError(f"{where}: {unknown('move', kind, kinds)}")
    return kind


def read_moves(record: Any) -> list[Any]:
    moves: list[Any] = get(record, "moves", list, "the record")
    return moves


def check_over(record: Any, game: GameInProgress) -> None:
    """The game must be over after the last move of its record."""
    if not game.over:
        raise RecordError(
            f"the record stops after move {len(record['moves'])}, but the game goes on: seat {game.seat + 1} is to "
            f"move in turn {game.turn}"
        )
