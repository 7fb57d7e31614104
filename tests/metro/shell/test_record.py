"""Records of Metro: written, read, replayed; errors name every difference."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from mmsim.core.records import RecordError, dumps, read_records
from mmsim.core.variant import Variant
from mmsim.metro.game import Metro
from mmsim.metro.rules.position import Move
from mmsim.metro.shell.record import describe
from tests.metro.twins import SPECS

METRO = Metro()
Record = dict[str, Any]


def recorded(spec: str, players: int = 4, bots: str = "uniform", game: int = 1) -> Record:
    return json.loads(dumps(METRO.record(METRO.prepare(Variant(spec, players, bots=bots)), game)))


@pytest.mark.parametrize("spec", SPECS)
def test_records_of_every_variant_are_verified(spec: str) -> None:
    for bots in ("uniform", "planner"):
        METRO.verify(recorded(spec, 3, bots))


def test_keys_come_in_the_order_of_the_format() -> None:
    record = recorded("metro+companies+stations")
    assert list(record) == ["format", "game", "board", "ruleset", "seats", "deal", "seed", "moves", "result"]
    assert (record["format"], record["game"]) == ("mmsim-record/1", "metro")
    assert record["seed"] == {"master": 1, "variant": "metro+companies+stations-4p", "game": 1, "seats": "fixed"}
    keys = {move["move"]: list(move) for move in record["moves"]}
    assert keys["place"] == ["turn", "seat", "move", "tile", "turns", "cell", "arrivals"]
    assert keys["exchange"] == ["turn", "seat", "move", "share", "take", "arrivals"]
    assert keys["wagon"] == ["turn", "seat", "move", "share", "edge", "arrivals"]
    assert keys["draw"] == ["turn", "seat", "move", "arrivals"]


def test_a_wagon_of_a_player_needs_no_share() -> None:
    record = recorded("metro+stations")
    assert list(first(record, "wagon")) == ["turn", "seat", "move", "edge", "arrivals"]


def test_many_records_may_be_in_one_file() -> None:
    text = dumps(recorded("metro", game=1)) + dumps(recorded("metro", game=2))
    sources = list(read_records(text))
    assert [source.line for source in sources] == [1, 2]
    for source in sources:
        METRO.verify(source.record)


def first(record: Record, kind: str) -> Record:
    return next(move for move in record["moves"] if move["move"] == kind)


def arrival(record: Record) -> Record:
    return next(move for move in record["moves"] if move["arrivals"])["arrivals"][0]


CHANGES: dict[str, tuple[Callable[[Record], object], str]] = {
    "format": (lambda r: r.update(format="x"), '\'format\' is "x", not "mmsim-record/1"'),
    "game": (lambda r: r.update(game="metromania"), '\'game\' is "metromania", not "metro"'),
    "key": (lambda r: r.update(move=[]), "unknown key 'move'; did you mean 'moves'"),
    "no moves": (lambda r: r.pop("moves"), "'moves' is missing"),
    "seat key": (lambda r: r["seats"][2].update(bots="x"), "seats[2]: unknown key 'bots'; did you mean 'bot'"),
    "seed key": (lambda r: r["seed"].update(seat="fixed"), "seed: unknown key 'seat'; did you mean 'seats'"),
    "deal key": (lambda r: r["deal"].update(pile=[]), "deal: unknown key 'pile'; did you mean 'piles'"),
    "board key": (lambda r: r["board"].update(name="x"), "board: unknown key 'name' (known: wagons, central)"),
    "no seed": (lambda r: r["seed"].pop("seats"), "seed: 'seats' is missing"),
    "seating": (lambda r: r["seed"].update(seats="x"), 'seed: seats = "x" is not "fixed" or "rotate"'),
    "seat": (lambda r: r["seats"][1].update(seat=2), "seats[1]: 'seat' is 2, not 1"),
    "knob": (lambda r: r["ruleset"].update(hand=2), "ruleset 'metro+companies+stations'.hand: the record says 2"),
    "knob gone": (lambda r: r["ruleset"].pop("hand"), "the knob 'hand' is missing"),
    "knob unknown": (lambda r: r["ruleset"].update(hands=1), "unknown knob 'hands'"),
    "modules": (lambda r: r["ruleset"].update(name="own", numbers=True), "cannot be combined"),
    "wagons": (lambda r: r["board"]["wagons"]["Blue"].reverse(), "board.wagons.Blue[0]: the record says 27"),
    "central": (lambda r: r["board"].update(central=["aaaa"] * 4), "are not central tiles"),
    "supply": (lambda r: r["deal"]["supply"].append("aaaa"), "there are 5 tiles 'aaaa', not 4"),
    "pile": (lambda r: r["deal"]["piles"][2].append("Blue"), "deal.piles[2]"),
    "no pile": (lambda r: r["deal"]["piles"].__setitem__(0, 1), "deal: piles[0] = 1 is not a list"),
    "piles": (lambda r: r["deal"]["piles"].pop(), "deal.piles: there are 3 piles"),
    "numbers": (lambda r: r["deal"].update(numbers=[[1]] * 4), "deal.numbers"),
    "turn": (lambda r: r["moves"][3].update(turn=9), "move 4: the record says turn 9"),
    "mover": (lambda r: r["moves"][0].update(seat=1), "move 1: the record says seat 2, but it is seat 1"),
    "kind": (lambda r: r["moves"][0].update(move="plac"), "unknown move 'plac'; did you mean 'place'"),
    "extra": (lambda r: first(r, "draw").update(tile="aaaa"), "unknown key 'tile' (known: move, turn, seat, arrivals)"),
    "cell": (lambda r: first(r, "place").update(cell=[0]), ": cell = [0] is not a cell [row, column]"),
    "illegal": (
        lambda r: first(r, "place").update(cell=[3, 3]),
        "in cell [3, 3] is not legal; the nearest legal move is",
    ),
    "wrong type": (lambda r: first(r, "place").update(turns="0"), ': turns = "0" is not a whole number'),
    "arrival": (lambda r: arrival(r).update(points=99), "points: the record says 99, but it is"),
    "cut short": (lambda r: r["moves"].pop(), "but the game goes on"),
    "too long": (lambda r: r["moves"].append(r["moves"][-1]), "the game was over after move"),
    "profit": (lambda r: r["result"]["profits"].update(Red=999), "result.profits.Red: the record says 999"),
    "winner": (lambda r: r["result"].update(winners=[]), "result.winners"),
}


@pytest.fixture(scope="module")
def whole() -> str:
    return dumps(recorded("metro+companies+stations"))


@pytest.mark.parametrize("what", CHANGES)
def test_a_record_that_tells_something_else_is_refused(whole: str, what: str) -> None:
    record = json.loads(whole)
    METRO.verify(record)
    change, complaint = CHANGES[what]
    change(record)
    with pytest.raises(RecordError) as error:
        METRO.verify(record)
    assert complaint in str(error.value)


def test_knobs_under_a_name_of_ones_own_are_taken_as_they_stand() -> None:
    record = recorded("metro,exchange_until=30")
    record["ruleset"]["name"] = "my rules"
    METRO.verify(record)


def test_numbers_must_be_such_as_are_dealt() -> None:
    record = recorded("metro+central+numbers")
    record["deal"]["numbers"][0][0] = record["deal"]["numbers"][1][0]
    with pytest.raises(RecordError, match="deal.numbers"):
        METRO.verify(record)
    record = recorded("metro+central+numbers")
    record["board"]["central"] = ["aaaa", "aaaa", "bbbb", "cccc"]
    with pytest.raises(RecordError, match="board.central"):
        METRO.verify(record)


def test_what_is_no_object_is_no_record() -> None:
    with pytest.raises(RecordError, match="a record is a JSON object"):
        METRO.verify([])  # type: ignore[arg-type]


def test_moves_are_described_in_a_few_words() -> None:
    assert describe(Move("place", "aacb", 1, (2, 3))) == "place aacb turned by 1 quarter turn in cell [2, 3]"
    assert describe(Move("exchange", share=20, take="open")) == "exchange the 20 % share for the open one"
    assert describe(Move("wagon", share=20, edge=33)) == "wagon at 33 for the 20 % share"
    assert describe(Move("draw")) == "draw"
