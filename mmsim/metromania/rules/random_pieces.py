"""Random pieces and frames (G10): board sets that agree with what is known of the real box, and are otherwise drawn.

What holds on many of them is a property of the rules, whatever the real pieces look like. A set drawn like another has
its side, its number of spots of each kind and, if it has them, one lake and one park; and

- 2 to 4 spots per piece where it has 3 on average: the mean rounded, and up to one more or less;
- on a piece no two spots share a side, and two of the same kind not even a corner;
- lake and park of 3 to 8 connected cells on two different pieces, not at a corner of the piece, shutting nothing in;
- as many starts and ends on a side as the other set, or one more of either; every such pattern is equally likely, and
  all six sides are alike.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product

from mmsim.core.rng import Purpose, Stream, shuffled
from mmsim.errors import UsageError
from mmsim.metromania.rules.board import PIECES, SPOTS, BoardSet, Rows, unreachable_cells
from mmsim.metromania.rules.lattice import Cell, lattice

LAKE_PIECE, PARK_PIECE = 1, 2  # places of the pieces with the lake and with the park
_NAMES = ("Piece 1", "Lakeside", "Parkside", "Piece 4", "Piece 5", "Piece 6")
_LANDSCAPE_CELLS = (3, 8)
_ATTEMPTS = 200  # for one piece; a set that needs more is too crowded

Cells = dict[Cell, str]  # the cells of a piece that lies unturned in sector 0, and their kinds


def draw_pieces(like: BoardSet, seed: int, name: str) -> BoardSet:
    """A random board set with the numbers of another one; the same seed draws the same set everywhere."""
    draws = Stream(seed, Purpose.PIECES)
    frame = _draw_frame(like, draws)
    kinds = shuffled([kind for kind in SPOTS for _ in range(like.count(kind))], draws)
    pieces = []
    for place, count in enumerate(_draw_counts(len(kinds), draws)):
        kind = {LAKE_PIECE: "L", PARK_PIECE: "P"}.get(place, "")
        spots, kinds = kinds[:count], kinds[count:]
        pieces.append(_draw_piece(like, kind if like.count(kind) else "", spots, draws))
    title = f"random pieces with the numbers of {like.name}, seed {seed}"
    return BoardSet(name, like.side, tuple(pieces), (frame,) * 6, title, _NAMES)


def _draw_frame(like: BoardSet, draws: Stream) -> str:
    starts, ends = (like.frame_count(arrow) // PIECES for arrow in "SE")
    patterns = [
        "".join(pattern)
        for pattern in product("SE.", repeat=like.side)
        if starts <= pattern.count("S") <= starts + 1 and ends <= pattern.count("E") <= ends + 1
    ]
    return patterns[draws.below(len(patterns))]


def _draw_counts(spots: int, draws: Stream) -> list[int]:
    """How many spots each piece has, all ways equally likely."""
    mean = round(spots / PIECES)
    least = max(mean - 1, 0)
    while True:
        counts = [least + draws.below(mean + 2 - least) for _ in range(PIECES)]
        if sum(counts) == spots:
            return counts


def _draw_piece(like: BoardSet, landscape: str, spots: Sequence[str], draws: Stream) -> Rows:
    for _ in range(_ATTEMPTS):
        cells: Cells = dict.fromkeys(lattice(like.side).districts[0], ".")
        if landscape:
            _lay_landscape(cells, like.side, landscape, draws)
        rows = as_rows(cells)
        if not any(unreachable_cells(rows)) and _lay_spots(cells, like.side, spots, draws):
            return as_rows(cells)
    raise UsageError(
        f"no random pieces with the numbers of '{like.name}' were found: it has too many spots for its size"
    )


def _lay_landscape(cells: Cells, side: int, kind: str, draws: Stream) -> None:
    """Grow a lake or park cell by cell, each next cell equally likely."""
    allowed = [cell for cell in cells if len(_beside(side)[cell]) > 1]  # a cell at a corner has one neighbour
    least, most = _LANDSCAPE_CELLS
    size = min(least + draws.below(most - least + 1), len(allowed))
    grown = [allowed[draws.below(len(allowed))]]
    while len(grown) < size:
        frontier = [cell for cell in allowed if cell not in grown and any(cell in _beside(side)[own] for own in grown)]
        grown.append(frontier[draws.below(len(frontier))])
    cells.update(dict.fromkeys(grown, kind))


def _lay_spots(cells: Cells, side: int, spots: Sequence[str], draws: Stream) -> bool:
    """Lay spots one by one on cells that are far enough from the others; returns False where there is no room."""
    corners = lattice(side).corners
    for kind in spots:
        same = {corner for cell, other in cells.items() if other == kind for corner in corners[cell]}
        room = [
            cell
            for cell, now in cells.items()
            if now == "."
            and same.isdisjoint(corners[cell])
            and not any(cells[other] in SPOTS for other in _beside(side)[cell])
        ]
        if not room:
            return False
        cells[room[draws.below(len(room))]] = kind
    return True


@cache
def _beside(side: int) -> dict[Cell, tuple[Cell, ...]]:
    """The cells of a piece that share a side with each."""
    grid = lattice(side)
    corners = {cell: {*grid.corners[cell]} for cell in grid.districts[0]}
    return {cell: tuple(other for other in corners if len(corners[cell] & corners[other]) == 2) for cell in corners}


def as_rows(cells: Cells) -> Rows:
    """The drawing of a piece (G5)."""
    drawn = "".join(cells.values())
    return tuple(drawn[row**2 : (row + 1) ** 2] for row in range(round(len(drawn) ** 0.5)))
