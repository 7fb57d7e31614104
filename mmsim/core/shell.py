"""The shell of a game: what people ask of it at a shell, answered before anything is compiled.

Only bots that think have the fast core started, and only pictures have matplotlib imported.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from mmsim.core.bots import Bot
from mmsim.core.game import Variant
from mmsim.core.knobs import Knob, Value

if TYPE_CHECKING:
    from rich.console import RenderableType

Draw = Callable[[str], bytes]  # `.svg` or `.png` -> a picture

QUICK = 0.3  # what a bot costs that does not think: with less, its parts are so long that workers wait at the end


@dataclass(frozen=True)
class Listing:
    """A table for people."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Fact:
    """Something a ruleset says that is not a knob."""

    name: str
    value: str
    rules: str


@dataclass(frozen=True)
class Explained:
    """A ruleset for a number of players: every knob, where its value comes from, and what else there is to know."""

    variant: str
    knobs: Mapping[str, Value]
    sources: Mapping[str, str]
    facts: Sequence[Fact] = ()


@dataclass(frozen=True)
class GameStory:
    """A game that has been played: how it began, what happened, how it ended."""

    opening: Sequence[str]
    story: Iterable[str]
    sheets: "Sequence[RenderableType]"
    verdict: str
    record: dict[str, Any]
    draw: Draw


@dataclass(frozen=True)
class ReplaySeat:
    """Who sits at a seat of a replay."""

    name: str
    colour: str
    bot: str
    player: int


@dataclass(frozen=True)
class Moment:
    """A position of a replay: before the first move, after every move, and while scores are counted."""

    turn: int
    seat: int | None  # whose move it was
    text: str  # what has happened, in words
    points: Sequence[int]  # of every seat
    hands: Sequence[str]  # what every seat holds


@dataclass(frozen=True)
class Replay:
    """A finished game to step through."""

    heading: str
    seats: Sequence[ReplaySeat]
    moments: Sequence[Moment]
    hidden: bool  # whether a player sees no hands but its own
    verdict: str
    film: Callable[[], Any]  # a canvas with all moments in one, as `drawing/animation.py` knows them
    chances: Sequence[Sequence[float]] = ()  # [turn, player] to win, before the first turn and after each, if known

    def chances_at(self, moment: int) -> Sequence[float]:
        """What every player's chance to win is at a moment: that after the last turn which is over by then."""
        turn = self.moments[moment].turn
        return self.chances[turn if moment >= self.end_of_turn(turn) else turn - 1]

    def end_of_turn(self, turn: int) -> int:
        """The position after a turn, before any scores are counted."""
        return max((i for i, one in enumerate(self.moments) if one.seat is not None and one.turn <= turn), default=0)


@dataclass(frozen=True)
class Shown:
    """A city to look at."""

    name: str
    drawing: Callable[[], "RenderableType"]  # for a terminal
    draw: Draw


@dataclass(frozen=True)
class Inspected:
    """What is to be said of a board file; without a verdict it cannot be played on."""

    problems: Sequence[str]
    verdict: str | None


class BoardSets(Protocol):
    """The boards of a game that has several."""

    def listing(self) -> Listing:
        """All that come with mmsim."""

    def show(self, board: str, layout: str | None, seed: int | None) -> Shown:
        """A city of a board set: that of a layout code, a random one, or the pieces in their order."""

    def layouts(self, board: str, count: int, seed: int, unique: bool) -> Iterator[str]:
        """Random layout codes, all equally likely."""

    def describe(self, board: str, layouts: Iterable[str]) -> list[dict[str, Any]]:
        """What a program wants to know of layouts; plain JSON."""

    def copy(self, board: str, name: str) -> str:
        """The text of a file that begins a board set of one's own from a shipped one."""

    def check(self, board: str) -> Inspected:
        """Everything that is wrong with a board set."""


class Shell(Protocol):
    """What a game answers at the shell."""

    name: str
    usual_rules: str  # the ruleset that is played if none is named
    usual_board: str | None  # the board set that is played on if none is named; None: there is one board
    slow: Collection[str]  # bots that a ladder plays only if they are named
    example: str  # a ruleset that shows how one is written
    editions: Collection[str]  # the first words of its rulesets
    knobs: Mapping[str, Knob]
    costly: Collection[str]  # weights that buy strength with time; tuning leaves them as they are
    panels: Mapping[str, Sequence[str]]  # ready panels: kinds of players a question is put to; the first is the usual
    strong: Collection[str]  # bots that play to win, and well: what holds for them counts
    unseen: Mapping[str, Collection[str]]  # knob -> bots that play the same whatever its value

    @property
    def bots(self) -> Mapping[str, Bot]:
        """Its bots, from silly to strong."""

    def cost(self, bot: Bot) -> float:
        """How long a game of a bot takes, in games of the quickest strong one; at least `QUICK`."""

    @property
    def boards(self) -> BoardSets:
        """Its board sets; an error if there is only one board."""

    def rulesets(self) -> Sequence[Listing]:
        """What a ruleset is made of, next to knobs."""

    def explain(self, rules: str, players: int | None) -> Explained:
        """What a ruleset says."""

    def play(self, variant: Variant, game: int, layout: str | None, explain: bool) -> GameStory:
        """Play one game; `layout` is for games whose boards are laid out, `explain` for bots that can."""

    def verify(self, record: Any) -> None:
        """Replay a record with the reference engine; raises an error that says what differs."""


@runtime_checkable
class Draws(Protocol):
    """The shell of a game that can draw how one of its games ended."""

    def picture(self, record: dict[str, Any]) -> bytes:
        """The final position of a record, verified by the reference engine, as SVG."""


@runtime_checkable
class Replays(Protocol):
    """The shell of a game whose records can be stepped through."""

    def replay(self, record: Any) -> Replay:
        """The game of a record, verified by the reference engine."""


class Place(NamedTuple):
    """Where something lies at the end of a game, and whose it is."""

    what: str  # like tunnels
    seat: int
    at: str  # a place on the board, by the name that the game has for it


@dataclass(frozen=True)
class HeatMaps:
    """How often something lies at each place: a map for every kind of thing and every column."""

    title: str
    notes: Sequence[str]
    columns: Sequence[str]  # like seat 1
    shares: Mapping[str, Sequence[Mapping[str, float]]]  # what -> [column]: place -> share of games, or a difference
    signed: bool  # whether they are differences


@runtime_checkable
class Maps(Protocol):
    """The shell of a game that can say and draw where things lie at the end of its games."""

    @property
    def lying(self) -> str:
        """How the boards of several games are laid on each other, in a sentence."""

    def places(self, record: dict[str, Any]) -> Iterable[Place]:
        """Where everything lies at the end of a record, verified by the reference engine."""

    def heat_maps(self, about: Mapping[str, Any], maps: HeatMaps) -> Draw:
        """Maps on the board of a variant, as its manifest describes it."""
