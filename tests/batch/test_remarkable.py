"""The records of remarkable games: kept by a finished run, the same however it was played, and looked after."""

import json
from pathlib import Path

import polars as pl
import pytest

from mmsim.batch.check import CheckProgress, check
from mmsim.batch.remarkable import kept_record
from mmsim.batch.run import Run
from mmsim.batch.session import Session, extend
from mmsim.errors import MmsimError
from tests.batch.helpers import Files, toy

pytestmark = pytest.mark.usefixtures("toy_game")


def played(folder: Path, games: int = 420) -> Run:
    run = Run.create(folder, toy(games=games))
    Session(run, 1).carry_out()
    return run


def records_of(run: Run) -> Files:
    return {path.name: path.read_bytes() for path in sorted((run.folder / "records").iterdir())}


def test_a_finished_run_has_the_records_of_its_remarkable_games(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    assert list(records_of(run)) == ["closest.json", "longest.json", "most-lopsided.json"]
    widest = json.loads(records_of(run)["most-lopsided.json"])
    scores = sorted(widest["result"]["scores"])
    assert scores[-1] - scores[-2] == run.games.select(pl.col("margin").max()).collect().item()
    for about in run.manifest.finished.records:
        record = kept_record(run.folder, about.variant, about.game)
        assert record is not None
        run.game.verify(record)


def test_records_do_not_depend_on_how_a_run_came_to_its_games(tmp_path: Path) -> None:
    whole, longer = played(tmp_path / "whole"), played(tmp_path / "longer", games=60)
    first = records_of(longer)
    extend(longer, 360)
    Session(longer, 1).carry_out()
    assert records_of(longer) == records_of(whole) != first
    for key in ("records", "digest"):
        assert getattr(longer.finished, key) == getattr(whole.finished, key)
    Session(whole, 1).carry_out()
    assert records_of(whole) == records_of(longer)


def test_records_are_no_part_of_the_digest(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    digest = run.manifest.finished.digest
    run.finish([])
    assert run.manifest.finished.digest == digest


def test_a_damaged_record_is_noticed_and_written_again(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    about = run.manifest.finished.records[0]
    path = run.folder / about.file
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"roll", b"hold", 1))
    assert list(check(run, 0, CheckProgress())) == [f"{path} does not match its checksum in the manifest"]
    with pytest.raises(MmsimError, match="does not match its checksum in the manifest; make it again: mmsim resume"):
        kept_record(run.folder, about.variant, about.game)
    path.unlink()
    assert kept_record(run.folder, about.variant, about.game) is None
    assert list(check(run, 0, CheckProgress())) == [f"{path} is missing"]
    Session(run, 1).carry_out()
    assert path.read_bytes() == whole
    assert list(check(run, 0, CheckProgress())) == []


def test_an_unfinished_run_has_no_records(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    assert kept_record(run.folder, "dice-3p", 0) is None
