"""The most remarkable games of a run, and their records: written when the run is finished, so that showing them later
takes no playing."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from mmsim.batch.check import replay_record
from mmsim.batch.experiment import planned_seconds
from mmsim.batch.manifest import RECORDS, KeptRecord
from mmsim.batch.run import Run
from mmsim.batch.worker import LOG
from mmsim.core.game import EstimatesWinChances, SimulatedGame
from mmsim.core.records import dumps
from mmsim.errors import MmsimError
from mmsim.games import find_shell
from mmsim.system.files import read_bytes, write_atomically

_PLAYOUTS = 50  # after every turn: a chance to win is known to within 7 percentage points or better (standard error)
_WITH_CHANCES_S = 60.0  # by declared costs: shorter runs would spend most of their time on playouts


@dataclass(frozen=True)
class _Kind:
    """A way to be remarkable, by columns of `games`."""

    name: str
    order: tuple[str, ...]  # columns to sort by, highest first; lowest first with a minus
    text: str  # a template for the columns of the game's row
    optional_text: str = ""  # added if the game has the columns it names
    needs_winner: bool = False  # only games that one player won

    @property
    def file(self) -> str:
        """The file of the record, relative to the folder of the run."""
        return f"{RECORDS}/{self.name.replace(' ', '-')}.json"

    @property
    def columns(self) -> set[str]:
        """The columns a game must have to be of this kind."""
        return {"winner", *(column.removeprefix("-") for column in self.order), *_columns_in(self.text)}

    @property
    def candidates(self) -> pl.Expr:
        """Which games may be of this kind."""
        return pl.col("winner").is_not_null() if self.needs_winner else pl.lit(True)

    def describe(self, row: Mapping[str, Any]) -> str:
        numbers = {key: f"{value:,}" for key, value in row.items() if isinstance(value, int)}
        template = self.text + (self.optional_text if _columns_in(self.optional_text) <= numbers.keys() else "")
        return re.sub(r"\b1 (\w+)s\b", r"1 \1", template.format_map(numbers))


def _columns_in(template: str) -> set[str]:
    return {*re.findall(r"{(\w+)}", template)}


_KINDS = (
    _Kind("longest", ("turns",), "{turns} turns"),
    _Kind(
        "closest",
        ("-margin", "lead_changes"),
        "won by {margin} points",
        " after {lead_changes} changes of the lead",
        needs_winner=True,
    ),
    _Kind("most lopsided", ("margin",), "won by {margin} points"),
)


@dataclass(frozen=True)
class Remarkable:
    kind: str
    text: str
    variant: int
    game: int
    row: dict[str, Any]  # the columns of `games` that any kind uses
    file: str  # of its record, relative to the folder of the run


def remarkable(games: pl.LazyFrame, variants: Sequence[str]) -> list[Remarkable]:
    """One game of every kind that stands out among the finished games of some variants; of equal games the first."""
    columns = set(games.collect_schema())
    kinds = [kind for kind in _KINDS if kind.columns <= columns]
    used = {"variant", "game"}.union(*(kind.columns | _columns_in(kind.optional_text) for kind in kinds)) & columns
    finished = games.filter(pl.col("status") == "finished").select(sorted(used))  # all columns would take much memory
    variant_number = pl.col("variant").cast(pl.Enum(variants)).to_physical()
    extremes = finished.select(extreme for kind in kinds for extreme in _extremes(kind))
    values = extremes.collect(engine="streaming").row(0)  # of all kinds in one pass
    games_found = []
    for kind, best, worst in zip(kinds, values[::2], values[1::2], strict=True):
        if best == worst:
            continue  # no game stands out
        first, *others = (_sort_key(column) for column in kind.order)
        by = [*others, variant_number, pl.col("game")]
        (row,) = (
            finished.filter(kind.candidates & (first == best))
            .bottom_k(1, by=by)
            .collect(engine="streaming")
            .iter_rows(named=True)
        )
        variant, game = variants.index(row["variant"]), int(row["game"])
        games_found.append(Remarkable(kind.name, kind.describe(row), variant, game, row, kind.file))
    return games_found


def _extremes(kind: _Kind) -> tuple[pl.Expr, pl.Expr]:
    """The best and the worst value among the candidates of a kind."""
    key = _sort_key(kind.order[0]).filter(kind.candidates)
    return key.min().alias(f"{kind.name} best"), key.max().alias(f"{kind.name} worst")


def _sort_key(column: str) -> pl.Expr:
    """A column of a kind's order as a number that is lowest for the most remarkable game."""
    value = pl.col(column.removeprefix("-")).cast(pl.Int64).fill_null(0)
    return value if column.startswith("-") else -value


def keep_records(run: Run) -> list[KeptRecord]:
    """Write the records of a run's remarkable games beside its tables; returns their entries for the manifest.

    The entries of a run that took a while have the chances to win, for the pages that step through these games.
    """
    kept, games = [], run.scan_by_name("games")
    estimates_chances = (
        isinstance(run.game, EstimatesWinChances)
        and planned_seconds(replace(run.experiment, games=run.games_per_variant)) >= _WITH_CHANCES_S
    )
    if run.manifest.nets:  # those that reports are about
        names = [run.variant_names[number] for number in run.analysed_variants]
        games = games.filter(pl.col("variant").cast(pl.String).is_in(names))
    for game in remarkable(games, run.variant_names):
        variant = run.variant_names[game.variant]
        try:
            record = replay_record(run, game.variant, game.game)
        except MmsimError as error:  # a bot that does not play the same game twice
            LOG.warning("no record of game %d of %s: %s", game.game, variant, error)
            continue
        data = dumps(record).encode()
        chances = _win_chances(run.game, record) if estimates_chances else []
        write_atomically(run.folder / game.file, data)
        kept.append(KeptRecord(game.file, variant, game.game, len(data), hashlib.sha256(data).hexdigest(), chances))
    for outdated in {kind.file for kind in _KINDS} - {entry.file for entry in kept}:  # of the run when it was shorter
        (run.folder / outdated).unlink(missing_ok=True)
    return kept


def _win_chances(game: SimulatedGame, record: dict[str, Any]) -> list[list[float]]:
    assert isinstance(game, EstimatesWinChances)
    chances: list[list[float]] = game.win_chances(record, _PLAYOUTS).tolist()
    return chances


def records_are_intact(run: Run) -> bool:
    """True if the kept records of a run are there and have the checksums of the manifest."""
    try:
        return all(_content(run.folder, entry) for entry in run.finished.records)
    except MmsimError:
        return False


def _content(folder: Path, entry: KeptRecord) -> bytes | None:
    """The file of a record, or None if it is not there; an error if it does not match its checksum in the manifest."""
    path = folder / entry.file
    mend = f"make it again: mmsim resume {folder}"
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MmsimError(f"{path} cannot be read: {error.strerror or error}; {mend}") from error
    if hashlib.sha256(data).hexdigest() != entry.sha256:
        raise MmsimError(f"{path} does not match its checksum in the manifest; {mend}")
    return data


def kept_record(folder: Path, variant: str, game: int) -> dict[str, Any] | None:
    """The kept record of a remarkable game of a run, or None if there is none; an error if it is not valid."""
    run = Run(folder)
    for entry in run.manifest.finished.records if run.manifest.finished else ():
        if (entry.variant, entry.game) == (variant, game) and (data := _content(folder, entry)):
            try:
                kept: dict[str, Any] = json.loads(data)
                find_shell(run.experiment.game).verify(kept)
            except (ValueError, RecursionError, MmsimError) as error:  # of a forged run, with a matching checksum
                raise MmsimError(f"{folder / entry.file} is not the record of its game: {error}") from error
            return kept
    return None


def kept_chances(folder: Path, variant: str, game: int) -> list[list[float]]:
    """The chances to win in a remarkable game, before its first turn and after every turn; empty if it has none."""
    run = Run(folder)
    for entry in run.manifest.finished.records if run.manifest.finished else ():
        if (entry.variant, entry.game) == (variant, game):
            return entry.chances
    return []
