"""The folder of a run: journal, lock, tables, what is not a run."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import mmsim
from mmsim.batch.runner import extend
from mmsim.batch.store import Run, runs_in
from mmsim.batch.worker import Entry
from mmsim.core.errors import MmsimError, UsageError
from tests.batch.helpers import toy

pytestmark = pytest.mark.usefixtures("toy_game")


def entry(part: int, *tables: str) -> Entry:
    files = {table: {"rows": 60, "bytes": 1, "sha256": "0"} for table in tables}
    return Entry(part, 0, 60 * part, 60, files, [[60, 0.5, 1.0]], [], 0.1)


def test_the_journal_keeps_what_was_appended_and_drops_a_torn_line(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    assert list(run.journal()) == []
    with run.journal_writer() as journal:
        journal.append(entry(0))
        journal.append(entry(1))
    path = run.folder / "parts.jsonl"
    path.write_bytes(path.read_bytes() + b'{"part": 2')
    assert [told.part for told in run.journal()] == [0, 1]
    with run.journal_writer() as journal:
        journal.append(entry(5))
    assert list(run.journal()) == [entry(0), entry(1), entry(5)]


def test_a_part_whose_files_are_not_there_has_no_line(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    (run.folder / "seats").mkdir()
    (run.folder / "seats" / "part-000000.parquet").write_bytes(b"x")
    with run.journal_writer() as journal:
        journal.append(entry(0, "seats"))
        journal.append(entry(1, "seats"))
        with pytest.raises(MmsimError, match="cannot write .*/seats/part-000001.parquet: No such file"):
            journal.settle()
    assert [told.part for told in run.journal()] in ([], [0])  # what waits at the same time is synced together


def test_what_was_last_written_of_a_part_counts_and_only_for_the_games_of_the_plan(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy(games=150))
    again = replace(entry(0), seconds=0.2)
    last = replace(entry(2), games=30)
    with run.journal_writer() as journal:
        for told in (entry(0), entry(2), last, entry(7), again):
            journal.append(told)
    assert list(run.done()) == [last, again]
    assert [part.number for part in run.parts_done()] == [0, 2]
    assert run.summary()["parts_done"] == 2
    extend(run, 270)
    assert list(run.done()) == [entry(2), again]


def test_a_torn_line_longer_than_what_is_read_at_once_is_dropped(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    path = run.folder / "parts.jsonl"
    path.write_bytes(b"x" * 200_000)
    with run.journal_writer() as journal:
        journal.append(entry(4))
    assert list(run.journal()) == [entry(4)]


def test_a_damaged_journal_is_named(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    (run.folder / "parts.jsonl").write_text("{]\n")
    with pytest.raises(MmsimError, match="parts.jsonl is damaged"):
        list(run.journal())


def test_what_is_not_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run: it has no manifest.json"):
        Run(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(MmsimError, match="manifest.json is damaged"):
        Run(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "mmsim-run/9"}')
    with pytest.raises(MmsimError, match="is not of the format mmsim-run/2"):
        Run(tmp_path)


def test_a_folder_that_holds_something_is_not_overwritten(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", toy())
    with pytest.raises(UsageError, match=r"already holds a run; go on with it \(mmsim resume"):
        Run.create(tmp_path / "run", toy())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="is not empty and not a run"):
        Run.create(tmp_path / "mine", toy())


def test_a_bad_experiment_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown ruleset 'dyce'; did you mean 'dice'"):
        Run.create(tmp_path / "run", toy(variants=["dyce"]))
    assert list(tmp_path.iterdir()) == []


def test_tables_of_a_run_not_begun_are_empty_with_all_columns(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", toy())
    run = mmsim.load(tmp_path / "run")
    assert isinstance(run.seats, pl.LazyFrame)
    assert run.seats.collect().columns == list(run.game.tables["seats"])
    with pytest.raises(UsageError, match="unknown table 'seat'; did you mean 'seats'"):
        run.table("seat")
    with pytest.raises(AttributeError, match="a run has no 'seat'; its tables are games, seats"):
        run.seat  # noqa: B018


def test_runs_of_a_folder_are_listed_by_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        Run.create(tmp_path / name, toy())
    (tmp_path / "no-run").mkdir()
    assert [run.folder.name for run in runs_in(tmp_path)] == ["a", "b"]
    about = runs_in(tmp_path)[0].summary()
    assert (about["state"], about["parts_done"], about["parts"]) == ("stopped", 0, 7)
    with runs_in(tmp_path)[0].writing():
        assert runs_in(tmp_path)[0].summary()["state"] == "playing"


def test_a_manifest_is_json_a_person_can_read(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    text = (run.folder / "manifest.json").read_text()
    assert json.loads(text) == run.manifest
    assert text.count("\n") > 20
