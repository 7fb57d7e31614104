"""Carrying out a run: play the missing parts, write each to the journal, report progress."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import TextIOWrapper
from math import isfinite, lcm
from pathlib import Path

import polars as pl
from msgspec.structs import replace

from mmsim.batch.cluster import Cluster, Scheduler
from mmsim.batch.confidence import MetricValues, PrecisionLooks, Tally
from mmsim.batch.experiment import cost_of
from mmsim.batch.journal import JournalEntry
from mmsim.batch.manifest import Precision
from mmsim.batch.plan import Part, RunPlan
from mmsim.batch.pool import HEARTBEAT_TIMEOUT_S, Heartbeat, Pool
from mmsim.batch.remarkable import keep_records, records_are_intact
from mmsim.batch.retrained_nets import variants_to_retrain
from mmsim.batch.run import Run
from mmsim.batch.run_folder import LOG_FILE
from mmsim.batch.worker import LOG, Task
from mmsim.errors import MmsimError
from mmsim.system.files import failing_with, open_for_appending
from mmsim.system.machine import machine
from mmsim.tables.frames import with_name

_MIN_PACE_S = 1.0  # a shorter time says little about the pace
_PACE_WINDOW_S = 30.0
_PILOT_GAMES, _PILOT_S = 600, 2.0  # a forecast before the run stops after either


@dataclass(frozen=True)
class GamesForecast:
    """How many games of every variant a precision will take, and half the width of the interval so far."""

    games: int
    half_width: float


@dataclass
class Status:
    """How far a run is; games are those of all variants together."""

    games: int  # to be played in all
    done: int = 0
    seconds: float = 0.0  # of this session
    done_before: int = 0  # games that were done before this session
    shares: dict[str, list[Tally]] = field(default_factory=dict)  # variant -> win share of every seat
    errors: int = 0
    forecast: GamesForecast | None = None
    total_cost: float = 0.0  # of all games, where some take longer than others; 0: all take equally long
    cost_done: float = 0.0
    _recent: deque[tuple[float, float]] = field(default_factory=deque)  # (seconds, progress)

    def add(self, entry: JournalEntry, cost: float) -> None:
        """Count the games of a finished part, each of this cost."""
        self.done += entry.games
        self.cost_done += entry.games * cost
        self.errors += len(entry.errors)

    def tick(self, seconds: float) -> None:
        """Note how far the run is after this many seconds."""
        self.seconds = seconds
        if not self.under_way:  # loading and compiling say nothing about the pace
            self._recent.clear()
        if not self._recent or seconds - self._recent[-1][0] > _PACE_WINDOW_S / 30:
            self._recent.append((seconds, self._progress))
        while seconds - self._recent[0][0] > _PACE_WINDOW_S:
            self._recent.popleft()

    @property
    def under_way(self) -> bool:
        """True once this session has played a game."""
        return self.done > self.done_before

    @property
    def games_per_s(self) -> float:
        return (self.done - self.done_before) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """From the pace of the last half minute, as soon as there is one."""
        if not self._recent or self._progress <= self._recent[0][1] or self.seconds - self._recent[0][0] < _MIN_PACE_S:
            return None
        seconds, progress = self._recent[0]
        left = max(0.0, (self.total_cost or self.games) - self._progress)
        return left * (self.seconds - seconds) / (self._progress - progress)

    @property
    def _progress(self) -> float:
        return self.cost_done if self.total_cost else self.done


Watch = Callable[[Status], None]


def follow(
    events: Iterable[JournalEntry | Heartbeat], status: Status, costs: Sequence[float], began: float, watch: Watch
) -> Iterator[JournalEntry]:
    """Yield the entries of finished parts, and keep the status up to date; `costs` are those of a game by variant."""
    done, cost_done = status.done, status.cost_done  # without games of unfinished parts
    for event in events:
        status.done, status.cost_done = done, cost_done
        if isinstance(event, JournalEntry):
            status.add(event, costs[event.variant])
            done, cost_done = status.done, status.cost_done
            yield event
        else:
            status.done += event.games
            status.cost_done += sum(games * costs[variant] for variant, games in event.progress)
        status.tick(time.monotonic() - began)
        watch(status)


@dataclass
class Session:
    """One attempt to carry out a run, on this machine or on a cluster."""

    run: Run
    workers: int = 1
    cluster: Scheduler | None = None
    watch: Watch = lambda status: None
    metric_values: MetricValues | None = None  # for a run that is played until a metric is known
    heartbeat_timeout_s: float = HEARTBEAT_TIMEOUT_S
    notify: Callable[[str], None] = lambda text: None  # what a user should know while nothing is played
    deep: bool = False  # compare every file with its checksum, even those that look untouched

    def carry_out(self) -> Status:
        """Play everything that is missing; the run is complete afterwards."""
        run = self.run
        if len(run.manifest.nets) < len(variants_to_retrain(run.experiment)):
            raise MmsimError(f"the nets of {run.folder} are not fitted yet; continue: mmsim resume {run.folder}")
        with run.writing(), run_log(run.folder):
            self._take_stock()
            with run.journal_writer() as self._journal:
                with self._new_executor() as self._executor:
                    self._start()
                    if run.manifest.until:
                        self._play_until(run.manifest.until)
                    else:
                        self._play(run.plan)
                self._journal.finish()
            self._finish()
        return self.status

    def _finish(self) -> None:
        """Write the totals of the run to its manifest, unless they are there already."""
        run, before = self.run, self.run.manifest.finished
        now = run.totals()
        if before and replace(before, at=now.at, records=[]) == now and records_are_intact(run):
            return
        run.finish(keep_records(run))
        LOG.info("finished, digest %s", run.finished.digest)

    def _take_stock(self) -> None:
        """Count the parts that are done; parts with damaged files will be played again."""
        run, plan = self.run, self.run.plan
        self._done = bytearray(plan.parts)
        self._costs = [cost_of(run.experiment.game, ready.variant.bots) for ready in run.prepared]
        self.status = Status(0, shares={ready.name: [] for ready in run.prepared})
        problems = list(run.damaged_lines())
        for problem in problems:
            LOG.warning(problem)
        rewrite = bool(problems)
        for entry in run.done_entries():
            untouched = run.is_untouched(entry)
            flaws = [] if untouched and not self.deep else [*run.flaws(entry)]
            for flaw in flaws:
                LOG.warning("part %d is played again: %s", entry.part, flaw)
            if not flaws:
                self.status.add(entry, self._costs[entry.variant])
                self._mark_done(entry)
            rewrite = rewrite or bool(flaws) or not untouched
        if rewrite:
            run.rewrite_journal(self._done)
        self.status.done_before = self.status.done
        self._stamps = [ready.fingerprint for ready in run.prepared]
        where = f"cluster {self.cluster}" if self.cluster else f"{self.workers} workers"
        LOG.info("%s: %d of %d parts are done; %s", run.folder, self._done.count(1), plan.parts, where)
        then, now = run.manifest.machine.versions, machine()["versions"]
        if then != now:
            LOG.warning("versions have changed: %s then, %s now; bytes of Parquet files may differ", then, now)
        if self._done.count(0) and run.manifest.finished:
            run.update_manifest(finished=None)

    def _start(self) -> None:
        """Start the workers loading while this process compiles the core, if needed."""
        run = self.run
        missing = self._done.count(0)
        if run.manifest.until:
            self._looks = _looks_of(run, run.manifest.until)
            missing += max(0, run.manifest.plan_of(self._looks.first).parts - len(self._done))
        if missing:
            self._executor.start_workers(missing)
            if not self.cluster:
                run.game.start_up()
        self._started = time.monotonic()

    def _play(self, plan: RunPlan) -> None:
        status = self.status
        self._done.extend(bytes(max(0, plan.parts - len(self._done))))
        status.games = max(status.games, plan.all_games)
        plan_cost = sum(plan.games_of(variant) * cost for variant, cost in enumerate(self._costs))
        status.total_cost = max(status.total_cost, plan_cost)
        events = self._executor.play(map(self._task, plan.open_parts(self._done)))
        for entry in follow(events, status, self._costs, self._started, self.watch):
            self._journal.append(entry)
            for error in entry.errors:
                LOG.warning("bot error in part %d: %s", entry.part, error)
            self._mark_done(entry)

    def _task(self, part: Part) -> Task:
        ready = self.run.prepared[part.variant]
        return Task(part, ready.variant, ready.name, stamp=self._stamps[part.variant])

    def _new_executor(self) -> Pool | Cluster:
        run = self.run
        if self.cluster:
            cluster = Cluster(self.cluster, run.folder, run.experiment.game, run.prepared)
            cluster.heartbeat_timeout_s, cluster.notify = self.heartbeat_timeout_s, self.notify
            return cluster
        pool = Pool(run.folder, run.experiment.game, self.workers, run.prepared[0].variant, run.folder / LOG_FILE)
        pool.heartbeat_timeout_s = self.heartbeat_timeout_s
        if not run.manifest.until:
            pool.games_left = run.plan.all_games - self.status.done
        return pool

    def _mark_done(self, entry: JournalEntry) -> None:
        self._done[entry.part] = 1
        shares = self.status.shares[self.run.variant_names[entry.variant]]
        shares.extend(Tally() for _ in range(len(entry.shares) - len(shares)))
        for tally, (count, mean, squares) in zip(shares, entry.shares, strict=True):
            tally.add(Tally(int(count), mean, squares))

    def _play_until(self, until: Precision) -> None:
        """Play until a metric is known to a precision; looks come after whole blocks of parts."""
        run, looks = self.run, self._looks
        if self.metric_values is None:
            raise MmsimError(f"there is no way to measure {until.metric}")
        blocks, target = 0, looks.first
        while True:
            if target > run.games_per_variant:
                run.update_manifest(games=target)
            plan = run.manifest.plan_of(target)
            self._play(plan)
            for block in range(blocks, plan.blocks):
                parts = plan.block(block)
                run.check_footers(parts)
                tables = {table: run.scan_by_name(table, parts) for table in run.table_names}
                looks.add(self.metric_values(tables).collect())
            blocks = plan.blocks
            if not looks.tallies:
                raise MmsimError(f"none of {target} games has a value of {until.metric}")
            next_target = looks.look(target)
            LOG.info("look %d after %d games: %s is known to ±%.4g", looks.count, target, until.metric, looks.known_to)
            self.status.forecast = GamesForecast(next_target or target, looks.known_to)
            if next_target is None:
                known_to = looks.known_to if isfinite(looks.known_to) else None
                run.update_manifest(until=replace(until, looks=looks.count, known_to=known_to))
                self._play(run.plan)  # the run may have more games already, from another version of mmsim
                return
            target = next_target


def extend(run: Run, more: int) -> None:
    """Add games of every variant to a run; they are played when it is resumed."""
    with run.writing():
        games = run.games_per_variant + more
        for ready in run.prepared:
            ready.check_whole_deals(games=games)
        run.update_manifest(games=games, until=None, finished=None, decision=None)


def forecast_games(run: Run, until: Precision, metric_values: MetricValues) -> tuple[GamesForecast, float]:
    """Before a run: how many games of every variant it will take, and games per second of one process."""
    game, looks = run.game, _looks_of(run, until)
    game.start_up()
    started, games, count = time.perf_counter(), 0, 2 * lcm(*looks.games_per_deal.values())
    while games < _PILOT_GAMES and time.perf_counter() - started < _PILOT_S:
        played = [(ready, game.play_games(ready, games, count)) for ready in run.prepared]
        tables = {
            table: pl.concat(
                [with_name(game.frame(prepared, table, rows[table]), prepared.name) for prepared, rows in played]
            ).lazy()
            for table in run.table_names
        }
        looks.add(metric_values(tables).collect())
        games += count
        count *= 2
    games_per_s = games * len(run.prepared) / (time.perf_counter() - started)
    if not looks.tallies:
        raise MmsimError(f"none of {games} games has a value of {until.metric}")
    return GamesForecast(max(looks.first, int(min(looks.limit, looks.games_needed(games)))), looks.widest), games_per_s


def _looks_of(run: Run, until: Precision) -> PrecisionLooks:
    return PrecisionLooks(
        until, {ready.name: ready.games_per_deal for ready in run.prepared}, run.plan.part_games, run.experiment.games
    )


@contextmanager
def run_log(folder: Path) -> Iterator[None]:
    """Write everything that happens to a run, also in its workers, to its log."""
    path = folder / LOG_FILE
    with failing_with(f"cannot write {path}"):
        stream = TextIOWrapper(open_for_appending(path), encoding="utf-8")
    handler = logging.StreamHandler(stream)
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk is reported once, elsewhere
    handler.setFormatter(logging.Formatter("%(asctime)s %(processName)s %(levelname)s %(message)s"))
    LOG.setLevel(logging.INFO)
    propagate, LOG.propagate = LOG.propagate, False
    LOG.addHandler(handler)
    try:
        yield
    except BaseException as error:
        LOG.error("stopped: %s", error or type(error).__name__)
        raise
    finally:
        LOG.removeHandler(handler)
        LOG.propagate = propagate
        handler.close()
        with suppress(OSError):  # of a full disk
            stream.close()
