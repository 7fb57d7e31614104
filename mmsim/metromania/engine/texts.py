"""Columns of texts: what compiled code writes as numbers, spelled as people do."""

from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mmsim.core.frames import spelled
from mmsim.metromania.engine.state import ORDERS
from mmsim.metromania.engine.tables import NO_TUNNEL, OPENING, opening_parts
from mmsim.metromania.rules.board import PIECES, TURNINGS, TURNS, Layout
from mmsim.metromania.rules.deal import KINDS, LETTERS, Marker

_CORNERS = "LR"  # of a frame cell, seen from outside
_WAYS = "SLXUYR"  # [sixths of a circle to the left]


@cache
def _pieces() -> tuple[NDArray[np.int64], NDArray[np.int64], pl.Series]:
    """[order, sector] and [turning, sector]: where the spelling of the piece there is found, as a sum; and all."""
    orders = [Layout.from_index(order * TURNINGS).pieces for order in range(ORDERS)]
    turnings = [Layout.from_index(turning).turns for turning in range(TURNINGS)]
    names = pl.Series([f"{piece}{turn}" for piece in range(1, PIECES + 1) for turn in "abc"])
    return TURNS * (np.array(orders) - 1), np.array(turnings), names


def layouts(numbers: NDArray[np.uint32]) -> pl.Series:
    """Layouts by their numbers as their codes, `Layout.code`."""
    orders, turnings, names = _pieces()
    order, turning = np.divmod(numbers.astype(np.int64), TURNINGS)
    found = (orders[order] + turnings[turning]).T
    parts = [names.gather(found[k]).alias(f"{k}") for k in range(PIECES)]
    return pl.select(pl.concat_str(parts, separator="-")).to_series()


def hand(bits: int) -> str:
    """A hand in the order of its letters, as `deal.markers` reads it."""
    held = [place for place in range(len(LETTERS) * len(KINDS)) if bits >> place & 1]
    return ", ".join(str(Marker(LETTERS[place // len(KINDS)], KINDS[place % len(KINDS)])) for place in held)


def opening(code: int) -> str | None:
    """An opening: where a line starts, to which corner, and which way each further tunnel goes."""
    if code < 0:
        return None
    side, place, corner, ways = opening_parts(code)
    turns = "".join(_WAYS[way] for way in ways[: OPENING - 1] if way != NO_TUNNEL)
    return f"{side}.{place}{_CORNERS[corner]}{turns}"


TEXTS = {
    "layout": layouts,
    "hand": lambda codes: spelled(codes, hand),
    "opening": lambda codes: spelled(codes, opening),
}
