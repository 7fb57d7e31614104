"""Processes that are started by this one: deferring_signals by Ctrl-C, and gone as soon as nobody needs them."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mmsim.system.processes import StoppablePool, deferring_signals, starting_processes


def _blocked() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def _sleep(pid: Path) -> None:
    pid.write_text(str(os.getpid()))
    time.sleep(60)


def _raise(number: int, frame: object) -> None:
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def _interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, _raise)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_must_not_be_cut_in_two_is_stopped_afterwards() -> None:
    done = []

    def work() -> None:
        with deferring_signals():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is _raise


def test_only_processes_started_here_are_deaf_to_ctrl_c() -> None:
    with starting_processes():
        assert _blocked()
    assert not _blocked()
    with StoppablePool(1, "spawn") as helpers:
        assert helpers.submit(_blocked).result()


def test_a_stopped_pool_is_not_waited_for(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with suppress(KeyboardInterrupt), StoppablePool(1, "spawn") as helpers:
        helpers.submit(_sleep, pid)
        while not pid.exists() or not pid.read_text():
            time.sleep(0.01)
        raise KeyboardInterrupt
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
