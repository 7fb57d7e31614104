"""A game in plain Python: it says what its rules, positions and bots are, and everything else is done here.

docs/how-to/adding-a-game.md shows a complete example. Games that must be fast are compiled (`mmsim/compiled/game.py`).
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from mmsim.core import records
from mmsim.core.bots import Bot
from mmsim.core.game import BotError, GameRows, IllegalMove
from mmsim.core.interventions import check_interventions, check_no_interventions
from mmsim.core.knobs import Knob, Value, knobs_of
from mmsim.core.python_bots import BotFailedError, PythonBot, PythonPlayers
from mmsim.core.records import FORMAT, GameRecord, RecordedMove, RecordPart
from mmsim.core.rng import Purpose, Seed, Stream
from mmsim.core.ruleset import BaseRuleset, read_ruleset
from mmsim.core.seating import Seating, seat_bots
from mmsim.core.shell import ExplainedRuleset, GameStory, Shell
from mmsim.core.variant import PlayableVariant, Variant
from mmsim.errors import UsageError
from mmsim.tables.columns import Column, empty_rows
from mmsim.tables.frames import TabledGame

if TYPE_CHECKING:
    from rich.console import RenderableType

_STATUS = ("finished", "bot_error")
_COLUMNS = {
    "games": (
        Column("game", np.uint64, "number of the game in its run"),
        Column("status", np.uint8, "whether the game was finished, or a bot's error stopped it"),
        Column("turns", np.uint16, "turns of the game"),
        Column("winner", np.int8, "player who won", "the win is shared"),
        Column("margin", np.int32, "score of the winner over the next player"),
    ),
    "seats": (
        Column("game", np.uint64, "number of the game"),
        Column("seat", np.uint8, "place in the playing order, the first is 0"),
        Column("player", np.uint8, "player in the seat, who has the same number"),
        Column("score", np.int32, "score at the end"),
        Column("rank", np.uint8, "place of the player; equal scores share the better one"),
        Column("win_share", np.float32, "1 for a win, a fraction for a shared win, else 0"),
    ),
}


class _Seed(RecordPart):
    master: int
    game: int
    seats: Literal["fixed", "rotate"]


class _Move(RecordedMove):
    move: Any


class _Record(GameRecord):
    seed: _Seed
    moves: list[_Move]


@dataclass(frozen=True)
class PlainBot(Bot):
    """A bot that is a function: `choose(bot, view, moves)` returns one of the moves; chance comes from `view.draws`."""

    choose: Callable[[Bot, Any, Sequence[Any]], Any] = lambda bot, view, moves: moves[view.draws.below(len(moves))]


UNIFORM = PlainBot("uniform", "Takes any legal move.", "nothing")


@dataclass(frozen=True)
class View:
    """What a player may know in a game without hidden information; `state` is whatever the position shows."""

    rules: Any
    seat: int
    turn: int
    scores: tuple[int, ...]
    state: Any
    draws: Stream  # the random numbers of the seat's bot


class PlainPosition(ABC):
    """A game in progress. Players are numbered by seat; `seat` and `turn` say who is to move, and in which turn."""

    def __init__(self, rules: Any, draws: Stream, bot_draws: Sequence[Stream]) -> None:
        self.rules, self.draws, self.bot_draws = rules, draws, bot_draws
        self.seat, self.turn = 0, 1
        self.history: list[tuple[int, int, Any]] = []  # turn, seat, move
        self.set_up()

    def set_up(self) -> None:  # noqa: B027 - a game may need none
        """Prepare the first decision; everything that chance decides in the game comes from `self.draws`."""

    @property
    @abstractmethod
    def over(self) -> bool: ...

    @property
    @abstractmethod
    def scores(self) -> Sequence[int]:
        """The score of every player; the most wins."""

    @abstractmethod
    def legal_moves(self) -> Sequence[Any]:
        """Every move open to the seat in turn, in a fixed order: strings, numbers or tuples."""

    @abstractmethod
    def play(self, move: Any) -> None:
        """Carry out a legal move, and set `seat` and `turn` for the next one."""

    @property
    def state(self) -> Any:
        """What views show of the position; plain values, so that no bot can change it."""
        return None

    def view(self, seat: int) -> Any:
        """What the player behind a seat may know; `draws` must be `self.bot_draws[seat]`."""
        return View(self.rules, seat, self.turn, tuple(self.scores), self.state, self.bot_draws[seat])

    def column_values(self) -> Mapping[str, Any]:
        """The values of the game's own columns: a number in `games`, a list with one per seat in `seats`."""
        return {}

    def apply(self, move: Any) -> None:
        if self.over or move not in self.legal_moves():
            raise IllegalMove.of(move, self.seat, self.turn)
        self.history.append((self.turn, self.seat, move))
        self.play(move)

    @property
    def winners(self) -> list[int]:
        return [player for player, score in enumerate(self.scores) if score == max(self.scores)]

    def result(self) -> dict[str, Any]:
        """The outcome, as records have it."""
        return {"scores": list(self.scores), "winners": self.winners}


class PlainGame(TabledGame):
    """A game of `PlainPosition`s. Required: `ruleset`, `position` and `bots`."""

    ruleset: ClassVar[type[BaseRuleset]]
    position: ClassVar[type[PlainPosition]]
    bots: ClassVar[Sequence[PlainBot]]  # from weak to strong
    editions: ClassVar[Mapping[str, Mapping[str, Value]]] = {}  # name -> knobs it sets; the first is the default
    player_numbers: ClassVar[Collection[int]] = (2,)  # the first is the default
    rules_version: ClassVar[int | str] = 1  # change it whenever the same seed gives another game
    own_columns: ClassVar[Mapping[str, Sequence[Column]]] = {}  # further columns of `games` and `seats`
    own_words: ClassVar[Mapping[str, Sequence[str]]] = {}  # column -> the words that its numbers stand for

    def __init_subclass__(cls) -> None:
        cls.declared = {table: (*columns, *cls.own_columns.get(table, ())) for table, columns in _COLUMNS.items()}
        cls.words = {"status": _STATUS, **cls.own_words}

    @cached_property
    def all_editions(self) -> Mapping[str, Mapping[str, Value]]:
        return self.editions or {self.name: {}}

    def read_rules(self, text: str, players: int | None) -> tuple[BaseRuleset, dict[str, str]]:
        """The ruleset of a spec, and where the value of every knob comes from."""
        number = next(iter(self.player_numbers)) if players is None else players
        return read_ruleset(self.ruleset, self.all_editions, text, number, self.player_numbers)

    @cached_property
    def bots_by_name(self) -> dict[str, Bot]:
        return {bot.name: bot for bot in self.bots}

    def prepare(self, variant: Variant) -> PlayableVariant:
        rules, _ = self.read_rules(variant.rules, variant.players)
        bots = seat_bots(variant.bots, self.bots_by_name, rules.players, "players", variant.move_seconds)
        seating = Seating(bots, range(rules.players), variant.rotate)
        prepared = PlayableVariant(variant, rules, seating, game=self.name, rules_version=self.rules_version)
        check_interventions(self, prepared)
        return prepared

    def intervene(self, position: PlainPosition, names: Sequence[str]) -> None:
        """Change a game at its first decision as `interventions` says."""

    def rows_per_game(self, prepared: PlayableVariant) -> dict[str, int]:
        return {"games": 1, "seats": prepared.players}

    def new_game(self, prepared: PlayableVariant, game: int) -> Any:
        return self._begin(prepared.rules, Seed(prepared.seed, game, prepared.variant.rotate))

    def _begin(self, rules: Any, seed: Seed) -> PlainPosition:
        bot_draws = [seed.bot_draws(seat) for seat in range(rules.players)]
        return self.position(rules, seed.deal_stream(Purpose.DEAL, rules.players), bot_draws)

    def play_out(self, prepared: PlayableVariant, game: int) -> PlainPosition:
        """A game played by its bots; BotFailedError if one fails."""
        position: PlainPosition = self.new_game(prepared, game)
        self._play_on(position, prepared, game)
        return position

    def _play_on(self, position: PlainPosition, prepared: PlayableVariant, game: int) -> None:
        bots, python = prepared.seating.at(game), PythonPlayers()
        if prepared.variant.interventions:
            self.intervene(position, prepared.variant.interventions)
        while not position.over:
            seat = position.seat
            bot, view, moves = bots[seat], position.view(seat), list(position.legal_moves())
            if isinstance(bot, PythonBot):
                position.apply(python.choose(bot, seat, position.turn, view, moves))
            elif isinstance(bot, PlainBot):
                position.apply(bot.choose(bot, view, moves))

    def play_games(self, prepared: PlayableVariant, first_game: int, count: int) -> GameRows:
        rows = empty_rows(self.row_types, self.rows_per_game(prepared), count)
        decisions, errors = 0, []
        for i, game in enumerate(range(first_game, first_game + count)):
            position: PlainPosition = self.new_game(prepared, game)
            try:
                self._play_on(position, prepared, game)
            except BotFailedError as failure:
                rows["games"]["status"][i] = _STATUS.index("bot_error")
                errors.append(BotError(game, failure.seat, failure.bot, failure.message))
            self._write(rows, i, game, position)
            decisions += len(position.history)
        return GameRows(rows, decisions, errors)

    def _write(self, rows: dict[str, Any], i: int, game: int, position: PlainPosition) -> None:
        """Put a game into the i-th place of the rows."""
        scores, winners = np.array(position.scores), position.winners
        ranked = np.sort(scores)
        players = range(len(scores))
        values: dict[str, Any] = {
            "turns": position.history[-1][0] if position.history else 0,
            "winner": winners[0] if len(winners) == 1 else -1,
            "margin": ranked[-1] - ranked[-2] if len(scores) > 1 else 0,
            "seat": players,
            "player": players,
            "score": scores,
            "rank": 1 + (scores[None, :] > scores[:, None]).sum(axis=1),
            "win_share": [(player in winners) / len(winners) for player in players],
            **position.column_values(),
        }
        game_rows = {"games": rows["games"][i : i + 1], "seats": rows["seats"][i * len(scores) : (i + 1) * len(scores)]}
        for table, columns in self.declared.items():
            game_rows[table]["game"] = game
            for column in columns:
                if column.name in values:
                    game_rows[table][column.name] = values[column.name]

    # --- records -----------------------------------------------------------------------------------------------------

    def record(self, prepared: PlayableVariant, game: int) -> dict[str, Any]:
        check_no_interventions(prepared)
        return self.record_of(prepared, game, self.play_out(prepared, game))

    def record_of(self, prepared: PlayableVariant, game: int, position: PlainPosition) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "game": self.name,
            "ruleset": prepared.rules.description,
            "seats": records.write_seats(range(prepared.players), [bot.spec for bot in prepared.seating.at(game)]),
            "seed": {"master": prepared.seed, "game": game, "seats": prepared.variant.seats},
            "moves": [{"turn": turn, "seat": seat, "move": move} for turn, seat, move in position.history],
            "result": position.result(),
        }

    def verify(self, record: Any) -> None:
        self.replayed(record)

    def replayed(self, record: Any) -> PlainPosition:
        """The last position of a record, replayed move by move; raises an error that says what differs."""
        written = records.read_record(record, self.name, _Record)
        rules, _ = self.read_rules(written.ruleset.name, len(written.seats))
        records.check_same(record["ruleset"], rules.description, "ruleset")
        position = self._begin(rules, Seed(written.seed.master, written.seed.game, written.seed.seats == "rotate"))
        for number, move in enumerate(written.moves, 1):
            records.check_turn(move, number, position)
            legal = {json.dumps(option): option for option in position.legal_moves()}
            text = json.dumps(move.move)
            records.check_legal((text,), [(option,) for option in legal], lambda option: option[0], f"move {number}")
            position.apply(legal[text])
        records.check_over(written, position)
        records.check_same(written.result, json.loads(json.dumps(position.result())), "result")
        return position


class PlainShell(Shell):
    """What a plain game answers at the command line; a game needs a subclass only to change some of it."""

    needs_game: ClassVar = True

    def __init__(self, game: PlainGame) -> None:
        self.game = game

    @property
    def default_rules(self) -> str:  # type: ignore[override]
        return next(iter(self.game.all_editions))

    @property
    def editions(self) -> Collection[str]:
        return tuple(self.game.all_editions)

    @property
    def knobs(self) -> Mapping[str, Knob]:
        return knobs_of(self.game.ruleset)

    @property
    def bots(self) -> Mapping[str, Bot]:
        return self.game.bots_by_name

    def explain(self, rules: str, players: int | None) -> ExplainedRuleset:
        ruleset, sources = self.game.read_rules(rules, players)
        return ExplainedRuleset(ruleset.variant, ruleset.players, ruleset.knobs(), sources)

    def play(self, variant: Variant, game: int, explain: bool) -> GameStory:
        self.check_board(variant.board)
        if explain:
            raise UsageError(f"the bots of {self.name} do not explain their moves; drop --explain")
        prepared = self.game.prepare(variant)
        position = self.game.play_out(prepared, game)
        bots = prepared.seating.at(game)
        return GameStory(
            opening=[
                f"{prepared.rules.variant}, seed {variant.seed}, game {game}",
                *(f"  seat {seat + 1}: {bot.spec}" for seat, bot in enumerate(bots)),
            ],
            story=[self.tell(turn, seat, move) for turn, seat, move in position.history],
            sheets=[self.score_sheet(position, bots)],
            verdict=f"Won by {' and '.join(f'player {player + 1}' for player in position.winners)}.",
            record=self.game.record_of(prepared, game, position),
            draw=lambda kind: self.draw(kind, position),
        )

    def tell(self, turn: int, seat: int, move: Any) -> str:
        """A move, in a sentence."""
        return f"turn {turn}: seat {seat + 1} plays {move}"

    def score_sheet(self, position: PlainPosition, bots: Sequence[Bot]) -> "RenderableType":
        from rich.table import Table

        sheet = Table("player", "bot", "score", title="Score sheet")
        for player, score in enumerate(position.scores):
            sheet.add_row(str(player + 1), bots[player].spec, str(score))
        return sheet

    def draw(self, kind: str, position: PlainPosition) -> bytes:
        """The last position as a picture, `.svg` or `.png`."""
        raise UsageError(f"games of {self.name} cannot be drawn")

    def verify(self, record: Any) -> None:
        self.game.verify(record)
