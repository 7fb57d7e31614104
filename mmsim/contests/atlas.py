"""Playing an atlas: a fixed number of games per layout of a board and level, kept as sums per layout.

The folder of an atlas has its plan (`atlas.json`), a journal of finished parts, and in the end the table
(`atlas.parquet`), whose bytes depend on the plan alone.
"""

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from mmsim.batch.cluster import Cluster, Scheduler
from mmsim.batch.experiment import cost_of
from mmsim.batch.journal import JOURNAL, JournalEntry, JournalWriter, read_journal
from mmsim.batch.plan import Part
from mmsim.batch.pool import Pool
from mmsim.batch.run_folder import LOG_FILE, locked
from mmsim.batch.session import Status, Watch, follow, run_log
from mmsim.batch.worker import SUMS, Task
from mmsim.contests.matches import Match, MatchRunner
from mmsim.core.layouts import Layouts
from mmsim.core.variant import PlayableVariant, Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game, find_shell
from mmsim.system.files import failing_with, read_bytes, write_atomically
from mmsim.system.machine import machine
from mmsim.tables.frames import parquet_bytes
from mmsim.tables.parquet_files import type_names

PLAN, TABLE = "atlas.json", "atlas.parquet"
LEVEL, NUMBER = "level", "layout"  # columns of the table, before the sums
_PART_GAMES = 9000  # of the quickest strong bot: some seconds of one core


class AtlasLevel(Struct, frozen=True, forbid_unknown_fields=True):
    """Who plays, and how many games on every layout."""

    name: str
    bots: str
    games: int
    fingerprint: str = ""  # of rules, board and bots as they were played


class AtlasPlan(Struct, frozen=True, forbid_unknown_fields=True):
    """What an atlas plays, and, when it is played, what its table must be like."""

    game: str
    rules: str
    players: int
    board: str
    seed: int
    layouts: int  # how many, in the order of `Layouts.at`
    levels: list[AtlasLevel]
    sha256: str = ""  # of the table
    rows: int = 0
    columns: dict[str, str] = {}  # with their types
    core_seconds: float = 0.0  # of all workers together
    versions: dict[str, str] = {}

    @property
    def space(self) -> Layouts:
        return find_shell(self.game).boards.all_layouts(self.board)

    @property
    def games(self) -> int:
        return sum(level.games * self.layouts for level in self.levels)

    def variant(self, level: AtlasLevel) -> Variant:
        return Variant(self.rules, self.players, self.space.board(level.games), level.bots, self.seed)

    def layouts_per_part(self, level: AtlasLevel) -> int:
        """By declared costs and never by the clock, so that parts hold the same games everywhere."""
        return max(1, int(_PART_GAMES / cost_of(self.game, level.bots) / level.games))

    def parts(self) -> Iterator[Part]:
        """Level after level."""
        number = 0
        for place, level in enumerate(self.levels):
            step = self.layouts_per_part(level)
            for first in range(0, self.layouts, step):
                yield Part(number, place, first * level.games, min(step, self.layouts - first) * level.games)
                number += 1


def play_atlas(
    folder: Path, plan: AtlasPlan, workers: int, watch: Watch, cluster: Scheduler | None = None
) -> tuple[AtlasPlan, pl.DataFrame]:
    """Play what is missing of an atlas; returns its plan, now with the checksum of the table, and the table."""
    game = find_game(plan.game)
    prepared = [game.prepare(plan.variant(level)) for level in plan.levels]
    stamped = [
        msgspec.structs.replace(level, fingerprint=ready.fingerprint)
        for level, ready in zip(plan.levels, prepared, strict=True)
    ]
    plan = msgspec.structs.replace(plan, levels=stamped)
    with failing_with(f"cannot write {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder), run_log(folder):
        _keep_plan(folder, plan)
        done = {entry.part: entry for entry in _intact_entries(folder, plan)}
        _play(folder, plan, prepared, done, workers, watch, cluster)
        table = _assemble(folder, plan)
        content = parquet_bytes(table)
        write_atomically(folder / TABLE, content)
        plan = msgspec.structs.replace(
            plan,
            sha256=hashlib.sha256(content).hexdigest(),
            rows=len(table),
            columns=type_names(table.schema),
            core_seconds=round(sum(entry.seconds for entry in done.values()), 1),
            versions=machine()["versions"],
        )
        _write_plan(folder, plan)
    return plan, table


def replay(
    plan: AtlasPlan, level: AtlasLevel, layouts: Sequence[int], seed: int, workers: int, watch: Watch
) -> pl.DataFrame:
    """Sums over new games on some layouts, as in the table of an atlas: `level.games` on each, one row each.

    All layouts are played with the same deals, so that they can be compared.
    """
    shell, space = find_shell(plan.game), plan.space
    boards = [shell.lay_out(plan.board, space.code(int(number))) for number in layouts]
    matches = [Match(Variant(plan.rules, plan.players, board, level.bots, seed), 0, level.games, 1) for board in boards]
    with MatchRunner(plan.game, workers, watch) as runner:
        return runner.sum_up(matches)


def read_plan(path: Path) -> AtlasPlan:
    """The plan of an atlas; MmsimError if it cannot be one."""
    try:
        return msgspec.json.decode(read_bytes(path), type=AtlasPlan)
    except OSError as error:
        raise MmsimError(f"cannot read {path}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise MmsimError(f"{path} is not the plan of an atlas: {error}") from error


def _write_plan(folder: Path, plan: AtlasPlan) -> None:
    write_atomically(folder / PLAN, msgspec.json.format(msgspec.json.encode(plan)) + b"\n")


def _keep_plan(folder: Path, plan: AtlasPlan) -> None:
    """Write the plan into a new folder; refuse one that was begun with another plan."""
    if not (folder / PLAN).exists():
        _write_plan(folder, plan)
        return
    begun = read_plan(folder / PLAN)
    names = ("game", "rules", "players", "board", "seed", "layouts", "levels")
    different = [name for name in names if getattr(begun, name) != getattr(plan, name)]
    if different:
        raise UsageError(f"{folder} holds an atlas with another plan ({', '.join(different)}); choose another folder")


def _intact_entries(folder: Path, plan: AtlasPlan) -> Iterator[JournalEntry]:
    """The parts in the journal whose files are still what they were."""
    expected = {part.number: part for part in plan.parts()}
    for _, line in read_journal(folder / JOURNAL):
        if isinstance(line, JournalEntry) and line.part in expected and line.matches(expected[line.part]):
            try:
                content = read_bytes(folder / SUMS / line.file)
            except OSError:
                continue
            if hashlib.sha256(content).hexdigest() == line.tables[SUMS].sha256:
                yield line


def _play(
    folder: Path,
    plan: AtlasPlan,
    prepared: list[PlayableVariant],
    done: dict[int, JournalEntry],
    workers: int,
    watch: Watch,
    cluster: Scheduler | None,
) -> None:
    """Play the missing parts into files and the journal."""
    missing = [part for part in plan.parts() if part.number not in done]
    if not missing:
        return
    costs = [cost_of(plan.game, level.bots) for level in plan.levels]
    total_cost = sum(cost * level.games for cost, level in zip(costs, plan.levels, strict=True)) * plan.layouts
    status = Status(plan.games, total_cost=total_cost)
    for entry in done.values():
        status.add(entry, costs[entry.variant])
    status.done_before = status.done

    def task(part: Part) -> Task:
        level, ready = plan.levels[part.variant], prepared[part.variant]
        name = f"{ready.name} at {level.name}"
        return Task(part, ready.variant, name, stamp=ready.fingerprint, games_per_row=level.games)

    if cluster:
        executor: Pool | Cluster = Cluster(cluster, folder, plan.game, prepared)
    else:
        executor = Pool(folder, plan.game, workers, prepared[0].variant, folder / LOG_FILE)
    with executor, closing(JournalWriter(folder / JOURNAL)) as journal:
        executor.start_workers(len(missing))
        if not cluster:
            find_game(plan.game).start_up()
        for entry in follow(executor.play(map(task, missing)), status, costs, time.monotonic(), watch):
            journal.append(entry)
            done[entry.part] = entry
        journal.finish()


def _assemble(folder: Path, plan: AtlasPlan) -> pl.DataFrame:
    """The table of all parts: level after level, in the order of layouts; every part is put in place and forgotten."""
    space = plan.space
    numbers = np.array([space.at(place) for place in range(plan.layouts)], np.uint32)
    rank, columns = np.argsort(np.argsort(numbers)), dict[str, NDArray[Any]]()
    for part in plan.parts():
        sums = pl.read_parquet(folder / SUMS / part.file, glob=False)
        first = part.first // plan.levels[part.variant].games
        rows = part.variant * plan.layouts + rank[first : first + len(sums)]
        for column in sums:
            values = column.to_numpy()
            columns.setdefault(column.name, np.zeros(len(plan.levels) * plan.layouts, values.dtype))[rows] = values
    levels = [pl.Series(LEVEL, [level.name]).new_from_index(0, plan.layouts) for level in plan.levels]
    known = {LEVEL: pl.concat(levels), NUMBER: np.tile(np.sort(numbers), len(plan.levels))}
    return pl.DataFrame({**known, **columns})
