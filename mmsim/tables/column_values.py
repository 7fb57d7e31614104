"""Rows that compiled code has written as columns of values: numbers of words for codes, and what there is not."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmsim.core.seating import Seating

KNOWN = 1 << 14  # words of a column that are remembered from part to part


@dataclass(frozen=True)
class Values:
    """The values of a column.

    Numbers; or numbers of `words`, which are all that may occur, or those that do (`seen`) in the order in which they
    do first; or texts of one length, as bytes. Where `there` is False there is none, and a 0 in its place.
    """

    values: NDArray[Any]
    there: NDArray[np.bool_] | None = None  # None: everywhere
    words: Sequence[str] | None = None
    seen: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def part(self, first: int, end: int) -> "Values":
        """The values of some rows."""
        if first == 0 and end >= len(self):
            return self
        there = None if self.there is None else self.there[first:end]
        return Values(self.values[first:end], there, self.words, self.seen)


Columns: TypeAlias = dict[str, Values]
Texts: TypeAlias = Mapping[str, Callable[[NDArray[Any]], Values]]


def numbers(found: NDArray[Any], words: Sequence[str] | None = None, nullable: bool = False) -> Values:
    """A column as compiled code has written it; `nullable`: -1 stands for nothing."""
    values = np.ascontiguousarray(found)
    there: NDArray[np.bool_] | None = None
    if nullable:
        there = values >= 0
        if there.all():
            there = None
        else:
            values = np.maximum(values, 0)
    return Values(values if words is None else values.astype(kind_of(len(words)), copy=False), there, words)


def same(word: str, rows: int) -> Values:
    """One word in all rows."""
    return Values(np.zeros(rows, np.uint8), None, [word] if rows else [], seen=True)


def spelled(codes: NDArray[Any], spell: Callable[[int], str | None]) -> Values:
    """Codes, which are small numbers, as words, each spelled once; -1 may stand for nothing, `spell` says it."""
    above = codes.astype(np.int32) + np.int32(1)
    first = np.full(above.max(initial=0) + 1, -1, np.int32)  # row; a table is faster than sorting
    first[above[::-1]] = np.arange(len(above) - 1, -1, -1, dtype=np.int32)  # what is written last stays
    known = np.flatnonzero(first >= 0)
    known = known[np.argsort(first[known])]
    words = [spell(code - 1) for code in known.tolist()]
    kept = np.array([word is not None for word in words], np.bool_)
    place = np.zeros(len(first), kind_of(int(kept.sum())))
    place[known[kept]] = np.arange(kept.sum())
    there = None
    if not kept.all():
        is_word = np.zeros(len(first), np.bool_)
        is_word[known[kept]] = True
        there = is_word.take(above)
    return Values(place.take(above), there, [word for word in words if word is not None], seen=True)


def kind_of(words: int) -> Any:
    """The kind of number that so many words have, as Polars has it."""
    return next((kind for kind in (np.uint8, np.uint16) if words <= np.iinfo(kind).max), np.uint32)


@dataclass(frozen=True)
class ValuesOfRows:
    """The tables of a game: the kinds of their rows, the columns that stand for words, and those where -1 says there is
    none.

    `texts` are columns of so many words that they are made when they are needed, from all codes of a column at once.
    """

    kinds: Mapping[str, np.dtype[Any]]
    words: Mapping[str, Sequence[str]]
    nullable: Mapping[str, Collection[str]]
    texts: Texts = field(default_factory=dict)

    def columns(self, table: str, rows: NDArray[Any], variant: str, seating: Seating) -> Columns:
        """The rows of a table, column by column."""
        bots = [bot.spec for bot in seating.bots]
        columns = {"variant": same(variant, len(rows)), "member": same(_member(bots), len(rows))}
        for name in self.kinds[table].names or ():
            if name in self.texts:
                columns[name] = self.texts[name](np.asarray(rows[name]))
            else:
                words, nullable = self.words.get(name), name in self.nullable.get(table, ())
                columns[name] = numbers(rows[name], words, nullable)
            if table == "seats" and name == "player":
                columns["bot"] = _bots(rows, bots, seating)
            if table == "games" and name == "game":
                game = columns["game"].values
                columns["deal"] = Values(game // np.uint64(seating.games_a_deal))
                columns["seating"] = Values((game % np.uint64(len(seating.orders))).astype(np.uint16))
        return columns

    def none(self, table: str) -> Columns:
        """The columns of a table without rows."""
        return self.columns(table, np.zeros(0, self.kinds[table]), "", Seating((), (), False))


def _bots(rows: NDArray[Any], bots: Sequence[str], seating: Seating) -> Values:
    """Who sits in the seats."""
    known = list(dict.fromkeys(bots))
    if len(known) <= 1:  # none: of a table without rows
        return same("".join(known), len(rows))
    codes = np.array([known.index(bot) for bot in bots])[np.array(seating.orders)]
    seated = codes[rows["game"] % np.uint64(len(codes)), rows["seat"]]
    return spelled(seated, known.__getitem__)


def _member(seats: Sequence[str]) -> str:
    """Which kind of players sits at a table: one bot for all, or the bots of its seats."""
    return seats[0] if len({*seats}) == 1 else ",".join(seats)
