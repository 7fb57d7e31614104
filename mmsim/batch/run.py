"""The folder of a run: tables in parts, a manifest, a journal of the parts that are done."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.timing import machine
from mmsim.batch import bot_sources, journal, run_files, run_lock
from mmsim.batch.experiment import Experiment, ReadyVariant, prepare_variants, thinned, usual_part_games, variants_of
from mmsim.batch.journal import JOURNAL, Entry, File, JournalWriter
from mmsim.batch.manifest import (
    FORMAT,
    INPUTS,
    MANIFEST,
    Finished,
    KeptRecord,
    Machine,
    Manifest,
    Until,
    read_manifest,
    write_manifest,
)
from mmsim.batch.plan import Part, Plan
from mmsim.core.game import SimulatedGame
from mmsim.errors import MmsimError, UsageError, full_name, unknown
from mmsim.games import find_game
from mmsim.system.files import file_name, open_regular, read_bytes, write_atomically

if TYPE_CHECKING:
    import polars as pl

_LONGEST_SHOWN = 300  # letters of a value in an error
LOG_FILE = "run.log"
_SHORTER, _FEW = 10, 100  # times are parts of so many games of a run that is played until something is known


class Run:
    """A run on disk; `run.seats` and its sisters are the tables as lazy frames.

    Bots in Python are looked for in `bots_from` and nowhere else: nothing that a folder says is ever imported.
    """

    def __init__(self, folder: str | os.PathLike[str], bots_from: Path | None = None) -> None:
        self.folder = Path(folder)
        self.bots_from = bots_from
        self.manifest = read_manifest(self.folder)
        self._hashed: dict[Path, tuple[int, int]] = {}  # files found whole, with their sizes and times

    @classmethod
    def create(cls, folder: Path, experiment: Experiment, until: Until | None = None) -> "Run":
        """A new run with no game played yet."""
        if (folder / MANIFEST).exists():
            raise UsageError(
                f"{folder} already holds a run; go on with it (mmsim resume {folder}), extend it "
                f"(mmsim run {folder} --more GAMES) or choose another folder with --out"
            )
        run_files.remove_left_behind_by_writers(folder, ())
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty and not a run; choose another folder with --out")
        game = find_game(experiment.game)
        made = prepare_variants(experiment, game)
        if experiment.part_games is None:
            deal = lcm(*(ready.games_a_deal for ready in made))
            games = usual_part_games(experiment, deal)
            if until and games > _FEW:  # it stops at the end of a part, which should not be far
                games = max(deal, games // _SHORTER // deal * deal)
            experiment = replace(experiment, part_games=games)
        kept = _keep_inputs(folder, experiment)
        manifest = Manifest(
            FORMAT,
            kept.to_json(),
            0 if until else experiment.games,
            [every for every in thinned(experiment) for _ in range(len(made) // len(experiment.members))],
            until,
            [json.loads(json.dumps(ready.about)) for ready in made],
            [game.rows_per_game(ready.prepared) for ready in made],
            {table: {name: str(kind) for name, kind in schema.items()} for table, schema in game.tables.items()},
            bot_sources.keep(folder, ",".join(experiment.members)),
            _now(),
            Machine(**machine()),
            None,
        )
        write_manifest(folder, manifest)
        run = cls(folder, bot_sources.place(",".join(experiment.members)))
        names = variants_of(run.experiment.with_members(experiment.members))  # with the copies of the files
        run.prepared = [replace(ready, variant=variant) for ready, variant in zip(made, names, strict=True)]
        return run

    # --- what it is about ------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.experiment.name

    @cached_property
    def experiment(self) -> Experiment:
        """What is played; files it names are those kept in the run."""
        named = self.manifest.asked

        def found(word: str) -> str:
            return str(self.folder / word) if word.startswith(f"{INPUTS}/") else word

        return replace(named, variants=tuple(map(found, named.variants)), boards=tuple(map(found, named.boards)))

    @property
    def game(self) -> SimulatedGame:
        return find_game(self.experiment.game)

    @cached_property
    def prepared(self) -> list[ReadyVariant]:
        """The variants, ready to be played; refused if they are no longer what the run began with."""
        found = [
            bot_sources.find(self.folder, member, self.manifest.bots, self.bots_from)
            for member in self.experiment.members
        ]
        made = prepare_variants(self.experiment.with_members(found), self.game)
        for ready, before in zip(made, self.manifest.variants, strict=True):
            now = json.loads(json.dumps(ready.about))
            if now != before:
                raise MmsimError(
                    f"the variant '{before['name']}' is no longer what {self.folder} began with: "
                    f"{_first_difference(before, now)}; start a new run"
                )
        if [self.game.rows_per_game(ready.prepared) for ready in made] != self.manifest.rows_a_game:
            raise MmsimError(f"{self.folder} was begun with tables of another kind; start a new run")
        return made

    @property
    def games_asked(self) -> int:
        """Games of every variant."""
        return self.manifest.games

    @property
    def plan(self) -> Plan:
        return self.manifest.plan

    @property
    def variant_names(self) -> list[str]:
        return [about.name for about in self.manifest.abouts]

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
        """A run in one line: what it is, how far it is, how large."""
        done, size = 0, 0
        for entry in self.done():
            done += 1
            size += entry.size
        state = "playing" if self.is_locked else "stopped"
        if self.manifest.finished:
            state = "finished" if done == self.plan.parts else "damaged"
        return {
            "folder": str(self.folder),
            "state": state,
            "variants": self.variant_names,
            "bots": " | ".join(self.experiment.members),
            "games": self.games_asked,
            "parts": self.plan.parts,
            "parts_done": done,
            "bytes": size,
        }

    # --- tables ----------------------------------------------------------------------------------------------------

    @property
    def table_names(self) -> list[str]:
        return list(self.manifest.tables)

    def table(self, name: str) -> "pl.LazyFrame":
        """A table of all parts that are done, in the order of the plan; its files are held against their checksums."""
        if name not in self.table_names:
            raise unknown("table", name, self.table_names)
        return self.scan(name, self.whole_parts(name))

    def scan(self, table: str, parts: Sequence[Part]) -> "pl.LazyFrame":
        """A table of some parts."""
        import polars as pl  # slow to import; a run that is only listed or resumed need not wait for it

        if not parts:
            return pl.LazyFrame(schema=self.game.tables[table])
        return pl.scan_parquet([self.folder / table / part.file for part in parts], glob=False)

    def __getattr__(self, name: str) -> "pl.LazyFrame":
        manifest: Manifest | None = self.__dict__.get("manifest")
        tables = manifest.tables if manifest else {}
        if name in tables:
            return self.table(name)
        raise AttributeError(f"a run has no {name!r}; its tables are {', '.join(tables)}")

    # --- the journal -----------------------------------------------------------------------------------------------

    def journal(self) -> Iterator[Entry]:
        """What is written of parts, in the order in which they were done; damaged lines are left out."""
        return (entry for _, entry in self._lines() if isinstance(entry, Entry))

    def damaged_lines(self) -> Iterator[str]:
        """What is wrong with the journal."""
        for number, entry in self._lines():
            if isinstance(entry, str):
                yield f"line {number} of {self.folder / JOURNAL} is damaged: {entry}"

    def done(self) -> Iterator[Entry]:
        """The parts that count as done: of each the last undamaged line, if it holds the games the plan wants in it.

        A part may be played twice: anew after it was damaged, or longer after the run was extended.
        """
        plan = self.plan
        last: dict[int, int] = {}  # part -> line of the journal
        for line, entry in self._lines():
            if isinstance(entry, Entry) and entry.part < plan.parts and entry.is_of(plan.part(entry.part)):
                last[entry.part] = line
        for line, entry in self._lines():
            if isinstance(entry, Entry) and last.get(entry.part) == line:
                yield entry

    def _lines(self) -> Iterator[tuple[int, Entry | str]]:
        """The lines of the journal; one that cannot be of this run is damaged."""
        abouts, rows = self.manifest.abouts, self.manifest.rows_a_game
        for number, entry in journal.read(self.folder / JOURNAL):
            if isinstance(entry, Entry) and not (
                entry.variant < len(abouts)
                and {table: file.rows for table, file in entry.tables.items()}
                == {table: each * entry.games for table, each in rows[entry.variant].items()}
                and len(entry.shares) == len(abouts[entry.variant].seat_player)
            ):
                yield number, "it is not of this run"
            else:
                yield number, entry

    def whole_parts(self, *tables: str) -> list[Part]:
        """The parts that are done, in the order of the plan, their files of some tables (or of all) held against their
        checksums; an error if anything is damaged."""
        problem = next(self.damaged_lines(), None)
        entries = sorted(self.done(), key=lambda entry: entry.part)
        flaws = (flaw for entry in entries for flaw in self.flaws(entry, tables or self.table_names))
        if problem := problem or next(flaws, None):
            raise MmsimError(f"{problem}; play it again: mmsim resume {self.folder} --deep")
        return [self.plan.part(entry.part) for entry in entries]

    def flaws(self, entry: Entry, tables: Sequence[str] | None = None) -> Iterator[str]:
        """What is wrong with the files of a part."""
        for table in tables or entry.tables:
            file, path = entry.tables[table], self.folder / table / entry.file
            try:
                with open_regular(path) as opened:
                    there = os.fstat(opened.fileno())
                    if there.st_size != file.bytes:
                        yield f"{path} has {there.st_size} bytes instead of {file.bytes}"
                    elif self._hashed.get(path) != (there.st_size, there.st_mtime_ns):
                        if hashlib.file_digest(opened, "sha256").hexdigest() != file.sha256:
                            yield f"{path} has another checksum than the journal says"
                        else:
                            self._hashed[path] = there.st_size, there.st_mtime_ns
            except FileNotFoundError:
                yield f"{path} is missing"
            except OSError as error:
                yield f"{path} cannot be read: {error.strerror or error}"

    def is_untouched(self, entry: Entry) -> bool:
        """Whether the files of a part have the size and the time they were put in place with."""
        return all(self._is_untouched(self.folder / table / entry.file, file) for table, file in entry.tables.items())

    def _is_untouched(self, path: Path, file: File) -> bool:
        with suppress(OSError):
            there = path.lstat()
            return stat.S_ISREG(there.st_mode) and (there.st_size, there.st_mtime_ns) == (file.bytes, file.mtime_ns)
        return False

    # --- writing ---------------------------------------------------------------------------------------------------

    @property
    def is_locked(self) -> bool:
        """Whether a process is writing to this run."""
        return run_lock.is_held(self.folder)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the one writer of the run."""
        run_files.refuse_links(self.folder, self.table_names)
        with run_lock.held(self.folder):
            self.manifest = read_manifest(self.folder)  # the last writer may have changed it since
            run_files.remove_left_behind_by_writers(self.folder, self.table_names)
            yield

    def note(self, **changes: Any) -> None:
        """Change the manifest."""
        self.manifest = msgspec.structs.replace(self.manifest, **changes)
        write_manifest(self.folder, self.manifest)

    @contextmanager
    def journal_writer(self) -> Iterator[JournalWriter]:
        """The journal, open for appending after its last whole line."""
        writer = JournalWriter(self.folder / JOURNAL)
        try:
            yield writer
        finally:
            writer.close()

    def mend_journal(self, whole: bytearray) -> None:
        """Leave in the journal the lines of the parts that are whole, with the times of their files as they are now."""
        entries = (journal.with_times(self.folder, entry) for entry in self.done() if whole[entry.part])
        journal.rewrite(self.folder / JOURNAL, entries)

    def totals(self) -> Finished:
        """What all parts come to, with a digest of their rows by which runs can be compared; no records yet."""
        plan = self.plan
        sums = bytearray(32 * plan.parts)
        rows, size, errors = dict.fromkeys(self.table_names, 0), 0, 0
        seen = bytearray(plan.parts)
        for entry in self.done():
            seen[entry.part] = 1
            text = "".join(f"{table} {file.digest}\n" for table, file in sorted(entry.tables.items()))
            sums[32 * entry.part : 32 * entry.part + 32] = hashlib.sha256(text.encode()).digest()
            for table, file in entry.tables.items():
                rows[table] += file.rows
            size += entry.size
            errors += len(entry.errors)
        if not all(seen):
            raise MmsimError(f"{self.folder} lacks {seen.count(0)} parts of its journal")
        return Finished(_now(), plan.parts, rows, size, errors, hashlib.sha256(sums).hexdigest(), [])

    def finish(self, records: Sequence[KeptRecord]) -> None:
        """Write down that every part is there, what they come to, and what records of its games lie beside them."""
        self.note(finished=msgspec.structs.replace(self.totals(), records=list(records)))

    @property
    def finished(self) -> Finished:
        """What a run that is finished came to."""
        if self.manifest.finished is None:
            raise MmsimError(f"{self.folder} is not finished; go on with it: mmsim resume {self.folder}")
        return self.manifest.finished


def runs_in(folder: Path) -> list[Run | MmsimError]:
    """The runs of a folder, by name; what is wrong with one hides no other."""
    return [_run_or_problem(path.parent) for path in sorted(folder.glob(f"*/{MANIFEST}"))]


def _run_or_problem(folder: Path) -> Run | MmsimError:
    try:
        return Run(folder)
    except MmsimError as problem:
        return problem


def _keep_inputs(folder: Path, experiment: Experiment) -> Experiment:
    """Copy the ruleset and board files an experiment names into the run, so that it can be resumed anywhere."""

    def kept(word: str) -> str:
        if not word.endswith(".toml"):
            return word
        of = hashlib.sha256(word.encode()).hexdigest()[:8]
        name = f"{INPUTS}/{of}/{file_name(Path(word).name, 'the file')}"
        write_atomically(folder / name, read_bytes(Path(word)))
        return name

    return replace(
        experiment, variants=tuple(map(kept, experiment.variants)), boards=tuple(map(kept, experiment.boards))
    )


def _first_difference(before: Any, now: Any, where: str = "") -> str:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in [*before, *(key for key in now if key not in before)]:
            if before.get(key) != now.get(key):
                return _first_difference(before.get(key), now.get(key), f"{where}.{key}" if where else str(key))
    was, is_so = (
        shown if len(shown := json.dumps(one)) < _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."
        for one in (before, now)
    )
    return f"{where} was {was} and is {is_so}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
