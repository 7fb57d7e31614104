"""What reading a Parquet file will allocate, from its footer and the headers of its pages; no data is unpacked.

Polars reports neither. The format: https://parquet.apache.org/docs/file-format, encoded with Thrift's compact protocol.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

from mmsim.errors import MmsimError

_MAGIC = b"PAR1"
_PHYSICAL_TYPES = (0, 1, 2, 4, 5, 6)  # booleans, 32 and 64 bits, floats, doubles, text: few bytes per value
_REPEATED = 2
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 0, 2, 3
# Plain, run lengths, and codes of a dictionary. Others can make much of few bytes, such as shared beginnings of texts.
_ENCODINGS = (0, 2, 3, 8)
_BYTES_PER_VALUE, _BYTES_PER_ROW, _BYTES_PER_COLUMN = 16, 256, 1 << 16  # of a file, unpacked
_MAX_DEPTH = 16

Fields = dict[int, Any]  # of a Thrift struct, by their numbers


def check_sizes(data: memoryview, columns: Sequence[str], rows: range) -> None:
    """Raise an error that says what is wrong unless a file has just these columns and rows, and unpacks to little more.

    Every page must have its share of the rows, an encoding that Polars writes, and a size that fits the rows.
    """
    try:
        footer = _footer(data)
        _check_columns(footer[2], columns)
        groups = footer[4]
        count = footer[3]
        if count != sum(group[3] for group in groups):
            raise MmsimError("has row groups that do not add up to its rows")
        if count not in rows:
            raise MmsimError(f"has {count} rows instead of {rows[0] if len(rows) == 1 else f'at most {rows[-1]}'}")
        unpacked = 0
        for group in groups:
            if len(group[1]) != len(columns):
                raise MmsimError("has a row group with other columns")
            for name, chunk in zip(columns, group[1], strict=True):
                unpacked += _unpacked_bytes(data, chunk[3], name, group[3])
        if unpacked > len(columns) * (_BYTES_PER_COLUMN + _BYTES_PER_VALUE * count) + _BYTES_PER_ROW * count:
            raise MmsimError(f"unpacks to {unpacked} bytes, too many for {count} rows")
    except (AttributeError, LookupError, TypeError, ValueError, struct.error) as error:
        raise MmsimError("cannot be read as Parquet: its footer or the header of a page is damaged") from error


def _footer(data: memoryview) -> Fields:
    (length,) = struct.unpack("<I", data[-8:-4])
    if bytes(data[-4:]) != _MAGIC or length + 12 > len(data):
        raise ValueError
    return _Reader(data, len(data) - 8 - length, len(data) - 8).struct()


def _check_columns(schema: list[Fields], columns: Sequence[str]) -> None:
    names = [element[4].decode() for element in schema[1:]]
    if names != list(columns):
        raise MmsimError(f"has the columns {shown(names)} instead of {shown(columns)}")
    for name, element in zip(names, schema[1:], strict=True):
        if element.get(5) or element.get(3) == _REPEATED or element.get(1) not in _PHYSICAL_TYPES:
            raise MmsimError(f"has a column {name} of a type that no table has")


def _unpacked_bytes(data: memoryview, about: Fields, name: str, rows: int) -> int:
    """Walk through the pages of a column in a row group as a reader would; returns their size."""
    start = about[11] if 11 in about else about[9]
    values = unpacked = 0
    for header in _page_headers(data, start, start + about[7]):
        unpacked += header[2]
        if header[1] == _DICTIONARY_PAGE:
            about_page = header[7]
        else:
            about_page = header[5] if header[1] == _DATA_PAGE else header[8]
            values += about_page[1]
        encoding = about_page[4] if header[1] == _DATA_PAGE_2 else about_page[2]
        if encoding not in _ENCODINGS:
            raise MmsimError(f"has a column {name} in an encoding that mmsim does not write")
        if min(header[2], header[3], about_page[1]) < 0:
            raise ValueError
    if values != rows or about[5] != rows:
        raise MmsimError(f"has a column {name} of {values} values instead of {rows}")
    return unpacked


def _page_headers(data: memoryview, start: int, end: int) -> Iterator[Fields]:
    if not 4 <= start <= end <= len(data):
        raise ValueError
    while start < end:
        reader = _Reader(data, start, end)
        header = reader.struct()
        if header[1] not in (_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2) or header[3] < 0:
            raise ValueError
        yield header
        start = reader.at + header[3]


class _Reader:
    """Thrift's compact protocol: structs as fields by their numbers, lists as lists, text as bytes."""

    def __init__(self, data: memoryview, start: int, end: int) -> None:
        self._data, self.at, self._end = data, start, end

    def struct(self, depth: int = 0) -> Fields:
        fields: Fields = {}
        number = 0
        while byte := self._byte():
            number = number + (byte >> 4) if byte >> 4 else self._signed()
            fields[number] = self._value(byte & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):  # a boolean, which is its type
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._unsigned())
        if kind in (9, 10) and depth < _MAX_DEPTH:
            byte = self._byte()
            length = byte >> 4 if byte >> 4 < 15 else self._unsigned()
            if length > self._end - self.at:  # an item has a byte at least
                raise ValueError
            item = byte & 15
            return [self._byte() if item in (1, 2) else self._value(item, depth + 1) for _ in range(length)]
        if kind == 12 and depth < _MAX_DEPTH:
            return self.struct(depth + 1)
        raise ValueError

    def _byte(self) -> int:
        if self.at >= self._end:
            raise ValueError
        self.at += 1
        return self._data[self.at - 1]

    def _bytes(self, length: int) -> bytes:
        if length > self._end - self.at:
            raise ValueError
        self.at += length
        return bytes(self._data[self.at - length : self.at])

    def _unsigned(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError
        return number | byte << shift

    def _signed(self) -> int:
        number = self._unsigned()
        return number >> 1 ^ -(number & 1)


def shown(columns: Sequence[str]) -> str:
    names = ", ".join(columns)
    return names if len(names) < 200 else f"{names[:200]}..."
