"""Sessions with real processes: workers killed, hung, failing; runs stopped, damaged, extended; always the same bytes.

Batches know a game only through the seam, so most of these play a toy that loads in a moment.
"""

import json
import os
import re
import signal
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from mmsim.batch import pool
from mmsim.batch.experiment import Experiment
from mmsim.batch.run import Run
from mmsim.batch.session import Session, Status, extend
from mmsim.core.game import BotError
from mmsim.errors import MmsimError
from tests.batch.helpers import SMALL, expected, small, tables_of, toy
from tests.toy.game import BAD_GAME

pytestmark = pytest.mark.usefixtures("toy_game")


def played(folder: Path, experiment: Experiment, workers: int = 2, **options: Any) -> Run:
    run = Run.create(folder, experiment)
    Session(run, workers, **options).carry_out()
    return run


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_workers_writes_the_same_bytes(tmp_path: Path, workers: int) -> None:
    asked = toy(players=None, variants=["dice", "bad-bot"])
    run = played(tmp_path / "run", asked, workers)
    assert tables_of(run) == expected(asked)
    assert run.manifest.finished.rows == {"games": 840, "seats": 1680}
    assert sorted(entry.part for entry in run.journal_entries()) == list(range(14))
    log = (run.folder / "run.log").read_text()
    for worker in range(1, workers + 1):
        assert f"worker-{worker} INFO worker ready" in log
    assert len(re.findall(r"worker-\d+ INFO part \d+: ", log)) == 14


def test_levels_with_a_time_are_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    asked = small(levels=["beginner", "expert"], time="1s", part_games=120)
    assert asked.games == 480
    runs = [played(tmp_path / str(workers), asked, workers) for workers in (1, 3)]
    assert runs[0].manifest.every == [1, 1, 2, 2]
    assert [level["bots"] for level in runs[0].manifest.experiment["levels"]] == ["planner:ahead=1,noise=4", "expert"]
    assert runs[0].finished.digest == runs[1].finished.digest
    assert tables_of(runs[0]) == tables_of(runs[1])


def test_few_games_are_left_to_one_worker_unless_they_take_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_HEAD_START_S", float("inf"))
    alone = played(tmp_path / "alone", toy(games=300), workers=3)
    assert {*re.findall(r"worker-\d+", (alone.folder / "run.log").read_text())} == {"worker-1"}
    monkeypatch.setattr(pool, "_HEAD_START_S", -1.0)
    started: list[str] = []
    monkeypatch.setattr(pool, "environment", lambda variables: nullcontext(started.append("a worker")))
    together = played(tmp_path / "together", toy(games=300), workers=3)
    assert len(started) > 1
    assert tables_of(together) == tables_of(alone)


def test_a_run_extended_is_the_same_as_a_long_run(tmp_path: Path) -> None:
    run = played(tmp_path / "run", toy(games=150), 1)
    first = run.manifest.finished.digest
    extend(run, 270)
    assert run.manifest.finished is None
    status = Session(Run(run.folder), 1).carry_out()
    assert status.done_before == 120  # the part of games 120 to 149 is played anew, as a full one
    again = Run(run.folder)
    assert tables_of(again) == expected(toy())
    assert again.manifest.finished.digest != first
    assert again.seats.collect().height == 420 * 3


def signal_worker_1(how: signal.Signals) -> Callable[[Status], None]:
    """A watcher that deals a blow to the first worker, once."""
    struck = []

    def watch(status: Status) -> None:
        found = [child for child in pool.multiprocessing.active_children() if child.name == "worker-1"]
        if not struck and found:
            struck.append(os.kill(found[0].pid or 0, how))

    return watch


def test_a_killed_worker_is_replaced_and_its_part_played_again(tmp_path: Path) -> None:
    run = played(tmp_path / "run", toy(), 1, watch=signal_worker_1(signal.SIGKILL))
    assert tables_of(run) == expected(toy())
    log = (run.folder / "run.log").read_text()
    assert re.search(r"worker 1 \(process \d+\) was killed by SIGKILL", log)
    assert "worker-2 INFO worker ready" in log


@pytest.mark.slow
def test_a_hung_worker_is_killed_and_replaced(tmp_path: Path) -> None:
    run = played(tmp_path / "run", toy(), watch=signal_worker_1(signal.SIGSTOP), heartbeat_timeout_s=4.0)
    assert tables_of(run) == expected(toy())
    assert re.search(r"worker 1 \(process \d+\) was silent for \d+ s", (run.folder / "run.log").read_text())


@pytest.mark.parametrize(
    ("how", "says", "timeout_s"),
    [
        ("killed", "lost its worker, which was killed by SIGKILL", 300),
        ("raising", "failed with ZeroDivisionError: no dice", 300),
        ("hanging", r"lost its worker, which was silent for \d+ s", 2),
    ],
)
def test_three_failed_attempts_stop_the_run_with_the_game_named(
    tmp_path: Path, how: str, says: str, timeout_s: float
) -> None:
    game = BAD_GAME
    with pytest.raises(MmsimError, match=rf"part 2 {says}, 3 times; the last time at game {game} of {how}-3p; "):
        played(tmp_path / "run", toy(variants=[how], part_games=30), 1, heartbeat_timeout_s=timeout_s)
    run = Run(tmp_path / "run")
    assert (run.folder / "run.log").read_text().count("(attempt ") == 3
    assert run.manifest.finished is None
    assert not run.is_locked


def test_bot_errors_are_in_the_journal_the_log_and_the_status(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy(variants=["bad-bot"], games=120))
    status = Session(run, 1).carry_out()
    failure = BotError(BAD_GAME, 2, "mine", "chose to fly")
    assert [entry.errors for entry in run.journal_entries()] == [[], [failure]]
    assert status.errors == run.manifest.finished.bot_errors == 1
    assert "chose to fly" in (run.folder / "run.log").read_text()


def test_missing_and_damaged_parts_are_played_again(tmp_path: Path) -> None:
    run = played(tmp_path / "run", toy(), 1)
    damaged, cut, gone = (run.folder / "seats" / f"part-00000{number}.parquet" for number in (3, 4, 5))
    damaged.write_bytes(damaged.read_bytes()[:-9] + b"x" + damaged.read_bytes()[-8:])
    cut.write_bytes(cut.read_bytes()[:100])
    gone.unlink()
    status = Session(Run(run.folder), 1).carry_out()
    assert status.done_before == 4 * 60
    assert tables_of(run) == expected(toy())


def test_a_whole_run_is_not_played_again(tmp_path: Path) -> None:
    run = played(tmp_path / "run", toy(games=60), 1)
    status = Session(Run(run.folder), 1).carry_out()
    assert (status.done, status.done_before) == (60, 60)
    assert (run.folder / "run.log").read_text().count("worker ready") == 1


def test_the_headline_is_that_of_the_tables(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy(seats="rotate"))
    status = Session(run, 1).carry_out()
    shares = status.shares["dice-3p"]
    stored = run.seats.collect()
    for seat, tally in enumerate(shares):
        assert tally.count == 420 // 3
        assert tally.mean == pytest.approx(stored.filter(seat=seat)["win_share"].mean())


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    with run.writing():
        assert Run(run.folder).is_locked
        with pytest.raises(MmsimError, match=f"is being written by process {os.getpid()}; wait for it or stop it"):
            Session(Run(run.folder), 1).carry_out()
    assert not Run(run.folder).is_locked


def test_a_variant_that_is_no_longer_the_same_is_not_resumed(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", small(games=60))
    run.manifest.variants[0] = structs.replace(run.manifest.variants[0], rules_version=0)
    run.update_manifest()
    with pytest.raises(MmsimError, match="'print-4p' is no longer what .* began with: rules_version was 0 and is"):
        Session(Run(run.folder), 1).carry_out()


def test_ruleset_and_board_files_travel_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    house = tmp_path / "house.toml"
    house.write_text('base = "print"\n[knobs]\ndig = 2\n')
    run = Run.create(Path("run"), small(variants=["house.toml"], games=60))
    house.unlink()
    (tmp_path / "run").rename(tmp_path / "moved")
    monkeypatch.chdir("/")
    moved = Run(tmp_path / "moved")
    assert moved.manifest.variants[0].ruleset["dig"] == 2
    assert moved.prepared[0].name == run.manifest.variants[0].name == "print,dig=2-4p"


def test_the_manifest_can_rebuild_the_run(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", small())
    manifest = json.loads((run.folder / "manifest.json").read_text())
    assert manifest["experiment"]["variants"] == SMALL["variants"]
    assert [variant["ruleset"]["hands"] for variant in manifest["variants"]] == ["hidden", "open"]
    assert len(manifest["variants"][0]["board"]["pieces"]) == 6
    assert {"mmsim", "numba", "numpy", "polars"} <= set(manifest["machine"]["versions"])
    assert manifest["tables"]["seats"]["win_share"] == "Float32"
