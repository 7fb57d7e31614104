"""Records: what a game was, move by move, and whether that is true."""

from typing import Any

from mmsim.core.knobs import Value
from mmsim.core.records import FORMAT, check_head, check_legal, check_turn, get, same
from tests.toy.rules import KNOBS, Position, Ruleset, Seed, ruleset

_KEYS = ("format", "game", "ruleset", "seats", "seed", "moves", "result")


def knobs(rules: Ruleset) -> dict[str, Value]:
    return {"name": rules.name, **{name: getattr(rules, name) for name in KNOBS}}


def record_of(position: Position, bots: list[str], seed: Seed) -> dict[str, Any]:
    """The record of a game that is over."""
    return {
        "format": FORMAT,
        "game": "toy",
        "ruleset": knobs(position.rules),
        "seats": [{"seat": seat, "player": seat, "bot": bot} for seat, bot in enumerate(bots)],
        "seed": {"master": seed.master, "game": seed.game, "rotate": seed.rotate},
        "moves": [{"turn": turn, "seat": seat, "move": move} for turn, seat, move in position.history],
        "result": position.result(),
    }


def verify(written: Any) -> Position:
    """Replay a record; raises an error that says what differs."""
    check_head(written, "toy", _KEYS)
    rules = ruleset(get(written["ruleset"], "name", str, "the ruleset"), len(written["seats"]))
    same(written["ruleset"], knobs(rules), "ruleset")
    position = Position(rules, Seed(**written["seed"]).faces(rules))
    for number, move in enumerate(written["moves"], 1):
        check_turn(move, number, position.turn, position.seat, position.over)
        word = get(move, "move", str, f"move {number}")
        check_legal((word,), [(legal,) for legal in position.legal_moves()], lambda one: str(one[0]), f"move {number}")
        position.apply(word)
    same(written["result"], position.result(), "result")
    return position
