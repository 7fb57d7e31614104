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
from mmsim.batch.store import RECORDS, Run
from mmsim.batch.worker import LOG
from mmsim.core.errors import MmsimError
from mmsim.core.files import write_atomically
from mmsim.core.records import dumps

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
    def columns(self) -> tuple[str, ...]:
        return tuple(word.removeprefix("-") for word in self.first)

    def describe(self, row: Mapping[str, Any]) -> str:
        """What is remarkable about a game."""
        numbers = {key: f"{value:,}" for key, value in row.items() if isinstance(value, int)}
        known = all(column in numbers for column in re.findall(r"{(\w+)}", self.more))
        text = (self.text + self.more if known else self.text).format_map(numbers)
        return re.sub(r"\b1 (\w+)s\b", r"1 \1", text)


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
    row: dict[str, Any]  # of `games`

    @property
    def file(self) -> str:
        """Its record, in the folder of the run."""
        return f"{RECORDS}/{self.kind.replace(' ', '-')}.json"


def remarkable(games: "pl.LazyFrame", variants: Sequence[str]) -> list[Remarkable]:
    """One game of every kind that the finished games of some variants can show; the first of equals."""
    import polars as pl  # slow to import; a run that is only listed need not wait for it

    columns = set(games.collect_schema())
    finished = games.filter(pl.col("status") == "finished")
    numbers = {name: number for number, name in enumerate(variants)}
    place = pl.col("variant").cast(pl.String).replace_strict(numbers, return_dtype=pl.Int64)
    found = []
    for kind in _KINDS:
        if not {*kind.columns, "winner"} <= columns:
            continue
        among = finished.filter(pl.col("winner").is_not_null()) if kind.won else finished
        for word in kind.first:  # what is extreme first, and whole rows of those games only: few columns are read
            value = pl.col(word.removeprefix("-")).cast(pl.Int64).fill_null(0)
            low, high = (
                among.select(value.min().alias("low"), value.max().alias("high")).collect(engine="streaming").row(0)
            )
            if low == high and word == kind.first[0]:
                break  # none stands out
            among = among.filter(value == (low if word.startswith("-") else high))
        else:
            (row,) = among.bottom_k(1, by=[place, pl.col("game")]).collect().iter_rows(named=True)
            found.append(Remarkable(kind.name, kind.describe(row), numbers[row["variant"]], int(row["game"]), row))
    return found


def keep_records(run: Run) -> list[dict[str, Any]]:
    """Write the records of a run's remarkable games beside its tables; what the manifest says of them."""
    kept = []
    for one in remarkable(run.table("games"), run.variant_names):
        try:
            data = dumps(record(run, one.variant, one.game)).encode()
        except MmsimError as error:  # a bot that does not play the same game twice
            LOG.warning("no record of game %d of %s: %s", one.game, run.variant_names[one.variant], error)
            continue
        write_atomically(run.folder / one.file, data)
        about = {"file": one.file, "variant": run.variant_names[one.variant], "game": one.game}
        kept.append({**about, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    for old in (run.folder / RECORDS).glob("*.json"):
        if f"{RECORDS}/{old.name}" not in {one["file"] for one in kept}:
            old.unlink(missing_ok=True)
    return kept


def kept_record(folder: Path, variant: str, game: int) -> dict[str, Any] | None:
    """The record of a remarkable game of a run; None if there is none or its file is not as the manifest says."""
    for about in (Run(folder).manifest["finished"] or {}).get("records", ()):
        if (about["variant"], about["game"]) == (variant, game):
            try:
                data = (folder / about["file"]).read_bytes()
            except OSError:
                return None
            if hashlib.sha256(data).hexdigest() == about["sha256"]:
                found: dict[str, Any] = json.loads(data)
                return found
    return None
