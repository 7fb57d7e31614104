"""Columns of texts: what compiled code writes as numbers, spelled as people do."""

from functools import lru_cache

from mmsim.metro.engine.state import GRID, cell_of
from mmsim.metro.engine.tables import TILE_DIGITS
from mmsim.metro.rules.board import CENTRE
from mmsim.metro.rules.deal import central_tiles
from mmsim.metro.rules.tiles import CODES, turned
from mmsim.tables.column_values import KNOWN, spelled


@lru_cache(KNOWN)
def layout(code: int) -> str | None:
    """The tiles in the centre as they lie (X17): five bits each, 4 * which + turns."""
    if code < 0:
        return None
    parts = [divmod(code >> 5 * i & 31, 4) for i in range(len(CENTRE))]
    return "-".join(turned(central_tiles()[which], turns) for which, turns in parts)


@lru_cache(KNOWN)
def hand(code: int) -> str:
    """The tiles of a hand."""
    tiles = []
    while code:
        code, digit = divmod(code, TILE_DIGITS)
        tiles.append(CODES[digit - 1])
    return " ".join(tiles)


@lru_cache(KNOWN)
def opening(code: int) -> str | None:
    """A tile as it lies and its cell."""
    if code < 0:
        return None
    tile, cell = divmod(code, GRID)
    row, column = cell_of(cell)
    return f"{CODES[tile]} {row}.{column}"


TEXTS = {
    "layout": lambda codes: spelled(codes, layout),
    "hand": lambda codes: spelled(codes, hand),
    "opening": lambda codes: spelled(codes, opening),
}
