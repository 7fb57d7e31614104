"""Records of Metromania games: one game as JSON that can be checked without our engine (format `mmsim-record/1`)."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from mmsim.core import records
from mmsim.core.records import FORMAT, GameRecord, RecordedMove, RecordError, RecordPart, check_same
from mmsim.core.rng import Seed
from mmsim.errors import UsageError
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import BoardSet, City, Layout
from mmsim.metromania.rules.deal import MARKER_SETS, Hands, arranged, valid_deals
from mmsim.metromania.rules.position import DECLINE, Game, Move, PlayedMove
from mmsim.metromania.rules.reference import apply, carry_out, legal_moves
from mmsim.metromania.rules.reference_scoring import Result, result
from mmsim.metromania.rules.rulesets import KNOBS, PLAYERS, DealMode, Ruleset, ruleset

if TYPE_CHECKING:
    from mmsim.metromania.bots.position import CoreResult, Position  # at run time that would import the compiler

GAME = "metromania"
# Knobs that older records do not have, with the values their games were played by.
LATER_KNOBS = {
    "dig_duty": "next",
    "start_turn": "free",
    "last_turns": "companies",
    "seat_points": "0",
    "first_dig": 0,
    "first_round": "normal",
    "first_sides": 6,
}

_MARKERS = {str(marker): marker for columns in MARKER_SETS.values() for hand in columns for marker in hand}
_Marker = Annotated[str, Meta(pattern=f"^({'|'.join(_MARKERS)})$", description='a marker like "A R"')]
_Vertex = Annotated[tuple[int, int], Meta(description="a vertex [q, r]")]
_CELL = 'a cell [q, r, "U"|"D"] or ["F", side, index]'
_Cell = Annotated[tuple[int | Literal["F"], int, int | Literal["U", "D"]], Meta(description=_CELL)]


class _Board(RecordPart):
    set: str
    side: int
    layout: str
    pieces: tuple[tuple[str, ...], ...]
    frame: tuple[str, ...]


class _Seed(RecordPart):
    master: int
    variant: str
    game: int


class _Move(RecordedMove, tag_field="move"):
    stations: list[_Vertex]
    points: int


class _Tunnel(_Move):
    line: Literal[0, 1]
    cell: _Cell
    to: _Vertex


class _Start(_Tunnel, tag="start"): ...


class _Dig(_Tunnel, tag="dig"):
    marker: _Marker | UnsetType = UNSET


class _End(_Tunnel, tag="end"): ...


class _Bonus(_Move, tag="bonus"):
    line: Literal[0, 1]
    at: _Vertex


class _Station(_Move, tag="station"):
    line: Literal[0, 1]
    at: _Vertex


class _Pass(_Move, tag="pass"): ...


class _Record(GameRecord):
    board: _Board
    hands: list[list[_Marker]]
    seed: _Seed
    moves: list[_Start | _Dig | _End | _Bonus | _Station | _Pass]


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
    marker, stations = played.move.marker, [list(vertex) for vertex in played.stations]
    move = played.move._replace(marker=marker and str(marker))  # type: ignore[arg-type]
    return records.write_move(played.turn, played.seat, move, stations=stations, points=played.points)


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
    written = records.read_record(record, GAME, _Record)
    rules = _ruleset(record["ruleset"], tuple(seat.player for seat in written.seats))
    game = Game(_city(written.board), rules, _hands(written.hands, rules))
    for number, move in enumerate(written.moves, 1):
        _replay_move(game, number, move)
    if game.bonus_line is not None:
        apply(game, DECLINE)
    records.check_over(written, game)
    check_same(written.result, result_to_json(result(game)), "result")
    return game


def _city(board: _Board) -> City:
    board_set = BoardSet(board.set, board.side, board.pieces, board.frame)
    try:
        board_file.validate(board_set)
        city = board_set.city(Layout.from_code(board.layout))
        known = board_file.load(board.set) if board_file.is_known(board.set) else None
    except UsageError as error:
        raise RecordError(f"board: {error}") from error
    if known is not None:
        check_same(board.pieces, known.pieces, f"board '{board.set}': pieces")
        check_same(board.frame, known.frame, f"board '{board.set}': frame")
    return city


def _ruleset(written: dict[str, Any], seat_player: tuple[int, ...]) -> Ruleset:
    """The knobs of the record. If the name is a known ruleset, the knobs must match it, and it decides the deal."""
    name, players = written["name"], len(set(seat_player))
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
    check_same(seat_player, named.seat_player, f"seats: players of '{name}'")
    return named


def _hands(written: list[list[str]], rules: Ruleset) -> Hands:
    if len(written) != rules.companies:
        raise RecordError(f"hands: there are {len(written)} hands for {rules.companies} seats")
    hands: Hands = tuple(tuple(_MARKERS[marker] for marker in hand) for hand in written)
    if tuple(arranged(tuple(sorted(hand))) for hand in hands) not in valid_deals(rules):  # in whatever order written
        raise RecordError(f"hands: this is not a deal the ruleset '{rules.name}' allows")
    return hands


def _replay_move(game: Game, number: int, written: _Move) -> None:
    """Play one recorded move and compare its effects with those in the record."""
    if game.bonus_line is not None and not isinstance(written, _Bonus):
        apply(game, DECLINE)
    records.check_turn(written, number, game)
    move = records.read_move(written, Move)
    move = move._replace(marker=_MARKERS.get(str(move.marker)))
    records.check_legal(move, legal_moves(game), describe, f"move {number} (turn {game.turn}, seat {game.seat + 1})")
    played = carry_out(game, move)
    check_same(written.stations, played.stations, f"move {number}: stations")
    check_same(written.points, played.points, f"move {number}: points")


def describe(move: Move) -> str:
    """A move in a few words, for errors."""
    place = f" line {move.line}" if move.line is not None else ""
    if move.cell is not None and move.to is not None:
        place += f" in cell {json.dumps(move.cell)} to {json.dumps(move.to)}"
    if move.at is not None:
        place += f" at {json.dumps(move.at)}"
    return f"{move.kind}{place}" + (f" with marker {move.marker}" if move.marker else "")
