"""A real Dask cluster on this machine: a scheduler and two workers, one of them killed while it plays."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mmsim.batch.cluster import play_there
from mmsim.batch.experiment import prepare_variants
from mmsim.batch.plan import Part
from mmsim.batch.runner import Session, Status
from mmsim.batch.scheduler import Scheduler
from mmsim.batch.store import Run
from mmsim.core.errors import MmsimError, UsageError
from mmsim.games import find_game
from tests.batch.helpers import ROOT, expected, small, tables_of, toy, wait_until

pytest.importorskip("distributed")


class ByHand:
    """A cluster as `docs/cluster.md` starts it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self.scheduler = self._dask(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", "s.json"
        )
        wait_until(lambda: (folder / "s.json").exists(), 30)
        words = ("worker", "--scheduler-file", "s.json", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self.workers = [self._dask(*words) for _ in range(2)]

    @property
    def address(self) -> str:
        import json

        return str(json.loads((self._folder / "s.json").read_text())["address"])

    def _dask(self, *words: str) -> "subprocess.Popen[bytes]":
        env = {**os.environ, "PYTHONPATH": str(ROOT), "POLARS_MAX_THREADS": "1"}
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            cwd=self._folder,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=(self._folder / "dask.log").open("ab"),
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[ByHand]:
    with ExitStack() as stack:
        yield ByHand(tmp_path, stack)


def test_a_cluster_that_loses_a_worker_or_its_scheduler_comes_to_the_same_bytes(
    tmp_path: Path, by_hand: ByHand
) -> None:
    killed = []

    def watch(status: Status) -> None:
        if status.done >= 240 and not killed:
            killed.append(by_hand.workers[0].kill())

    run = Run.create(tmp_path / "run", small(games=600))
    status = Session(run, cluster=Scheduler(by_hand.address), watch=watch).carry_out()
    assert killed
    assert by_hand.workers[0].wait(5) != 0
    assert status.done == 1200
    assert tables_of(run) == expected(small(games=600))
    assert run.manifest["finished"]["parts"] == 20

    def watch_again(status: Status) -> None:
        by_hand.scheduler.kill()

    again = Run.create(tmp_path / "again", small(games=600))
    with pytest.raises(MmsimError, match=r"the cluster at \S+ is gone; resume the run when it is back"):
        Session(again, cluster=Scheduler(by_hand.address), watch=watch_again).carry_out()
    assert Session(again, 1).carry_out().began_with > 0
    assert tables_of(again) == tables_of(run)


def test_a_worker_that_is_not_like_this_machine_is_refused() -> None:
    (ready,) = prepare_variants(small(variants=["print"]), find_game("metromania"))
    with pytest.raises(MmsimError, match=r"is not like this machine: it has mmsim .*, this machine mmsim 9\.9"):
        play_there("metromania", (ready.variant,), Part(0, 0, 0, 1), "mmsim 9.9")


def test_a_bot_that_hangs_on_a_cluster_is_noticed_as_it_is_on_this_machine(tmp_path: Path, by_hand: ByHand) -> None:
    bot = tmp_path / "hangs.py"
    bot.write_text("import time\nclass Hangs:\n def choose(self, view, moves):\n  time.sleep(3600)\n")
    asked = small(
        variants=["print"], boards=["compact"], bots=f"{bot}:Hangs,uniform,uniform,uniform", games=4, part_games=4
    )
    run = Run.create(tmp_path / "run", asked)
    with pytest.raises(
        MmsimError, match=r"worker tcp://\S+ was silent for \d+ s at game 0 of print-4p, and has no nanny"
    ):
        Session(run, cluster=Scheduler(by_hand.address), patience=2.0).carry_out()


def test_no_scheduler_at_the_address_is_said_within_ten_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy_game: None
) -> None:
    from mmsim.batch import cluster

    assert cluster._REACH_S <= 10
    monkeypatch.setattr(cluster, "_REACH_S", 1)
    run = Run.create(tmp_path / "run", toy(games=60))
    with pytest.raises(MmsimError, match="^no Dask scheduler answers at tcp://127.0.0.1:9$"):
        Session(run, cluster=Scheduler("tcp://127.0.0.1:9")).carry_out()


@pytest.mark.parametrize(
    "address", ["nonsense", "tcp://", "tcp://host", "http://host:1", "tcp://host:99999", "a b:1", ""]
)
def test_what_is_no_address_is_refused_at_once(address: str) -> None:
    with pytest.raises(UsageError, match="is no address of a scheduler; one looks like tcp://"):
        Scheduler(address)


def test_tls_takes_three_files_and_an_address_of_its_own(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")]
    with pytest.raises(UsageError, match=r"--tls-ca: there is no file .*ca\.pem"):
        Scheduler("tls://host:8786", *files)
    for file in files:
        file.touch()
    with pytest.raises(UsageError, match="--tls-ca is for an address like tls://"):
        Scheduler("tcp://host:8786", *files)
    with pytest.raises(UsageError, match="TLS takes three files"):
        Scheduler("tls://host:8786", files[0])
    scheduler = Scheduler("tls://host:8786", *files)
    assert scheduler.options()[2:4] == ["--tls-ca", str(files[0])]
    assert scheduler.security().require_encryption
