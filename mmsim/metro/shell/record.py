"""Records of Metro games: one game as JSON that anybody can check without our engine (format `mmsim-record/1`)."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Protocol

from mmsim.core.game import SEATINGS
from mmsim.core.knobs import check_knob
from mmsim.core.records import FORMAT, RecordError, check_head, check_legal, check_turn, get, only_keys, same
from mmsim.errors import UsageError, unknown
from mmsim.metro.rules.board import CENTRE, COLOURS, COMPANY_WAGONS, WAGONS
from mmsim.metro.rules.deal import PERCENTS, Deal, central_tiles, number_colours
from mmsim.metro.rules.play import Seed
from mmsim.metro.rules.position import Game, Move, PlayedMove
from mmsim.metro.rules.reference import carry_out, legal_moves
from mmsim.metro.rules.reference_scoring import Result, result
from mmsim.metro.rules.rulesets import KNOBS, Ruleset, check, ruleset
from mmsim.metro.rules.tiles import SIDES, TILES, turned

GAME = "metro"
_KEYS = ("format", "game", "board", "ruleset", "seats", "deal", "seed", "moves", "result")
_SEAT_KEYS = ("seat", "player", "bot")
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


class FinishedGame(Protocol):
    """A finished game of either engine, as far as its record tells it."""

    @property
    def rules(self) -> Ruleset: ...
    @property
    def history(self) -> Sequence[PlayedMove]: ...


# --- writing -------------------------------------------------------------------------------------------------


def record_of(game: FinishedGame, dealt: Deal, outcome: Result, bots: Sequence[str], seed: Seed) -> dict[str, Any]:
    """The record of a finished game of either engine."""
    rules = game.rules
    return {
        "format": FORMAT,
        "game": GAME,
        "board": {"wagons": wagons(rules), "central": list(dealt.central)},
        "ruleset": {"name": rules.name, **rules.knobs()},
        "seats": [{"seat": seat, "player": seat, "bot": bot} for seat, bot in enumerate(bots)],
        "deal": {
            "supply": list(dealt.supply),
            "piles": [[COLOURS[company] for company in pile] for pile in dealt.piles],
            "numbers": [list(numbers) for numbers in dealt.numbers],
        },
        "seed": {
            "master": seed.master,
            "variant": rules.variant,
            "game": seed.game,
            "seats": SEATINGS[seed.rotate],
        },
        "moves": [move_to_json(played) for played in game.history],
        "result": result_to_json(rules, outcome),
    }


def wagons(rules: Ruleset) -> dict[str, list[int]]:
    """X7, X15: the stations of every colour."""
    table = COMPANY_WAGONS if rules.companies else WAGONS[rules.players]
    return {COLOURS[owner]: list(stations) for owner, stations in enumerate(table)}


def move_to_json(played: PlayedMove) -> dict[str, Any]:
    move = played.move
    move_json: dict[str, Any] = {"turn": played.turn, "seat": played.seat, "move": move.kind}
    for key in _keys(move.kind, move.share is not None):
        value = getattr(move, key)
        move_json[key] = list(value) if key == "cell" else value
    move_json["arrivals"] = [arrival._asdict() for arrival in played.arrivals]
    return move_json


def _keys(kind: str, has_share: bool) -> tuple[str, ...]:
    """The keys of a kind of move; a wagon of a company is put by showing a share (X16)."""
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
    """Replay a record with the reference engine; a RecordError names the first thing that differs."""
    game = _opening(record)
    moves = get(record, "moves", list, "the record")
    for number, move in enumerate(moves, 1):
        _replay(game, number, move)
    if not game.over:
        raise RecordError(
            f"the record stops after move {len(moves)}, but the game goes on: seat {game.seat + 1} is to move in turn "
            f"{game.turn}"
        )
    same(get(record, "result", dict, "the record"), result_to_json(game.rules, result(game)), "result")
    return game


def _opening(record: Any) -> Game:
    check_head(record, GAME, _KEYS)
    seed = get(record, "seed", dict, "the record")
    for key, kind in _SEED_KEYS.items():
        get(seed, key, kind, "seed")
    only_keys(seed, _SEED_KEYS, "seed")
    seats = get(record, "seats", list, "the record")
    for seat, company in enumerate(seats):
        for key in ("seat", "player"):
            if get(company, key, int, f"seats[{seat}]") != seat:
                raise RecordError(f"seats[{seat}]: '{key}' is {company[key]}, not {seat}; seats are in playing order")
        get(company, "bot", str, f"seats[{seat}]")
        only_keys(company, _SEAT_KEYS, f"seats[{seat}]")
    rules = _ruleset(get(record, "ruleset", dict, "the record"), len(seats))
    board = get(record, "board", dict, "the record")
    only_keys(board, _BOARD_KEYS, "board")
    same(get(board, "wagons", dict, "board"), wagons(rules), "board.wagons")
    return Game(rules, _deal(record, rules))


def _ruleset(written: dict[str, Any], players: int) -> Ruleset:
    """The knobs of the record; a name that is one of ours must mean just them."""
    name = get(written, "name", str, "ruleset")
    for knob in KNOBS:
        if knob not in written:
            raise RecordError(f"ruleset: the knob '{knob}' is missing")
    try:
        knobs = {knob: check_knob(KNOBS, knob, value) for knob, value in written.items() if knob != "name"}
        rules = Ruleset(name, players, **knobs)  # type: ignore[arg-type]
        check(rules)
    except UsageError as error:
        raise RecordError(f"ruleset: {error}") from error
    same({knob: written[knob] for knob in knobs}, knobs, "ruleset")  # a number in quotes is no number
    try:
        named = ruleset(name, players)
    except UsageError:
        return rules
    same(knobs, named.knobs(), f"ruleset '{name}'")
    return rules


def _deal(record: dict[str, Any], rules: Ruleset) -> Deal:
    """What chance laid out, if it is what the rules lay out."""
    written = get(record, "deal", dict, "the record")
    supply, piles, numbers = (get(written, key, list, "deal") for key in _DEAL_KEYS)
    only_keys(written, _DEAL_KEYS, "deal")
    central = get(record["board"], "central", list, "board")
    if sorted(map(str, supply)) != sorted(TILES):
        raise RecordError(f"deal.supply: {_odd_tile(supply)}")
    if not _fits(central, len(CENTRE) if rules.central else 0) or not _central_fits(central):
        raise RecordError(f"board.central: {json.dumps(central)} are not central tiles of ruleset '{rules.name}'")
    for i, pile in enumerate(piles):
        if not isinstance(pile, list) or sorted(map(str, pile)) != sorted(COLOURS):
            raise RecordError(f"deal.piles[{i}]: {json.dumps(pile)} is not a pile of one share of every company")
    if not _fits(piles, len(PERCENTS) if rules.companies else 0):
        raise RecordError(f"deal.piles: there are {len(piles)} piles")
    if not _fits(numbers, rules.players if rules.numbers else 0) or not _numbers_fit(rules, numbers):
        raise RecordError(f"deal.numbers: the ruleset '{rules.name}' does not hand out {json.dumps(numbers)}")
    return Deal(
        tuple(supply),
        tuple(central),
        tuple(tuple(COLOURS.index(colour) for colour in pile) for pile in piles),
        tuple(tuple(own) for own in numbers),
    )


def _fits(things: list[Any], count: int) -> bool:
    return len(things) == count


def _odd_tile(supply: list[Any]) -> str:
    """Which tile there are too few or too many of (X4)."""
    there, wanted = Counter(map(str, supply)), Counter(TILES)
    odd = next(code for code in (*wanted, *there) if there[code] != wanted[code])
    return f"there are {there[odd]} tiles '{odd}', not {wanted[odd]}"


def _central_fits(central: list[Any]) -> bool:
    """X17: each of the eight at most once, in any turn."""
    shape_of = {turned(tile, turns): tile for tile in central_tiles() for turns in SIDES}
    shapes = [shape_of.get(str(code)) for code in central]
    return None not in shapes and len(set(shapes)) == len(shapes)


def _numbers_fit(rules: Ruleset, numbers: list[Any]) -> bool:
    """X18: so many of each colour, none twice."""
    if not all(isinstance(own, list) for own in numbers):
        return False
    dealt = [number for own in numbers for number in own]
    each = [sum(n in own for n in stations) for own in numbers for stations in number_colours().values()]
    size = rules.numbers_per_colour * len(number_colours())
    return (
        len(set(map(str, dealt))) == len(dealt)
        and all(count == rules.numbers_per_colour for count in each)
        and all(len(own) == size for own in numbers)
    )


def _replay(game: Game, number: int, written: Any) -> None:
    """Play one recorded move and compare what the record says came of it."""
    where = f"move {number}"
    kind = get(written, "move", str, where)
    check_turn(written, number, game.turn, game.seat, game.over)
    move = _move(written, kind, where)
    check_legal(move, legal_moves(game), describe, f"{where} (turn {game.turn}, seat {game.seat + 1})")
    played = carry_out(game, move)
    same(
        get(written, "arrivals", list, where),
        [arrival._asdict() for arrival in played.arrivals],
        f"{where}: arrivals",
    )


def _move(written: dict[str, Any], kind: str, where: str) -> Move:
    if kind not in _MOVE_KEYS:
        raise RecordError(f"{where}: {unknown('move', kind, _MOVE_KEYS)}")
    keys = _keys(kind, "share" in written)
    for key in written:
        if key not in ("turn", "seat", "move", "arrivals", *keys):
            raise RecordError(f"{where}: '{key}' does not belong to a move '{kind}'")
    fields = {key: get(written, key, _TYPES[key], where) for key in keys}
    if "cell" in fields:
        cell = fields["cell"]
        if len(cell) != 2 or not all(type(x) is int for x in cell):
            raise RecordError(f"{where}: {json.dumps(cell)} is not a cell [row, column]")
        fields["cell"] = tuple(cell)
    return Move(kind, **fields)


def describe(move: Move) -> str:
    """A move in a few words."""
    if move.kind == "place":
        turns = f" turned {move.turns} times" if move.turns else ""
        return f"place {move.tile}{turns} in cell {json.dumps(move.cell)}"
    if move.kind == "exchange":
        return f"exchange the {move.share} % share for the {move.take} one"
    if move.kind == "wagon":
        return f"wagon at {move.edge}" + (f" for the {move.share} % share" if move.share else "")
    return move.kind
