"""Parquet files from columns of values: every column is one page of numbers, packed to as few bits as they need.

Polars takes several times as long for the same rows. What a file says of its columns is copied from an empty file of
the table that Polars has written, so that readers find the very same types.
"""

import struct
import zlib
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmsim.tables import thrift
from mmsim.tables.column_values import Columns, Values

_ROW_GROUP = 1 << 18  # rows; fixed, so that the same rows are the same bytes everywhere
_MAGIC = b"PAR1"
_PLAIN, _RLE, _DELTA, _DELTA_LENGTH, _DICTIONARY = 0, 3, 5, 6, 8  # what the format calls encodings
_AS_IT_IS, _GZIP, _LZ4 = 0, 2, 7  # its codecs
_BOOLEAN, _INT32, _INT64, _FLOAT, _BYTES = 0, 1, 2, 4, 6  # its types
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_BLOCK, _QUARTERS = 128, 4  # numbers that are packed together as differences, and the parts such a block has
_GZIP_HEADER = 16  # to be added to the bits of zlib's window
_LEAST_COPY = 4  # bytes that LZ4 copies
_EDGE = 32  # bytes of a page that need not repeat, at either end
_LONGEST_PERIOD = 2048
_MOST_KNOWN = (1 << 16) - 1  # numbers of a dictionary, but for one
_BYTE = [bytes([number]) for number in range(256)]
_TABLES = 1 << 6  # whose footers are remembered
_FEW = 16  # numbers that are quickly looked for one after the other
_SAMPLE = 1000  # values by which a column is judged
_WIDE = 8  # bytes of numbers of which differences are written


def parquet(empty: bytes, columns: Columns) -> bytes:
    """A file of these columns; `empty` is one of the same columns without rows."""
    before, after = _about(empty)
    rows = len(next(iter(columns.values())))
    pages, at, groups = [_MAGIC], len(_MAGIC), []
    for first in range(0, rows, _ROW_GROUP):
        chunks, began = [], at
        for name, values in columns.items():
            chunk = _chunk(values.part(first, first + _ROW_GROUP))
            chunks.append(chunk.about(name, at))
            pages += chunk.pages
            at += chunk.size
        groups.append(
            thrift.record(
                {1: thrift.list_of(chunks), 2: thrift.i64(at - began), 3: thrift.i64(min(_ROW_GROUP, rows - first))}
            )
        )
    footer = before + thrift.fields({3: thrift.i64(rows), 4: thrift.list_of(groups)}, 2) + after
    return b"".join([*pages, footer, struct.pack("<I", len(footer)), _MAGIC])


@lru_cache(_TABLES)
def _about(file: bytes) -> tuple[bytes, bytes]:
    """What the footer of a file says before and after its rows (fields 3 and 4), as it is written there."""
    (size,) = struct.unpack("<I", file[-8:-4])
    footer = file[-8 - size : -8]
    ends, at, number = {}, 0, 0
    while footer[at]:
        number += footer[at] >> 4
        at = thrift.end(footer, at + 1, footer[at] & 15)
        ends[number] = at
    return footer[: ends[2]], footer[ends[4] :]


# --- columns -------------------------------------------------------------------------------------------------------


class _Chunk(NamedTuple):
    """A column of a group of rows as it is written: a dictionary, if it has one, and the numbers."""

    kind: int
    encoding: int
    codec: int
    rows: int
    dictionary: bytes
    data: bytes
    unpacked: int  # bytes of both before they are compressed

    @property
    def pages(self) -> tuple[bytes, bytes]:
        return self.dictionary, self.data

    @property
    def size(self) -> int:
        return len(self.dictionary) + len(self.data)

    def about(self, name: str, at: int) -> thrift.Value:
        """What the footer says of it."""
        meta = {
            1: thrift.i32(self.kind),
            2: _encodings(self.encoding, bool(self.dictionary)),
            3: thrift.list_of([thrift.text(name)]),
            4: thrift.i32(self.codec),
            5: thrift.i64(self.rows),
            6: thrift.i64(self.unpacked),
            7: thrift.i64(self.size),
            9: thrift.i64(at + len(self.dictionary)),
        }
        if self.dictionary:
            meta[11] = thrift.i64(at)
        return thrift.record({2: thrift.i64(0), 3: thrift.record(meta)})


@cache
def _encodings(encoding: int, dictionary: bool) -> thrift.Value:
    """How the pages of a column are written."""
    return thrift.list_of([thrift.i32(one) for one in sorted({_RLE, encoding} | ({_PLAIN} if dictionary else set()))])


def _chunk(column: Values) -> _Chunk:
    """A column of a group of rows."""
    levels = _levels(column)
    values = column.values if column.there is None else column.values.compress(column.there)  # faster than an index
    if column.words is not None:
        words = b"".join(struct.pack("<I", len(word)) + word for word in (word.encode() for word in column.words))
        return _with_dictionary(_BYTES, words, len(column.words), values, column, levels)
    if values.dtype.kind == "S":
        lengths = _differences(np.full(len(values), values.itemsize, np.int64))
        return _without(_BYTES, _DELTA_LENGTH, levels + lengths + values.tobytes(), column, _GZIP)
    if values.dtype == np.bool_:
        return _without(_BOOLEAN, _PLAIN, levels + np.packbits(values, bitorder="little").tobytes(), column)
    if values.dtype.itemsize == _WIDE:
        return _without(_INT64, _DELTA, levels + _differences(values.view(np.int64)), column)
    found = _coded(values) if values.dtype.kind == "f" else _coded_whole(values)
    kind = _FLOAT if values.dtype.kind == "f" else _INT32
    if found is None:
        return _without(kind, _PLAIN, levels + values.astype(np.int32).tobytes(), column)
    known, codes = found
    return _with_dictionary(kind, known.tobytes(), len(known), codes, column, levels)


def _coded(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The numbers that there are, and which of them each is."""
    known = np.unique(values)
    if len(known) > _FEW:
        return np.unique(values, return_inverse=True)
    codes = np.zeros(len(values), np.uint8)
    for code, number in enumerate(known.tolist()):
        codes += (values == number).view(np.uint8) * np.uint8(code)
    return known, codes


def _coded_whole(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """The whole numbers that there may be, and which of them each is; None if there may be too many."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low > min(len(values), _MOST_KNOWN):
        return None
    plain = np.dtype(f"u{values.itemsize}")  # which has room for every difference
    codes = values.view(plain) - plain.type(low % (1 << 8 * values.itemsize)) if low else values.view(plain)
    known = np.arange(low, high + 1).astype(np.int32)  # numbers without a sign may be beyond it, and come back
    if 2 * np.count_nonzero(np.bincount(codes[:_SAMPLE])) <= len(known):  # it may help to leave out what there is not
        some = np.bincount(codes) > 0
        codes = (np.cumsum(some) - 1).astype(np.uint16).take(codes)
        known = known[some]
    return known, codes


def _without(kind: int, encoding: int, body: bytes, column: Values, codec: int = _AS_IT_IS) -> _Chunk:
    """A column without a dictionary."""
    page = _page(_DATA_PAGE, len(column), encoding, body, codec)
    return _Chunk(kind, encoding, page.codec, len(column), b"", page.bytes, page.unpacked)


def _with_dictionary(kind: int, known: bytes, size: int, codes: NDArray[Any], column: Values, levels: bytes) -> _Chunk:
    """A column of which every value is in a dictionary."""
    width = max(1, (size - 1).bit_length())
    data = _page(_DATA_PAGE, len(column), _DICTIONARY, levels + _BYTE[width] + _run(codes, width))
    first = _page(_DICTIONARY_PAGE, size, _PLAIN, known, data.codec)
    unpacked = first.unpacked + data.unpacked
    return _Chunk(kind, _DICTIONARY, data.codec, len(column), first.bytes, data.bytes, unpacked)


def _levels(column: Values) -> bytes:
    """Where there is a value."""
    there = _repeated(1, len(column), 1) if column.there is None else _run(column.there, 1)
    return struct.pack("<I", len(there)) + there


class _Page(NamedTuple):
    """A page with its header, and what the footer wants to know of it."""

    bytes: bytes
    codec: int
    unpacked: int  # bytes before it was compressed


def _page(kind: int, values: int, encoding: int, body: bytes, codec: int = _AS_IT_IS) -> _Page:
    """A page; one that repeats itself says so."""
    written = body
    if codec == _GZIP:
        # texts of ours are letters in any order: what is to be gained is in how often each of them is there
        packer = zlib.compressobj(1, wbits=_GZIP_HEADER + zlib.MAX_WBITS, strategy=zlib.Z_HUFFMAN_ONLY)
        written = packer.compress(body) + packer.flush()
    elif codec == _LZ4:
        written = _lz4(body)
    elif period := _period(body):
        codec, written = _LZ4, _lz4(body, period)
    about = {1: thrift.i32(values), 2: thrift.i32(encoding)}
    if kind == _DATA_PAGE:
        about |= {3: thrift.i32(_RLE), 4: thrift.i32(_RLE)}
    sizes = {1: thrift.i32(kind), 2: thrift.i32(len(body)), 3: thrift.i32(len(written))}
    header = thrift.record(sizes | {5 if kind == _DATA_PAGE else 7: thrift.record(about)}).bytes
    return _Page(header + written, codec, len(header) + len(body))


def _period(body: bytes) -> int:
    """After how many bytes a page repeats itself, but for its edges; 0: it does not."""
    at = body.find(body[_EDGE : 2 * _EDGE], _EDGE + 1, min(_LONGEST_PERIOD, len(body) // 2))
    return at - _EDGE if at > 0 and body[at:-_EDGE] == body[_EDGE : _EDGE - at - _EDGE] else 0


def _lz4(body: bytes, period: int = 0) -> bytes:
    """A page as the codec LZ4 has it: bytes that are new, a copy of those a period before, bytes that are new."""
    if not period:
        return _lz4_step(body)
    new = _EDGE + period
    return _lz4_step(body[:new], len(body) - _EDGE - new, period) + _lz4_step(body[-_EDGE:])


def _lz4_step(new: bytes, copied: int = _LEAST_COPY, period: int = 0) -> bytes:
    sizes = len(new), copied - _LEAST_COPY
    more = [b"" if size < 15 else b"\xff" * ((size - 15) // 255) + bytes([(size - 15) % 255]) for size in sizes]
    token = bytes([min(sizes[0], 15) << 4 | min(sizes[1], 15)])
    return token + more[0] + new + (struct.pack("<H", period) + more[1] if period else b"")


# --- numbers -------------------------------------------------------------------------------------------------------


def _repeated(value: int, times: int, width: int) -> bytes:
    """A run of one number."""
    return thrift.varint(times << 1) + value.to_bytes((width + 7) // 8, "little")


def _run(codes: NDArray[Any], width: int) -> bytes:
    """A run of numbers of so many bits."""
    if not len(codes):
        return b""
    if not codes.any():
        return _repeated(0, len(codes), width)
    packed = _packed(codes, width)
    return thrift.varint((len(packed) // width) << 1 | 1) + packed


def _packed(codes: NDArray[Any], width: int) -> bytes:
    """Numbers of so many bits one after the other, the first in the lowest ones; eight fill whole bytes."""
    if width == 1:
        return np.packbits(codes, bitorder="little").tobytes()
    kind = _smallest(width)
    codes = codes.astype(kind, copy=False)
    if len(codes) % 8:
        codes = np.concatenate([codes, np.zeros(-len(codes) % 8, kind)])
    if width == 8 * kind.itemsize:
        return codes.tobytes()
    if width > 16:
        bits = np.unpackbits(codes.view(np.uint8).reshape(-1, kind.itemsize), axis=1, count=width, bitorder="little")
        return np.packbits(bits, bitorder="little").tobytes()
    words = codes.view(np.uint64)
    for mask, shift, other in _lanes(8 * kind.itemsize, width):
        words = words & mask | words >> shift & other
    if width > 8:  # eight numbers in two words: what has no room in the first goes into the second
        first, second = words.reshape(-1, 2).T
        full = first | second << np.uint64(4 * width)
        words = np.stack([full, second >> np.uint64(64 - 4 * width)], axis=1)
    return words.view(np.uint8).reshape(len(codes) // 8, -1)[:, :width].tobytes()


@cache
def _lanes(lane: int, width: int) -> list[tuple[np.uint64, np.uint64, np.uint64]]:
    """How numbers in lanes of a word move together, two by two: who stays, how far others move, and where they are."""
    found = []
    while lane < 64:
        mask = ((1 << width) - 1) * sum(1 << 2 * lane * i for i in range(32 // lane))
        found.append((np.uint64(mask), np.uint64(lane - width), np.uint64(mask << width)))
        lane, width = 2 * lane, 2 * width
    return found


@cache
def _smallest(width: int) -> np.dtype[Any]:
    """The smallest kind of number with so many bits."""
    return next(kind for kind in map(np.dtype, ("u1", "u2", "u4", "u8")) if width <= 8 * kind.itemsize)


def _differences(values: NDArray[np.int64]) -> bytes:
    """Numbers as the differences from each to the next, in blocks that all have the same width."""
    first = int(values[0]) if len(values) else 0
    head = b"".join(map(thrift.varint, (_BLOCK, _QUARTERS, len(values), thrift.zigzag(first))))
    steps = np.diff(values)
    if not len(steps):
        return head
    low = int(steps.min())
    width = (int(steps.max()) - low).bit_length()
    kind = _smallest(width)
    if width > 8:
        width = 8 * kind.itemsize
    blocks = -(-len(steps) // _BLOCK)
    above = np.zeros(blocks * _BLOCK, kind)
    np.subtract(steps, low, out=above[: len(steps)], casting="unsafe")
    body = _packed(above, width) if width else b""
    own = np.frombuffer(thrift.varint(thrift.zigzag(low)) + bytes([width] * _QUARTERS), np.uint8)
    each = np.empty((blocks, len(own) + _BLOCK // 8 * width), np.uint8)
    each[:, : len(own)] = own
    each[:, len(own) :] = np.frombuffer(body, np.uint8).reshape(blocks, -1)
    return head + each.tobytes()
