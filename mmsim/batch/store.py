"""The folder of a run: tables in parts, a manifest, a journal of the parts that are done, a lock for its one writer."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmsim.batch import journal
from mmsim.batch.experiment import Experiment, PreparedVariant, from_mapping, prepare_variants, variants_of
from mmsim.batch.journal import JournalWriter
from mmsim.batch.plan import Part, Plan
from mmsim.batch.worker import Entry
from mmsim.core.bench import machine
from mmsim.core.errors import MmsimError, UsageError, unknown
from mmsim.core.files import write_atomically
from mmsim.core.game import Game
from mmsim.games import find_game

if TYPE_CHECKING:
    import polars as pl

FORMAT = "mmsim-run/2"
_MANIFEST, _JOURNAL, _LOCK, _INPUTS = "manifest.json", "parts.jsonl", "lock", "inputs"
LOG_FILE = "run.log"
RECORDS = "records"  # the folder of the records of remarkable games


class Run:
    """A run on disk; `run.seats` and its sisters are the tables as lazy frames."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.manifest = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            manifest = json.loads((self.folder / _MANIFEST).read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(f"{self.folder} is not a run: it has no {_MANIFEST}") from error
        except ValueError as error:
            raise MmsimError(f"{self.folder / _MANIFEST} is damaged: {error}") from error
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise MmsimError(f"{self.folder / _MANIFEST} is not of the format {FORMAT}")
        return manifest

    @classmethod
    def create(cls, folder: Path, experiment: Experiment, until: dict[str, Any] | None = None) -> "Run":
        """A new run with no game played yet."""
        if (folder / _MANIFEST).exists():
            raise UsageError(
                f"{folder} already holds a run; go on with it (mmsim resume {folder}), extend it "
                f"(mmsim run {folder} --more GAMES) or choose another folder with --out"
            )
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty and not a run; choose another folder with --out")
        game = find_game(experiment.game)
        made = prepare_variants(experiment, game)
        kept = _keep_inputs(folder, experiment)
        manifest = {
            "format": FORMAT,
            "experiment": kept.to_json(),
            "games": 0 if until else experiment.games,  # of every variant; looks ask for more
            "until": until,
            "variants": [ready.about for ready in made],
            "tables": {
                table: {name: str(kind) for name, kind in schema.items()} for table, schema in game.tables.items()
            },
            "created": _now(),
            "machine": machine(),
            "finished": None,
        }
        write_atomically(folder / _MANIFEST, _json(manifest))
        run = cls(folder)
        names = variants_of(run.experiment)  # with the copies of the files
        run.prepared = [replace(ready, variant=variant) for ready, variant in zip(made, names, strict=True)]
        return run

    # --- what it is about ------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.experiment.name

    @cached_property
    def experiment(self) -> Experiment:
        named = from_mapping(self.manifest["experiment"])

        def found(word: str) -> str:
            return str(self.folder / word) if word.startswith(f"{_INPUTS}/") else word

        return replace(named, variants=tuple(map(found, named.variants)), boards=tuple(map(found, named.boards)))

    @property
    def game(self) -> Game:
        return find_game(self.experiment.game)

    @cached_property
    def prepared(self) -> list[PreparedVariant]:
        """The variants, ready to be played; refused if they are no longer what the run began with."""
        made = prepare_variants(self.experiment, self.game)
        for ready, before in zip(made, self.manifest["variants"], strict=True):
            if json.loads(json.dumps(ready.about)) != before:
                raise MmsimError(
                    f"the variant '{before['name']}' is no longer what {self.folder} began with: "
                    f"{_first_difference(before, ready.about)}; start a new run"
                )
        return made

    @property
    def games_asked(self) -> int:
        """Games of every variant."""
        return int(self.manifest["games"])

    @property
    def plan(self) -> Plan:
        return Plan(len(self.manifest["variants"]), self.games_asked, self.experiment.part_games)

    @property
    def variant_names(self) -> list[str]:
        return [variant["name"] for variant in self.manifest["variants"]]

    def variant_index(self, name: str | None) -> int:
        names = self.variant_names
        if name is None:
            if len(names) > 1:
                raise UsageError(
                    f"{self.folder} has {len(names)} variants; say which with --variant: {', '.join(names)}"
                )
            return 0
        if name not in names:
            raise unknown("variant", name, names)
        return names.index(name)

    def summary(self) -> dict[str, Any]:
        """A run in one line: what it is, how far it is, how large."""
        done, size = 0, 0
        for entry in self.done():
            done += 1
            size += sum(file["bytes"] for file in entry.tables.values())
        playing = "playing" if self.is_locked else "stopped"
        return {
            "folder": str(self.folder),
            "state": "finished" if self.manifest["finished"] else playing,
            "variants": self.variant_names,
            "bots": self.experiment.bots,
            "games": self.games_asked,
            "parts": self.plan.parts,
            "parts_done": done,
            "bytes": size,
        }

    # --- tables ----------------------------------------------------------------------------------------------------

    @property
    def table_names(self) -> list[str]:
        return list(self.manifest["tables"])

    def table(self, name: str) -> "pl.LazyFrame":
        """A table of all parts that are done, in the order of the plan."""
        if name not in self.table_names:
            raise unknown("table", name, self.table_names)
        return self.scan(name, self.parts_done())

    def scan(self, table: str, parts: Sequence[Part]) -> "pl.LazyFrame":
        """A table of some parts."""
        import polars as pl  # slow to import; a run that is only listed or resumed need not wait for it

        if not parts:
            return pl.LazyFrame(schema=self.game.tables[table])
        return pl.scan_parquet([self.folder / table / part.file for part in parts], glob=False)

    def __getattr__(self, name: str) -> "pl.LazyFrame":
        tables = self.__dict__.get("manifest", {}).get("tables", ())
        if name in tables:
            return self.table(name)
        raise AttributeError(f"a run has no {name!r}; its tables are {', '.join(tables)}")

    # --- the journal -----------------------------------------------------------------------------------------------

    def journal(self) -> Iterator[Entry]:
        """What is written of parts, in the order in which they were done."""
        return journal.read(self.folder / _JOURNAL)

    def done(self) -> Iterator[Entry]:
        """The parts that count as done: what was last written of each, if it holds the games the plan wants in it.

        A part may be played twice: anew after it was damaged, or longer after the run was extended.
        """
        plan = self.plan
        last: dict[int, int] = {}  # part -> line of the journal
        for line, entry in enumerate(self.journal()):
            if entry.part < plan.parts and entry.is_of(plan.part(entry.part)):
                last[entry.part] = line
        yield from (entry for line, entry in enumerate(self.journal()) if last.get(entry.part) == line)

    def parts_done(self) -> list[Part]:
        """The parts that count as done, in the order of the plan."""
        return [self.plan.part(number) for number in sorted(entry.part for entry in self.done())]

    def is_whole(self, entry: Entry) -> bool:
        """Whether the files of a part are as the journal says."""
        return not list(self.flaws(entry))

    def flaws(self, entry: Entry) -> Iterator[str]:
        """What is wrong with the files of a part."""
        part = Part(entry.part, entry.variant, entry.first, entry.games)
        for table, file in entry.tables.items():
            path = self.folder / table / part.file
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                yield f"{path} is missing"
                continue
            except OSError as error:
                yield f"{path} cannot be read: {error.strerror or error}"
                continue
            if len(data) != file["bytes"]:
                yield f"{path} has {len(data)} bytes instead of {file['bytes']}"
            elif hashlib.sha256(data).hexdigest() != file["sha256"]:
                yield f"{path} has another checksum than the journal says"

    # --- writing ---------------------------------------------------------------------------------------------------

    @property
    def is_locked(self) -> bool:
        """Whether a process is writing to this run."""
        try:
            with (self.folder / _LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return False
        except FileNotFoundError:
            return False
        except OSError:
            return True

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of the run's one writer; the system gives it back even if the writer is killed."""
        path = self.folder / _LOCK
        try:
            lock = path.open("a+")
        except OSError as error:
            raise MmsimError(f"cannot write {path}: {error.strerror or error}") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                lock.seek(0)
                raise MmsimError(
                    f"{self.folder} is being written by process {lock.read().strip() or 'unknown'}; wait for it or "
                    "stop it first"
                ) from error
            with suppress(OSError):  # who it is matters to a refused writer only
                lock.truncate(0)
                lock.write(f"{os.getpid()}\n")
                lock.flush()
            self.manifest = self._read()  # the last writer may have changed it since
            yield

    def note(self, **changes: Any) -> None:
        """Change the manifest."""
        self.manifest.update(changes)
        write_atomically(self.folder / _MANIFEST, _json(self.manifest))

    @contextmanager
    def journal_writer(self) -> Iterator[JournalWriter]:
        """The journal, open for appending after its last whole line; remains of killed writers are removed."""
        for table in self.table_names:
            for left in (self.folder / table).glob(".*.tmp"):
                left.unlink(missing_ok=True)
        writer = JournalWriter(self.folder / _JOURNAL)
        try:
            yield writer
        finally:
            writer.close()

    def finish(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Write down that every part is there, a digest of all of them by which runs can be compared, and what records
        of its games lie beside them."""
        plan = self.plan
        sums = bytearray(32 * plan.parts)
        rows, size, errors = dict.fromkeys(self.table_names, 0), 0, 0
        seen = bytearray(plan.parts)
        for entry in self.done():
            seen[entry.part] = 1
            text = "".join(f"{table} {file['sha256']}\n" for table, file in sorted(entry.tables.items()))
            sums[32 * entry.part : 32 * entry.part + 32] = hashlib.sha256(text.encode()).digest()
            for table, file in entry.tables.items():
                rows[table] += file["rows"]
                size += file["bytes"]
            errors += len(entry.errors)
        if not all(seen):
            raise MmsimError(f"{self.folder} lacks {seen.count(0)} parts of its journal")
        self.note(
            finished={
                "at": _now(),
                "parts": plan.parts,
                "rows": rows,
                "bytes": size,
                "bot_errors": errors,
                "sha256": hashlib.sha256(sums).hexdigest(),
                "records": list(records),
            }
        )


def runs_in(folder: Path) -> list[Run]:
    """The runs of a folder, by name."""
    return [Run(path.parent) for path in sorted(folder.glob(f"*/{_MANIFEST}"))]


def _keep_inputs(folder: Path, experiment: Experiment) -> Experiment:
    """Copy the ruleset and board files an experiment names into the run, so that it can be resumed anywhere."""

    def kept(word: str) -> str:
        if not word.endswith(".toml"):
            return word
        name = f"{_INPUTS}/{hashlib.sha256(word.encode()).hexdigest()[:8]}/{Path(word).name}"
        write_atomically(folder / name, Path(word).read_bytes())
        return name

    return replace(
        experiment, variants=tuple(map(kept, experiment.variants)), boards=tuple(map(kept, experiment.boards))
    )


def _first_difference(before: Any, now: Any, where: str = "") -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            if before.get(key) != json.loads(json.dumps(now.get(key))):
                return _first_difference(before.get(key), now.get(key), f"{where}.{key}" if where else str(key))
    return f"{where} was {json.dumps(before)} and is {json.dumps(now)}"


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
