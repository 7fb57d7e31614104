"""A run on disk: tables in parts, a manifest, and a journal of the parts that are done."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mmsim.batch import bot_sources, journal, run_folder
from mmsim.batch.experiment import (
    Experiment,
    default_part_games,
    prepare_variants,
    thinning,
    variants_of,
    with_nets,
    with_retrained_levels,
)
from mmsim.batch.journal import JOURNAL, JournalEntry, JournalLine, JournalWriter, SideFile
from mmsim.batch.manifest import (
    FORMAT,
    INPUTS,
    MANIFEST,
    Finished,
    KeptRecord,
    Machine,
    Manifest,
    Precision,
    RetrainedNets,
    check_part_size,
    read_manifest,
    write_manifest,
)
from mmsim.batch.plan import Part, RunPlan
from mmsim.batch.retrained_nets import flaws_of_nets
from mmsim.core.game import SimulatedGame
from mmsim.core.variant import PlayableVariant
from mmsim.errors import MmsimError, UsageError, full_name, unknown
from mmsim.games import find_game
from mmsim.system.files import checked_file_name, open_regular, read_bytes, write_atomically
from mmsim.system.machine import machine

if TYPE_CHECKING:
    import polars as pl

_MAX_SHOWN_LENGTH = 300  # of a value in an error
_UNTIL_DIVISOR, _SMALL_PART = 10, 100  # with `--until`, parts of more than 100 games are ten times smaller


class Run:
    """A run on disk; `run.games`, `run.seats` and so on are its tables as lazy frames, with the level of play.

    Bots in Python are loaded from `bots_from` and nowhere else: nothing inside a run's folder is ever imported.
    """

    def __init__(self, folder: str | os.PathLike[str], bots_from: Path | None = None) -> None:
        self.folder = Path(folder)
        _check_utf_8(self.folder, "rename it")
        self.bots_from = bots_from
        self.manifest = read_manifest(self.folder)
        self._verified: dict[Path, tuple[int, int]] = {}  # files with the right checksum: size and time of change

    def __repr__(self) -> str:
        summary = self.summary()
        players = f"{summary['bots']}; {summary['games']:,} games of each"
        return f"Run('{self.folder}', {summary['state']}: {', '.join(self.variant_names)}; {players})"

    @classmethod
    def create(cls, folder: Path, experiment: Experiment, until: Precision | None = None) -> "Run":
        """A new run with no game played yet."""
        _check_utf_8(folder, "choose another")
        if (folder / MANIFEST).exists():
            raise UsageError(
                f"{folder} already holds a run; continue it (mmsim resume {folder}), extend it "
                f"(mmsim run {folder} --more GAMES) or choose another folder with --out"
            )
        run_folder.remove_leftovers(folder, ())
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty and not a run; choose another folder with --out")
        game, experiment = find_game(experiment.game), with_retrained_levels(experiment)
        if experiment.retrain:
            with_nets(experiment.game, "", str(folder))  # refuses a folder that bots cannot name
        prepared = prepare_variants(experiment, game)
        if experiment.part_games is None:
            games_per_deal = lcm(*(variant.games_per_deal for variant in prepared))
            part_games = default_part_games(experiment, games_per_deal)
            if until and part_games > _SMALL_PART:  # it stops at the end of a part, so parts are kept small
                part_games = max(games_per_deal, part_games // _UNTIL_DIVISOR // games_per_deal * games_per_deal)
            experiment = replace(experiment, part_games=part_games)
        kept, all_bots = _keep_inputs(folder, experiment), ",".join(level.bots for level in experiment.played_levels)
        manifest = Manifest(
            format=FORMAT,
            experiment=kept.to_json(),
            games=0 if until else experiment.games,
            until=until,
            **_described(experiment, prepared),
            tables={
                table: {name: str(dtype) for name, dtype in schema.items()} for table, schema in game.tables.items()
            },
            bots=bot_sources.keep(folder, all_bots),
            created=_now(),
            machine=Machine(**machine()),
            finished=None,
        )
        check_part_size(manifest)
        write_manifest(folder, manifest)
        run = cls(folder, bot_sources.location(all_bots))
        seated = [level.bots for level in experiment.played_levels]
        variants = variants_of(run.experiment.with_bots(seated))  # with the copies of the files
        run.prepared = [
            replace(playable, variant=variant) for playable, variant in zip(prepared, variants, strict=True)
        ]
        return run

    # --- what is played ---------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.experiment.name

    @cached_property
    def experiment(self) -> Experiment:
        """The experiment of the run; files it names are the copies inside the run."""

        def in_folder(name: str) -> str:
            return str(self.folder / name) if name.startswith(f"{INPUTS}/") else name

        return self.manifest.parsed_experiment.with_files(in_folder)

    @property
    def game(self) -> SimulatedGame:
        return find_game(self.experiment.game)

    @cached_property
    def prepared(self) -> list[PlayableVariant]:
        """The variants, prepared; an error if they are no longer what the run began with."""
        prepared = self._prepare()
        for variant, before in zip(prepared, self.manifest.variants, strict=True):
            if variant.description != before:
                difference = _first_difference(msgspec.to_builtins(before), msgspec.to_builtins(variant.description))
                raise MmsimError(
                    f"the variant '{before.name}' is no longer what {self.folder} began with: {difference}; "
                    "start a new run"
                )
        if [self.game.rows_per_game(variant) for variant in prepared] != self.manifest.rows_per_game:
            raise MmsimError(f"{self.folder} was started with different tables; start a new run")
        return prepared

    def _prepare(self) -> list[PlayableVariant]:
        """The variants as they are now, with bots and nets from where they are kept."""
        for _, flaw in flaws_of_nets(self.folder, self.manifest.nets):
            raise MmsimError(f"{flaw}; fit it again: mmsim resume {self.folder}")
        seated = [
            bot_sources.find(self.folder, level.bots, self.manifest.bots, self.bots_from)
            for level in self.experiment.played_levels
        ]
        return prepare_variants(self.experiment.with_bots(seated), self.game, self.nets)

    @property
    def games_per_variant(self) -> int:
        return self.manifest.games

    @property
    def plan(self) -> RunPlan:
        return self.manifest.plan

    @property
    def variant_names(self) -> list[str]:
        return [about.name for about in self.manifest.variants]

    def variant_index(self, name: str | None) -> int:
        names = self.variant_names
        if name is None:
            if len(names) > 1:
                raise UsageError(
                    f"{self.folder} has {len(names)} variants; say which with --variant: {', '.join(names)}"
                )
            return 0
        return names.index(full_name("variant", name, names))

    def summary(self) -> dict[str, Any]:
        """What the run is, how far it is and how large, for a list of runs."""
        done, size = 0, 0
        for entry in self.done_entries():
            done += 1
            size += entry.size
        state = "playing" if self.is_locked else "stopped"
        if self.manifest.finished:
            state = "finished" if done == self.plan.parts else "damaged"
        return {
            "folder": str(self.folder),
            "state": state,
            "variants": self.variant_names,
            "bots": " | ".join(level.name for level in self.experiment.played_levels),
            "games": self.games_per_variant,
            "parts": self.plan.parts,
            "parts_done": done,
            "bytes": size,
        }

    # --- neural nets that are fitted to the variants -----------------------------------------------------------------

    @property
    def nets(self) -> list[str]:
        """The files of the nets that retrained levels play the variants with; empty where the shipped ones are kept."""
        return [str(self.folder / nets.file) if nets.gained else "" for nets in self.manifest.nets]

    @property
    def analysed_variants(self) -> list[int]:
        """The numbers of the variants to analyse: at retrained levels, instead of the shipped ones they come from."""
        count = self.experiment.variants_per_level
        return [place * count + number for place in self.experiment.analysed_levels() for number in range(count)]

    def keep_nets(self, nets: list[RetrainedNets], is_last: bool) -> None:
        """Store the nets that were fitted so far; those of the last variant settle which levels play.

        If no variant has gained, retrained levels would play just like the shipped ones and are dropped.
        """
        if not is_last:
            self.update_manifest(nets=nets)
            return
        stored = self.manifest.parsed_experiment
        if not any(fitted.gained for fitted in nets):
            shipped = tuple(level for level in stored.levels if not level.is_retrained)
            stored = replace(stored, levels=shipped)
        self.manifest = msgspec.structs.replace(self.manifest, nets=nets, experiment=stored.to_json())
        vars(self).pop("experiment", None)
        vars(self).pop("prepared", None)
        self.update_manifest(**_described(self.experiment, self._prepare()))

    # --- tables ----------------------------------------------------------------------------------------------------

    @property
    def table_names(self) -> list[str]:
        return list(self.manifest.tables)

    def table(self, name: str) -> "pl.LazyFrame":
        """A table as it is stored, all parts that are done, in the order of the plan, after its files were verified."""
        if name not in self.table_names:
            raise unknown("table", name, self.table_names)
        return self.scan(name, self.verified_parts(name))

    def scan(self, table: str, parts: Sequence[Part]) -> "pl.LazyFrame":
        """A table of some parts, without verifying them."""
        import polars as pl  # slow to import, and not needed to list or resume a run

        if not parts:
            return pl.LazyFrame(schema=self.game.tables[table])
        return pl.scan_parquet([self.folder / table / part.file for part in parts], glob=False)

    def scan_by_name(self, table: str, parts: Sequence[Part] | None = None) -> "pl.LazyFrame":
        """A table whose column `variant` also names the level, as in `variant_names`.

        It has the given parts, without verifying them, or else all finished parts, verified.
        """
        import polars as pl  # slow to import, and not needed to list or resume a run

        from mmsim.tables.frames import with_name

        if parts is None:
            parts = self.verified_parts(table)
        if not parts or len(self.experiment.played_levels) == 1:
            return self.scan(table, parts)
        by_variant: dict[int, list[Part]] = {}
        for part in parts:
            by_variant.setdefault(part.variant, []).append(part)
        names = self.variant_names
        return pl.concat([with_name(self.scan(table, some), names[number]) for number, some in by_variant.items()])

    def __getattr__(self, name: str) -> "pl.LazyFrame":
        manifest: Manifest | None = self.__dict__.get("manifest")
        tables = manifest.tables if manifest else {}
        if name in tables:
            return self.table(name)
        raise AttributeError(f"a run has no {name!r}; its tables are {', '.join(tables)}")

    # --- the journal -----------------------------------------------------------------------------------------------

    def journal_entries(self) -> Iterator[JournalEntry]:
        """The entries of the journal in the order in which parts were done; damaged lines are left out."""
        return (entry for _, entry in self._lines() if isinstance(entry, JournalEntry))

    def damaged_lines(self) -> Iterator[str]:
        """A sentence for every damaged line of the journal."""
        for number, entry in self._lines():
            if isinstance(entry, str):
                yield f"line {number} of {self.folder / JOURNAL} is damaged: {entry}"

    def done_entries(self) -> Iterator[JournalEntry]:
        """The journal entries of finished parts: for each part the last undamaged line whose games match the plan.

        A part may have been played twice: after it was damaged, or with more games after the run was extended.
        """
        plan = self.plan
        last: dict[int, int] = {}  # part -> line of the journal
        for line, entry in self._lines():
            if isinstance(entry, JournalEntry) and entry.part < plan.parts and entry.matches(plan.part(entry.part)):
                last[entry.part] = line
        for line, entry in self._lines():
            if isinstance(entry, JournalEntry) and last.get(entry.part) == line:
                yield entry

    def side_files(self) -> list[SideFile]:
        """Every version of the files beside the tables that was written."""
        return [entry for _, entry in self._lines() if isinstance(entry, SideFile)]

    def _lines(self) -> Iterator[tuple[int, JournalLine | str]]:
        """The lines of the journal by number; one that cannot belong to this run counts as damaged."""
        descriptions, rows = self.manifest.variants, self.manifest.rows_per_game
        for number, entry in journal.read_journal(self.folder / JOURNAL):
            if isinstance(entry, JournalEntry) and not (
                entry.variant < len(descriptions)
                and {table: file.rows for table, file in entry.tables.items()}
                == {table: per_game * entry.games for table, per_game in rows[entry.variant].items()}
                and len(entry.shares) == len(descriptions[entry.variant].seat_player)
            ):
                yield number, "it belongs to another run"
            else:
                yield number, entry

    def verified_parts(self, *tables: str) -> list[Part]:
        """The parts that are done, in the order of the plan; an error if their files of some tables are damaged.

        Without tables the files of all tables are verified.
        """
        entries = sorted(self.done_entries(), key=lambda entry: entry.part)
        flaws = (flaw for entry in entries for flaw in self.flaws(entry, tables or self.table_names))
        if problem := next(self.damaged_lines(), None) or next(flaws, None):
            raise self._damaged(problem)
        parts = [self.plan.part(entry.part) for entry in entries]
        self.check_footers(parts, tables)
        return parts

    def _damaged(self, problem: str) -> MmsimError:
        return MmsimError(f"{problem}; play it again: mmsim resume {self.folder} --deep")

    def check_footers(self, parts: Sequence[Part], tables: Sequence[str] = ()) -> None:
        """An error if a file does not have the columns of the manifest or the rows of its games, by its footer."""
        from mmsim.tables.parquet_files import check_footer  # imports Polars

        for table in tables or self.table_names:
            for part in parts:
                rows = self.manifest.rows_per_game[part.variant][table] * part.count
                path = self.folder / table / part.file
                try:
                    check_footer(path, dict.fromkeys(self.manifest.tables[table]), range(rows, rows + 1))
                except MmsimError as error:
                    raise self._damaged(f"{path} {error}") from error

    def flaws(self, entry: JournalEntry, tables: Sequence[str] | None = None) -> Iterator[str]:
        """What is wrong with the files of a part; a file is hashed once as long as it does not change."""
        for table in tables or entry.tables:
            file, path = entry.tables[table], self.folder / table / entry.file
            try:
                with open_regular(path) as content:
                    status = os.fstat(content.fileno())
                    if status.st_size != file.bytes:
                        yield f"{path} has {status.st_size} bytes instead of {file.bytes}"
                    elif self._verified.get(path) != (status.st_size, status.st_mtime_ns):
                        if hashlib.file_digest(content, "sha256").hexdigest() != file.sha256:
                            yield f"{path} does not match its checksum in the journal"
                        else:
                            self._verified[path] = status.st_size, status.st_mtime_ns
            except FileNotFoundError:
                yield f"{path} is missing"
            except OSError as error:
                yield f"{path} cannot be read: {error.strerror or error}"

    def is_untouched(self, entry: JournalEntry) -> bool:
        """True if the files of a part have the size and the time of change with which they were written."""
        for table, file in entry.tables.items():
            try:
                status = (self.folder / table / entry.file).lstat()
            except OSError:
                return False
            if not stat.S_ISREG(status.st_mode) or (status.st_size, status.st_mtime_ns) != (file.bytes, file.mtime_ns):
                return False
        return True

    # --- writing ---------------------------------------------------------------------------------------------------

    @property
    def is_locked(self) -> bool:
        """True while a process writes to this run."""
        return run_folder.is_locked(self.folder)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the run's write lock."""
        run_folder.refuse_links(self.folder, self.table_names)
        with run_folder.locked(self.folder):
            self.manifest = read_manifest(self.folder)  # another writer may have changed it
            run_folder.remove_leftovers(self.folder, self.table_names)
            yield

    def update_manifest(self, **changes: Any) -> None:
        self.manifest = msgspec.structs.replace(self.manifest, **changes)
        write_manifest(self.folder, self.manifest)

    def journal_writer(self) -> "closing[JournalWriter]":
        """The journal, open for appending after its last complete line."""
        return closing(JournalWriter(self.folder / JOURNAL))

    def rewrite_journal(self, intact: bytearray) -> None:
        """Keep the lines of intact parts and of files beside the tables, with the present times of change of parts."""
        entries = (journal.with_times(self.folder, entry) for entry in self.done_entries() if intact[entry.part])
        journal.rewrite(self.folder / JOURNAL, chain(entries, self.side_files()))

    def totals(self) -> Finished:
        """Totals of all parts, with a digest of their rows by which runs can be compared; without records."""
        plan = self.plan
        digests = bytearray(32 * plan.parts)
        rows, size, errors = dict.fromkeys(self.table_names, 0), 0, 0
        seen = bytearray(plan.parts)
        for entry in self.done_entries():
            seen[entry.part] = 1
            text = "".join(f"{table} {file.digest}\n" for table, file in sorted(entry.tables.items()))
            digests[32 * entry.part : 32 * entry.part + 32] = hashlib.sha256(text.encode()).digest()
            for table, file in entry.tables.items():
                rows[table] += file.rows
            size += entry.size
            errors += len(entry.errors)
        if not all(seen):
            raise MmsimError(f"the journal of {self.folder} lacks {seen.count(0)} parts")
        return Finished(_now(), plan.parts, rows, size, errors, hashlib.sha256(digests).hexdigest(), [])

    def finish(self, records: Sequence[KeptRecord]) -> None:
        """Write the totals and the kept records to the manifest: the run is finished."""
        self.update_manifest(finished=msgspec.structs.replace(self.totals(), records=list(records)))

    @property
    def finished(self) -> Finished:
        """The totals of a finished run; an error if it is not finished."""
        if self.manifest.finished is None:
            raise MmsimError(f"{self.folder} is not finished; continue it: mmsim resume {self.folder}")
        return self.manifest.finished


def _check_utf_8(folder: Path, advice: str) -> None:
    """Refuse a folder that Polars cannot open."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise UsageError(f"the name {folder} is not valid UTF-8; {advice}") from None


def _described(experiment: Experiment, prepared: Sequence[PlayableVariant]) -> dict[str, Any]:
    """What a manifest stores about the variants."""
    game = find_game(experiment.game)
    return {
        "variants": [variant.description for variant in prepared],
        "rows_per_game": [game.rows_per_game(variant) for variant in prepared],
        "every": [every for every in thinning(experiment) for _ in range(experiment.variants_per_level)],
    }


def _keep_inputs(folder: Path, experiment: Experiment) -> Experiment:
    """Copy the ruleset and board files of an experiment into the run, so that it can be resumed anywhere."""

    def copied(name_or_path: str) -> str:
        if not name_or_path.endswith(".toml"):
            return name_or_path
        path = Path(name_or_path)
        digest = hashlib.sha256(name_or_path.encode()).hexdigest()[:8]
        copy = f"{INPUTS}/{digest}/{checked_file_name(path.name, 'the file')}"
        write_atomically(folder / copy, read_bytes(path))
        return copy

    return experiment.with_files(copied)


def _first_difference(before: Any, now: Any, where: str = "") -> str:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in [*before, *(key for key in now if key not in before)]:
            if before.get(key) != now.get(key):
                return _first_difference(before.get(key), now.get(key), f"{where}.{key}" if where else str(key))
    old, new = (
        shown if len(shown := json.dumps(value)) < _MAX_SHOWN_LENGTH else f"{shown[:_MAX_SHOWN_LENGTH]}..."
        for value in (before, now)
    )
    return f"{where} was {old} and is {new}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
