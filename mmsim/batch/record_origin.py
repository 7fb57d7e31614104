"""Proof of where a record comes from: played again from its seed, its bots must make the same moves."""

import json
from typing import Any

from mmsim.core.records import RecordError, same
from mmsim.core.variant import SEATINGS, Variant
from mmsim.errors import UsageError
from mmsim.games import find_game, find_shell


def prove_origin(record: dict[str, Any]) -> None:
    """Play the game of a verified record again from its seed; RecordError if it is another game.

    A record that does not say whether seats were rotated may have been played either way.
    """
    bots = [seat["bot"] for seat in record["seats"]]
    known_bots = find_shell(record["game"]).bots
    for bot in bots:
        if bot.partition(":")[0] not in known_bots:
            raise RecordError(f"bot '{bot}' is none of mmsim's own, so its game cannot be played again")
    recorded = record["seed"].get("seats")
    differences = [_difference(record, bots, seats) for seats in SEATINGS if recorded in (None, seats)]
    if differences and all(differences):
        raise RecordError(f"from its seed another game is played: {differences[0]}")


def _difference(record: dict[str, Any], bots: list[str], seats: str) -> str | None:
    """The first difference between a record and the game played from its seed, or None."""
    game, number = find_game(record["game"]), record["seed"]["game"]
    players = len({seat["player"] for seat in record["seats"]})
    board_set = record.get("board", {}).get("set")
    board = {"board": board_set} if board_set else {}
    try:
        variant = Variant(
            record["ruleset"]["name"],
            players,
            bots=",".join(bots),  # with rotated seats any order will do
            seed=record["seed"]["master"],
            seats=seats,
            **board,
        )
        same(record, json.loads(json.dumps(game.record(game.prepare(variant), number))), "the record")
    except (RecordError, UsageError) as error:
        return str(error)
    return None
