"""Records of Metromania games: one game as JSON that can be checked without our engine (format `mmsim-record/1`)."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mmsim.core import records
from mmsim.core.records import (
    FORMAT,
    RecordError,
    check_head,
    check_legal,
    check_only_keys,
    check_same,
    check_turn,
    get_field,
)
from mmsim.core.rng import Seed
from mmsim.errors import UsageError
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import BoardSet, City, Layout
from mmsim.metromania.rules.deal import MARKER_SETS, Hands, Marker, arranged, valid_deals
from mmsim.metromania.rules.lattice import Cell, Vertex
from mmsim.metromania.rules.position import DECLINE, Game, Move, PlayedMove
from mmsim.metromania.rules.reference import apply, carry_out, legal_moves
from mmsim.metromania.rules.reference_scoring import Result, result
from mmsim.metromania.rules.rulesets import KNOBS, PLAYERS, DealMode, Ruleset, ruleset

if TYPE_CHECKING:
    from mmsim.metromania.bots.position import CoreResult, Position  # at run time that would import the compiler

GAME = "metromania"
_MOVE_KEYS = {
    "start": ("line", "cell", "to"),
    "dig": ("line", "cell", "to"),
    "end": ("line", "cell", "to"),
    "bonus": ("line", "at"),
    "station": ("line", "at"),
    "pass": (),
}
_KEYS = ("format", "game", "board", "ruleset", "seats", "hands", "seed", "moves", "result")
_BOARD_KEYS = ("set", "side", "layout", "pieces", "frame")
_SEED_KEYS: dict[str, type] = {"master": int, "variant": str, "game": int}
# Knobs that older records do not have, with the values their games were played by.
LATER_KNOBS = {"dig_duty": "next", "start_turn": "free", "last_turns": "companies"}


# --- writing -------------------------------------------------------------------------------------------------


def record_of(
    game: "Game | Position", outcome: "Result | CoreResult", bots: Sequence[str], seed: Seed
) -> dict[str, Any]:
    """The record of a finished game of either engine."""
    board_set, rules = game.city.board_set, game.rules
    return {
        "format": FORMAT,
        "game": GAME,
        "board": {
            "set": board_set.name,
            "side": board_set.side,
            "layout": game.city.layout.code,
            "pieces": [list(rows) for rows in board_set.pieces],
            "frame": list(board_set.frame),
        },
        "ruleset": {"name": rules.name, **rules.knobs()},
        "seats": records.write_seats(rules.seat_player, bots),
        "hands": [[str(marker) for marker in hand] for hand in game.dealt],
        "seed": {"master": seed.master, "variant": rules.variant, "game": seed.game},
        "moves": [move_to_json(played) for played in game.history if played.move != DECLINE],
        "result": result_to_json(outcome),
    }


def move_to_json(played: PlayedMove) -> dict[str, Any]:
    move = played.move
    move_json: dict[str, Any] = {"turn": played.turn, "seat": played.seat, "move": move.kind}
    for key in _MOVE_KEYS[move.kind]:
        value = getattr(move, key)
        move_json[key] = value if key == "line" else list(value)
    if move.marker is not None:
        move_json["marker"] = str(move.marker)
    move_json["stations"] = [list(vertex) for vertex in played.stations]
    move_json["points"] = played.points
    return move_json


def result_to_json(outcome: "Result | CoreResult") -> dict[str, Any]:
    return {
        "end_reason": outcome.end_reason,
        "station_points": outcome.station_points,
        "kept_points": outcome.kept_points,
        "trips": [{"trip": trip.name, "minutes": trip.minutes, "scores": trip.scores} for trip in outcome.trips],
        "scores": outcome.scores,
        "winners": outcome.winners,
    }


# --- verifying -----------------------------------------------------------------------------------------------


def verify(record: Any) -> Game:
    """Replay a record with the reference engine; a RecordError names the first difference."""
    game = _set_up(record)
    for number, move in enumerate(records.read_moves(record), 1):
        _replay_move(game, number, move)
    if game.bonus_line is not None:
        apply(game, DECLINE)
    records.check_over(record, game)
    check_same(get_field(record, "result", dict, "the record"), result_to_json(result(game)), "result")
    return game


def _set_up(record: Any) -> Game:
    """The game of a record before its first move."""
    check_head(record, GAME, _KEYS)
    records.check_seed(record, _SEED_KEYS)
    players = records.read_seats(record)
    rules = _ruleset(get_field(record, "ruleset", dict, "the record"), tuple(players))
    city = _city(get_field(record, "board", dict, "the record"))
    return Game(city, rules, _hands(record, rules))


def _city(board: dict[str, Any]) -> City:
    check_only_keys(board, _BOARD_KEYS, "board")
    pieces = get_field(board, "pieces", list, "board")
    frame = get_field(board, "frame", list, "board")
    if not all(isinstance(rows, list) and all(isinstance(row, str) for row in rows) for rows in pieces):
        raise RecordError("board: 'pieces' must be six lists of rows")
    board_set = BoardSet(
        get_field(board, "set", str, "board"),
        get_field(board, "side", int, "board"),
        tuple(tuple(rows) for rows in pieces),
        tuple(frame),
    )
    try:
        board_file.validate(board_set)
        city = board_set.city(Layout.from_code(get_field(board, "layout", str, "board")))
    except UsageError as error:
        raise RecordError(f"board: {error}") from error
    if board_file.is_known(board_set.name):
        shipped = board_file.load(board_set.name)
        check_same(pieces, [list(rows) for rows in shipped.pieces], f"board '{board_set.name}': pieces")
        check_same(frame, list(shipped.frame), f"board '{board_set.name}': frame")
    return city


def _ruleset(written: dict[str, Any], seat_player: tuple[int, ...]) -> Ruleset:
    """The knobs of the record. If the name is a known ruleset, the knobs must match it, and it decides the deal."""
    name = get_field(written, "name", str, "ruleset")
    players = len(set(seat_player))
    if players not in PLAYERS or set(seat_player) != set(range(players)):
        raise RecordError(f"seats: the players are {sorted(set(seat_player))}; they must be 0 to 1, 2 or 3")
    if len(seat_player) != players and sorted(seat_player) != [0, 0, 1, 1]:
        raise RecordError("seats: only two players may have two companies each, all others have one")
    knobs = records.read_knobs({**LATER_KNOBS, **written}, KNOBS)
    deal = {2: DealMode.COLUMNS, 4: DealMode.COMPANIES}[len(seat_player)] if players == 2 else DealMode.RANDOM
    try:
        named = ruleset(name, players)
    except UsageError:
        return Ruleset(name, players, deal, seat_player, **knobs)  # type: ignore[arg-type]
    check_same(knobs, named.knobs(), f"ruleset '{name}'")
    check_same(list(seat_player), list(named.seat_player), f"seats: players in the order of '{name}', ")
    return named


def _hands(record: dict[str, Any], rules: Ruleset) -> Hands:
    written = get_field(record, "hands", list, "the record")
    known = {str(marker): marker for columns in MARKER_SETS.values() for hand in columns for marker in hand}
    if len(written) != rules.companies:
        raise RecordError(f"hands: there are {len(written)} hands for {rules.companies} seats")
    for seat, hand in enumerate(written):
        if not isinstance(hand, list):
            raise RecordError(f"hands[{seat}]: {json.dumps(hand)} is not a list of markers")
        for marker in hand:
            if not isinstance(marker, str) or marker not in known:
                raise RecordError(f'hands[{seat}]: {json.dumps(marker)} is not a marker like "A R"')
    hands: Hands = tuple(tuple(known[marker] for marker in hand) for hand in written)
    if tuple(arranged(tuple(sorted(hand))) for hand in hands) not in valid_deals(rules):  # in whatever order written
        raise RecordError(f"hands: this is not a deal the ruleset '{rules.name}' allows")
    return hands


def _replay_move(game: Game, number: int, written: Any) -> None:
    """Play one recorded move and compare its effects with those in the record."""
    where = f"move {number}"
    if game.bonus_line is not None and get_field(written, "move", str, where) != "bonus":
        apply(game, DECLINE)
    check_turn(written, number, game.turn, game.seat, game.over)
    move = _move(written, where)
    check_legal(move, legal_moves(game), describe, f"{where} (turn {game.turn}, seat {game.seat + 1})")
    played = carry_out(game, move)
    for key, is_so in (("stations", [list(vertex) for vertex in played.stations]), ("points", played.points)):
        check_same(get_field(written, key, (list, int), where), is_so, f"{where}: {key}")


def _move(written: dict[str, Any], where: str) -> Move:
    kind = records.read_move_kind(written, _MOVE_KEYS, where)
    optional = ("marker",) if kind == "dig" else ()
    records.check_move_keys(written, kind, ("stations", "points", *_MOVE_KEYS[kind], *optional), where)
    fields: dict[str, Any] = {}
    for key in _MOVE_KEYS[kind]:
        value = get_field(written, key, (int, list), where)
        fields[key] = {"line": _line, "cell": _cell, "to": _vertex, "at": _vertex}[key](value, where)
    if "marker" in written:
        letter, space, marker_kind = str(written["marker"]).partition(" ")
        if not (letter and space and marker_kind):
            raise RecordError(f'{where}: {json.dumps(written["marker"])} is not a marker like "A R"')
        fields["marker"] = Marker(letter, marker_kind)
    return Move(kind, **fields)


def _line(value: Any, where: str) -> int:
    if value not in (0, 1) or isinstance(value, list):
        raise RecordError(f"{where}: 'line' is {json.dumps(value)}, not 0 or 1")
    return int(value)


def _vertex(value: Any, where: str) -> Vertex:
    if not isinstance(value, list) or len(value) != 2 or not all(type(x) is int for x in value):
        raise RecordError(f"{where}: {json.dumps(value)} is not a vertex [q, r]")
    return value[0], value[1]


def _cell(value: Any, where: str) -> Cell:
    if isinstance(value, list) and len(value) == 3:
        first, second, third = value
        if first == "F" and type(second) is int and type(third) is int:
            return "F", second, third
        if type(first) is int and type(second) is int and third in ("U", "D"):
            return first, second, third
    raise RecordError(f'{where}: {json.dumps(value)} is not a cell [q, r, "U"|"D"] or ["F", side, index]')


def describe(move: Move) -> str:
    """A move in a few words, for errors."""
    place = f" line {move.line}" if move.line is not None else ""
    if move.cell is not None and move.to is not None:
        place += f" in cell {json.dumps(move.cell)} to {json.dumps(move.to)}"
    if move.at is not None:
        place += f" at {json.dumps(move.at)}"
    return f"{move.kind}{place}" + (f" with marker {move.marker}" if move.marker else "")
