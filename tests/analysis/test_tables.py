"""Reading runs: what is counted, and what is wrong with a run that is not whole."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis.tables import RunTables, open_run
from mmsim.core.errors import MmsimError, UsageError
from tests.runs import write_run


@pytest.fixture
def copy(run_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run_folder, tmp_path / "copy"))


def edit_manifest(folder: Path, **changes: object) -> None:
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["experiment"].update(changes)
    file.write_text(json.dumps(manifest))


def test_a_whole_run_has_nothing_to_warn_of(run: RunTables) -> None:
    assert run.warnings == []
    assert run.paired
    assert [variant.name for variant in run.variants] == ["print-4p", "print+loyal-4p", "print+no-corruption-4p"]
    assert run.games_of("print-4p") == 600


def test_a_partial_run_says_so(copy: Path) -> None:
    edit_manifest(copy, games=1000)
    (warning,) = open_run(copy).warnings
    assert warning.startswith("PARTIAL RUN: of 1,000 games")
    assert "print-4p 600" in warning


def test_a_manifest_may_ask_for_more_games_than_its_experiment(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "games": 700}))
    assert open_run(copy).asked == 700


def test_games_without_a_regular_end_are_counted_and_left_out(run: RunTables, copy: Path) -> None:
    part = copy / "games" / "part-000000.parquet"
    games = pl.read_parquet(part)
    kind = games.schema["status"]
    failed = pl.when(pl.col("game") < 7).then(pl.lit("bot_error", kind)).otherwise("status")
    games.with_columns(status=failed).write_parquet(part)
    damaged = open_run(copy)
    assert damaged.left_out == 7
    assert damaged.warnings == ["7 games ended with status bot_error and are left out of every metric."]
    assert damaged.games_of("print-4p") == 593
    for table, rows in {"games": 1, "seats": 4, "trips": 7, "lines": 8}.items():
        kept = damaged.counted.tables[table].select(pl.len()).collect().item()
        assert kept == rows * (3 * 600 - 7)


def test_rotated_seats_make_clusters_of_as_many_games_as_players(copy: Path) -> None:
    edit_manifest(copy, seats="rotate")
    assert {variant.cluster for variant in open_run(copy).variants} == {4}


def test_different_bots_on_fixed_seats_are_a_warning(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["variants"][0]["bots"] = ["a", "b", "b", "b"]
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert any("cannot be told from that of its bot" in warning for warning in open_run(copy).warnings)


def test_no_run_at_all_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no run at"):
        open_run(tmp_path / "nothing")


def test_a_damaged_manifest_is_a_sentence(copy: Path) -> None:
    (copy / "manifest.json").write_text("{")
    with pytest.raises(MmsimError, match="manifest of run .* is damaged"):
        open_run(copy)


def test_a_missing_part_is_named(copy: Path) -> None:
    (copy / "trips" / "part-000003.parquet").unlink()
    with pytest.raises(MmsimError, match="table trips lacks part-000003.parquet"):
        open_run(copy)


def test_a_part_cut_short_is_named(copy: Path) -> None:
    part = copy / "seats" / "part-000002.parquet"
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(MmsimError, match="part-000002.parquet is damaged"):
        open_run(copy)


def test_a_part_that_is_no_table_is_a_sentence(copy: Path) -> None:
    (copy / "seats" / "part-000002.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    with pytest.raises(MmsimError, match="cannot be read"):
        open_run(copy)


def test_mixed_rules_versions_are_refused(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["variants"][1]["rules_version"] = 99
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(MmsimError, match="mixes rules versions"):
        open_run(copy)


def test_a_run_without_games_is_a_sentence(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "empty", games=10, shard=10, rules=["print"])
    shutil.rmtree(folder / "games")
    with pytest.raises(MmsimError, match="no games yet"):
        open_run(folder)
