"""Records of Metro games: one game as JSON that can be checked without our engine (format `mmsim-record/1`)."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from mmsim.core import records
from mmsim.core.records import FORMAT, GameRecord, RecordedMove, RecordError, RecordPart, check_same
from mmsim.core.rng import Seed
from mmsim.core.variant import SEATINGS
from mmsim.errors import UsageError
from mmsim.metro.rules.board import CENTRE, COLOURS, wagons
from mmsim.metro.rules.deal import PERCENTS, Deal, central_tiles, number_colours
from mmsim.metro.rules.position import Game, Move, PlayedMove
from mmsim.metro.rules.reference import carry_out, legal_moves
from mmsim.metro.rules.reference_scoring import Result, result
from mmsim.metro.rules.rulesets import KNOBS, Ruleset, check, ruleset
from mmsim.metro.rules.tiles import SIDES, TILES, turned

if TYPE_CHECKING:
    from mmsim.metro.bots.position import Position  # at run time that would import the compiler

GAME = "metro"

LATER_KNOBS = {"wagon_shift": 0}  # knobs that older records do not have, and what they were played with


class _Board(RecordPart):
    wagons: dict[str, Any]
    central: tuple[str, ...]


class _Deal(RecordPart):
    supply: tuple[str, ...]
    piles: tuple[tuple[str, ...], ...]
    numbers: tuple[tuple[int, ...], ...]


class _Seed(RecordPart):
    master: int
    variant: str
    game: int
    seats: Literal["fixed", "rotate"]


class _Move(RecordedMove, tag_field="move"):
    arrivals: list[dict[str, Any]]


class _Place(_Move, tag="place"):
    tile: str
    turns: int
    cell: Annotated[tuple[int, int], Meta(description="a cell [row, column]")]


class _Draw(_Move, tag="draw"): ...


class _Exchange(_Move, tag="exchange"):
    share: int
    take: str


class _Wagon(_Move, tag="wagon"):
    edge: int
    share: int | UnsetType = UNSET  # X16: a wagon of a company is placed by showing a share


class _Pass(_Move, tag="pass"): ...


class _Record(GameRecord):
    board: _Board
    deal: _Deal
    seed: _Seed
    moves: list[_Place | _Draw | _Exchange | _Wagon | _Pass]


# --- writing -------------------------------------------------------------------------------------------------


def record_of(game: "Game | Position", outcome: Result, bots: Sequence[str], seed: Seed) -> dict[str, Any]:
    """The record of a finished game of either engine."""
    rules, dealt = game.rules, game.deal
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
    arrivals = [arrival._asdict() for arrival in played.arrivals]
    return records.write_move(played.turn, played.seat, played.move, arrivals=arrivals)


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
    written = records.read_record(record, GAME, _Record)
    game = _set_up(written, _ruleset(record["ruleset"], len(written.seats)))
    for number, move in enumerate(written.moves, 1):
        _replay_move(game, number, move)
    records.check_over(written, game)
    check_same(written.result, result_to_json(game.rules, result(game)), "result")
    return game


def _ruleset(written: dict[str, Any], players: int) -> Ruleset:
    """The knobs of the record. If the name is a known ruleset, the knobs must match it."""
    name, knobs = written["name"], records.read_knobs({**LATER_KNOBS, **written}, KNOBS)
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


def _set_up(written: _Record, rules: Ruleset) -> Game:
    """The game of a record before its first move, its deal checked against the rules."""
    for number, seat in enumerate(written.seats):
        if seat.player != number:
            raise RecordError(f"seats[{number}]: 'player' is {seat.player}, not {number}; seats are in playing order")
    check_same(written.board.wagons, wagons(rules), "board.wagons")
    supply, piles, numbers = written.deal.supply, written.deal.piles, written.deal.numbers
    central = written.board.central
    if sorted(supply) != sorted(TILES):
        raise RecordError(f"deal.supply: {_odd_tile(supply)}")
    if len(central) != (len(CENTRE) if rules.central else 0) or not _central_fits(central):
        raise RecordError(f"board.central: {json.dumps(central)} are not central tiles of ruleset '{rules.name}'")
    for i, pile in enumerate(piles):
        if sorted(pile) != sorted(COLOURS):
            raise RecordError(f"deal.piles[{i}]: {json.dumps(pile)} is not a pile of one share of every company")
    if len(piles) != (len(PERCENTS) if rules.companies else 0):
        raise RecordError(f"deal.piles: there are {len(piles)} piles, not {len(PERCENTS) if rules.companies else 0}")
    if len(numbers) != (rules.players if rules.numbers else 0) or not _numbers_fit(rules, numbers):
        raise RecordError(f"deal.numbers: the ruleset '{rules.name}' does not hand out {json.dumps(numbers)}")
    companies = tuple(tuple(COLOURS.index(colour) for colour in pile) for pile in piles)
    return Game(rules, Deal(supply, central, companies, numbers))


def _odd_tile(supply: tuple[str, ...]) -> str:
    """X4: the tile of which there are too few or too many."""
    counts, expected = Counter(supply), Counter(TILES)
    odd = next(code for code in (*expected, *counts) if counts[code] != expected[code])
    return f"there are {counts[odd]} tiles '{odd}', not {expected[odd]}"


def _central_fits(central: tuple[str, ...]) -> bool:
    """X17: each of the eight at most once, in any turn."""
    shape_of = {turned(tile, turns): tile for tile in central_tiles() for turns in SIDES}
    shapes = [shape_of.get(code) for code in central]
    return None not in shapes and len(set(shapes)) == len(shapes)


def _numbers_fit(rules: Ruleset, numbers: tuple[tuple[int, ...], ...]) -> bool:
    """X18: `numbers_per_colour` of each colour for every player, none twice."""
    dealt = [number for hand in numbers for number in hand]
    counts = [sum(n in hand for n in stations) for hand in numbers for stations in number_colours().values()]
    return len(set(dealt)) == len(dealt) == sum(counts) and {*counts} <= {rules.numbers_per_colour}


def _replay_move(game: Game, number: int, written: _Move) -> None:
    """Play one recorded move and compare its effects with those in the record."""
    records.check_turn(written, number, game)
    move = records.read_move(written, Move)
    records.check_legal(move, legal_moves(game), describe, f"move {number} (turn {game.turn}, seat {game.seat + 1})")
    arrivals = [arrival._asdict() for arrival in carry_out(game, move).arrivals]
    check_same(written.arrivals, arrivals, f"move {number}: arrivals")


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
