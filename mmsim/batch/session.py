"""Carrying out a run: what is missing is played, written down part by part, and shown to whoever watches."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite, lcm
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from benchmarks.timing import machine
from mmsim.batch.cluster_address import Scheduler
from mmsim.batch.experiment import cost_of
from mmsim.batch.journal import Entry
from mmsim.batch.manifest import Until
from mmsim.batch.plan import Part, Plan
from mmsim.batch.pool import PATIENCE_S, Heard, Pool
from mmsim.batch.precision import Looks, Measure, Precision
from mmsim.batch.remarkable import keep_records, records_are_there
from mmsim.batch.run import LOG_FILE, Run
from mmsim.batch.tally import Tally
from mmsim.batch.worker import LOG, Task
from mmsim.errors import MmsimError

if TYPE_CHECKING:
    import polars as pl

_PACE_S = 1.0  # a shorter time tells no pace
_LATELY_S = 30.0
_PILOT, _PILOT_S = 600, 2.0  # games and seconds an estimate before the run may take


@dataclass(frozen=True)
class Estimate:
    """How many games of every variant a wanted precision will take, and how narrow the interval is now."""

    games: int
    half_width: float


@dataclass
class Status:
    """What a person watching a run wants to know; games are those of all variants together."""

    games: int  # to be played in all
    done: int = 0
    seconds: float = 0.0  # of this session
    began_with: int = 0  # games that were done before this session
    shares: dict[str, list[Tally]] = field(default_factory=dict)  # variant -> win share of every seat
    errors: int = 0
    estimate: Estimate | None = None
    work: float = 0.0  # to be done in all, where games cost differently much; 0: all cost the same
    worked: float = 0.0
    _lately: deque[tuple[float, float]] = field(default_factory=deque)  # (seconds, how far it was)

    def tick(self, seconds: float) -> None:
        """Take note of how far the run is after so many seconds."""
        self.seconds = seconds
        if not self.under_way:  # loading and compiling say nothing of what is to come
            self._lately.clear()
        if not self._lately or seconds - self._lately[-1][0] > _LATELY_S / 30:
            self._lately.append((seconds, self._far))
        while seconds - self._lately[0][0] > _LATELY_S:
            self._lately.popleft()

    @property
    def under_way(self) -> bool:
        """Whether this session has played a game."""
        return self.done > self.began_with

    @property
    def games_per_s(self) -> float:
        return (self.done - self.began_with) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """From the pace of the last half minute, as soon as there is one."""
        if not self._lately or self._far <= self._lately[0][1] or self.seconds - self._lately[0][0] < _PACE_S:
            return None
        then, far = self._lately[0]
        return max(0.0, (self.work or self.games) - self._far) * (self.seconds - then) / (self._far - far)

    @property
    def _far(self) -> float:
        return self.worked if self.work else self.done


Watch = Callable[[Status], None]


class Executor(Protocol):
    """Plays parts, somewhere."""

    def __enter__(self) -> "Executor": ...
    def __exit__(self, *problem: object) -> None: ...
    def get_ready(self, parts: int) -> None:
        """Load what it takes to play so many parts; this does not wait for it."""

    def play(self, tasks: Iterator[Task]) -> Iterator[Entry | Heard]:
        """Play parts in any order and write their files; yields their entries, and how far the others are."""


@dataclass
class Session:
    """One go at a run, on this machine or on a cluster."""

    run: Run
    workers: int = 1
    cluster: Scheduler | None = None
    watch: Watch = lambda status: None
    measure: Measure | None = None
    patience: float = PATIENCE_S
    deep: bool = False  # hold every file against its checksum, also those that look untouched

    def carry_out(self) -> Status:
        """Play everything that is missing; the run is whole afterwards."""
        run = self.run
        with run.writing(), run_log(run):
            self._take_stock()
            with run.journal_writer() as self._journal:
                with self._executor() as self._players:
                    self._start()
                    if run.manifest.until:
                        self._until(run.manifest.until)
                    else:
                        self._play(run.plan)
                self._journal.settle()
            self._finish()
        return self.status

    def _finish(self) -> None:
        """Write down what the run came to, if that is not known yet."""
        run, before = self.run, self.run.manifest.finished
        now = run.totals()
        if before and replace(before, at=now.at, records=[]) == now and records_are_there(run):
            return
        run.finish(keep_records(run))
        LOG.info("finished, digest %s", run.finished.digest)

    def _take_stock(self) -> None:
        """Count what is done already."""
        run, plan = self.run, self.run.plan
        self._done = bytearray(plan.parts)
        self._costs = [cost_of(run.experiment.game, ready.variant.bots) for ready in run.prepared]
        self.status = Status(0, shares={ready.name: [] for ready in run.prepared})
        damaged = list(run.damaged_lines())
        for problem in damaged:
            LOG.warning(problem)
        touched = bool(damaged)
        for entry in run.done():
            untouched = run.is_untouched(entry)
            flaws = [] if untouched and not self.deep else [*run.flaws(entry)]
            for flaw in flaws:
                LOG.warning("part %d is played again: %s", entry.part, flaw)
            if not flaws:
                self._take(entry)
            touched = touched or bool(flaws) or not untouched
        if touched:
            run.mend_journal(self._done)
        self.status.began_with = self.status.done
        self._stamps = [ready.stamp for ready in run.prepared]
        where = f"cluster {self.cluster}" if self.cluster else f"{self.workers} workers"
        LOG.info("%s: %d of %d parts are done; %s", run.folder, self._done.count(1), plan.parts, where)
        then, now = run.manifest.machine.versions, machine()["versions"]
        if then != now:
            LOG.warning("versions have changed: %s then, %s now; bytes of Parquet files may differ", then, now)
        if self._done.count(0) and run.manifest.finished:
            run.note(finished=None)

    def _start(self) -> None:
        """Have workers load what they need while this process has the core compiled, once, if it is not yet."""
        run = self.run
        missing = self._done.count(0)
        if run.manifest.until:
            self._looks = _looks(run, run.manifest.until)
            first = run.manifest.plan_of(self._looks.first)
            missing += max(0, first.parts - len(self._done))
        if missing:
            self._players.get_ready(missing)
            if not self.cluster:
                run.game.start_up()
        self._began = time.monotonic()

    def _play(self, plan: Plan) -> None:
        """Play the parts of a plan that are missing."""
        self._done.extend(bytes(max(0, plan.parts - len(self._done))))
        self.status.games = max(self.status.games, plan.all_games)
        self.status.work = max(self.status.work, sum(plan.games_of(v) * cost for v, cost in enumerate(self._costs)))
        settled, worked = self.status.done, self.status.worked
        for event in self._players.play(map(self._task, plan.open_parts(self._done))):
            if isinstance(event, Entry):
                self._journal.append(event)
                for error in event.errors:
                    LOG.warning("bot error in part %d: %s", event.part, error)
                self.status.done, self.status.worked = settled, worked
                self._take(event)
                settled, worked = self.status.done, self.status.worked
            else:
                self.status.done = settled + event.games
                self.status.worked = worked + sum(games * self._costs[variant] for variant, games in event.parts)
            self.status.tick(time.monotonic() - self._began)
            self.watch(self.status)

    def _task(self, part: Part) -> Task:
        ready = self.run.prepared[part.variant]
        return Task(part, ready.variant, ready.name, stamp=self._stamps[part.variant])

    def _executor(self) -> Executor:
        run = self.run
        if self.cluster:
            from mmsim.batch.cluster import Cluster  # an extra that most people do without

            cluster = Cluster(self.cluster, run.folder, run.experiment.game, run.prepared)
            cluster.patience = self.patience
            return cluster
        first, log = run.prepared[0].variant, run.folder / LOG_FILE
        pool = Pool(run.folder, run.experiment.game, self.workers, first, log)
        pool.patience = self.patience
        if not run.manifest.until:
            pool.games = run.plan.all_games - self.status.done
        return pool

    def _take(self, entry: Entry) -> None:
        """Count a part that is done."""
        self._done[entry.part] = 1
        self.status.done += entry.games
        self.status.worked += entry.games * self._costs[entry.variant]
        self.status.errors += len(entry.errors)
        shares = self.status.shares[self.run.variant_names[entry.variant]]
        shares.extend(Tally() for _ in range(len(entry.shares) - len(shares)))
        for tally, (count, mean, squares) in zip(shares, entry.shares, strict=True):
            tally.add(Tally(int(count), mean, squares))

    # --- until a number is known well enough -----------------------------------------------------------------------

    def _until(self, until: Until) -> None:
        run, looks = self.run, self._looks
        precision = looks.precision
        if self.measure is None:
            raise MmsimError(f"nobody knows how to measure {precision.metric}")
        taken, target = 0, looks.first
        while True:
            if target > run.games_asked:
                run.note(games=target)
            plan = run.manifest.plan_of(target)
            self._play(plan)
            for block in range(taken, plan.blocks):
                parts = plan.block(block)
                tables = {table: run.scan(table, parts) for table in run.table_names}
                looks.take(self.measure(tables).collect())
            taken = plan.blocks
            if not looks.tallies:
                raise MmsimError(f"none of {target} games has a value of {precision.metric}")
            wanted = looks.decide(target)
            LOG.info("look %d after %d games: %s is known to ±%.4g", looks.look, target, precision.metric, looks.known)
            self.status.estimate = Estimate(wanted or target, looks.known)
            if wanted is None:
                known = looks.known if isfinite(looks.known) else None
                run.note(until=replace(until, looks=looks.look, known_to=known))
                self._play(run.plan)  # should the run have gone farther under another mmsim
                return
            target = wanted


def extend(run: Run, more: int) -> None:
    """Ask for more games of every variant; they are played when the run is resumed."""
    with run.writing():
        games = run.games_asked + more
        for ready in run.prepared:
            ready.check_groups(games=games)
        run.note(games=games, until=None, finished=None, decision=None)


def _looks(run: Run, until: Until) -> Looks:
    """The looks of a run that is played until a number is known."""
    return Looks(
        Precision(until.metric, until.half_width),
        {ready.name: ready.games_a_deal for ready in run.prepared},
        run.plan.part_games,
        run.experiment.games,
    )


def estimate(run: Run, until: Until, measure: Measure) -> tuple[Estimate, float]:
    """Before a run: games of every variant it will take, and games a second of one process, from a few games."""
    looks = _looks(run, until)
    run.game.start_up()
    began, games, step = time.perf_counter(), 0, 2 * lcm(*looks.games_a_deal.values())
    while games < _PILOT and time.perf_counter() - began < _PILOT_S:
        looks.take(measure(_tables(run, games, step)).collect())
        games += step
        step *= 2
    pace = games * len(run.prepared) / (time.perf_counter() - began)
    if not looks.tallies:
        raise MmsimError(f"none of {games} games has a value of {looks.precision.metric}")
    looks.look = 1  # most runs stop at their second look
    return Estimate(max(looks.first, int(min(looks.limit, looks.needed(games)))), looks.widest), pace


def _tables(run: Run, first: int, count: int) -> "dict[str, pl.LazyFrame]":
    """The tables of some games of every variant, played here and now."""
    import polars as pl

    played = [(ready.prepared, run.game.play_games(ready.prepared, first, count)) for ready in run.prepared]
    return {
        table: pl.concat([run.game.frame(prepared, table, rows[table]) for prepared, rows in played]).lazy()
        for table in run.table_names
    }


@contextmanager
def run_log(run: Run) -> Iterator[None]:
    """Everything that happens to a run, also in its workers, goes to its `run.log`."""
    try:
        handler = logging.FileHandler(run.folder / LOG_FILE, encoding="utf-8", delay=False)
    except OSError as error:
        raise MmsimError(f"cannot write {run.folder / LOG_FILE}: {error.strerror or error}") from error
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk is complained about once
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
