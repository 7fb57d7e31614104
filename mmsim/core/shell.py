"""The shell of a game: what it answers at the command line, before anything is compiled.

Only compiled bots load the fast core, and only pictures import matplotlib.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from mmsim.core.bots import UNIFORM, Bot
from mmsim.core.knobs import Knob, Value
from mmsim.core.layouts import AtlasAllocation, Layouts
from mmsim.core.levels import ALL, DeclaredLevel
from mmsim.core.replay import Replay
from mmsim.core.variant import Variant, VariantDescription
from mmsim.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

Draw = Callable[[str], bytes]  # `.svg` or `.png` -> a picture

UNIFORM_COST = 0.3  # a lower cost would make parts so long that workers wait at the end


@dataclass(frozen=True)
class Listing:
    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Fact:
    """A property of a ruleset that is not a knob."""

    name: str
    value: str
    rules: str


@dataclass(frozen=True)
class ExplainedRuleset:
    """A ruleset for a number of players: every knob, the source of its value, and further facts."""

    variant: str  # name of the ruleset with its number of players
    players: int
    knobs: Mapping[str, Value]
    sources: Mapping[str, str]
    facts: Sequence[Fact] = ()


@dataclass(frozen=True)
class GameStory:
    """A game that was played: how it began, what happened, how it ended."""

    opening: Sequence[str]
    story: Iterable[str]
    sheets: "Sequence[RenderableType]"
    verdict: str
    record: dict[str, Any]
    draw: Draw


@dataclass(frozen=True)
class BoardPicture:
    name: str
    terminal_drawing: Callable[[], "RenderableType"]
    draw: Draw
    board: str = ""  # the name of its set
    layout: str = ""  # the code of the layout, if one is shown


@dataclass(frozen=True)
class BoardCheck:
    """The result of checking a board file; without a verdict it cannot be played on."""

    problems: Sequence[str]
    verdict: str | None


class BoardSets(Protocol):
    """The boards of a game that has several."""

    def listing(self) -> Listing:
        """All board sets that come with mmsim."""

    def show(self, board: str, layout: str | None, seed: int | None) -> BoardPicture:
        """A board of a set: by its layout code, a random one, or with the pieces in their order."""

    def show_pieces(self, board: str) -> BoardPicture:
        """The pieces of a set, side by side."""

    def layouts(self, board: str, count: int, seed: int, unique: bool) -> Iterator[str]:
        """Random layout codes, all equally likely."""

    def describe(self, board: str, layouts: Iterable[str]) -> list[dict[str, Any]]:
        """Layouts as plain JSON."""

    def all_layouts(self, board: str | None) -> Layouts:
        """Every layout of a set, numbered."""

    def copy(self, board: str, name: str) -> str:
        """The text of a new board file that starts from another set."""

    def check(self, board: str) -> BoardCheck:
        """Everything wrong with a board set."""


class Shell(ABC):
    """What a game answers at the command line.

    A game must define `default_rules`, `knobs`, `bots`, `explain`, `play` and `verify`; the rest has defaults.
    """

    needs_game: ClassVar[bool] = False  # the class is called with the game; only for shells without slow imports
    name: str = ""  # `mmsim.games` sets it to the name the game is registered by
    default_rules: str  # played if no ruleset is named
    default_board: str | None = None  # the board set played on if none is named; None: there is only one board
    slow_bots: Collection[str] = ()  # ladders and benchmarks play them only if they are named
    bots_ignoring: ClassVar[Mapping[str, Collection[str]]] = {}  # knob -> bots that never look at it
    titles: ClassVar[Mapping[str, str]] = {}  # edition, modifier, `knob=value` or `knob=` (with {}) -> in a few words
    atlas: AtlasAllocation | None = None  # of its default ruleset and board, if it has layouts
    default_levels: str = ALL  # the levels that play an experiment if it names none
    games_per_s: float = 1000.0  # of one core, for bots of cost 1; budgets are shared out by it, not by the clock

    @property
    @abstractmethod
    def bots(self) -> Mapping[str, Bot]:
        """Its bots by name, from weak to strong; one is called `uniform` and takes any legal move."""

    @property
    @abstractmethod
    def knobs(self) -> Mapping[str, Knob]:
        """The knobs of its rulesets."""

    @abstractmethod
    def explain(self, rules: str, players: int | None) -> ExplainedRuleset:
        """Every knob of a ruleset and where its value comes from; `players=None` is the default number."""

    @abstractmethod
    def play(self, variant: Variant, game: int, explain: bool) -> GameStory:
        """Play one game; `explain` is for bots that give reasons."""

    @abstractmethod
    def verify(self, record: Any) -> None:
        """Replay a record with the reference engine; raises an error that says what differs."""

    @property
    def editions(self) -> Collection[str]:
        """The words a ruleset may begin with."""
        return (self.default_rules,)

    @property
    def modifiers(self) -> Collection[str]:
        """The words that may be added to an edition with a `+`."""
        return ()

    @property
    def example_rules(self) -> str:
        """A ruleset that shows how one is written."""
        return self.default_rules

    @property
    def levels(self) -> Sequence[DeclaredLevel]:
        """Its ladder of levels of play, from weak to strong: by default one for every bot that plays to win."""
        quick = [name for name in self.bots if name not in (UNIFORM, *self.slow_bots)] or [UNIFORM]
        return [DeclaredLevel(name, name, name) for name in quick]

    @property
    def default_bot(self) -> str:
        """The bot that plays if none is named: the strongest quick one."""
        return [level.bots for level in self.levels if level.bots not in self.slow_bots][-1]

    @property
    def default_players(self) -> int:
        """The number of players of the default ruleset; of another ruleset: `explain(rules, None).players`."""
        return self.explain(self.default_rules, None).players

    def cost(self, bot: Bot) -> float:
        """The time of a game of this bot, relative to the quickest strong bot; at least `UNIFORM_COST`."""
        return UNIFORM_COST if bot.name == UNIFORM else 1.0

    @property
    def boards(self) -> BoardSets:
        raise UsageError(f"{self.name} has one board; there are no board sets to list, show or check")

    def lay_out(self, board: str | None, layout: str) -> str:
        """A board that is always laid out in the same way, as `Variant.board` names it."""
        raise UsageError(f"{self.name} has one board and no layouts; drop --layout")

    def check_board(self, board: str | None) -> None:
        """Refuse a board set where the game has none."""
        if board is not None and self.default_board is None:
            raise UsageError(f"{self.name} has no board sets, so there is no board '{board}'; drop --board")

    def rulesets(self) -> Sequence[Listing]:
        """What a ruleset is written with, besides knobs: editions, modifiers."""
        return [Listing("Editions", ("edition",), [(name,) for name in self.editions])]


@runtime_checkable
class DrawsPictures(Protocol):
    """A shell that can draw how a game ended."""

    def picture(self, record: dict[str, Any]) -> bytes:
        """The last position of a record, verified by the reference engine, as SVG."""


@runtime_checkable
class ReplaysRecords(Protocol):
    """A shell whose records can be stepped through."""

    def replay(self, record: Any) -> Replay:
        """The game of a record, verified by the reference engine."""


class EndPosition(NamedTuple):
    """Something on the board at the end of a game, and whose it is."""

    what: str  # like "tunnels"
    seat: int
    at: str  # where on the board, as the game names it


@dataclass(frozen=True)
class HeatMaps:
    """How often something is at each place: one map per kind of thing and column."""

    title: str
    notes: Sequence[str]
    columns: Sequence[str]  # like "seat 1"
    shares: Mapping[str, Sequence[Mapping[str, float]]]  # what -> [column]: place -> share of games, or a difference
    signed: bool  # whether they are differences


@runtime_checkable
class SupportsHeatMaps(Protocol):
    """A shell that can list and draw where things are at the end of games."""

    @property
    def heat_map_note(self) -> str:
        """How the boards of several games are aligned, in a sentence."""

    def end_positions(self, record: dict[str, Any]) -> Iterable[EndPosition]:
        """Where everything is at the end of a record, verified by the reference engine."""

    def heat_maps(self, description: VariantDescription, maps: HeatMaps) -> Draw:
        """Heat maps on the board of a variant."""
