"""The toy behind the seam."""

import os
import signal
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from mmsim.core.bots import Bot
from mmsim.core.game import BotError, GameRows, Variant
from mmsim.core.interventions import check_interventions
from mmsim.core.seating import Seating, seat_bots
from mmsim.tables.columns import Column, row_types
from mmsim.tables.game_tables import TabledGame
from tests.toy import record
from tests.toy.bots import BOTS, ELEMENTS, INTERVENTIONS, play
from tests.toy.rules import END_REASONS, RULES_VERSION, Position, Ruleset, Seed, ruleset

BAD_GAME = 77
TABLES = {
    "games": (
        Column("game", np.uint64, "number of the game in its run"),
        Column("status", np.uint8, "whether the game was finished, or a bot's error stopped it"),
        Column("end_reason", np.int8, "why the game ended"),
        Column("turns", np.uint16, "turns of every player"),
        Column("winner", np.int8, "player who won", "the win is shared"),
        Column("margin", np.int16, "points of the winner over the next player"),
        Column("lead_changes", np.uint16, "how often another player came to lead"),
        Column("decided_turn", np.int16, "turn since which the winner led", "the win is shared"),
        Column("rolls", np.uint8, "dice rolled"),
    ),
    "seats": (
        Column("game", np.uint64, "number of the game"),
        Column("seat", np.uint8, "place in the playing order, the first is 0"),
        Column("player", np.uint8, "player in the seat, who has the same number"),
        Column("score", np.int16, "points in the end"),
        Column("rank", np.uint8, "place of the player; equal scores share the better one"),
        Column("win_share", np.float32, "1 for a win, a part of it for a shared one, else 0"),
    ),
}
ROWS = row_types(TABLES)


@dataclass(frozen=True)
class Prepared:
    """A variant, ready to be played."""

    rules: Ruleset
    bots: tuple[Bot, ...]
    variant: Variant

    @property
    def name(self) -> str:
        return f"{self.rules.name}-{self.rules.players}p{self.variant.suffix}"

    @property
    def seating(self) -> Seating:
        return Seating(self.bots, range(self.rules.players), self.variant.rotate)

    def seed(self, game: int) -> Seed:
        return Seed(self.variant.seed, game, self.variant.rotate)


class Toy(TabledGame):
    """The game object."""

    name = "toy"
    declared: ClassVar = TABLES
    words: ClassVar = {"status": ("finished", "bot_error"), "end_reason": END_REASONS}

    def interventions(self, prepared: Prepared) -> dict[str, str]:
        return INTERVENTIONS

    def elements(self, prepared: Prepared) -> dict[str, str]:
        return ELEMENTS

    def start_up(self) -> float:
        return 0.0

    def prepare(self, variant: Variant) -> Prepared:
        rules = ruleset(variant.rules, variant.players)
        bots = seat_bots(variant.bots, BOTS, rules.players, "players")
        check_interventions(variant.interventions, INTERVENTIONS, bots)
        return Prepared(rules, bots, variant)

    def describe(self, prepared: Prepared) -> dict[str, Any]:
        rules = prepared.rules
        return {
            "game": self.name,
            "name": prepared.name,
            "players": rules.players,
            "seat_player": list(range(rules.players)),
            "rules_version": RULES_VERSION,
            "ruleset": record.knobs(rules),
            "bots": [{"bot": bot.spec, **bot.about} for bot in prepared.bots],
            "seats": prepared.variant.seats,
            "seed": prepared.variant.seed,
        }

    def rows_per_game(self, prepared: Prepared) -> dict[str, int]:
        return {"games": 1, "seats": prepared.rules.players}

    def play_games(self, prepared: Prepared, first_game: int, count: int) -> GameRows:
        players = prepared.rules.players
        rows = {"games": np.zeros(count, ROWS["games"]), "seats": np.zeros(count * players, ROWS["seats"])}
        errors: list[BotError] = []
        for i in range(count):
            game = first_game + i
            position = play(prepared.rules, prepared.bots, prepared.seed(game), prepared.variant.interventions)
            _write(rows["games"][i : i + 1], rows["seats"][i * players :][:players], game, position)
            if game == BAD_GAME and (failed := _go_wrong(prepared.rules.name)):
                rows["games"][i]["status"] = 1
                errors.append(failed)
        return GameRows(rows, int(rows["games"]["turns"].sum()) * players, errors)

    def play_reference(self, prepared: Prepared, first_game: int, count: int) -> int:
        return self.play_games(prepared, first_game, count).decisions

    def new_game(self, prepared: Prepared, game: int) -> Position:
        return Position(prepared.rules, prepared.seed(game).faces(prepared.rules))

    def record(self, prepared: Prepared, game: int) -> dict[str, Any]:
        seed = prepared.seed(game)
        bots = [bot.spec for bot in prepared.seating.at(game)]
        return record.record_of(play(prepared.rules, prepared.bots, seed), bots, seed)

    def verify(self, written: dict[str, Any]) -> None:
        record.verify(written)


def _write(row: Any, seats: Any, game: int, position: Position) -> None:
    scores = np.array(position.scores)
    won = scores == scores.max()
    leaders = [max(range(len(total)), key=total.__getitem__) for total in position.totals]
    winner = int(scores.argmax()) if won.sum() == 1 else -1
    row["game"], row["turns"], row["winner"] = game, len(position.faces), winner
    row["margin"] = np.sort(scores)[-1] - np.sort(scores)[-2]
    row["lead_changes"] = sum(one != other for one, other in pairwise(leaders))
    before = [turn for turn, leader in enumerate(leaders, 1) if leader != winner]
    row["decided_turn"] = -1 if winner < 0 else max(before, default=0) + 1
    row["rolls"] = sum(move == "roll" for _, _, move in position.history)
    seats["game"], seats["seat"], seats["player"] = game, range(len(scores)), range(len(scores))
    seats["score"], seats["win_share"] = scores, won / won.sum()
    seats["rank"] = 1 + (scores[None, :] > scores[:, None]).sum(axis=1)


def _go_wrong(edition: str) -> BotError | None:
    if edition == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if edition == "raising":
        raise ZeroDivisionError("no dice")
    if edition == "hanging":
        time.sleep(600)
    return BotError(BAD_GAME, 2, "mine", "chose to fly") if edition == "bad-bot" else None
