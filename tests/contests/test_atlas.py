"""An atlas: the same bytes however it is played, sums that agree with the games, plans that are kept."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

import msgspec
import polars as pl
import pytest

from mmsim.batch.cluster import Scheduler
from mmsim.batch.journal import JOURNAL
from mmsim.batch.session import Status
from mmsim.contests import atlas
from mmsim.contests.atlas import AtlasLevel, AtlasPlan, play_atlas
from mmsim.core.variant import Variant
from mmsim.errors import MmsimError, UsageError
from mmsim.games import find_game
from tests.cli.runner import complaint

USAGE = 2

PLAN = AtlasPlan("metromania", "print", 4, "box", 5, 40, [AtlasLevel("uniform", "uniform", 6)])


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atlas, "_PART_GAMES", 20)


def played(folder: Path, plan: AtlasPlan = PLAN, workers: int = 1) -> tuple[AtlasPlan, pl.DataFrame]:
    return play_atlas(folder, plan, workers, lambda status: None)


def test_any_number_of_workers_and_a_stop_on_the_way_give_the_same_bytes(tmp_path: Path) -> None:
    plan, _ = played(tmp_path / "one")

    def stop(status: Status) -> None:
        if status.done >= 140:  # of 240 in four parts; more than two workers can have begun and not finished
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_atlas(tmp_path / "two", PLAN, 2, stop)
    assert not (tmp_path / "two" / atlas.TABLE).exists()
    before = len((tmp_path / "two" / JOURNAL).read_bytes().splitlines())
    again, _ = played(tmp_path / "two", workers=2)
    assert 0 < before < len([*plan.parts()])
    assert (tmp_path / "one" / atlas.TABLE).read_bytes() == (tmp_path / "two" / atlas.TABLE).read_bytes()
    assert again.sha256 == plan.sha256 == hashlib.sha256((tmp_path / "one" / atlas.TABLE).read_bytes()).hexdigest()


@pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed")
def test_a_cluster_gives_the_same_bytes(tmp_path: Path) -> None:
    from distributed import LocalCluster

    plan = msgspec.structs.replace(PLAN, layouts=12)
    _, table = played(tmp_path / "here", plan)
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, host="127.0.0.1", protocol="tcp"
    ) as cluster:
        _, on_cluster = play_atlas(
            tmp_path / "there", plan, 1, lambda status: None, Scheduler(cluster.scheduler_address)
        )
    assert on_cluster.equals(table)
    assert (tmp_path / "here" / atlas.TABLE).read_bytes() == (tmp_path / "there" / atlas.TABLE).read_bytes()


def test_a_damaged_part_is_played_again(tmp_path: Path) -> None:
    played(tmp_path)
    table = (tmp_path / atlas.TABLE).read_bytes()
    (tmp_path / "sums" / "part-000003.parquet").write_bytes(b"nonsense")
    (tmp_path / "sums" / "part-000002.parquet").unlink()
    played(tmp_path)
    assert (tmp_path / atlas.TABLE).read_bytes() == table


def test_sums_are_those_of_the_games_of_each_city(tmp_path: Path) -> None:
    _, table = played(tmp_path)
    game, place = find_game("metromania"), 17
    city = PLAN.space.at(place)
    row = table.filter(layout=city).row(0, named=True)
    rows = game.play_games(game.prepare(Variant("print", 4, "box:each=6", seed=5)), 6 * place, 6)
    turns, shares = rows["games"]["turns"].astype(int), rows["seats"]["win_share"].reshape(6, 4)
    assert (row["games"], row["turns"], row["turns_squares"]) == (6, turns.sum(), (turns**2).sum())
    assert [row[f"wins_{seat}"] for seat in (1, 2, 3, 4)] == pytest.approx(shares.sum(axis=0).tolist())
    assert row["score_3"] == rows["seats"]["score"][2::4].sum()
    assert {*rows["games"]["layout"].tolist()} == {city}  # box: canonical layouts come first


def test_a_sample_has_the_rows_of_the_whole(tmp_path: Path) -> None:
    _, whole = played(tmp_path / "whole")
    _, sample = played(tmp_path / "sample", msgspec.structs.replace(PLAN, layouts=11))
    assert sample.equals(whole.filter(pl.col("layout").is_in(sample["layout"].implode())))


def test_a_folder_is_kept_for_its_plan(tmp_path: Path) -> None:
    played(tmp_path)
    with pytest.raises(UsageError, match=r"holds an atlas with another plan \(seed"):
        played(tmp_path, msgspec.structs.replace(PLAN, seed=6))
    (tmp_path / atlas.PLAN).write_text('{"game": 1}')
    with pytest.raises(MmsimError, match=r"atlas\.json is not the plan of an atlas"):
        played(tmp_path)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--game", "metro"), "metro has one board; there are no board sets to list, show or check"),
        (("--cities", "0"), "--cities takes 'all' or a number from 1 to 87,480, not '0'"),
        (("--levels", "club", "--games-per-city", "expert=9"), "--games-per-city names expert, which is not among the"),
        (("--games-per-city", "club=x"), "--games-per-city takes a number of games above 1, or LEVEL=NUMBER, not"),
    ],
)
def test_what_cannot_be_played_is_refused(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    assert says in complaint(USAGE, "atlas", "run", "--out", tmp_path / "atlas", *words)
    assert not (tmp_path / "atlas").exists()
