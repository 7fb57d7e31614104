"""The command line, stopped in every way, with the real game: what remains is resumed to the same bytes."""

import os
import re
import resource
import signal
import subprocess
from pathlib import Path

from mmsim.batch.check import CheckProgress, check
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from tests.batch.helpers import expected, journal_lines, mmsim, small, tables_of, wait_until

FLAGS = ("run", "--rules", "print", "--rules", "print+loyal", "--bots", "uniform", "--seed", 7, "--out", "my run")


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
    except OSError:
        return False


def test_a_run_whose_parent_is_killed_is_resumed_to_the_same_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "my run"
    with mmsim(*FLAGS, "--games", 2400, "--part-games", 300, "--workers", 2, "--quiet", cwd=tmp_path) as process:
        wait_until(lambda: journal_lines(folder) >= 1)
        workers = re.findall(r"worker ready, process (\d+)", (folder / "run.log").read_text())
        process.kill()
        process.communicate()
    assert workers
    wait_until(lambda: not any(is_alive(int(worker)) for worker in workers), 10)
    assert journal_lines(folder) < 16
    with (folder / "parts.jsonl").open("ab") as file:
        file.write(b'{"part": 3, "torn')
    (folder / "games" / ".part-000015.parquet.1.tmp").write_bytes(b"left behind")
    run = Run(folder)
    assert run.manifest.finished is None
    Session(run, 1).carry_out()
    assert tables_of(run) == expected(small(games=2400, part_games=300))
    assert not list(folder.rglob("*.tmp"))
    assert not list(check(run, 3, CheckProgress()))


def test_a_stopped_run_prints_the_command_that_goes_on_with_it(tmp_path: Path) -> None:
    with mmsim(*FLAGS, "--games", 600_000, "--part-games", 60, "--workers", 1, cwd=tmp_path) as process:
        wait_until(lambda: journal_lines(tmp_path / "my run") >= 1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    kept = sum(entry.games for entry in Run(tmp_path / "my run").done_entries())
    assert kept >= 60
    assert err.splitlines()[-1] == f"stopped; {kept:,} games are kept; continue with: mmsim resume 'my run' --workers 1"
    assert "Traceback" not in out + err
    assert not Run(tmp_path / "my run").is_locked


def test_a_full_disk_stops_with_a_sentence_and_the_run_is_resumed(tmp_path: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    words = (*FLAGS, "--games", 1500, "--part-games", 1500, "--workers", 1, "--quiet")
    with mmsim(*words, cwd=tmp_path, preexec_fn=little_room, stdin=subprocess.DEVNULL) as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert out == ""
    assert re.fullmatch(r"mmsim: error: cannot write my run/\w+/part-\d+.parquet: File too large\n", err)
    run = Run(tmp_path / "my run")
    assert not list(run.folder.rglob("*.tmp"))
    Session(run, 1).carry_out()
    assert tables_of(run) == expected(small(games=1500, part_games=1500))
