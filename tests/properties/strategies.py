"""Hypothesis strategies: random boards, rulesets, layouts, deals and seeds, and three ways to choose moves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from mmsim.core.rng import Seed, Stream
from mmsim.metromania.rules import board_file
from mmsim.metromania.rules.board import LAYOUTS, BoardSet, Layout
from mmsim.metromania.rules.deal import Hands, valid_deals
from mmsim.metromania.rules.position import Game, Move
from mmsim.metromania.rules.reference import any_move, stations_made
from mmsim.metromania.rules.rulesets import KNOBS, Ruleset, Value, parse

# Section 11 of the rules page: how two may play each edition, and for how many its variants are.
TWO_PLAYER_MODES = {
    "en1": ("regular", "advanced"),
    "print": ("advanced",),
    "nl": ("regular", "advanced"),
    "v2": ("regular",),
}
NO_CORRUPTION = {"en1": (4,), "print": (4,), "nl": (4,), "v2": (3, 4)}
NOT_HIDDEN = ("v2", 2)  # v2 offers hidden hands for three and four

_SIDES = (3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8)  # small cities crowd sooner and play faster
_CELLS = "........RRCCEELP"


def offered() -> Iterator[tuple[str, int]]:
    """Every ruleset the editions offer, with its number of players."""
    for edition, modes in TWO_PLAYER_MODES.items():
        for players in (2, 3, 4):
            ways = ("", *(f"+{mode}" for mode in modes)) if players == 2 else ("",)
            for way in ways:
                seen = ("", "+loyal") if (edition, players) == NOT_HIDDEN else ("", "+loyal", "+hidden")
                yield from ((f"{edition}{hands}{way}", players) for hands in seen)
            if players in NO_CORRUPTION[edition]:
                yield from ((f"{edition}{hands}+no-corruption", players) for hands in ("", "+loyal"))


# --- boards ------------------------------------------------------------------------------------------------


def pieces(side: int) -> st.SearchStrategy[tuple[str, ...]]:
    """A district piece of any cells at all."""
    cells = st.lists(st.sampled_from(_CELLS), min_size=side**2, max_size=side**2)
    return cells.map(lambda drawn: tuple("".join(drawn[row**2 : (row + 1) ** 2]) for row in range(side)))


@st.composite
def frames(draw: st.DrawFn, side: int) -> tuple[str, ...]:
    """A frame with at least one start and one end; on some all six sides are alike."""
    alike = draw(st.booleans())
    cells = side if alike else 6 * side
    arrows = draw(st.lists(st.sampled_from("S.E"), min_size=cells, max_size=cells))
    start, end = draw(st.permutations(range(cells)))[:2]
    arrows[start], arrows[end] = "S", "E"
    drawn = "".join(arrows)
    return (drawn,) * 6 if alike else tuple(drawn[k * side : (k + 1) * side] for k in range(6))


@st.composite
def random_board_sets(draw: st.DrawFn) -> BoardSet:
    side = draw(st.sampled_from(_SIDES))
    return BoardSet("random", side, tuple(draw(pieces(side)) for _ in range(6)), draw(frames(side)))


def board_sets() -> st.SearchStrategy[BoardSet]:
    """The shipped sets now and then, else random ones."""
    shipped = st.sampled_from(board_file.shipped_names()).map(board_file.load)
    return st.one_of(random_board_sets(), random_board_sets(), shipped)


def layouts() -> st.SearchStrategy[Layout]:
    return st.integers(0, LAYOUTS - 1).map(Layout.from_index)


# --- rules, deals, games -----------------------------------------------------------------------------------


def knob_values(name: str) -> st.SearchStrategy[Value]:
    """Any value a knob takes; of numbers the smallest, the largest and those around the default more often."""
    knob = KNOBS[name]
    if knob.choices:
        return st.sampled_from(knob.choices)
    if knob.is_switch:
        return st.booleans()
    return st.one_of(st.sampled_from((knob.low, knob.high)), st.integers(knob.low, knob.high))


@st.composite
def rulesets(draw: st.DrawFn) -> Ruleset:
    spec, players = draw(st.sampled_from(list(offered())))
    names = draw(st.lists(st.sampled_from(list(KNOBS)), unique=True, max_size=6))
    return parse(spec).with_overrides({name: draw(knob_values(name)) for name in names}).resolve(players)


def deals(rules: Ruleset) -> st.SearchStrategy[Hands]:
    all_of_them = valid_deals(rules)
    return st.integers(0, len(all_of_them) - 1).map(lambda number: all_of_them[number])


def seeds() -> st.SearchStrategy[Seed]:
    return st.builds(Seed, st.integers(0, 2**64 - 1), st.integers(0, 2**32))


@st.composite
def new_games(draw: st.DrawFn) -> Game:
    """A game about to begin."""
    rules = draw(rulesets())
    return Game(draw(board_sets()).city(draw(layouts())), rules, draw(deals(rules)))


# --- choosing ----------------------------------------------------------------------------------------------


@dataclass
class AnyMove:
    """The `uniform` bot."""

    def choose(self, game: Game, moves: Sequence[Move], draws: Stream) -> Move:
        return any_move(moves, draws)


@dataclass
class StationsFirst:
    """Makes stations where it can and starts its second line only when nothing else is left.

    So the supply runs out while starts are still to come, which D5 then has to refuse.
    """

    def choose(self, game: Game, moves: Sequence[Move], draws: Stream) -> Move:
        best = min(self._rank(game, move) for move in moves)
        return any_move([move for move in moves if self._rank(game, move) == best], draws)

    def _rank(self, game: Game, move: Move) -> int:
        if move.at is not None:
            return 0
        if move.kind == "start":
            return 3 if move.line == 1 else 0
        if move.kind not in ("dig", "end"):
            return 4
        assert move.line is not None
        assert move.to is not None
        line = game.lines[game.seat][move.line]
        made = stations_made(game, game.seat, move.line, line.terminus, move.to)
        return 1 if made else 2


@dataclass
class EndsFirst:
    """Ends a line whenever it can, so that companies come to end both."""

    def choose(self, game: Game, moves: Sequence[Move], draws: Stream) -> Move:
        return any_move([move for move in moves if move.kind == "end"] or moves, draws)


Chooser = AnyMove | StationsFirst | EndsFirst


def choosers() -> st.SearchStrategy[Chooser]:
    return st.sampled_from((AnyMove(), StationsFirst(), EndsFirst()))
