"""Games with a supply, piles and numbers of one's own, in either engine."""

from collections import Counter
from collections.abc import Iterable, Sequence

from mmsim.core.variant import Variant
from mmsim.metro.bots.playable_variant import prepare
from mmsim.metro.bots.position import Position
from mmsim.metro.rules.board import Cell
from mmsim.metro.rules.deal import Deal
from mmsim.metro.rules.position import Game, Move
from mmsim.metro.rules.reference import apply, legal_moves
from mmsim.metro.rules.rulesets import ruleset
from mmsim.metro.rules.tiles import TILES


def supply(first: str | Sequence[str] = ()) -> tuple[str, ...]:
    """All 60 tiles, some of them first: with hands of one, the tile of turn 1, of turn 2, and so on."""
    wanted = first.split() if isinstance(first, str) else list(first)
    rest = Counter(TILES) - Counter(wanted)
    assert not Counter(wanted) - Counter(TILES), "there are not so many tiles of a code"
    return (*wanted, *rest.elements())


IN_ORDER = tuple(range(8))


def table(
    spec: str = "metro",
    players: int = 2,
    first: str | Sequence[str] = (),
    central: tuple[str, ...] = (),
    piles: tuple[tuple[int, ...], ...] = (),
    numbers: tuple[tuple[int, ...], ...] = (),
) -> Game:
    """A game of the reference engine; piles lie in the order of the colours if none are given."""
    rules = ruleset(spec, players)
    return Game(rules, Deal(supply(first), central, piles or ((IN_ORDER,) * 4 if rules.companies else ()), numbers))


def core_of(game: Game) -> Position:
    """The same game in the fast core, at its beginning."""
    variant = Variant(game.rules.name, game.rules.players)
    return Position(prepare(game.rules, variant), deal=game.deal)


def place(tile: str, row: int, column: int, turns: int = 0) -> Move:
    return Move("place", tile, turns, (row, column))


def placements(text: str) -> list[Move]:
    """Read a run of 6-character items: code, row, column."""
    return [place(text[i : i + 4], int(text[i + 4]), int(text[i + 5])) for i in range(0, len(text), 6)]


def play(game: Game, text: str) -> Game:
    """Place tiles one after another."""
    for move in placements(text):
        apply(game, move)
    return game


def tiles_of(text: str) -> list[str]:
    return [str(move.tile) for move in placements(text)]


def cells(moves: Iterable[Move], tile: str | None = None) -> set[Cell]:
    """Where tiles may go."""
    return {move.cell for move in moves if move.cell is not None and tile in (None, move.tile)}


def kinds(game: Game) -> Counter[str]:
    return Counter(move.kind for move in legal_moves(game))
