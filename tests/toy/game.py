"""The toy as the rest of mmsim sees it."""

import os
import signal
import time
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from mmsim.core.game import BotError, GameRows
from mmsim.core.variant import PlayableVariant
from mmsim.plain_game import UNIFORM, PlainBot, PlainGame, PlainPosition
from mmsim.tables.columns import Column
from tests.toy.rules import EDITIONS, END_REASONS, ToyPosition, ToyRules

BAD_GAME = 77
BOLD = PlainBot("bold", "Always rolls.", "nothing", choose=lambda bot, view, moves: "roll")


class Toy(PlainGame):
    ruleset, position, editions = ToyRules, ToyPosition, EDITIONS
    bots = (UNIFORM, BOLD)
    player_numbers = range(2, 7)
    own_columns: ClassVar = {
        "games": (
            Column("end_reason", np.int8, "why the game ended"),
            Column("lead_changes", np.uint16, "how often another player came to lead"),
            Column("decided_turn", np.int16, "turn since which the winner led", "the win is shared"),
            Column("rolls", np.uint8, "dice rolled"),
        )
    }
    own_words: ClassVar = {"end_reason": END_REASONS}

    def interventions(self, prepared: PlayableVariant) -> dict[str, str]:
        return {"first_holds": "the first player holds in the first turn"}

    def intervene(self, position: PlainPosition, names: Sequence[str]) -> None:
        position.apply("hold")

    def play_games(self, prepared: PlayableVariant, first_game: int, count: int) -> GameRows:
        played = super().play_games(prepared, first_game, count)
        if first_game <= BAD_GAME < first_game + count and (failed := _go_wrong(prepared.rules.name)):
            played["games"]["status"][BAD_GAME - first_game] = 1
            played.errors = (failed,)
        return played


def _go_wrong(edition: str) -> BotError | None:
    if edition == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if edition == "raising":
        raise ZeroDivisionError("no dice")
    if edition == "hanging":
        time.sleep(600)
    return BotError(BAD_GAME, 2, "mine", "chose to fly") if edition == "bad-bot" else None
