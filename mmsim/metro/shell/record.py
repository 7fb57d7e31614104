"""Records of Metro games: one game as JSON that can be checked without our engine (format `mmsim-record/1`)."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
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
from mmsim.core.variant import SEATINGS
from mmsim.errors import UsageError
from mmsim.metro.rules.board import CENTRE, COLOURS
from mmsim.metro.rules.deal import PERCENTS, Deal, central_tiles, number_colours, wagons
from mmsim.metro.rules.position import Game, Move, PlayedMove
from mmsim.metro.rules.reference import carry_out, legal_moves
from mmsim.metro.rules.reference_scoring import Result, result
from mmsim.metro.rules.rulesets import KNOBS, Ruleset, check, ruleset
from mmsim.metro.rules.tiles import SIDES, TILES, turned

if TYPE_CHECKING:
    from mmsim.metro.bots.position import Position  # at run time that would import the compiler

GAME = "metro"
_KEYS = ("format", "game", "board", "ruleset", "seats", "deal", "seed", "moves", "result")
_SEED_KEYS: dict[str, type] = {"master": int, "variant": str, "game": int, "seats": str}
_BOARD_KEYS = ("wagons", "central")
_DEAL_KEYS = ("supply", "piles", "numbers")
_MOVE_KEYS: dict[str, tuple[str, ...]] = {
    "place": ("tile", "turns", "cell"),
    "draw": (),
    "exchange": ("share", "take"),
    "wagon": ("edge",),
    "pass": (),
}
_TYPES: dict[str, type] = {"tile": str, "turns": int, "cell": list, "share": int, "take": str, "edge": int}


# --- writing -------------------------------------------------------------------------------------------------


def record_of(game: "Game | Position", dealt: Deal, outcome: Result, bots: Sequence[str], seed: Seed) -> dict[str, Any]:
    """The record of a finished game of either engine."""
    rules = game.rules
    return {
        "format": FORMAT,
        "game": GAME,
        "board": {"wagons": wagons(rules), "central": list(dealt.central)},
        "ruleset": {"name": rules.name, **rules.knobs()},
        "seats": records.write_seats(range(rules.players), bots),
        "deal": {
            "supply": list(dealt.supply),
            "piles": [[COLOURS[company] for company in pile] for pile in dealt.piles],
            "numbers": [list(numbers) for numbers in dealt.numbers],
        },
        "seed": {"master": seed.master, "variant": rules.variant, "game": seed.game, "seats": SEATINGS[seed.rotate]},
        "moves": [move_to_json(played) for played in game.history],
        "result": result_to_json(rules, outcome),
    }


def move_to_json(played: PlayedMove) -> dict[str, Any]:
    move = played.move
    move_json: dict[str, Any] = {"turn": played.turn, "seat": played.seat, "move": move.kind}
    for key in _keys(move.kind, move.share is not None):
        value = getattr(move, key)
        move_json[key] = list(value) if key == "cell" else value
    move_json["arrivals"] = [arrival._asdict() for arrival in played.arrivals]
    return move_json


def _keys(kind: str, has_share: bool) -> tuple[str, ...]:
    """The keys of a kind of move; a wagon of a company is placed by showing a share (X16)."""
    return ("share", "edge") if kind == "wagon" and has_share else _MOVE_KEYS[kind]


def result_to_json(rules: Ruleset, outcome: Result) -> dict[str, Any]:
    """The result; profits and values of companies by colour, where there are companies."""
    result_json = asdict(outcome)
    for key in ("profits", "values"):
        numbers = result_json.pop(key)
        if rules.companies:
            result_json[key] = dict(zip(COLOURS, numbers, strict=True))
    return result_json


# --- verifying -----------------------------------------------------------------------------------------------


def verify(record: Any) -> Game:
    """Replay a record with the reference engine; a RecordError names the first difference."""
    game = _set_up(record)
    for number, move in enumerate(records.read_moves(record), 1):
        _replay_move(game, number, move)
    records.check_over(record, game)
    check_same(get_field(record, "result", dict, "the record"), result_to_json(game.rules, result(game)), "result")
    return game


def _set_up(record: Any) -> Game:
    """The game of a record before its first move."""
    check_head(record, GAME, _KEYS)
    records.check_seed(record, _SEED_KEYS)
    players = records.read_seats(record)
    for seat, player in enumerate(players):
        if player != seat:
            raise RecordError(f"seats[{seat}]: 'player' is {player}, not {seat}; seats are in playing order")
    rules = _ruleset(get_field(record, "ruleset", dict, "the record"), len(players))
    board = get_field(record, "board", dict, "the record")
    check_only_keys(board, _BOARD_KEYS, "board")
    check_same(get_field(board, "wagons", dict, "board"), wagons(rules), "board.wagons")
    return Game(rules, _deal(record, rules))


def _ruleset(written: dict[str, Any], players: int) -> Ruleset:
    """The knobs of the record. If the name is a known ruleset, the knobs must match it."""
    name = get_field(written, "name", str, "ruleset")
    knobs = records.read_knobs(written, KNOBS)
    try:
        rules = Ruleset(name, players, **knobs)  # type: ignore[arg-type]
        check(rules)
    except UsageError as error:
        raise RecordError(f"ruleset: {error}") from error
    try:
        named = ruleset(name, players)
    except UsageError:
        return rules
    check_same(knobs, named.knobs(), f"ruleset '{name}'")
    return rules


def _deal(record: dict[str, Any], rules: Ruleset) -> Deal:
    """The deal, checked against the rules."""
    written = get_field(record, "deal", dict, "the record")
    supply, piles, numbers = (get_field(written, key, list, "deal") for key in _DEAL_KEYS)
    check_only_keys(written, _DEAL_KEYS, "deal")
    central = get_field(record["board"], "central", list, "board")
    if sorted(map(str, supply)) != sorted(TILES):
        raise RecordError(f"deal.supply: {_odd_tile(supply)}")
    if len(central) != (len(CENTRE) if rules.central else 0) or not _central_fits(central):
        raise RecordError(f"board.central: {json.dumps(central)} are not central tiles of ruleset '{rules.name}'")
    for i, pile in enumerate(piles):
        if not isinstance(pile, list) or sorted(map(str, pile)) != sorted(COLOURS):
            raise RecordError(f"deal.piles[{i}]: {json.dumps(pile)} is not a pile of one share of every company")
    if len(piles) != (len(PERCENTS) if rules.companies else 0):
        raise RecordError(f"deal.piles: there are {len(piles)} piles, not {len(PERCENTS) if rules.companies else 0}")
    if len(numbers) != (rules.players if rules.numbers else 0) or not _numbers_fit(rules, numbers):
        raise RecordError(f"deal.numbers: the ruleset '{rules.name}' does not hand out {json.dumps(numbers)}")
    return Deal(
        tuple(supply),
        tuple(central),
        tuple(tuple(COLOURS.index(colour) for colour in pile) for pile in piles),
        tuple(tuple(stations) for stations in numbers),
    )


def _odd_tile(supply: list[Any]) -> str:
    """X4: the tile of which there are too few or too many."""
    counts, expected = Counter(map(str, supply)), Counter(TILES)
    odd = next(code for code in (*expected, *counts) if counts[code] != expected[code])
    return f"there are {counts[odd]} tiles '{odd}', not {expected[odd]}"


def _central_fits(central: list[Any]) -> bool:
    """X17: each of the eight at most once, in any turn."""
    shape_of = {turned(tile, turns): tile for tile in central_tiles() for turns in SIDES}
    shapes = [shape_of.get(str(code)) for code in central]
    return None not in shapes and len(set(shapes)) == len(shapes)


def _numbers_fit(rules: Ruleset, numbers: list[Any]) -> bool:
    """X18: `numbers_per_colour` of each colour for every player, none twice."""
    if not all(isinstance(hand, list) for hand in numbers):
        return False
    dealt = [number for hand in numbers for number in hand]
    counts = [sum(n in hand for n in stations) for hand in numbers for stations in number_colours().values()]
    size = rules.numbers_per_colour * len(number_colours())
    return (
        len(set(map(str, dealt))) == len(dealt)
        and all(count == rules.numbers_per_colour for count in counts)
        and all(len(hand) == size for hand in numbers)
    )


def _replay_move(game: Game, number: int, written: Any) -> None:
    """Play one recorded move and compare its effects with those in the record."""
    where = f"move {number}"
    get_field(written, "move", str, where)
    check_turn(written, number, game.turn, game.seat, game.over)
    move = _move(written, where)
    check_legal(move, legal_moves(game), describe, f"{where} (turn {game.turn}, seat {game.seat + 1})")
    arrivals = [arrival._asdict() for arrival in carry_out(game, move).arrivals]
    check_same(get_field(written, "arrivals", list, where), arrivals, f"{where}: arrivals")


def _move(written: dict[str, Any], where: str) -> Move:
    kind = records.read_move_kind(written, _MOVE_KEYS, where)
    keys = _keys(kind, "share" in written)
    records.check_move_keys(written, kind, ("arrivals", *keys), where)
    fields = {key: get_field(written, key, _TYPES[key], where) for key in keys}
    if "cell" in fields:
        cell = fields["cell"]
        if len(cell) != 2 or not all(type(x) is int for x in cell):
            raise RecordError(f"{where}: {json.dumps(cell)} is not a cell [row, column]")
        fields["cell"] = tuple(cell)
    return Move(kind, **fields)


def describe(move: Move) -> str:
    """A move in a few words, for errors."""
    if move.kind == "place":
        turns = f" turned by {move.turns} quarter turn{'s' * (move.turns > 1)}" if move.turns else ""
        return f"place {move.tile}{turns} in cell {json.dumps(move.cell)}"
    if move.kind == "exchange":
        return f"exchange the {move.share} % share for the {move.take} one"
    if move.kind == "wagon":
        return f"wagon at {move.edge}" + (f" for the {move.share} % share" if move.share else "")
    return move.kind
