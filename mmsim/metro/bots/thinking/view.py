"""What a player may know: hide the rest of a position, or guess it at random (determinization)."""

from typing import Any

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.rng import Streams, draw_below
from mmsim.metro.bots.thinking.memory import Thoughts
from mmsim.metro.engine.state import COLOURS, GRID, HAND, KINDS, SHARES, SUPPLY, UNKNOWN, Board, Rules, State
from mmsim.metro.rules.rulesets import COMPANIES, PER_COLOUR

ONLOOKER = -1  # instead of a seat number: sees only what everybody sees
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_ALL = 255  # bits of seats: known to everybody


@jit
def hide(v: State, r: Rules, seat: Any) -> None:
    """Turn a copy of a position into the view of a seat or an onlooker: blank the supply and what others hold."""
    for i in range(SUPPLY):
        v.supply[ix(i)] = UNKNOWN
    for player in range(r.players):
        if player != seat:
            for i in range(HAND):
                v.hand[ix(HAND * player + i)] = UNKNOWN
            v.numbers[ix(player)] = _ZERO
    if v.seat != seat:  # the choices of the seat in turn would reveal what it holds
        v.drawn = -1
        v.choices = v.place_choices = 0
        v.edges = v.wagon_shares = v.exchange_shares = _ZERO
        for at in range(4 * HAND):
            v.where[ix(at)] = _ZERO
    if r.companies:
        for i in range(SHARES):
            _hide_shares(v, r, seat, i)


@jit
def _hide_shares(v: State, r: Rules, seat: Any, i: Any) -> None:
    """X15: blank the shares of a percentage whose whereabouts a seat does not know."""
    pile = COMPANIES * i
    for j in range(COMPANIES):
        if j >= v.pile_size[ix(i)] or not _knows(v, i, v.pile[ix(pile + j)], seat):
            v.pile[ix(pile + j)] = UNKNOWN
    for player in range(r.players):
        if not _knows(v, i, v.share[ix(SHARES * player + i)], seat):
            v.share[ix(SHARES * player + i)] = UNKNOWN
    for company in range(COMPANIES):
        if not _knows(v, i, company, seat):
            v.knows[ix(pile + company)] = 0


@inlined
def _knows(v: State, i: Any, company: Any, seat: Any) -> bool:
    knowers = _ALL if seat == ONLOOKER else 1 << seat
    return np.int64(v.knows[ix(COMPANIES * i + np.int64(company))]) & knowers == knowers


@jit
def count_unseen(v: State, b: Board, t: Thoughts, viewer: Any) -> None:
    """How many tiles of every kind the player in turn, or an onlooker, has not seen yet."""
    for kind in range(KINDS):
        t.unseen[ix(kind)] = 0
    for i in range(SUPPLY):
        t.unseen[ix(b.tiles[ix(i)])] += 1
    for cell in range(GRID):
        if v.placed >> np.uint64(cell) & _ONE != _ZERO:
            t.unseen[ix(v.printed[ix(cell)])] -= 1
    if viewer != ONLOOKER:
        for i in range(v.held[ix(viewer)]):
            t.unseen[ix(v.hand[ix(HAND * viewer + i)])] -= 1
    if v.drawn >= 0:
        t.unseen[ix(v.drawn)] -= 1


@jit
def determinize(v: State, b: Board, r: Rules, t: Thoughts, streams: Streams, stream: Any, viewer: Any) -> None:
    """Fill in what the view of a seat or onlooker hides: all that fits what is known is equally likely."""
    size = np.int64(0)
    for kind in range(KINDS):
        for _ in range(t.unseen[ix(kind)]):
            t.shuffled[ix(size)] = kind
            size += 1
    for i in range(v.next, SUPPLY):
        size -= 1
        v.supply[ix(i)] = _draw(t, size, streams, stream)
    for offset in range(r.players):  # in playing order, so that seat numbers make no difference
        seat = (v.seat + offset) % r.players
        if seat != viewer:
            for i in range(v.held[ix(seat)]):
                size -= 1
                v.hand[ix(HAND * seat + i)] = _draw(t, size, streams, stream)
    if r.companies:
        for i in range(SHARES):
            _guess_shares(v, r, t, streams, stream, i)
    if r.numbers:
        for colour in range(COLOURS):
            _guess_numbers(v, b, r, t, streams, stream, viewer, colour)


@inlined
def _draw(t: Thoughts, last: Any, streams: Streams, stream: Any) -> np.int64:
    """Draw one of the things in `shuffled` up to the last, which takes its place."""
    at = draw_below(streams, stream, last + 1)
    drawn = np.int64(t.shuffled[ix(at)])
    t.shuffled[ix(at)] = t.shuffled[ix(last)]
    return drawn


@jit
def _guess_shares(v: State, r: Rules, t: Thoughts, streams: Streams, stream: Any, i: Any) -> None:
    size = np.int64(0)
    for company in range(COMPANIES):
        if v.knows[ix(COMPANIES * i + company)] == 0:
            t.shuffled[ix(size)] = company
            size += 1
    for j in range(v.pile_size[ix(i)]):
        if v.pile[ix(COMPANIES * i + j)] == UNKNOWN:
            size -= 1
            v.pile[ix(COMPANIES * i + j)] = _draw(t, size, streams, stream)
    for offset in range(r.players):
        seat = (v.seat + offset) % r.players
        if v.share[ix(SHARES * seat + i)] == UNKNOWN:
            size -= 1
            v.share[ix(SHARES * seat + i)] = _draw(t, size, streams, stream)


@jit
def _guess_numbers(
    v: State, b: Board, r: Rules, t: Thoughts, streams: Streams, stream: Any, viewer: Any, colour: Any
) -> None:
    size = np.int64(0)
    own_numbers = _ZERO if viewer == ONLOOKER else v.numbers[ix(viewer)]
    for i in range(PER_COLOUR):
        station = np.int64(b.numbers[ix(PER_COLOUR * colour + i)])
        if own_numbers >> np.uint64(station - 1) & _ONE == _ZERO:
            t.shuffled[ix(size)] = station
            size += 1
    for offset in range(r.players):
        seat = (v.seat + offset) % r.players
        if seat != viewer:
            for _ in range(r.numbers_per_colour):
                size -= 1
                v.numbers[ix(seat)] |= _ONE << np.uint64(_draw(t, size, streams, stream) - 1)
