"""Thrift, compact: how headers and footers of Parquet files are written; `end` is what is read of them."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

_BYTE = [bytes([number]) for number in range(256)]
_NUMBERS = 1 << 12  # that are remembered


class Value(NamedTuple):
    """A value: what kind of it, and its bytes."""

    kind: int
    bytes: bytes


_I32, _I64, _BINARY, _LIST, _RECORD = 5, 6, 8, 9, 12
_MANY = 15  # things in a list whose length is written apart


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def zigzag(number: int) -> int:
    return number << 1 if number >= 0 else ~(number << 1)


@lru_cache(_NUMBERS)
def i32(number: int) -> Value:
    return Value(_I32, varint(zigzag(number)))


@lru_cache(_NUMBERS)
def i64(number: int) -> Value:
    return Value(_I64, varint(zigzag(number)))


def text(words: str) -> Value:
    data = words.encode()
    return Value(_BINARY, varint(len(data)) + data)


def list_of(things: Sequence[Value]) -> Value:
    kind = things[0].kind if things else _RECORD
    size = len(things)
    head = _BYTE[size << 4 | kind] if size < _MANY else _BYTE[_MANY << 4 | kind] + varint(size)
    return Value(_LIST, head + b"".join(thing.bytes for thing in things))


def fields(values: Mapping[int, Value], last: int = 0) -> bytes:
    """Fields by their numbers, after one of the number `last`."""
    found: list[bytes] = []
    for number, (kind, content) in values.items():
        found += (_BYTE[(number - last) << 4 | kind], content)
        last = number
    return b"".join(found)


def record(values: Mapping[int, Value]) -> Value:
    return Value(_RECORD, fields(values) + b"\0")


def end(data: bytes, at: int, kind: int) -> int:
    """Where a value ends."""
    if kind in (_I32, _I64):
        return _read_varint(data, at)[1]
    if kind == _BINARY:
        size, at = _read_varint(data, at)
        return at + size
    if kind == _LIST:
        size, of = data[at] >> 4, data[at] & 15
        at += 1
        if size == _MANY:
            size, at = _read_varint(data, at)
        for _ in range(size):
            at = end(data, at, of)
        return at
    if kind == _RECORD:
        while data[at]:
            at = end(data, at + 1, data[at] & 15)
        return at + 1
    return at + (kind == 3)  # a byte; what is true or false is so by its kind


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
