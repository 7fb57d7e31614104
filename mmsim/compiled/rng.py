"""The random streams of `core/rng.py` for compiled code: the same draws, with the state of all streams in one record.

The first four 32-bit words are the key and the game; then 36 words per stream: purpose, next block, words used, one
unused, and a buffer of 32. Functions take the record, not its field: passing an array would cost reference counting.
"""

from typing import Any, TypeAlias

import numpy as np

from mmsim.compiled.decorators import inlined, ix, jit
from mmsim.compiled.intrinsics import unlikely

Streams: TypeAlias = Any  # of a dtype made by `streams_dtype`: all random streams of a game

_BLOCKS = 8  # drawn at once: eight take hardly longer than one
_BUFFER_WORDS = 4 * _BLOCKS
_HEAD_WORDS, _STREAM_WORDS = 4, 4 + _BUFFER_WORDS
_PURPOSE, _BLOCK, _USED, _BUFFER = 0, 1, 2, 4  # offsets in a stream
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_FRACTION = 1.0 / (1 << 32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)


def streams_dtype(seats: int) -> np.dtype[Any]:
    """The record STREAMS of a game: stream 0 is for the set-up, 1 + seat for the bot in a seat.

    It is not part of the position: bots make many copies of that, which must not reveal the draws to come.
    """
    return np.dtype([("words", np.uint32, _HEAD_WORDS + _STREAM_WORDS * (1 + seats))])


@jit
def set_seed(streams: Streams, master: Any, game: Any) -> None:
    streams.words[0] = np.uint64(master) & _LOW
    streams.words[1] = np.uint64(master) >> _HALF
    streams.words[2] = np.uint64(game) & _LOW
    streams.words[3] = np.uint64(game) >> _HALF


@jit
def _fill_buffer(streams: Streams, at: Any) -> None:
    """Philox4x32-10, as `rng.philox`: the next blocks in one loop, which compiles to vector instructions."""
    first, purpose = np.uint64(streams.words[ix(at + _BLOCK)]), np.uint64(streams.words[ix(at + _PURPOSE)])
    key0, key1 = np.uint64(streams.words[0]), np.uint64(streams.words[1])
    game0, game1 = np.uint64(streams.words[2]), np.uint64(streams.words[3])
    for i in range(_BLOCKS):
        c0, c1, c2, c3 = (first + np.uint64(i)) & _LOW, purpose, game0, game1
        k0, k1 = key0, key1
        for _ in range(10):
            p0 = _M0 * c0
            p1 = _M1 * c2
            c0 = (p1 >> _HALF) ^ c1 ^ k0
            c1 = p1 & _LOW
            c2 = (p0 >> _HALF) ^ c3 ^ k1
            c3 = p0 & _LOW
            k0 = (k0 + _W0) & _LOW
            k1 = (k1 + _W1) & _LOW
        block = at + _BUFFER + 4 * i
        streams.words[ix(block)] = c0
        streams.words[ix(block + 1)] = c1
        streams.words[ix(block + 2)] = c2
        streams.words[ix(block + 3)] = c3
    streams.words[ix(at + _BLOCK)] = first + np.uint64(_BLOCKS)
    streams.words[ix(at + _USED)] = 0


@jit
def open_stream(streams: Streams, stream: Any, purpose: Any) -> None:
    at = _HEAD_WORDS + _STREAM_WORDS * stream
    streams.words[ix(at + _PURPOSE)] = purpose
    streams.words[ix(at + _BLOCK)] = 0
    streams.words[ix(at + _USED)] = _BUFFER_WORDS


@inlined
def next_word(streams: Streams, stream: Any) -> np.uint64:
    """The next 32 random bits of a stream."""
    at = _HEAD_WORDS + _STREAM_WORDS * stream
    if unlikely(streams.words[ix(at + _USED)] == _BUFFER_WORDS):
        _fill_buffer(streams, at)
    used = np.int64(streams.words[ix(at + _USED)])
    streams.words[ix(at + _USED)] = used + 1
    return np.uint64(streams.words[ix(at + _BUFFER + used)])


@inlined
def next_seed(streams: Streams, stream: Any) -> np.uint64:
    """The next 64 random bits of a stream: enough for a master seed."""
    return next_word(streams, stream) << _HALF | next_word(streams, stream)


@inlined
def next_fraction(streams: Streams, stream: Any) -> float:
    """A number in [0, 1) from the next 32 random bits of a stream."""
    return _FRACTION * np.float64(next_word(streams, stream))


@inlined
def draw_below(streams: Streams, stream: Any, n: Any) -> np.int64:
    """A uniform integer from 0 to n - 1, as `rng.Stream.below`."""
    bound = np.uint64(n)
    product = next_word(streams, stream) * bound
    if unlikely(product & _LOW < bound):
        floor = np.uint64(1 << 32) % bound
        while product & _LOW < floor:
            product = next_word(streams, stream) * bound
    return np.int64(product >> _HALF)
