"""Reading runs: what is counted, and what is wrong with a run that is not whole."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from mmsim.analysis.estimates import estimate_metrics
from mmsim.analysis.run_metrics import find_metric
from mmsim.analysis.tables import RunTables, open_run
from mmsim.errors import MmsimError, UsageError
from tests.runs import change_manifest, change_part, write_run


@pytest.fixture
def copy(run_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run_folder, tmp_path / "copy"))


def test_a_whole_run_has_nothing_to_warn_of(run: RunTables) -> None:
    assert run.warnings == []
    assert run.paired
    assert [variant.name for variant in run.variants] == ["print-4p", "print+loyal-4p", "print+no-corruption-4p"]
    assert run.games_of("print-4p") == 600


def test_a_partial_run_says_so(copy: Path) -> None:
    change_manifest(copy, games=1000, finished=None)
    (warning,) = open_run(copy).warnings
    assert warning.startswith("PARTIAL RUN: of 1,000 games")
    assert "print-4p 600" in warning


def test_a_stopped_run_is_read_as_far_as_its_journal_goes(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "stopped", ["print", "print+loyal"], games=20, part_games=20, asked=60)
    stray = folder / "games" / "part-000002.parquet"
    shutil.copy(folder / "games" / "part-000000.parquet", stray)
    run = open_run(folder)
    assert (run.games_of("print-4p"), run.experiment.games) == (20, 60)
    assert run.warnings[0].startswith("PARTIAL RUN: of 60 games")


def test_games_without_a_regular_end_are_counted_and_left_out(run: RunTables, copy: Path) -> None:
    kind = pl.read_parquet_schema(copy / "games" / "part-000000.parquet")["status"]
    failed = pl.when(pl.col("game") < 7).then(pl.lit("bot_error", kind)).otherwise("status")
    change_part(copy, "games", 0, status=failed)
    damaged = open_run(copy)
    assert damaged.left_out == 7
    assert damaged.warnings == ["7 games ended with status bot_error, left out of every metric."]
    assert damaged.games_of("print-4p") == 593
    for table, rows in {"games": 1, "seats": 4, "trips": 7, "lines": 8}.items():
        kept = damaged.counted.tables[table].select(pl.len()).collect().item()
        assert kept == rows * (3 * 600 - 7)


def test_rotated_seats_make_deals_of_as_many_games_as_players(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "rotated", ["print"], games=8, part_games=8, seats="rotate"))
    assert {variant.games_per_deal for variant in run.variants} == {4}


def test_different_bots_on_fixed_seats_are_a_warning(tmp_path: Path) -> None:
    mixed = write_run(tmp_path / "mixed", ["print"], games=8, part_games=8, bots="uniform,greedy,greedy,greedy")
    assert open_run(mixed).variants[0].bot_specs == ("uniform", "greedy", "greedy", "greedy")
    assert any("cannot be told from that of its bot" in warning for warning in open_run(mixed).warnings)


@pytest.mark.parametrize(("games", "warned"), [(8, True), (24, False)])
def test_orders_of_different_bots_that_are_not_played_equally_often_are_a_warning(
    tmp_path: Path, games: int, warned: bool
) -> None:
    bots = "uniform,greedy,runner,blocker"
    run = open_run(write_run(tmp_path / "run", ["print"], games=games, part_games=8, seats="rotate", bots=bots))
    said = "The 8 games of print-4p are not a multiple of 24, after which every way to seat"
    assert any(said in warning for warning in run.warnings) is warned


def test_no_run_at_all_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no run .*nothing"):
        open_run(tmp_path / "nothing")


def test_a_damaged_manifest_is_a_sentence(copy: Path) -> None:
    (copy / "manifest.json").write_text("{")
    with pytest.raises(MmsimError, match="manifest.json is damaged"):
        open_run(copy)


def test_a_missing_part_is_named(copy: Path) -> None:
    (copy / "trips" / "part-000003.parquet").unlink()
    with pytest.raises(MmsimError, match="trips/part-000003.parquet is missing; play it again: mmsim resume"):
        open_run(copy)


def test_a_part_cut_short_is_named(copy: Path) -> None:
    part = copy / "seats" / "part-000002.parquet"
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(MmsimError, match=r"part-000002.parquet has \d+ bytes instead of"):
        open_run(copy)


def test_a_changed_byte_is_noticed(copy: Path) -> None:
    part = copy / "seats" / "part-000002.parquet"
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    with pytest.raises(MmsimError, match="part-000002.parquet does not match its checksum in the journal"):
        open_run(copy)


def test_mixed_rules_versions_are_refused(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["variants"][1]["rules_version"] = 99
    change_manifest(copy, variants=manifest["variants"])
    with pytest.raises(MmsimError, match="mixes rules versions"):
        open_run(copy)


def test_a_run_without_games_is_a_sentence(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "empty", games=0, asked=10, rules=["print"])
    with pytest.raises(MmsimError, match="no games yet"):
        open_run(folder)


def test_metrics_do_not_depend_on_how_many_games_are_in_memory(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (whole,) = estimate_metrics(open_run(run_folder), [find_metric("metromania", "score")])
    monkeypatch.setattr("mmsim.analysis.tables._GAMES_AT_ONCE", 900)
    run = open_run(run_folder)
    games = [block["games"].select("variant", "game").collect() for block in run.blocks()]
    assert [block.height for block in games] == [900, 900]
    assert all(block["variant"].n_unique() == 3 for block in games)
    (cut,) = estimate_metrics(run, [find_metric("metromania", "score")])
    assert cut.means == pytest.approx(whole.means, rel=1e-13)
    assert cut.cov == pytest.approx(whole.cov, rel=1e-10)
