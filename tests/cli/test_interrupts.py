"""Whatever a command is doing, Ctrl-C and SIGTERM end it with a sentence about what is kept."""

import os
import signal
import time
from pathlib import Path

import pytest

from mmsim.cli.interrupts import Interrupted, raise_on_signals
from tests.batch.helpers import mmsim, wait_until
from tests.runs import write_run


def in_session(session: int) -> list[str]:
    """The processes of a session that have not ended."""
    running = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            running.append(process)
    return running


def handles_signals(pid: int) -> bool:
    """Whether a process has got as far as to handle SIGTERM."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.fixture(scope="module")
def run_of_planners(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "stopped", ["print"], games=120)


SWEEP = ("sweep", "print", "--vary", "end_lines=4,5", "--bots", "planner", "--games", 200_000, "--workers", 1)
WORKERS = 3  # processes: a command, what Python starts beside workers, and one of these


@pytest.mark.parametrize(
    ("words", "how", "sign"),
    [
        (("play", "--bots", "search:playouts=64"), signal.SIGINT, ""),  # while it is being loaded
        (("report", "run", "--out", "report"), signal.SIGINT, WORKERS),
        (("report", "run", "--out", "report"), signal.SIGTERM, 0.6),
        (("chances", "run", "--games", 120, "--workers", 2), signal.SIGINT, WORKERS),
        ((*SWEEP, "--out", "report"), signal.SIGTERM, WORKERS),
        (("replay", "run", "--number", 3, "--playouts", 500), signal.SIGTERM, "game 3: "),
        (("verify", "-"), signal.SIGINT, 0.3),
    ],
)
def test_a_command_that_is_stopped_says_what_is_kept(
    words: tuple[object, ...], how: signal.Signals, sign: str | float, run_of_planners: Path, tmp_path: Path
) -> None:
    """It is stopped when there is a sign of its work: what it says, its processes, or nothing for some seconds."""
    folder, said = tmp_path / "here", tmp_path / "said"
    folder.mkdir()
    (folder / "run").symlink_to(run_of_planners)
    before = sorted(run_of_planners.rglob("*"))
    with (
        said.open("w") as stderr,
        mmsim(*words, cwd=folder, stdin=-1, stderr=stderr, start_new_session=True) as process,
    ):
        wait_until(lambda: handles_signals(process.pid))
        if isinstance(sign, str):
            wait_until(lambda: sign in said.read_text())
        elif sign == WORKERS:
            wait_until(lambda: len(in_session(process.pid)) >= WORKERS)
        else:
            time.sleep(sign)
        (os.killpg if how is signal.SIGINT else os.kill)(process.pid, how)  # a terminal signals all of them
        out, _ = process.communicate(timeout=60)
    err = said.read_text()
    assert (process.returncode, err.splitlines()[-1:], out) == (130, ["stopped; nothing is kept"], "")
    assert "Traceback" not in err
    wait_until(lambda: not in_session(process.pid), 10)
    assert [path.name for path in folder.iterdir()] == ["run"]
    assert sorted(run_of_planners.rglob("*")) == before


def test_an_error_that_a_library_makes_of_an_interrupt_is_an_interrupt() -> None:
    def stop_inside_a_library() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        except Interrupted:
            raise RuntimeError("the library gives up") from None

    with pytest.raises(Interrupted), raise_on_signals():
        stop_inside_a_library()
    with pytest.raises(RuntimeError), raise_on_signals():
        raise RuntimeError("an error of its own")
