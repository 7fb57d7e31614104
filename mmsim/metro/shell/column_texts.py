"""Text columns: numbers written by compiled code, as people write them."""

from functools import lru_cache

from mmsim.metro.engine.result_tables import TILE_DIGITS
from mmsim.metro.engine.state import GRID, cell_of
from mmsim.metro.rules.board import CENTRE
from mmsim.metro.rules.deal import central_tiles
from mmsim.metro.rules.tiles import CODES, turned
from mmsim.tables.frames import MAX_CACHED_TEXTS, codes_to_text


@lru_cache(MAX_CACHED_TEXTS)
def layout(code: int) -> str | None:
    """X17: the tiles in the centre as they lie, from five bits each: 4 * tile + turns."""
    if code < 0:
        return None
    parts = [divmod(code >> 5 * i & 31, 4) for i in range(len(CENTRE))]
    return "-".join(turned(central_tiles()[tile], turns) for tile, turns in parts)


@lru_cache(MAX_CACHED_TEXTS)
def hand(code: int) -> str:
    tiles = []
    while code:
        code, digit = divmod(code, TILE_DIGITS)
        tiles.append(CODES[digit - 1])
    return " ".join(tiles)


@lru_cache(MAX_CACHED_TEXTS)
def opening(code: int) -> str | None:
    if code < 0:
        return None
    tile, cell = divmod(code, GRID)
    row, column = cell_of(cell)
    return f"{CODES[tile]} {row}.{column}"


TEXTS = {
    "layout": lambda codes: codes_to_text(codes, layout),
    "hand": lambda codes: codes_to_text(codes, hand),
    "opening": lambda codes: codes_to_text(codes, opening),
}
