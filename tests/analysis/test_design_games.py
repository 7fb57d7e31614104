"""What a design keeps of its games: the values of their metrics, the same as a run has."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mmsim.analysis.design_games import Block, KeptGames
from mmsim.analysis.estimates import WIN_SHARE
from mmsim.analysis.evidence import Column
from mmsim.analysis.stats import Array
from mmsim.analysis.tables import open_run
from mmsim.batch.run import Run
from mmsim.batch.side_tables import sample_win_chances
from mmsim.core.variant import Variant
from tests.runs import write_run

BOTS, SEED, GAMES = "planner", 5, 4
COLUMNS = Column(WIN_SHARE, "1st"), Column("turns", ""), Column("lead_changes", ""), Column("drama", "")


def values(folder: Path, workers: int, columns: Sequence[Column] = COLUMNS) -> Array:
    block = Block(Variant("print", 4, "box", BOTS, SEED), 0, GAMES)
    with KeptGames("metromania", columns, folder, workers, lambda status: None) as played:
        (kept,) = played([block])
    return kept.reshape(len(columns), -1)


def test_metrics_of_the_chances_to_win_are_those_of_a_run(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", ("print",), games=GAMES, bots=BOTS, seed=SEED, boards=["box"])
    assert sample_win_chances(Run(folder), GAMES, 50, 1, lambda done, total: None) == GAMES
    tables = open_run(folder).tables
    by_game = tables["tension"].join(tables["games"].select("game", "turns"), on="game").sort("game").collect()
    kept = values(tmp_path / "kept", 1)
    assert kept[1].tolist() == by_game["turns"].to_list()
    assert kept[2].tolist() == by_game["lead_changes"].to_list()
    assert kept[3] == pytest.approx(by_game["drama"].to_numpy(), nan_ok=True)
    assert len({*kept[3].tolist()}) > 1


def test_chances_are_the_same_with_any_number_of_workers_and_do_not_change_the_games(tmp_path: Path) -> None:
    alone = values(tmp_path / "alone", 1)
    assert (values(tmp_path / "both", 2) == alone).all()
    assert (values(tmp_path / "plain", 1, COLUMNS[:2]) == alone[:2]).all()
