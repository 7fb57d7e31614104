"""Where a record comes from: its bots, asked again from its seed, must come to the very same game."""

import json
from typing import Any

from mmsim.core.game import SEATINGS, Variant
from mmsim.core.records import RecordError, same
from mmsim.errors import UsageError
from mmsim.games import find_game, find_shell


def prove_origin(record: dict[str, Any]) -> None:
    """Play a record that has been verified again from its seed; RecordError if another game comes of it.

    A record that does not say whether seats were rotated may have been played either way.
    """
    bots = [seat["bot"] for seat in record["seats"]]
    own = find_shell(record["game"]).bots
    for bot in bots:
        if bot.partition(":")[0] not in own:
            raise RecordError(f"bot '{bot}' is none of mmsim's own, so its moves cannot be asked for again")
    said = record["seed"].get("seats")
    differences = [_difference(record, bots, way) for way in SEATINGS if said in (None, way)]
    if differences and all(differences):
        raise RecordError(f"from its seed another game is played: {differences[0]}")


def _difference(record: dict[str, Any], bots: list[str], seats: str) -> str | None:
    """The first thing in which the game of a seed is not that of a record; None: there is nothing."""
    game, number = find_game(record["game"]), record["seed"]["game"]
    players = len({seat["player"] for seat in record["seats"]})
    where = {"board": record["board"]["set"]} if "set" in record["board"] else {}
    try:
        variant = Variant(
            record["ruleset"]["name"],
            players,
            bots=",".join(bots),  # with rotated seats any order will do
            seed=record["seed"]["master"],
            seats=seats,
            **where,
        )
        same(record, json.loads(json.dumps(game.record(game.prepare(variant), number))), "the record")
    except (RecordError, UsageError) as error:
        return str(error)
    return None
