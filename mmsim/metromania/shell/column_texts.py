"""Text columns: numbers written by compiled code, as people write them."""

from functools import cache, lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.metromania.engine.result_tables import NO_TUNNEL, OPENING, opening_parts
from mmsim.metromania.engine.state import ORDERS
from mmsim.metromania.rules.board import PIECES, TURN_COMBINATIONS, Layout
from mmsim.metromania.rules.deal import KINDS, LETTERS, Marker
from mmsim.tables.frames import MAX_CACHED_TEXTS, codes_to_text

_CORNERS = "LR"  # of a frame cell, seen from outside
_WAYS = "SLXUYR"  # [sixths of a circle to the left]
_PIECE = 3  # characters of a piece in a layout code: `1a-`, the last without the dash
_CODE = PIECES * _PIECE - 1
_WIDTH = -(-_CODE // 8) * 8


@cache
def _spellings() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """[order] and [turning]: layout codes as 64-bit words to be added, one with the pieces and one with their turns."""
    orders, turnings = np.zeros((ORDERS, _WIDTH), np.uint8), np.zeros((TURN_COMBINATIONS, _WIDTH), np.uint8)
    orders[:, :_CODE] = [[*Layout.from_index(order * TURN_COMBINATIONS).code.encode()] for order in range(ORDERS)]
    turnings[:, :_CODE] = [[*Layout.from_index(turning).code.encode()] for turning in range(TURN_COMBINATIONS)]
    is_turn = np.arange(_WIDTH) % _PIECE == 1
    orders[:, is_turn], turnings[:, ~is_turn] = 0, 0
    return orders.view(np.uint64), turnings.view(np.uint64)


def layouts(numbers: NDArray[np.uint32]) -> pl.Series:
    """The codes of layouts given by their numbers, as `Layout.code`."""
    orders, turnings = _spellings()
    order, turning = np.divmod(numbers, np.uint32(TURN_COMBINATIONS))
    codes = orders.take(order, axis=0) + turnings.take(turning, axis=0)
    texts = np.ascontiguousarray(codes.view(np.uint8)[:, :_CODE]).view(f"S{_CODE}").ravel()
    return pl.Series(texts).cast(pl.String)


@lru_cache(MAX_CACHED_TEXTS)
def hand(bits: int) -> str:
    """A hand sorted by letter, as `deal.markers` reads it."""
    held = [place for place in range(len(LETTERS) * len(KINDS)) if bits >> place & 1]
    return ", ".join(str(Marker(LETTERS[place // len(KINDS)], KINDS[place % len(KINDS)])) for place in held)


@lru_cache(MAX_CACHED_TEXTS)
def opening(code: int) -> str | None:
    """An opening: where a line starts, to which corner, and which way each further tunnel goes."""
    if code < 0:
        return None
    side, place, corner, ways = opening_parts(code)
    turns = "".join(_WAYS[way] for way in ways[: OPENING - 1] if way != NO_TUNNEL)
    return f"{side}.{place}{_CORNERS[corner]}{turns}"


TEXTS = {
    "layout": layouts,
    "hand": lambda codes: codes_to_text(codes, hand),
    "opening": lambda codes: codes_to_text(codes, opening),
}
