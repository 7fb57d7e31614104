"""The folder of a run: journal, lock, tables, what is not a run."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from msgspec.structs import replace

import mmsim
from mmsim.batch.experiment import Experiment
from mmsim.batch.journal import JournalEntry, PartFile
from mmsim.batch.manifest import Precision, runs_in, short_checksum
from mmsim.batch.run import Run
from mmsim.batch.session import extend
from mmsim.errors import MmsimError, UsageError
from tests.batch.helpers import toy

pytestmark = pytest.mark.usefixtures("toy_game")


ROWS = {"games": 1, "seats": 3}  # of a game of the toy


def entry(part: int, games: int = 60, seconds: float = 0.1) -> JournalEntry:
    files = {table: PartFile(each * games, 1, "0" * 64, "0" * 64) for table, each in ROWS.items()}
    return JournalEntry(part, 0, 60 * part, games, files, [(60, 0.5, 1.0)] * 3, [], seconds)


def append(run: Run, *entries: JournalEntry) -> None:
    """Write lines into the journal of a run, with files for them."""
    for item in entries:
        for table in ROWS:
            (run.folder / table).mkdir(exist_ok=True)
            (run.folder / table / item.file).write_bytes(b"x")
    with run.journal_writer() as journal:
        for item in entries:
            journal.append(item)
        journal.finish()


def without_times(entries: Iterable[JournalEntry]) -> list[JournalEntry]:
    return [
        replace(item, tables={table: replace(file, mtime_ns=0) for table, file in item.tables.items()})
        for item in entries
    ]


def test_the_journal_keeps_what_was_appended_and_drops_a_torn_line(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    assert list(run.journal_entries()) == []
    append(run, entry(0), entry(1))
    path = run.folder / "parts.jsonl"
    path.write_bytes(path.read_bytes() + b'{"part": 2')
    assert [item.part for item in run.journal_entries()] == [0, 1]
    assert list(run.damaged_lines()) == []
    append(run, entry(5))
    assert without_times(run.journal_entries()) == [entry(0), entry(1), entry(5)]
    assert all(run.is_untouched(item) for item in run.journal_entries())


def test_a_part_whose_files_are_not_there_has_no_line(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    append(run, entry(0), entry(1))
    (run.folder / "parts.jsonl").unlink()
    (run.folder / "seats" / "part-000001.parquet").unlink()
    with run.journal_writer() as journal:
        journal.append(entry(0))
        journal.append(entry(1))
        with pytest.raises(MmsimError, match="cannot write .*/seats/part-000001.parquet: No such file"):
            journal.finish()
    assert [item.part for item in run.journal_entries()] in ([], [0])  # what waits at the same time is synced together


def test_what_was_last_written_of_a_part_counts_and_only_for_the_games_of_the_plan(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy(games=150))
    again, last = entry(0, seconds=0.2), entry(2, games=30)
    append(run, entry(0), entry(2), last, entry(7), again)
    assert without_times(run.done_entries()) == [last, again]
    assert run.summary()["parts_done"] == 2
    extend(run, 270)
    assert without_times(run.done_entries()) == [entry(2), again]


def test_a_torn_line_longer_than_what_is_read_at_once_is_dropped(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    path = run.folder / "parts.jsonl"
    path.write_bytes(b"x" * 200_000)
    append(run, entry(4))
    assert without_times(run.journal_entries()) == [entry(4)]


def test_a_damaged_line_of_the_journal_does_not_count_and_is_named(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    append(run, entry(0), entry(1), entry(1, seconds=0.3))
    path = run.folder / "parts.jsonl"
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second + third.replace(b"000", b"001", 1))
    assert without_times(run.done_entries()) == [entry(0), entry(1)]
    assert list(run.damaged_lines()) == [f"line 3 of {path} is damaged: its checksum is wrong"]
    with pytest.raises(MmsimError, match="line 3 of .* is damaged: its checksum is wrong; play it again: mmsim r"):
        run.table("seats")
    path.write_bytes(first + b"{]\n")
    assert list(run.damaged_lines()) == [f"line 2 of {path} is damaged: its checksum is wrong"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"part": "1"}, "Expected `int`, got `str` - at `$.part`"),
        ({"games": 0}, "Expected `int` >= 1 - at `$.games`"),
        ({"more": 1}, "Object contains unknown field `more`"),
        ({"seconds": None}, "Expected `float`, got `null` - at `$.seconds`"),
        ({"variant": 3}, "it belongs to another run"),
        ({"tables": {}}, "it belongs to another run"),
        ({"tables": {"../x": {"rows": 60, "bytes": 1, "sha256": "0" * 64, "digest": "0" * 64}}}, "matching regex"),
        ({"shares": [[60, 0.5, 1.0]]}, "it belongs to another run"),
    ],
)
def test_a_line_that_cannot_be_is_damaged_though_its_checksum_is_right(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    run = Run.create(tmp_path / "run", toy())
    line = msgspec.json.encode({**msgspec.to_builtins(entry(0)), **change})
    body = line[:-1]
    path = run.folder / "parts.jsonl"
    path.write_bytes(body + f',"check":"{short_checksum(body)}"}}\n'.encode())
    (problem,) = run.damaged_lines()
    assert says in problem
    assert list(run.done_entries()) == []


def test_what_is_not_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run: it has no manifest.json"):
        Run(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(MmsimError, match="manifest.json is damaged"):
        Run(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "mmsim-run/9"}')
    with pytest.raises(MmsimError, match="is not of the format mmsim-run/8"):
        Run(tmp_path)


def test_a_folder_that_holds_something_is_not_overwritten(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", toy())
    with pytest.raises(UsageError, match=r"already holds a run; continue it \(mmsim resume"):
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
    run = mmsim.read(tmp_path / "run")
    assert isinstance(run.seats, pl.LazyFrame)
    assert run.table("seats").collect().columns == list(run.game.tables["seats"])
    assert run.seats.collect().columns[:2] == ["variant", "level"]
    with pytest.raises(UsageError, match="unknown table 'seat'; did you mean 'seats'"):
        run.table("seat")
    with pytest.raises(AttributeError, match="a run has no 'seat'; its tables are games, seats"):
        run.seat  # noqa: B018


def test_runs_of_a_folder_are_listed_by_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        Run.create(tmp_path / name, toy())
    (tmp_path / "no-run").mkdir()
    runs = [*map(Run, runs_in(tmp_path))]
    assert [run.folder.name for run in runs] == ["a", "b"]
    about = runs[0].summary()
    assert (about["state"], about["parts_done"], about["parts"]) == ("stopped", 0, 7)
    with runs[0].writing():
        assert runs[1].summary()["state"] == "stopped"
        assert runs[0].summary()["state"] == "playing"


def test_a_manifest_is_json_a_person_can_read(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    text = (run.folder / "manifest.json").read_text()
    read = json.loads(text)
    assert read.pop("check")
    assert read == json.loads(msgspec.json.encode(run.manifest))
    assert text.count("\n") > 20


@pytest.mark.parametrize(
    ("bots", "seats", "games", "part_games"),
    [
        ("uniform", "fixed", 50_000, 10_000),
        ("planner", "fixed", 400, 3000),
        ("search:playouts=8", "fixed", 400, 14),
        ("planner,planner,planner,search:playouts=8", "rotate", 400, 12),
        ("search:playouts=1000", "rotate", 400, 4),
    ],
)
def test_parts_hold_fewer_games_of_slow_bots(
    bots: str, seats: str, games: int, part_games: int, tmp_path: Path
) -> None:
    asked = Experiment("slow", ("print",), bots=bots, seats=seats, games=games)
    run = Run.create(tmp_path / "run", asked)
    assert run.plan.part_games == part_games
    assert run.plan.parts == -(-games // part_games)


@pytest.mark.parametrize(("bots", "part_games"), [("uniform", 1000), ("search:playouts=8", 14)])
def test_a_run_until_something_is_known_has_shorter_parts(bots: str, part_games: int, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", Experiment("known", ("print",), bots=bots), Precision("margin", 0.1))
    assert run.plan.part_games == part_games


def test_a_run_says_what_it_is_in_a_notebook(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", toy())
    assert repr(run) == f"Run('{tmp_path}/run', stopped: dice-3p; uniform; 420 games of each)"
