"""The games of a run that are worth a look, and their records: written when the run is finished, so that whoever shows
them later plays nothing."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmsim.batch.check import record
from mmsim.batch.manifest import RECORDS, KeptRecord
from mmsim.batch.run import Run
from mmsim.batch.worker import LOG
from mmsim.core.records import dumps
from mmsim.errors import MmsimError
from mmsim.games import find_shell
from mmsim.system.files import read_bytes, write_atomically

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class _Kind:
    """A way to be remarkable, by columns of `games`: which are looked at, and what is put first."""

    name: str
    first: tuple[str, ...]  # highest first, lowest if there is a minus before it
    text: str  # with the columns of the game's row
    more: str = ""  # the same, where the game has them
    won: bool = False  # only games that one player won

    @property
    def file(self) -> str:
        """The record of its game, in the folder of the run."""
        return f"{RECORDS}/{self.name.replace(' ', '-')}.json"

    @property
    def columns(self) -> set[str]:
        """What a game must have to be of this kind."""
        return {"winner", *(word.removeprefix("-") for word in self.first), *_named(self.text)}

    @property
    def among(self) -> "pl.Expr":
        """Which games may be of this kind."""
        import polars as pl

        return pl.col("winner").is_not_null() if self.won else pl.lit(True)

    def describe(self, row: Mapping[str, Any]) -> str:
        """What is remarkable about a game."""
        numbers = {key: f"{value:,}" for key, value in row.items() if isinstance(value, int)}
        known = _named(self.more) <= numbers.keys()
        text = (self.text + self.more if known else self.text).format_map(numbers)
        return re.sub(r"\b1 (\w+)s\b", r"1 \1", text)


def _named(text: str) -> set[str]:
    """The columns that a text tells of."""
    return {*re.findall(r"{(\w+)}", text)}


_KINDS = (
    _Kind("longest", ("turns",), "{turns} turns"),
    _Kind(
        "closest",
        ("-margin", "lead_changes"),
        "won by {margin} points",
        " after {lead_changes} changes of the lead",
        won=True,
    ),
    _Kind("most lopsided", ("margin",), "won by {margin} points"),
)


@dataclass(frozen=True)
class Remarkable:
    """A game worth a look."""

    kind: str
    text: str
    variant: int
    game: int
    row: dict[str, Any]  # of `games`, what is told of it
    file: str  # its record, in the folder of the run


def remarkable(games: "pl.LazyFrame", variants: Sequence[str]) -> list[Remarkable]:
    """One game of every kind that the finished games of some variants can show; the first of equals."""
    import polars as pl  # slow to import; a run that is only listed need not wait for it

    columns = set(games.collect_schema())
    kinds = [kind for kind in _KINDS if kind.columns <= columns]
    told = {"variant", "game"}.union(*(kind.columns | _named(kind.more) for kind in kinds)) & columns
    finished = games.filter(pl.col("status") == "finished").select(sorted(told))  # whole rows would take memory
    place = pl.col("variant").cast(pl.Enum(variants)).to_physical()
    ends = [end.alias(f"{kind.name} {i}") for kind in kinds for i, end in enumerate(_ends(kind))]
    extremes = finished.select(ends).collect(engine="streaming").row(0)  # all in one go, of few columns
    found = []
    for kind, best, worst in zip(kinds, extremes[::2], extremes[1::2], strict=True):
        if best == worst:
            continue  # none stands out
        first, *more = (_order(word) for word in kind.first)
        chosen = finished.filter(kind.among & (first == best)).bottom_k(1, by=[*more, place, pl.col("game")])
        (row,) = chosen.collect(engine="streaming").iter_rows(named=True)
        variant, game = variants.index(row["variant"]), int(row["game"])
        found.append(Remarkable(kind.name, kind.describe(row), variant, game, row, kind.file))
    return found


def _ends(kind: _Kind) -> "tuple[pl.Expr, pl.Expr]":
    """The best and the worst that there is of a kind."""
    value = _order(kind.first[0]).filter(kind.among)
    return value.min(), value.max()


def _order(word: str) -> "pl.Expr":
    """A column of a kind as a number that is the lower the more remarkable."""
    import polars as pl

    value = pl.col(word.removeprefix("-")).cast(pl.Int64).fill_null(0)
    return value if word.startswith("-") else -value


def keep_records(run: Run) -> list[KeptRecord]:
    """Write the records of a run's remarkable games beside its tables; what the manifest says of them."""
    kept = []
    for one in remarkable(run.table("games"), run.variant_names):
        try:
            data = dumps(record(run, one.variant, one.game)).encode()
        except MmsimError as error:  # a bot that does not play the same game twice
            LOG.warning("no record of game %d of %s: %s", one.game, run.variant_names[one.variant], error)
            continue
        write_atomically(run.folder / one.file, data)
        digest = hashlib.sha256(data).hexdigest()
        kept.append(KeptRecord(one.file, run.variant_names[one.variant], one.game, len(data), digest))
    for other in {kind.file for kind in _KINDS} - {one.file for one in kept}:  # of the run when it was shorter
        (run.folder / other).unlink(missing_ok=True)
    return kept


def records_are_there(run: Run) -> bool:
    """Whether the records a run has kept are as the manifest says."""
    return all(_content(run.folder, about) for about in run.finished.records)


def _content(folder: Path, about: KeptRecord) -> bytes | None:
    """A record's file; None if it is not as the manifest says."""
    try:
        data = read_bytes(folder / about.file)
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == about.sha256 else None


def kept_record(folder: Path, variant: str, game: int) -> dict[str, Any] | None:
    """The record of a remarkable game of a run; None if there is none, or it is not the record of this game."""
    run = Run(folder)
    for about in run.manifest.finished.records if run.manifest.finished else ():
        if (about.variant, about.game) == (variant, game) and (data := _content(folder, about)):
            try:
                found: dict[str, Any] = json.loads(data)
                find_shell(run.experiment.game).verify(found)
            except (ValueError, RecursionError, MmsimError):  # a stranger's, with a checksum that is right
                return None
            return found
    return None
