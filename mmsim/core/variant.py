"""A variant: as requested (`Variant`), as playable (`PlayableVariant`), and as stored (`VariantDescription`)."""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from mmsim.core.bots import Bot
from mmsim.core.rng import games_per_deal
from mmsim.core.seating import Seating, bot_name, seat_orders
from mmsim.errors import MmsimError, UsageError, unknown
from mmsim.system.validation import Text

SEATINGS = ("fixed", "rotate")
ON_BOARD = "@"  # between a ruleset and its board in the name of a variant, if there are several boards

_FILE_WITH_LAYOUT = ".toml:"
_Player = Annotated[int, Meta(ge=0, le=99)]


def split_file(word: str) -> tuple[str, str]:
    """A ruleset or board without the layout that may follow the name of its file, and that layout with its colon."""
    name, with_layout, layout = word.partition(_FILE_WITH_LAYOUT)
    return (f"{name}.toml", f":{layout}") if with_layout else (word, "")


def board_label(board: str | None) -> str:
    """A board without the folder and ending of its file."""
    name, layout = split_file(board or "")
    return f"{Path(name).stem}{layout}"


def check_seating(seats: str) -> None:
    if seats not in SEATINGS:
        raise unknown("seating", seats, SEATINGS)


@dataclass(frozen=True)
class Variant:
    """A variant as requested: rules, board, players, bots, and the master seed of the games.

    With `seats="rotate"` each layout and deal is played once per player, and the bots move on by one player between
    games (`core/seating.py`). With `"fixed"` every game has its own layout and deal.
    """

    rules: str
    players: int | None = None  # None: the default number of the rules
    board: str | None = None  # None: the game's default board, or its only one
    bots: str = "uniform"
    seed: int = 1
    seats: str = "fixed"
    suffix: str = ""  # appended to its name in tables, which is that of the rules and players
    level: str = ""  # who plays it, as tables say it; empty: its bots
    level_suffix: str = ""  # appended to the name of its games where several levels play it
    move_seconds: float | None = None  # bots in Python run in processes of their own, with this time limit per move
    interventions: tuple[str, ...] = ()  # what is changed in play, see `SimulatedGame.interventions`

    def __post_init__(self) -> None:
        check_seating(self.seats)
        if not 0 <= self.seed < 2**64:
            raise UsageError(f"a master seed is 0 to 2^64 - 1, not {self.seed}")

    @property
    def rotate(self) -> bool:
        return self.seats == "rotate"


class VariantDescription(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What a manifest stores about a variant, and analysis reads; a run is resumed only if none of it has changed.

    `ruleset`, `board` and the weights in `bots` are plain JSON, as the game declares them.
    """

    game: Text
    name: Annotated[str, Meta(min_length=1, max_length=1000)]
    players: Annotated[int, Meta(ge=1, le=100)]
    seat_player: Annotated[list[_Player], Meta(min_length=1, max_length=100)]
    rules_version: int | Text
    ruleset: dict[str, Any]  # its name and every knob
    board: dict[str, Any] = {}
    bots: Annotated[list[dict[str, Any]], Meta(min_length=1, max_length=100)]  # `bot`, its spec, and its weights
    seats: Literal["fixed", "rotate"]
    seed: Annotated[int, Meta(ge=0)]
    # The names in the experiment; added on reading, not stored:
    rules: str = ""
    board_name: str | None = None
    bot_list: str = ""

    def with_names_from(self, variant: Variant) -> "VariantDescription":
        """This description with the names in the experiment."""
        return msgspec.structs.replace(self, rules=variant.rules, board_name=variant.board, bot_list=variant.bots)

    @property
    def bot_specs(self) -> tuple[str, ...]:
        return tuple(str(bot["bot"]) for bot in self.bots)

    @property
    def listed_bots(self) -> str:
        """One bot that has all seats, or those of the seats as they are listed."""
        bots = self.bot_specs
        return bots[0] if len({*bots}) == 1 else ",".join(bots)

    @property
    def games_per_deal(self) -> int:
        return games_per_deal(self.players, self.seats == "rotate")

    @property
    def seating_cycle(self) -> int:
        """The number of games after which every way to seat the bots has been played equally often."""
        names = [bot_name(*bot) for bot in zip(self.bot_specs, self.bots, strict=True)]
        return len(seat_orders(names, self.seat_player, self.seats == "rotate"))


@dataclass(frozen=True)
class PlayableVariant:
    """A variant that can be played, made by `SimulatedGame.prepare`; games may add fields of their own."""

    variant: Variant
    rules: Any  # the game's ruleset, a `BaseRuleset` with its knobs
    seating: Seating
    game: str = field(kw_only=True)  # its name
    rules_version: int | str = field(default=1, kw_only=True)  # changes whenever the same seed gives another game

    @property
    def shared_name(self) -> str:
        """What the variant is called in tables, at every level."""
        return f"{self.rules.variant}{self.variant.suffix}"

    @property
    def name(self) -> str:
        """What its games are called: the variant, and the level if there are several."""
        return f"{self.shared_name}{self.variant.level_suffix}"

    @property
    def level(self) -> str:
        """The level of play, or the bots of the table if the run names bots."""
        return self.variant.level or self.description.listed_bots

    @property
    def seed(self) -> int:
        return self.variant.seed

    @property
    def bots(self) -> tuple[Bot, ...]:
        return self.seating.bots

    @property
    def players(self) -> int:
        return len({*self.seating.seat_player})

    @property
    def games_per_deal(self) -> int:
        return self.seating.games_per_deal

    @property
    def board_description(self) -> dict[str, Any]:
        """What a manifest stores about the board; plain JSON."""
        return {}

    @cached_property
    def description(self) -> VariantDescription:
        description = {
            "game": self.game,
            "name": self.name,
            "players": self.players,
            "seat_player": list(self.seating.seat_player),
            "rules_version": self.rules_version,
            "ruleset": self.rules.description,
            "board": self.board_description,
            "bots": [{"bot": bot.spec, **bot.description} for bot in self.bots],
            "seats": self.variant.seats,
            "seed": self.seed,
        }
        try:
            return msgspec.json.decode(msgspec.json.encode(description), type=VariantDescription)
        except msgspec.ValidationError as error:
            raise MmsimError(
                f"{self.game} describes the variant '{self.name}' in a way that is not valid: {error}"
            ) from error

    @property
    def fingerprint(self) -> str:
        """A digest of rules, board and bots."""
        return sha256(msgspec.json.encode(self.description, order="sorted")).hexdigest()

    def check_whole_deals(self, **numbers: int) -> None:
        """Refuse a number of games that is not a whole number of deals."""
        for what, number in numbers.items():
            if excess := number % self.games_per_deal:
                low = number - excess
                fitting = " or ".join(str(near) for near in (low, low + self.games_per_deal) if near)
                raise UsageError(
                    f"with seats rotated, games of '{self.name}' come in groups of {self.games_per_deal}: "
                    f"{what} may be {fitting}, not {number}"
                )
