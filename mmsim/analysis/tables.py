"""The tables of a run, read lazily: which variants there are, which games count, and what is missing."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from mmsim.core.errors import MmsimError, UsageError

FINISHED = "finished"
_MAGIC = b"PAR1"  # how a whole Parquet file begins and ends


@dataclass(frozen=True)
class VariantInfo:
    """A variant of a run: how its manifest describes it, and which of its games share a layout and a deal."""

    name: str
    players: int
    bots: tuple[str, ...]
    cluster: int  # games in a row that share a layout and a deal
    about: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)

    @classmethod
    def of(cls, about: Mapping[str, Any], seats: str) -> "VariantInfo":
        """A variant as a game describes it, played with fixed or rotated seats."""
        players = int(about["players"])
        return cls(str(about["name"]), players, tuple(about["bots"]), players if seats == "rotate" else 1, about)


@dataclass(frozen=True)
class RunTables:
    """A run: its tables as lazy frames of one row a game, seat, trip or line, and the manifest that tells of them."""

    name: str
    experiment: Mapping[str, Any]
    variants: tuple[VariantInfo, ...]
    tables: Mapping[str, pl.LazyFrame]
    asked: int  # games every variant was to play

    @property
    def paired(self) -> bool:
        """Whether the same game number means the same layout and deal in every variant."""
        same = len({variant.cluster for variant in self.variants}) == 1
        return self.experiment.get("design", "paired") == "paired" and same

    @cached_property
    def played(self) -> pl.DataFrame:
        """Games of every variant and status."""
        counts = self.tables["games"].group_by("variant", "status").agg(pl.len().alias("games")).collect()
        return counts.with_columns(pl.col("variant", "status").cast(pl.String)).sort("variant", "status")

    @cached_property
    def counted(self) -> "RunTables":
        """The same run with finished games only: what metrics look at."""
        if not self.left_out:
            return self
        others = self.tables["games"].filter(pl.col("status") != FINISHED).select("variant", "game")
        tables = {name: frame.join(others, on=["variant", "game"], how="anti") for name, frame in self.tables.items()}
        return replace(self, tables=tables)

    @property
    def left_out(self) -> int:
        """Games that came to no regular end."""
        return int(self.played.filter(pl.col("status") != FINISHED)["games"].sum())

    def games_of(self, variant: str) -> int:
        """Finished games of a variant."""
        rows = self.played.filter((pl.col("variant") == variant) & (pl.col("status") == FINISHED))
        return int(rows["games"].sum())

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before any number: games missing, games left out."""
        told = []
        totals = dict(self.played.group_by("variant").agg(pl.col("games").sum()).iter_rows())
        short = {v.name: totals.get(v.name, 0) for v in self.variants if totals.get(v.name, 0) < self.asked}
        if short:
            parts = ", ".join(f"{name} {count:,}" for name, count in short.items())
            told.append(f"PARTIAL RUN: of {self.asked:,} games asked for of every variant there are only: {parts}.")
        for status, games in self.played.group_by("status", maintain_order=True).agg(pl.col("games").sum()).iter_rows():
            if status != FINISHED:
                told.append(f"{games:,} games ended with status {status} and are left out of every metric.")
        mixed = [v.name for v in self.variants if len(set(v.bots)) > 1 and v.cluster == 1]
        if mixed:
            told.append("Bots differ and seats are fixed, so the effect of a seat cannot be told from that of its bot.")
        return told


def open_run(path: Path) -> RunTables:
    """The run of a folder; parts that are missing or damaged, or rules of several versions, are an error."""
    manifest = _manifest(path)
    experiment = manifest.get("experiment", {})
    variants = tuple(VariantInfo.of(about, experiment.get("seats", "fixed")) for about in manifest["variants"])
    versions = sorted({str(variant.about.get("rules_version")) for variant in variants})
    if len(versions) > 1:
        raise MmsimError(f"run {path} mixes rules versions {', '.join(versions)}; play it anew with one of them")
    asked = int(manifest.get("games", experiment.get("games", 0)))
    return RunTables(str(experiment.get("name", path.name)), experiment, variants, _tables(path), asked)


def _manifest(path: Path) -> dict[str, Any]:
    file = path / "manifest.json"
    if not file.is_file():
        raise UsageError(f"there is no run at {path}: it has no manifest.json")
    try:
        manifest = json.loads(file.read_bytes())
        if not manifest["variants"]:
            raise MmsimError(f"run {path} has no variants")
    except (ValueError, KeyError, TypeError) as error:
        raise MmsimError(f"the manifest of run {path} is damaged: {error}") from error
    return dict(manifest)


def _tables(path: Path) -> dict[str, pl.LazyFrame]:
    parts = {folder.name: sorted(folder.glob("part-*.parquet")) for folder in sorted(path.iterdir()) if folder.is_dir()}
    parts = {table: files for table, files in parts.items() if files}
    if "games" not in parts:
        raise MmsimError(f"run {path} has no games yet")
    everywhere = {file.name for files in parts.values() for file in files}
    for table, files in parts.items():
        missing = sorted(everywhere - {file.name for file in files})
        if missing:
            raise MmsimError(f"run {path} is incomplete: table {table} lacks {missing[0]}{_and_more(missing)}")
        damaged = [file for file in files if not _is_whole(file)]
        if damaged:
            raise MmsimError(f"{damaged[0]} is damaged{_and_more(damaged)}; resume the run to play it anew")
    tables = {table: pl.scan_parquet(files) for table, files in parts.items()}
    try:
        pl.collect_all([frame.select(pl.len()) for frame in tables.values()])
    except pl.exceptions.PolarsError as error:
        raise MmsimError(f"the tables of run {path} cannot be read: {str(error).splitlines()[0]}") from error
    return tables


def _and_more(things: list[Any]) -> str:
    return f" and {len(things) - 1} more" if len(things) > 1 else ""


def _is_whole(file: Path) -> bool:
    """Whether a Parquet file has its first and last bytes: one cut short has not."""
    with file.open("rb") as stream:
        first = stream.read(4)
        stream.seek(0, 2)
        if stream.tell() < 12:
            return False
        stream.seek(-4, 2)
        return first == _MAGIC == stream.read(4)
