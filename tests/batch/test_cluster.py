"""A real Dask cluster on this machine: a scheduler and workers, one of two killed while it plays."""

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mmsim.batch import certificates, cluster
from mmsim.batch.certificates import make_certificates
from mmsim.batch.cluster import Scheduler, _dask_logs_to_run_log, play_on_cluster
from mmsim.batch.experiment import Experiment, prepare_variants
from mmsim.batch.plan import Part
from mmsim.batch.run import Run
from mmsim.batch.session import Session, Status
from mmsim.batch.worker import LOG, Task
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game
from tests.batch.helpers import ROOT, expected, journal_lines, mmsim, small, tables_of, toy, wait_until
from tests.cli.runner import complaint, output

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed")


class ByHand:
    """A cluster as `docs/how-to/cluster.md` starts it."""

    def __init__(self, folder: Path, stack: ExitStack, *tls: str, workers: int = 1, nannies: bool = False) -> None:
        self._folder, self._stack = folder, stack
        host = f"{'tls' if tls else 'tcp'}://127.0.0.1"
        self.scheduler = self._dask(
            *("scheduler", "--host", host, "--port", "0", "--no-dashboard", "--scheduler-file", "s.json", *tls)
        )
        wait_until(lambda: (folder / "s.json").exists(), 30)
        words = ["worker", "--scheduler-file", "s.json", "--host", host, "--nthreads", "1", "--no-dashboard", *tls]
        words += ["--nanny" if nannies else "--no-nanny"]
        self.workers = [self._dask(*words) for _ in range(workers)]

    @property
    def address(self) -> str:
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
        self._stack.callback(process.kill)  # what a nanny minds ends with it
        return process


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_a_worker_that_is_not_like_this_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_reporter", lambda topic, part: lambda done: None)
    (ready,) = prepare_variants(small(variants=["print"]), find_game("metromania"))
    with pytest.raises(MmsimError, match=r"differs from this machine: it has mmsim .*, this machine has mmsim 9\.9"):
        play_on_cluster("metromania", (ready.variant,), Task(Part(0, 0, 0, 1), ready.variant, ""), "mmsim 9.9", "")


def hanging(folder: Path) -> Experiment:
    """Four games with a bot that hangs in the first of them, unless it has done so before."""
    bot, before = folder / "hangs.py", folder / "before"
    bot.write_text(
        "import pathlib, time\n"
        "class Hangs:\n"
        " def choose(self, view, moves):\n"
        f"  before = pathlib.Path({str(before)!r})\n"
        "  if not before.exists():\n"
        "   before.touch()\n"
        "   time.sleep(3600)\n"
        "  return moves[0]\n"
    )
    bots = f"{bot}:Hangs,uniform,uniform,uniform"
    return small(variants=["print"], boards=["compact"], bots=bots, games=4, part_games=4)


def test_a_worker_that_hangs_is_restarted_by_its_nanny_and_a_scheduler_that_is_gone_is_told_of(
    tmp_path: Path, stack: ExitStack
) -> None:
    by_hand = ByHand(tmp_path, stack, nannies=True)
    run = Run.create(tmp_path / "run", hanging(tmp_path))
    assert Session(run, cluster=Scheduler(by_hand.address), heartbeat_timeout_s=1.0).carry_out().done == 4
    log = (run.folder / "run.log").read_text()
    assert len(re.findall(r"part 0: worker tcp://\S+ was silent for \d+ s at game 0 of print-4p", log)) == 1
    assert tables_of(run) == expected(hanging(tmp_path))

    def watch(status: Status) -> None:
        by_hand.scheduler.kill()

    gone = Run.create(tmp_path / "gone", small(games=300))
    with pytest.raises(MmsimError, match=r"the cluster at \S+ is gone; resume the run when it is back"):
        Session(gone, cluster=Scheduler(by_hand.address), watch=watch).carry_out()
    assert Session(gone, 1).carry_out().done_before > 0
    assert tables_of(gone) == expected(small(games=300))


def test_certificates_are_for_nobody_else_and_replace_nothing(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        commands = output("cluster", "certificates", tmp_path / "tls").splitlines()
    finally:
        os.umask(before)
    files = [tmp_path / "tls" / name for name in ("ca.pem", "cert.pem", "key.pem")]
    assert sorted((tmp_path / "tls").iterdir()) == files
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "tls", *files)] == [0o700, 0o600, 0o600, 0o600]
    assert [line.split()[:2] for line in commands] == [["dask", "scheduler"], ["dask", "worker"], ["mmsim", "run"]]
    assert all(str(files[2]) in line for line in commands)
    key = files[2].read_bytes()
    assert "ca.pem exists already" in complaint(2, "cluster", "certificates", tmp_path / "tls")
    assert files[2].read_bytes() == key
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert "others may write to " in complaint(1, "cluster", "certificates", tmp_path / "open")
    assert list((tmp_path / "open").iterdir()) == []
    Scheduler("tls://host:8786", *files)  # which checks that they belong together


def test_a_scheduler_without_workers_is_reported_within_five_seconds(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch, toy_game: None
) -> None:
    monkeypatch.setattr(cluster, "_FIRST_WORKER_S", 1)
    by_hand = ByHand(tmp_path, stack, workers=0)
    run = Run.create(tmp_path / "run", toy(games=60))
    started, reported = time.monotonic(), []
    session = Session(run, cluster=Scheduler(by_hand.address))
    session.notify = lambda text: reported.append((text, time.monotonic() - started))
    with pytest.raises(MmsimError, match=r"^the cluster at tcp://\S+ has no workers; start them, then resume the run$"):
        session.carry_out()
    ((text, seconds),) = reported
    assert text == f"the cluster at {by_hand.address} has no workers yet; waiting 1 s for the first one"
    assert seconds >= cluster._NO_WORKER_S
    assert cluster._NO_WORKER_S < 4  # the rest of the five seconds is for the connection


def test_certificates_are_all_there_or_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def failing(path: Any, *rest: Any, **more: Any) -> int:
        if str(path).endswith("key.pem"):
            raise OSError(28, "No space left on device")
        return real(path, *rest, **more)

    monkeypatch.setattr(certificates.os, "open", failing)
    with pytest.raises(MmsimError, match="No space left"):
        make_certificates(tmp_path / "tls", 1)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert all(file.is_file() for file in make_certificates(tmp_path / "tls", 1))


def test_a_cluster_with_tls_plays_for_whoever_has_a_certificate(tmp_path: Path, stack: ExitStack) -> None:
    files = make_certificates(tmp_path / "tls", 1)
    words = [word for pair in zip(("--tls-ca-file", "--tls-cert", "--tls-key"), files, strict=True) for word in pair]
    by_hand = ByHand(tmp_path, stack, *map(str, words))
    assert by_hand.address.startswith("tls://")
    run, scheduler = Run.create(tmp_path / "run", small(games=60)), Scheduler(by_hand.address, *files)
    assert scheduler.options()[2:4] == ["--tls-ca", str(files[0])]
    Session(run, cluster=scheduler).carry_out()
    assert tables_of(run) == expected(small(games=60))
    for stranger in (
        Scheduler(by_hand.address.replace("tls", "tcp")),
        Scheduler(by_hand.address, *make_certificates(tmp_path / "other", 1)),
    ):
        run = Run.create(tmp_path / f"run-{stranger.tls_ca is None}", small(games=60))
        with pytest.raises(MmsimError, match="^no Dask scheduler answers at "):
            Session(run, cluster=stranger).carry_out()


def test_a_run_on_a_cluster_that_is_told_to_end_that_loses_a_worker_or_whose_bot_hangs(
    tmp_path: Path, stack: ExitStack
) -> None:
    by_hand = ByHand(tmp_path, stack, workers=2)
    is_told_to_end(tmp_path, by_hand.address)
    loses_a_worker(tmp_path, by_hand)
    hung = Run.create(tmp_path / "hung", hanging(tmp_path))
    says = r"worker tcp://\S+ was silent for \d+ s at game 0 of print-4p, and has no nanny"
    with pytest.raises(MmsimError, match=says):
        Session(hung, cluster=Scheduler(by_hand.address), heartbeat_timeout_s=1.0).carry_out()


def is_told_to_end(folder: Path, address: str) -> None:
    """It says what is kept and how to go on, and nothing else."""
    words = ("run", "--rules", "print", "--bots", "uniform", "--games", 600_000, "--part-games", 60)
    with mmsim(*words, "--cluster", address, "--out", "told", "--quiet", cwd=folder) as process:
        wait_until(lambda: journal_lines(folder / "told") >= 1)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    again = re.escape(f"mmsim resume told --cluster {address}")
    assert re.fullmatch(rf"stopped; [\d,]+ games are kept; continue with: {again}\n", err)


def loses_a_worker(folder: Path, by_hand: ByHand) -> None:
    """It comes to the same bytes."""
    killed = []

    def watch(status: Status) -> None:
        if status.done >= 240 and not killed:
            killed.append(by_hand.workers[0].kill())

    run = Run.create(folder / "run", small(games=300))
    status = Session(run, cluster=Scheduler(by_hand.address), watch=watch).carry_out()
    assert killed
    assert by_hand.workers[0].wait(5) != 0
    assert status.done == 600
    assert tables_of(run) == expected(small(games=300))
    assert run.manifest.finished.parts == 10


def test_what_dask_says_anywhere_is_in_the_log_of_the_run_and_on_no_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from distributed.config import config, initialize_logging

    names = ("distributed", "distributed.client", "distributed.gc", "bokeh", "tornado", "tornado.application")
    for logger in map(logging.getLogger, (None, *names)):  # as if nobody had given them anything yet
        monkeypatch.setattr(logger, "handlers", [])
        monkeypatch.setattr(logger, "propagate", True)
        monkeypatch.setattr(logger, "level", logger.level)
    initialize_logging(config)
    said = [*names[:3], "distributed.core", *names[4:]]
    monkeypatch.setattr(LOG, "handlers", [logging.StreamHandler(sys.stdout)])
    with _dask_logs_to_run_log():
        for name in (*said, "asyncio"):
            logging.getLogger(name).critical("%s inside", name)
    for name in said:
        logging.getLogger(name).critical("%s outside", name)
    out, err = capsys.readouterr()
    assert out.splitlines() == [f"{name} inside" for name in (*said, "asyncio")]
    assert [line.rpartition(" - ")[2] for line in err.splitlines()] == [f"{name} outside" for name in said]


def test_whoever_answers_is_asked_whether_it_is_a_scheduler(tmp_path: Path, toy_game: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"

        def answer() -> None:
            with suppress(OSError):
                while True:
                    server.accept()[0].sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        run = Run.create(tmp_path / "run", toy(games=60))
        with pytest.raises(MmsimError, match=f"^no Dask scheduler answers at {address}$"):
            Session(run, cluster=Scheduler(address)).carry_out()


def test_no_scheduler_at_the_address_is_said_within_ten_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy_game: None
) -> None:
    assert cluster._CONNECT_S <= 10
    monkeypatch.setattr(cluster, "_CONNECT_S", 1)
    run = Run.create(tmp_path / "run", toy(games=60))
    with pytest.raises(MmsimError, match="^no Dask scheduler answers at tcp://127.0.0.1:9$"):
        Session(run, cluster=Scheduler("tcp://127.0.0.1:9")).carry_out()


@pytest.mark.parametrize(
    "address", ["nonsense", "tcp://", "tcp://host", "http://host:1", "tcp://host:99999", "a b:1", ""]
)
def test_what_is_no_address_is_refused_at_once(address: str) -> None:
    with pytest.raises(UsageError, match="is not the address of a scheduler; one looks like tcp://"):
        Scheduler(address)


def test_tls_takes_three_files_and_an_address_of_its_own(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")]
    with pytest.raises(UsageError, match=r"--tls-ca: there is no file .*ca\.pem"):
        Scheduler("tls://host:8786", *files)
    for file in files:
        file.touch()
    with pytest.raises(UsageError, match="are not a certificate and key for TLS"):
        Scheduler("tls://host:8786", *files)
    with pytest.raises(UsageError, match="--tls-ca is for an address like tls://"):
        Scheduler("tcp://host:8786", *files)
    with pytest.raises(UsageError, match="TLS takes three files"):
        Scheduler("tls://host:8786", files[0])
    with pytest.raises(UsageError, match="TLS takes three files"):
        Scheduler("tls://host:8786").security()
