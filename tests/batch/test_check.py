"""A run of the real game, held against its engines, its records, its exports and the Python API."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from msgspec import structs
from msgspec.structs import replace as replace_entry

import mmsim
from mmsim.batch.check import CheckProgress, check, replay, replay_record
from mmsim.batch.export import export
from mmsim.batch.journal import rewrite
from mmsim.batch.run import Run
from mmsim.batch.session import Session
from mmsim.batch.worker import PartPlayer, write_part
from mmsim.errors import MmsimError, UsageError
from tests.batch.helpers import expected, small, tables_of


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A whole run of 6 parts."""
    run = Run.create(tmp_path_factory.mktemp("played") / "run", small(games=180))
    Session(run, 2).carry_out()
    return run


@pytest.fixture
def whole(played: Run, tmp_path: Path) -> Run:
    """A copy of it, to spoil."""
    return Run(shutil.copytree(played.folder, tmp_path / "run"))


def test_a_whole_run_is_right(played: Run) -> None:
    checked = CheckProgress()
    assert list(check(played, 10, checked)) == []
    assert (checked.parts, checked.games_replayed) == (6, 10)
    assert tables_of(played) == expected(small(games=180))


def test_check_names_every_damaged_missing_or_stray_file(whole: Run) -> None:
    damaged, cut, gone, stray = (
        whole.folder / "seats" / f"part-0000{number}.parquet" for number in ("03", "04", "05", "99")
    )
    damaged.write_bytes(damaged.read_bytes()[:-9] + b"x" + damaged.read_bytes()[-8:])
    cut.write_bytes(cut.read_bytes()[:100])
    gone.unlink()
    stray.write_bytes(b"")
    checked = CheckProgress()
    problems = sorted(check(whole, 5, checked))
    recorded = json.loads((whole.folder / "parts.jsonl").read_text().splitlines()[0])
    assert recorded["tables"]["seats"]["rows"] == 240
    assert [problem.partition(" ")[0] for problem in problems] == [str(path) for path in (damaged, cut, gone, stray)]
    assert "does not match its checksum in the journal" in problems[0]
    assert "has 100 bytes instead of" in problems[1]
    assert problems[2].endswith("is missing")
    assert problems[3].endswith("does not belong to this run")
    assert checked.games_replayed == 5


def test_check_finds_files_that_hold_other_games_than_the_manifest_tells_of(whole: Run) -> None:
    whole.manifest.experiment["seed"] = 8
    whole.manifest.variants[:] = [structs.replace(variant, seed=8) for variant in whole.manifest.variants]
    whole.update_manifest()
    problems = list(check(Run(whole.folder), 4, CheckProgress()))
    assert len(problems) == 4
    assert all("played again, its rows of 'games' are not those of the run" in problem for problem in problems)


def test_check_counts_rows_even_if_the_checksum_is_right(whole: Run) -> None:
    part = whole.plan.part(2)
    variant = whole.prepared[part.variant].variant
    short = PartPlayer("metromania").play(replace(part, count=59), variant)
    write_part(whole.folder, part, short.files)
    lines = [
        replace_entry(
            entry, tables={t: replace_entry(f, rows=entry.tables[t].rows) for t, f in short.entry.tables.items()}
        )
        if entry.part == 2
        else entry
        for entry in whole.journal_entries()
    ]
    rewrite(whole.folder / "parts.jsonl", iter(lines))
    problems = list(check(whole, 0, CheckProgress()))
    assert len(problems) == 5  # and the manifest
    assert problems[0].endswith("part-000002.parquet has 59 rows instead of 60")


def test_check_says_what_is_not_played_yet(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", small())
    assert list(check(run, 5, CheckProgress())) == [f"14 of 14 parts are not played yet: mmsim resume {run.folder}"]


@pytest.mark.parametrize(("variant", "game"), [(0, 0), (1, 59), (0, 60), (1, 179)])
def test_a_record_is_the_game_of_the_tables(played: Run, variant: int, game: int) -> None:
    recorded = replay_record(played, variant, game)
    played.game.verify(recorded)
    replay(played, variant, game)
    name = played.variant_names[variant]
    rows = played.seats.filter(pl.col("variant") == name, pl.col("game") == game).sort("seat").collect()
    assert recorded["result"]["scores"] == rows["score"].to_list()
    assert recorded["result"]["kept_points"] == rows["kept_points"].to_list()
    assert recorded["seed"] == {"master": 7, "variant": name, "game": game}
    (line,) = played.games.filter(pl.col("variant") == name, pl.col("game") == game).collect().to_dicts()
    assert recorded["result"]["end_reason"] == line["end_reason"]
    assert recorded["moves"][-1]["turn"] == line["turns"]
    minutes = played.trips.filter(pl.col("variant") == name, pl.col("game") == game).collect()["minutes"].to_list()
    assert [trip["minutes"] for trip in recorded["result"]["trips"]] == minutes


def test_a_record_of_damaged_tables_is_refused(whole: Run) -> None:
    shutil.copy(whole.folder / "seats" / "part-000002.parquet", whole.folder / "seats" / "part-000000.parquet")
    with pytest.raises(MmsimError, match="part-000000.parquet (does not match its checksum|has .* bytes)"):
        replay_record(whole, 0, 5)


def test_a_game_or_variant_that_is_not_there_is_said(played: Run) -> None:
    with pytest.raises(UsageError, match="has the games 0 to 179, not 180"):
        replay_record(played, 0, 180)
    with pytest.raises(UsageError, match="unknown variant 'print-3p'; did you mean 'print-4p'"):
        played.variant_index("print-3p")
    with pytest.raises(UsageError, match="has 2 variants; say which with --variant: print-4p, print[+]loyal-4p"):
        played.variant_index(None)


def test_every_table_is_exported_as_it_is(played: Run, tmp_path: Path) -> None:
    readers = {"csv": pl.read_csv, "json": pl.read_ndjson, "parquet": pl.read_parquet}
    for kind, read in readers.items():
        for table in ("games", "seats"):
            path = tmp_path / f"{table}.{kind}"
            rows = export(played, table, path)
            stored = played.table(table).collect()
            assert rows == len(stored)
            recorded = read(path)
            assert recorded.columns == stored.columns
            assert recorded["game"].to_list() == stored["game"].to_list()
            assert recorded["variant"].to_list() == stored["variant"].to_list()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{t}.{k}" for t in ("games", "seats") for k in readers]


def test_an_export_that_cannot_be_is_said(played: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown table 'seat'; did you mean 'seats'"):
        export(played, "seat", tmp_path / "x.csv")
    (tmp_path / "file").write_text("")
    with pytest.raises(MmsimError, match="cannot write"):
        export(played, "seats", tmp_path / "file" / "x.csv")


def test_three_lines_of_python_are_enough(played: Run) -> None:
    run = mmsim.read(played.folder)
    shares = run.seats.group_by("variant", "seat").agg(pl.col("win_share").mean()).collect()
    assert shares.height == 8
    assert shares["win_share"].sum() == pytest.approx(2, abs=1e-5)
    assert run.table("games").collect_schema() == run.game.tables["games"]
    assert run.lines.select(pl.len()).collect().item() == 2880


def test_a_row_takes_less_than_40_bytes(tmp_path: Path) -> None:
    files = expected(small(variants=["print"], games=1500, part_games=1500))
    assert sum(map(len, files.values())) / (1500 * 20) < 6
