"""Game records: one game as JSON that anybody can check without our engine (format `mmsim-record/1`)."""

import json
from collections.abc import Sequence
from typing import Any, Protocol

from mmsim.core.knobs import check_knob
from mmsim.core.records import FORMAT, RecordError, check_head, check_legal, check_turn, get, only_keys, same
from mmsim.errors import UsageError, unknown
from mmsim.metromania.rules import boardfile
from mmsim.metromania.rules.board import BoardSet, City, Layout
from mmsim.metromania.rules.deal import MARKER_SETS, Hands, Marker, arranged, valid_deals
from mmsim.metromania.rules.lattice import Cell, Vertex
from mmsim.metromania.rules.play import Seed
from mmsim.metromania.rules.position import DECLINE, Game, Move, PlayedMove
from mmsim.metromania.rules.reference import apply, carry_out, legal_moves
from mmsim.metromania.rules.reference_scoring import result
from mmsim.metromania.rules.rulesets import KNOBS, PLAYERS, Deal, Ruleset, ruleset

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
_SEAT_KEYS = ("seat", "player", "bot")
_SEED_KEYS = ("master", "variant", "game")
_COMMON_KEYS = ("turn", "seat", "move", "stations", "points")
# Knobs that records did not have at first, with the value that the games of such records were played by.
LATER_KNOBS = {"dig_duty": "next"}


# --- writing -------------------------------------------------------------------------------------------------


class FinishedGame(Protocol):
    """A finished game of either engine, as far as its record tells it."""

    @property
    def city(self) -> City: ...
    @property
    def rules(self) -> Ruleset: ...
    @property
    def dealt(self) -> Hands: ...
    @property
    def history(self) -> Sequence[PlayedMove]: ...


class TripOutcome(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def minutes(self) -> int | None: ...
    @property
    def scores(self) -> list[int]: ...


class Outcome(Protocol):
    """The result of a finished game of either engine."""

    @property
    def end_reason(self) -> str: ...
    @property
    def station_points(self) -> list[int]: ...
    @property
    def kept_points(self) -> list[int]: ...
    @property
    def trips(self) -> Sequence[TripOutcome]: ...
    @property
    def scores(self) -> list[int]: ...
    @property
    def winners(self) -> list[int]: ...


def to_record(game: Game, bots: Sequence[str], seed: Seed) -> dict[str, Any]:
    """The record of a finished game of the reference engine."""
    return record_of(game, result(game), bots, seed)


def record_of(game: FinishedGame, outcome: Outcome, bots: Sequence[str], seed: Seed) -> dict[str, Any]:
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
        "seats": [
            {"seat": seat, "player": player, "bot": bot}
            for seat, (player, bot) in enumerate(zip(rules.seat_player, bots, strict=True))
        ],
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


def result_to_json(outcome: Outcome) -> dict[str, Any]:
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
    """Replay a record with the reference engine; a RecordError names the first thing that differs."""
    game = _opening(record)
    moves = get(record, "moves", list, "the record")
    for number, move in enumerate(moves, 1):
        _replay(game, number, move)
    if game.bonus_line is not None:
        apply(game, DECLINE)
    if not game.over:
        raise RecordError(
            f"the record stops after move {len(moves)}, but the game goes on: seat {game.seat + 1} is to move in turn "
            f"{game.turn}"
        )
    same(get(record, "result", dict, "the record"), result_to_json(result(game)), "result")
    return game


def _opening(record: Any) -> Game:
    check_head(record, GAME, _KEYS)
    seed = get(record, "seed", dict, "the record")
    only_keys(seed, _SEED_KEYS, "seed")
    for key, kind in (("master", int), ("variant", str), ("game", int)):
        get(seed, key, kind, "seed")
    seats = get(record, "seats", list, "the record")
    players = []
    for seat, company in enumerate(seats):
        where = f"seats[{seat}]"
        if get(company, "seat", int, where) != seat:
            raise RecordError(f"{where}: 'seat' is {company['seat']}, not {seat}; seats are in playing order")
        get(company, "bot", str, where)
        only_keys(company, _SEAT_KEYS, where)
        players.append(get(company, "player", int, where))
    rules = _ruleset(get(record, "ruleset", dict, "the record"), tuple(players))
    city = _city(get(record, "board", dict, "the record"))
    return Game(city, rules, _hands(record, rules))


def _city(board: dict[str, Any]) -> City:
    only_keys(board, _BOARD_KEYS, "board")
    pieces = get(board, "pieces", list, "board")
    frame = get(board, "frame", list, "board")
    if not all(isinstance(rows, list) and all(isinstance(row, str) for row in rows) for rows in pieces):
        raise RecordError("board: 'pieces' must be six lists of rows")
    board_set = BoardSet(
        get(board, "set", str, "board"),
        get(board, "side", int, "board"),
        tuple(tuple(rows) for rows in pieces),
        tuple(frame),
    )
    try:
        boardfile.validate(board_set)
        city = board_set.city(Layout.from_code(get(board, "layout", str, "board")))
    except UsageError as error:
        raise RecordError(f"board: {error}") from error
    if board_set.name in boardfile.shipped_names():
        shipped = boardfile.load(board_set.name)
        same(pieces, [list(rows) for rows in shipped.pieces], f"board '{board_set.name}': pieces")
        same(frame, list(shipped.frame), f"board '{board_set.name}': frame")
    return city


def _ruleset(written: dict[str, Any], seat_player: tuple[int, ...]) -> Ruleset:
    """The knobs of the record; a name that is one of ours must mean just them, and tells how markers were dealt."""
    name = get(written, "name", str, "ruleset")
    players = len(set(seat_player))
    if players not in PLAYERS or set(seat_player) != set(range(players)):
        raise RecordError(f"seats: the players are {sorted(set(seat_player))}; they must be 0 to 1, 2 or 3")
    if len(seat_player) != players and sorted(seat_player) != [0, 0, 1, 1]:
        raise RecordError("seats: only two players may have two companies each, all others have one")
    written = {**LATER_KNOBS, **written}
    for knob in KNOBS:
        if knob not in written:
            raise RecordError(f"ruleset: the knob '{knob}' is missing")
    try:
        knobs = {knob: check_knob(KNOBS, knob, value) for knob, value in written.items() if knob != "name"}
    except UsageError as error:
        raise RecordError(f"ruleset: {error}") from error
    same({knob: written[knob] for knob in knobs}, knobs, "ruleset")  # a number in quotes is no number
    deal = {2: Deal.COLUMNS, 4: Deal.COMPANIES}[len(seat_player)] if players == 2 else Deal.RANDOM
    try:
        named = ruleset(name, players)
    except UsageError:
        return Ruleset(name, players, deal, seat_player, **knobs)  # type: ignore[arg-type]
    same(knobs, named.knobs(), f"ruleset '{name}'")
    same(list(seat_player), list(named.seat_player), f"seats: players in the order of '{name}', ")
    return named


def _hands(record: dict[str, Any], rules: Ruleset) -> Hands:
    written = get(record, "hands", list, "the record")
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


def _replay(game: Game, number: int, written: Any) -> None:
    """Play one recorded move and compare what the record says came of it."""
    where = f"move {number}"
    kind = get(written, "move", str, where)
    if game.bonus_line is not None and kind != "bonus":
        apply(game, DECLINE)
    check_turn(written, number, game.turn, game.seat, game.over)
    move = _move(written, kind, where)
    check_legal(move, legal_moves(game), describe, f"{where} (turn {game.turn}, seat {game.seat + 1})")
    played = carry_out(game, move)
    for key, is_so in (("stations", [list(v) for v in played.stations]), ("points", played.points)):
        same(get(written, key, (list, int), where), is_so, f"{where}: {key}")


def _move(written: dict[str, Any], kind: str, where: str) -> Move:
    if kind not in _MOVE_KEYS:
        raise RecordError(f"{where}: {unknown('move', kind, _MOVE_KEYS)}")
    allowed = (*_COMMON_KEYS, *_MOVE_KEYS[kind], *(("marker",) if kind == "dig" else ()))
    for key in written:
        if key not in allowed:
            raise RecordError(f"{where}: '{key}' does not belong to a move '{kind}'")
    fields: dict[str, Any] = {}
    for key in _MOVE_KEYS[kind]:
        value = get(written, key, (int, list), where)
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
    """A move in a few words."""
    place = f" line {move.line}" if move.line is not None else ""
    if move.cell is not None and move.to is not None:
        place += f" in cell {json.dumps(move.cell)} to {json.dumps(move.to)}"
    if move.at is not None:
        place += f" at {json.dumps(move.at)}"
    return f"{move.kind}{place}" + (f" with marker {move.marker}" if move.marker else "")
